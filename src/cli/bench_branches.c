/* SPDX-License-Identifier: Apache-2.0
 * cleave bench branches: one cycle of formulation connection step by step, in the shape of tables I, III and IV of the
 * branch-algorithm paper (T28, T29).  It times each branch, step 4 by both methods, and the cycle beside those of the
 * other formulations.  Numbers are the best of the samples: steps are subtracted from each other, and whatever else the
 * machine does only adds to them.
 *
 * Steps are those of branches that are condensed one by one to H and h, in nodes.  A cycle is that of a simulation,
 * where the tree carries the rows of connections if that is less work (T170). */
#include "base/memory.h"
#include "cli/bench.h"
#include "simulation/cycle.h"
#include <math.h>
#include <stdlib.h>

enum { SAMPLES = CLV_BENCH_SAMPLES };

/* ---------------------------------------------------------------- samples */

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double time_of(clv_status (*once)(void *), void *user, long repeats, clv_status *status)
{
    double began = clv_wall();
    for (long i = 0; i < repeats && *status == CLV_OK; ++i)
        *status = once(user);
    return clv_wall() - began;
}

/* (SAMPLES) seconds of one call, ascending */
static void samples(double *sample, clv_status (*once)(void *), void *user, clv_status *status)
{
    long repeats = 1;
    while (time_of(once, user, repeats, status) < 2e-3 && *status == CLV_OK)
        repeats *= 2;
    for (int i = 0; i < SAMPLES; ++i)
        sample[i] = time_of(once, user, repeats, status) / (double)repeats;
    qsort(sample, SAMPLES, sizeof sample[0], by_value);
}

double clv_bench_median(clv_status (*once)(void *), void *user, clv_status *status)
{
    double sample[SAMPLES];
    samples(sample, once, user, status);
    return sample[SAMPLES / 2];
}

static double best(clv_status (*once)(void *), void *user, clv_status *status)
{
    double sample[SAMPLES];
    samples(sample, once, user, status);
    return sample[0];
}

/* ---------------------------------------------------------------- what is measured */

typedef struct piece { /* a step of a cycle, or with step -1 all of it */
    clv_sim *sim;
    int step, branch;
} piece;

static clv_status piece_once(void *user)
{
    const piece *p = user;
    return p->step < 0 ? clv_sim_rates_once(p->sim) : clv_sim_cycle_once(p->sim, (clv_cycle_step)p->step, p->branch);
}

enum { FORMULATIONS = 5 };
static const struct {
    const char *key, *formulation;
    int method;
} rows[FORMULATIONS] = {{"massmatrix", "massmatrix", 0},
                        {"method_1", "connection", 1},
                        {"method_2", "connection", 2},
                        {"dca", "dca", 0},
                        {"hdca", "hdca", 0}};

typedef struct branch {
    char name[80];
    int bodies, handles;
    double seconds;
} branch;

typedef struct table {
    int nbranch;
    branch *branch;
    double matrix, close[2];    /* forming the connection matrix; step 4 of methods 1, 2 */
    double motion;              /* poses, velocities, loads: beside the steps of method 1 */
    double cycle[FORMULATIONS]; /* of a row                                              */
} table;

static clv_status measure_branches(clv_sim *sim, piece *p, table *t)
{
    clv_status status = CLV_OK;
    clv_branch_report r;
    int n = 0;
    while (clv_sim_branch(sim, n, &r))
        n++;
    t->branch = clv_alloc((size_t)n + 1, sizeof *t->branch);
    if (!t->branch)
        return CLV_ERR_MEMORY;
    for (t->nbranch = 0; clv_sim_branch(sim, t->nbranch, &r); ++t->nbranch) {
        branch *b = &t->branch[t->nbranch];
        snprintf(b->name, sizeof b->name, "%s", r.name);
        b->bodies = r.bodies, b->handles = r.handles;
        p->branch = t->nbranch, b->seconds = best(piece_once, p, &status);
    }
    return status;
}

static double branches(const table *t)
{
    double sum = 0;
    for (int i = 0; i < t->nbranch; ++i)
        sum += t->branch[i].seconds;
    return sum;
}

static clv_status measure_steps(clv_sim *sim, int method, table *t)
{
    piece p = {sim, CLV_CYCLE_BRANCH, 0}, all = {sim, -1, 0};
    clv_status status = method == 1 ? measure_branches(sim, &p, t) : CLV_OK;
    if (status == CLV_OK) /* the H of all branches, once and sound */
        status = clv_sim_rates_once(sim);
    p.step = CLV_CYCLE_MATRIX;
    if (method == 1)
        t->matrix = best(piece_once, &p, &status);
    p.step = CLV_CYCLE_CLOSE;
    t->close[method - 1] = best(piece_once, &p, &status);
    if (method == 1)
        t->motion = best(piece_once, &all, &status) - branches(t) - t->close[0];
    return status;
}

/* One formulation of the table: its cycle, or its steps, of a simulation that keeps branches apart. */
static clv_exit measure_row(const clv_words *words, const char *bracketing, bool json, int row, bool apart, table *t)
{
    clv_words model = {.n = words->n - 1};
    clv_subject s = {.command = "bench", .json = json};
    clv_sim_options o = clv_sim_options_default();
    clv_status status = CLV_OK;
    for (int i = 0; i < model.n; ++i)
        model.word[i] = words->word[i + 1];
    o.formulation = rows[row].formulation, o.method = rows[row].method;
    s.apart = apart;
    o.bracketing = o.method == 2 ? bracketing : NULL;
    if (clv_subject_open(&s, &model, &o) == CLV_EXIT_DONE) {
        piece all = {s.sim, -1, 0};
        if (apart)
            status = measure_steps(s.sim, o.method, t);
        else
            t->cycle[row] = best(piece_once, &all, &status);
        if (status != CLV_OK)
            clv_subject_fail(&s, status);
    }
    clv_subject_close(&s);
    return s.code;
}

/* ---------------------------------------------------------------- printing */

static void print_json(const char *model, const table *t)
{
    clv_json j = clv_json_begin(stdout);
    clv_json_object(&j, NULL);
    clv_json_text(&j, "status", "ok");
    clv_json_text(&j, "bench", "branches");
    clv_json_text(&j, "model", model);
    clv_json_integer(&j, "lanes", clv_lanes());
    clv_json_array(&j, "branches");
    for (int i = 0; i < t->nbranch; ++i) {
        clv_json_object(&j, NULL);
        clv_json_text(&j, "name", t->branch[i].name);
        clv_json_integer(&j, "bodies", t->branch[i].bodies);
        clv_json_integer(&j, "handles", t->branch[i].handles);
        clv_json_number(&j, "seconds", t->branch[i].seconds);
        clv_json_end(&j);
    }
    clv_json_end(&j);
    clv_json_number(&j, "branch_seconds", branches(t));
    clv_json_number(&j, "matrix_seconds", t->matrix);
    clv_json_number(&j, "solve_seconds", t->close[0] - t->matrix);
    clv_json_number(&j, "method_1_seconds", t->close[0]);
    clv_json_number(&j, "method_2_seconds", t->close[1]);
    clv_json_number(&j, "motion_seconds", t->motion);
    clv_json_object(&j, "cycle");
    for (int i = 0; i < FORMULATIONS; ++i)
        clv_json_number(&j, rows[i].key, t->cycle[i]);
    clv_json_end(&j);
    clv_json_end(&j);
}

static void line(const char *what, double seconds)
{
    char text[24];
    printf("  %-42s %12s\n", what, clv_duration(text, seconds));
}

static void print_text(const char *model, const table *t)
{
    static const char *const name[FORMULATIONS] = {"massmatrix", "connection, method 1", "connection, method 2", "dca",
                                                   "hdca"};
    char text[200];
    printf("%s, one cycle (right-hand-side evaluation) on one thread, best of %d samples, %d lane%s\n", model, SAMPLES,
           clv_lanes(), clv_lanes() == 1 ? "" : "s");
    printf("\nbranches (table I): inertia, sweeps inward and outward, H and h\n");
    for (int i = 0; i < t->nbranch; ++i) {
        snprintf(text, sizeof text, "%s: %d bodies, %d held", t->branch[i].name, t->branch[i].bodies,
                 t->branch[i].handles);
        line(text, t->branch[i].seconds);
    }
    line("all branches", branches(t));
    line("poses, velocities, loads of all bodies", t->motion);
    printf("\nstep 4 (table III)\n");
    line("method 1, 4a: forming the matrix", t->matrix);
    line("method 1, 4b: factor and forces", t->close[0] - t->matrix);
    line("method 1", t->close[0]);
    line("method 2", t->close[1]);
    printf("\none cycle of a simulation (table IV)\n");
    for (int i = 0; i < FORMULATIONS; ++i)
        line(name[i], t->cycle[i]);
}

clv_exit clv_bench_branches(const clv_words *words, const char *bracketing, bool json)
{
    table t = {0};
    if (words->n < 2)
        return clv_tell("bench", json, CLV_EXIT_USAGE, "branches needs a model: cleave bench branches jsc-18");
    clv_exit code = CLV_EXIT_DONE;
    for (int i = 0; i < FORMULATIONS && code == CLV_EXIT_DONE; ++i) {
        code = measure_row(words, bracketing, json, i, false, &t);
        if (code == CLV_EXIT_DONE && rows[i].method > 0)
            code = measure_row(words, bracketing, json, i, true, &t);
    }
    if (code == CLV_EXIT_DONE && json)
        print_json(words->word[1], &t);
    else if (code == CLV_EXIT_DONE)
        print_text(words->word[1], &t);
    clv_free(t.branch);
    return code;
}
