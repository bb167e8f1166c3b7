/* SPDX-License-Identifier: Apache-2.0
 * Frames of a mechanism on ranks: the state of all ranks, gathered on rank 0, as columns of a run file or CSV.  Columns
 * are what a state shows without another evaluation: poses, velocities, coordinates and rates, markers, energies. */
#ifndef CLV_CLI_RANKS_FRAME_H
#define CLV_CLI_RANKS_FRAME_H
#include "io/columns.h"
#include "ranks/ranked.h"

typedef struct clv_ranks_frame {
    clv_ranked_state state; /* rank 0; other ranks have none                    */
    double *marker;         /* (nmarker x 6) position, velocity                 */
    double time, energy[3], violation[2];
    const double **from;    /* (columns) where the numbers of a column are      */
    double *frame;          /* (width)                                          */
} clv_ranks_frame;

/* Rank 0, of the whole model: memory.  False: out of memory. */
bool clv_ranks_frame_open(clv_ranks_frame *f, const clv_model *m);
void clv_ranks_frame_close(clv_ranks_frame *f);
/* The selection of all columns that ranks have, as for clv_columns_create; clv_free it.  NULL: out of memory. */
char *clv_ranks_frame_usual(const clv_model *m);
/* Binds columns, which know their owners.  Errors: CLV_ERR_USAGE with the name of one that ranks do not have. */
clv_status clv_ranks_frame_bind(clv_ranks_frame *f, const clv_model *m, const clv_column *column, int n,
                                clv_error *e);
/* Called by all ranks: the output state; on rank 0 then f->frame of the columns (n), if any are bound.  False: a
 * message was lost, or no memory. */
bool clv_ranks_frame_take(clv_ranks_frame *f, clv_ranked *r, const clv_model *m, const clv_column *column, int n);

#endif
