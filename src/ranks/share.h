/* SPDX-License-Identifier: Apache-2.0
 * The model of some segments of a mechanism (T80): its bodies with their joints, loads, motions and markers.  A body
 * that is cut is there in halves, which have half its mass each: the handle of one segment and the root of the next.
 * Loads and markers of it are on the inner half, or where a load has its other end.  With loops (T160) several bodies
 * are cut between two segments: ports of both. */
#ifndef CLV_RANKS_SHARE_H
#define CLV_RANKS_SHARE_H
#include "model/model.h"
#include "plan/plan.h"
#include "ranks/cut.h"

typedef struct clv_share {
    int first, end;            /* segments first .. end - 1                     */
    clv_model *model;
    clv_plan_segment *segment; /* (end - first)                                 */
    int *segment_of;           /* (bodies of the model) from 0                  */
    int *body;                 /* (bodies of the model) body of the mechanism   */
    int *half_of;              /* (bodies of the model) outer halves: their place in `split` of the cut; others: -1 */
    int *port;                 /* ports of all segments here                    */
    int *joint, *marker;       /* as many as the model has: of the mechanism    */
    clv_joint closing;         /* of the cut, without its name, if its body is here ..  */
    int closing_body;          /* .. which is this one of the model; -1: it is not      */
} clv_share;

/* Errors: CLV_ERR_UNSUPPORTED: a load between two segments; CLV_ERR_MEMORY. */
clv_status clv_share_open(clv_share *s, const clv_cut *cut, const clv_model *m, int first, int end, clv_error *e);
void clv_share_close(clv_share *s);

#endif
