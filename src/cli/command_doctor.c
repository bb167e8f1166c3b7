/* SPDX-License-Identifier: Apache-2.0
 * cleave doctor: what this build and this machine are, whether three small mechanisms come out right, and whether a
 * short run has the same bits as everywhere else. */
#include "base/cpu.h"
#include "cli/command.h"
#include "cli/report.h"
#include "io/runfile.h"
#include "io/xml_parse.h"
#include "io/yaml_read.h"
#include "integrator/integrator.h"
#include <inttypes.h>
#include <math.h>
#include <string.h>

typedef struct doctor_settings {
    bool json;
} doctor_settings;

static const clv_option options[] = {
    {"json", CLV_OPTION_FLAG, offsetof(doctor_settings, json), NULL, "print one JSON object instead of text", 0, 0,
     false},
    {0},
};

/* Instruction sets that matter here, as Linux names them. */
static const char *const known_features[] = {"sse2", "avx", "avx2", "fma", "avx512f", "asimd", "sve"};
enum { FEATURES = sizeof known_features / sizeof known_features[0], TESTS = 3 };

static void read_features(bool has[FEATURES])
{
    char line[8192];
    FILE *in = fopen("/proc/cpuinfo", "r");
    while (in && fgets(line, sizeof line, in)) {
        if (strncmp(line, "flags", 5) != 0 && strncmp(line, "Features", 8) != 0)
            continue;
        for (char *word = strtok(line, " \t\n:"); word; word = strtok(NULL, " \t\n:"))
            for (int i = 0; i < FEATURES; ++i)
                has[i] = has[i] || strcmp(word, known_features[i]) == 0;
        break;
    }
    if (in)
        fclose(in);
}

typedef struct self_test {
    const char *example;
    double drift, gap; /* J; m or rad: allowed */
    clv_status status;
    clv_sim_report report;
    bool good;
} self_test;

/* Two seconds of one example. */
static void run_test(self_test *t)
{
    clv_model *model = NULL;
    clv_sim *sim = NULL;
    clv_sim_options o = clv_sim_options_default();
    o.rtol = 1e-8;
    t->status = clv_example_create(&model, t->example, NULL, 0);
    if (t->status == CLV_OK)
        t->status = clv_sim_create(&sim, model, &o);
    if (t->status == CLV_OK)
        t->status = clv_sim_advance(sim, 2);
    if (t->status == CLV_OK)
        clv_sim_summary(sim, &t->report);
    t->good =
        t->status == CLV_OK && t->report.max_energy_drift <= t->drift && t->report.max_position_violation <= t->gap;
    if (sim)
        clv_sim_destroy(sim);
    if (model)
        clv_model_destroy(model);
}

/* ---------------------------------------------------------------- bits */

/* Hash (FNV-1a) over the motion of hdca-case3 in 50 fixed steps, as every compiler, lane width and number of threads
 * gives it. It changes with the engine's arithmetic, together with the table of tests/laws/test_bits.c. */
static const uint64_t RECORDED_BITS = UINT64_C(0x0574f18005ac9de9);

static uint64_t mix(uint64_t h, const double *x, int n)
{
    for (int i = 0; i < n; i++) {
        const double v = x[i] == 0 ? 0.0 : x[i]; /* no difference between the two zeros */
        uint64_t bits;
        memcpy(&bits, &v, sizeof bits);
        for (int k = 0; k < 64; k += 8)
            h = (h ^ ((bits >> k) & 0xFF)) * UINT64_C(1099511628211);
    }
    return h;
}

static clv_status find_bits(uint64_t *hash)
{
    clv_model *model = NULL;
    clv_sim *sim = NULL;
    uint64_t h = UINT64_C(14695981039346656037);
    clv_sim_options o = clv_sim_options_default();
    o.integrator = "rk4", o.step = 1e-3;
    clv_status status = clv_example_create(&model, "hdca-case3", NULL, 0);
    if (status == CLV_OK)
        status = clv_sim_create(&sim, model, &o);
    for (int i = 1; i <= 50 && status == CLV_OK; ++i) {
        status = clv_sim_advance(sim, 1e-3 * i);
        h = mix(h, clv_sim_position(sim), 3 * clv_model_body_count(model));
        h = mix(h, clv_sim_velocity(sim), 6 * clv_model_body_count(model));
    }
    clv_sim_destroy(sim), clv_model_destroy(model);
    *hash = status == CLV_OK ? h : 0;
    return status;
}

/* ---------------------------------------------------------------- text */

static const char *stiff_part(void)
{
    const clv_method *bdf = clv_method_find("bdf");
    return !bdf || bdf->absent ? "none: integrator bdf is refused" : "SUNDIALS " CLV_SUNDIALS_VERSION;
}

static void print_json(const bool has[FEATURES], const self_test *test, uint64_t bits, clv_exit code)
{
    char hash[24];
    clv_json j = clv_json_begin(stdout);
    clv_json_object(&j, NULL);
    clv_json_text(&j, "status", clv_exit_word(code));
    clv_json_text(&j, "version", clv_version());
    clv_json_text(&j, "compiler", CLV_COMPILER);
    clv_json_text(&j, "build", CLV_BUILD);
    clv_json_integer(&j, "lanes", clv_lanes());
    clv_json_text(&j, "lane_instructions", clv_cpu_instructions(clv_lanes()));
    clv_json_array(&j, "lane_widths");
    for (int i = 0; i < CLV_CPU_WIDTHS; ++i)
        if (clv_cpu_runs(clv_cpu_width[i]))
            clv_json_integer(&j, NULL, clv_cpu_width[i]);
    clv_json_end(&j);
    clv_json_text(&j, "threads_by", "POSIX");
    clv_json_integer(&j, "cores", clv_cores());
    clv_json_array(&j, "cpu_features");
    for (int i = 0; i < FEATURES; ++i)
        if (has[i])
            clv_json_text(&j, NULL, known_features[i]);
    clv_json_end(&j);
    clv_json_object(&j, "parts");
    clv_json_text(&j, "yaml", clv_part_yaml());
    clv_json_text(&j, "expat", clv_part_expat());
    clv_json_text(&j, "sqlite", clv_part_sqlite());
    clv_json_text(&j, "bdf", stiff_part());
    clv_json_text(&j, "viewer", clv_viewer_page_built.made);
    clv_json_end(&j);
    snprintf(hash, sizeof hash, "%016" PRIx64, bits);
    clv_json_text(&j, "bits", hash);
    clv_json_object(&j, "self_test");
    for (int i = 0; i < TESTS; ++i)
        clv_json_bool(&j, test[i].example, test[i].good);
    clv_json_bool(&j, "bits", bits == RECORDED_BITS);
    clv_json_end(&j);
    clv_json_end(&j);
}

static void print_text(const bool has[FEATURES], const self_test *test, uint64_t bits, clv_exit code)
{
    printf("cleave              %s\ncompiler            %s\nbuild               %s\n", clv_version(), CLV_COMPILER,
           CLV_BUILD);
    printf("cpu path            %d double%s at a time (%s)\n", clv_lanes(), clv_lanes() == 1 ? "" : "s",
           clv_cpu_instructions(clv_lanes()));
    printf("threads             POSIX; hdca, dca, connection and index3 share out large mechanisms\n"
           "cores               %d\n", clv_cores());
    printf("model files         libyaml %s\nrobots (XML)        %s%s\nrun files           SQLite %s\n", clv_part_yaml(),
           clv_xml_present() ? "expat " : "", clv_part_expat(), clv_part_sqlite());
    printf("stiff integrator    %s\nviewer (report)     %s\ncpu                ", stiff_part(),
           clv_viewer_page_built.made);
    for (int i = 0; i < FEATURES; ++i)
        if (has[i])
            printf(" %s", known_features[i]);
    printf("\n");
    for (int i = 0; i < TESTS; ++i) {
        printf("%-18s  %s", test[i].example, test[i].good ? "good" : "BAD");
        if (test[i].status == CLV_OK)
            printf(": energy drift %.2g J, constraint violation %.2g m\n", test[i].report.max_energy_drift,
                   test[i].report.max_position_violation);
        else
            printf(": %s\n", clv_status_text(test[i].status));
    }
    printf("%-18s  %s: %016" PRIx64 "%s\n", "bits", bits == RECORDED_BITS ? "good" : "BAD", bits,
           bits == RECORDED_BITS ? "" : ", a short run differs from the recorded one in the last digits");
    printf("%s\n", code == CLV_EXIT_DONE        ? "All is well."
                   : code == CLV_EXIT_RESOURCES ? "Out of memory: the self test could not run."
                                                : "The self test failed: please report this output.");
}

static int command(const clv_command *self, int argc, char **argv)
{
    clv_words words;
    doctor_settings set = {0};
    bool has[FEATURES] = {0};
    self_test test[TESTS] = {{.example = "double-pendulum", .drift = 1e-4, .gap = 1e-9},
                             {.example = "hdca-case1", .drift = 1e-4, .gap = 1e-9},
                             {.example = "bricard", .drift = 1e-3, .gap = 1e-8}};
    clv_exit code = clv_command_read(self, &set, &words, 0, 0, argc, argv);
    if (code != CLV_EXIT_DONE)
        return code;
    read_features(has);
    for (int i = 0; i < TESTS; ++i) {
        run_test(&test[i]);
        if (test[i].status == CLV_ERR_MEMORY)
            code = CLV_EXIT_RESOURCES;
        else if (!test[i].good && code == CLV_EXIT_DONE)
            code = CLV_EXIT_NUMERICAL;
    }
    uint64_t bits;
    if (find_bits(&bits) == CLV_ERR_MEMORY)
        code = CLV_EXIT_RESOURCES;
    else if (bits != RECORDED_BITS && code == CLV_EXIT_DONE)
        code = CLV_EXIT_NUMERICAL;
    if (set.json)
        print_json(has, test, bits, code);
    else
        print_text(has, test, bits, code);
    return code;
}

const clv_command clv_command_doctor = {
    "doctor",
    "",
    "show version and machine, run a self test",
    "  cleave doctor\n"
    "\n"
    "Shows the build (compiler, flags, lanes, optional parts) and the machine, and tests three small mechanisms and\n"
    "the bits of a short run against recorded values.  Include its output in a bug report.  Exit code 3 if the self "
    "test\n"
    "fails.",
    options,
    command,
};
