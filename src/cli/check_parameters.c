/* SPDX-License-Identifier: Apache-2.0
 * cleave check: the parameters of the model file, with their values as used, units and ranges. */
#include "cli/check.h"
#include <math.h>

void clv_check_print_parameters(const clv_check *c)
{
    const clv_model *m = c->subject.model;
    for (int i = 0; i < clv_model_parameter_count(m); ++i) {
        const clv_parameter *p = clv_model_parameter(m, i);
        printf("%-19s %s = %.9g%s%s", i ? "" : "parameters", p->name, p->shown, *p->unit ? " " : "", p->unit);
        if (isfinite(p->least) || isfinite(p->most))
            printf("  (%.9g to %.9g)", p->least, p->most);
        printf("%s%s\n", p->given ? ", from the command line" : "", p->used ? "" : ", not used");
    }
}

void clv_check_json_parameters(clv_json *j, const clv_check *c)
{
    const clv_model *m = c->subject.model;
    clv_json_object(j, "parameters");
    for (int i = 0; i < clv_model_parameter_count(m); ++i) {
        const clv_parameter *p = clv_model_parameter(m, i);
        clv_json_object(j, p->name);
        clv_json_number(j, "value", p->value);
        clv_json_number(j, "shown", p->shown);
        clv_json_text(j, "unit", p->unit);
        clv_json_number(j, "least", p->least);
        clv_json_number(j, "most", p->most);
        clv_json_bool(j, "given", p->given);
        clv_json_bool(j, "used", p->used);
        clv_json_end(j);
    }
    clv_json_end(j);
}
