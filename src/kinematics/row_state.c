/* SPDX-License-Identifier: Apache-2.0
 * State vectors into rows and back (T43).  A spherical joint has its rotation from the quaternion in the frame of its
 * first row, and rates in axes of the child.  Where the joint is passed from b to a, the state has them in axes of the
 * parent,
 *
 *   u = -T u',  p = -T p',  p' of the state = -T (rate of p') - u x p
 *
 * with T from axes of the child to those of the parent. */
#include "kinematics/place.h"
#include "kinematics/rows.h"

enum { G8 = CLV_GROUP };

/* the slots of a group with an index, lane by lane; n: places so far */
static int group_runs(const clv_rows *w, int group, const int *index, clv_row_place *place, int n)
{
    const int before = n;
    for (int lane = 0; lane < G8; lane++)
        for (int i = w->first[group] * G8 + lane; i < w->first[group + 1] * G8; i += G8) {
            clv_row_place *last = n > before ? &place[n - 1] : NULL;
            if (index[i] < 0)
                continue;
            if (last && last->slot + G8 * last->count == i && last->index + last->count == index[i])
                last->count++;
            else
                place[n++] = (clv_row_place){i, index[i], 1};
        }
    return n;
}

/* the same one by one, where runs are short: no branch depends on their lengths then */
static int group_places(const clv_rows *w, int group, const int *index, clv_row_place *place, int n)
{
    int end = group_runs(w, group, index, place, n), numbers = 0;
    for (int k = n; k < end; k++)
        numbers += place[k].count;
    if (numbers > CLV_ROW_SHORT * (end - n))
        return end;
    end = n;
    for (int i = w->first[group] * G8; i < w->first[group + 1] * G8; i++)
        if (index[i] >= 0)
            place[end++] = (clv_row_place){i, index[i], 0};
    return end;
}

int clv_rows_places(const clv_rows *w, const int *index, clv_row_place *place, int *first)
{
    int n = 0;
    for (int g = 0; g < w->plan->ngroup; g++)
        first[g] = n, n = group_places(w, g, index, place, n);
    return first[w->plan->ngroup] = n;
}

/* rows x := v, and back */
static void take(const clv_row_place *restrict at, int n, const double *restrict v, double *restrict x)
{
    const bool runs = n > 0 && at->count > 0;
    for (int k = 0; k < n && !runs; k++)
        x[at[k].slot] = v[at[k].index];
    for (int k = 0; k < n && runs; k++) {
        const double *from = v + at[k].index;
        double *to = x + at[k].slot;
        for (int i = at[k].count; i > 0; i--, from++, to += G8)
            *to = *from;
    }
}
static void give(const clv_row_place *restrict at, int n, const double *restrict x, double *restrict v)
{
    const bool runs = n > 0 && at->count > 0;
    for (int k = 0; k < n && !runs; k++)
        v[at[k].index] = x[at[k].slot];
    for (int k = 0; k < n && runs; k++) {
        const double *from = x + at[k].slot;
        double *to = v + at[k].index;
        for (int i = at[k].count; i > 0; i--, to++, from += G8)
            *to = *from;
    }
}

void clv_rows_group_coordinates(const clv_rows *w, int group, const double *q)
{
    take(w->q_at + w->q_first[group], w->q_first[group + 1] - w->q_first[group], q, w->q);
}
void clv_rows_group_rates(const clv_rows *w, int group, const double *v, double *x)
{
    take(w->u_at + w->u_first[group], w->u_first[group + 1] - w->u_first[group], v, x);
}
void clv_rows_group_give_coordinates(const clv_rows *w, int group, const double *x, double *qdot)
{
    give(w->q_at + w->q_first[group], w->q_first[group + 1] - w->q_first[group], x, qdot);
}
void clv_rows_group_give_rates(const clv_rows *w, int group, const double *x, double *v)
{
    give(w->u_at + w->u_first[group], w->u_first[group + 1] - w->u_first[group], x, v);
}

/* a copy between a state vector and rows, shared out */
typedef struct copy {
    const clv_rows *w;
    const double *from;
    double *to;
} copy;
static void copy_coordinates(void *of, int group)
{
    const copy *c = of;
    clv_rows_group_coordinates(c->w, group, c->from);
}
static void copy_rates(void *of, int group)
{
    const copy *c = of;
    clv_rows_group_rates(c->w, group, c->from, c->to);
}
static void copy_out_coordinates(void *of, int group)
{
    const copy *c = of;
    clv_rows_group_give_coordinates(c->w, group, c->from, c->to);
}
static void copy_out_rates(void *of, int group)
{
    const copy *c = of;
    clv_rows_group_give_rates(c->w, group, c->from, c->to);
}

/* a spherical joint whose rates differ from those of the state? */
static bool turned(const clv_rows *w, const clv_row_ball *b) { return w->plan->tree[b->body].reversed; }

/* three rows of one lane */
static void lane_get(const double *x, int slot, double v[3])
{
    for (int i = 0; i < 3; i++)
        v[i] = x[slot + i * G8];
}

/* v := -T x of its rows */
static void turn_out(const clv_row_ball *b, const double *x, double v[3])
{
    double y[3];
    lane_get(x, b->slot, y);
    clv_mat3_times(v, b->T, y);
    for (int i = 0; i < 3; i++)
        v[i] = -v[i];
}

void clv_rows_take_coordinates(clv_rows *w, const double *q)
{
    clv_rows_all(w, copy_coordinates, &(copy){w, q, w->q});
    for (int k = 0; k < w->nball; k++) {
        clv_row_ball *b = &w->ball[k];
        double R[9], E[9], *to = w->E + (size_t)(b->slot / G8) * 9 * G8 + b->slot % G8;
        clv_quat_rotation(R, q + w->plan->tree[b->body].iq);
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                b->T[3 * i + j] = turned(w, b) ? R[3 * j + i] : R[3 * i + j];
        clv_mat3_product(E, b->E, b->T);
        for (int i = 0; i < 3; i++) /* x is the axis of the first row: columns y z x */
            for (int j = 0; j < 3; j++)
                to[(3 * i + j) * G8] = E[3 * i + (j + 1) % 3];
    }
}

void clv_rows_take_rates(const clv_rows *w, const double *v, double *x)
{
    clv_rows_all(w, copy_rates, &(copy){w, v, x});
    for (int k = 0; k < w->nball; k++) {
        const clv_row_ball *b = &w->ball[k];
        double y[3];
        if (!turned(w, b))
            continue;
        clv_mat3_transpose_times(y, b->T, v + w->plan->tree[b->body].iu);
        for (int i = 0; i < 3; i++)
            x[b->slot + i * G8] = -y[i];
    }
}

void clv_rows_give_rates(const clv_rows *w, const double *x, double *v)
{
    clv_rows_all(w, copy_out_rates, &(copy){w, x, v});
    for (int k = 0; k < w->nball; k++)
        if (turned(w, &w->ball[k]))
            turn_out(&w->ball[k], x, v + w->plan->tree[w->ball[k].body].iu);
}

void clv_rows_give_momentum_rates(const clv_rows *w, const double *x, const double *p, double *pdot)
{
    clv_rows_give_rates(w, w->pdot, pdot);
    for (int k = 0; k < w->nball; k++) {
        const clv_row_ball *b = &w->ball[k];
        const int iu = w->plan->tree[b->body].iu;
        double u[3], n[3];
        if (!turned(w, b))
            continue;
        turn_out(b, x, u);
        clv_cross(n, u, p + iu);
        clv_axpy3(pdot + iu, -1.0, n);
    }
}

void clv_rows_give_coordinates(const clv_rows *w, const double *q, const double *x, double *qdot)
{
    clv_rows_all(w, copy_out_coordinates, &(copy){w, x, qdot});
    for (int k = 0; k < w->nball; k++) {
        const clv_row_ball *b = &w->ball[k];
        const int iq = w->plan->tree[b->body].iq;
        double u[3];
        if (turned(w, b))
            turn_out(b, x, u);
        else
            lane_get(x, b->slot, u);
        clv_joint_qdot(CLV_JOINT_SPHERICAL, q + iq, u, qdot + iq);
    }
}

void clv_rows_take_motions(clv_rows *w, const clv_kinematics *k)
{
    for (int i = 0; i < w->ndrive; i++) {
        clv_row_drive *d = &w->drive[i];
        clv_kinematics_motion(k, d->motion, &w->q[d->slot], &d->u, &d->ud);
        w->u[d->slot] = d->u;
    }
}

void clv_rows_know(clv_rows *w, bool accelerations)
{
    for (int i = 0; i < w->ndrive; i++)
        w->known[w->drive[i].slot] = accelerations ? w->drive[i].ud : w->drive[i].u;
}

void clv_rows_know_nothing(clv_rows *w)
{
    for (int i = 0; i < w->ndrive; i++)
        w->known[w->drive[i].slot] = 0;
}

void clv_rows_go_on(clv_rows *w)
{
    memcpy(w->u, w->rates, (size_t)w->nrow * G8 * sizeof(double));
    for (int i = 0; i < w->ndrive; i++)
        w->u[w->drive[i].slot] = w->drive[i].u;
    for (int g = 0; g < w->plan->ngroup; g++)
        memcpy(w->end[g].motion, w->engine->out[g].x, 6 * G8 * sizeof(double));
}
