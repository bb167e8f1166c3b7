/* SPDX-License-Identifier: Apache-2.0
 * Ports of segments with loops (T160); see row_ports.h. */
#include "kinematics/row_ports.h"
#include "kinematics/row_axes.h"
#include "kinematics/row_carry_parts.h"
#include "math/rotation.h"
#include "math/spatial.h"

void clv_rows_part_layout(clv_segment_part *part, const clv_plan_segment *segment, clv_arena *a)
{
    const int n = segment->nport, rows = 6 * n;
    part->n = n, part->before = segment->before;
    CLV_TAKE(a, part->X, rows * (rows + 1) / 2), CLV_TAKE(a, part->x, 2 * rows), CLV_TAKE(a, part->F, 2 * rows);
    CLV_TAKE(a, part->free, 2 * n), CLV_TAKE(a, part->at, n);
}

/* from the reference point of a body to its centre of mass */
static void arm_of(const clv_kinematics *k, int body, double l[3])
{
    clv_sub3(l, k->com + 3 * (size_t)body, k->ref + 3 * (size_t)body);
}

void clv_rows_fill_ports(const clv_rows *w, const clv_kinematics *k)
{
    const clv_plan *p = w->plan;
    for (int i = 0; i < p->nport; i++) {
        const clv_edge *e = &p->edge[p->nedge + i];
        double *B = w->engine->block + e->block[0], l[3];
        arm_of(k, e->body[0], l);
        for (int j = 0; j < 6; j++) {
            double unit[6] = {0}, W[6];
            unit[j] = 1.0;
            clv_row_to_global(k->R + 9 * (size_t)e->body[0], W, unit);
            clv_wrench_shift(B + 6 * j, l, W);
        }
    }
}

/* ------------------------------------------------------------------ what a segment shows */

static int at(int i, int j) { return i * (i + 1) / 2 + j; }

/* the acceleration of a centre of mass beside its reference point: w x (w x l), axes of the body */
static void add_turning(const clv_kinematics *k, int body, double x[6])
{
    const double *w = k->V + 6 * (size_t)body + 3;
    double l[3], v[3], a[3];
    arm_of(k, body, l);
    clv_cross(v, w, l), clv_cross(v, w, v);
    clv_mat3_transpose_times(a, k->R + 9 * (size_t)body, v);
    clv_axpy3(x, 1.0, a);
}

static void take_motions(const clv_rows *w, int first, const clv_segment_part *part, double *x)
{
    const double *g = w->carry.g + w->plan->nsigma + 6 * first;
    for (int i = 0; i < 6 * part->n; i++)
        x[i] = -g[i];
}

void clv_rows_more_parts(const clv_rows *w, clv_segment_part *part)
{
    for (int i = 0; i < w->plan->nsegment; i++)
        take_motions(w, w->port_first[i], &part[i], part[i].x + 6 * part[i].n);
}

static void begin_part(const clv_rows *w, const clv_kinematics *k, int first, bool moving, clv_segment_part *part)
{
    const clv_plan *p = w->plan;
    take_motions(w, first, part, part->x);
    memset(part->X, 0, (size_t)at(6 * part->n, 0) * sizeof *part->X);
    for (int i = 0; i < part->n; i++) {
        const clv_edge *e = &p->edge[p->nedge + first + i];
        const clv_body *b = &p->model->body[e->body[0]];
        if (moving)
            add_turning(k, e->body[0], part->x + 6 * i);
        part->free[2 * i] = 1 / b->mass, part->free[2 * i + 1] = 3 / (b->J[0] + b->J[1] + b->J[2]);
    }
}

/* adds what rows of an element that is left on ground have in common; all of them belong to one segment */
static void add_element(const clv_rows *w, int element, const int *place, int n, clv_segment_part *part)
{
    const int *first = w->port_first;
    int k = 0;
    while (n > 0 && place[0] >= 6 * (first[k] + part[k].n))
        k++;
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            const int a = place[i] - 6 * first[k], b = place[j] - 6 * first[k];
            part[k].X[a > b ? at(a, b) : at(b, a)] += clv_rows_compliance(w, element, i, j);
        }
}

void clv_rows_parts(const clv_rows *w, const clv_kinematics *k, bool moving, clv_segment_part *part)
{
    const clv_plan *p = w->plan;
    const clv_carry *c = p->carry;
    const clv_meet *ground = &c->meet[p->nstrand];
    for (int i = 0, first = 0; i < p->nsegment; first += part[i++].n)
        begin_part(w, k, first, moving, &part[i]);
    for (int i = 0; i < ground->nleft; i++) {
        const int element = c->list[ground->left + 2 * i], *place = c->list + c->list[ground->left + 2 * i + 1];
        const int n = element < p->nstrand ? w->carry.strand[element].n : c->front[element - p->nstrand].nleft;
        add_element(w, element, place, n, part);
    }
}

void clv_rows_give_parts(clv_rows *w, const clv_segment_part *part, int set)
{
    const clv_plan *p = w->plan;
    double *sigma = w->engine->sigma + p->nsigma;
    for (int i = 0; i < p->nsegment; sigma += 6 * part[i++].n)
        memcpy(sigma, part[i].F + 6 * set * part[i].n, 6 * (size_t)part[i].n * sizeof *sigma);
}

/* ------------------------------------------------------------------ places */

void clv_rows_ports_at(const clv_rows *w, const clv_kinematics *k, clv_segment_part *part)
{
    const clv_plan *p = w->plan;
    for (int i = 0; i < p->nsegment; i++)
        for (int n = 0; n < part[i].n; n++) {
            const int b = p->segment[i].port[n];
            clv_segment_move *m = &part[i].at[n];
            double l[3];
            for (int r = 0; r < 9; r++) /* axes by columns */
                m->frame[3 * (r % 3) + r / 3] = k->R[9 * (size_t)b + (size_t)r];
            memcpy(m->frame + 9, k->com + 3 * (size_t)b, 3 * sizeof(double));
            arm_of(k, b, l);
            clv_motion_shift(m->motion, l, k->V + 6 * (size_t)b);
        }
}

void clv_segment_differ(const clv_segment_move *own, const clv_segment_move *other, bool motions, double differ[6])
{
    double d[6];
    for (int r = 0; r < 6; r++)
        d[r] = own->motion[r] - other->motion[r];
    if (!motions) { /* the angle between the axes, as half of the sum of a x a' */
        double x[3];
        clv_sub3(d, own->frame + 9, other->frame + 9);
        memset(d + 3, 0, 3 * sizeof *d);
        for (int a = 0; a < 3; a++)
            clv_cross(x, other->frame + 3 * a, own->frame + 3 * a), clv_axpy3(d + 3, 0.5, x);
    }
    for (int r = 0; r < 3; r++)
        differ[r] = clv_dot3(own->frame + 3 * r, d), differ[3 + r] = clv_dot3(own->frame + 3 * r, d + 3);
}
