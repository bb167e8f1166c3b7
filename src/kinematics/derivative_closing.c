/* SPDX-License-Identifier: Apache-2.0
 * Rows and wrenches of closing joints and couplings, with their changes by jets (T75).  Called for every direction on
 * the path of a loop (derivative_pair.c), and for six displacements of one body (derivative_back_pair.c). */
#include "kinematics/derivative_pair.h"
#include "kinematics/place.h"
#include "math/rotation.h"
#include "model/coupling.h"
#include <string.h>

/* spatial motion of a body or the ground */
static const double *motion(const double *of, int body, const double ground[6])
{
    return body < 0 ? ground : of + 6 * (size_t)body;
}

/* The columns of a closing at b's point, moved to the origin: jets of H and of D. */
static void closing_jets(const clv_acting *p, const clv_acting_change *x, clv_jet H[36], clv_jet D[36])
{
    const clv_derivative *d = p->d;
    const clv_joint *j = &d->plan->model->joint[d->plan->edge[p->edge].joint];
    const clv_joint_place *at = &d->kin->closing[p->edge];
    static const double still[6] = {0};
    double O[3], Oa[3], v[3], va[3], y[3], ya[3], dv[3], dva[3], z[3];
    clv_joint_change by;
    clv_closing_point(d->kin, j, O);
    clv_sub3(Oa, O, at->d);
    clv_sub3(O, O, d->origin), clv_sub3(Oa, Oa, d->origin);
    const double *Vb = motion(d->v, p->b, still), *Va = motion(d->v, p->a, still);
    clv_field_at(v, Vb, O), clv_field_at(va, Va, Oa);
    clv_field_at(y, x->xb, O), clv_field_at(ya, x->xa, Oa);
    clv_axpy3(y, 1, x->pb), clv_axpy3(ya, 1, x->pa);
    clv_field_at(dv, x->vb, O), clv_cross(z, Vb + 3, y), clv_axpy3(dv, 1, z);
    clv_field_at(dva, x->va, Oa), clv_cross(z, Va + 3, ya), clv_axpy3(dva, 1, z);
    clv_copy3(by.a, x->xa + 3), clv_copy3(by.b, x->xb + 3);
    clv_copy3(by.wa, x->va + 3), clv_copy3(by.wb, x->vb + 3);
    clv_sub3(by.d, y, ya), clv_sub3(by.dv, dv, dva);
    clv_joint_jets(j, at, &by, H, D);
    clv_jet point[3];
    for (int i = 0; i < 3; i++)
        point[i] = (clv_jet){O[i], v[i], y[i], dv[i]};
    for (int r = 0; clv_holds_point(j->kind) && r < 3; r++)
        for (int i = 0; i < 6; i++)
            D[6 * r + i] = (clv_jet){i == r, 0, 0, 0};
    const int count[2] = {clv_joint_table[j->kind].nu, clv_joint_table[j->kind].nc};
    for (int side = 0; side < 2; side++)
        for (int c = 0; c < count[side]; c++) { /* moment about the origin, of wrenches */
            clv_jet *column = (side ? D : H) + 6 * c, moment[3];
            clv_jet_cross(moment, point, column);
            for (int i = 0; i < 3; i++)
                column[3 + i] = clv_jet_sum(column[3 + i], moment[i]);
        }
}

/* Columns H and D along x.  Along a rate they stay, and their rates change as the columns do along the displacement of
 * the same direction, for which they have been found before. */
static void columns_along(const clv_acting *p, const clv_acting_change *x, clv_jet H[36], clv_jet D[36])
{
    if (!p->again) {
        memset(H, 0, 36 * sizeof *H), memset(D, 0, 36 * sizeof *D);
        closing_jets(p, x, H, D);
        if (p->H)
            memcpy(p->H, H, 36 * sizeof *H), memcpy(p->D, D, 36 * sizeof *D);
        return;
    }
    for (int i = 0; i < 36; i++) {
        H[i] = (clv_jet){p->H[i].x, p->H[i].t, 0, p->H[i].s};
        D[i] = (clv_jet){p->D[i].x, p->D[i].t, 0, p->D[i].s};
    }
}

clv_acting_motion clv_acting_motion_of(const clv_acting *p, const clv_acting_change *x)
{
    const clv_derivative *d = p->d;
    static const double still[6] = {0};
    const double *Vb = motion(d->v, p->b, still), *Va = motion(d->v, p->a, still);
    const double *Ab = motion(d->a, p->b, d->ground), *Aa = motion(d->a, p->a, d->ground);
    clv_acting_motion r;
    for (int i = 0; i < 6; i++) {
        r.v[i] = Vb[i] - Va[i], r.a[i] = Ab[i] - Aa[i];
        r.x[i] = x->xb[i] - x->xa[i], r.dv[i] = x->vb[i] - x->va[i], r.da[i] = x->ab[i] - x->aa[i];
    }
    for (int i = 0; i < 3; i++)
        r.x[i] += x->pb[i] - x->pa[i];
    return r;
}

/* adds what a row with this column does; lambda: its multiplier */
static void put_row(clv_acting_effect *to, int r, const clv_jet D[6], const clv_acting_motion *y, double lambda)
{
    for (int i = 0; i < 6; i++) {
        const double W = lambda * D[i].x, dW = lambda * D[i].s;
        to->Wb[i] += W, to->dWb[i] += dW, to->Wa[i] -= W, to->dWa[i] -= dW;
        to->acceleration[r] += D[i].s * y->a[i] + D[i].x * y->da[i] + D[i].ts * y->v[i] + D[i].t * y->dv[i];
        to->rate[r] += D[i].s * y->v[i] + D[i].x * y->dv[i];
        to->row[r] += D[i].x * y->x[i];
    }
}

/* G of a joint in H: H / |H|^2 of one direction; axes of two are at right angles where loops are closed */
static void dual(clv_jet *H, const clv_joint *j)
{
    if (clv_joint_table[j->kind].nu != 1)
        return;
    const double square = j->kind == CLV_JOINT_HELICAL ? 1 + j->more->pitch * j->more->pitch : 1;
    for (int i = 0; i < 6; i++)
        H[i] = clv_jet_scaled(1 / square, H[i]);
}

/* loads along the coordinates of a closing joint */
static void put_drives(const clv_acting *p, const clv_jet *G, const clv_acting_motion *y, clv_acting_effect *to)
{
    const clv_derivative *d = p->d;
    const int joint = d->plan->edge[p->edge].joint;
    const clv_joint *j = &d->plan->model->joint[joint];
    for (int c = 0; c < clv_joint_table[j->kind].nu; c++) {
        const size_t at = 6 * (size_t)joint + (size_t)c;
        const double tau = d->loads->tau ? d->loads->tau[at] : 0;
        double dq = 0, du = 0;
        for (int i = 0; i < 6; i++) {
            const clv_jet *g = &G[6 * c + i];
            dq += g->x * y->x[i], du += g->s * y->v[i] + g->x * y->dv[i];
        }
        const double more = d->slope[2 * at] * dq + d->slope[2 * at + 1] * du;
        for (int i = 0; i < 6; i++) {
            const clv_jet *g = &G[6 * c + i];
            const double W = tau * g->x, dW = tau * g->s + more * g->x;
            to->Wb[i] += W, to->dWb[i] += dW, to->Wa[i] -= W, to->dWa[i] -= dW;
        }
    }
}

/* f'(q) of the coordinate of a closing joint with the dual G */
static clv_jet term_slope(const double f[3], const clv_jet G[6], const clv_acting_motion *y)
{
    clv_jet q = {0, 0, 0, 0};
    for (int i = 0; i < 6; i++) {
        q.t += G[i].x * y->v[i], q.s += G[i].x * y->x[i];
        q.ts += G[i].s * y->v[i] + G[i].x * y->dv[i];
    }
    return clv_jet_of(q, f[0], f[1], f[2]);
}

void clv_acting_rows(const clv_acting *p, const clv_acting_change *x, const clv_acting_motion *y, clv_jet G[36],
                     clv_jet D[36])
{
    const clv_edge *e = &p->d->plan->edge[p->edge];
    columns_along(p, x, G, D);
    dual(G, &p->d->plan->model->joint[e->joint]);
    if (p->term) {
        const clv_jet slope = term_slope(p->term, G, y);
        for (int i = 0; i < 6; i++)
            D[i] = clv_jet_times(slope, G[i]);
    } else if (e->motion >= 0) {
        memcpy(D + 6 * (e->m - 1), G, 6 * sizeof *D);
    }
}

/* a closing joint, or the part of a coupling that one has */
static void closing(const clv_acting *p, const clv_acting_change *x, clv_acting_effect *to)
{
    const clv_derivative *d = p->d;
    clv_jet G[36], D[36];
    const clv_acting_motion y = clv_acting_motion_of(p, x);
    clv_acting_rows(p, x, &y, G, D);
    for (int r = 0; r < p->m; r++)
        put_row(to, r, D + 6 * r, &y, d->lambda[p->row + r]);
    if (!p->term)
        put_drives(p, G, &y, to);
}

static void couple(clv_derivative *d, const clv_edge *e, int i, clv_acting_visitor visit, clv_acting_term term,
                   void *user)
{
    const clv_plan *p = d->plan;
    const clv_coupling *c = &p->model->coupling[e->coupling];
    const int joint = c->term[i].joint, child = p->child_of_joint[joint];
    const double q = clv_coupling_curved(c, i) ? clv_kinematics_coordinate(d->kin, joint, 0) : 0;
    double f[4];
    clv_coupling_term_at(c, i, q, f);
    f[3] = clv_coupling_third_at(c, i, q);
    if (child < 0) {
        const clv_joint *j = &p->model->joint[joint];
        const clv_acting x = {.d = d, .a = j->a, .b = j->b, .row = e->row, .m = 1, .edge = p->edge_of_joint[joint],
                              .term = f + 1, .find = closing};
        visit(&x, user);
    } else if (p->tree[child].f > 0 && term) {
        term(d, e, child, f + 1, user);
    }
}

void clv_acting_closings(clv_derivative *d, clv_acting_visitor visit, clv_acting_term term, void *user)
{
    const clv_plan *p = d->plan;
    for (int k = 0; k < p->nedge; k++) {
        const clv_edge *e = &p->edge[k];
        if (!clv_edge_closes(e))
            continue;
        if (e->joint >= 0) {
            const clv_joint *j = &p->model->joint[e->joint];
            const clv_acting x = {.d = d, .a = j->a, .b = j->b, .row = e->row, .m = e->m, .edge = k, .find = closing};
            visit(&x, user);
            continue;
        }
        for (int i = 0; i < p->model->coupling[e->coupling].nterm; i++)
            couple(d, e, i, visit, term, user);
    }
}
