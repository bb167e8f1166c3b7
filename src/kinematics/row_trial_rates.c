/* SPDX-License-Identifier: Apache-2.0
 * A lane source: motions and accelerations of bodies with coordinates of their own (row_trials.h), and what joints miss
 * of them (T27).
 *
 *   velocity       V_B - S^T V_A = H u                                             lacks -(V_B - S^T V_A)
 *   acceleration   A_B - S^T A_A = H u' + H' u + [w_A x (v_B - v_A); 0]            lacks the last two less the left
 *
 * The part along H does no harm: u takes it up. */
#include <string.h>
#include "kinematics/row_trial_border.h"
#include "kinematics/row_trial_lane.h"

typedef struct motion { /* joint point; motion, acceleration */
    clv_w at[3], V[6], A[6];
} motion;

static const double *origin(const double *array, int n, int group, int lane)
{
    return array + (size_t)group * (size_t)n * G8 + lane;
}

/* y = V_B - S^T V_A, r the arm from A to B */
INLINE void between(clv_w *y, const clv_w *B, const clv_w *A, const clv_w *r)
{
    for (int k = 0; k < 6; k++)
        y[k] = B[k] - A[k];
    take_cross(y, A + 3, r);
}

INLINE void arm_between(clv_w *r, const motion *b, const motion *on)
{
    for (int k = 0; k < 3; k++)
        r[k] = b->at[k] - on->at[k];
}

void CLV_LANE(clv_rows_stop)(clv_row_trials *r, int group)
{
    const clv_rows *w = &r->rows;
    for (int lane = 0; lane < w->plan->group[group].nstrand; lane += CLV_LANES)
        for (int i = w->first[group]; i < w->first[group + 1]; i++) {
            clv_w x[14], arm[3], R[9], wb[3], V[6];
            load(x, row_of(r->x, 21, i, lane), 14), load(arm, row_of(r->arm, 3, i, lane), 3);
            axes(R, x + 3);
            twice_vector_part(wb, x + 3, x + 10);
            turn(V + 3, R, wb);
            for (int k = 0; k < 3; k++)
                V[k] = x[7 + k];
            add_cross(V, V + 3, arm);
            store(row_of(r->V, 6, i, lane), V, 6);
        }
}

void CLV_LANE(clv_rows_slip)(clv_row_trials *r, int group)
{
    const clv_rows *w = &r->rows;
    for (int lane = 0; lane < w->plan->group[group].nstrand; lane += CLV_LANES) {
        motion on, b;
        load(on.at, origin(r->origin_at, 3, group, lane), 3), load(on.V, origin(r->origin_V, 6, group, lane), 6);
        for (int k = 0; k < 6; k++)
            on.A[k] = b.A[k] = clv_w_fill(0.0);
        for (int i = w->first[group]; i < w->first[group + 1]; i++) {
            const clv_w joined = -clv_w_load(row_of(r->joined, 1, r->alike[i], lane));
            clv_w l[3], y[6], none[6];
            load(b.at, row_of(r->at, 3, i, lane), 3), load(b.V, row_of(r->V, 6, i, lane), 6);
            arm_between(l, &b, &on);
            between(y, b.V, on.V, l);
            for (int k = 0; k < 6; k++)
                y[k] *= joined, none[k] = clv_w_fill(0.0);
            store(row_of(w->bias, 6, i, lane), y, 6), store(row_of(w->b, 6, i, lane), none, 6);
            keep_own(r, i, lane, (clv_w *)&on, (const clv_w *)&b, sizeof b / sizeof(clv_w));
        }
    }
}

void CLV_LANE(clv_rows_settle)(clv_row_trials *r, int group, bool corrected)
{
    const clv_rows *w = &r->rows;
    const clv_w much = clv_w_fill(corrected ? 1.0 : 0.0);
    for (int lane = 0; lane < w->plan->group[group].nstrand; lane += CLV_LANES)
        for (int i = w->first[group]; i < w->first[group + 1]; i++) {
            const clv_w own = much * clv_w_load(row_of(r->own, 1, r->alike[i], lane));
            clv_w x[21], arm[3], R[9], wdb[3], V[6], A[6], dV[6], y[3];
            load(x, row_of(r->x, 21, i, lane), 21), load(arm, row_of(r->arm, 3, i, lane), 3);
            load(V, row_of(r->V, 6, i, lane), 6), load(dV, row_of(w->x, 6, i, lane), 6);
            for (int k = 0; k < 6; k++)
                V[k] += own * dV[k];
            axes(R, x + 3);
            twice_vector_part(wdb, x + 3, x + 17);
            turn(A + 3, R, wdb);
            cross(y, V + 3, arm);
            for (int k = 0; k < 3; k++)
                A[k] = x[14 + k];
            add_cross(A, A + 3, arm), add_cross(A, V + 3, y);
            store(row_of(r->V, 6, i, lane), V, 6), store(row_of(r->A, 6, i, lane), A, 6);
        }
}

/* H' u + [w_A x (v_B - v_A); 0] of a revolute joint with direction h, less A_B - S^T A_A */
INLINE void lacking(clv_w *y, const motion *b, const motion *on, const clv_w *l, const clv_w *h)
{
    clv_w v[6], x[3];
    between(v, b->V, on->V, l);
    between(y, b->A, on->A, l);
    const clv_w u = dot(h, v + 3);
    for (int k = 0; k < 6; k++)
        y[k] = -y[k];
    for (int k = 0; k < 3; k++)
        v[k] = b->V[k] - on->V[k], x[k] = u * h[k];
    add_cross(y, on->V + 3, v), add_cross(y + 3, on->V + 3, x);
}

INLINE void load_motion(motion *b, const clv_row_trials *r, int i, int lane)
{
    load(b->at, row_of(r->at, 3, i, lane), 3), load(b->V, row_of(r->V, 6, i, lane), 6);
    load(b->A, row_of(r->A, 6, i, lane), 6);
}

INLINE void load_origin(motion *on, const clv_row_trials *r, int group, int lane)
{
    load(on->at, origin(r->origin_at, 3, group, lane), 3), load(on->V, origin(r->origin_V, 6, group, lane), 6);
    load(on->A, origin(r->origin_A, 6, group, lane), 6);
}

void CLV_LANE(clv_rows_press)(clv_row_trials *r, int group)
{
    const clv_rows *w = &r->rows;
    for (int lane = 0; lane < w->plan->group[group].nstrand; lane += CLV_LANES) {
        motion on, b;
        load_origin(&on, r, group, lane);
        for (int i = w->first[group]; i < w->first[group + 1]; i++) {
            const clv_w joined = clv_w_load(row_of(r->joined, 1, r->alike[i], lane));
            clv_w l[3], h[3], y[6];
            load_motion(&b, r, i, lane);
            load(h, row_of(w->h, 3, i, lane), 3);
            arm_between(l, &b, &on);
            lacking(y, &b, &on, l, h);
            for (int k = 0; k < 6; k++)
                y[k] *= joined;
            store(row_of(w->bias, 6, i, lane), y, 6);
            keep_own(r, i, lane, (clv_w *)&on, (const clv_w *)&b, sizeof b / sizeof(clv_w));
        }
    }
}

/* ------------------------------------------------------------------ the end of a step */

/* accelerations corrected by the last solve */
INLINE void correct(clv_row_trials *r, int i, int lane)
{
    const clv_w own = clv_w_load(row_of(r->own, 1, r->alike[i], lane));
    clv_w A[6], dA[6];
    load(A, row_of(r->A, 6, i, lane), 6), load(dA, row_of(r->rows.x, 6, i, lane), 6);
    for (int k = 0; k < 6; k++)
        A[k] += own * dA[k];
    store(row_of(r->A, 6, i, lane), A, 6);
}

/* state, rates and auxiliary accelerations of a body into its place in a block, which has the auxiliary ones before;
 * its energies are added */
INLINE void give_body(const clv_row_trials *r, const clv_row_rule *s, int i, int lane, double *given, bool first,
                      clv_w *energy)
{
    const clv_w af = clv_w_fill(s->af), rest = clv_w_fill(1 - s->af), am = clv_w_fill(s->am);
    const clv_w over = clv_w_fill(1 / (1 - s->am)), half = clv_w_fill(0.5);
    const clv_w m = clv_w_load(row_of(r->mass, 1, r->alike[i], lane));
    motion b;
    clv_w x[7], arm[3], R[9], J[6], u[6], ud[6], y[3], qd[7], qdd[7], a[7], before[7];
    load_motion(&b, r, i, lane);
    load(x, row_of(r->x, 21, i, lane), 7), load(arm, row_of(r->arm, 3, i, lane), 3);
    load(J, row_of(r->J, 6, r->alike[i], lane), 6), load(a, given + CLV_TRIAL_AUX * G8, 7);
    load(before, row_of(r->before, 7, i, lane), 7);
    for (int k = 0; k < 7 && first; k++)
        a[k] = before[k];
    axes(R, x + 3);
    cross(y, b.V + 3, arm);
    for (int k = 0; k < 3; k++)
        u[k] = b.V[k] - y[k], ud[k] = b.A[k];
    take_cross(ud, b.A + 3, arm), take_cross(ud, b.V + 3, y);
    turn_back(u + 3, R, b.V + 3), turn_back(ud + 3, R, b.A + 3);
    for (int k = 0; k < 3; k++)
        qd[k] = u[k], qdd[k] = ud[k];
    quaternion_rates(x + 3, u + 3, ud + 3, qd + 3, qdd + 3);
    for (int k = 0; k < 7; k++)
        a[k] = (rest * qdd[k] + af * before[k] - am * a[k]) * over;
    store(given + CLV_TRIAL_X * G8, x, 7), store(given + CLV_TRIAL_U * G8, u, 6);
    store(given + CLV_TRIAL_UD * G8, ud, 6), store(given + CLV_TRIAL_AUX * G8, a, 7);
    store(given + CLV_TRIAL_QDOT * G8, qd, 7);
    symmetric_times(y, J, u + 3);
    const clv_w v2 = dot(u, u);
    energy[0] += half * (m * v2 + dot(y, u + 3)), energy[2] += v2 + dot(u + 3, u + 3);
    for (int k = 0; k < 3; k++)
        energy[1] -= m * clv_w_fill(r->gravity[k]) * x[k];
}

/* what a revolute joint misses of velocities and accelerations; others: nothing */
INLINE void misses(clv_row_trials *r, int i, int lane, const motion *b, const motion *on, clv_w *most)
{
    const clv_w turns = clv_w_load(row_of(r->turns, 1, r->alike[i], lane));
    clv_w l[3], h[3], v[6], a[6];
    load(h, row_of(r->rows.h, 3, i, lane), 3);
    arm_between(l, b, on);
    between(v, b->V, on->V, l);
    lacking(a, b, on, l, h);
    const clv_w u = dot(h, v + 3), ud = dot(h, a + 3);
    for (int k = 0; k < 6; k++) {
        most[0] = larger(most[0], magnitude(turns * (k < 3 ? v[k] : v[k] - u * h[k - 3])));
        most[1] = larger(most[1], magnitude(turns * (k < 3 ? a[k] : a[k] - ud * h[k - 3])));
    }
}

void CLV_LANE(clv_rows_correct)(clv_row_trials *r, int group)
{
    for (int lane = 0; lane < r->rows.plan->group[group].nstrand; lane += CLV_LANES)
        for (int i = r->rows.first[group]; i < r->rows.first[group + 1]; i++)
            correct(r, i, lane);
}

/* of a strand on the way out: the body before; energies, largest misses */
typedef struct finish {
    motion on;
    clv_w energy[3], most[2];
} finish;

INLINE void finish_row(clv_row_trials *r, const clv_row_rule *rule, int i, int lane, double *given, bool first,
                       finish *s)
{
    motion b;
    load_motion(&b, r, i, lane);
    give_body(r, rule, i, lane, given, first, s->energy);
    misses(r, i, lane, &b, &s->on, s->most);
    keep_own(r, i, lane, (clv_w *)&s->on, (const clv_w *)&b, sizeof b / sizeof(clv_w));
}

INLINE void finish_begin(const clv_row_trials *r, int group, int lane, finish *s)
{
    load_origin(&s->on, r, group, lane);
    for (int k = 0; k < 3; k++)
        s->energy[k] = clv_w_fill(0.0);
    s->most[0] = s->most[1] = clv_w_fill(0.0);
}

INLINE void finish_end(const clv_row_trials *r, int group, int lane, const finish *s)
{
    for (int k = 0; k < 3; k++)
        clv_w_store(shown(r, group, CLV_TRIAL_KINETIC + k) + lane, s->energy[k]);
    clv_w_store(shown(r, group, CLV_TRIAL_GAP_SPEED) + lane, s->most[0]);
    clv_w_store(shown(r, group, CLV_TRIAL_GAP_RATE) + lane, s->most[1]);
}

void CLV_LANE(clv_rows_give)(clv_row_trials *r, int group, const clv_row_rule *rule, const clv_row_border *to,
                             bool first)
{
    const int end = r->rows.first[group + 1], nstrand = r->rows.plan->group[group].nstrand;
    _Alignas(64) double block[CLV_TRIAL_BLOCK * CLV_TRIAL_GIVEN * G8];
    clv_row_block_place at = {.row = -1};
    finish of[G8 / CLV_LANES];
    memset(block, 0, sizeof block);
    for (int lane = 0; lane < nstrand; lane += CLV_LANES)
        finish_begin(r, group, lane, &of[lane / CLV_LANES]);
    for (int row = r->rows.first[group]; row < end; row += CLV_TRIAL_BLOCK) {
        next_block(r, group, &at);
        take_auxiliaries(r, to, &at, block);
        for (int i = row; i < row + CLV_TRIAL_BLOCK && i < end; i++)
            for (int lane = 0; lane < nstrand; lane += CLV_LANES)
                finish_row(r, rule, i, lane, block + (size_t)(i - row) * CLV_TRIAL_GIVEN * G8 + lane, first,
                           &of[lane / CLV_LANES]);
        put_out_block(r, to, &at, block);
    }
    for (int lane = 0; lane < nstrand; lane += CLV_LANES)
        finish_end(r, group, lane, &of[lane / CLV_LANES]);
}
