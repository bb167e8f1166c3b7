/* SPDX-License-Identifier: Apache-2.0
 * Memory runs out: every allocation of every use of the library and of every command fails once in turn, alone and with
 * all later ones.  Nothing crashes, nothing leaks, the status is CLV_ERR_MEMORY and the exit code 4.
 * The first 80 allocations of a use are all tried, of the later ones a fixed sample of 60; 300 and 200 if
 * CLEAVE_THOROUGH is set.  With the address sanitizer, which is seven times slower, 80 and 40.  libyaml, SQLite, CVODE
 * and the C library's streams allocate by themselves: for libyaml see test_out_of_memory_yaml.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/memory.h"
#include "cases.h"
#include "cli/command.h"
#include "formulation/system.h"
#include "io/yaml_write.h"
#include "math/lapack.h"
#include "simulation/sim.h"
#include "thorough.h"

#include <fcntl.h>
#include <glob.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct {
    long first, sample; /* allocations of a use that are tried */
} trials;

static void choose_trials(void)
{
    trials.first = thorough() ? 300 : 80, trials.sample = thorough() ? 200 : 60;
#ifdef __SANITIZE_ADDRESS__
    trials.first = 80, trials.sample = 40;
#endif
}

/* ---------------------------------------------------------------- an allocator that fails when told to */

static struct {
    long asked;   /* allocations and resizes so far                 */
    long refuse;  /* the number of the one that fails, 0: none      */
    bool for_good; /* and all later ones too                         */
    long live;    /* blocks                                         */
} heap;

static bool refused(void)
{
    ++heap.asked;
    return heap.refuse && (heap.asked == heap.refuse || (heap.for_good && heap.asked > heap.refuse));
}

static void *allocate(void *user, size_t alignment, size_t size)
{
    (void)user;
    void *p = refused() ? NULL : aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
    heap.live += p != NULL;
    return p;
}

static void *resize(void *user, void *block, size_t size)
{
    (void)user;
    void *p = refused() ? NULL : realloc(block, size);
    heap.live += p && !block;
    return p;
}

static void release(void *user, void *block)
{
    (void)user;
    heap.live--;
    free(block);
}

/* ---------------------------------------------------------------- trying */

/* One use of the library with the words given; what it returns is a status or an exit code. */
typedef int (*use)(const char *const *words);

static struct {
    long uses, allocations, tried;
} total;

/* Runs it with allocation k failing (0: none). */
static int attempt(use f, const char *const *words, long k, bool for_good)
{
    long before = heap.live;
    heap.asked = 0, heap.refuse = k, heap.for_good = for_good;
    int result = f(words);
    heap.refuse = 0;
    assert_int_equal(clv_alloc_live(), heap.live);
    if (heap.live != before)
        fail_msg("%s %s: %ld blocks leak when allocation %ld fails", words[0], words[1] ? words[1] : "",
                 heap.live - before, k);
    return result;
}

/* `good`: what it returns with enough memory, `bad`: without.  A use that fails anyhow (good is no success) may fail
 * either way. */
static void try_all(use f, const char *const *words, int good, int bad)
{
    uint64_t seed = 1;
    int whole = attempt(f, words, 0, false);
    if (whole != good)
        fail_msg("%s %s: got %d with enough memory, not %d", words[0], words[1] ? words[1] : "", whole, good);
    long n = heap.asked;
    total.uses++, total.allocations += n;
    for (long i = 1; i <= n && i <= trials.first + trials.sample; ++i) {
        long k = i;
        if (i > trials.first && n > trials.first + trials.sample) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            k = trials.first + 1 + (long)((seed >> 33) % (uint64_t)(n - trials.first));
        }
        for (int for_good = 0; for_good < 2; ++for_good) {
            int got = attempt(f, words, k, for_good);
            total.tried++;
            if (got != bad && (good == 0 || got != good))
                fail_msg("%s %s: allocation %ld of %ld fails%s: got %d, not %d", words[0], words[1] ? words[1] : "", k,
                         n, for_good ? " and all later ones" : "", got, bad);
        }
    }
}

/* The records must be there and readable whatever happened. */
static clv_status told(clv_status status, const clv_error *error)
{
    if (status != CLV_OK && error && *clv_status_text(status) == '\0')
        fail_msg("status %d has no text", (int)status);
    if (status == CLV_ERR_MEMORY && error)
        assert_int_equal(error->code, CLV_ERR_MEMORY);
    return status;
}

/* Steps a model a little, looks at everything, and destroys it. */
static int simulate(clv_status status, clv_model *model, const char *formulation, const char *integrator)
{
    clv_sim *sim = NULL;
    clv_sim_options options = clv_sim_options_default();
    if (formulation)
        options.formulation = formulation;
    if (integrator)
        options.integrator = integrator;
    if (integrator && clv_method_find(integrator)->fixed_only)
        options.step = 1e-4;
    if (model)
        told(status, clv_model_error(model));
    if (status == CLV_OK) {
        status = clv_sim_create(&sim, model, &options);
        assert_true(sim || status == CLV_ERR_MEMORY);
        if (sim)
            told(status, clv_sim_error(sim));
    }
    if (status == CLV_OK)
        status = clv_sim_advance(sim, 1e-4);
    if (status == CLV_OK)
        status = clv_sim_evaluate(sim);
    for (int j = 0; status == CLV_OK && j < clv_model_joint_count(model); ++j) {
        clv_joint_result result;
        status = clv_sim_joint(sim, j, &result);
    }
    clv_sim_destroy(sim);
    clv_model_destroy(model);
    return (int)status;
}

/* ---------------------------------------------------------------- uses of the library */

static int use_example(const char *const *words)
{
    clv_model *model = NULL;
    clv_status status = clv_example_create(&model, words[0], words + 3, words[3] != NULL);
    return simulate(status, model, words[1], words[2]);
}

static void examples_by_every_formulation_and_integrator(void **state)
{
    (void)state;
    for (int i = 0; clv_example_name(i); ++i)
        try_all(use_example, (const char *[]){clv_example_name(i), NULL, NULL, NULL}, CLV_OK, CLV_ERR_MEMORY);
    for (int f = 0; clv_formulation_at(f); ++f)
        for (int k = 0; clv_method_at(k); ++k) {
            const char *words[] = {"four-bar-ladder", clv_formulation_at(f)->name, clv_method_at(k)->name, "windows=3",
                                   NULL};
            int whole = attempt(use_example, words, 0, false);
            assert_true(whole == CLV_OK || clv_method_at(k)->absent ||
                        !clv_sim_takes(clv_formulation_at(f), clv_method_at(k)));
            try_all(use_example, words, whole, CLV_ERR_MEMORY);
        }
    try_all(use_example, (const char *[]){"chain", NULL, NULL, "links=300", NULL}, CLV_OK, CLV_ERR_MEMORY);
}

/* A lock, an attachment and their release in the first 1e-4 s: the simulation is built anew at each. */
static int use_events(const char *const *words)
{
    static const char text[] = "cleave: 1\n"
                               "bodies: {a: {mass: 1, inertia: [1, 1, 1]}, b: {mass: 1, inertia: [1, 1, 1]},"
                               " c: {mass: 1, inertia: [1, 1, 1]}}\n"
                               "joints:\n"
                               "  j: {kind: revolute, a: {body: ground}, b: {body: a}}\n"
                               "  k: {kind: revolute, a: {body: a, position: [1, 0, 0]}, b: {body: b}}\n"
                               "events:\n"
                               "  lock: {at: 2e-5, lock: k}\n"
                               "  close: {at: 4e-5, attach: [b, ground], joint: revolute, position: [0.4, 0.3, 0]}\n"
                               "  hold: {when: {joint: j, below: -1e-9}, attach: [b, c]}\n"
                               "  free: {at: 6e-5, release: lock}\n"
                               "  open: {at: 8e-5, release: close}\n"
                               "start: {bodies: {c: {position: [3, 0, 0]}}, joints: {j: {u: -1}}}\n";
    clv_model *model = NULL;
    clv_status status = clv_model_read_text(&model, text, sizeof text - 1, "events.yaml");
    assert_true(model || status == CLV_ERR_MEMORY);
    return simulate(status, model, words[1], NULL);
}

static void events_of_models(void **state)
{
    (void)state;
    for (int f = 0; clv_formulation_at(f); ++f)
        try_all(use_events, (const char *[]){"events", clv_formulation_at(f)->name, NULL, NULL}, CLV_OK,
                CLV_ERR_MEMORY);
}

static int use_file(const char *const *words)
{
    clv_model *model = NULL;
    clv_status status = clv_model_read(&model, words[0]);
    assert_true(model || status == CLV_ERR_MEMORY);
    return simulate(status, model, NULL, NULL);
}

/* The vehicle with flexible booms has no kind of item that the flexible arm and the rigid vehicle lack, but 64 modes to
 * write and read; examples_by_every_formulation_and_integrator takes it. */
static bool only_longer(const char *name)
{
    return strstr(name, "mmsev-flexible") != NULL;
}

static void model_files(void **state)
{
    (void)state;
    glob_t files;
    assert_int_equal(glob(CLV_SOURCE_DIR "/examples/*.yaml", 0, NULL, &files), 0);
    for (size_t i = 0; i < files.gl_pathc; ++i)
        if (!only_longer(files.gl_pathv[i]))
            try_all(use_file, (const char *[]){files.gl_pathv[i], NULL}, CLV_OK, CLV_ERR_MEMORY);
    globfree(&files);
    static const char side_file[] = CLV_SOURCE_DIR "/tests/flexible/side-file.yaml";
    try_all(use_file, (const char *[]){side_file, NULL}, CLV_OK, CLV_ERR_MEMORY);
}

static int use_bad_text(const char *const *words)
{
    clv_model *model = NULL;
    clv_status status = clv_model_read_text(&model, words[0], strlen(words[0]), words[1]);
    if (model && status != CLV_OK) {
        assert_int_equal(clv_model_error(model)->code, status);
        for (int i = 0; i < clv_model_error_count(model); ++i)
            assert_true(*clv_model_error_at(model, i)->message);
    }
    clv_model_destroy(model);
    return (int)status;
}

static void try_bad_model(const test_case *c, void *user)
{
    (void)user;
    char *text = (calloc)(c->size + 1, 1);
    assert_non_null(text);
    memcpy(text, c->text, c->size);
    const char *words[] = {text, c->name, NULL};
    try_all(use_bad_text, words, use_bad_text(words), CLV_ERR_MEMORY);
    (free)(text);
}

static void bad_model_files(void **state)
{
    (void)state;
    assert_true(cases_of_folder(CLV_SOURCE_DIR "/tests/bad_models/", try_bad_model, NULL) > 300);
}

/* Writes a model as text and reads that back. */
static int use_text(const char *const *words)
{
    clv_model *model = NULL, *again = NULL;
    char *text = NULL;
    size_t size = 0;
    clv_status status = clv_example_create(&model, words[0], NULL, 0);
    if (status == CLV_OK)
        status = clv_model_write_text(model, &text, &size);
    assert_true(status == CLV_OK || !text);
    if (status == CLV_OK)
        status = clv_model_read_text(&again, text, size, "again.yaml");
    clv_free(text);
    clv_model_destroy(model);
    clv_model_destroy(again);
    return (int)status;
}

static void written_models(void **state)
{
    (void)state;
    for (int i = 0; clv_example_name(i); ++i)
        if (!only_longer(clv_example_name(i)))
            try_all(use_text, (const char *[]){clv_example_name(i), NULL}, CLV_OK, CLV_ERR_MEMORY);
}

static int pull(void *user, clv_load_view *view)
{
    (void)user;
    view->wrench[0] += 1;
    return 0;
}

/* One of every kind of item. */
static clv_status add_everything(clv_model *m)
{
    static const double time[] = {0, 1, 2, 3}, value[] = {0, 1, 0, 1};
    static const char *const body[] = {"one", "two", "three", "four"}, *const joint[] = {"a", "b", "c", "d"};
    clv_status status = clv_model_set_gravity(m, (const double[]){0, 0, -1});
    for (int i = 0; i < 4 && status == CLV_OK; ++i) {
        clv_body_desc b = clv_body_desc_default();
        b.name = body[i], b.mass = 1, b.branch = i < 2 ? "left" : NULL;
        b.inertia[0] = b.inertia[1] = b.inertia[2] = 1;
        status = clv_model_add_body(m, NULL, &b);
        clv_joint_desc j = clv_joint_desc_default(CLV_JOINT_REVOLUTE);
        j.name = joint[i], j.a = i == 3 ? CLV_GROUND : i - 1, j.b = i, j.position_a[0] = 1;
        if (status == CLV_OK)
            status = clv_model_add_joint(m, NULL, &j);
    }
    static const clv_force_kind kind[] = {CLV_FORCE_POINT,  CLV_FORCE_TORQUE,  CLV_FORCE_JOINT,
                                          CLV_FORCE_SPRING, CLV_FORCE_ANGULAR, CLV_FORCE_CALLBACK};
    static const char *const force[] = {"f0", "f1", "f2", "f3", "f4", "f5"};
    for (int i = 0; i < 6 && status == CLV_OK; ++i) {
        clv_force_desc f = clv_force_desc_default(kind[i]);
        f.name = force[i], f.a = CLV_GROUND, f.b = 1, f.joint = 1, f.vector[0] = 1, f.call = pull, f.damping = 0.1;
        f.point_b[0] = 1; /* off the ground's origin, so that the spring has a length */
        if (i < 3)
            f.table = (clv_table){4, time, value};
        status = clv_model_add_force(m, NULL, &f);
    }
    clv_motion_desc motion = clv_motion_desc_default();
    motion.name = "m", motion.joint = 0, motion.table = (clv_table){4, time, value};
    clv_coupling_desc gear = clv_coupling_desc_default();
    gear.name = "g", gear.first = 1, gear.second = 2, gear.ratio = 2;
    clv_marker_desc marker = clv_marker_desc_default();
    marker.name = "k", marker.body = 2;
    if (status == CLV_OK)
        status = clv_model_add_motion(m, NULL, &motion);
    if (status == CLV_OK)
        status = clv_model_add_coupling(m, NULL, &gear);
    if (status == CLV_OK)
        status = clv_model_add_marker(m, NULL, &marker);
    return status;
}

static int use_code(const char *const *words)
{
    clv_model *m = NULL;
    clv_status status = clv_model_create(&m, words[0]);
    if (status == CLV_OK)
        status = add_everything(m);
    if (status == CLV_OK)
        status = clv_model_finish(m);
    int result = simulate(status, status == CLV_OK ? m : NULL, NULL, NULL);
    if (status == CLV_OK)
        return result;
    if (m) { /* memory is back: the model is whole, with what was added, and says whether that is enough */
        told(status, clv_model_error(m));
        heap.refuse = 0;
        (void)clv_model_finish(m);
    }
    clv_model_destroy(m);
    return (int)status;
}

static void models_made_in_code(void **state)
{
    (void)state;
    try_all(use_code, (const char *[]){"everything", NULL}, CLV_OK, CLV_ERR_MEMORY);
}

/* ---------------------------------------------------------------- the commands */

static char folder[] = "/tmp/cleave-memory-XXXXXX";
static char output[64]; /* what the command printed */

/* Runs clv_main with standard output and error in files; --json must tell the same as the exit code. */
static int use_command(const char *const *words)
{
    unlink("over.cleave"), unlink("motion.csv"), unlink("motion.npz"); /* nothing is written over */
    if (strcmp(words[0], "--fresh") == 0) { /* with a run file that is always the same */
        static const char *const begin[] = {"run", "hdca-case1", "--time", "0.01", "--out", "run.cleave", NULL};
        long refuse = heap.refuse;
        heap.refuse = 0;
        unlink("run.cleave");
        assert_int_equal(use_command(begin), 0);
        heap.asked = 0, heap.refuse = refuse;
        return use_command(words + 1);
    }
    char *argv[16] = {(char *)"cleave"};
    int argc = 1, kept[2];
    for (; words[argc - 1]; ++argc)
        argv[argc] = (char *)words[argc - 1];
    for (int k = 0; k < 2; ++k) {
        fflush(k ? stderr : stdout);
        kept[k] = dup(k + 1);
        int file = open(k ? "/dev/null" : output, O_CREAT | O_TRUNC | O_WRONLY, 0600);
        assert_true(kept[k] >= 0 && file >= 0);
        dup2(file, k + 1), close(file);
    }
    int code = clv_main(argc, argv);
    for (int k = 0; k < 2; ++k) {
        fflush(k ? stderr : stdout);
        dup2(kept[k], k + 1), close(kept[k]);
    }
    static const char *const status[] = {"ok", "wrong_use", "bad_model", "numerical_failure", "out_of_resources"};
    if (code >= 0 && code <= 4 && strcmp(argv[argc - 1], "--json") == 0) {
        char text[4096] = "", want[64];
        FILE *in = fopen(output, "r");
        assert_non_null(in);
        text[fread(text, 1, sizeof text - 1, in)] = '\0';
        fclose(in);
        snprintf(want, sizeof want, "\"status\": \"%s\"", status[code]);
        if (!strstr(text, want))
            fail_msg("%s %s: exit code %d, but printed %s", words[0], words[1], code, text);
    }
    return code;
}

static void commands(void **state)
{
    (void)state;
    static const char yaml[] = CLV_SOURCE_DIR "/examples/hdca-case1.yaml";
    static const char *const line[][12] = {
        {"examples"}, {"examples", "--json"}, {"help"}, {"--version"},
        {"run", "hdca-case1", "--time", "0.01", "--json"},
        {"run", "hdca-case1", "--time", "0.01", "--out", "motion.csv"},
        {"run", "hdca-case1", "--time", "0.01", "--out", "motion.csv", "--force"},
        {"run", "chain", "links=5", "--time", "0.01", "--formulation", "dca", "--integrator", "adams", "--json"},
        {"run", "loop-7r", "--time", "0.001", "--formulation", "massmatrix", "--json"},
        {"run", "hdca-case3", "--time", "0.001", "--formulation", "connection", "--json"},
        {"check", "jsc-18", "--formulation", "connection", "--method", "2", "--bracketing", "((0,1),2),3", "--json"},
        {"run", yaml, "--time", "0.01", "--table", "K"},
        {"run", yaml, "--time", "0.01", "--json"},
        {"run", yaml, "--time", "0.01", "--out", "motion.csv"}, {"run", yaml, "--time", "0.01", "--out", "over.cleave"},
        {"check", "bricard", "--json"}, {"check", yaml, "--json"}, {"check", "bricard"},
        {"eval", "four-bar-ladder", "--json"}, {"eval", yaml, "--json"}, {"eval", yaml},
        {"inverse", "loader", "--at", "1", "--json"},
        {"equilibrium", "hdca-case1", "--modes", "--out", "rest.yaml", "--force", "--json"},
        {"run", "hdca-case1", "--time", "0.01", "--out", "over.cleave", "--json"},
        {"--fresh", "resume", "run.cleave", "--time", "0.02", "--json"},
        {"--fresh", "export", "run.cleave", "motion.csv"}, {"--fresh", "export", "run.cleave", "motion.npz"},
        {"--fresh", "plot", "run.cleave", "K.position", "--out", "curve.svg", "--force"},
        {"plot", "curve.csv", "y"}, {"plot", yaml, "--out", "mechanism.svg", "--force"},
        {"verify", "pendulum", "--time", "0.1", "--json"}, {"verify", yaml, "--time", "0.01"},
        {"completion", "bash"},
        {"new", "mine", "--force"}, {"new", "long", "--force", "example=chain", "links=50"},
        {"demo"},
        {"bench", "chain", "--links", "4", "--json"}, {"bench", "ladder", "--links", "2", "--json"},
    };
    char back[1024];
    assert_non_null(getcwd(back, sizeof back));
    assert_non_null(mkdtemp(folder));
    assert_int_equal(chdir(folder), 0);
    snprintf(output, sizeof output, "%s/output", folder);
    FILE *curve = fopen("curve.csv", "w");
    assert_non_null(curve);
    fputs("time [s],p.x [m],p.y [m],y [N]\n0,1,2,3\n1,2,,4\n", curve);
    fclose(curve);
    for (size_t i = 0; i < sizeof line / sizeof *line; ++i)
        try_all(use_command, line[i], 0, 4);
    static const char fe[] = CLV_SOURCE_DIR "/tests/flexible/beam.fe"; /* not .yaml: no model */
    if (clv_lapack_present())
        try_all(use_command, (const char *[]){"flex", "reduce", fe, "out.flex", "--force", NULL}, 0, 4);
    /* The doctor may be right that something else is wrong. */
    const char *doctor[] = {"doctor", "--json", NULL};
    try_all(use_command, doctor, use_command(doctor), 4);
    /* A bad file fails either way. */
    static const char bad[] = CLV_SOURCE_DIR "/tests/models/joint_kind_missing.yaml";
    try_all(use_command, (const char *[]){"check", bad, "--json", NULL}, 2, 4);
    static const char *const made[] = {"output",     "motion.csv", "motion.npz", "run.cleave",
                                       "over.cleave", "mine.yaml",  "long.yaml",  "out.flex",
                                       "curve.csv",   "curve.svg",  "mechanism.svg", "rest.yaml",
                                       "over.cleave-wal", "over.cleave-shm"}; /* a failed run keeps its log */
    for (size_t i = 0; i < sizeof made / sizeof *made; ++i)
        unlink(made[i]);
    assert_int_equal(chdir(back), 0);
    assert_int_equal(rmdir(folder), 0);
}

static int tell(void **state)
{
    (void)state;
    print_message("%ld uses, %ld allocations, %ld failures tried\n", total.uses, total.allocations, total.tried);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(examples_by_every_formulation_and_integrator),
        cmocka_unit_test(events_of_models),
        cmocka_unit_test(model_files),
        cmocka_unit_test(bad_model_files),
        cmocka_unit_test(written_models),
        cmocka_unit_test(models_made_in_code),
        cmocka_unit_test(commands),
    };
    choose_trials();
    if (clv_allocator_set(&(clv_allocator){allocate, resize, release, NULL}) != CLV_OK)
        return 1;
    return cmocka_run_group_tests(tests, NULL, tell);
}
