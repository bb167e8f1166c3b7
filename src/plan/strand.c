/* SPDX-License-Identifier: Apache-2.0
 * Cuts the spanning tree into strands and lists the edges that hold them together (T4).
 *
 *   o--o--o--[o]--o--o--(closing)      [o] holds an edge: it is the tip of its strand, what lies outboard of it starts
 *         |                            a new strand.  Limbs without any port fold into the body they are attached to.
 *         o--o   limb
 *
 * A long run is cut whether it is a limb or a branch, into eight pieces or more: they become lanes.  In open trees that
 * rows evaluate (T43) a joint between strands costs as much as three links in one lane, so shorter runs are cut too.
 * Where the tree carries loops (T171) it costs more, and a second path beside the first fills lanes already.
 * There a run of several groups of lanes has its pieces in the order of runs.c. */
#include "base/error.h"
#include "model/contact.h"
#include "model/joint.h"
#include "plan/filling.h"
#include "plan/plan.h"

enum { TARGET = 128, LONG_RUN = 256, PIECES = 8, FOUR = 32, EIGHT = 256, FOUR_LOOPS = 48, LEAST_LOOPS = 3 };

typedef struct work {
    clv_plan *p;
    int *height;  /* (nbody) longest path outboard, in bodies                                */
    int *heavy;   /* (nbody) child on that path, or -1                                       */
    char *held;   /* (nbody) an edge other than its inboard joint holds the body             */
    char *live;   /* (nbody) its outboard part holds a port                                  */
    char *edge;   /* (nbody) its inboard tree joint is an edge                               */
    char *branches; /* (nbody) a long path beside the heavy one begins at it                 */
    bool tangents;
    int *nlive;   /* (nbody) live children reached through inner joints                      */
    int *next;    /* (nbody) the next body of its strand, or -1                              */
    int *strand;  /* (nbody) its strand                                                      */
    int *run, *place; /* (nbody) > 0: a piece of this long run begins with the body; see clv_strand */
    int nrun;
} work;

static bool inner(const work *w, int b) /* inboard joint eliminated with a parent body */
{
    const clv_tree_joint *t = &w->p->tree[b];
    return t->parent >= 0 && !t->detached && !w->edge[b] && t->link < 0;
}

static void make_edge(work *w, int b)
{
    w->edge[b] = 1;
    if (w->p->tree[b].parent >= 0)
        w->held[w->p->tree[b].parent] = 1;
}

/* rows a spring or damper takes; 0: none */
static int tangent_rows(const clv_plan *p, const clv_force *f)
{
    bool stiff = clv_force_has_tangent(f);
    double sum = 0; /* of a bushing */
    for (int i = 0; i < 6; i++)
        sum += f->bushing.stiffness[i] + f->bushing.damping[i];
    if (f->kind == CLV_FORCE_CONTACT) /* directions of one point, or of the pair of bodies */
        return clv_contact_rigid(f) ? 0 : clv_contact_points(p->model, f) > 1 ? 6 : 3;
    return f->kind == CLV_FORCE_BUSHING ? (sum > 0 ? 6 : 0)
           : f->kind == CLV_FORCE_SPRING && stiff                    ? 3
           : f->kind == CLV_FORCE_ANGULAR && f->damping != 0       ? 3
           : (f->kind == CLV_FORCE_JOINT || f->kind == CLV_FORCE_TENDON) && stiff ? 1
                                                                   : 0;
}

/* bodies that its rows hold (2 CLV_COUPLING_MOST at most), ground among them; how many */
static int tangent_bodies(const clv_plan *p, const clv_force *f, int *body)
{
    const clv_joint *j = f->kind == CLV_FORCE_JOINT ? &p->model->joint[f->joint] : NULL;
    int n = 0;
    if (f->kind != CLV_FORCE_TENDON) {
        body[0] = j ? j->b : f->b, body[1] = j ? j->a : f->a;
        return 2;
    }
    for (int i = 0; i < f->npoint; i++)
        body[n++] = f->path[i].body;
    for (int i = 0; i < f->nterm; i++) {
        body[n++] = p->model->joint[f->term[i].joint].b;
        body[n++] = p->model->joint[f->term[i].joint].a;
    }
    return n;
}

/* The body whose tree joint a force loads, or -1.  A joint of six degrees of freedom holds nothing: its springs are
 * between bodies. */
static int loaded_child(const clv_plan *p, const clv_force *f)
{
    const int child = f->kind == CLV_FORCE_JOINT ? p->child_of_joint[f->joint] : -1;
    return child >= 0 && p->tree[child].detached ? -1 : child;
}

/* does the inboard joint of the body touch a flexible body? */
static bool touches_star(const clv_model *m, int body, int parent)
{
    return m->body[body].flex >= 0 || (parent >= 0 && m->body[parent].flex >= 0);
}

/* bodies held by closings, couplings; forced edges: joints of flexible bodies, border of a section, or all */
static void mark_ports(work *w, const clv_plan_options *o)
{
    clv_plan *p = w->p;
    const clv_model *m = p->model;
    for (int j = 0; j < m->njoint; j++)
        if (p->closing[j])
            for (int side = 0; side < 2; side++) {
                int b = side ? m->joint[j].b : m->joint[j].a;
                if (b >= 0)
                    w->held[b] = 1;
            }
    for (int k = 0; o->tangents && k < m->nforce; k++) {
        int body[CLV_HANDLES];
        const bool rows = tangent_rows(p, &m->force[k]) > 0 && loaded_child(p, &m->force[k]) < 0;
        const int n = rows ? tangent_bodies(p, &m->force[k], body) : 0;
        for (int i = 0; i < n; i++)
            if (body[i] >= 0)
                w->held[body[i]] = 1;
    }
    for (int k = 0; k < m->ncoupling; k++)
        for (int i = 0; i < m->coupling[k].nterm; i++) {
            int c = p->child_of_joint[m->coupling[k].term[i].joint];
            if (c < 0) /* a closing joint: both bodies are held */
                continue;
            w->held[c] = 1;
            if (p->tree[c].parent >= 0)
                w->held[p->tree[c].parent] = 1;
        }
    for (int k = 0; k < p->nsegment; k++) {
        if (p->segment[k].handle >= 0)
            w->held[p->segment[k].handle] = 1;
        for (int i = 0; i < p->segment[k].nport; i++)
            w->held[p->segment[k].port[i]] = 1;
    }
    for (int b = 0; b < p->nbody; b++) {
        const clv_tree_joint *t = &p->tree[b];
        if (t->detached || t->link >= 0)
            continue;
        int inside = p->section_of[t->parent < 0 ? b : t->parent];
        if (o->edges || inside != p->section_of[b] || touches_star(m, b, t->parent))
            make_edge(w, b);
        w->held[b] |= o->sections && o->carry && inside != p->section_of[b]; /* its rows are carried from its tip */
    }
}

/* Are strands joined by folding alone, in rows (T43)? */
static bool folds_alone(const clv_plan *p, const clv_plan_options *o)
{
    return o->lanes && o->target == 0 && p->nclosing + p->model->ncoupling + p->model->nflex + p->nsegment == 0;
}

/* Groups of lanes that a run of n bodies fills in such a tree. */
static int groups_of(const clv_plan *p, int n, const clv_plan_options *o)
{
    return folds_alone(p, o) && !o->apart && n >= 2 * PIECES * TARGET ? n / (PIECES * TARGET) : 1;
}

/* Into how many pieces a run of n bodies is cut.  Of open trees evaluated in rows, shorter ones too, where the tree has
 * few runs beside them: as many pieces in all as fill four lanes, or eight. */
static int pieces_of(const work *w, int n, const clv_plan_options *o)
{
    const clv_plan *p = w->p;
    const int target = o->target > 0 ? o->target : TARGET, least = o->target > 0 ? o->target + 1 : LONG_RUN;
    int pieces = n < least ? 1 : (n + target - 1) / target;
    if (groups_of(p, n, o) > 1)
        return PIECES * groups_of(p, n, o);
    if (pieces > PIECES || (n >= least && least == LONG_RUN))
        pieces = (pieces + PIECES - 1) / PIECES * PIECES;
    const bool loops = p->nclosing + p->model->ncoupling > 0;
    if (!o->lanes || o->target > 0 || n < (loops ? FOUR_LOOPS : FOUR) || p->model->nflex > 0 ||
        (loops && (!o->carry || o->sections)))
        return pieces;
    const int fill = ((p->nbody < EIGHT ? 4 : PIECES) * n + p->nbody / 2) / p->nbody;
    return fill > pieces && !(loops && fill < LEAST_LOOPS) ? fill : pieces;
}

/* first body of piece k of a run of n bodies: nearly equal pieces; in several groups, equal ones in each of them */
static int begin_of(int k, int pieces, int groups, int n)
{
    if (groups == 1)
        return (int)(((long long)k * n + pieces - 1) / pieces);
    const int lane = k / groups, of = k % groups;
    return (int)((long long)lane * n / PIECES + (long long)of * (n / PIECES) / groups);
}

/* n bodies of a heavy path */
static void cut_section(work *w, int b, int n, const clv_plan_options *o)
{
    const clv_plan *p = w->p;
    const int pieces = pieces_of(w, n, o), groups = groups_of(p, n, o);
    if (groups > 1)
        w->run[b] = ++w->nrun;
    for (int i = 0, k = 0; i < n && pieces > 1; b = w->heavy[b], i++) {
        while (k + 1 < pieces && begin_of(k + 1, pieces, groups, n) <= i)
            k++;
        if (i == 0 || begin_of(k, pieces, groups, n) != i || p->tree[b].link >= 0)
            continue;
        make_edge(w, b);
        if (groups > 1)
            w->run[b] = w->nrun, w->place[b] = k / groups + PIECES * (k % groups);
    }
}

/* The heavy path that begins at a body, n bodies long.  Runs of several groups end where other paths that are cut
 * begin: strands end there in any case. */
static void cut_run(work *w, int b, int n, const clv_plan_options *o)
{
    if (groups_of(w->p, n, o) == 1) {
        cut_section(w, b, n, o);
        return;
    }
    while (b >= 0) {
        int m = 1, end = b;
        for (; w->heavy[end] >= 0 && !w->branches[end]; m++)
            end = w->heavy[end];
        cut_section(w, b, m, o);
        b = w->heavy[end];
        if (b >= 0)
            make_edge(w, b);
    }
}

/* long heavy paths are cut into nearly equal pieces, by default a multiple of eight */
static void cut_long_runs(work *w, const clv_plan_options *o)
{
    clv_plan *p = w->p;
    for (int i = p->nbody - 1; i >= 0; i--) {
        int b = p->order[i], parent = p->tree[b].parent;
        w->height[b] += 1;
        if (parent >= 0 && !p->tree[b].detached && w->height[b] > w->height[parent])
            w->height[parent] = w->height[b], w->heavy[parent] = b;
    }
    for (int b = 0; b < p->nbody; b++) {
        const int parent = p->tree[b].parent;
        if (parent >= 0 && !p->tree[b].detached && w->heavy[parent] != b && w->height[b] >= LONG_RUN)
            w->branches[parent] = 1;
    }
    for (int i = 0; i < p->nbody; i++) {
        int b = p->order[i], parent = p->tree[b].parent;
        if (parent < 0 || p->tree[b].detached || w->heavy[parent] != b)
            cut_run(w, b, w->height[b], o);
    }
}

/* a held body ends its strand; so does a body with two live children */
static void find_live(work *w)
{
    clv_plan *p = w->p;
    for (int i = p->nbody - 1; i >= 0; i--) {
        int b = p->order[i];
        w->live[b] |= w->held[b];
        if (inner(w, b) && w->live[b])
            w->live[p->tree[b].parent] = 1, w->nlive[p->tree[b].parent]++;
    }
    for (int i = 0; i < p->nbody; i++) {
        int b = p->order[i], a = p->tree[b].parent;
        if (inner(w, b) && w->live[b] && (w->held[a] || w->nlive[a] >= 2))
            make_edge(w, b);
    }
    /* a body that lost its live children to edges is now held: mark its tip */
}

static void link_strands(work *w)
{
    clv_plan *p = w->p;
    for (int b = 0; b < p->nbody; b++)
        w->next[b] = -1;
    /* live bodies continue along their live child; limbs along their longest child */
    for (int i = 0; i < p->nbody; i++) {
        int b = p->order[i], a = p->tree[b].parent;
        if (!inner(w, b))
            continue;
        if (w->live[b] || (!w->live[a] && w->heavy[a] == b))
            w->next[a] = b;
    }
}

static void list_strands(work *w)
{
    clv_plan *p = w->p;
    int filled = 0;
    for (int i = 0; i < p->nbody; i++) {
        int b = p->order[i], a = p->tree[b].parent;
        if ((inner(w, b) && w->next[a] == b) || p->model->body[b].flex >= 0)
            continue; /* not a base, or in a star */
        int k = p->nstrand++;
        clv_strand *s = &p->strand[k];
        s->first = filled, s->part = s->after = -1;
        for (int c = b; c >= 0; c = w->next[c]) {
            p->bodies[filled++] = c, w->strand[c] = k;
            if (w->run[c] > 0)
                s->run = w->run[c], s->place = w->place[c];
        }
        s->length = filled - s->first;
        s->base = inner(w, b) ? CLV_BASE_FOLD
                  : p->tree[b].detached || w->edge[b] ? CLV_BASE_FREE : CLV_BASE_GROUND;
        s->base_port = w->edge[b];
        s->tip_port = w->held[p->bodies[filled - 1]];
        s->on_star = a >= 0 && p->model->body[a].flex >= 0 &&
                     !(p->nsection > 0 && p->section_of[a] != p->section_of[b]);
        if (s->base_port || s->tip_port)
            p->nbranch++;
        else
            p->nlimb++;
    }
    for (int k = p->nstrand - 1; k >= 0; k--) { /* outboard strands have higher numbers */
        clv_strand *s = &p->strand[k];
        int base = p->bodies[s->first];
        p->fold_slot[k] = -1;
        if (s->base != CLV_BASE_FOLD)
            continue;
        clv_strand *in = &p->strand[w->strand[p->tree[base].parent]];
        if (in->level <= s->level)
            in->level = s->level + 1;
    }
}

/* Pieces of a run stand side by side, so they have one level.  They fold into nothing: others stay above them. */
static void level_runs(work *w)
{
    clv_plan *p = w->p;
    int *level = w->height; /* (nrun + 1) heights are not needed any more */
    for (int r = 0; r <= w->nrun; r++)
        level[r] = 0;
    for (int k = 0; k < p->nstrand; k++)
        if (p->strand[k].run > 0 && p->strand[k].level > level[p->strand[k].run])
            level[p->strand[k].run] = p->strand[k].level;
    for (int k = 0; k < p->nstrand; k++) {
        clv_strand *s = &p->strand[k];
        if (s->run > 0 && s->base == CLV_BASE_FOLD)
            s->run = 0;
        if (s->run > 0)
            s->level = level[s->run];
    }
}

static void add_handle(clv_plan *p, clv_edge *e, int body)
{
    if (body < 0)
        return;
    for (int h = 0; h < e->nhandle; h++)
        if (e->body[h] == body)
            return;
    e->body[e->nhandle] = body;
    e->block[e->nhandle] = p->nblock;
    e->nhandle++, p->nhandle++;
    if (p->most_handles < e->nhandle)
        p->most_handles = e->nhandle;
    p->nblock += 6 * e->m;
}

static clv_edge *put_edge(clv_plan *p, int at, int m, int row)
{
    clv_edge *e = &p->edge[at];
    e->joint = e->coupling = e->tree_body = e->motion = e->force = e->node = -1;
    e->yields = 0, e->idle = 0;
    e->m = m, e->row = row;
    e->handle = p->nhandle, e->body = p->handles + p->nhandle, e->block = e->body + p->handle_room;
    return e;
}

static clv_edge *new_edge(clv_plan *p, int m)
{
    clv_edge *e = put_edge(p, p->nedge++, m, p->nsigma);
    p->nsigma += m;
    return e;
}

/* ports of segments (T160), behind all other edges */
static void list_ports(clv_plan *p)
{
    for (int k = 0; k < p->nsegment; k++)
        for (int i = 0; i < p->segment[k].nport; i++, p->nport++)
            add_handle(p, put_edge(p, p->nedge + p->nport, 6, p->nsigma + 6 * p->nport), p->segment[k].port[i]);
}

static size_t count_ports(const clv_plan *p)
{
    size_t n = 0;
    for (int k = 0; k < p->nsegment; k++)
        n += (size_t)p->segment[k].nport;
    return n;
}

static void add_tangent(clv_plan *p, int force)
{
    const clv_force *f = &p->model->force[force];
    int body[CLV_HANDLES], m = tangent_rows(p, f);
    if (m == 0)
        return;
    clv_edge *e = new_edge(p, m);
    e->force = force, e->yields = m;
    for (int i = 0, n = tangent_bodies(p, f, body); i < n; i++)
        add_handle(p, e, body[i]);
}

/* Springs between bodies and in joints that close loops; then, where strands meet in nodes, in joints between them.
 * Others are eliminated with the joint. */
static void list_tangents(work *w)
{
    clv_plan *p = w->p;
    for (int between = 0; between < 2; between++)
        for (int k = 0; w->tangents && k < p->model->nforce; k++) {
            const int child = loaded_child(p, &p->model->force[k]);
            if ((child >= 0) == between && (child < 0 || (w->edge[child] && p->nsigma > 0)))
                add_tangent(p, k);
        }
    p->ntangent_row = p->nsigma - p->nclosing_row;
}

/* closings first, so that their sigma come first */
static void list_edges(work *w)
{
    clv_plan *p = w->p;
    const clv_model *m = p->model;
    for (int j = 0; j < m->njoint; j++)
        p->edge_of_joint[j] = -1;
    for (int k = 0; k < m->nmotion; k++) /* for now: -2 - motion */
        if (p->closing[m->motion[k].joint])
            p->edge_of_joint[m->motion[k].joint] = -2 - k;
    for (int j = 0; j < m->njoint; j++)
        if (p->closing[j]) {
            int motion = p->edge_of_joint[j] < -1 ? -2 - p->edge_of_joint[j] : -1;
            clv_edge *e = new_edge(p, clv_joint_table[m->joint[j].kind].nc + (motion >= 0));
            p->edge_of_joint[j] = p->nedge - 1;
            e->joint = j, e->motion = motion;
            add_handle(p, e, m->joint[j].b);
            add_handle(p, e, m->joint[j].a);
        }
    for (int k = 0; k < m->ncoupling; k++) {
        clv_edge *e = new_edge(p, 1);
        e->coupling = k;
        for (int i = 0; i < m->coupling[k].nterm; i++) {
            int j = m->coupling[k].term[i].joint, c = p->child_of_joint[j];
            add_handle(p, e, c < 0 ? m->joint[j].b : c);
            add_handle(p, e, c < 0 ? m->joint[j].a : p->tree[c].parent);
        }
    }
    p->nclosing_row = p->nsigma;
    list_tangents(w);
    for (int i = 0; i < p->nbody; i++) {
        int b = p->order[i];
        if (!w->edge[b])
            continue;
        const clv_tree_joint *t = &p->tree[b];
        const int rotors = t->joint >= 0 && clv_joint_armed(&p->model->joint[t->joint]) ? t->f : 0;
        clv_edge *e = new_edge(p, 6 - t->f + rotors);
        e->joint = t->joint, e->tree_body = b, e->yields = rotors;
        add_handle(p, e, b);
        add_handle(p, e, p->tree[b].parent);
        p->tree[b].edge = p->nedge - 1;
    }
    list_ports(p);
}

clv_status clv_plan_strands(clv_plan *p, const clv_plan_options *o, clv_error *e)
{
    size_t n = (size_t)p->nbody + 1;
    work w = {.p = p, .tangents = o->tangents};
    w.height = clv_alloc(n, sizeof(int)), w.heavy = clv_alloc(n, sizeof(int)), w.nlive = clv_alloc(n, sizeof(int));
    w.next = clv_alloc(n, sizeof(int)), w.strand = clv_alloc(n, sizeof(int));
    w.run = clv_alloc(n, sizeof(int)), w.place = clv_alloc(n, sizeof(int));
    w.held = clv_alloc(n, 1), w.live = clv_alloc(n, 1), w.edge = clv_alloc(n, 1);
    w.branches = clv_alloc(n, 1);
    size_t nedge = n + (size_t)p->model->njoint + (size_t)p->model->ncoupling + (size_t)p->model->nforce +
                   count_ports(p);
    p->handle_room = 2 * (int)nedge;
    for (int k = 0; k < p->model->ncoupling; k++)
        p->handle_room += 2 * (p->model->coupling[k].nterm - 1);
    for (int k = 0; k < p->model->nforce; k++)
        p->handle_room += p->model->force[k].npoint + 2 * p->model->force[k].nterm;
    p->edge = clv_alloc(nedge, sizeof *p->edge), p->handles = clv_alloc(2 * (size_t)p->handle_room, sizeof(int));
    clv_status st = CLV_OK;
    if (w.height && w.heavy && w.nlive && w.next && w.strand && w.run && w.place && w.held && w.live && w.edge &&
        w.branches && p->edge && p->handles) {
        for (int b = 0; b < p->nbody; b++)
            w.heavy[b] = -1;
        mark_ports(&w, o);
        cut_long_runs(&w, o);
        find_live(&w);
        link_strands(&w);
        if (clv_filling_chosen(p, o) && !clv_plan_limbs(p, w.edge, w.live, w.next))
            st = clv_fail(e, CLV_ERR_MEMORY, "out of memory while planning");
        list_strands(&w);
        level_runs(&w);
        list_edges(&w);
        for (int b = 0; b < p->nbody; b++)
            /* strand for now (stars follow ground); clv_plan_groups turns it into a slot */
            p->slot[b] = p->model->body[b].flex < 0 ? w.strand[b] : p->nstrand + 1 + p->model->body[b].flex;
    } else
        st = clv_fail(e, CLV_ERR_MEMORY, "out of memory while planning");
    clv_free(w.height), clv_free(w.heavy), clv_free(w.nlive), clv_free(w.next), clv_free(w.strand), clv_free(w.run),
        clv_free(w.place);
    clv_free(w.held), clv_free(w.live), clv_free(w.edge), clv_free(w.branches);
    return st;
}
