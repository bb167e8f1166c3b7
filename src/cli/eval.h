/* SPDX-License-Identifier: Apache-2.0
 * The text of `cleave eval`: tables with headings and units. */
#ifndef CLV_CLI_EVAL_H
#define CLV_CLI_EVAL_H
#include "cli/command.h"

/* Of an evaluated simulation. */
clv_status clv_eval_print(const clv_subject *s, const clv_sim_report *r);

#endif
