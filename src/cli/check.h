/* SPDX-License-Identifier: Apache-2.0
 * What `cleave check` finds and reports, for people and as JSON; one file for each question, put together in
 * command_check.c. */
#ifndef CLV_CLI_CHECK_H
#define CLV_CLI_CHECK_H
#include "cli/json.h"
#include "cli/command.h"

typedef struct clv_check {
    clv_subject subject;
    clv_sim_report report;
    clv_plan_report plan;
    unsigned *bits; /* (joints) see clv_check_not_unique           */
    double *hz;     /* of the modes, see clv_modes_frequencies     */
    int *parts;     /* (bodies + 1) see clv_check_parts            */
} clv_check;

/* "" or "s". */
const char *clv_plural(long n);
/* "a, b and c": names of the joints that are chosen, the first dozen of them, then how many more; NULL text: counts
 * only.  Returns how many there are. */
typedef bool clv_choose_joint(const clv_check *c, int joint, unsigned what);
int clv_check_names(const clv_check *c, FILE *text, clv_choose_joint *chosen, unsigned what);
/* The same of `count` items of any kind: the name of item i, or NULL if it is not chosen. */
typedef const char *clv_name_item(const clv_check *c, int i);
int clv_check_items(const clv_check *c, FILE *text, int count, clv_name_item *name);

/* check_redundant.c: bit i of a joint: component i (force x y z, moment x y z; global axes) of its reaction is not
 * unique at the start.  NULL: out of memory; clv_free frees. */
unsigned *clv_check_not_unique(const clv_check *c);
void clv_check_print_redundant(const clv_check *c);
void clv_check_json_redundant(clv_json *j, const clv_check *c);

/* check_freedoms.c: degrees of freedom by rank and by counting, which joints move; the numbers of constraints. */
void clv_check_print_freedoms(const clv_check *c);
void clv_check_print_counts(const clv_check *c);
void clv_check_json_freedoms(clv_json *j, const clv_check *c);

/* check_floating.c: the part of a mechanism that each body is in, as the first body of it plus one; 0: held to the
 * ground.  NULL: out of memory; clv_free frees. */
int *clv_check_parts(const clv_model *m);
/* What moves freely and is no coordinate of a joint, a line of each.  They are parts that no joint holds to the ground,
 * bodies that only joints without coordinates hold, and modes of flexible bodies. */
void clv_check_print_floating(const clv_check *c);
/* rates of floating bases and of modes */
int clv_check_floating_rates(const clv_check *c);
void clv_check_json_floating(clv_json *j, const clv_check *c);

/* check_start.c: was the start closed as it was given? */
void clv_check_print_start(const clv_check *c);
void clv_check_json_start(clv_json *j, const clv_check *c);

/* check_motions.c: jumps in velocity of prescribed motions, overshoot of their tables. */
void clv_check_print_motions(const clv_check *c);
void clv_check_json_motions(clv_json *j, const clv_check *c);

/* check_inputs.c: the inputs of the model: what each acts on, its unit, limits and value at the start. */
void clv_check_print_inputs(const clv_check *c);
void clv_check_json_inputs(clv_json *j, const clv_check *c);

/* check_parameters.c: the parameters of the model file. */
void clv_check_print_parameters(const clv_check *c);
void clv_check_json_parameters(clv_json *j, const clv_check *c);

/* check_plan.c: the plan in numbers. */
void clv_check_print_plan(const clv_check *c);
void clv_check_json_plan(clv_json *j, const clv_check *c);

#endif
