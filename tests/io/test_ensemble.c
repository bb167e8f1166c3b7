/* SPDX-License-Identifier: Apache-2.0
 * Ensembles: the numbers of an instance are those of its simulation alone, bit by bit, whatever else runs; failures
 * stay with their instance. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/memory.h"
#include "cleave/cleave.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 13 };

static const char pendulum[] = "cleave: 1\n"
                               "parameters: {m: 2 kg, l: {value: 500, unit: mm}}\n"
                               "bodies: {rod: {mass: m, com: [l, 0, 0], inertia: [0.01, 0.02, 0.02]}}\n"
                               "joints: {a: {kind: revolute, between: [ground, rod], at: [0, 0, 0], axis: [0, 1, 0]}}\n"
                               "forces: {d: {kind: joint-load, joint: a, damping: 0.1}}\n"
                               "inputs: {push: {joint: a, limit: [-5, 5]}}\n"
                               "start: {joints: {a: {q: 1}}}\n";

static const char *const name[] = {"m", "l", "d.damping"};
static const char *const unit[] = {"", "m", "N m s/rad"};

static void fill_values(double value[N][3])
{
    for (int i = 0; i < N; i++)
        value[i][0] = 1 + 0.3 * i, value[i][1] = 0.3 + 0.07 * i, value[i][2] = 0.05 * i;
}

static clv_ensemble_desc of_pendulum(const double *value)
{
    clv_ensemble_desc d = clv_ensemble_desc_default();
    d.instances = N;
    d.text = pendulum, d.size = strlen(pendulum), d.file_name = "pendulum.yaml";
    d.nvalue = 3, d.name = name, d.unit = unit, d.value = value;
    d.time = 1, d.every = 0.05;
    d.columns = "a.q,a.u,rod.position";
    d.threads = 1;
    return d;
}

static clv_ensemble *made(const clv_ensemble_desc *d)
{
    clv_ensemble *e;
    if (clv_ensemble_create(&e, d) != CLV_OK)
        fail_msg("%s", clv_ensemble_error(e)->message);
    return e;
}

static clv_ensemble *ran(const clv_ensemble_desc *d)
{
    clv_ensemble *e = made(d);
    assert_int_equal(clv_ensemble_run(e), CLV_OK);
    return e;
}

static int output(const clv_ensemble *e, const char *wanted)
{
    for (int i = 0; i < clv_ensemble_output_count(e); i++)
        if (strcmp(clv_ensemble_output_name(e, i), wanted) == 0)
            return i;
    fail_msg("there is no output %s", wanted);
    return -1;
}

/* ---------------------------------------------------------------- what an instance gives */

static clv_sim *alone(double m, double l, double damping, clv_model **model)
{
    char text[3][64];
    const char *given[] = {text[0], text[1], text[2]};
    clv_sim *sim;
    snprintf(text[0], 64, "m=%.17g", m);
    snprintf(text[1], 64, "l=%.17g m", l);
    snprintf(text[2], 64, "forces.d.damping=%.17g", damping);
    assert_int_equal(clv_model_read_text_with(model, pendulum, strlen(pendulum), NULL, given, 3), CLV_OK);
    assert_int_equal(clv_sim_create(&sim, *model, NULL), CLV_OK);
    return sim;
}

static double angle(clv_sim *sim)
{
    clv_joint_result r;
    assert_int_equal(clv_sim_joint(sim, 0, &r), CLV_OK);
    return r.q[0];
}

static void an_instance_gives_what_its_simulation_gives(void **state)
{
    (void)state;
    double value[N][3];
    fill_values(value);
    const clv_ensemble_desc d = of_pendulum(value[0]);
    clv_ensemble *e = ran(&d);
    const int q = output(e, "a.q");
    assert_string_equal(clv_ensemble_output_unit(e, q), "rad");
    for (int i = 0; i < N; i++) {
        clv_model *model;
        clv_sim *sim = alone(value[i][0], value[i][1], value[i][2], &model);
        double least = angle(sim), most = least, before = least, square = 0, x = least;
        for (int k = 1; k <= 20; k++, before = x) {
            const double t = k < 20 ? k * 0.05 : 1, dt = t - (k - 1) * 0.05;
            assert_int_equal(clv_sim_advance(sim, t), CLV_OK);
            x = angle(sim);
            least = fmin(least, x), most = fmax(most, x);
            square += 0.5 * dt * (x * x + before * before);
        }
        const double *row = clv_ensemble_output(e, i);
        clv_sim_report r;
        clv_sim_summary(sim, &r);
        assert_true(clv_ensemble_ran(e, i));
        assert_int_equal(clv_ensemble_status(e, i), CLV_OK);
        assert_true(row[q] == x && row[q + 1] == least && row[q + 2] == most && row[q + 3] == sqrt(square));
        assert_true(row[output(e, "steps")] == (double)r.steps && row[output(e, "time")] == 1);
        assert_true(row[output(e, "max_energy_drift")] == r.max_energy_drift);
        clv_sim_destroy(sim);
        clv_model_destroy(model);
    }
    clv_ensemble_destroy(e);
}

static void same_bits(const clv_ensemble *a, const clv_ensemble *b, int i)
{
    assert_memory_equal(clv_ensemble_output(a, i), clv_ensemble_output(b, i),
                        (size_t)clv_ensemble_output_count(a) * sizeof(double));
}

static void bits_depend_on_neither_threads_nor_neighbours(void **state)
{
    (void)state;
    double value[N][3];
    bool skip[N];
    fill_values(value);
    clv_ensemble_desc d = of_pendulum(value[0]);
    clv_ensemble *one = ran(&d);
    for (int threads = 2; threads <= 4; threads++) {
        d.threads = threads;
        clv_ensemble *more = ran(&d);
        for (int i = 0; i < N; i++)
            same_bits(one, more, i);
        clv_ensemble_destroy(more);
    }
    for (int shards = 2; shards <= 5; shards++)
        for (int s = 0; s < shards; s++) {
            for (int i = 0; i < N; i++)
                skip[i] = i % shards != s;
            d.skip = skip, d.threads = 1 + s % 2;
            clv_ensemble *part = ran(&d);
            for (int i = 0; i < N; i++) {
                assert_true(clv_ensemble_ran(part, i) == !skip[i]);
                if (skip[i])
                    assert_null(clv_ensemble_output(part, i));
                else
                    same_bits(one, part, i);
            }
            clv_ensemble_destroy(part);
        }
    clv_ensemble_destroy(one);
}

/* ---------------------------------------------------------------- failures */

static void a_failure_stays_with_its_instance(void **state)
{
    (void)state;
    double value[N][3];
    fill_values(value);
    value[3][0] = -1; /* a mass */
    clv_ensemble_desc d = of_pendulum(value[0]);
    d.threads = 2;
    clv_ensemble *e = ran(&d);
    for (int i = 0; i < N; i++)
        assert_int_equal(clv_ensemble_status(e, i), i == 3 ? CLV_ERR_MODEL : CLV_OK);
    const clv_error *why = clv_ensemble_instance_error(e, 3);
    assert_int_equal(why->code, CLV_ERR_MODEL);
    assert_int_equal(why->line, 3);
    assert_string_equal(why->path, "bodies.rod.mass");
    assert_int_equal(clv_ensemble_instance_error(e, 2)->code, CLV_OK);
    assert_true(isnan(clv_ensemble_output(e, 3)[0]) && isnan(clv_ensemble_output(e, 3)[output(e, "a.q")]));
    clv_ensemble_destroy(e);
}

static void too_many_steps_end_an_instance(void **state)
{
    (void)state;
    double value[N][3];
    fill_values(value);
    value[5][2] = 3000; /* stiff */
    clv_ensemble_desc d = of_pendulum(value[0]);
    d.max_steps = 500;
    clv_ensemble *e = ran(&d);
    for (int i = 0; i < N; i++)
        assert_int_equal(clv_ensemble_status(e, i), i == 5 ? CLV_ERR_STEP_SIZE : CLV_OK);
    assert_non_null(strstr(clv_ensemble_instance_error(e, 5)->message, "more than 500 steps"));
    const double *row = clv_ensemble_output(e, 5);
    assert_true(row[output(e, "time")] > 0 && row[output(e, "time")] < 1 && isnan(row[output(e, "a.q")]));
    clv_ensemble_destroy(e);
    d.max_steps = 100000000;
    clv_ensemble *free_of = ran(&d);
    d.max_steps = 0;
    bool skip[N] = {0};
    skip[5] = true, d.skip = skip;
    e = ran(&d);
    same_bits(e, free_of, 4); /* the limit changes no bit */
    clv_ensemble_destroy(e);
    clv_ensemble_destroy(free_of);
}

/* ---------------------------------------------------------------- callbacks */

typedef struct calls {
    int done, most;
    const clv_model *model;
} calls;

static clv_status push(void *user, int instance, clv_sim *sim)
{
    const double q = 0.1 * instance;
    (void)user;
    if (instance == 4)
        return clv_sim_set_input(sim, 99, 0);
    clv_sim_set_joint(sim, 0, &q, NULL);
    return clv_sim_set_input(sim, 0, 0.25 * instance);
}

static clv_status make(void *user, int instance, clv_model **model)
{
    (void)user;
    if (instance == 2)
        return CLV_ERR_UNSUPPORTED;
    return clv_model_read_text(model, pendulum, strlen(pendulum) - (instance == 7 ? 40 : 0), "made.yaml");
}

static bool count(void *user, int instance)
{
    calls *c = user;
    (void)instance;
    return ++c->done < c->most;
}

static void instances_may_start_and_be_pushed_otherwise(void **state)
{
    (void)state;
    clv_ensemble_desc d = of_pendulum(NULL);
    clv_model *model;
    clv_model_read_text(&model, pendulum, strlen(pendulum), NULL);
    d.text = NULL, d.nvalue = 0, d.model = model, d.prepare = push, d.threads = 3;
    clv_ensemble *e = ran(&d);
    const int q = output(e, "a.q");
    for (int i = 0; i < N; i++) {
        assert_int_equal(clv_ensemble_status(e, i), i == 4 ? CLV_ERR_USAGE : CLV_OK);
        clv_sim *sim;
        clv_sim_create(&sim, model, NULL);
        push(NULL, i, sim);
        for (int k = 1; k < 20; k++)
            clv_sim_advance(sim, k * 0.05);
        clv_sim_advance(sim, 1);
        assert_true(i == 4 || clv_ensemble_output(e, i)[q] == angle(sim));
        clv_sim_destroy(sim);
    }
    assert_true(clv_ensemble_output(e, 1)[q] != clv_ensemble_output(e, 2)[q]);
    clv_ensemble_destroy(e);
    clv_model_destroy(model);
}

static void models_may_be_made_by_the_caller(void **state)
{
    (void)state;
    clv_ensemble_desc d = of_pendulum(NULL);
    d.text = NULL, d.nvalue = 0, d.make = make, d.threads = 2;
    clv_ensemble *e = ran(&d);
    for (int i = 0; i < N; i++)
        assert_int_equal(clv_ensemble_status(e, i), i == 2   ? CLV_ERR_UNSUPPORTED
                                                    : i == 7 ? CLV_ERR_SYNTAX
                                                             : CLV_OK);
    assert_true(*clv_ensemble_instance_error(e, 2)->message && clv_ensemble_instance_error(e, 7)->line > 0);
    same_bits(e, e, 0);
    clv_ensemble_destroy(e);
}

/* threads of this process; 0: the system does not tell */
static int threads_now(void)
{
    char line[200];
    int n = 0;
    FILE *f = fopen("/proc/self/status", "r");
    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, "Threads: %d", &n) == 1)
            break;
    if (f)
        fclose(f);
    return n;
}

static clv_status make_large(void *user, int instance, clv_model **model)
{
    static const char *const links[] = {"links=2500"};
    (void)user, (void)instance;
    return clv_example_create(model, "chain", links, 1);
}

static clv_status note_threads(void *user, int instance, clv_sim *sim)
{
    ((int *)user)[instance] = threads_now();
    return clv_sim_threads(sim) == 1 ? CLV_OK : CLV_ERR_USAGE;
}

/* Instances of a model that takes more threads alone have one each: three at once use three threads. */
static void instances_do_not_crowd(void **state)
{
    (void)state;
    int seen[6] = {0};
    clv_ensemble_desc d = of_pendulum(NULL);
    d.text = NULL, d.nvalue = 0, d.make = make_large, d.prepare = note_threads, d.user = seen;
    d.instances = 6, d.threads = 3, d.columns = "tip.position", d.time = 1e-4, d.every = 1e-4, d.options.threads = 8;
    const int before = threads_now();
    clv_ensemble *e = ran(&d);
    for (int i = 0; i < d.instances; i++) {
        assert_int_equal(clv_ensemble_status(e, i), CLV_OK);
        assert_in_range(seen[i], before, before + d.threads - (before > 0));
    }
    clv_ensemble_destroy(e);
    clv_sim_options o = clv_sim_options_default(); /* alone it takes them */
    clv_model *m;
    clv_sim *sim;
    o.threads = 2;
    assert_int_equal(make_large(NULL, 0, &m), CLV_OK);
    assert_int_equal(clv_sim_create(&sim, m, &o), CLV_OK);
    assert_int_equal(clv_sim_threads(sim), 2);
    clv_sim_destroy(sim), clv_model_destroy(m);
}

static void done_may_end_it_and_a_second_run_goes_on(void **state)
{
    (void)state;
    double value[N][3];
    fill_values(value);
    calls c = {.most = 5};
    clv_ensemble_desc d = of_pendulum(value[0]);
    clv_ensemble *whole = ran(&d);
    d.done = count, d.user = &c;
    clv_ensemble *e = ran(&d);
    int n = 0;
    for (int i = 0; i < N; i++)
        n += clv_ensemble_ran(e, i);
    assert_int_equal(c.done, n);
    assert_in_range(n, 5, 12); /* up to seven more were under way in lanes */
    c.most = 1000;
    assert_int_equal(clv_ensemble_run(e), CLV_OK);
    assert_int_equal(c.done, N);
    for (int i = 0; i < N; i++)
        same_bits(whole, e, i);
    clv_ensemble_destroy(e);
    clv_ensemble_destroy(whole);
}

static void an_instance_with_other_bodies_fails(void **state)
{
    (void)state;
    static const char chain[] = "cleave: 1\n"
                                "parameters: {n: 2}\n"
                                "bodies:\n"
                                "  ball{i}: {mass: 1, inertia: [1, 1, 1], repeat: n}\n";
    const double value[] = {2, 3, 2};
    const char *const names[] = {"n"};
    clv_ensemble_desc d = clv_ensemble_desc_default();
    d.instances = 3, d.text = chain, d.size = strlen(chain), d.nvalue = 1, d.name = names, d.value = value;
    d.time = 0.1;
    clv_ensemble *e = ran(&d);
    assert_int_equal(clv_ensemble_status(e, 0), CLV_OK);
    assert_int_equal(clv_ensemble_status(e, 1), CLV_ERR_UNSUPPORTED);
    assert_int_equal(clv_ensemble_status(e, 2), CLV_OK);
    clv_ensemble_destroy(e);
}

/* ---------------------------------------------------------------- bad use */

static void refused(const clv_ensemble_desc *d, const char *words)
{
    clv_ensemble *e;
    assert_int_not_equal(clv_ensemble_create(&e, d), CLV_OK);
    if (!strstr(clv_ensemble_error(e)->message, words))
        fail_msg("'%s', expected '%s'", clv_ensemble_error(e)->message, words);
    assert_int_equal(clv_ensemble_run(e), CLV_ERR_USAGE);
    assert_int_equal(clv_ensemble_output_count(e), 0);
    clv_ensemble_destroy(e);
}

static void bad_descriptions_are_refused(void **state)
{
    (void)state;
    double value[N][3];
    fill_values(value);
    clv_ensemble_desc d = of_pendulum(value[0]);
    refused(NULL, "description is NULL");
#define REFUSED(change, words)                                                                                       \
    d = of_pendulum(value[0]), change, refused(&d, words)
    REFUSED(d.cookie = 0, "clv_ensemble_desc_default");
    REFUSED(d.instances = 0, "at least one instance");
    REFUSED(d.text = NULL, "one of model, text and make");
    REFUSED(d.make = make, "one of model, text and make");
    REFUSED(d.time = 0, "time must be positive");
    REFUSED(d.time = NAN, "time must be positive");
    REFUSED(d.every = -1, "every");
    REFUSED(d.every = 1e-12, "every");
    REFUSED(d.threads = 5000, "threads");
    REFUSED(d.max_steps = -1, "max_steps");
    REFUSED(d.name = NULL, "names and values");
    REFUSED(d.columns = "a.speed", "a.speed");
    REFUSED(d.size = 30, "");
#undef REFUSED
    clv_ensemble *e = made((d = of_pendulum(value[0]), &d));
    assert_null(clv_ensemble_output_name(e, -1));
    assert_null(clv_ensemble_output_name(e, clv_ensemble_output_count(e)));
    assert_null(clv_ensemble_output(e, 0));
    assert_null(clv_ensemble_output(e, N));
    assert_int_equal(clv_ensemble_status(e, 0), CLV_ERR_USAGE);
    clv_ensemble_destroy(e);
}

/* ---------------------------------------------------------------- memory */

static _Atomic long asked; /* threads of an ensemble ask at the same time */
static long refuse;

static void *allocate(void *user, size_t alignment, size_t size)
{
    (void)user;
    size = (size + alignment - 1) / alignment * alignment;
    return ++asked == refuse ? NULL : aligned_alloc(alignment < sizeof(void *) ? sizeof(void *) : alignment, size);
}

static void *resize(void *user, void *p, size_t size)
{
    (void)user;
    return ++asked == refuse ? NULL : realloc(p, size);
}

static void release(void *user, void *p)
{
    (void)user;
    free(p);
}

/* Whichever allocation fails: the creation says so, or one instance fails and the others have their bits, or there are
 * no lanes and all have their bits. */
static void memory_may_be_out_anywhere(void **state)
{
    (void)state;
    enum { FEW = 3 };
    double value[N][3];
    fill_values(value);
    clv_ensemble_desc d = of_pendulum(value[0]);
    d.instances = FEW, d.time = 0.05;
    clv_ensemble *whole = ran(&d);
    const long live = clv_alloc_live();
    long n = 1, created = 0;
    for (refuse = 0; refuse <= n; refuse++) {
        clv_ensemble *e;
        int failed = 0, lost = 0;
        asked = 0;
        const clv_status status = clv_ensemble_create(&e, &d);
        if (status == CLV_OK) {
            assert_int_equal(clv_ensemble_run(e), CLV_OK);
            for (int i = 0; i < FEW; i++) {
                assert_true(clv_ensemble_ran(e, i));
                const char *alone = clv_ensemble_alone(e, i);
                lost += alone && strcmp(alone, "out of memory") == 0;
                if (clv_ensemble_status(e, i) == CLV_OK)
                    same_bits(whole, e, i);
                else
                    assert_int_equal(clv_ensemble_status(e, i), CLV_ERR_MEMORY), failed++;
            }
            created++;
        } else {
            assert_int_equal(status, CLV_ERR_MEMORY);
            assert_true(!e || clv_ensemble_error(e)->code == CLV_ERR_MEMORY);
        }
        n = refuse == 0 ? asked : n;
        assert_true((failed == 1 || lost > 0) == (status == CLV_OK && refuse > 0) && failed <= 1);
        clv_ensemble_destroy(e);
        assert_int_equal(clv_alloc_live(), live);
    }
    assert_true(n > 300 && created > n / 2);
    refuse = 0;
    clv_ensemble_destroy(whole);
}

int main(void)
{
    if (clv_allocator_set(&(clv_allocator){allocate, resize, release, NULL}) != CLV_OK)
        return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_instance_gives_what_its_simulation_gives),
        cmocka_unit_test(bits_depend_on_neither_threads_nor_neighbours),
        cmocka_unit_test(instances_do_not_crowd),
        cmocka_unit_test(a_failure_stays_with_its_instance),
        cmocka_unit_test(too_many_steps_end_an_instance),
        cmocka_unit_test(instances_may_start_and_be_pushed_otherwise),
        cmocka_unit_test(models_may_be_made_by_the_caller),
        cmocka_unit_test(done_may_end_it_and_a_second_run_goes_on),
        cmocka_unit_test(an_instance_with_other_bodies_fails),
        cmocka_unit_test(bad_descriptions_are_refused),
        cmocka_unit_test(memory_may_be_out_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
