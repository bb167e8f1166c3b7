/* SPDX-License-Identifier: Apache-2.0
 * Section 3 of the 2017 HDCA paper, run again: its three closed examples for 10 s, HDCA beside DCA.
 *
 *   bench_paper_hdca [--json] [--repeat N] [--cut own|last]
 *
 * Loop joints: chosen by the planner in the middle of each loop (own), or the last joint of each loop, as in (62)-(68).
 * Motion (figures 5 to 9): energy error, violations and loss of symmetry over accepted steps, height and speed of K.
 * Work (tables 1 and 2, figures 10 and 11): evaluations and time over three integrators and seven tolerances, in the
 * paper's setting (one tolerance for all states, nothing projected or re-gauged) and in ours (defaults).
 * Prints Markdown, or one JSON object that studies/hdca_study.py reads.  Every time is the processor time of the one
 * thread (on an idle core the wall time), a median of N runs, HDCA and DCA in turn. */
#include "base/cpu.h"
#include "laws/hdca_cases.h"
#include "simulation/cycle.h"
#include "simulation/sim.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const double END = 10; /* s */
enum { MOST_STEPS = 4000, TOLERANCES = 7, INTEGRATORS = 3, FORMULATIONS = 2, SETTINGS = 2, REPEATS = 99, MARKS = 101 };

static const char *const INTEGRATOR[INTEGRATORS] = {"dopri5", "adams", "bs23"};
static const char *const FORMULATION[FORMULATIONS] = {"hdca", "dca"};
static const char *const SETTING[SETTINGS] = {"paper", "ours"};

static void stop(const char *what)
{
    fprintf(stderr, "bench_paper_hdca: %s\n", what);
    exit(3);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *x, int n)
{
    qsort(x, (size_t)n, sizeof *x, ascending);
    return n % 2 ? x[n / 2] : (x[n / 2 - 1] + x[n / 2]) / 2;
}

/* ------------------------------------------------------------------ simulations */

/* How a run is made. */
typedef struct way {
    const char *text, *formulation;
    int project, regauge;
    bool plain;
} way;

static clv_sim *open_sim(const clv_model *m, const way *w, const char *integrator, double tolerance)
{
    clv_sim_options o = clv_sim_options_default();
    clv_sim *s;
    o.formulation = w->formulation, o.integrator = integrator, o.rtol = tolerance;
    o.project = w->project, o.regauge = w->regauge, o.plain_tolerance = w->plain;
    if (clv_sim_create(&s, m, &o) != CLV_OK || clv_sim_set_end(s, END) != CLV_OK)
        stop(s ? clv_sim_error(s)->message : "out of memory");
    return s;
}

static bool last_cut; /* the last joint of each loop is its loop joint */

static clv_model *open_model(const hdca_case *c)
{
    clv_model *m;
    const char *cut = last_cut ? "last_cut=1" : "last_cut=-1";
    if (clv_example_create(&m, c->example, &cut, 1) != CLV_OK)
        stop(m ? clv_model_error(m)->message : "out of memory");
    return m;
}

/* Centres of mass at END of a run so tight that it may judge the others: 3 per body. */
static void tight_end(const clv_model *m, const hdca_case *c, double *r)
{
    static const way defaults = {"", "hdca", 1, 1, false};
    clv_sim *s = open_sim(m, &defaults, "dop853", 1e-13);
    if (clv_sim_advance(s, END) != CLV_OK)
        stop(clv_sim_error(s)->message);
    memcpy(r, clv_sim_position(s), 3 * (size_t)c->bodies * sizeof(double));
    clv_sim_destroy(s);
}

static double end_error(const clv_sim *s, const hdca_case *c, const double *r)
{
    double most = 0;
    for (int i = 0; i < 3 * c->bodies; i++)
        most = fmax(most, fabs(clv_sim_position(s)[i] - r[i]));
    return most;
}

/* ------------------------------------------------------------------ motion */

static const way MOTION[] = {
    {"hdca", "hdca", 1, 1, false},
    {"hdca, not projected", "hdca", 0, 1, false},
    {"hdca, as in the paper", "hdca", 0, 0, true},
    {"dca, as in the paper", "dca", 0, 0, true},
    {"dca", "dca", 1, 1, false},
};
enum { MOTIONS = sizeof MOTION / sizeof MOTION[0] };

/* One run, one row per accepted step. */
typedef struct motion {
    int n;
    double t[MOST_STEPS], energy[MOST_STEPS]; /* s; J, signed                                             */
    double velocity[MOST_STEPS];              /* m/s, rad/s: largest row of the closing joints             */
    double position[MOST_STEPS];              /* m, rad                                                    */
    double asymmetry[MOST_STEPS];             /* m, rad                                                    */
    double error;                             /* m, centres of mass at END                                 */
} motion;

static void run_motion(motion *x, const clv_model *m, const hdca_case *c, const way *w, const double *tight)
{
    clv_sim *s = open_sim(m, w, "dopri5", 1e-6);
    x->n = 0;
    for (;;) {
        memcpy(s->out_y, s->integrator.y, (size_t)s->n * sizeof(double));
        s->out_time = s->integrator.t;
        if (clv_sim_show(s) != CLV_OK)
            stop(clv_sim_error(s)->message);
        double kinetic, potential, work;
        clv_sim_energy(s, &kinetic, &potential, &work);
        x->t[x->n] = s->out_time;
        x->energy[x->n] = kinetic + potential - work - s->report.energy_initial;
        x->velocity[x->n] = clv_velocity_violation(s);
        x->position[x->n] = clv_position_violation(s);
        x->asymmetry[x->n++] = hdca_asymmetry(s, c);
        if (s->integrator.t >= END)
            break;
        if (x->n == MOST_STEPS || clv_integrator_step(&s->integrator) != CLV_OK)
            stop("a run of the motion part failed");
    }
    x->error = end_error(s, c, tight);
    clv_sim_destroy(s);
}

/* K: height and vertical speed at 0, 0.1, ... 10 s of a run, and of a tight one. */
static void run_marker(const clv_model *m, const way *w, double (*K)[4])
{
    static const way defaults = {"", "hdca", 1, 1, false};
    const double tolerance[2] = {1e-6, 1e-13};
    for (int k = 0; k < 2; k++) {
        clv_sim *s = open_sim(m, k ? &defaults : w, k ? "dop853" : "dopri5", tolerance[k]);
        for (int i = 0; i < MARKS; i++) {
            if (clv_sim_advance(s, END * i / (MARKS - 1)) != CLV_OK)
                stop(clv_sim_error(s)->message);
            K[i][2 * k] = clv_sim_marker(s)[1], K[i][2 * k + 1] = clv_sim_marker(s)[4];
        }
        clv_sim_destroy(s);
    }
}

static double most_until(const motion *x, const double *v, double t)
{
    double most = 0;
    for (int i = 0; i < x->n && x->t[i] <= t + 1e-9; i++)
        most = fmax(most, fabs(v[i]));
    return most;
}

static void print_motion_table(const motion *x, const double *first, const char *head)
{
    static const double at[] = {1, 2, 4, 6, 8, 10};
    ptrdiff_t offset = first - (const double *)x;
    printf("\n%s\n\n| run |", head);
    for (size_t k = 0; k < sizeof at / sizeof *at; k++)
        printf(" to %g s |", at[k]);
    printf("\n|---|---|---|---|---|---|---|\n");
    for (int w = 0; w < MOTIONS; w++) {
        const double *v = (const double *)&x[w] + offset;
        printf("| %s |", MOTION[w].text);
        for (size_t k = 0; k < sizeof at / sizeof *at; k++)
            printf(" %.1e |", most_until(&x[w], v, at[k]));
        printf("\n");
    }
}

static void print_numbers(const char *name, const double *x, int n, const char *end)
{
    printf("\"%s\": [", name);
    for (int i = 0; i < n; i++)
        printf("%s%.6g", i ? ", " : "", x[i]);
    printf("]%s", end);
}

static void print_motion_json(const motion *x, const hdca_case *c)
{
    for (int w = 0; w < MOTIONS; w++) {
        printf("%s{\"case\": \"%s\", \"run\": \"%s\", \"end_error\": %.3e,\n ", c == HDCA_CASE && !w ? "" : ",\n",
               c->example, MOTION[w].text, x[w].error);
        print_numbers("t", x[w].t, x[w].n, ",\n ");
        print_numbers("energy", x[w].energy, x[w].n, ",\n ");
        print_numbers("velocity", x[w].velocity, x[w].n, ",\n ");
        print_numbers("position", x[w].position, x[w].n, ",\n ");
        print_numbers("asymmetry", x[w].asymmetry, x[w].n, "}");
    }
}

static void print_motion(const motion *x, const hdca_case *c)
{
    printf("\n### %s: motion, dopri5, tolerance 1e-6, largest value so far\n", c->example);
    print_motion_table(x, x->energy, "Energy error (J), figure 5:");
    print_motion_table(x, x->velocity, "Velocity violation (m/s or rad/s), figure 8:");
    print_motion_table(x, x->position, "Position violation (m or rad), figure 9:");
    print_motion_table(x, x->asymmetry, "Distance from the mirror image (m or rad):");
    printf("\nError of the centres of mass at 10 s (m):");
    for (int w = 0; w < MOTIONS; w++)
        printf(" %s %.1e%s", MOTION[w].text, x[w].error, w < MOTIONS - 1 ? ";" : "\n");
}

static void print_marker(double (*K)[4], bool json)
{
    for (int i = 0; i < MARKS; i++)
        if (json)
            printf("%s[%g, %.9g, %.9g, %.1e, %.1e]", i ? ", " : "", END * i / (MARKS - 1), K[i][0], K[i][1],
                   fabs(K[i][0] - K[i][2]), fabs(K[i][1] - K[i][3]));
        else if (i % 5 == 0)
            printf("| %.1f | %.6f | %.0e | %.6f | %.0e |\n", END * i / (MARKS - 1), K[i][0], fabs(K[i][0] - K[i][2]),
                   K[i][1], fabs(K[i][1] - K[i][3]));
}

static void all_motion(bool json)
{
    motion *x = calloc(MOTIONS, sizeof *x);
    double tight[3 * HDCA_BODIES], K[MARKS][4];
    if (!x)
        stop("out of memory");
    if (json)
        printf("\"motion\": [");
    for (int k = 0; k < HDCA_CASES; k++) {
        clv_model *m = open_model(&HDCA_CASE[k]);
        tight_end(m, &HDCA_CASE[k], tight);
        for (int w = 0; w < MOTIONS; w++)
            run_motion(&x[w], m, &HDCA_CASE[k], &MOTION[w], tight);
        if (json)
            print_motion_json(x, &HDCA_CASE[k]);
        else
            print_motion(x, &HDCA_CASE[k]);
        clv_model_destroy(m);
    }
    clv_model *m = open_model(&HDCA_CASE[0]);
    free(x);
    run_marker(m, &MOTION[2], K);
    if (json) {
        printf("],\n\"K_paper\": [");
        print_marker(K, json);
    }
    run_marker(m, &MOTION[0], K);
    clv_model_destroy(m);
    printf(json ? "],\n\"K\": ["
                : "\n### hdca-case1: point K, figures 6 and 7\n\n| t (s) | height (m) | its error | vertical "
                  "speed (m/s) | its error |\n|---|---|---|---|---|\n");
    print_marker(K, json);
    printf(json ? "],\n" : "");
}

/* ------------------------------------------------------------------ work */

typedef struct work {
    long evaluations, steps, rejected;
    double seconds;      /* median                             */
    double ratio;        /* DCA / HDCA, median of pairs; in hdca's entry only */
    double drift, error; /* J over the run; m at the end       */
} work;

static work W[HDCA_CASES][SETTINGS][INTEGRATORS][TOLERANCES][FORMULATIONS];
static double evaluation[HDCA_CASES][FORMULATIONS], evaluation_ratio[HDCA_CASES]; /* s; DCA / HDCA */

static way work_way(int setting, int formulation)
{
    bool paper = setting == 0;
    return (way){SETTING[setting], FORMULATION[formulation], !paper, !paper, paper};
}

static double timed_run(const clv_model *m, const hdca_case *c, const way *w, const char *integrator, double tolerance,
                        const double *tight, work *r)
{
    clv_sim_report report;
    clv_sim *s = open_sim(m, w, integrator, tolerance);
    double t = now();
    if (clv_sim_advance(s, END) != CLV_OK)
        stop(clv_sim_error(s)->message);
    t = now() - t;
    clv_sim_summary(s, &report);
    r->evaluations = report.rate_evaluations, r->steps = report.steps, r->rejected = report.rejected_steps;
    r->drift = report.max_energy_drift, r->error = end_error(s, c, tight);
    clv_sim_destroy(s);
    return t;
}

static void measure_pair(const clv_model *m, const hdca_case *c, int setting, int integrator, int k, int repeats,
                         const double *tight)
{
    double seconds[FORMULATIONS][REPEATS], ratio[REPEATS];
    work *r = W[c - HDCA_CASE][setting][integrator][k];
    for (int n = -1; n < repeats; n++) { /* -1: warm up */
        double t[FORMULATIONS];
        for (int f = 0; f < FORMULATIONS; f++) {
            way w = work_way(setting, f);
            t[f] = timed_run(m, c, &w, INTEGRATOR[integrator], pow(10, -3 - k), tight, &r[f]);
        }
        if (n >= 0)
            seconds[0][n] = t[0], seconds[1][n] = t[1], ratio[n] = t[1] / t[0];
    }
    r[0].seconds = median(seconds[0], repeats), r[1].seconds = median(seconds[1], repeats),
    r[0].ratio = median(ratio, repeats);
}

/* Table 1: one right-hand side, in the middle of the motion. */
static void measure_evaluation(const clv_model *m, int c, int repeats)
{
    enum { TURNS = 2000 };
    double each[FORMULATIONS][REPEATS], ratio[REPEATS];
    clv_sim *s[FORMULATIONS];
    for (int f = 0; f < FORMULATIONS; f++) {
        way w = work_way(1, f);
        s[f] = open_sim(m, &w, "dopri5", 1e-6);
        if (clv_sim_advance(s[f], 3) != CLV_OK)
            stop(clv_sim_error(s[f])->message);
    }
    for (int n = -1; n < repeats; n++) {
        double t[FORMULATIONS];
        for (int f = 0; f < FORMULATIONS; f++) {
            t[f] = now();
            for (int i = 0; i < TURNS; i++)
                if (clv_sim_rates_once(s[f]) != CLV_OK)
                    stop(clv_sim_error(s[f])->message);
            t[f] = (now() - t[f]) / TURNS;
        }
        if (n >= 0)
            each[0][n] = t[0], each[1][n] = t[1], ratio[n] = t[1] / t[0];
    }
    for (int f = 0; f < FORMULATIONS; f++) {
        evaluation[c][f] = median(each[f], repeats);
        clv_sim_destroy(s[f]);
    }
    evaluation_ratio[c] = median(ratio, repeats);
}

static void print_work_table(int c, int setting)
{
    printf("\n### %s, setting: %s\n\n| tolerance | integrator | evaluations HDCA | DCA | ratio | time HDCA (ms) | DCA "
           "| ratio | drift HDCA "
           "(J) | DCA | error HDCA (m) | DCA |\n|---|---|---|---|---|---|---|---|---|---|---|---|\n",
           HDCA_CASE[c].example, setting ? "ours (defaults)" : "the paper's");
    for (int i = 0; i < INTEGRATORS; i++)
        for (int k = 0; k < TOLERANCES; k++) {
            const work *h = &W[c][setting][i][k][0], *d = h + 1;
            printf("| 1e-%d | %s | %ld | %ld | %.2f | %.3f | %.3f | %.2f | %.1e | %.1e | %.1e | %.1e |\n", k + 3,
                   INTEGRATOR[i], h->evaluations, d->evaluations, (double)d->evaluations / (double)h->evaluations,
                   1e3 * h->seconds, 1e3 * d->seconds, h->ratio, h->drift, d->drift, h->error, d->error);
        }
}

/* Where HDCA loses: cells of the sweep by what was compared. */
static void print_losses(int setting)
{
    int evaluations = 0, seconds = 0, drift = 0, error = 0, cells = 0;
    for (int c = 0; c < HDCA_CASES; c++)
        for (int i = 0; i < INTEGRATORS; i++)
            for (int k = 0; k < TOLERANCES; k++, cells++) {
                const work *h = &W[c][setting][i][k][0], *d = h + 1;
                evaluations += d->evaluations < h->evaluations, seconds += h->ratio < 1;
                drift += d->drift < h->drift, error += d->error < h->error;
            }
    printf("| %s | %d | %d | %d | %d | %d |\n", SETTING[setting], cells, evaluations, seconds, drift, error);
}

static void print_work(void)
{
    printf("\n### Table 1: one rate evaluation\n\n| case | HDCA (us) | DCA (us) | DCA / HDCA |\n|---|---|---|---|\n");
    for (int c = 0; c < HDCA_CASES; c++)
        printf("| %s | %.2f | %.2f | %.2f |\n", HDCA_CASE[c].example, 1e6 * evaluation[c][0], 1e6 * evaluation[c][1],
               evaluation_ratio[c]);
    for (int setting = 0; setting < SETTINGS; setting++)
        for (int c = 0; c < HDCA_CASES; c++)
            print_work_table(c, setting);
    printf("\n### Runs in which HDCA is worse than DCA\n\n| setting | runs | evaluations | time | energy drift | error "
           "at 10 s |\n"
           "|---|---|---|---|---|---|\n");
    print_losses(0), print_losses(1);
}

static void print_work_json(void)
{
    printf("\"evaluation\": [");
    for (int c = 0; c < HDCA_CASES; c++)
        printf("%s{\"case\": \"%s\", \"hdca\": %.4g, \"dca\": %.4g, \"ratio\": %.4g}", c ? ", " : "",
               HDCA_CASE[c].example, evaluation[c][0], evaluation[c][1], evaluation_ratio[c]);
    printf("],\n\"work\": [");
    bool first = true;
    for (int c = 0; c < HDCA_CASES; c++)
        for (int s = 0; s < SETTINGS; s++)
            for (int i = 0; i < INTEGRATORS; i++)
                for (int k = 0; k < TOLERANCES; k++)
                    for (int f = 0; f < FORMULATIONS; f++, first = false) {
                        const work *r = &W[c][s][i][k][f];
                        printf(
                            "%s{\"case\": \"%s\", \"setting\": \"%s\", \"integrator\": \"%s\", \"tolerance\": 1e-%d, "
                            "\"formulation\": \"%s\", \"evaluations\": %ld, \"steps\": %ld, \"rejected_steps\": %ld, "
                            "\"seconds\": %.4g, \"max_energy_drift\": %.3g, \"end_error\": %.3g",
                            first ? "" : ",\n", HDCA_CASE[c].example, SETTING[s], INTEGRATOR[i], k + 3, FORMULATION[f],
                            r->evaluations, r->steps, r->rejected, r->seconds, r->drift, r->error);
                        if (f == 0)
                            printf(", \"seconds_ratio\": %.4g", r->ratio);
                        printf("}");
                    }
    printf("]\n");
}

static void all_work(bool json, int repeats)
{
    double tight[3 * HDCA_BODIES];
    for (int c = 0; c < HDCA_CASES; c++) {
        clv_model *m = open_model(&HDCA_CASE[c]);
        tight_end(m, &HDCA_CASE[c], tight);
        measure_evaluation(m, c, repeats);
        for (int s = 0; s < SETTINGS; s++)
            for (int i = 0; i < INTEGRATORS; i++)
                for (int k = 0; k < TOLERANCES; k++)
                    measure_pair(m, &HDCA_CASE[c], s, i, k, repeats, tight);
        clv_model_destroy(m);
    }
    if (json)
        print_work_json();
    else
        print_work();
}

static int lanes(void)
{
    int n = 0;
    clv_error error;
    clv_cpu_lanes(&n, &error);
    return n;
}

int main(int argc, char **argv)
{
    bool json = false;
    int repeats = 7;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--json") == 0)
            json = true;
        else if (strcmp(argv[i], "--repeat") == 0 && i + 1 < argc)
            repeats = atoi(argv[++i]);
        else if (strcmp(argv[i], "--cut") == 0 && i + 1 < argc &&
                 (strcmp(argv[i + 1], "own") == 0 || strcmp(argv[i + 1], "last") == 0))
            last_cut = strcmp(argv[++i], "last") == 0;
        else
            repeats = 0;
    }
    if (repeats < 1 || repeats > REPEATS) {
        fprintf(stderr, "usage: bench_paper_hdca [--json] [--repeat N] [--cut own|last]   (N from 1 to %d)\n", REPEATS);
        return 1;
    }
    if (json)
        printf("{\"lanes\": %d, \"cut\": \"%s\",\n", lanes(), last_cut ? "last" : "own");
    all_motion(json);
    all_work(json, repeats);
    if (json)
        printf("}\n");
    return 0;
}
