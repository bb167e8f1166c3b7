/* SPDX-License-Identifier: Apache-2.0
 * cleave bench: wall time of one rate evaluation (factor, solve and accumulate of the chosen formulation at the start
 * state). Every number is the median over samples; a sample is as many evaluations as fill two milliseconds. */
#include "cli/bench.h"
#include "simulation/cycle.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct bench_settings {
    const char *formulation, *bracketing;
    int links, threads, method, share, ranks;
    double hand_over, latency, bandwidth;
    clv_sim_options step; /* span: what a step is made with */
    bool json, spatial;
} bench_settings;

#define AT(field) offsetof(bench_settings, field)
static const clv_option options[] = {
    {"links", CLV_OPTION_WHOLE, AT(links), "N", "one size only: links of the chain, or windows of the ladder", 1, 1e6,
     false},
    {"spatial", CLV_OPTION_FLAG, AT(spatial), NULL, "chain: a general one (skew axes, any angles) instead of the "
                                                    "planar one", 0, 0,
     false},
    CLV_SIM_OPTION(threads, AT(threads)),
    CLV_SIM_OPTION(formulation, AT(formulation)),
    CLV_SIM_OPTION(method, AT(method)),
    CLV_SIM_OPTION(bracketing, AT(bracketing)),
    {"hand-over", CLV_OPTION_NUMBER, AT(hand_over), "T", "span: s to hand a task to another thread, not measured", 0, 1,
     false},
    {"share", CLV_OPTION_WHOLE, AT(share), "N", "span: fewest rows of eight bodies per task; 32 are fast", 1, 1e6,
     false},
    {"ranks", CLV_OPTION_WHOLE, AT(ranks), "P", "span: also on 1, 2, 4 .. P ranks of a network (T72)", 1, 1 << 20,
     false},
    {"latency", CLV_OPTION_NUMBER, AT(latency), "T", "span: s that a message takes", 0, 1, false},
    {"bandwidth", CLV_OPTION_NUMBER, AT(bandwidth), "B", "span: bytes/s of a message", 0, 1e15, true},
    CLV_SIM_OPTION(step, AT(step.step)),
    CLV_SIM_OPTION(alpha, AT(step.alpha)),
    CLV_SIM_OPTION(eps_p, AT(step.eps_p)),
    CLV_SIM_OPTION(iterations, AT(step.iterations)),
    {"json", CLV_OPTION_FLAG, AT(json), NULL, "print one JSON object instead of text", 0, 0, false},
    {0},
};

/* What can be measured: an example, and the parameter that sets its size. */
typedef struct bench_case {
    const char *what, *example, *parameter;
} bench_case;
static const bench_case cases[] = {
    {"chain", "chain", "links"},         {"ladder", "four-bar-ladder", "windows"}, {"cases", "hdca-case1", NULL},
    {"cases", "hdca-case2", NULL},       {"cases", "hdca-case3", NULL},           {"tree-robot", "tree-robot", NULL},
};
static const int sizes[] = {64, 256, 1024, 4096, 16384};
enum { CASES = sizeof cases / sizeof cases[0], SIZES = sizeof sizes / sizeof sizes[0], LINES_MAX = 8 };

typedef struct bench_line {
    const char *example;
    int bodies;
    double seconds, speedup; /* per evaluation; speedup NaN on one thread */
    int threads;             /* that shared it out                        */
} bench_line;

static const char *what_name(int i)
{
    static const char *const name[] = {"chain", "ladder", "cases", "tree-robot", "branches", "span", NULL};
    return name[i];
}

static clv_status rates_once(void *sim) { return clv_sim_rates_once(sim); }

static clv_exit measure(bench_line *line, const bench_settings *set, const bench_case *x, int size, int threads)
{
    char parameter[32];
    clv_words words = {1, {x->example, parameter, "spatial=2"}};
    clv_subject s = {.command = "bench", .json = set->json};
    clv_sim_options sim_options = clv_sim_options_default();
    clv_status status = CLV_OK;
    if (x->parameter) {
        snprintf(parameter, sizeof parameter, "%s=%d", x->parameter, size);
        words.n = set->spatial ? 3 : 2;
    }
    sim_options.threads = threads;
    if (set->formulation)
        sim_options.formulation = set->formulation;
    sim_options.method = set->method, sim_options.bracketing = set->bracketing;
    if (clv_subject_open(&s, &words, &sim_options) == CLV_EXIT_DONE) {
        *line =
            (bench_line){x->example, clv_model_body_count(s.model), clv_bench_median(rates_once, s.sim, &status), NAN,
                         clv_sim_threads(s.sim)};
        if (status != CLV_OK)
            clv_subject_fail(&s, status);
    }
    clv_subject_close(&s);
    return s.code;
}

/* One line: with the given threads and, for the speedup, with one. */
static clv_exit measure_line(bench_line *line, const bench_settings *set, const bench_case *x, int size)
{
    bench_line one = {0};
    clv_exit code = measure(line, set, x, size, set->threads);
    if (code != CLV_EXIT_DONE || line->threads == 1)
        return code;
    code = measure(&one, set, x, size, 1);
    line->speedup = one.seconds / line->seconds;
    return code;
}

/* Growth: slope of log time over log bodies by least squares; NaN for fewer than two sizes. */
static double exponent(const bench_line *line, int n)
{
    double sx = 0, sy = 0, sxx = 0, sxy = 0;
    for (int i = 0; i < n; ++i) {
        double x = log(line[i].bodies), y = log(line[i].seconds);
        sx += x;
        sy += y;
        sxx += x * x;
        sxy += x * y;
    }
    double spread = n * sxx - sx * sx;
    return n > 1 && spread > 1e-9 ? (n * sxy - sx * sy) / spread : NAN;
}

static double per_body(const bench_line *line)
{
    return 1e9 * line->seconds / line->bodies;
}

/* of any line */
static int most_threads(const bench_line *line, int n)
{
    int most = 1;
    for (int i = 0; i < n; ++i)
        most = line[i].threads > most ? line[i].threads : most;
    return most;
}

static void print_json(const bench_settings *set, const char *what, const bench_line *line, int n, double slope)
{
    clv_json j = clv_json_begin(stdout);
    clv_json_object(&j, NULL);
    clv_json_text(&j, "status", "ok");
    clv_json_text(&j, "bench", what);
    clv_json_text(&j, "formulation", set->formulation ? set->formulation : "hdca");
    clv_json_integer(&j, "threads", most_threads(line, n));
    clv_json_integer(&j, "lanes", clv_lanes());
    clv_json_array(&j, "sizes");
    for (int i = 0; i < n; ++i) {
        clv_json_object(&j, NULL);
        clv_json_text(&j, "model", line[i].example);
        clv_json_integer(&j, "bodies", line[i].bodies);
        clv_json_number(&j, "seconds_per_evaluation", line[i].seconds);
        clv_json_number(&j, "ns_per_body", per_body(&line[i]));
        clv_json_integer(&j, "threads", line[i].threads);
        clv_json_number(&j, "speedup", line[i].speedup);
        clv_json_end(&j);
    }
    clv_json_end(&j);
    clv_json_integer(&j, "bodies", line[n - 1].bodies);
    clv_json_number(&j, "seconds_per_evaluation", line[n - 1].seconds);
    clv_json_number(&j, "ns_per_body", per_body(&line[n - 1]));
    clv_json_number(&j, "speedup", line[n - 1].speedup);
    clv_json_number(&j, "exponent", slope);
    clv_json_end(&j);
}

static void print_text(const bench_line *line, int n, double slope)
{
    char text[24];
    const int threads = most_threads(line, n);
    printf("%-18s %9s %16s %12s%s\n", "one rate evaluation", "bodies", "time", "ns per body",
           threads > 1 ? "   speedup" : "");
    for (int i = 0; i < n; ++i) {
        printf("%-19s %9d %16s %12.1f", line[i].example, line[i].bodies, clv_duration(text, line[i].seconds),
               per_body(&line[i]));
        if (line[i].threads > 1)
            printf(" %9.2f", line[i].speedup);
        printf("\n");
    }
    if (isfinite(slope))
        printf("time grows with the bodies to the power %.3f\n", slope);
    printf("median of %d samples, %d lane%s, %d thread%s\n", CLV_BENCH_SAMPLES, clv_lanes(),
           clv_lanes() == 1 ? "" : "s", threads, threads == 1 ? "" : "s");
}

static clv_exit bench(const bench_settings *set, const char *what)
{
    bench_line line[LINES_MAX] = {0};
    int n = 0;
    clv_exit code = CLV_EXIT_DONE;
    for (int c = 0; c < CASES && code == CLV_EXIT_DONE; ++c) {
        if (strcmp(cases[c].what, what) != 0)
            continue;
        int lines = cases[c].parameter && !set->links ? SIZES : 1;
        for (int i = 0; i < lines && code == CLV_EXIT_DONE; ++i)
            code = measure_line(&line[n++], set, &cases[c], set->links ? set->links : sizes[i]);
    }
    if (code != CLV_EXIT_DONE)
        return code;
    double slope = strcmp(what, "cases") == 0 ? NAN : exponent(line, n);
    if (set->json)
        print_json(set, what, line, n, slope);
    else
        print_text(line, n, slope);
    return code;
}

/* an option that was given and that only span takes, or NULL */
static const char *span_only(const bench_settings *set)
{
    const clv_sim_options *o = &set->step;
    return !isnan(set->hand_over) ? "hand-over"
           : set->share > 0       ? "share"
           : set->ranks > 0       ? "ranks"
           : !isnan(set->latency) ? "latency"
           : !isnan(set->bandwidth) ? "bandwidth"
           : o->step > 0          ? "step"
           : !isnan(o->alpha)     ? "alpha"
           : !isnan(o->eps_p)     ? "eps-p"
           : o->iterations > 0    ? "iterations"
                                  : NULL;
}

static clv_exit span(const clv_words *words, bench_settings *set)
{
    clv_sim_options o = set->step;
    if (set->formulation)
        o.formulation = set->formulation;
    o.method = set->method, o.bracketing = set->bracketing;
    const clv_span_settings span_set = {.hand_over = set->hand_over, .share = set->share, .ranks = set->ranks,
                                        .latency = set->latency, .bandwidth = set->bandwidth, .json = set->json};
    return clv_bench_span(words, &o, &span_set);
}

static int command(const clv_command *self, int argc, char **argv)
{
    clv_words words;
    bench_settings set = {.threads = 1, .hand_over = NAN, .latency = NAN, .bandwidth = NAN,
                           .step = clv_sim_options_default()};
    clv_exit code = clv_command_read(self, &set, &words, 1, CLV_WORDS_MAX, argc, argv);
    if (code != CLV_EXIT_DONE)
        return code;
    if (set.spatial && strcmp(words.word[0], "chain") != 0)
        return clv_tell("bench", set.json, CLV_EXIT_USAGE, "--spatial belongs to chain, not to '%s'", words.word[0]);
    if (strcmp(words.word[0], "branches") == 0)
        return clv_bench_branches(&words, set.bracketing, set.json);
    if (strcmp(words.word[0], "span") == 0)
        return span(&words, &set);
    if (span_only(&set))
        return clv_tell("bench", set.json, CLV_EXIT_USAGE, "--%s belongs to span, not to '%s'", span_only(&set),
                        words.word[0]);
    if (words.n > 1)
        return clv_tell("bench", set.json, CLV_EXIT_USAGE, "'%s' after '%s'; only branches and span take a model",
                        words.word[1], words.word[0]);
    for (int i = 0; what_name(i); ++i)
        if (strcmp(words.word[0], what_name(i)) == 0)
            return bench(&set, words.word[0]);
    const char *near = clv_word_nearest(words.word[0], what_name);
    return clv_tell("bench", set.json, CLV_EXIT_USAGE,
                    "cannot measure '%s'%s%s%s; known: chain, ladder, cases, tree-robot, branches, span", words.word[0],
                    near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
}

const clv_command clv_command_bench = {
    "bench", "chain|ladder|cases|tree-robot|branches|span [MODEL [key=value ...]]",
    "time one right-hand-side evaluation",
    "  cleave bench chain\n"
    "  cleave bench chain --spatial --links 1024\n"
    "  cleave bench ladder --links 1000\n"
    "  cleave bench cases --formulation dca --json\n"
    "  cleave bench branches jsc-18\n"
    "  cleave bench span chain links=16384\n"
    "\n"
    "chain: open chains, planar or spatial; ladder: four-bar ladders, two bodies a window; cases: three closed\n"
    "examples; tree-robot: a floating base with six limbs, 42 degrees of freedom; branches: one cycle of formulation\n"
    "connection on a model, step by step, and of the other formulations; span: the tasks of one evaluation of a\n"
    "model, timed one by one, on up to 1024 workers.  Numbers are medians over samples of at least two milliseconds;\n"
    "of branches the best of 31 samples, of span medians of 31 evaluations.",
    options, command,
};
