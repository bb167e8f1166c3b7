/* SPDX-License-Identifier: Apache-2.0
 * Offsets of the points of joints (T112).  On the body that its joint holds inboard, the point of a tree joint moves
 * like a slide without rate between that body and the joint.  On the other body, that body moves against the joint. */
#include "kinematics/derivative.h"
#include "math/rotation.h"

void clv_derivative_offset_of(const clv_derivative *d, const clv_number *x, clv_derivative_offset *to)
{
    const clv_plan *p = d->plan;
    const clv_joint *j = &p->model->joint[x->item];
    static const double rest[6] = {0};
    const int child = p->child_of_joint[x->item], body = x->kind == CLV_NUMBER_POINT_B ? j->b : j->a;
    double e[3] = {0, 0, 0}, y[6], z[6];
    *to = (clv_derivative_offset){.joint = x->item, .child = child, .on_b = x->kind == CLV_NUMBER_POINT_B};
    e[x->component] = 1;
    if (body >= 0)
        clv_mat3_column(e, d->kin->R + 9 * (size_t)body, x->component);
    clv_copy3(to->S, e);
    if (child < 0)
        return;
    to->moves = body != child;
    for (int i = 0; i < 3 && !to->moves; i++)
        to->S[i] = -e[i];
    const double *v = body < 0 ? rest : d->v + 6 * (size_t)body, *a = body < 0 ? d->ground : d->a + 6 * (size_t)body;
    clv_motion_cross(y, to->S, v), clv_motion_cross(z, to->S, a);
    for (int i = 0; i < 6; i++)
        to->v[i] = -y[i];
    clv_motion_cross(y, to->v, v);
    for (int i = 0; i < 6; i++)
        to->A[i] = -z[i] - y[i];
}

/* rows of the tree: inboard ones and those of the joint meet the wrench of all that is outboard (T74.4) */
static void tree(const clv_derivative *d, const clv_derivative_offset *g, double *force)
{
    const clv_plan *p = d->plan;
    const clv_derivative_inertia *I = &d->I[g->child];
    double F[6], x[6], y[3], moved[6];
    clv_derivative_times(F, I->mass, I->moment, I->J, g->A);
    clv_cross(x, g->v + 3, I->p), clv_mat3_times(y, I->K, g->v + 3);
    for (int i = 0; i < 3; i++) /* of turns alone */
        F[i] += 2 * x[i], F[3 + i] += y[i];
    clv_wrench_cross(x, g->S, d->W + 6 * (size_t)g->child);
    clv_add6(F, x);
    for (int b = g->child; b >= 0; b = p->tree[b].parent)
        for (int c = 0; c < p->tree[b].f; c++) {
            const size_t k = (size_t)p->tree[b].iu + (size_t)c;
            force[k] += clv_dot6(d->S + 6 * k, F);
            if (b != g->child || !g->moves)
                continue;
            clv_motion_cross(moved, g->S, d->S + 6 * k);
            force[k] += clv_dot6(moved, d->W + 6 * (size_t)b);
        }
    for (int b = 0; b < p->nbody; b++)
        for (int c = 0; b != g->child && c < p->tree[b].f && clv_derivative_outboard(d, b, g->child); c++)
            force[p->tree[b].iu + c] += clv_dot6(g->A, d->IS + 6 * ((size_t)p->tree[b].iu + (size_t)c)) +
                                        clv_dot3(g->v + 3, d->bias + 3 * ((size_t)p->tree[b].iu + (size_t)c));
}

void clv_derivative_by_offset(clv_derivative *d, const clv_derivative_offset *g, double *force, double *acceleration,
                              double *rate, double *gap)
{
    if (g->child >= 0)
        tree(d, g, force);
    clv_derivative_pairs_by_offset(d, g, force, acceleration, rate, gap);
}
