/* SPDX-License-Identifier: Apache-2.0
 * A lane source: revolute and fixed joints that close loops, a lane is a joint (closing_pack.h).  The rows of a joint
 * are three forces and m - 3 moments, about the first of the axes of b's frame.
 *
 *   pose      frames on both bodies, their points (T3)
 *   fill      directions of the rows at b's point, blocks, scales (T2, T20)
 *   rate      their derivatives, velocities of the points
 *   miss      what motions miss of the rows (T136)
 *   turning   [Ddot_l; Ddot_a + v x D_l] sigma of revolute joints on both bodies (T10): Ddot_l is zero */
#include <float.h>
#include "kinematics/closing_pack.h"
#include "kinematics/row_lane.h"

typedef double *lanes[CLV_LANES];

/* of n numbers each, those with an index */
INLINE void at(double **p, const double *base, int n, const int *index)
{
    for (int l = 0; l < CLV_LANES; l++)
        p[l] = (double *)base + (size_t)n * (size_t)index[l];
}
INLINE void take(clv_w *x, double *const *p, int from, int n)
{
    for (int i = 0; i < n; i++)
        x[i] = clv_w_take(p, from + i);
}
INLINE void give(double *const *p, int to, const clv_w *x, int n)
{
    for (int i = 0; i < n; i++)
        clv_w_give(p, to + i, x[i]);
}
INLINE void sub(clv_w *c, const clv_w *a, const clv_w *b)
{
    for (int i = 0; i < 3; i++)
        c[i] = a[i] - b[i];
}

/* ------------------------------------------------------------------ poses */

/* E: axes of the joint frame on a body, row major; O: its point */
INLINE void frame_on(const clv_kinematics *k, const int *body, double *const *axes, double *const *point, clv_w *E,
                     clv_w *O)
{
    lanes R, com, held;
    clv_w r[9], e[9], x[3], y[3];
    at(R, k->R, 9, body), at(com, k->com, 3, body);
    for (int l = 0; l < CLV_LANES; l++)
        held[l] = (double *)k->plan->model->body[body[l]].com;
    take(r, R, 0, 9), take(e, axes, 0, 9), take(x, point, 0, 3), take(y, held, 0, 3);
    for (int i = 0; i < 3; i++)
        for (int c = 0; c < 3; c++)
            E[3 * i + c] = r[3 * i] * e[c] + r[3 * i + 1] * e[3 + c] + r[3 * i + 2] * e[6 + c];
    sub(x, x, y), take(y, com, 0, 3);
    for (int i = 0; i < 3; i++)
        O[i] = r[3 * i] * x[0] + r[3 * i + 1] * x[1] + r[3 * i + 2] * x[2] + y[i];
}

void CLV_LANE(clv_rows_closing_pose)(const clv_kinematics *k, const clv_closing_pack *p)
{
    for (int lane = 0; lane < p->n; lane += CLV_LANES) {
        lanes Ea, Eb, pa, pb, to_a, to_b, to_d;
        clv_w A[9], B[9], Oa[3], Ob[3], d[3];
        for (int l = 0; l < CLV_LANES; l++) {
            const clv_joint *j = &k->plan->model->joint[p->joint[lane + l]];
            clv_joint_place *place = &k->closing[p->edge[lane + l]];
            Ea[l] = (double *)j->Ea, Eb[l] = (double *)j->Eb, pa[l] = (double *)j->pa, pb[l] = (double *)j->pb;
            to_a[l] = place->Ea, to_b[l] = place->Eb, to_d[l] = place->d;
        }
        frame_on(k, p->a + lane, Ea, pa, A, Oa), frame_on(k, p->b + lane, Eb, pb, B, Ob);
        sub(d, Ob, Oa);
        give(to_a, 0, A, 9), give(to_b, 0, B, 9), give(to_d, 0, d, 3);
        store(p->E + lane, B, 9), store(p->O + lane, Ob, 3), store(p->d + lane, d, 3);
    }
}

/* ------------------------------------------------------------------ rows */

/* a body that a joint holds at an arm l: moments of its block; what it adds to the squares of the scales */
INLINE void hold(const clv_kinematics *k, const int *body, double *const *block, const clv_w *point,
                 clv_w (*axis)[3], const double sign, clv_w *s, const int m)
{
    const clv_w zero = clv_w_fill(0.0), one = clv_w_fill(1.0), f = clv_w_fill(sign);
    lanes ref, com, mass, J;
    clv_w r[3], c[3], l[3], weight, j[3], x[3];
    at(ref, k->ref, 3, body), at(com, k->com, 3, body);
    for (int i = 0; i < CLV_LANES; i++) {
        const clv_body *b = &k->plan->model->body[body[i]];
        mass[i] = (double *)&b->mass, J[i] = (double *)b->J;
    }
    take(r, ref, 0, 3), take(c, com, 0, 3), take(&weight, mass, 0, 1), take(j, J, 0, 3);
    sub(l, point, r);
    for (int i = 0; i < 3; i++) { /* e_i: l x e_i */
        const int n = (i + 1) % 3, p = (i + 2) % 3;
        const clv_w a = f * (zero + l[p]), b = f * (zero - l[n]);
        clv_w_give(block, 6 * i + 3 + n, a), clv_w_give(block, 6 * i + 3 + p, b);
    }
    for (int r = 3; r < m; r++) {
        for (int i = 0; i < 3; i++)
            x[i] = f * axis[r - 3][i];
        give(block, 6 * r + 3, x, 3);
    }
    const clv_w has_mass = one - clv_w_above(clv_w_fill(DBL_MIN), weight);
    const clv_w inertia = (j[0] + j[1] + j[2]) / clv_w_fill(3.0);
    const clv_w has_inertia = one - clv_w_above(clv_w_fill(DBL_MIN), inertia);
    const clv_w moves = has_mass / (has_mass * weight + (one - has_mass));
    const clv_w turns = has_inertia / (has_inertia * inertia + (one - has_inertia));
    for (int i = 0; i < 3; i++)
        l[i] = l[i] + (r[i] - c[i]), l[i] *= l[i];
    s[0] += moves + (l[2] + l[1]) * turns, s[1] += moves + (l[2] + l[0]) * turns, s[2] += moves + (l[1] + l[0]) * turns;
    for (int r = 3; r < m; r++)
        s[r] += dot(axis[r - 3], axis[r - 3]) * turns;
}

/* axes, the two points */
INLINE void take_places(const clv_closing_pack *p, int lane, clv_w (*axis)[3], clv_w *O, clv_w *Oa)
{
    clv_w E[9], d[3];
    load(E, p->E + lane, 9), load(O, p->O + lane, 3), load(d, p->d + lane, 3);
    for (int i = 0; i < 3; i++)
        axis[0][i] = E[3 * i], axis[1][i] = E[3 * i + 1], axis[2][i] = E[3 * i + 2];
    sub(Oa, O, d);
}

INLINE void fill_rows(const clv_kinematics *k, const clv_closing_pack *p, const int m)
{
    const clv_w zero = clv_w_fill(0.0), one = clv_w_fill(1.0);
    for (int lane = 0; lane < p->n; lane += CLV_LANES) {
        lanes H, D, Ba, Bb, scale;
        clv_w axis[3][3], O[3], Oa[3], s[6] = {zero, zero, zero, zero, zero, zero};
        take_places(p, lane, axis, O, Oa);
        at(H, k->cut_H, 36, p->edge + lane), at(D, k->D, 36, p->edge + lane);
        at(Ba, k->engine->block, 1, p->at_a + lane), at(Bb, k->engine->block, 1, p->at_b + lane);
        at(scale, k->engine->scale, 1, p->row + lane);
        if (m == 5)
            give(H, 3, axis[2], 3);
        for (int r = 3; r < m; r++)
            give(D, 6 * r + 3, axis[r - 3], 3);
        hold(k, p->b + lane, Bb, O, axis, 1.0, s, m), hold(k, p->a + lane, Ba, Oa, axis, -1.0, s, m);
        for (int i = 0; i < m; i++) {
            const clv_w some = clv_w_above(s[i], zero);
            s[i] = clv_w_root(some * s[i] + (one - some));
        }
        give(scale, 0, s, m);
    }
}

void CLV_LANE(clv_rows_closing_fill)(const clv_kinematics *k, const clv_closing_pack *p)
{
    if (p->rows == 5)
        fill_rows(k, p, 5);
    else
        fill_rows(k, p, 6);
}

/* ------------------------------------------------------------------ rates */

/* velocity of a point of a body, its angular velocity */
INLINE void velocity(const clv_kinematics *k, const int *body, const clv_w *O, clv_w *v, clv_w *w)
{
    lanes V, ref;
    clv_w r[3], l[3], x[6];
    at(V, k->V, 6, body), at(ref, k->ref, 3, body);
    take(x, V, 0, 6), take(r, ref, 0, 3);
    sub(l, O, r);
    cross(v, x + 3, l);
    for (int i = 0; i < 3; i++)
        v[i] += x[i], w[i] = x[3 + i];
}

INLINE void row_rates(const clv_kinematics *k, const clv_closing_pack *p, const int m)
{
    for (int lane = 0; lane < p->n; lane += CLV_LANES) {
        lanes place, Dd, Gd;
        clv_w axis[3][3], O[3], Oa[3], wa[3], wb[3], va[3], vb[3], dv[3], turns[3][3], G[3];
        take_places(p, lane, axis, O, Oa);
        velocity(k, p->a + lane, Oa, va, wa), velocity(k, p->b + lane, O, vb, wb);
        sub(dv, vb, va);
        for (int l = 0; l < CLV_LANES; l++)
            place[l] = k->closing[p->edge[lane + l]].wa;
        at(Dd, k->Dd, 36, p->edge + lane), at(Gd, k->cut_Gd, 6, p->edge + lane);
        give(place, 0, wa, 3);
        for (int l = 0; l < CLV_LANES; l++)
            place[l] = k->closing[p->edge[lane + l]].wb;
        give(place, 0, wb, 3);
        for (int l = 0; l < CLV_LANES; l++)
            place[l] = k->closing[p->edge[lane + l]].dv;
        give(place, 0, dv, 3);
        for (int r = 3; r < m; r++) {
            cross(turns[r - 3], wb, axis[r - 3]);
            give(Dd, 6 * r + 3, turns[r - 3], 3);
        }
        if (m > 5)
            continue;
        store(p->va + lane, va, 3), store(p->vb + lane, vb, 3);
        store(p->Dd + lane, turns[0], 3), store(p->Dd + 3 * G8 + lane, turns[1], 3);
        const clv_w size = dot(axis[2], axis[2]);
        cross(G, wb, axis[2]);
        for (int i = 0; i < 3; i++)
            G[i] /= size;
        give(Gd, 3, G, 3);
    }
}

void CLV_LANE(clv_rows_closing_rate)(const clv_kinematics *k, const clv_closing_pack *p)
{
    if (p->rows == 5)
        row_rates(k, p, 5);
    else
        row_rates(k, p, 6);
}

/* adds to the moments on bodies, joint after joint: a body may be held by several */
static void add_moments(double *W, const clv_closing_pack *p, int lane, const double *on_b, const double *on_a)
{
    for (int l = 0; l < CLV_LANES && lane + l < p->n; l++)
        for (int i = 0; i < 3; i++) {
            W[6 * (size_t)p->b[lane + l] + 3 + (size_t)i] -= on_b[i * CLV_LANES + l];
            W[6 * (size_t)p->a[lane + l] + 3 + (size_t)i] += on_a[i * CLV_LANES + l];
        }
}

void CLV_LANE(clv_rows_closing_turning)(const clv_kinematics *k, const clv_closing_pack *p, const double *sigma,
                                        double *W)
{
    (void)k;
    for (int lane = 0; lane < p->n; lane += CLV_LANES) {
        lanes from;
        double on_a[3 * CLV_LANES], on_b[3 * CLV_LANES];
        clv_w s[5], va[3], vb[3], Dd[6], a[3], b[3];
        at(from, sigma, 1, p->row + lane);
        take(s, from, 0, 5);
        load(va, p->va + lane, 3), load(vb, p->vb + lane, 3), load(Dd, p->Dd + lane, 6);
        cross(a, va, s), cross(b, vb, s);
        for (int i = 0; i < 3; i++) {
            const clv_w turn = Dd[i] * s[3] + Dd[3 + i] * s[4];
            clv_w_store_any(on_a + i * CLV_LANES, turn + a[i]), clv_w_store_any(on_b + i * CLV_LANES, turn + b[i]);
        }
        add_moments(W, p, lane, on_b, on_a);
    }
}

/* ------------------------------------------------------------------ residuals */

INLINE clv_w size_of(clv_w x)
{
    return clv_w_of_bits(clv_w_bits(x) & 0x7fffffffffffffffLL);
}
INLINE clv_w larger(clv_w a, clv_w b)
{
    const clv_w_mask m = clv_w_settled(clv_w_at_most(a, b));
    return clv_w_of_bits((clv_w_bits(a) & ~m) | (clv_w_bits(b) & m));
}

/* takes what a body does to the rows from r, times sign, and adds the size of what is compared */
INLINE void take_off(clv_w *r, clv_w *size, const clv_kinematics *k, const int *body, const clv_w *point,
                     const double *motion, clv_w (*axis)[3], const double sign, const int m)
{
    lanes V, ref;
    clv_w x[6], l[3];
    const clv_w f = clv_w_fill(sign), *w = x + 3;
    at(V, motion, 6, body), at(ref, k->ref, 3, body);
    take(x, V, 0, 6), take(l, ref, 0, 3);
    sub(l, point, l);
    for (int i = 0; i < 3; i++) {
        const int n = (i + 1) % 3, p = (i + 2) % 3;
        const clv_w a = l[p] * w[n], b = l[n] * w[p];
        r[i] -= f * (x[i] + (a - b)), size[i] += size_of(x[i]) + size_of(a) + size_of(b);
        for (int n = 3; n < m; n++) {
            const clv_w u = axis[n - 3][i] * w[i];
            r[n] -= f * u, size[n] += size_of(u);
        }
    }
}

INLINE void missed_by(const clv_kinematics *k, const clv_closing_pack *p, const double *x, double *g, const int m)
{
    const clv_w zero = clv_w_fill(0.0), one = clv_w_fill(1.0);
    for (int lane = 0; lane < p->n; lane += CLV_LANES) {
        lanes value, scale, to;
        clv_w axis[3][3], O[3], Oa[3], r[6], s[6], size[6], missed = zero, most = zero;
        take_places(p, lane, axis, O, Oa);
        at(value, k->engine->row_value, 1, p->row + lane), at(scale, k->engine->scale, 1, p->row + lane);
        at(to, g, 1, p->row + lane);
        take(r, value, 0, m), take(s, scale, 0, m);
        for (int i = 0; i < m; i++)
            size[i] = size_of(r[i]);
        take_off(r, size, k, p->b + lane, O, x, axis, 1.0, m), take_off(r, size, k, p->a + lane, Oa, x, axis, -1.0, m);
        give(to, 0, r, m);
        for (int i = 0; i < m; i++) {
            const clv_w over = one / s[i];
            missed = larger(missed, size_of(r[i]) * over), most = larger(most, size[i] * over);
        }
        const clv_w some = clv_w_above(most, zero);
        clv_w_store(p->missed + lane, some * missed / (some * most + (one - some)));
    }
}

void CLV_LANE(clv_rows_closing_miss)(const clv_kinematics *k, const clv_closing_pack *p, const double *x, double *g)
{
    if (p->rows == 5)
        missed_by(k, p, x, g, 5);
    else
        missed_by(k, p, x, g, 6);
}
