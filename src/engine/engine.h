/* SPDX-License-Identifier: Apache-2.0
 * The engine: one linear problem on the plan's graph, three verbs, no formulation in it (T4, T5, T6).
 *
 *   body i:   I_i x_i = b_i + wrenches of its joints
 *   joint j:  x_B - S^T x_A = H_j u_j + c_j on the free directions, others held;  H^T (wrench on B) = tau_j - R_j u_j
 *   edge e:   sum over handles block^T x = a_e - eps_e sigma_e;  wrench on each handle body: block sigma_e
 *
 *   flexible body: [I Mrf; Mfr Mff] [x; u] = [b; tau] + wrenches of its joints, x of its nodes by links:
 *             x_B - S^T x_A = M u + c
 * 6-vectors of a body are at its reference point: the point of its inboard tree joint that is fixed on it; global axes.
 *
 *   clv_engine_body, _edge   fill, once per configuration
 *   clv_engine_factor        limbs fold, branches condense (lanes), stars condense, nodes close (dense)
 *   clv_engine_solve         vectors only: up, root, down
 *   clv_engine_accumulate    wrench sums over the outboard part of every tree joint
 *
 * Nothing here allocates, prints or locks after layout; kernels never branch on failure,
 * the smallest pivot is looked at once. */
#ifndef CLV_ENGINE_ENGINE_H
#define CLV_ENGINE_ENGINE_H
#include <assert.h>
#include "base/team.h"
#include "engine/pairs.h"
#include "math/lane.h"
#include "plan/plan.h"

typedef struct clv_strand_out { /* what a group of eight strands shows to its inboard side, (n x 8) each */
    double *I, *p, *K, *L, *t;  /* 21, 6, 36 (column j at 6 j), 21, 6                                      */
    double *x, *F;              /* 6, 6: motion of the base's inboard side; wrench at the tip              */
    double *ok;                 /* 1 where every pivot was positive, else 0                                */
    double *weak;               /* a constant: least share of the inertia in a direction that is enough    */
} clv_strand_out;

typedef struct clv_star_room { /* numbers of a star, N = 6 + nmode                                       */
    double *mass;  /* rows of the modes, [Mrf^T, Mff]: filled by the caller                    (nmode x N)    */
    double *extra; /* added to Mff by implicit methods (h/2 C + h^2/4 K), 0 unless set         (nmode x nmode) */
    double *L;     /* Cholesky factor of its mass matrix, see star.c                            (N x N)       */
    int lead;      /* modes that are not coupled by mass: all or none                                         */
    double *G;     /* L^-1 B^T of its ports' bodies                                             (N x ports 6) */
    double *entry; /* mode columns of the node where the tree enters                           (6 x nmode)    */
    double *z;     /* right-hand side, then solution                                                (N)            */
} clv_star_room;

typedef struct clv_connection { /* the connection matrix of Method 1 (T28); scaled rows, in elimination order      */
    double *L;       /* its factor, see clv_connect                                                  (nfactor)       */
    double *s;       /* 1 / scale of every row                                                       (nrow)          */
    double *x;       /* work                                                                         (nrow)          */
    double *null;    /* orthonormal null vectors: block k has those of its dropped rows, over the rows of its subtree */
    size_t *null_at; /* first of a block                                                             (nblock)        */
    int *rank;       /* rows kept                                                                    (nblock)        */
    int *nulls;      /* null vectors: rows left out, without weak ones                               (nblock)        */
    int *order;      /* rows of a block in pivot order                                               (nrow)          */
    int *dropped;    /* null vectors of the blocks before                                            (nblock + 1)    */
    int *reached, now; /* scratch of self-stresses                                                   (nchild)        */
    int from, to;    /* blocks that the last self-stress reaches                                                     */
} clv_connection;

typedef struct clv_kernels clv_kernels; /* functions of one lane width, see kernels.h */

struct clv_engine {
    const clv_plan *plan;
    const clv_kernels *kernels;
    clv_team *team;           /* shares out parts, or NULL                                                   */
    bool later;               /* the layout has no memory for strands of the verbs: clv_engine_open brings it */
    bool open;                /* that memory is there                                                        */
    clv_arena more;           /* and is this, where it was opened later                                      */
    double rank;              /* relative threshold on the scaled Z                                          */
    int redundant;            /* directions truncated at least, where data contradict each other; else 0 (T40.8) */
    double strong;            /* scaled pivot: then weaker directions are kept only if there are no others   */
    bool begun;               /* the rank of the start is decided: dropped rows can be weak ones (T28)       */
    double threshold;         /* of the last factor: rank, or more while redundant > 0                       */

    /* the equations, model order: filled by the caller */
    double *mass;             /* inertia at the reference point; NULL: not open               (nbody x 21)   */
    double *arm;              /* m, parent's reference point to own; ground: global position  (nbody x 3)    */
    double *free, *dual;      /* free directions H, dual G: 6 x nu each at clv_columns        (nh x 6)       */
    double *resist;           /* R_j, 0 unless set                                            (nh)           */
    double *modes;            /* mode columns M of the links, child's point: 6 x nmode each at clv_modes (nlink x 6) */
    clv_star_room *room;      /* (nstar)                                                                     */
    double *star_load;        /* right-hand sides of the bodies of stars                      (nbody x 6)    */

    /* rows of eight slots (AoSoA): component k of a row at [8 k .. 8 k + 7] */
    double *r;                /* as arm, 0 at a free base                                     (nrow x 3 x 8) */
    double *I;                /* inertia, after factor articulated                            (nrow x 21 x 8)*/
    double *H, *N, *w;        /* free directions; U Dm^-1; H^T K                              (f x 6 x 8 a row) */
    double *R, *LD;           /* R_j, 1 in padding; L D L^T of Dm: unit lower, 1/pivots       (f x 8; f x 6 x 8) */
    double *K;                /* tip columns of a row before its elimination                  (nrow x 36 x 8) */
    double *b, *c, *tau, *u0; /* right-hand side: 6, 6, f, f                                                  */
    double *x, *u;            /* solution: 6, f                                                               */
    int *row_K;               /* row of K, or -1 for groups without columns                   (nrow)          */
    clv_strand_out *out;      /* (ngroup)                                                                     */
    int *free_base;           /* (nstrand) index into base_LD, or -1                                          */
    double *base_LD;          /* 6x6 L D L^T of the inertia at a free base                    (nfree x 36)    */

    /* edges and nodes */
    double *block;            /* 6 x m blocks, by columns; see clv_edge                       (nblock)        */
    double *eps, *a, *sigma;  /* (nsigma)                                                                     */
    double *scale;            /* sqrt of the compliance a row would have on free bodies       (nsigma)        */
    size_t *at;               /* (npart) offset of a part's numbers in store                                   */
    double *store;
    int *handle_at;           /* (nhandle) first component of a handle among its node's child ports          */
    int *port_at;             /* (ports) first component of a node's port among its child ports                */
    double *scratch;          /* (nscratch) for one node, or for several small ones                            */
    size_t nscratch;
    clv_pairing pairing;      /* the order of parts; nodes in lanes                                            */

    clv_connection connection; /* method 1 of the branch method                                               */

    /* refinement: one correction */
    char *light;                /* (nbody) lacks inertia in some direction                                     */
    double *extra;              /* (nbody x 2) kg, kg m^2: inertia the factor holds too much                   */
    int *extended;              /* (nextended) bodies that have some                                           */
    double *conjugate;          /* (nextended x 30) residual, direction, pass of conjugate gradients; work     */
    double length, heavy;       /* m, kg: typical of the model                                                 */
    double *row_value;          /* (nsigma) right-hand side of every edge row                                  */
    double *fix_b, *fix_x, *fix_tau, *fix_u, *fix_sigma, *fix_a;
    bool all_rows;              /* `a` of a solve holds the rows of tree edges too                             */

    /* outcome of the last factor */
    bool partial;               /* made in rows (T43), which keep less: clv_engine_solve makes it anew first     */
    long factors;               /* begun so far: shows whether it is still the one somebody made               */
    int *nullity;             /* (npart) truncated directions                                                  */
    int *below, nbelow;       /* (npart) parts the last self-stress reaches                                    */
    int truncated;            /* sum                                                                           */
    int nextended;            /* bodies with extra inertia in the factor, which solves take out again          */
    bool stalled;             /* which did not converge in the last solve                                      */
    bool loose;               /* the last solve met a motion without inertia                                   */
    int loose_body;           /* body that a load rotates or translates against no inertia (stalled), or -1    */
    double min_pivot;         /* smallest scaled pivot kept in a node that closes loops                        */
    double max_dropped;       /* largest scaled pivot truncated                                                */
    double weakest;           /* smallest scaled pivot kept in any node                                        */
    int failed_body, failed_edge;
};

/* Carves the engine out of an arena (twice: count, carve).  With `later` without the numbers of factor and solve that
 * rows (T43) do not need: those of strands and, in open trees, of nodes. */
void clv_engine_layout(clv_engine *e, const clv_plan *plan, clv_arena *a);
/* Index maps and paddings; after the carving layout.  kernels: see kernels.h; they must be for this CPU. */
void clv_engine_begin(clv_engine *e, double rank, const clv_kernels *kernels);
/* Memory for the verbs, if it is not there: allocates.  The caller then fills mass and calls clv_engine_body (see
 * clv_system_open).  False: out of memory. */
bool clv_engine_open(clv_engine *e);
/* Gives that memory back; the next factor in model order brings it again.  Factors in rows stay. */
void clv_engine_shut(clv_engine *e);
/* The same at the end. */
void clv_engine_end(clv_engine *e);

/* Puts mass, arm, free, resist of a body and its inboard joint into its slot;
 * blocks, eps and scale of edges are read in place. */
void clv_engine_body(clv_engine *e, int body);
/* Errors: CLV_ERR_SINGULAR (failed_body / failed_edge show where), also for numbers that are not finite. */
clv_status clv_engine_factor(clv_engine *e);
/* b (nbody x 6), tau (nu) or NULL, c (nbody x 6) or NULL, a (nclosing_row) or NULL  ->  x (nbody x 6), u (nu),
 * e->sigma. If a row is missed by more than rounding, the solution is refined with the same factor, twice at most.
 * Where the factor was made in rows and the memory is not open, x becomes NaN. */
void clv_engine_solve(clv_engine *e, double *x, double *u, const double *b, const double *tau, const double *c,
                      const double *a);
/* W (nbody x 6): on return the sum over the body and everything outboard, at the body's reference point. */
void clv_engine_accumulate(const clv_engine *e, double *W);
/* Adds sign * (wrenches of the loop closings and couplings with the impulses sigma) to W (nbody x 6). */
void clv_engine_closing_wrenches(const clv_engine *e, double *W, const double *sigma, double sign);
/* k-th self-stress of a node with nullity > k: impulses that move nothing.  They reach the parts below[0 .. nbelow-1]
 * only, the node first: e->sigma of the edges closed there, clv_part_T at the ports of strands. */
void clv_engine_self_stress(clv_engine *e, int part, int k);

/* edges_of[*first ..]: the edges of a part that the last self-stress reaches; returns how many */
static inline int clv_stressed_edges(const clv_engine *e, int part, int *first)
{
    const clv_part *q = &e->plan->part[part];
    bool all = !(e->plan->connect && e->plan->connect->part == part);
    *first = all ? q->edge : q->edge + e->connection.from;
    return all ? q->nedge : e->connection.to - e->connection.from + 1;
}

/* solve.c: one pass without refinement; `a` as in solve, or all rows if e->all_rows */
void clv_engine_pass(clv_engine *e, double *x, double *u, const double *b, const double *tau, const double *c,
                     const double *a);
/* factor.c, solve.c: what the two verbs do with one group of strands and one part (false: singular).  In that order;
 * groups and parts ascend on the way up and descend on the way down. */
void clv_factor_begin(clv_engine *e);
bool clv_factor_group(clv_engine *e, int g);
bool clv_factor_part(clv_engine *e, int k);
bool clv_factor_outcome(clv_engine *e, int k); /* of a node */
/* A factor with e->threshold; false: a pivot is missing. */
typedef bool (*clv_factor_pass)(void *of);
/* passes with the threshold that the data allow (T40.8); the last one stands */
bool clv_factor_rank(clv_engine *e, clv_factor_pass pass, void *of);
bool clv_factor_loops(clv_engine *e); /* all parts, with the threshold that the data allow (T40.8) */
void clv_solve_group_up(clv_engine *e, int g);
void clv_solve_part_up(clv_engine *e, int k);
void clv_solve_part_down(clv_engine *e, int k);
/* adds the drive tau (nu) of a joint that does not belong to a strand to the loads of its bodies */
void clv_solve_outer_drive(clv_engine *e, int body, const double *tau);
/* motion of the base of a strand and wrench at its tip, for its way down */
void clv_solve_start(clv_engine *e, int strand);
void clv_solve_group_down(clv_engine *e, int g);
/* conjugate.c: Is there a motion without inertia, with the last factor?  It is left in fix_x (nbody x 6). */
bool clv_extra_loose(clv_engine *e);
/* star.c: flexible bodies; singular: false */
void clv_star_layout(clv_engine *e, const clv_plan *plan, clv_arena *a);
bool clv_star_factor(clv_engine *e, int k);
/* kg m^2: what the turns of its frame get where they lack inertia (T5) */
double clv_star_extra(const clv_engine *e, int k);
void clv_star_up(clv_engine *e, int k, const double *tau, const double *c);
void clv_star_down(clv_engine *e, int k, const double *c, double *x, double *u);
/* What the modes add to I x of the frame, W = Mrf u; modal = Mfr x + Mff u (nmode, or NULL).  x (nbody x 6, or NULL:
 * zero), u (nu). */
void clv_star_inertia(const clv_engine *e, int k, const double *x, const double *u, double W[6], double *modal);
/* B^T of the wrenches at its ports (nmode, then 6): zero for a self-stress. */
void clv_star_unbalanced(const clv_engine *e, int k, double *f);
/* node.c, node_solve.c: dense closing */
size_t clv_node_size(const clv_plan *p, int part);
/* doubles of scratch that one node needs; 0: the part is not plain */
size_t clv_node_scratch(const clv_plan *p, int part);
/* Different nodes of a depth may be worked on at once, each with its own scratch (64-byte aligned).  The outcome of a
 * factor is entered by one thread, in the order of parts; false: singular. */
void clv_node_factor(clv_engine *e, int part, double *scratch);
bool clv_node_outcome(clv_engine *e, int part);
void clv_node_up(clv_engine *e, int part, double *scratch);
void clv_node_down(clv_engine *e, int part, double *scratch);
void clv_node_self_stress(clv_engine *e, int part, int k);
/* hub.c: the node that takes up petals (T5.6), in the place of those of node.c */
size_t clv_hub_size(const clv_plan *p, int part);
bool clv_hub_factor(clv_engine *e, int part);
void clv_hub_up(clv_engine *e, int part);
void clv_hub_down(clv_engine *e, int part);
void clv_hub_self_stress(clv_engine *e, int part);
/* connection_form.c, connection.c, connection_solve.c: all connections at once (T28), in the place of a node */
void clv_connection_layout(clv_engine *e, clv_arena *a);
bool clv_connection_factor(clv_engine *e);
/* steps 4a and 4b of the JSC paper, which clv_connection_factor and _up consist of: form, then factor; solve */
void clv_connection_form(clv_engine *e);
bool clv_connection_cholesky(clv_engine *e);
void clv_connection_up(clv_engine *e);
void clv_connection_down(clv_engine *e);
void clv_connection_self_stress(clv_engine *e, int k); /* adds the children it reaches to `below` */
static inline bool clv_part_connects(const clv_plan *p, int part) { return p->connect && p->connect->part == part; }
/* a node that is neither the connection of all branches nor one that takes up petals */
static inline bool clv_part_is_plain(const clv_plan *p, int part)
{
    return clv_part_is_node(&p->part[part]) && p->part[part].npetal == 0 && !clv_part_connects(p, part);
}
/* components at its ports; a petal has inertia, wrench and motion at its hub in the places of Xi, x0, T (T5.6) */
static inline size_t clv_part_size(const clv_part *q) { return q->petal ? 6 : 6 * (size_t)q->nport; }
static inline double *clv_part_Xi(const clv_engine *e, int part) { return e->store + e->at[part]; }
static inline double *clv_part_x0(const clv_engine *e, int part)
{
    size_t P = clv_part_size(&e->plan->part[part]);
    return clv_part_Xi(e, part) + P * P;
}
static inline double *clv_part_T(const clv_engine *e, int part)
{
    return clv_part_x0(e, part) + clv_part_size(&e->plan->part[part]);
}

/* one slot of an array with n components a row */
static inline void clv_slot_put(double *array, int n, int slot, const double *v)
{
    assert(slot >= 0); /* bodies of flexible bodies have none */
    double *d = array + (size_t)(slot / CLV_GROUP) * (size_t)n * CLV_GROUP + slot % CLV_GROUP;
    for (int i = 0; i < n; i++)
        d[i * CLV_GROUP] = v[i];
}
static inline void clv_slot_get(const double *array, int n, int slot, double *v)
{
    assert(slot >= 0);
    const double *d = array + (size_t)(slot / CLV_GROUP) * (size_t)n * CLV_GROUP + slot % CLV_GROUP;
    for (int i = 0; i < n; i++)
        v[i] = d[i * CLV_GROUP];
}

#endif
