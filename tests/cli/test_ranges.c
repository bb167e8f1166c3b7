/* SPDX-License-Identifier: Apache-2.0
 * The ranges that the command line tells are those of the library: for every number among the options of `cleave run`
 * that goes to the simulation, the ends of its range are taken and what lies beyond is refused, by both. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>
#include "cli/running.h"

static clv_model *m;

/* options under which that one counts */
static clv_sim_options fitting(const char *name)
{
    static const char *const aldca[] = {"alpha", "omega", "mu", "eps-p", "eps-v", "eps-a", "iterations"};
    clv_sim_options o = clv_sim_options_default();
    for (size_t i = 0; i < sizeof aldca / sizeof *aldca; i++)
        if (strcmp(name, aldca[i]) == 0)
            o.formulation = "aldca";
    if (strcmp(name, "rho") == 0 || strcmp(name, "projections") == 0)
        o.formulation = "index3", o.integrator = "generalized-alpha";
    if (strcmp(name, "method") == 0)
        o.formulation = "connection";
    if (strcmp(name, "baumgarte") == 0)
        o.formulation = "dca";
    return o;
}

/* Does the library take the number, whatever else it may dislike later on? */
static bool library_takes(const clv_option *o, double x)
{
    clv_sim_options options = fitting(o->name);
    char *field = (char *)&options + o->offset - offsetof(clv_run_settings, sim);
    int whole = (int)x;
    if (o->kind == CLV_OPTION_WHOLE)
        memcpy(field, &whole, sizeof whole);
    else
        memcpy(field, &x, sizeof x);
    clv_sim *sim;
    clv_status status = clv_sim_create(&sim, m, &options);
    clv_sim_destroy(sim);
    return status != CLV_ERR_USAGE;
}

static bool program_takes(const clv_option *o, double x)
{
    clv_run_settings set = {.sim = clv_sim_options_default()};
    clv_words words;
    char text[64];
    snprintf(text, sizeof text, o->kind == CLV_OPTION_PAIR ? "--%s=%.17g,0" : "--%s=%.17g", o->name, x);
    char *argv[] = {text};
    return clv_options_read("run", clv_command_run.options, &set, &words, 1, argv) == CLV_OPTIONS_READ;
}

static void check(const clv_option *o, double x, bool inside)
{
    if (program_takes(o, x) != inside || library_takes(o, x) != inside)
        fail_msg("--%s %.17g: program %d, library %d, expected %d", o->name, x, program_takes(o, x),
                 library_takes(o, x), inside);
}

static void ranges_are_the_same(void **state)
{
    int numbers = 0;
    (void)state;
    for (const clv_option *o = clv_command_run.options; o->name; o++) {
        bool number = o->kind == CLV_OPTION_NUMBER || o->kind == CLV_OPTION_WHOLE || o->kind == CLV_OPTION_PAIR;
        if (!number || o->offset >= offsetof(clv_run_settings, sim) + sizeof(clv_sim_options))
            continue;
        const double less = o->kind == CLV_OPTION_WHOLE ? o->least - 1 : o->least == 0 ? -1e-3 : 0.99 * o->least;
        const bool zero_chooses = strcmp(o->name, "method") == 0 || strcmp(o->name, "iterations") == 0;
        if (!zero_chooses) /* in C: the default */
            check(o, less, false);
        check(o, o->open ? nextafter(o->least, INFINITY) : o->least, true);
        if (isfinite(o->most) && strcmp(o->name, "threads") != 0) { /* which takes one so far, and says so */
            check(o, o->most, true);
            check(o, o->kind == CLV_OPTION_WHOLE ? o->most + 1 : 1.01 * o->most, false);
        }
        numbers++;
    }
    assert_true(numbers >= 15);
}

static int open_model(void **state)
{
    (void)state;
    return clv_example_create(&m, "hdca-case1", NULL, 0) != CLV_OK;
}

static int close_model(void **state)
{
    (void)state;
    clv_model_destroy(m);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(ranges_are_the_same)};
    return cmocka_run_group_tests(tests, open_model, close_model);
}
