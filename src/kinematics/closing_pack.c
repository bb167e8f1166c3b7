/* SPDX-License-Identifier: Apache-2.0
 * Loop joints in lanes: lists, and what threads share out; see closing_pack.h.  closing_pack_lane.c has the kernels. */
#include "kinematics/closing_pack.h"
#include "engine/kernels.h"
#include "kinematics/row_kernels.h"

enum { RUN = 4, LEAST = 5, MOST = 6 }; /* packs that a thread takes at a time; rows of a joint */

/* a revolute or fixed joint with m rows that closes a loop between two rigid bodies */
static bool fits(const clv_plan *p, int edge, int m)
{
    const clv_edge *e = &p->edge[edge];
    if (!clv_edge_closes(e) || e->joint < 0 || e->motion >= 0 || e->nhandle != 2 || e->m != m || e->yields > 0)
        return false;
    const clv_joint *j = &p->model->joint[e->joint];
    return j->kind == (m == LEAST ? CLV_JOINT_REVOLUTE : CLV_JOINT_FIXED) && j->a >= 0 && j->b >= 0 && j->a != j->b &&
           p->model->body[j->a].flex < 0 && p->model->body[j->b].flex < 0;
}

static int count(const clv_plan *p, int m)
{
    int n = 0;
    for (int e = 0; e < p->nedge; e++)
        n += fits(p, e, m);
    return n;
}

static int packs_of(int n) { return (n + CLV_GROUP - 1) / CLV_GROUP; }

void clv_closing_packs_layout(clv_kinematics *k, const clv_plan *p, clv_arena *a)
{
    const int packs = packs_of(count(p, LEAST)) + packs_of(count(p, MOST));
    CLV_TAKE(a, k->pack, packs), CLV_TAKE(a, k->packed, packs > 0 ? p->nedge : 0);
    for (int i = 0; i < packs; i++) {
        clv_closing_pack counting, *x = a->base ? &k->pack[i] : &counting;
        CLV_TAKE(a, x->E, 9 * CLV_GROUP), CLV_TAKE(a, x->O, 3 * CLV_GROUP), CLV_TAKE(a, x->d, 3 * CLV_GROUP);
        CLV_TAKE(a, x->va, 3 * CLV_GROUP), CLV_TAKE(a, x->vb, 3 * CLV_GROUP), CLV_TAKE(a, x->Dd, 6 * CLV_GROUP);
        CLV_TAKE(a, x->missed, CLV_GROUP);
    }
}

/* what is constant: directions and blocks of the three forces, zeros of the moments */
static void constants(clv_kinematics *k, const clv_closing_pack *x, int lane)
{
    double *D = k->D + 36 * (size_t)x->edge[lane];
    for (int i = 0; i < 6 * x->rows; i++) {
        D[i] = i < 18 && i % 7 == 0 ? 1.0 : 0.0;
        k->engine->block[x->at_a[lane] + i] = -D[i], k->engine->block[x->at_b[lane] + i] = D[i];
    }
}

static void add(clv_kinematics *k, int edge)
{
    const clv_edge *e = &k->plan->edge[edge];
    const clv_joint *j = &k->plan->model->joint[e->joint];
    clv_closing_pack *x = &k->pack[k->npack - 1];
    const int b = e->body[0] == j->b ? 0 : 1;
    for (int l = x->n; l < CLV_GROUP; l += x->n == 0 ? 1 : CLV_GROUP) { /* the first one to all lanes */
        x->edge[l] = edge, x->joint[l] = e->joint, x->a[l] = j->a, x->b[l] = j->b, x->row[l] = e->row;
        x->at_a[l] = e->block[1 - b], x->at_b[l] = e->block[b];
    }
    k->packed[edge] = 1;
    constants(k, x, x->n++);
}

/* lanes of kernels for n joints: no more than they fill */
static int width(int n, int most)
{
    int lanes = 1;
    while (lanes < n && lanes < most)
        lanes *= 2;
    return lanes;
}

/* all joints with m rows, eight after eight */
static void add_all(clv_kinematics *k, int m)
{
    const clv_plan *p = k->plan;
    for (int e = 0, n = 0; e < p->nedge; e++) {
        if (!fits(p, e, m))
            continue;
        if (n++ % CLV_GROUP == 0)
            k->pack[k->npack].n = 0, k->pack[k->npack++].rows = m;
        add(k, e);
    }
}

void clv_closing_packs_begin(clv_kinematics *k)
{
    const clv_plan *p = k->plan;
    const int turning = count(p, LEAST), fixed = count(p, MOST);
    k->npack = 0;
    k->pack_kernels = clv_row_kernels_of(width(turning > fixed ? turning : fixed, k->engine->kernels->lanes));
    add_all(k, LEAST), add_all(k, MOST);
    for (int e = 0; k->npack > 0 && e < p->nedge; e++)
        k->pack->all = (e == 0 || k->pack->all) && (k->packed[e] || p->edge[e].tree_body >= 0);
}

static void pose(void *of, int pack)
{
    clv_kinematics *k = of;
    k->pack_kernels->closing_pose(k, &k->pack[pack]);
}
static void fill(void *of, int pack)
{
    clv_kinematics *k = of;
    k->pack_kernels->closing_fill(k, &k->pack[pack]);
}
static void rates(void *of, int pack)
{
    clv_kinematics *k = of;
    k->pack_kernels->closing_rate(k, &k->pack[pack]);
}

static void run(clv_kinematics *k, clv_team_work *work)
{
    if (k->npack > 0 && !k->lane)
        clv_team_run_each(k->engine->team, k->npack, RUN, work, k);
}

void clv_closing_packs_pose(clv_kinematics *k) { run(k, pose); }
void clv_closing_packs_fill(clv_kinematics *k) { run(k, fill); }
void clv_closing_packs_rates(clv_kinematics *k) { run(k, rates); }

void clv_closing_packs_loads(const clv_kinematics *k, const double *sigma, double *W)
{
    for (int i = 0; !k->lane && i < k->npack && k->pack[i].rows == LEAST; i++)
        k->pack_kernels->closing_turning(k, &k->pack[i], sigma, W);
}

typedef struct comparison {
    const clv_kinematics *k;
    const double *x;
    double *g;
} comparison;
static void compare(void *of, int pack)
{
    const comparison *c = of;
    c->k->pack_kernels->closing_miss(c->k, &c->k->pack[pack], c->x, c->g);
}

double clv_closing_packs_residual(const clv_kinematics *k, const double *x, double *g)
{
    double worst = 0;
    if (k->npack == 0 || k->lane)
        return worst;
    clv_team_run_each(k->engine->team, k->npack, RUN, compare, &(comparison){k, x, g});
    for (int i = 0; i < k->npack; i++)
        for (int l = 0; l < k->pack[i].n; l++)
            worst = k->pack[i].missed[l] > worst ? k->pack[i].missed[l] : worst;
    return worst;
}
