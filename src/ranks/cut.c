/* SPDX-License-Identifier: Apache-2.0
 * Cuts a mechanism into segments (T80); see cut.h. */
#include "ranks/cutting.h"
#include <math.h>
#include <string.h>
#include "base/error.h"
#include "base/memory.h"
#include "math/rotation.h"
#include "model/break.h"
#include "model/joint.h"
#include "model/joint_lists.h"
#include "model/model.h"

enum { LEAST = 16, BODIES = 1024, MOST = 4096 }; /* segments at least; bodies of one, then; segments at most */

typedef struct tree {
    const clv_model *m;
    clv_joint_lists at;
    int *parent, *order; /* (nbody) -1: ground; bodies, parents first                            */
    int *base;           /* (nbody) body from which its tree starts                             */
    char *used;          /* (njoint) is in the tree                                              */
    int closing;         /* joint that is left out, -1: none                                     */
    int *weight;         /* (nbody) bodies outboard of it and itself                             */
    int *heavy;          /* (nbody) child with the most bodies, or -1                            */
} tree;

static bool open_tree(tree *t, const clv_model *m)
{
    const size_t n = (size_t)m->nbody + 2;
    *t = (tree){.m = m, .closing = -1,
                .parent = clv_alloc(n, sizeof(int)), .order = clv_alloc(n, sizeof(int)),
                .base = clv_alloc(n, sizeof(int)), .used = clv_alloc((size_t)m->njoint + 1, 1),
                .weight = clv_alloc(n, sizeof(int)), .heavy = clv_alloc(n, sizeof(int))};
    return clv_joint_lists_open(&t->at, m, NULL) &&
           t->parent && t->order && t->base && t->used && t->weight && t->heavy;
}

static void close_tree(tree *t)
{
    clv_joint_lists_close(&t->at), clv_free(t->parent), clv_free(t->order), clv_free(t->base);
    clv_free(t->used), clv_free(t->weight), clv_free(t->heavy);
}

/* breadth first, from the ground, then from the first body that is not reached */
static void grow(tree *t)
{
    const clv_model *m = t->m;
    int n = 0, head = 0;
    memset(t->used, 0, (size_t)m->njoint);
    for (int b = 0; b < m->nbody; b++)
        t->base[b] = -1;
    for (int from = -1, next = 0;;) {
        for (int i = t->at.first[from + 1]; i < t->at.first[from + 2]; i++) {
            const clv_joint *j = &m->joint[t->at.joint[i]];
            const int other = j->a == from ? j->b : j->a;
            if (other < 0 || t->base[other] >= 0 || t->at.joint[i] == t->closing)
                continue;
            t->used[t->at.joint[i]] = 1;
            t->parent[other] = from, t->base[other] = from < 0 ? other : t->base[from];
            t->order[n++] = other;
        }
        if (head == n) {
            while (next < m->nbody && t->base[next] >= 0)
                next++;
            if (next == m->nbody)
                return;
            t->parent[next] = -1, t->base[next] = next, t->order[n++] = next;
        }
        from = t->order[head++];
    }
}

static void weigh(tree *t)
{
    for (int b = 0; b < t->m->nbody; b++)
        t->weight[b] = 1, t->heavy[b] = -1;
    for (int i = t->m->nbody - 1; i >= 0; i--) {
        const int b = t->order[i], a = t->parent[b];
        if (a < 0)
            continue;
        t->weight[a] += t->weight[b];
        if (t->heavy[a] < 0 || t->weight[b] >= t->weight[t->heavy[a]])
            t->heavy[a] = b;
    }
}

clv_status clv_cut_refuse(clv_error *e, const char *group, const char *name, const char *what)
{
    clv_fail(e, CLV_ERR_UNSUPPORTED, "a mechanism on several ranks cannot have %s ('%s')", what, name);
    clv_error_text(e->path, sizeof e->path, group);
    clv_error_hint(e, "run it without mpirun; docs/ranks.md lists what ranks support");
    return e->code;
}

/* ------------------------------------------------------------------ one loop */

/* Does nothing act in a joint, or prescribe it? */
static bool is_plain(const clv_model *m, int joint)
{
    for (int i = 0; i < m->nforce; i++)
        if (clv_force_acts_in(&m->force[i], joint))
            return false;
    for (int i = 0; i < m->ninput; i++)
        if (m->input[i].kind == CLV_INPUT_JOINT && m->input[i].joint == joint)
            return false;
    for (int i = 0; i < m->nmotion; i++)
        if (m->motion[i].joint == joint)
            return false;
    return !clv_joint_armed(&m->joint[joint]);
}

/* the joint between the tree of a body and the ground; -1: it floats, or something acts in that joint */
static int ground_joint(const tree *t, int body)
{
    const clv_model *m = t->m;
    const int base = body < 0 ? -1 : t->base[body];
    for (int i = 0; base >= 0 && i < t->at.first[1]; i++) {
        const clv_joint *j = &m->joint[t->at.joint[i]];
        if (t->used[t->at.joint[i]] && (j->a == base || j->b == base) && j->kind != CLV_JOINT_FREE)
            return is_plain(m, t->at.joint[i]) ? t->at.joint[i] : -1;
    }
    return -1;
}

/* One joint is left by the tree, and a loop over the ground: it is opened at the ground. */
static void open_loop(tree *t)
{
    const clv_model *m = t->m;
    int left = -1, n = 0;
    for (int j = 0; j < m->njoint; j++)
        if (!t->used[j])
            left = j, n++;
    if (n != 1)
        return;
    const clv_joint *j = &m->joint[left];
    const bool grounded = j->a < 0 || j->b < 0;
    if (!grounded && t->base[j->a] == t->base[j->b])
        return;
    int open = grounded && is_plain(m, left) ? left : -1;
    for (int side = 0; open < 0 && side < 2; side++)
        open = ground_joint(t, side ? j->a : j->b);
    if (open < 0 || !clv_joint_table[m->joint[open].kind].tree)
        return;
    t->closing = open;
    grow(t);
}

/* The main chain ends at the body that the closing joint holds. */
static void end_run(tree *t, int *end)
{
    *end = -1;
    if (t->closing < 0)
        return;
    const clv_joint *j = &t->m->joint[t->closing];
    *end = j->a < 0 ? j->b : j->a;
    t->heavy[*end] = -1;
    for (int b = *end; t->parent[b] >= 0; b = t->parent[b])
        t->heavy[t->parent[b]] = b;
}

/* Has it loops besides one from ground to ground, or joints that no tree can have? */
static bool has_loops(const tree *t)
{
    bool loops = false;
    for (int j = 0; j < t->m->njoint; j++)
        loops = loops || !clv_joint_table[t->m->joint[j].kind].tree ||
                ((!t->used[j] || t->m->joint[j].cut == 1) && j != t->closing);
    return loops;
}

static clv_status check_loads(const clv_model *m, clv_error *e)
{
    for (int i = 0; i < m->nforce; i++) {
        const clv_force *f = &m->force[i];
        if (f->bearing.static_coefficient > 0)
            return clv_cut_refuse(e, "forces", f->name, "friction by the reaction of a joint");
        if (f->kind == CLV_FORCE_CONTACT || f->kind == CLV_FORCE_CONTACTS)
            return clv_cut_refuse(e, "forces", f->name, "contacts");
        if (f->kind == CLV_FORCE_CALLBACK)
            return clv_cut_refuse(e, "forces", f->name, "functions of the caller");
    }
    for (int i = 0; i < m->nmotion; i++)
        for (int k = 0; k < m->motion[i].table.n; k++)
            if (m->motion[i].table.time[k] > m->begin &&
                clv_motion_break(&m->motion[i], k, NULL) == CLV_BREAK_VELOCITY)
                return clv_cut_refuse(e, "motions", m->motion[i].name, "motions whose rate jumps");
    return CLV_OK;
}

static clv_status check_events(const clv_model *m, clv_error *e)
{
    for (int i = 0; i < m->nevent; i++) {
        const clv_event *x = &m->event[i];
        if (x->action != CLV_ACTION_STOP)
            return clv_cut_refuse(e, "events", x->name, "events that lock, release or attach");
        if (clv_event_waits(x) && x->condition != CLV_WHEN_COORDINATE && x->condition != CLV_WHEN_DISTANCE)
            return clv_cut_refuse(e, "events", x->name, "events at rates, forces, torques or efforts");
    }
    return CLV_OK;
}

static clv_status check(const tree *t, clv_error *e)
{
    const clv_model *m = t->m;
    clv_status st = check_events(m, e);
    if (st == CLV_OK)
        st = check_loads(m, e);
    if (st != CLV_OK)
        return st;
    if (m->nflex > 0)
        return clv_cut_refuse(e, "bodies", m->body[m->flex[0].body].name, "flexible bodies");
    if (m->ncoupling > 0)
        return clv_cut_refuse(e, "couplings", m->coupling[0].name, "couplings");
    for (int b = 0; b < m->nbody && !has_loops(t); b++)
        if (m->body[b].moving && t->parent[b] >= 0)
            return clv_cut_refuse(e, "start.bodies", m->body[b].name, "start velocities of bodies that joints hold");
    return CLV_OK;
}

/* ------------------------------------------------------------------ segments */

static int main_base(const tree *t)
{
    int best = -1;
    for (int b = 0; b < t->m->nbody; b++)
        if (t->base[b] == b && (best < 0 || t->weight[b] > t->weight[best]))
            best = b;
    return best;
}

int clv_cut_count(int bodies, int run, int most)
{
    const int wanted = most > 0 ? most : bodies / BODIES > LEAST ? bodies / BODIES : LEAST;
    int n = 1;
    while (2 * n <= wanted && 2 * n <= MOST && 4 * n <= run)
        n *= 2;
    return n;
}

/* where the run is cut, and the segments of its bodies */
static void cut_run(clv_cut *cut, const tree *t, int base, int run)
{
    const long long all = t->weight[base];
    int k = 0, i = 0;
    for (int b = base; b >= 0; b = t->heavy[b], i++) {
        const long long inner = t->heavy[b] < 0 ? all : all - t->weight[t->heavy[b]];
        cut->segment_of[b] = k;
        /* a body of its own on either side, and two for each of the segments to come */
        if (k + 1 < cut->nsegment && i > 0 && i + 1 < run &&
            (inner * cut->nsegment >= all * (k + 1) || run - 1 - i <= 2 * (cut->nsegment - 1 - k)))
            cut->split[k++] = b;
    }
    cut->nsegment = k + 1; /* as planned: a power of two */
}

/* A joint that holds nothing cannot lie on the way from a root to a handle. */
static clv_status check_run(const clv_cut *cut, const tree *t, clv_error *e)
{
    const clv_model *m = t->m;
    for (int j = 0; j < m->njoint; j++) {
        const clv_joint *jt = &m->joint[j];
        if (jt->kind == CLV_JOINT_FREE && jt->a >= 0 && jt->b >= 0 && cut->segment_of[jt->a] >= 0 &&
            cut->segment_of[jt->b] >= 0)
            return clv_cut_refuse(e, "joints", jt->name, "free joints in its main chain");
    }
    return CLV_OK;
}

/* every other body has the segment of what carries it; other mechanisms go where the fewest bodies are */
static clv_status assign(clv_cut *cut, const tree *t, int base, clv_error *e)
{
    int *load = clv_alloc((size_t)cut->nsegment, sizeof *load);
    if (!load)
        return clv_fail(e, CLV_ERR_MEMORY, "out of memory");
    for (int i = 0; i < t->m->nbody; i++) {
        const int b = t->order[i];
        if (t->base[b] == base && cut->segment_of[b] < 0)
            cut->segment_of[b] = cut->segment_of[t->parent[b]];
        if (t->base[b] == base)
            load[cut->segment_of[b]]++;
    }
    for (int i = 0; i < t->m->nbody; i++) {
        const int b = t->order[i];
        if (t->base[b] == base)
            continue;
        if (t->parent[b] >= 0) {
            cut->segment_of[b] = cut->segment_of[t->parent[b]];
            continue;
        }
        int least = 0;
        for (int k = 1; k < cut->nsegment; k++)
            if (load[k] < load[least])
                least = k;
        cut->segment_of[b] = least, load[least] += t->weight[b];
    }
    clv_free(load);
    return CLV_OK;
}

/* the size of the model: as clv_model_size, of centres of mass and points of joints */
static void extend(double lo[3], double hi[3], const clv_body *b, const double point[3])
{
    double R[9], x[3];
    clv_quat_rotation(R, b->e);
    clv_mat3_times(x, R, point);
    for (int i = 0; i < 3; i++)
        lo[i] = fmin(lo[i], b->r[i] + x[i]), hi[i] = fmax(hi[i], b->r[i] + x[i]);
}

static double size_of(const clv_model *m)
{
    double lo[3] = {0}, hi[3] = {0}, gyration = 0;
    for (int b = 0; b < m->nbody; b++) {
        const clv_body *body = &m->body[b];
        extend(lo, hi, body, body->com);
        if (body->mass > 0)
            gyration = fmax(gyration, fmax(fmax(body->J[0], body->J[1]), body->J[2]) / body->mass);
    }
    for (int j = 0; j < m->njoint; j++)
        if (m->joint[j].b >= 0)
            extend(lo, hi, &m->body[m->joint[j].b], m->joint[j].pb);
    const double size = fmax(fmax(hi[0] - lo[0], hi[1] - lo[1]), fmax(hi[2] - lo[2], 0.1 * sqrt(gyration)));
    return size > 0 ? size : 1;
}

static double mass_of(const clv_model *m)
{
    double mass = 0;
    for (int b = 0; b < m->nbody; b++)
        mass += m->body[b].mass;
    return mass;
}

static clv_status cut_tree(clv_cut *cut, tree *t, int most, clv_error *e)
{
    const clv_model *m = t->m;
    grow(t), open_loop(t), weigh(t);
    clv_status st = check(t, e);
    if (st != CLV_OK)
        return st;
    cut->size = size_of(m), cut->mass = mass_of(m);
    if (has_loops(t))
        return clv_cut_borders(cut, m, most, e);
    end_run(t, &cut->end);
    cut->closing = t->closing;
    const int base = cut->end >= 0 ? t->base[cut->end] : main_base(t);
    int run = 0;
    for (int b = base; b >= 0; b = t->heavy[b])
        run++;
    cut->nsegment = clv_cut_count(m->nbody, run, most);
    cut->nsplit = cut->nsegment;
    cut->segment_of = clv_alloc((size_t)m->nbody, sizeof(int));
    cut->split = clv_alloc((size_t)cut->nsegment, sizeof(int));
    if (!cut->segment_of || !cut->split)
        return clv_fail(e, CLV_ERR_MEMORY, "out of memory");
    for (int b = 0; b < m->nbody; b++)
        cut->segment_of[b] = -1;
    for (int k = 0; k < cut->nsegment; k++)
        cut->split[k] = -1;
    cut_run(cut, t, base, run);
    cut->root = base;
    st = check_run(cut, t, e);
    if (st != CLV_OK)
        return st;
    for (int i = 0; i < t->at.first[1]; i++) {
        const clv_joint *j = &m->joint[t->at.joint[i]];
        if ((j->a == base || j->b == base) && j->kind != CLV_JOINT_FREE)
            cut->root = -1;
    }
    return assign(cut, t, base, e);
}

clv_status clv_cut_model(clv_cut *cut, const clv_model *m, int most, clv_error *e)
{
    tree t;
    *cut = (clv_cut){.closing = -1, .end = -1, .root = -1};
    const clv_status st = open_tree(&t, m) ? cut_tree(cut, &t, most, e) : clv_fail(e, CLV_ERR_MEMORY, "out of memory");
    close_tree(&t);
    return st;
}

void clv_cut_forget(clv_cut *cut)
{
    clv_free(cut->segment_of), clv_free(cut->cut_at), clv_free(cut->rate);
    cut->segment_of = cut->cut_at = NULL, cut->rate = NULL;
}

void clv_cut_close(clv_cut *cut)
{
    clv_cut_forget(cut);
    clv_free(cut->split), clv_free(cut->border);
    *cut = (clv_cut){0};
}
