/* SPDX-License-Identifier: Apache-2.0
 * Bodies with coordinates of their own and joints with compliances, in rows: memory, constants, and the joints that are
 * evaluated one by one; see row_bodies.h (T23.8). */
#include <string.h>
#include "engine/kernels.h"
#include "kinematics/place.h"
#include "kinematics/row_kernels.h"
#include "math/spatial.h"

enum { G8 = CLV_GROUP, NDIR = CLV_DIRECTIONS };

static void direction_layout(clv_row_direction *d, const clv_plan *tree, clv_arena *a)
{
    const size_t n = (size_t)tree->nrow * G8;
    CLV_TAKE(a, d->x, 6 * n), CLV_TAKE(a, d->sigma, NDIR * n), CLV_TAKE(a, d->node, tree->nsigma);
}

void clv_row_bodies_layout(clv_row_bodies *r, const clv_plan *tree, const clv_plan *absolute, clv_arena *a)
{
    const size_t n = (size_t)tree->nrow * G8, g = (size_t)tree->ngroup * G8;
    clv_compliant_layout(&r->c, tree, a);
    CLV_TAKE(a, r->lane, absolute->nedge), CLV_TAKE(a, r->other, tree->nbody), CLV_TAKE(a, r->alone, absolute->nedge);
    CLV_TAKE(a, r->border, tree->nbody), CLV_TAKE(a, r->held, tree->nbody);
    CLV_TAKE(a, r->plain, n), CLV_TAKE(a, r->sign, n), CLV_TAKE(a, r->l, 3 * n), CLV_TAKE(a, r->p, 3 * n);
    CLV_TAKE(a, r->frame, 15 * n), CLV_TAKE(a, r->J, 6 * n), CLV_TAKE(a, r->free, 3 * n);
    CLV_TAKE(a, r->alpha, NDIR * n), CLV_TAKE(a, r->gain, 2 * NDIR * n);
    CLV_TAKE(a, r->X, 7 * n), CLV_TAKE(a, r->U, 6 * n), CLV_TAKE(a, r->R, 9 * n), CLV_TAKE(a, r->V, 6 * n);
    CLV_TAKE(a, r->arm, 6 * n), CLV_TAKE(a, r->phi, NDIR * n), CLV_TAKE(a, r->target, NDIR * n);
    CLV_TAKE(a, r->cosine, n), CLV_TAKE(a, r->sine, n);
    CLV_TAKE(a, r->x, 6 * n), CLV_TAKE(a, r->lambda, NDIR * n), CLV_TAKE(a, r->rate, 13 * n);
    CLV_TAKE(a, r->start_X, 7 * g), CLV_TAKE(a, r->start_V, 6 * g), CLV_TAKE(a, r->start_x, 6 * g);
    CLV_TAKE(a, r->shown, CLV_SHOWN * g);
    direction_layout(&r->g, tree, a), direction_layout(&r->d, tree, a);
    CLV_TAKE(a, r->state, absolute->nq);
    CLV_TAKE(a, r->row_a, absolute->nclosing_row), CLV_TAKE(a, r->row, absolute->nclosing_row);
    CLV_TAKE(a, r->row_lambda, tree->nsigma);
}

double *clv_row_bodies_slot(const clv_row_bodies *r, double *array, int n, int body)
{
    const int slot = r->c.engine.plan->slot[body];
    return array + (size_t)(slot / G8) * (size_t)n * G8 + slot % G8;
}

/* ------------------------------------------------------------------ constants */

/* joint frame axis k and point of one side in the axes of its body, beside the centre of mass; ground: global */
static void on_body(const clv_plan *p, int body, const double *point, double l[3])
{
    clv_copy3(l, point);
    if (body >= 0)
        clv_sub3(l, l, p->model->body[body].com);
}

/* 1/m and 1/J of a free body, as T20 takes them for the scale of a row; a body that lacks
 * inertia moves with others, and has typical values of the model */
static void inverses(const clv_row_bodies *r, int body, double inverse[2])
{
    const clv_engine *e = &r->c.engine;
    inverse[0] = inverse[1] = 0;
    if (body < 0)
        return;
    const clv_body *b = &e->plan->model->body[body];
    const bool light = e->light[body];
    inverse[0] = 1.0 / (light ? e->heavy : b->mass);
    inverse[1] = light ? 1.0 / (e->heavy * e->length * e->length) : 3.0 / (b->J[0] + b->J[1] + b->J[2]);
}

static void hinge_constants(clv_row_bodies *r, int body, const clv_joint *j)
{
    const clv_plan *p = r->kin->plan;
    const bool forward = j->b == body;
    const int parent = forward ? j->a : j->b;
    double l[3], q[3], frame[15];
    on_body(p, body, forward ? j->pb : j->pa, l), on_body(p, parent, forward ? j->pa : j->pb, q);
    for (int i = 0; i < 3; i++)
        l[i] = -l[i];
    for (int k = 0; k < 3; k++)
        clv_mat3_column(frame + 3 * k, j->Eb, k);
    clv_mat3_column(frame + 9, j->Ea, 0), clv_mat3_column(frame + 12, j->Ea, 2);
    const double one = 1.0, sign = forward ? 1.0 : -1.0;
    double own[2], other[2];
    inverses(r, body, own), inverses(r, parent, other);
    const double free[3] = {own[0] + other[0], own[1], other[1]};
    clv_slot_put(r->plain, 1, r->c.engine.plan->slot[body], &one);
    clv_slot_put(r->sign, 1, r->c.engine.plan->slot[body], &sign);
    clv_slot_put(r->l, 3, r->c.engine.plan->slot[body], l), clv_slot_put(r->p, 3, r->c.engine.plan->slot[body], q);
    clv_slot_put(r->frame, 15, r->c.engine.plan->slot[body], frame);
    clv_slot_put(r->free, 3, r->c.engine.plan->slot[body], free);
}

/* joints inside strands that lanes evaluate: revolute, not prescribed, not coupled */
static void mark_lanes(clv_row_bodies *r)
{
    const clv_plan *p = r->kin->plan;
    for (int b = 0; b < p->nbody; b++) {
        const int e = r->c.edge[b];
        r->lane[e < 0 ? 0 : e] |= e >= 0 && p->edge[e].motion < 0 &&
                                  p->model->joint[p->edge[e].joint].kind == CLV_JOINT_REVOLUTE;
    }
    for (int i = 0; i < p->model->ncoupling; i++)
        for (int t = 0; t < p->model->coupling[i].nterm; t++)
            r->lane[p->edge_of_joint[p->model->coupling[i].term[t].joint]] = 0;
}

static void list_border(clv_row_bodies *r)
{
    const clv_plan *p = r->kin->plan;
    for (int e = 0; e < p->nedge; e++) {
        if (r->lane[e])
            continue;
        r->alone[r->nalone++] = e;
        for (int h = 0; h < p->edge[e].nhandle; h++)
            r->held[p->edge[e].body[h]] = 1;
    }
    for (int b = 0; b < p->nbody; b++)
        if (r->held[b])
            r->border[r->nborder++] = b;
}

void clv_row_bodies_begin(clv_row_bodies *r, clv_kinematics *absolute, const clv_kernels *kernels)
{
    const clv_plan *p = absolute->plan, *tree = r->c.engine.plan;
    r->kin = absolute;
    r->kernels = clv_row_kernels_of(kernels->lanes);
    clv_compliant_begin(&r->c, p, kernels);
    memcpy(r->gravity, p->model->gravity, sizeof r->gravity);
    for (int i = 0; i < tree->nrow; i++)
        for (int l = 0; l < G8; l++)
            r->X[((size_t)i * 7 + 3) * G8 + (size_t)l] = 1.0;
    for (int i = 0; i < tree->ngroup; i++)
        for (int l = 0; l < G8; l++)
            r->start_X[((size_t)i * 7 + 3) * G8 + (size_t)l] = 1.0;
    mark_lanes(r);
    list_border(r);
    for (int b = 0; b < p->nbody; b++) {
        const double *J = p->model->body[b].J, own[6] = {J[0], J[3], J[4], J[1], J[5], J[2]};
        const int e = r->c.edge[b];
        clv_slot_put(r->J, 6, tree->slot[b], own);
        if (e >= 0 && r->lane[e])
            hinge_constants(r, b, &p->model->joint[p->edge[e].joint]);
        else if (e >= 0)
            r->other[r->nother++] = b;
    }
}

void clv_row_bodies_options(clv_row_bodies *r, const double *alpha, bool absolute, double *const gain[2])
{
    const clv_plan *p = r->kin->plan;
    r->absolute = absolute, r->damped = false;
    for (int i = 0; i < p->nclosing_row; i++)
        r->damped |= gain[0][i] != 0 || gain[1][i] != 0;
    for (int b = 0; b < p->nbody; b++) {
        const clv_edge *e = r->c.edge[b] < 0 ? NULL : &p->edge[r->c.edge[b]];
        double own[NDIR] = {0}, both[2 * NDIR] = {0};
        if (!e || !r->lane[r->c.edge[b]])
            continue;
        for (int i = 0; i < e->m; i++) {
            const int k = NDIR - e->m + i;
            own[k] = alpha[e->row + i], both[k] = gain[0][e->row + i], both[NDIR + k] = gain[1][e->row + i];
        }
        clv_slot_put(r->alpha, NDIR, r->c.engine.plan->slot[b], own);
        clv_slot_put(r->gain, 2 * NDIR, r->c.engine.plan->slot[b], both);
    }
}

/* ------------------------------------------------------------------ poses */

/* n numbers of the bodies from which strands start, to the groups; ground keeps what is there */
static void gather_starts(const clv_row_bodies *r, double *to, const double *from, int n)
{
    const clv_plan *p = r->c.engine.plan;
    for (int k = 0; k < p->nstrand; k++) {
        const int body = p->strand[k].base == CLV_BASE_FREE ? -1 : p->tree[p->bodies[p->strand[k].first]].parent;
        double v[7];
        if (body < 0)
            continue;
        clv_slot_get(from, n, p->slot[body], v);
        for (int i = 0; i < n; i++)
            to[((size_t)p->strand[k].group * (size_t)n + (size_t)i) * G8 + (size_t)p->strand[k].lane] = v[i];
    }
}

static void show_pose(clv_row_bodies *r, int body)
{
    clv_kinematics *k = r->kin;
    const size_t b = (size_t)body;
    double X[7];
    clv_slot_get(r->X, 7, r->c.engine.plan->slot[b], X);
    clv_copy3(k->com + 3 * b, X), clv_copy3(k->ref + 3 * b, X);
    clv_quat_rotation(k->R + 9 * b, X + 3);
}

/* poses of the bodies that joints evaluated alone hold, and these joints */
static void pose_border(clv_row_bodies *r)
{
    for (int i = 0; i < r->nborder; i++)
        show_pose(r, r->border[i]);
    clv_kinematics_closing_poses(r->kin);
}

void clv_row_bodies_show(clv_row_bodies *r)
{
    const clv_plan *p = r->kin->plan;
    for (int b = 0; b < p->nbody; b++)
        clv_slot_get(r->X, 7, r->c.engine.plan->slot[b], r->state + p->tree[b].iq);
    clv_kinematics_poses(r->kin, r->kin->time, r->state), clv_kinematics_fill(r->kin);
}

void clv_row_bodies_take(clv_row_bodies *r, const double *q, const double *u)
{
    const clv_plan *p = r->kin->plan;
    for (int b = 0; b < p->nbody; b++) {
        if (q)
            clv_slot_put(r->X, 7, r->c.engine.plan->slot[b], q + p->tree[b].iq);
        if (u)
            clv_slot_put(r->U, 6, r->c.engine.plan->slot[b], u + p->tree[b].iu);
    }
}

void clv_row_bodies_pose(clv_row_bodies *r, double t, const double *q)
{
    const clv_plan *p = r->c.engine.plan;
    clv_row_bodies_take(r, q, NULL);
    gather_starts(r, r->start_X, r->X, 7);
    for (int g = 0; g < p->ngroup; g++)
        r->kernels->bodies_pose(r, &p->group[g]);
    clv_row_bodies_refresh(r, t);
}

void clv_row_bodies_refresh(clv_row_bodies *r, double t)
{
    r->kin->time = t, r->kin->lane = r->lane;
    pose_border(r);
    clv_kinematics_fill_edges(r->kin);
    r->kin->lane = NULL;
}

/* eps of the rows of an edge that is evaluated alone */
static void penalize(clv_row_bodies *r, const clv_edge *edge, const double *alpha)
{
    clv_engine *e = r->kin->engine;
    double free[CLV_HANDLES][2];
    for (int h = 0; h < edge->nhandle; h++)
        inverses(r, edge->body[h], free[h]);
    for (int k = 0; k < edge->m; k++) {
        double meets = 0;
        for (int h = 0; h < edge->nhandle; h++) {
            const double *f = e->block + edge->block[h] + 6 * k;
            meets += clv_dot3(f, f) * free[h][0] + clv_dot3(f + 3, f + 3) * free[h][1];
        }
        e->eps[edge->row + k] = (r->absolute || !(meets > 0) ? 1.0 : meets) / alpha[edge->row + k];
    }
}

clv_status clv_row_bodies_factor(clv_row_bodies *r, const double *alpha)
{
    clv_engine *e = r->kin->engine;
    for (int i = 0; i < r->nalone; i++)
        penalize(r, &r->kin->plan->edge[r->alone[i]], alpha);
    for (int i = 0; i < r->nother; i++)
        clv_compliant_fill_joint(&r->c, r->kin, r->other[i]);
    const clv_status st = clv_compliant_factor(&r->c, e);
    for (int i = 0; i < r->nalone; i++) {
        const clv_edge *edge = &r->kin->plan->edge[r->alone[i]];
        memset(e->eps + edge->row, 0, (size_t)edge->m * sizeof(double));
    }
    return st;
}

/* ------------------------------------------------------------------ right-hand sides */

/* right-hand sides of the edges that are evaluated alone, by rows of the absolute plan */
static void give_alone(clv_row_bodies *r, const double *a)
{
    clv_compliant *c = &r->c;
    const clv_plan *p = r->kin->plan, *tree = c->engine.plan;
    for (int i = 0; i < r->nother; i++) {
        const clv_edge *e = &p->edge[c->edge[r->other[i]]];
        double *to = clv_row_bodies_slot(r, c->a, NDIR, r->other[i]);
        for (int k = 0; k < e->m; k++)
            to[(NDIR - e->m + k) * G8] = a[e->row + k];
    }
    for (int k = 0; k < tree->nedge; k++)
        memcpy(c->engine.a + tree->edge[k].row, a + p->edge[c->edge_of[k]].row,
               (size_t)tree->edge[k].m * sizeof(double));
}

/* row := a - rows of the motions x of the bodies held; a NULL: zero */
static void residual_alone(clv_row_bodies *r, const double *a, double *x)
{
    const clv_engine *engine = r->kin->engine;
    for (int i = 0; i < r->nalone; i++) {
        const clv_edge *e = &r->kin->plan->edge[r->alone[i]];
        double V[CLV_HANDLES][6];
        for (int h = 0; h < e->nhandle; h++)
            clv_slot_get(x, 6, r->c.engine.plan->slot[e->body[h]], V[h]);
        for (int k = 0; k < e->m; k++) {
            double y = a ? a[e->row + k] : 0.0;
            for (int h = 0; h < e->nhandle; h++)
                y -= clv_dot6(engine->block + e->block[h] + 6 * k, V[h]);
            r->row[e->row + k] = y;
        }
    }
}

/* V of the border, derivatives of directions; biases and gains into row_a */
static void move_alone(clv_row_bodies *r, const double *const gain[2])
{
    clv_kinematics *k = r->kin;
    k->lane = r->lane;
    for (int i = 0; i < r->nborder; i++)
        clv_slot_get(r->V, 6, r->c.engine.plan->slot[r->border[i]], k->V + 6 * (size_t)r->border[i]);
    clv_kinematics_closing_rates(k);
    clv_kinematics_closing_bias(k, NULL, r->row_a);
    for (int g = 0; gain && g < 2; g++) {
        if (g == 0)
            clv_kinematics_violation(k, r->row);
        else
            clv_kinematics_velocity_violation(k, r->row);
        for (int i = 0; i < r->nalone; i++) {
            const clv_edge *e = &k->plan->edge[r->alone[i]];
            for (int n = e->row; n < e->row + e->m; n++)
                r->row_a[n] -= gain[g][n] * r->row[n];
        }
    }
    k->lane = NULL;
}

void clv_row_bodies_travel(clv_row_bodies *r, const double *u)
{
    const clv_plan *p = r->c.engine.plan;
    clv_row_bodies_take(r, NULL, u);
    for (int g = 0; g < p->ngroup; g++)
        r->kernels->bodies_travel(r, &p->group[g]);
    gather_starts(r, r->start_V, r->V, 6);
}

void clv_row_bodies_move(clv_row_bodies *r, const double *u, const double *Q, const double *const gain[2])
{
    const clv_plan *p = r->c.engine.plan;
    clv_row_bodies_travel(r, u);
    for (int b = 0; Q && b < p->nbody; b++)
        clv_slot_put(r->c.b, 6, p->slot[b], Q + 6 * (size_t)b);
    for (int g = 0; g < p->ngroup; g++)
        r->kernels->bodies_move(r, &p->group[g], Q != NULL, gain != NULL);
    move_alone(r, gain);
}

/* Right-hand sides of all rows less what the motions x give; all: else these are zero. */
void clv_row_bodies_rows(clv_row_bodies *r, double *x, bool all)
{
    const clv_plan *p = r->c.engine.plan;
    gather_starts(r, r->start_x, x, 6);
    for (int g = 0; g < p->ngroup; g++)
        r->kernels->bodies_miss(r, &p->group[g], x, all);
    residual_alone(r, all ? r->row_a : NULL, x);
    give_alone(r, r->row);
}

void clv_row_bodies_start(clv_row_bodies *r)
{
    const clv_plan *p = r->c.engine.plan;
    const size_t n = (size_t)p->nrow * G8 * sizeof(double);
    memset(r->x, 0, 6 * n), memset(r->lambda, 0, NDIR * n);
    memset(r->row_lambda, 0, (size_t)p->nsigma * sizeof(double));
    memcpy(r->c.a, r->target, NDIR * n);
    give_alone(r, r->row_a);
}

void clv_row_bodies_miss(clv_row_bodies *r) { clv_row_bodies_rows(r, r->x, true); }

void clv_row_bodies_check(clv_row_bodies *r)
{
    const clv_plan *p = r->c.engine.plan;
    gather_starts(r, r->start_X, r->X, 7);
    for (int g = 0; g < p->ngroup; g++)
        r->kernels->bodies_check(r, &p->group[g]);
    r->kin->lane = r->lane;
    pose_border(r);
    clv_kinematics_violation(r->kin, r->row);
    r->kin->lane = NULL;
}

void clv_row_bodies_oppose(clv_row_bodies *r)
{
    const size_t n = (size_t)r->c.engine.plan->nrow * G8 * NDIR;
    for (size_t i = 0; i < n; i++)
        r->c.a[i] = -r->phi[i];
    for (int i = 0; i < r->nalone; i++) {
        const clv_edge *e = &r->kin->plan->edge[r->alone[i]];
        for (int k = e->row; k < e->row + e->m; k++)
            r->row[k] = -r->row[k];
    }
    give_alone(r, r->row);
}

void clv_row_bodies_slip(clv_row_bodies *r)
{
    const clv_plan *p = r->c.engine.plan;
    gather_starts(r, r->start_V, r->V, 6);
    for (int g = 0; g < p->ngroup; g++)
        r->kernels->bodies_slip(r, &p->group[g]);
    residual_alone(r, NULL, r->V);
    for (int i = 0; i < r->nalone; i++) {
        const clv_edge *e = &r->kin->plan->edge[r->alone[i]];
        double q, u, ud;
        if (e->motion < 0)
            continue;
        clv_kinematics_motion(r->kin, e->motion, &q, &u, &ud);
        r->row[e->row + e->m - 1] += u;
    }
    give_alone(r, r->row);
}
