/* SPDX-License-Identifier: Apache-2.0
 * Every function of the public header, with NULL for its object, for everything else, and with an object whose creation
 * failed: an answer, never a crash.  The calls are made from the header itself (header_calls.py), so that a function
 * that is added is called here too.  Each runs in a process of its own. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>
#include "cleave/cleave.h"

typedef struct situation {
    clv_model *model, *new_model;
    clv_sim *sim, *new_sim;
    clv_ensemble *ensemble, *new_ensemble;
    void *room; /* what pointers to other things point to; NULL: nothing */
    int number;
    clv_status status; /* what the function answered */
    double real;
    const void *pointer;
    long long whole;
} situation;

typedef enum answer { STATUS, NUMBER, POINTER, RECORD, WHOLE, NOTHING } answer;
typedef enum object { OF_NONE, OF_MODEL, OF_SIM, OF_ENSEMBLE } object;
typedef struct function {
    const char *name;
    answer answer;
    object of;
    int pointers;
    void (*call)(situation *at);
} function;

#include "header_calls.h"

enum { FUNCTIONS = sizeof all_functions / sizeof all_functions[0] };
static double room[8192]; /* 64 KiB of zeros */
static clv_model *good_model, *failed_model;
static clv_sim *good_sim, *failed_sim;
static clv_ensemble *good_ensemble, *failed_ensemble;

static int open_objects(void **state)
{
    (void)state;
    clv_sim_options wrong = clv_sim_options_default();
    wrong.formulation = "gardening";
    clv_ensemble_desc few = clv_ensemble_desc_default(), none = few;
    few.instances = 1, few.time = 0.01;
    few.text = "cleave: 1\nbodies: {a: {mass: 1, inertia: [1, 1, 1]}}\n", few.size = strlen(few.text);
    return !(clv_ensemble_create(&good_ensemble, &few) == CLV_OK &&
             clv_ensemble_create(&failed_ensemble, &none) == CLV_ERR_USAGE &&
             clv_example_create(&good_model, "hdca-case3", NULL, 0) == CLV_OK &&
             clv_model_read_text(&failed_model, "cleave: 1\nbodies: 3\n", 20, NULL) == CLV_ERR_MODEL &&
             clv_sim_create(&good_sim, good_model, NULL) == CLV_OK &&
             clv_sim_create(&failed_sim, good_model, &wrong) == CLV_ERR_USAGE);
}

static int close_objects(void **state)
{
    (void)state;
    clv_sim_destroy(good_sim), clv_sim_destroy(failed_sim);
    clv_model_destroy(good_model), clv_model_destroy(failed_model);
    clv_ensemble_destroy(good_ensemble), clv_ensemble_destroy(failed_ensemble);
    return 0;
}

/* What a function may answer about an object that is none: no success, no number, no pointer. */
static bool is_empty(const function *f, const situation *at)
{
    switch (f->answer) {
    case STATUS: return at->status != CLV_OK;
    case NUMBER: return isnan(at->real);
    case POINTER: return at->pointer == NULL;
    case WHOLE: return at->whole == 0 || at->whole == -1;
    default: return true;
    }
}

/* In a child: 0 good, 1 a wrong answer, else it crashed. */
static int call_apart(const function *f, situation at, bool empty)
{
    int status;
    fflush(stdout), fflush(stderr);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        f->call(&at);
        _exit(empty && !is_empty(f, &at));
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

static void call_all(situation at, bool (*empty)(const function *f))
{
    int bad = 0;
    for (int i = 0; i < FUNCTIONS; i++) {
        const function *f = &all_functions[i];
        int status = call_apart(f, at, empty && empty(f));
        if (status != 0)
            print_error("%s %s\n", f->name, WIFSIGNALED(status) ? "crashes" : "answers as if there were an object");
        bad += status != 0;
    }
    assert_int_equal(bad, 0);
}

static bool of_object(const function *f) { return f->of != OF_NONE && strcmp(f->name, "clv_model_error") != 0; }
static bool of_simulation(const function *f) { return f->of == OF_SIM || f->of == OF_ENSEMBLE; }
/* NULL is the C library's allocator; the two functions that need nothing say so by having no pointer */
static bool has_pointer(const function *f) { return f->pointers > 0 && strcmp(f->name, "clv_allocator_set") != 0; }

static void nothing_but_null(void **state)
{
    (void)state;
    call_all((situation){.room = NULL}, has_pointer);
}

static void no_object(void **state)
{
    (void)state;
    call_all((situation){.room = room}, of_object);
}

static void nothing_else(void **state)
{
    (void)state;
    call_all((situation){.model = good_model, .sim = good_sim, .ensemble = good_ensemble}, NULL);
}

static void failed_object(void **state)
{
    (void)state;
    situation at = {.model = failed_model, .sim = failed_sim, .ensemble = failed_ensemble};
    call_all(at, of_simulation);
    at.room = room;
    call_all(at, of_simulation);
}

static void bad_numbers(void **state)
{
    (void)state;
    call_all((situation){.model = good_model, .sim = good_sim, .ensemble = good_ensemble, .number = -1, .room = room},
             NULL);
}

static void records_are_never_null(void **state)
{
    (void)state;
    assert_int_equal(clv_model_error(NULL)->code, CLV_ERR_USAGE);
    assert_int_equal(clv_sim_error(NULL)->code, CLV_ERR_USAGE);
    assert_int_equal(clv_ensemble_error(NULL)->code, CLV_ERR_USAGE);
    assert_int_equal(clv_ensemble_instance_error(NULL, 0)->code, CLV_ERR_USAGE);
    assert_int_equal(clv_sim_advance(failed_sim, 1), CLV_ERR_USAGE);
    assert_non_null(strstr(clv_sim_error(failed_sim)->message, "gardening")); /* it keeps the reason */
}

static void header_is_read(void **state)
{
    (void)state;
    int of_sim = 0;
    for (int i = 0; i < FUNCTIONS; i++)
        of_sim += all_functions[i].of == OF_SIM;
    assert_true(FUNCTIONS >= 60 && of_sim >= 25);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(header_is_read), cmocka_unit_test(nothing_but_null), cmocka_unit_test(no_object),
        cmocka_unit_test(nothing_else),   cmocka_unit_test(failed_object),    cmocka_unit_test(bad_numbers),
        cmocka_unit_test(records_are_never_null)};
    return cmocka_run_group_tests(tests, open_objects, close_objects);
}
