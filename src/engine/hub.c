/* SPDX-License-Identifier: Apache-2.0
 * The node that takes up petals (T5.6).  Petals show at their hub h an inertia A_k and a wrench b_k each: the wrench on
 * the hub is b - A x_h, with the sums A = C C^T and b over all of them.  With the part x = Xi T + x0 that holds the hub
 *
 *   s = C^T x_h = Z^-1 C^T (x0_h + Xi_hh b + Xi_he T_e),   Z = 1 + C^T Xi_hh C
 *   wrench on the hub  f = b - C s
 *   Xi := Xi_ee - Xi_eh C Z^-1 C^T Xi_he,   x0 := x0_e + Xi_eh f(T_e = 0)
 *
 * A hub with n petals so costs n small factors and one of 6 x 6, in one level of the assembly tree.  Without it each
 * petal would be a level of its own.
 * Z is positive definite whatever petals and hub are.  Directions of A below rounding of its diagonal are left out. */
#include <math.h>
#include <string.h>
#include "base/tolerance.h"
#include "engine/engine.h"
#include "math/rank.h"
#include "math/spatial.h"

typedef struct hub {
    const clv_part *part;
    int P, N, at;            /* components at its ports, at those of its child; first of the hub's body there */
    const int *port;         /* first components of its ports there                                           */
    double *Xi, *x0, *T;
    double *C, *X;           /* C (6 x 6); C^T Xi_he for all components e of the child (6 x N)                 */
    double *rank, *b, *f;    /* factor of Z; b; f at T_e = 0                                                  */
} hub;

static int child_size(const clv_plan *p, int part) { return 6 * p->part[p->part[part].child[0]].nport; }

size_t clv_hub_size(const clv_plan *p, int part)
{
    return 36 + 6 * (size_t)child_size(p, part) + CLV_RANK_SIZE((size_t)6) + 12;
}

static hub hub_at(const clv_engine *e, int k)
{
    const clv_plan *p = e->plan;
    hub n = {.part = &p->part[k], .port = e->port_at + p->part[k].port};
    const clv_part *child = &p->part[n.part->child[0]];
    n.P = 6 * n.part->nport, n.N = 6 * child->nport;
    /* components of the hub among those of the child */
    while (p->ports[child->port + n.at / 6] != n.part->hub)
        n.at += 6;
    n.Xi = clv_part_Xi(e, k), n.x0 = clv_part_x0(e, k), n.T = clv_part_T(e, k);
    /* what the node keeps beside Xi, x0, T: clv_hub_size */
    n.C = n.T + n.P, n.X = n.C + 36, n.rank = n.X + 6 * n.N;
    n.b = n.rank + CLV_RANK_SIZE(6), n.f = n.b + 6;
    return n;
}

/* C of the inertia A, by columns of pivots; unused columns are 0.  False: A is not finite. */
static bool root_of(double *C, const double *A)
{
    double memory[CLV_RANK_SIZE(6)], scale[6], pivot;
    clv_rank f = clv_rank_view(6, 6, memory);
    /* scaled by its diagonal: rotations and translations have different units */
    for (int i = 0; i < 6; i++)
        scale[i] = A[7 * i] > 0 ? sqrt(A[7 * i]) : 1.0;
    const int r = clv_rank_factor(&f, A, scale, CLV_TOL_PIVOT, &pivot);
    memset(C, 0, 36 * sizeof *C);
    /* C = S P^T L, rows back in their order */
    for (int k = 0; k < 6; k++)
        for (int j = 0; j < r && j <= k; j++)
            C[6 * (int)f.order[k] + j] = scale[(int)f.order[k]] * f.L[6 * k + j];
    return r >= 0;
}

/* y := Z^-1 y */
static void solve(const hub *n, double *y)
{
    const clv_rank f = clv_rank_view(6, 6, n->rank);
    clv_rank_solve(&f, y);
}

/* y := C^T x */
static void times_CT(const hub *n, double *y, const double *x)
{
    for (int j = 0; j < 6; j++) {
        y[j] = 0;
        for (int i = 0; i < 6; i++)
            y[j] += n->C[6 * i + j] * x[i];
    }
}
/* f -= C y */
static void take_C(const hub *n, double *f, const double *y)
{
    for (int i = 0; i < 6; i++)
        f[i] -= clv_dot6(n->C + 6 * i, y);
}

/* Xi := Xi_ee - X_e^T Z^-1 X_e */
static void condense(const clv_engine *e, const hub *n)
{
    const clv_rank f = clv_rank_view(6, 6, n->rank);
    const double *Xc = clv_part_Xi(e, n->part->child[0]);
    for (int a = 0; a < n->P; a++) {
        /* component a of the ports among those of the child */
        const int ra = n->port[a / 6] + a % 6;
        double G[6];
        for (int j = 0; j < 6; j++)
            G[j] = n->X[j * n->N + ra];
        clv_rank_solve(&f, G);
        for (int b = 0; b <= a; b++) {
            const int rb = n->port[b / 6] + b % 6;
            double t = Xc[ra * n->N + rb];
            for (int j = 0; j < 6; j++)
                t -= G[j] * n->X[j * n->N + rb];
            n->Xi[a * n->P + b] = n->Xi[b * n->P + a] = t;
        }
    }
}

bool clv_hub_factor(clv_engine *e, int k)
{
    const hub n = hub_at(e, k);
    const double *Xc = clv_part_Xi(e, n.part->child[0]);
    clv_rank f = clv_rank_view(6, 6, n.rank);
    double A[36] = {0}, Z[36], pivot;
    e->nullity[k] = 0;
    /* petals are the parts just before their node; A is their sum, in that order */
    for (int i = k - n.part->npetal; i < k; i++)
        for (int j = 0; j < 36; j++)
            A[j] += clv_part_Xi(e, i)[j];
    if (!root_of(n.C, A))
        return false;
    for (int j = 0; j < 6; j++)
        /* X = C^T Xi_h: rows of the hub, all components of the child */
        for (int c = 0; c < n.N; c++) {
            double t = 0;
            for (int i = 0; i < 6; i++)
                t += n.C[6 * i + j] * Xc[(n.at + i) * n.N + c];
            n.X[j * n.N + c] = t;
        }
    /* Z = 1 + X_h C, lower triangle */
    for (int i = 0; i < 6; i++)
        for (int j = 0; j <= i; j++) {
            Z[6 * i + j] = i == j ? 1.0 : 0.0;
            for (int c = 0; c < 6; c++)
                Z[6 * i + j] += n.X[i * n.N + n.at + c] * n.C[6 * c + j];
        }
    /* Z is at least the unit matrix: no scales, no threshold */
    if (clv_rank_factor(&f, Z, NULL, 0.0, &pivot) < 0)
        return false;
    condense(e, &n);
    return true;
}

void clv_hub_up(clv_engine *e, int k)
{
    const hub n = hub_at(e, k);
    const double *Xc = clv_part_Xi(e, n.part->child[0]), *x0 = clv_part_x0(e, n.part->child[0]);
    double y[6], s[6];
    memset(n.b, 0, 6 * sizeof *n.b);
    /* b of all petals */
    for (int i = k - n.part->npetal; i < k; i++)
        clv_add6(n.b, clv_part_x0(e, i));
    for (int i = 0; i < 6; i++)
        /* motion of the hub under b alone */
        y[i] = x0[n.at + i] + clv_dot6(Xc + (n.at + i) * n.N + n.at, n.b);
    times_CT(&n, s, y);
    solve(&n, s);
    /* f = b - C s */
    memcpy(n.f, n.b, 6 * sizeof *n.f);
    take_C(&n, n.f, s);
    for (int a = 0; a < n.P; a++) {
        const int ra = n.port[a / 6] + a % 6;
        n.x0[a] = x0[ra] + clv_dot6(Xc + ra * n.N + n.at, n.f);
    }
}

/* T of the child: that of the ports */
static double *hand_on(clv_engine *e, const hub *n)
{
    double *T = clv_part_T(e, n->part->child[0]);
    memset(T, 0, (size_t)n->N * sizeof *T);
    for (int a = 0; a < n->P; a += 6)
        memcpy(T + n->port[a / 6], n->T + a, 6 * sizeof *T);
    return T;
}

/* f, then the motion of the hub, which petals find in the place of their T */
void clv_hub_down(clv_engine *e, int k)
{
    const hub n = hub_at(e, k);
    const double *Xc = clv_part_Xi(e, n.part->child[0]), *x0 = clv_part_x0(e, n.part->child[0]);
    double *T = hand_on(e, &n), s[6], f[6], x[6];
    /* what T_e adds to s */
    for (int j = 0; j < 6; j++) {
        s[j] = 0;
        for (int c = 0; c < n.N; c++)
            s[j] += n.X[j * n.N + c] * T[c];
    }
    solve(&n, s);
    memcpy(f, n.f, sizeof f);
    take_C(&n, f, s);
    /* the wrench on the hub joins those of the ports */
    clv_add6(T + n.at, f);
    /* x_h = Xi_h T + x0_h */
    for (int i = 0; i < 6; i++) {
        x[i] = x0[n.at + i];
        for (int c = 0; c < n.N; c++)
            x[i] += Xc[(n.at + i) * n.N + c] * T[c];
    }
    for (int i = k - n.part->npetal; i < k; i++)
        memcpy(clv_part_T(e, i), x, sizeof x);
}

/* It moves nothing, so the hub stays at rest and petals give no wrench. */
void clv_hub_self_stress(clv_engine *e, int k)
{
    const hub n = hub_at(e, k);
    hand_on(e, &n);
}
