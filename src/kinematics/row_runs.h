/* SPDX-License-Identifier: Apache-2.0
 * Long runs of strands (T159): eight lanes of strands in series are joined at once, group by group (clv_run of the
 * plan).  Groups are gathered in blocks, blocks in larger blocks, until one link stands for the run.  Its
 * lanes are the eight strands that are left for row_scan.c, row_fold.c and row_sums.c, each as if it were one strand.
 * Blocks of a level are shared out among threads (T44).
 *
 * A link shows what a strand does, with its base in the axes of its first strand and its tip in those of its last. */
#ifndef CLV_KINEMATICS_ROW_RUNS_H
#define CLV_KINEMATICS_ROW_RUNS_H
#include "kinematics/rows.h"

/* A group of strands, or a block of links.  Arrays (n x 8), lane after lane; matrices by rows. */
typedef struct clv_row_link {
    const clv_strand_out *own; /* I, p, K, L, t; takes x at the base, F at the tip                                   */
    clv_strand_out all;        /* with what follows in its block                                                     */
    double *X, *y, *Z;         /* motion of its tip: X x + y + Z F, F at the tip of the block           (36, 6, 36)  */
    double *turn;              /* axes of the next start in those of its tip                                    (9)  */
    double *frame, *run;       /* the next start beside its own: axes and point, motion                     (12, 6)  */
    double *start, *motion;    /* its own beside that of its block, then global                             (12, 6)  */
    double *Q;                 /* load about its start, then with all that follows in its block                 (6)  */
    double *arrives;           /* load of what follows about the next start                                     (6)  */
    int tips;                  /* of a group whose strands hold their tips alone, in one attached row: it; else -1 */
} clv_row_link;

typedef struct clv_row_block {
    clv_row_link *link; /* (n) from the base */
    int n;
    clv_row_link *sum;  /* stands for the block */
} clv_row_block;

typedef struct clv_row_run {
    int group, ngroup;
    clv_row_link *link;   /* (ngroup) those of the groups                                            */
    clv_row_block *block; /* level after level: blocks of links of groups come first                 */
    int *level, nlevel;   /* (nlevel + 1) first block of a level                                     */
    clv_row_link *top;    /* stands for the run                                                      */
    int head[CLV_GROUP], tail[CLV_GROUP]; /* first and last strand of its lanes                      */
} clv_row_run;

enum { CLV_ROW_INNER = -2 }; /* clv_rows.run_of */

/* Memory and lists; `begin` after those of strands, `touched` after those of attached rows. */
void clv_rows_runs_layout(clv_rows *w, const clv_plan *p, clv_arena *a);
void clv_rows_runs_begin(clv_rows *w);
void clv_rows_runs_touched(clv_rows *w);

/* Is the piece a strand of a run?  The first one stands for all; others are passed over. */
static inline const clv_row_run *clv_rows_run_of(const clv_rows *w, int piece)
{
    return piece < w->plan->nstrand && w->run_of[piece] >= 0 ? &w->runs[w->run_of[piece]] : NULL;
}
static inline bool clv_rows_in_run(const clv_rows *w, int piece)
{
    return piece < w->plan->nstrand && w->run_of[piece] == CLV_ROW_INNER;
}
/* the join that collects what acts on the tip of a body's strand, and has its motion */
static inline clv_row_join *clv_rows_tip_join(const clv_rows *w, int body)
{
    const int strand = w->strand_of[body];
    return &w->join[strand < w->plan->nstrand ? w->stands_for[strand] : strand];
}

/* Starts of all strands of a run, from that of its first one, s, moving by V, and what it holds (row_scan.c). */
void clv_rows_run_scan(clv_rows *w, clv_kinematics *k, const clv_row_run *r, const double s[CLV_FRAME],
                       const double V[6], const double gravity[3], bool moving);
/* All strands joined, but for the first one of `head` to what lies inboard: `top`, lane 0.  And back: motions at
 * the bases and wrenches at the tips of all strands, once those of lane 0 of `top` are there. */
void clv_rows_run_fold(clv_rows *w, const clv_row_run *r);
void clv_rows_run_unfold(clv_rows *w, const clv_row_run *r);
/* What strands hand on, and the load Q of the run about its start, global axes. */
void clv_rows_run_collect(clv_rows *w, const clv_row_run *r, double Q[6]);

/* row_scan.c: frames of what a strand holds become global; it starts at s, moving by V, or NULL */
void clv_rows_scan_held(clv_rows *w, clv_kinematics *k, int strand, const double s[CLV_FRAME], const double *V);
/* row_fold.c: X, y and the wrench at the tip of what `out` shows in a lane, for its base moving by x */
void clv_rows_unfold_lane(clv_rows *w, int strand, const clv_strand_out *out, int lane, const double x[6]);
/* row_sums.c: load of a strand about its start, strand axes */
void clv_rows_own_load(const clv_rows *w, int strand, double Q[6]);
void clv_rows_attach_own(const clv_rows *w, double *array, int body, const double W[6]); /* W in strand axes */

#endif
