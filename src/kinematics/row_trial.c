/* SPDX-License-Identifier: Apache-2.0
 * A lane source: bodies with coordinates of their own (row_trials.h): prediction, place, correction (T25, T27). */
#include "kinematics/row_trial_border.h"
#include "kinematics/row_trial_lane.h"
#include "math/sincos.h"

/* e := (e + d) / |e + d| for a unit e; d := what e has moved by.  No difference of nearly equal numbers is taken. */
INLINE void move_on_sphere(clv_w *e, clv_w *d)
{
    const clv_w one = clv_w_fill(1.0), two = clv_w_fill(2.0);
    clv_w grown = clv_w_fill(0.0);
    for (int i = 0; i < 4; i++)
        grown += (two * e[i] + d[i]) * d[i]; /* |e + d|^2 - 1 */
    const clv_w length = clv_w_root(one + grown), share = one / (length + length * length);
    const clv_w over = share * (one + length), less = share * grown;
    for (int i = 0; i < 4; i++) {
        d[i] = d[i] * over - e[i] * less; /* over = 1/length, 1/length - 1 = -less */
        e[i] += d[i];
    }
    const clv_w square = e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3];
    const clv_w back = clv_w_fill(0.5) * (one - square); /* 1 / |e| - 1 of an |e| that is nearly one */
    for (int i = 0; i < 4; i++) /* rounding of many steps */
        e[i] += e[i] * back;
}

/* what the bodies of a strand show after their prediction: |x|^2, with that of Euler parameters; forces f */
typedef struct start {
    clv_w size, force[3];
} start;

/* from the numbers of a body in a block */
INLINE void predict_row(clv_row_trials *r, const clv_row_rule *s, int i, int lane, const double *given, bool first,
                        start *sum)
{
    const clv_w h = clv_w_fill(s->h), zero = clv_w_fill(0.0), to_rate = clv_w_fill(s->to_rate);
    const clv_w am = clv_w_fill(s->am), over = clv_w_fill(1 / (1 - s->am)), to_rates = clv_w_fill(1 / s->scale);
    const clv_w g0 = clv_w_fill(1 - s->gamma), g1 = clv_w_fill(s->gamma);
    const clv_w b0 = clv_w_fill(0.5 - s->beta), b1 = clv_w_fill(s->beta);
    const clv_w m = clv_w_load(row_of(r->mass, 1, r->alike[i], lane));
    double *to = row_of(r->x, 21, i, lane);
    clv_w x[7], u[6], ud[6], a[7], xd[7], xdd[7], d[7], pull[4], f[3];
    load(x, given + CLV_TRIAL_X * G8, 7), load(u, given + CLV_TRIAL_U * G8, 6);
    load(ud, given + CLV_TRIAL_UD * G8, 6), load(a, given + CLV_TRIAL_AUX * G8, 7);
    for (int k = 0; k < 3; k++)
        xd[k] = u[k], xdd[k] = ud[k];
    quaternion_rates(x + 3, u + 3, ud + 3, xd + 3, xdd + 3);
    store(row_of(r->before, 7, i, lane), xdd, 7);
    for (int k = 0; k < 7 && first; k++)
        a[k] = xdd[k];
    for (int k = 0; k < 3; k++) /* inertia force less weight, for the matrix of the first iteration */
        f[k] = m * (ud[k] - clv_w_fill(r->rows.plan->model->gravity[k])), sum->force[k] += f[k];
    store(row_of(r->f, 3, i, lane), f, 3);
    for (int k = 0; k < 7; k++) {
        const clv_w a1 = (xdd[k] - am * a[k]) * over, rate = xd[k];
        xd[k] = rate + h * (g0 * a[k] + g1 * a1);
        d[k] = h * rate + h * h * (b0 * a[k] + b1 * a1);
        x[k] += k < 3 && !s->still ? d[k] : zero;
    }
    for (int k = 0; s->still && k < 7; k++)
        xd[k] -= to_rate * d[k], xdd[k] -= d[k] * to_rates;
    for (int k = 0; k < 4; k++)
        pull[k] = d[3 + k];
    if (!s->still)
        move_on_sphere(x + 3, pull);
    for (int k = 0; !s->still && k < 4; k++) {
        pull[k] -= d[3 + k];
        xd[3 + k] += to_rate * pull[k], xdd[3 + k] += pull[k] * to_rates;
    }
    store(to, x, 7), store(to + 7 * G8, xd, 7), store(to + 14 * G8, xdd, 7);
    sum->size += clv_w_load(row_of(r->own, 1, r->alike[i], lane)) * (dot(x, x) + clv_w_fill(1.0));
}

void CLV_LANE(clv_rows_predict)(clv_row_trials *r, int group, const clv_row_rule *rule, const clv_row_border *from,
                                bool first)
{
    const int end = r->rows.first[group + 1], nstrand = r->rows.plan->group[group].nstrand;
    _Alignas(64) double block[CLV_TRIAL_BLOCK * CLV_TRIAL_GIVEN * G8];
    clv_row_block_place at = {.row = -1};
    start sum[G8 / CLV_LANES];
    for (int k = 0; k < G8 / CLV_LANES; k++)
        sum[k].size = sum[k].force[0] = sum[k].force[1] = sum[k].force[2] = clv_w_fill(0.0);
    for (int row = r->rows.first[group]; row < end; row += CLV_TRIAL_BLOCK) {
        next_block(r, group, &at);
        take_block(r, from, &at, block);
        for (int i = row; i < row + CLV_TRIAL_BLOCK && i < end; i++)
            for (int lane = 0; lane < nstrand; lane += CLV_LANES)
                predict_row(r, rule, i, lane, block + (size_t)(i - row) * CLV_TRIAL_GIVEN * G8 + lane, first,
                            &sum[lane / CLV_LANES]);
    }
    for (int lane = 0; lane < nstrand; lane += CLV_LANES) {
        clv_w_store(shown(r, group, CLV_TRIAL_SIZE) + lane, sum[lane / CLV_LANES].size);
        store(shown(r, group, CLV_TRIAL_FORCE) + lane, sum[lane / CLV_LANES].force, 3);
    }
}

/* ------------------------------------------------------------------ place */

typedef struct place { /* of a body: centre of mass, axes, joint point */
    clv_w r[3], R[9], at[3];
} place;

/* J in body axes and the axes R to global ones, six numbers each */
INLINE void turn_inertia(clv_w *I, const clv_w *J, const clv_w *R)
{
    clv_w X[9];
    for (int k = 0; k < 3; k++) {
        const clv_w *a = R + 3 * k;
        X[3 * k] = a[0] * J[0] + a[1] * J[1] + a[2] * J[2];
        X[3 * k + 1] = a[0] * J[1] + a[1] * J[3] + a[2] * J[4];
        X[3 * k + 2] = a[0] * J[2] + a[1] * J[4] + a[2] * J[5];
    }
    I[0] = dot(X, R), I[1] = dot(X, R + 3), I[2] = dot(X, R + 6);
    I[3] = dot(X + 3, R + 3), I[4] = dot(X + 3, R + 6), I[5] = dot(X + 6, R + 6);
}

/* scale times the load of a body less its inertia forces about its joint point, as the trial moves; J in body axes */
INLINE void put_load(clv_row_trials *r, int i, int lane, const place *b, const clv_w *arm, const clv_w *x,
                     const clv_w *J, double factor)
{
    const clv_rows *w = &r->rows;
    const clv_w m = clv_w_load(row_of(r->mass, 1, r->alike[i], lane)), scale = clv_w_fill(factor);
    clv_w f[6], wb[3], wdb[3], n[3], Jw[3], Jd[3];
    twice_vector_part(wb, x + 3, x + 10), twice_vector_part(wdb, x + 3, x + 17);
    symmetric_times(Jw, J, wb), symmetric_times(Jd, J, wdb);
    cross(n, wb, Jw);
    for (int k = 0; k < 3; k++) {
        n[k] = -(n[k] + Jd[k]);
        f[k] = m * (clv_w_fill(r->gravity[k]) - x[14 + k]);
    }
    turn(f + 3, b->R, n);
    for (int k = 0; k < 3; k++)
        n[k] = -arm[k];
    add_cross(f + 3, n, f);
    for (int k = 0; k < 6; k++)
        f[k] *= scale;
    store(row_of(w->b, 6, i, lane), f, 6);
}

/* inertia of a body about its joint point */
INLINE void put_body(clv_row_trials *r, int i, int lane, const place *b, const clv_w *arm, const clv_w *J)
{
    const clv_rows *w = &r->rows;
    const clv_w m = clv_w_load(row_of(r->mass, 1, r->alike[i], lane));
    clv_w I[6], c[3];
    turn_inertia(I, J, b->R);
    for (int k = 0; k < 3; k++)
        c[k] = -(m * arm[k]);
    I[0] += m * (arm[1] * arm[1] + arm[2] * arm[2]), I[3] += m * (arm[0] * arm[0] + arm[2] * arm[2]);
    I[5] += m * (arm[0] * arm[0] + arm[1] * arm[1]);
    I[1] -= m * arm[0] * arm[1], I[2] -= m * arm[0] * arm[2], I[4] -= m * arm[1] * arm[2];
    store(row_of(w->c, 3, i, lane), c, 3), store(row_of(w->J, 6, i, lane), I, 6);
}

/* The angle of a revolute joint from the body before, by which whole turns are counted, to 0.08 rad: of a point on the
 * square |c| + |s| = 1, along its sides */
INLINE void put_angle(clv_row_trials *r, int i, int lane, const place *b, const place *on)
{
    const clv_w zero = clv_w_fill(0.0), two = clv_w_fill(2.0);
    clv_w p[3], y[3], z[3], h[3];
    load(p, row_of(r->x_axis, 3, r->alike[i], lane), 3);
    turn(y, b->R, p), turn_back(z, on->R, y);
    load(p, row_of(r->x_before, 3, r->alike[i], lane), 3), load(h, row_of(r->y_before, 3, r->alike[i], lane), 3);
    const clv_w c = dot(p, z), s = dot(h, z), size = magnitude(c) + magnitude(s);
    const clv_w part = s / choose(clv_w_at_most(size, zero), clv_w_fill(1.0), size);
    const clv_w behind = choose(clv_w_at_most(zero, s), two - part, -two - part);
    clv_w_store(row_of(r->angle, 1, i, lane), clv_w_fill(0.5 * CLV_PI) * choose(clv_w_at_most(zero, c), part, behind));
}

/* arm, free direction and bias of a revolute joint: what it misses; returns the larger of `most` and that */
INLINE clv_w put_joint(clv_row_trials *r, int i, int lane, const place *b, const place *on, clv_w most)
{
    const clv_rows *w = &r->rows;
    const clv_w turns = clv_w_load(row_of(r->turns, 1, r->alike[i], lane));
    clv_w p[3], z[3], O[3], h[3], bias[6], arm[3], y[3];
    load(p, row_of(r->point, 3, r->alike[i], lane), 3), load(z, row_of(r->axis_before, 3, r->alike[i], lane), 3);
    turn(O, on->R, p), turn(h, on->R, z);
    load(z, row_of(r->axis, 3, r->alike[i], lane), 3);
    turn(y, b->R, z);
    cross(bias + 3, y, h);
    for (int k = 0; k < 3; k++) {
        bias[k] = turns * (on->r[k] + O[k] - b->at[k]);
        bias[3 + k] *= turns;
        h[k] *= turns;
        arm[k] = turns * (b->at[k] - on->at[k]);
    }
    for (int k = 0; k < 6; k++)
        most = larger(most, magnitude(bias[k]));
    store(row_of(w->r, 3, i, lane), arm, 3), store(row_of(w->h, 3, i, lane), h, 3);
    store(row_of(w->bias, 6, i, lane), bias, 6);
    return most;
}

INLINE void place_strip(clv_row_trials *r, int group, int lane, double scale, const int last)
{
    const clv_rows *w = &r->rows;
    const double *ox = r->origin_x + (size_t)group * 7 * G8 + lane, *oa = r->origin_at + (size_t)group * 3 * G8 + lane;
    clv_w x[21], most = clv_w_fill(0.0);
    place on;
    load(x, ox, 7), load(on.at, oa, 3);
    for (int k = 0; k < 3; k++)
        on.r[k] = x[k];
    axes(on.R, x + 3);
    for (int i = w->first[group]; i < w->first[group + 1]; i++) {
        clv_w l[3], arm[3], J[6];
        place b;
        load(x, row_of(r->x, 21, i, lane), last ? 7 : 21);
        load(J, row_of(r->J, 6, r->alike[i], lane), 6), load(l, row_of(r->l, 3, r->alike[i], lane), 3);
        axes(b.R, x + 3);
        turn(arm, b.R, l);
        for (int k = 0; k < 3; k++)
            b.r[k] = x[k], b.at[k] = x[k] + arm[k];
        store(row_of(r->arm, 3, i, lane), arm, 3), store(row_of(r->at, 3, i, lane), b.at, 3);
        put_body(r, i, lane, &b, arm, J);
        if (!last)
            put_load(r, i, lane, &b, arm, x, J, scale);
        most = put_joint(r, i, lane, &b, &on, most);
        if (last)
            put_angle(r, i, lane, &b, &on);
        if (w->flags[i] & CLV_ROW_SEVERAL)
            keep_own(r, i, lane, (clv_w *)&on, (const clv_w *)&b, sizeof b / sizeof(clv_w));
        else
            on = b;
    }
    clv_w_store(shown(r, group, CLV_TRIAL_GAP) + lane, most);
}

void CLV_LANE(clv_rows_place)(clv_row_trials *r, int group, double scale, bool last)
{
    for (int lane = 0; lane < r->rows.plan->group[group].nstrand; lane += CLV_LANES)
        if (last)
            place_strip(r, group, lane, scale, 1);
        else
            place_strip(r, group, lane, scale, 0);
}

/* ------------------------------------------------------------------ stiffness of forces in joints
 *
 * A body that turns by t carries the point l of a force f along: the moment l x f changes by (t x l) x f, which is
 * -K t, K = tr(S) 1 - S, S = sym(l f^T), summed over its joints.  In a taut chain this outweighs the inertia.  Bodies
 * under compression, tr(S) < 0, are left as they are; others get K with its least eigenvalue raised to zero, which of
 * S = sym(L f^T) is (tr(S) - |L| |f|) / 2. */

/* S += sign * sym(l f^T) */
INLINE void add_pull(clv_w *S, double sign, const clv_w *l, const clv_w *f)
{
    const clv_w half = clv_w_fill(0.5 * sign), one = clv_w_fill(sign);
    S[0] += one * l[0] * f[0], S[3] += one * l[1] * f[1], S[5] += one * l[2] * f[2];
    S[1] += half * (l[0] * f[1] + l[1] * f[0]), S[2] += half * (l[0] * f[2] + l[2] * f[0]);
    S[4] += half * (l[1] * f[2] + l[2] * f[1]);
}

/* J += scale K */
INLINE void stiffen(clv_w *J, const clv_w *S, double factor)
{
    const clv_w zero = clv_w_fill(0.0), two = clv_w_fill(2.0), a = S[0] + S[3] + S[5];
    const clv_w size = S[0] * S[0] + S[3] * S[3] + S[5] * S[5] + two * (S[1] * S[1] + S[2] * S[2] + S[4] * S[4]);
    const clv_w lift = larger(zero, clv_w_fill(0.5) * (clv_w_root(larger(zero, two * size - a * a)) - a));
    const clv_w scale = clv_w_fill(factor) * clv_w_above(a, zero);
    J[0] += scale * (a + lift - S[0]), J[3] += scale * (a + lift - S[3]), J[5] += scale * (a + lift - S[5]);
    J[1] -= scale * S[1], J[2] -= scale * S[2], J[4] -= scale * S[4];
}

void CLV_LANE(clv_rows_tighten)(clv_row_trials *r, int group, double scale)
{
    const clv_rows *w = &r->rows;
    for (int lane = 0; lane < w->plan->group[group].nstrand; lane += CLV_LANES) {
        const clv_w zero = clv_w_fill(0.0);
        clv_w F[3] = {zero, zero, zero}, next[3] = {zero, zero, zero}; /* of the joint outboard, and its point */
        for (int i = w->first[group + 1] - 1; i >= w->first[group]; i--) {
            const clv_w_mask own = clv_w_at_most(clv_w_fill(1.0), clv_w_load(row_of(r->own, 1, r->alike[i], lane)));
            clv_w S[6], x[3], l[3], f[3], at[3], J[6];
            for (int k = 0; k < 6; k++)
                S[k] = zero;
            if (w->attached[i] >= 0)
                load(S, row_of(r->tension, 6, i, lane), 6);
            load(x, row_of(r->x, 21, i, lane), 3), load(f, row_of(r->f, 3, i, lane), 3);
            load(at, row_of(r->at, 3, i, lane), 3), load(J, row_of(w->J, 6, i, lane), 6);
            for (int k = 0; k < 3; k++)
                l[k] = next[k] - x[k];
            add_pull(S, -1, l, F);
            for (int k = 0; k < 3; k++)
                F[k] = choose(own, F[k] + f[k], F[k]), next[k] = choose(own, at[k], next[k]);
            load(l, row_of(r->arm, 3, i, lane), 3);
            add_pull(S, 1, l, F);
            for (int k = 0; k < 6; k++)
                S[k] = choose(own, S[k], zero);
            stiffen(J, S, scale);
            store(row_of(w->J, 6, i, lane), J, 6);
        }
    }
}

/* ------------------------------------------------------------------ correction */

void CLV_LANE(clv_rows_move)(clv_row_trials *r, int group, const clv_row_rule *s)
{
    const clv_rows *w = &r->rows;
    const clv_w to_rate = clv_w_fill(s->to_rate), over = clv_w_fill(1 / s->scale), half = clv_w_fill(0.5);
    for (int lane = 0; lane < w->plan->group[group].nstrand; lane += CLV_LANES) {
        clv_w sum = clv_w_fill(0.0), force[3] = {sum, sum, sum};
        for (int i = w->first[group]; i < w->first[group + 1]; i++) {
            const clv_w m = clv_w_load(row_of(r->mass, 1, r->alike[i], lane));
            const clv_w own = clv_w_load(row_of(r->own, 1, r->alike[i], lane));
            clv_w dx[6], arm[3], x[21], d[7], part = clv_w_fill(0.0);
            load(dx, row_of(w->x, 6, i, lane), 6), load(arm, row_of(r->arm, 3, i, lane), 3);
            load(x, row_of(r->x, 21, i, lane), 21);
            take_cross(dx, dx + 3, arm); /* from the joint point to the centre of mass */
            for (int k = 0; k < 6; k++)
                dx[k] *= own;
            clv_w f[3];
            load(f, row_of(w->b, 6, i, lane), 3);
            for (int k = 0; k < 3; k++)
                f[k] = (m * dx[k] - f[k]) * over, force[k] += f[k];
            store(row_of(r->f, 3, i, lane), f, 3);
            const clv_w e[4] = {clv_w_fill(0.0), half * dx[3], half * dx[4], half * dx[5]};
            for (int k = 0; k < 3; k++)
                d[k] = dx[k], x[k] += dx[k];
            quaternion_product(d + 3, e, x + 3);
            move_on_sphere(x + 3, d + 3);
            for (int k = 0; k < 7; k++) {
                x[7 + k] += to_rate * d[k], x[14 + k] += d[k] * over;
                part += d[k] * d[k];
            }
            store(row_of(r->x, 21, i, lane), x, 21);
            clv_w_store(row_of(r->moved, 1, i, lane), part);
            sum += part;
        }
        clv_w_store(shown(r, group, CLV_TRIAL_MOVED) + lane, sum);
        store(shown(r, group, CLV_TRIAL_FORCE) + lane, force, 3);
    }
}
