/* SPDX-License-Identifier: Apache-2.0
 * The tasks of one evaluation or step, as threads share them out (T44), with the time of each, done one after the other
 * (T55).  Called by `cleave bench span` and tests; no part of the public interface. */
#ifndef CLV_SIMULATION_SPAN_H
#define CLV_SIMULATION_SPAN_H
#include "base/schedule.h"
#include "base/team.h"
#include "cleave/cleave.h"

typedef struct clv_record {
    int ncall;       /* calls of the team: pieces of one call may be done side by side */
    int *first;      /* (ncall + 1) its first piece                                    */
    double *serial;  /* (ncall + 1) s before the call; the last one is after all       */
    double *seconds; /* (first[ncall]) of a piece                                      */
} clv_record;

enum { CLV_RECORD_SAMPLES = 31 };

/* Records an evaluation at the last accepted state, with poses made anew; of index3 and rules of their own, a step.
 * Times are medians of CLV_RECORD_SAMPLES.  share: rows of eight bodies from which on work is shared out; 0: as many as
 * pay.  Errors: CLV_ERR_USAGE (not created), CLV_ERR_MEMORY, those of evaluations
 * and steps.  The simulation then runs on one thread. */
clv_status clv_sim_record(clv_sim *sim, int share, clv_record *record);
void clv_record_close(clv_record *record);
/* Is a step recorded, not an evaluation? */
bool clv_sim_records_step(const clv_sim *sim);
/* Calls with the pieces between, as tasks: what lies between calls is done by the first worker, a piece by any.  False:
 * out of memory. */
bool clv_record_tasks(const clv_record *record, clv_task_list *list);
/* Least time of one evaluation or step, s, by one thread and by the team, in turn for a second: what else the machine
 * does only adds to them.  Errors: as above. */
clv_status clv_sim_compare_team(clv_sim *sim, clv_team *team, int share, double least[2]);

#endif
