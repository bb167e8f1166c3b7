/* SPDX-License-Identifier: Apache-2.0
 * A lane source: rates of the mode columns of flexible bodies, and of the free directions of joints on them, by the
 * operations of deform.c and kinematics.c (T31, T132).
 *
 *   flex_rates         hdca: what changes mode columns;   flex_biases: dca, biases of links
 *   flex_joint_rates   derivative of a free direction, bias of its joint
 *   flex_motion        hdca: the motion found for a body of a strand */
#include "kinematics/row_flex_turn.h"

typedef struct link_rates {
    clv_w R[9], RT[9], RTd[9], omega[3], d[3], dd[3];
} link_rates;

INLINE void jacobian_rate(clv_w *Td, const turn *f, const clv_w *td)
{
    const clv_w *t = f->theta, sd = 2.0 * (t[0] * td[0] + t[1] * td[1] + t[2] * td[2]);
    unit(Td, 0.0);
    cross_part(Td, f->b, td), cross_part(Td, f->bs * sd, t);
    square_part(Td, 2.0 * f->c, t, td), square_part(Td, f->cs * sd, t, t);
}

/* sum of shape times rate, and what changes the columns of the link of body i; V of a body: its field of this name */
INLINE void rates_of(const clv_row_flex *f, int i, const double *rate, const double *V0, const double *Vn, int lane,
                     clv_w *sum, link_rates *l)
{
    const clv_flex_body *node = &f->body[i == 0 ? f->entry : i], *frame = &f->body[0];
    turn t;
    clv_w T[9], Td[9], arm[3], v[3], X[6];
    zero(sum, 6);
    for (int m = 0; m < f->n; m++)
        for (int k = 0; k < 6; k++)
            sum[k] += at(rate, m) * at(node->shape + lane, 6 * m + k);
    load_turn(&t, node->turn + lane);
    jacobian(T, &t), jacobian_rate(Td, &t, sum + 3);
    load(l->R, frame->R + lane, 9);
    product3(l->RT, l->R, T), product3(l->RTd, l->R, Td);
    load(X, Vn + lane, 6);
    for (int k = 0; k < 3; k++) {
        l->omega[k] = at(V0 + lane, 3 + k);
        l->d[k] = at(frame->ref + lane, k) - at(node->com + lane, k);
        arm[k] = at(node->com + lane, k) - at(node->ref + lane, k);
    }
    cross(v, X + 3, arm);
    for (int k = 0; k < 3; k++) {
        v[k] += X[k];
        l->dd[k] = at(V0 + lane, k) - v[k];
    }
}

INLINE void rate_of(const link_rates *l, const int to_frame, const clv_w *shape, clv_w *rate)
{
    clv_w column[6], x[3];
    times3(column, l->R, shape), times3(column + 3, l->RT, shape + 3);
    times3(x, l->RTd, shape + 3);
    cross(rate, l->omega, column), cross(rate + 3, l->omega, column + 3);
    for (int k = 0; k < 3; k++)
        rate[3 + k] += x[k];
    if (!to_frame)
        return;
    shift_motion(rate, l->d, rate);
    cross(x, column + 3, l->dd);
    for (int k = 0; k < 3; k++)
        rate[k] += x[k];
    for (int k = 0; k < 6; k++)
        rate[k] = -rate[k];
}

/* hdca: what changes the columns of all links, at the velocities in x: R T' (9), d, d' and w (3 each) */
void CLV_LANE(clv_rows_flex_rates)(const clv_rows *w, const clv_row_flex *f)
{
    for (int lane = 0; lane < w->plan->group[0].nstrand; lane += CLV_LANES)
        for (int i = 0; i < f->nbody; i++) {
            double *to = f->body[i].rates + lane;
            clv_w sum[6];
            link_rates l;
            if (i == f->entry)
                continue;
            rates_of(f, i, row_of(w->rates, 1, f->row, lane), f->body[0].x, f->body[i == 0 ? f->entry : i].x, lane,
                     sum, &l);
            store(to, l.RTd, 9), store(from(to, 9), l.d, 3);
            store(from(to, 12), l.dd, 3), store(from(to, 15), l.omega, 3);
        }
}

/* c += [w_A x (v_B - v_A); 0] */
INLINE void carried_bias(clv_w *c, const double *A, const double *B, int lane)
{
    clv_w dv[3], omega[3];
    for (int k = 0; k < 3; k++)
        dv[k] = at(B + lane, k) - at(A + lane, k), omega[k] = at(A + lane, 3 + k);
    cross(c, omega, dv);
}

/* dca: biases of all links, at the velocities in V */
void CLV_LANE(clv_rows_flex_biases)(const clv_rows *w, const clv_row_flex *f)
{
    for (int lane = 0; lane < w->plan->group[0].nstrand; lane += CLV_LANES)
        for (int i = 0; i < f->nbody; i++) {
            const clv_flex_body *node = &f->body[i == 0 ? f->entry : i], *on = &f->body[i == 0 ? f->entry : 0];
            clv_w c[6], sum[6], rate[6];
            link_rates l;
            if (i == f->entry)
                continue;
            zero(c, 6);
            carried_bias(c, on->V, f->body[i].V, lane);
            rates_of(f, i, row_of(w->u, 1, f->row, lane), f->body[0].V, node->V, lane, sum, &l);
            rate_of(&l, i == 0, sum, rate);
            add6(c, rate);
            store(f->body[i].c + lane, c, 6);
        }
}

/* Derivative of the free direction at the motion V (6 x 8) of the child; if `biased` the bias, too. */
void CLV_LANE(clv_rows_flex_joint_rates)(const clv_rows *w, const clv_flex_joint *j, const double *V, bool biased)
{
    const bool prismatic = j->kind == CLV_JOINT_PRISMATIC;
    const double *turning = prismatic ? j->port.V : V;
    for (int lane = 0; lane < w->plan->group[0].nstrand; lane += CLV_LANES) {
        clv_w omega[3], z[3], Hd[6], c[6];
        zero(Hd, 6), zero(omega, 3), zero(c, 6);
        load(z, j->axis + lane, 3);
        if (!prismatic || !j->port.ground)
            load(omega, turning + 3 * G8 + lane, 3);
        cross(Hd + (prismatic ? 0 : 3), omega, z);
        store(j->Hd + lane, Hd, 6);
        if (!biased)
            continue;
        if (!j->port.ground)
            carried_bias(c, j->port.V, V, lane);
        for (int k = 0; k < 6 && j->f > 0; k++)
            c[k] += Hd[k] * clv_w_load(row_of(w->u, 1, j->row, lane));
        store(j->c + lane, c, 6);
    }
}

/* hdca: the motion that the last solve has found for a body of a strand, global */
void CLV_LANE(clv_rows_flex_motion)(const clv_rows *w, int strand, int row, double *V)
{
    for (int lane = 0; lane < w->plan->group[0].nstrand; lane += CLV_LANES) {
        clv_w R[9], x[6], y[6];
        strand_axes(R, w, strand, lane);
        load(x, row_of(w->x, 6, row, lane), 6);
        turn6(y, R, x);
        store(V + lane, y, 6);
    }
}
