/* SPDX-License-Identifier: Apache-2.0
 * cleave bench span: the tasks of one evaluation, measured one after the other, on more workers than this machine has
 * (T55).  For two workers the time of two real threads stands beside. */
#include "base/handover.h"
#include "cli/bench.h"
#include "simulation/span_ranks.h"
#include <limits.h>
#include <math.h>
#include <string.h>

enum { COUNTS = 11 }; /* workers: 1, 2, 4 ... 1024 */

typedef struct span {
    const char *model, *formulation;
    int bodies, calls, tasks;
    bool step;
    double work, serial, longest, hand_over;
    double time[COUNTS];
    bool checked;                      /* two threads were there:           */
    double one, two, two_at_once;      /* s, s, ratio                       */
    int parts, depth;                  /* of the assembly; 0: it is no tree of pairs */
    bool singular;                     /* too long for such a tree in double precision */
    double tree_work, tree_span;       /* s, parts without lanes                     */
    double levels[COUNTS], subtrees[COUNTS]; /* s */
    const clv_span_settings *set;
    clv_rank_tree ranks;               /* with --ranks                              */
} span;

enum { SUBTREES = 4 }; /* for each worker, so that uneven ones are made up for */

static double sum(const double *x, int n)
{
    double s = 0;
    for (int i = 0; i < n; i++)
        s += x[i];
    return s;
}

/* The record's schedules. */
static clv_status schedule(const clv_record *r, span *x)
{
    clv_task_list list;
    if (!clv_record_tasks(r, &list))
        return CLV_ERR_MEMORY;
    x->calls = r->ncall, x->tasks = r->first[r->ncall];
    x->work = clv_tasks_work(&list), x->longest = clv_tasks_span(&list);
    x->serial = sum(r->serial, r->ncall + 1);
    for (int i = 0; i < COUNTS; i++)
        x->time[i] = clv_tasks_time(&list, 1 << i, x->hand_over);
    clv_tasks_close(&list);
    return isnan(x->longest + sum(x->time, COUNTS)) ? CLV_ERR_MEMORY : CLV_OK;
}

static clv_status schedule_tree(const clv_tree_record *r, span *x)
{
    clv_task_list list;
    double unknown = 0;
    if (!clv_tree_levels(r, &list))
        return CLV_ERR_MEMORY;
    x->parts = r->npart, x->depth = r->depth, x->tree_work = clv_tasks_work(&list);
    for (int i = 0; i < COUNTS; i++)
        x->levels[i] = clv_tasks_time(&list, 1 << i, x->hand_over);
    clv_tasks_close(&list);
    for (int i = 0; i < COUNTS; i++) {
        if (!clv_tree_subtrees(r, SUBTREES << i, &list))
            return CLV_ERR_MEMORY;
        x->subtrees[i] = clv_tasks_time(&list, 1 << i, x->hand_over);
        clv_tasks_close(&list);
    }
    if (!clv_tree_subtrees(r, INT_MAX, &list)) /* every node alone */
        return CLV_ERR_MEMORY;
    x->tree_span = clv_tasks_span(&list);
    clv_tasks_close(&list);
    unknown = sum(x->levels, COUNTS) + sum(x->subtrees, COUNTS) + x->tree_span;
    return isnan(unknown) ? CLV_ERR_MEMORY : CLV_OK;
}

/* The assembly tree, where there is one. */
static clv_status measure_tree(clv_sim *sim, span *x)
{
    clv_tree_record r;
    clv_status status = clv_sim_record_tree(sim, &r);
    x->singular = status == CLV_ERR_SINGULAR;
    if ((status == CLV_ERR_UNSUPPORTED || x->singular) && x->set->ranks == 0)
        return CLV_OK;
    if (status == CLV_OK)
        status = schedule_tree(&r, x);
    if (status == CLV_OK && x->set->ranks > 0)
        status = clv_rank_tree_open(&x->ranks, sim, &r, x->work);
    x->ranks.latency = x->set->latency, x->ranks.bandwidth = x->set->bandwidth;
    clv_tree_record_close(&r);
    return status;
}

/* What two threads of this machine do, if it has two cores. */
static clv_status check(clv_sim *sim, double hand_over, int share, span *x)
{
    clv_team *two = clv_team_cores() > 1 ? clv_team_create(2) : NULL;
    clv_status status = CLV_OK;
    x->checked = two != NULL;
    x->hand_over = hand_over;
    if (two && isnan(hand_over))
        x->hand_over = clv_hand_over(two);
    if (two) {
        x->two_at_once = clv_two_at_once(two);
        double least[2] = {0};
        status = clv_sim_compare_team(sim, two, share, least);
        x->one = least[0], x->two = least[1];
    }
    clv_team_destroy(two);
    return status;
}

static void json_tree(clv_json *j, const span *x)
{
    clv_json_object(j, "tree");
    clv_json_integer(j, "parts", x->parts);
    clv_json_integer(j, "depth", x->depth);
    clv_json_number(j, "work_seconds", x->tree_work);
    clv_json_number(j, "span_seconds", x->tree_span);
    clv_json_numbers(j, "by_depth_seconds", x->levels, COUNTS);
    clv_json_numbers(j, "by_subtree_seconds", x->subtrees, COUNTS);
    clv_json_end(j);
}

static void print_json(const span *x)
{
    clv_json j = clv_json_begin(stdout);
    clv_json_object(&j, NULL);
    clv_json_text(&j, "status", "ok");
    clv_json_text(&j, "bench", "span");
    clv_json_text(&j, "model", x->model);
    clv_json_text(&j, "formulation", x->formulation);
    clv_json_text(&j, "of", x->step ? "step" : "evaluation");
    clv_json_integer(&j, "bodies", x->bodies);
    clv_json_integer(&j, "lanes", clv_lanes());
    clv_json_integer(&j, "calls", x->calls);
    clv_json_integer(&j, "tasks", x->tasks);
    clv_json_number(&j, "work_seconds", x->work);
    clv_json_number(&j, "serial_seconds", x->serial);
    clv_json_number(&j, "span_seconds", x->longest);
    clv_json_number(&j, "amdahl", x->work / x->serial);
    clv_json_number(&j, "hand_over_seconds", x->hand_over);
    clv_json_array(&j, "workers");
    for (int i = 0; i < COUNTS; i++) {
        clv_json_object(&j, NULL);
        clv_json_integer(&j, "workers", 1 << i);
        clv_json_number(&j, "seconds", x->time[i]);
        clv_json_number(&j, "speedup", x->time[0] / x->time[i]);
        clv_json_end(&j);
    }
    clv_json_end(&j);
    clv_json_number(&j, "one_thread_seconds", x->checked ? x->one : NAN);
    clv_json_number(&j, "predicted_2", x->time[0] / x->time[1]);
    clv_json_number(&j, "measured_2", x->checked ? x->one / x->two : NAN);
    clv_json_number(&j, "two_at_once", x->checked ? x->two_at_once : NAN);
    if (x->parts > 0)
        json_tree(&j, x);
    clv_json_bool(&j, "tree_singular", x->singular);
    if (x->set->ranks > 0)
        clv_bench_ranks_json(&j, &x->ranks, x->set, x->work, x->bodies);
    clv_json_end(&j);
}

static void line(const char *what, double seconds)
{
    char text[24];
    printf("%-22s %10s", what, clv_duration(text, seconds));
}

static void print_text(const span *x)
{
    printf("one %s of %s by %s: %d bodies, %d lanes, %d tasks in %d calls of the team\n",
           x->step ? "step" : "evaluation", x->model, x->formulation, x->bodies, clv_lanes(), x->tasks, x->calls);
    line("work", x->work), printf("   sum of all tasks\n");
    line("on one thread", x->serial), printf("   %.1f %% of the work: at most %.3g times faster (Amdahl)\n",
                                             100 * x->serial / x->work, x->work / x->serial);
    line("span", x->longest), printf("   critical path: at most %.3g times faster\n", x->work / x->longest);
    line("hand-over", x->hand_over), printf("   to another thread\n");
    printf("\n%8s %12s %10s\n", "workers", "time", "speed-up");
    for (int i = 0; i < COUNTS; i++) {
        char text[24];
        printf("%8d %12s %10.2f\n", 1 << i, clv_duration(text, x->time[i]), x->time[0] / x->time[i]);
    }
    printf("\n");
    if (x->checked)
        printf("two threads here: %.2f times faster, predicted %.2f; two at once do %.2f times the work of one\n",
               x->one / x->two, x->time[0] / x->time[1], x->two_at_once);
    else
        printf("this machine has one core: nothing to compare with\n");
}

static void print_tree(const span *x)
{
    printf("\nassembly tree: %d parts, depth %d; factor and solution, each node without lanes\n", x->parts, x->depth);
    line("work", x->tree_work), printf("\n");
    line("span", x->tree_span), printf("   at most %.3g times faster\n", x->tree_work / x->tree_span);
    printf("%8s %14s %10s %14s %10s\n", "workers", "by depth", "speed-up", "by subtree", "speed-up");
    for (int i = 0; i < COUNTS; i++) {
        char text[24], other[24];
        printf("%8d %14s %10.2f %14s %10.2f\n", 1 << i, clv_duration(text, x->levels[i]),
               x->levels[0] / x->levels[i], clv_duration(other, x->subtrees[i]), x->subtrees[0] / x->subtrees[i]);
    }
}

/* whose branches can be pieces of their own */
static bool is_connection(const clv_sim_options *o)
{
    return o->formulation && strcmp(o->formulation, "connection") == 0;
}

/* What is missing or does not go together; NULL: nothing. */
static const char *wrong(const clv_words *words, const clv_span_settings *set)
{
    const bool network = !isnan(set->latency) && !isnan(set->bandwidth);
    if (words->n < 2)
        return "span needs a model: cleave bench span chain links=4096";
    if (isnan(set->hand_over) && clv_team_cores() < 2)
        return "this machine has one core, so the hand-over cannot be measured; give it: --hand-over 3e-7";
    if (set->ranks > 0 && !network)
        return "--ranks needs --latency and --bandwidth of the network, as --latency 2e-6 --bandwidth 1e10";
    if (set->ranks == 0 && (!isnan(set->latency) || !isnan(set->bandwidth)))
        return "--latency and --bandwidth belong to --ranks";
    return NULL;
}

static void print(const span *x)
{
    if (x->set->json) {
        print_json(x);
        return;
    }
    print_text(x);
    if (x->parts > 0)
        print_tree(x);
    if (x->singular)
        printf("\nassembly tree: not measured; the joins of its single bodies lose all digits at this length\n");
    if (x->set->ranks > 0)
        clv_bench_ranks_print(&x->ranks, x->set, x->work, x->bodies);
}

clv_exit clv_bench_span(const clv_words *words, const clv_sim_options *options, const clv_span_settings *set)
{
    clv_words model = {.n = words->n - 1};
    clv_subject s = {.command = "bench", .json = set->json, .apart = set->share > 0 && is_connection(options)};
    clv_record record = {0};
    const char *why = wrong(words, set);
    if (why)
        return clv_tell("bench", set->json, CLV_EXIT_USAGE, "%s", why);
    for (int i = 0; i < model.n; ++i)
        model.word[i] = words->word[i + 1];
    if (clv_subject_open(&s, &model, options) == CLV_EXIT_DONE) {
        clv_sim_report report;
        clv_sim_summary(s.sim, &report);
        span x = {.model = model.word[0], .formulation = report.formulation, .bodies = clv_model_body_count(s.model),
                  .step = clv_sim_records_step(s.sim), .set = set};
        clv_status status = check(s.sim, set->hand_over, set->share, &x);
        if (status == CLV_OK)
            status = clv_sim_record(s.sim, set->share, &record);
        if (status == CLV_OK)
            status = schedule(&record, &x);
        if (status == CLV_OK)
            status = measure_tree(s.sim, &x);
        if (status != CLV_OK)
            clv_subject_fail(&s, status);
        else
            print(&x);
        clv_rank_tree_close(&x.ranks);
        clv_record_close(&record);
    }
    clv_subject_close(&s);
    return s.code;
}
