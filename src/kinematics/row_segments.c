/* SPDX-License-Identifier: Apache-2.0
 * Segments in rows (T80); see row_segments.h.  Along the strands from the root to the handle, with X of row_join.c,
 *
 *   J of the last = wrench on the handle at its tip,   J of the one before = R X^T J,   (1 + L H) Z = L J       T80.2
 *   K = X^T J of the first,   L = sum of J^T Z,   t = sum of J^T y
 *   on the way back: tip + Z F, wrench at the tip + J F */
#include "kinematics/row_segments.h"
#include "kinematics/row_axes.h"
#include "kinematics/row_frame.h"
#include "kinematics/row_joints.h"
#include "kinematics/row_kernels.h"

/* ------------------------------------------------------------------ lists */

static void list_path(clv_rows *w, int segment, int first)
{
    clv_row_segment *s = &w->segment[segment];
    int n = 0;
    s->first = first;
    for (int k = s->handle < 0 ? -1 : w->strand_of[s->handle]; k >= 0; n++)
        w->path[first + n] = k, k = w->origin[k] < 0 ? -1 : w->strand_of[w->origin[k]];
    s->count = n;
    for (int i = 0; i < n / 2; i++) {
        const int k = w->path[first + i];
        w->path[first + i] = w->path[first + n - 1 - i], w->path[first + n - 1 - i] = k;
    }
    for (int i = 0; i < n; i++)
        w->reach_of[w->path[first + i]] = first + i;
}

void clv_rows_list_segments(clv_rows *w)
{
    const clv_plan *p = w->plan;
    if (p->nsegment == 0)
        return;
    for (int k = 0; k < p->nstrand; k++)
        w->reach_of[k] = w->root_of[k] = -1;
    for (int i = 0, ports = 0; i < p->nsegment; ports += p->segment[i++].nport)
        w->port_first[i] = ports;
    for (int i = 0, first = 0; i < p->nsegment; first += w->segment[i++].count) {
        const int root = p->segment[i].root;
        w->segment[i] = (clv_row_segment){.root = root < 0 ? -1 : w->strand_of[root], .handle = p->segment[i].handle};
        if (root >= 0)
            w->root_of[w->segment[i].root] = i;
        list_path(w, i, first);
    }
}

/* body at the tip of strand n of a path */
static int tip_of(const clv_rows *w, const clv_row_segment *s, int n)
{
    return n + 1 < s->count ? w->origin[w->path[s->first + n + 1]] : s->handle;
}

/* ------------------------------------------------------------------ poses */

void clv_rows_segment_move(const clv_rows *w, int k, bool moving, const clv_segment_move *start, clv_segment_move *to)
{
    const clv_row_segment *s = &w->segment[k];
    const double *at;
    double E[9], l[3], x[3], B[9], R[9];
    *to = *start;
    for (int n = 0; n < s->count; n++) {
        const int body = tip_of(w, s, n);
        double f[CLV_FRAME], run[6] = {0};
        clv_row_get(clv_row_attached(w, w->frame, CLV_FRAME, body), CLV_FRAME, f);
        if (moving)
            clv_row_get(clv_row_attached(w, w->run, 6, body), 6, run);
        clv_frame_product(to->frame, f);
        if (moving)
            clv_frame_run(to->frame, f, to->motion, run), memcpy(to->motion, run, sizeof run);
        memcpy(to->frame, f, sizeof f);
    }
    if (s->count == 0)
        return;
    for (int i = 0; i < 9; i++)
        B[i] = to->frame[3 * (i % 3) + i / 3];
    clv_row_own_frame(w->plan, s->handle, E, &at);
    clv_mat3_product_transpose(R, B, E);
    clv_sub3(l, w->plan->model->body[s->handle].com, at);
    clv_mat3_times(x, R, l);
    for (int i = 0; i < 9; i++)
        to->frame[3 * (i % 3) + i / 3] = R[i];
    clv_axpy3(to->frame + 9, 1.0, x);
    clv_motion_shift(to->motion, x, to->motion);
}

/* ------------------------------------------------------------------ ports */

static void turn(double y[6], const double R[9], const double x[6])
{
    double z[6];
    clv_mat3_times(z, R, x), clv_mat3_times(z + 3, R, x + 3);
    memcpy(y, z, sizeof z);
}

/* C = A^T B, 6 x 6 */
static void transpose_product(double C[36], const double A[36], const double B[36])
{
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) {
            double sum = 0;
            for (int n = 0; n < 6; n++)
                sum += A[6 * n + i] * B[6 * n + j];
            C[6 * i + j] = sum;
        }
}

/* a wrench on the handle, in its axes about its centre of mass, at the tip of its strand */
static void handle_wrench(const clv_rows *w, const clv_kinematics *k, int body, double J[36])
{
    double axes[9], R[9], l[3], r[3], W[6];
    clv_row_axes(w, w->strand_of[body], axes);
    clv_mat3_transpose_product(R, axes, k->R + 9 * (size_t)body);
    clv_sub3(l, k->com + 3 * (size_t)body, k->ref + 3 * (size_t)body);
    clv_mat3_transpose_times(r, axes, l);
    for (int j = 0; j < 6; j++) {
        double unit[6] = {0};
        unit[j] = 1.0;
        turn(W, R, unit), clv_wrench_shift(W, r, W);
        for (int i = 0; i < 6; i++)
            J[6 * i + j] = W[i];
    }
}

void clv_rows_segment_reach(clv_rows *w, const clv_kinematics *k, int strand)
{
    const int at = w->reach_of[strand];
    if (at < 0)
        return;
    const clv_strand *st = &w->plan->strand[strand];
    clv_row_reach *r = &w->reach[at];
    const bool last = at + 1 == w->plan->nstrand || w->origin[w->path[at + 1]] < 0 ||
                      w->strand_of[w->origin[w->path[at + 1]]] != strand;
    if (last)
        handle_wrench(w, k, w->plan->bodies[st->first + st->length - 1], r->J);
    w->kernels->reach(&w->join[strand], &w->engine->out[st->group], st->lane, r->J, r->Z);
    if (w->origin[strand] < 0)
        return;
    double *J = r[-1].J, M[36], column[6];
    transpose_product(M, w->join[strand].X, r->J);
    for (int j = 0; j < 6; j++) {
        for (int i = 0; i < 6; i++)
            column[i] = M[6 * i + j];
        turn(column, w->join[strand].R, column);
        for (int i = 0; i < 6; i++)
            J[6 * i + j] = column[i];
    }
}

/* the acceleration of the centre of mass of a body beside its reference point: w x (w x l), its axes */
static void add_turning(const clv_kinematics *k, int body, double t[6])
{
    const double *turn = k->V + 6 * (size_t)body + 3;
    double l[3], v[3], a[3];
    clv_sub3(l, k->com + 3 * (size_t)body, k->ref + 3 * (size_t)body);
    clv_cross(v, turn, l), clv_cross(v, turn, v);
    clv_mat3_transpose_times(a, k->R + 9 * (size_t)body, v);
    clv_axpy3(t, 1.0, a);
}

void clv_rows_segment_ports(const clv_rows *w, const clv_kinematics *k, int segment, bool moving, clv_segment_ports *to)
{
    const clv_row_segment *s = &w->segment[segment];
    memset(to, 0, sizeof *to);
    if (s->root >= 0)
        memcpy(to->I, w->join[s->root].I, sizeof to->I), memcpy(to->p, w->join[s->root].p, sizeof to->p);
    for (int n = 0; n < s->count; n++) {
        const clv_row_reach *r = &w->reach[s->first + n];
        const clv_row_join *join = &w->join[w->path[s->first + n]];
        double M[36];
        transpose_product(M, r->J, r->Z);
        for (int i = 0; i < 36; i++)
            to->L[i] += M[i];
        for (int i = 0; i < 6; i++)
            for (int j = 0; j < 6; j++)
                to->t[i] += r->J[6 * j + i] * join->y[j];
        if (n == 0)
            transpose_product(to->K, join->X, r->J);
    }
    if (s->count > 0 && moving)
        add_turning(k, s->handle, to->t);
}

void clv_rows_segment_ends(clv_rows *w, int segment, const clv_segment_ends *ends)
{
    clv_row_segment *s = &w->segment[segment];
    memcpy(s->x, ends->x, sizeof s->x), memcpy(s->F, ends->F, sizeof s->F), memcpy(s->W, ends->W, sizeof s->W);
}

void clv_rows_segment_push(const clv_rows *w, int strand, double tip[6], double F[6])
{
    const int at = w->reach_of[strand];
    if (at < 0)
        return;
    const double *push = w->segment[w->plan->segment_of[w->plan->bodies[w->plan->strand[strand].first]]].F;
    for (int i = 0; i < 6; i++)
        tip[i] += clv_dot6(w->reach[at].Z + 6 * i, push), F[i] += clv_dot6(w->reach[at].J + 6 * i, push);
}

/* ------------------------------------------------------------------ impulses */

/* a wrench in the axes of a body about its centre of mass: at its reference point, global axes */
static void global_wrench(const clv_kinematics *k, int body, const double F[6], double W[6])
{
    double l[3];
    clv_mat3_times(W, k->R + 9 * (size_t)body, F), clv_mat3_times(W + 3, k->R + 9 * (size_t)body, F + 3);
    clv_sub3(l, k->com + 3 * (size_t)body, k->ref + 3 * (size_t)body);
    clv_wrench_shift(W, l, W);
}

/* sign v x f: f the force of W, v the velocity of the centre of mass */
static void add_pair(clv_rows *w, const clv_kinematics *k, int body, const double W[6], double sign)
{
    double l[3], v[3], pair[6] = {0};
    const double *V = k->V + 6 * (size_t)body;
    clv_sub3(l, k->com + 3 * (size_t)body, k->ref + 3 * (size_t)body);
    clv_cross(v, V + 3, l), clv_axpy3(v, 1.0, V);
    clv_cross(pair + 3, v, W);
    for (int i = 3; i < 6; i++)
        pair[i] *= sign;
    clv_rows_attach(w, w->Q, body, pair);
}

void clv_rows_segment_pairs(clv_rows *w, const clv_kinematics *k, int held)
{
    for (int i = 0; i < w->plan->nsegment; i++) {
        const clv_plan_segment *g = &w->plan->segment[i];
        double W[6];
        if (g->handle >= 0 && i != held)
            global_wrench(k, g->handle, w->segment[i].F, W), add_pair(w, k, g->handle, W, -1.0);
        if (g->root >= 0 && !g->free)
            global_wrench(k, g->root, w->segment[i].W, W), add_pair(w, k, g->root, W, 1.0);
    }
}

static void add_momentum(clv_rows *w, const clv_kinematics *k, int body, const double F[6], double sign)
{
    double W[6];
    global_wrench(k, body, F, W);
    for (int n = 0; n < 6; n++)
        W[n] *= sign;
    clv_rows_attach(w, w->P, body, W);
}

void clv_rows_segment_handle_momenta(clv_rows *w, const clv_kinematics *k, double sign)
{
    for (int i = 0; i < w->plan->nsegment; i++)
        if (w->plan->segment[i].handle >= 0)
            add_momentum(w, k, w->plan->segment[i].handle, w->segment[i].F, -sign);
}

void clv_rows_segment_root_momenta(clv_rows *w, const clv_kinematics *k, double sign)
{
    for (int i = 0; i < w->plan->nsegment; i++)
        if (w->plan->segment[i].root >= 0 && !w->plan->segment[i].free)
            add_momentum(w, k, w->plan->segment[i].root, w->segment[i].W, sign);
}

/* ------------------------------------------------------------------ sums */

void clv_rows_segment_energies(const clv_rows *w, const double gravity[3], double *each)
{
    const clv_plan *p = w->plan;
    memset(each, 0, 3 * (size_t)p->nsegment * sizeof *each);
    for (int i = 0; i < p->nstrand; i++) {
        double *to = each + 3 * (size_t)p->segment_of[p->bodies[p->strand[i].first]], s[3], m[4], G[3];
        const clv_row_ends *o = clv_row_ends_of(w, i);
        const int l = p->strand[i].lane;
        clv_row_get(o->start + 9 * G8 + l, 3, s), clv_row_get(o->mass + l, 4, m), clv_row_get(o->gravity + l, 3, G);
        to[0] += o->energy[l], to[2] += o->energy[G8 + l];
        to[1] -= m[0] * clv_dot3(gravity, s) + clv_dot3(G, m + 1);
    }
}
