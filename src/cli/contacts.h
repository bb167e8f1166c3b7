/* SPDX-License-Identifier: Apache-2.0
 * Shapes that touch, in `cleave eval` and `cleave check`. */
#ifndef CLV_CLI_CONTACTS_H
#define CLV_CLI_CONTACTS_H
#include "cli/command.h"
#include "cli/json.h"

/* A table of the pairs that touch at the output state; nothing in models without contacts. */
clv_status clv_contacts_print(const clv_subject *s);
/* One line: how many pairs touch, and the deepest. */
void clv_contacts_print_line(const clv_subject *s);
/* The same as an array `contacts` of objects, in models with contacts. */
clv_status clv_contacts_json(clv_json *j, const clv_subject *s);

#endif
