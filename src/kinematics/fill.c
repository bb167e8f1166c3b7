/* SPDX-License-Identifier: Apache-2.0
 * From poses to the engine's equations (T2, T3, T5): inertias, free directions and duals,
 * blocks and scales of edges. */
#include <float.h>
#include <math.h>
#include "kinematics/closing_pack.h"
#include "kinematics/deform.h"
#include "kinematics/place.h"
#include "model/coupling.h"

/* about the reference point, from Jc */
static void shift_inertia(const clv_kinematics *k, size_t body, double I[21])
{
    double l[3];
    clv_sub3(l, k->com + 3 * body, k->ref + 3 * body);
    clv_inertia_rigid(I, k->plan->model->body[body].mass, l, k->Jc + 6 * body);
}

const double *clv_kinematics_inertia(const clv_kinematics *k, size_t body, double room[21])
{
    if (k->engine->mass)
        return k->engine->mass + 21 * body;
    shift_inertia(k, body, room);
    return room;
}

/* about its centre of mass */
static void central_inertia(clv_kinematics *k, int body)
{
    const clv_body *b = &k->plan->model->body[body];
    const double *R = k->R + 9 * (size_t)body;
    double J[9] = {b->J[0], b->J[3], b->J[4], b->J[3], b->J[1], b->J[5], b->J[4], b->J[5], b->J[2]}, RJ[9];
    double *Jc = k->Jc + 6 * (size_t)body;
    clv_mat3_product(RJ, R, J);
    static const int row[6] = {0, 0, 0, 1, 1, 2}, col[6] = {0, 1, 2, 1, 2, 2};
    for (int i = 0; i < 6; i++)
        Jc[i] = clv_dot3(RJ + 3 * row[i], R + 3 * col[i]);
}

static void body_inertia(clv_kinematics *k, int body)
{
    central_inertia(k, body);
    if (k->engine->mass)
        shift_inertia(k, (size_t)body, k->engine->mass + 21 * (size_t)body);
}

void clv_kinematics_opened(clv_kinematics *k)
{
    for (int b = 0; b < k->plan->nbody; b++) {
        shift_inertia(k, (size_t)b, k->engine->mass + 21 * (size_t)b);
        clv_engine_body(k->engine, b);
    }
}

static void reverse_wrench(double *D, int n, const double d[3])
{
    for (int c = 0; c < n; c++) {
        double x[3];
        clv_cross(x, d, D + 6 * c);
        for (int i = 0; i < 3; i++)
            D[6 * c + 3 + i] = -(D[6 * c + 3 + i] + x[i]), D[6 * c + i] = -D[6 * c + i];
    }
}

/* wrench directions at O moved to the reference point of `body`, times sign */
static void move_block(const clv_kinematics *k, double *to, int body, const double O[3], const double *D, int m,
                       double sign)
{
    double l[3];
    clv_sub3(l, O, k->ref + 3 * (size_t)body);
    for (int c = 0; c < m; c++) {
        double S[6];
        clv_wrench_shift(S, l, D + 6 * c);
        for (int i = 0; i < 6; i++)
            to[6 * c + i] = sign * S[i];
    }
}

/* block of the handle of a joint whose body is `body` */
static void put_block(clv_kinematics *k, int edge, int body, const double O[3], const double *D, int m, double sign)
{
    const clv_edge *e = &k->plan->edge[edge];
    for (int h = 0; h < e->nhandle; h++)
        if (e->body[h] == body)
            move_block(k, k->engine->block + e->block[h], body, O, D, m, sign);
}

/* the same of a row of a coupling, whose joints may hold the same body: added */
static void add_row(clv_kinematics *k, int edge, int body, const double O[3], const double *D, double sign)
{
    const clv_edge *e = &k->plan->edge[edge];
    for (int h = 0; h < e->nhandle; h++)
        if (e->body[h] == body) {
            double S[6];
            move_block(k, S, body, O, D, 1, sign);
            clv_add6(k->engine->block + e->block[h], S);
        }
}

/* couplings and tangent rows are added to */
static void clear_blocks(clv_kinematics *k)
{
    for (int i = 0; i < k->plan->nedge; i++) {
        const clv_edge *e = &k->plan->edge[i];
        for (int h = 0; (e->coupling >= 0 || e->force >= 0) && h < e->nhandle; h++)
            memset(k->engine->block + e->block[h], 0, 6 * (size_t)e->m * sizeof(double));
    }
}

/* |f|^2 / m + |moment about the centre of mass|^2 / J of every row, added; a node has no mass: the frame's is taken */
static void add_compliance(const clv_kinematics *k, int body, const double *block, int m, double *s)
{
    const clv_model *model = k->plan->model;
    const int flex = model->body[body].flex, held = flex < 0 ? body : model->flex[flex].body;
    const clv_body *b = &model->body[held];
    const double J = (b->J[0] + b->J[1] + b->J[2]) / 3;
    const double moves = b->mass >= DBL_MIN ? 1 / b->mass : 0, turns = J >= DBL_MIN ? 1 / J : 0;
    double l[3];
    clv_sub3(l, k->ref + 3 * (size_t)body, k->com + 3 * (size_t)held);
    for (int c = 0; c < m; c++) {
        const double *f = block + 6 * c;
        double n[3];
        clv_cross(n, l, f);
        for (int i = 0; i < 3; i++)
            n[i] += f[3 + i];
        s[c] += clv_dot3(f, f) * moves + clv_dot3(n, n) * turns;
    }
}

/* compliance the rows would have if the held bodies were free */
static void edge_scale(clv_kinematics *k, int edge)
{
    const clv_edge *e = &k->plan->edge[edge];
    double *s = k->engine->scale + e->row;
    memset(s, 0, (size_t)e->m * sizeof(double));
    for (int h = 0; h < e->nhandle; h++)
        add_compliance(k, e->body[h], k->engine->block + e->block[h], e->m, s);
    for (int c = 0; c < e->m; c++)
        s[c] = s[c] > 0 ? sqrt(s[c]) : 1.0;
}

/* H, G and constrained directions D (6 x (6 - nu)) of an inboard joint, at its point on the child */
static void directions(clv_kinematics *k, int body, double D[36])
{
    const clv_plan *p = k->plan;
    const clv_tree_joint *t = &p->tree[body];
    const clv_joint *j = clv_tree_joint_of(p, body);
    clv_joint_place at;
    double *H = k->H + clv_columns(p, (size_t)body), *G = k->G + clv_columns(p, (size_t)body);
    clv_place_of(k, body, &at);
    clv_joint_table[t->kind].basis(j, &at, H, D);
    clv_joint_dual(j, H, G);
    if (!t->reversed)
        return;
    clv_reverse_motion(H, t->nu, at.d);
    reverse_wrench(G, t->nu, at.d);
    reverse_wrench(D, 6 - t->nu, at.d);
}

void clv_kinematics_body_directions(clv_kinematics *k, int body)
{
    double D[36] = {0};
    directions(k, body, D);
}

/* blocks of a tree joint that is an edge; D: its constrained directions */
static void fill_tree_edge(clv_kinematics *k, int body, double D[36])
{
    const clv_plan *p = k->plan;
    const clv_tree_joint *t = &p->tree[body];
    const double *G = k->G + clv_columns(p, (size_t)body);
    int nc = 6 - t->nu;
    if (t->f == 0 && t->nu > 0) /* prescribed: the free directions are held as well */
        memcpy(D + 6 * nc, G, 6 * (size_t)t->nu * sizeof(double)), nc += t->nu;
    for (int c = 0; c < p->edge[t->edge].yields; c++, nc++) { /* rotors (T113): eps is 1 */
        const double root = sqrt(clv_armature_of(p, body, c));
        for (int i = 0; i < 6; i++)
            D[6 * nc + i] = root * G[6 * c + i];
    }
    const double *O = k->ref + 3 * (size_t)body;
    put_block(k, t->edge, body, O, D, nc, 1.0);
    if (t->parent >= 0)
        put_block(k, t->edge, t->parent, O, D, nc, -1.0);
}

static void fill_tree_joint(clv_kinematics *k, int body)
{
    double D[36] = {0};
    directions(k, body, D);
    for (int c = 0; c < k->plan->tree[body].f && k->plan->narmed > 0; c++)
        k->engine->resist[k->plan->tree[body].ih + c] = clv_armature_of(k->plan, body, c);
    if (!k->apart)
        clv_engine_body(k->engine, body);
    if (k->plan->tree[body].edge >= 0)
        fill_tree_edge(k, body, D);
}

static void fill_coupling(clv_kinematics *k, int edge)
{
    const clv_plan *p = k->plan;
    const clv_coupling *c = &p->model->coupling[p->edge[edge].coupling];
    for (int i = 0; i < c->nterm; i++) {
        clv_pair pair = clv_joint_pair(k, c->term[i].joint);
        double f[3];
        const double q = clv_coupling_curved(c, i) ? clv_kinematics_coordinate(k, c->term[i].joint, 0) : 0;
        clv_coupling_term_at(c, i, q, f);
        if (pair.b >= 0)
            add_row(k, edge, pair.b, pair.O, pair.G, f[1]);
        if (pair.a >= 0)
            add_row(k, edge, pair.a, pair.O, pair.G, -f[1]);
    }
}

static void fill_closing(clv_kinematics *k, int edge)
{
    const clv_edge *e = &k->plan->edge[edge];
    const clv_joint *j = &k->plan->model->joint[e->joint];
    double O[3], Oa[3], *D = k->D + 36 * (size_t)edge;
    clv_joint_table[j->kind].basis(j, &k->closing[edge], k->cut_H + 36 * (size_t)edge, D);
    for (int r = 0; clv_holds_point(j->kind) && r < 3; r++)
        for (int i = 0; i < 6; i++)
            D[6 * r + i] = i == r;
    if (e->motion >= 0) /* the row of the prescribed rate */
        clv_joint_dual(j, k->cut_H + 36 * (size_t)edge, D + 6 * (e->m - 1));
    clv_closing_point(k, j, O);
    clv_closing_point_a(k, j, edge, O, Oa);
    if (j->b >= 0)
        put_block(k, edge, j->b, O, D, e->m, 1.0);
    if (j->a >= 0)
        put_block(k, edge, j->a, Oa, D, e->m, -1.0);
}

void clv_kinematics_fill_body(clv_kinematics *k, int body)
{
    body_inertia(k, body);
    if (k->plan->tree[body].link < 0)
        fill_tree_joint(k, body);
}

static void fill_closing_of(void *of, int edge)
{
    clv_kinematics *k = of;
    if (!clv_kinematics_leaves(k, edge) && k->plan->edge[edge].coupling < 0 && clv_edge_closes(&k->plan->edge[edge]) &&
        !clv_closing_packed(k, edge))
        fill_closing(k, edge);
}
static bool scaled_with_blocks(const clv_kinematics *k, int edge)
{
    return k->plan->edge[edge].coupling < 0 && clv_edge_closes(&k->plan->edge[edge]);
}
/* with its scale, while its blocks are at hand */
static void fill_scaled(void *of, int edge)
{
    fill_closing_of(of, edge);
    if (scaled_with_blocks(of, edge) && !clv_kinematics_leaves(of, edge) && !clv_closing_packed(of, edge))
        edge_scale(of, edge);
}
static void scale_of(void *of, int edge)
{
    if (!clv_kinematics_leaves(of, edge) && !scaled_with_blocks(of, edge))
        edge_scale(of, edge);
}

/* couplings come after the closings they may join */
static void fill_blocks(clv_kinematics *k, clv_team_work *closing)
{
    const clv_plan *p = k->plan;
    clv_team *team = k->engine->team;
    clv_closing_packs_fill(k);
    clv_team_run_each(team, p->nedge, CLV_EDGE_RUN, closing, k);
    for (int e = 0; p->model->ncoupling > 0 && e < p->nedge; e++)
        if (!clv_kinematics_leaves(k, e) && p->edge[e].coupling >= 0)
            fill_coupling(k, e);
}

static void fill_closings(clv_kinematics *k)
{
    fill_blocks(k, fill_scaled);
    clv_team_run_each(k->engine->team, k->plan->nedge, CLV_EDGE_RUN, scale_of, k);
}

static void fill_tree_edge_of(void *of, int edge)
{
    clv_kinematics *k = of;
    const int body = k->plan->edge[edge].tree_body;
    double D[36] = {0};
    if (body < 0 || (k->plan->carried && !clv_plan_carries(k->plan, edge)))
        return;
    directions(k, body, D);
    fill_tree_edge(k, body, D);
}

void clv_kinematics_fill_edges(clv_kinematics *k)
{
    const clv_plan *p = k->plan;
    clear_blocks(k);
    clv_team_run_each(k->engine->team, p->nedge, CLV_EDGE_RUN, fill_tree_edge_of, k);
    fill_closings(k);
}

static void closing_scale_of(void *of, int edge)
{
    clv_kinematics *k = of;
    const bool done = scaled_with_blocks(k, edge) && !clv_kinematics_leaves(k, edge);
    if (!done && (clv_edge_closes(&k->plan->edge[edge]) || k->plan->edge[edge].coupling >= 0))
        edge_scale(k, edge);
}

void clv_kinematics_fill_closings(clv_kinematics *k)
{
    if (clv_closings_packed(k)) {
        clv_closing_packs_fill(k);
        return;
    }
    clear_blocks(k);
    fill_blocks(k, fill_scaled);
    clv_team_run_each(k->engine->team, k->plan->nedge, CLV_EDGE_RUN, closing_scale_of, k);
}

void clv_kinematics_fill_open(clv_kinematics *k)
{
    const clv_plan *p = k->plan;
    for (int i = 0; i < p->nbody; i++) {
        central_inertia(k, i);
        clv_kinematics_body_directions(k, i);
    }
    if (p->nclosing_row > 0 || p->nclosing > 0)
        clear_blocks(k), fill_blocks(k, fill_closing_of);
}

void clv_kinematics_fill(clv_kinematics *k)
{
    const clv_plan *p = k->plan;
    clear_blocks(k);
    for (int i = 0; i < p->nbody; i++)
        clv_kinematics_fill_body(k, i);
    for (int s = 0; s < p->nstar; s++)
        clv_deform_fill(k, s);
    fill_closings(k);
}
