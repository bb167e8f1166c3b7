/* SPDX-License-Identifier: Apache-2.0
 * What flexible bodies are made of, for people and as JSON: modes, their frequencies, the limit of spin (T32). */
#ifndef CLV_CLI_MODES_H
#define CLV_CLI_MODES_H
#include "cli/command.h"

/* Hz, frame held: the frequencies of the flexible bodies of a finished model, those of each ascending, one body after
 * another; clv_free frees.  NULL: out of memory. */
double *clv_modes_frequencies(const clv_model *m);
/* A line for each flexible body; nothing where all are rigid.  hz: of clv_modes_frequencies. */
void clv_modes_print(const clv_model *m, const double *hz);
/* Member `flexible`: by body, `frequencies` (Hz) and `spin_limit` (rad/s; 0: none). */
void clv_modes_json(clv_json *j, const clv_model *m, const double *hz);

#endif
