/* SPDX-License-Identifier: Apache-2.0
 * Spanning tree of the joint graph (T3).  Prim's algorithm over the key (class, depth, joint).  First come joints whose
 * coordinates are needed, then joints whose coordinates the start gives, then short paths to ground, so that loops are
 * cut in their middle and digits stay.  A joint may be traversed from b to a: it is then `reversed`.  `cut: true` is
 * always obeyed; bodies left alone get a free joint.
 *
 * Loads can act in loop joints, motions, couplings and rotors cannot.  If one of these has found no place in the tree,
 * it is grown once more with their joints before the loaded ones.
 *
 * `deep`: of one class the longest path first.  Loops of a long row of cells are then closed between neighbours. */
#include "base/error.h"
#include "model/joint.h"
#include "plan/plan.h"

enum {
    CLASS_SECTION_FIRST,
    CLASS_SECTION_KEEP,
    CLASS_SECTION,
    CLASS_FIRST,
    CLASS_KEEP,
    CLASS_GIVEN,
    CLASS_PLAIN,
    CLASS_FREE
};

typedef struct candidate {
    int class, depth, joint, from; /* from: body already in the tree, or -1 for ground */
} candidate;

typedef struct search {
    clv_plan *p;
    bool deep;        /* long paths before short ones               */
    bool sections;    /* joints inside a user's branch come first */
    bool strict;      /* joints that must be in the tree come before loaded ones */
    char *keep;       /* (njoint) its coordinates are needed: 1 by loads, 2 it must be in the tree */
    int *start, *adj; /* joints of a body; vertex nbody is ground   */
    int *depth;       /* (nbody) -1: not reached                    */
    candidate *heap;
    int nheap;
} search;

static bool before(const candidate *x, const candidate *y)
{
    if (x->class != y->class)
        return x->class < y->class;
    if (x->depth != y->depth)
        return x->depth < y->depth;
    return x->joint < y->joint;
}

static void heap_push(search *s, candidate c)
{
    int i = s->nheap++;
    for (; i > 0 && before(&c, &s->heap[(i - 1) / 2]); i = (i - 1) / 2)
        s->heap[i] = s->heap[(i - 1) / 2];
    s->heap[i] = c;
}

static candidate heap_pop(search *s)
{
    candidate top = s->heap[0], last = s->heap[--s->nheap];
    int i = 0;
    for (;;) {
        int c = 2 * i + 1;
        if (c >= s->nheap)
            break;
        if (c + 1 < s->nheap && before(&s->heap[c + 1], &s->heap[c]))
            c++;
        if (!before(&s->heap[c], &last))
            break;
        s->heap[i] = s->heap[c];
        i = c;
    }
    s->heap[i] = last;
    return top;
}

/* offers every usable joint of a body just reached (-1: ground) */
static void offer(search *s, int body)
{
    const clv_model *m = s->p->model;
    int v = body < 0 ? m->nbody : body, depth = body < 0 ? 0 : s->depth[body];
    for (int k = s->start[v]; k < s->start[v + 1]; k++) {
        int j = s->adj[k];
        const clv_joint *jt = &m->joint[j];
        int other = jt->a == body ? jt->b : jt->a;
        if (other < 0 || s->depth[other] >= 0 || jt->cut == 1 || jt->absent || !clv_joint_table[jt->kind].tree)
            continue;
        bool section = s->sections && body >= 0 && jt->kind != CLV_JOINT_FREE && m->body[body].branch >= 0 &&
                       m->body[body].branch == m->body[other].branch;
        const bool first = s->strict && s->keep[j] == 2;
        int class = section                      ? first ? CLASS_SECTION_FIRST
                                                   : s->keep[j] ? CLASS_SECTION_KEEP
                                                                : CLASS_SECTION
                    : first                      ? CLASS_FIRST
                    : s->keep[j]                 ? CLASS_KEEP
                    : jt->kind == CLV_JOINT_FREE ? CLASS_FREE
                    : jt->has_q || jt->has_u     ? CLASS_GIVEN
                                                 : CLASS_PLAIN;
        heap_push(s, (candidate){class, s->deep ? -depth : depth, j, body});
    }
}

/* Puts a body into the tree: by a joint, by a link of a flexible body, or (neither) by an implicit free joint. */
static void put(search *s, int body, int parent, int joint, int link)
{
    clv_plan *p = s->p;
    clv_tree_joint *t = &p->tree[body];
    t->joint = joint, t->parent = parent, t->edge = -1, t->motion = -1, t->link = link;
    t->kind = link >= 0 ? CLV_JOINT_FIXED : joint < 0 ? CLV_JOINT_FREE : p->model->joint[joint].kind;
    t->reversed = joint >= 0 && p->model->joint[joint].a == body;
    t->detached = t->kind == CLV_JOINT_FREE;
    t->nq = clv_joint_table[t->kind].nq, t->nu = clv_joint_table[t->kind].nu;
    s->depth[body] = parent < 0 ? 1 : s->depth[parent] + 1;
    p->order[p->nbody++] = body;
    if (joint >= 0)
        p->child_of_joint[joint] = body;
    offer(s, body);
}

/* A flexible body is entered once: the rest of it is attached by links, the frame first. */
static void attach(search *s, int body, int parent, int joint)
{
    put(s, body, parent, joint, -1);
    int k = s->p->model->body[body].flex;
    if (k < 0)
        return;
    const clv_flex *f = &s->p->model->flex[k];
    s->p->star[k].entry = body;
    if (body != f->body)
        put(s, f->body, body, -1, k);
    for (int i = 0; i < f->nnode; i++)
        if (f->node[i].body != body)
            put(s, f->node[i].body, f->body, -1, k);
}

static void grow(search *s)
{
    const clv_model *m = s->p->model;
    offer(s, CLV_GROUND);
    for (int root = 0;;) {
        while (s->nheap > 0) {
            candidate c = heap_pop(s);
            const clv_joint *jt = &m->joint[c.joint];
            int other = jt->a == c.from ? jt->b : jt->a;
            if (s->depth[other] < 0)
                attach(s, other, c.from, c.joint);
        }
        while (root < m->nbody && s->depth[root] >= 0)
            root++;
        if (root == m->nbody)
            return;
        attach(s, root, CLV_GROUND, -1);
    }
}

static void adjacency(search *s)
{
    const clv_model *m = s->p->model;
    for (int j = 0; j < m->njoint; j++) {
        s->start[(m->joint[j].a < 0 ? m->nbody : m->joint[j].a) + 1]++;
        s->start[(m->joint[j].b < 0 ? m->nbody : m->joint[j].b) + 1]++;
    }
    for (int v = 0; v <= m->nbody; v++)
        s->start[v + 1] += s->start[v];
    for (int j = m->njoint - 1; j >= 0; j--)
        for (int side = 0; side < 2; side++) {
            int b = side ? m->joint[j].b : m->joint[j].a;
            int v = b < 0 ? m->nbody : b;
            s->adj[--s->start[v + 1]] = j;
        }
    /* start[v+1] has moved to the first entry of v: move back by one */
    for (int v = 0; v <= m->nbody; v++)
        s->start[v] = s->start[v + 1];
    s->start[m->nbody + 1] = 2 * m->njoint;
}

/* modal coordinates follow the joint degrees of freedom of the frame */
static void number_modes(clv_plan *p, int k)
{
    clv_star *s = &p->star[k];
    s->frame = p->model->flex[k].body, s->nmode = p->model->flex[k].nmode;
    s->iq = p->nq, s->iu = p->nu;
    p->nq += s->nmode, p->nu += s->nmode;
}

/* Rotors of joints that close loops are refused (T113); those of others are listed. */
static clv_status list_armed(clv_plan *p, clv_error *e)
{
    const clv_model *m = p->model;
    p->narmed = 0;
    for (int j = 0; j < m->njoint; j++)
        if (clv_joint_armed(&m->joint[j]) && p->child_of_joint[j] < 0 && !m->joint[j].absent) {
            clv_fail(e, CLV_ERR_UNSUPPORTED, "joint '%s' has an armature, and must be a loop joint", m->joint[j].name);
            clv_error_locate(e, "joints", m->joint[j].name, "armature");
            clv_error_hint(e, "set 'cut: true' on a joint of this loop without armature, or make the rotor a body");
            return e->code;
        }
    for (int i = 0; i < p->nbody; i++) {
        const int j = p->tree[p->order[i]].joint;
        if (j >= 0 && clv_joint_armed(&m->joint[j]))
            p->armed[p->narmed++] = p->order[i];
    }
    return CLV_OK;
}

/* Refuses what needs a coordinate that is not there. */
static clv_status need_coordinates(clv_plan *p, clv_error *e)
{
    const clv_model *m = p->model;
    for (int k = 0; k < m->nmotion; k++) {
        int j = m->motion[k].joint, b = p->child_of_joint[j];
        if (b < 0) {
            clv_fail(e, CLV_ERR_UNSUPPORTED, "motion '%s' drives joint '%s', which must be a loop joint",
                     m->motion[k].name, m->joint[j].name);
            clv_error_locate(e, "motions", m->motion[k].name, "joint");
            clv_error_text(e->joint, sizeof e->joint, m->joint[j].name);
            clv_error_hint(e, "set 'cut: true' on another joint of this loop, or 'cut: false' on this one");
            return e->code;
        }
        p->tree[b].motion = k;
    }
    for (int k = 0; k < m->ncoupling; k++)
        for (int i = m->coupling[k].nterm - 1; i >= 0; i--) {
            int j = m->coupling[k].term[i].joint;
            if (p->child_of_joint[j] < 0) {
                clv_fail(e, CLV_ERR_UNSUPPORTED, "coupling '%s' uses joint '%s', which must be a loop joint",
                         m->coupling[k].name, m->joint[j].name);
                clv_error_locate(e, "couplings", m->coupling[k].name,
                                 m->coupling[k].sum ? "of" : i == 0 ? "second" : "first");
                clv_error_text(e->joint, sizeof e->joint, m->joint[j].name);
                clv_error_hint(e, "set 'cut: true' on another joint of this loop");
                return e->code;
            }
        }
    return CLV_OK;
}

/* closing joints: those that are not in the tree; one that holds nothing has no rows, but may carry a load */
static void count_closings(clv_plan *p)
{
    const clv_model *m = p->model;
    p->nclosing = 0;
    for (int j = 0; j < m->njoint; j++) {
        p->closing[j] = p->child_of_joint[j] < 0 && !m->joint[j].absent;
        p->nclosing += p->closing[j];
    }
}

/* Degrees of freedom, offsets of the state. */
static void number_states(clv_plan *p)
{
    p->nq = p->nu = 0;
    for (int i = 0; i < p->nbody; i++) {
        clv_tree_joint *t = &p->tree[p->order[i]];
        t->f = t->motion >= 0 ? 0 : t->nu;
        t->iq = t->motion >= 0 ? -1 : p->nq;
        t->iu = t->motion >= 0 ? -1 : p->nu;
        p->nq += t->motion >= 0 ? 0 : t->nq;
        p->nu += t->f;
        const clv_body *b = &p->model->body[p->order[i]];
        if (b->flex >= 0 && b->node < 0)
            number_modes(p, b->flex);
    }
    for (int b = 0; b < p->nbody; b++) {
        p->tree[b].ih = p->nh, p->nh += p->tree[b].nu, p->tree[b].ic = p->nc, p->nc += p->tree[b].nq;
        p->tree[b].im = p->nlink, p->nlink += clv_nmode(p, (size_t)b);
    }
}

/* Absolute plans: the tree has shown the loops and is given up; all bodies float, in model order. */
static void let_float(search *s)
{
    clv_plan *p = s->p;
    int n = p->nbody;
    for (int j = 0; j < p->model->njoint; j++)
        p->child_of_joint[j] = -1;
    p->nbody = 0;
    for (int b = 0; b < n; b++)
        if (p->model->body[b].node < 0) /* nodes stay on their frame */
            attach(s, b, CLV_GROUND, -1);
}

static void mark_kept(search *s)
{
    const clv_model *m = s->p->model;
    for (int j = 0; j < m->njoint; j++)
        s->keep[j] = m->joint[j].cut == 0 ? 2 : 0;
    for (int k = 0; k < m->nforce; k++)
        if (m->force[k].kind == CLV_FORCE_JOINT && s->keep[m->force[k].joint] == 0)
            s->keep[m->force[k].joint] = 1;
    for (int k = 0; k < m->nforce; k++)
        for (int i = 0; i < m->force[k].nterm; i++)
            if (s->keep[m->force[k].term[i].joint] == 0)
                s->keep[m->force[k].term[i].joint] = 1;
    for (int k = 0; k < m->ninput; k++)
        if (m->input[k].kind == CLV_INPUT_JOINT && s->keep[m->input[k].joint] == 0)
            s->keep[m->input[k].joint] = 1;
    for (int k = 0; k < m->nmotion; k++)
        s->keep[m->motion[k].joint] = 2;
    for (int k = 0; k < m->ncoupling; k++)
        for (int i = 0; i < m->coupling[k].nterm; i++)
            s->keep[m->coupling[k].term[i].joint] = 2;
    for (int j = 0; j < m->njoint; j++)
        if (clv_joint_armed(&m->joint[j]))
            s->keep[j] = 2;
}

/* Is a joint not in the tree that a motion, a coupling, a rotor or `cut: false` requires there? */
static bool any_left_out(const search *s)
{
    const clv_model *m = s->p->model;
    for (int j = 0; j < m->njoint; j++)
        if (s->keep[j] == 2 && s->p->child_of_joint[j] < 0 && m->joint[j].cut != 1 && !m->joint[j].absent &&
            clv_joint_table[m->joint[j].kind].tree)
            return true;
    return false;
}

static void grow_anew(search *s)
{
    clv_plan *p = s->p;
    for (int j = 0; j < p->model->njoint; j++)
        p->child_of_joint[j] = -1;
    for (int b = 0; b < p->model->nbody; b++)
        s->depth[b] = -1;
    p->nbody = 0, s->nheap = 0;
    grow(s);
}

clv_status clv_plan_graph(clv_plan *p, const clv_plan_options *o, clv_error *e)
{
    const clv_model *m = p->model;
    search s = {.p = p, .sections = o->sections, .deep = o->deep};
    s.keep = clv_alloc((size_t)m->njoint + 1, 1);
    s.start = clv_alloc((size_t)m->nbody + 2, sizeof(int));
    s.adj = clv_alloc(2 * (size_t)m->njoint + 1, sizeof(int));
    s.depth = clv_alloc((size_t)m->nbody + 1, sizeof(int));
    s.heap = clv_alloc(2 * (size_t)m->njoint + 1, sizeof(candidate));
    clv_status st = CLV_ERR_MEMORY;
    if (s.keep && s.start && s.adj && s.depth && s.heap) {
        mark_kept(&s);
        adjacency(&s);
        grow_anew(&s);
        if (!p->absolute && any_left_out(&s))
            s.strict = true, grow_anew(&s);
        st = p->absolute ? CLV_OK : need_coordinates(p, e);
        if (st == CLV_OK && !p->absolute)
            st = list_armed(p, e);
        for (int j = 0; j < m->njoint; j++)
            p->nloop += p->child_of_joint[j] < 0 && !m->joint[j].absent && clv_joint_table[m->joint[j].kind].nc > 0;
        if (p->absolute)
            let_float(&s);
        count_closings(p);
        number_states(p);
    } else
        clv_fail(e, st, "out of memory while planning");
    clv_free(s.keep), clv_free(s.start), clv_free(s.adj), clv_free(s.depth), clv_free(s.heap);
    return st;
}
