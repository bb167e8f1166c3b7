/* SPDX-License-Identifier: Apache-2.0
 * cleave check: is the model what its author meant?  In words: degrees of freedom by rank and by counting, redundant
 * joints with their directions, and how far the start had to be moved to close.  Then weak directions, inputs, the
 * modes of flexible bodies, the plan. */
#include "base/cpu.h"
#include "base/memory.h"
#include "cli/check.h"
#include "cli/contacts.h"
#include "cli/modes.h"
#include "cli/summary.h"
#include <math.h>

typedef struct check_settings {
    clv_sim_options sim;
    bool json, lenient, verbose;
} check_settings;

#define AT(field) offsetof(check_settings, field)
static const clv_option options[] = {
    {"formulation", CLV_OPTION_FORMULATION, AT(sim.formulation), "NAME", "; whose plan is printed", 0, 0, false},
    CLV_SIM_OPTION(method, AT(sim.method)),
    CLV_SIM_OPTION(bracketing, AT(sim.bracketing)),
    CLV_SIM_OPTION(rank, AT(sim.rank)),
    CLV_SIM_OPTION(contradiction, AT(sim.contradiction)),
    {"start-tolerance", CLV_OPTION_NUMBER, AT(sim.start_tolerance), "X",
     "refuse a start that must be moved by more (m or rad) to close; default: any", 0, INFINITY, false},
    {"lenient", CLV_OPTION_FLAG, AT(lenient), NULL, "clip physically impossible inertias, and list them", 0, 0, false},
    {"verbose", CLV_OPTION_FLAG, AT(verbose), NULL, "also print the plan and the lane width", 0, 0, false},
    {"json", CLV_OPTION_FLAG, AT(json), NULL, "print one JSON object instead of text", 0, 0, false},
    {0},
};

const char *clv_plural(long n)
{
    return n == 1 ? "" : "s";
}

int clv_check_items(const clv_check *c, FILE *text, int count, clv_name_item *name)
{
    enum { MOST = 12 };
    int total = 0, n = 0;
    for (int i = 0; i < count; ++i)
        total += name(c, i) != NULL;
    for (int i = 0; text && i < count && n < MOST; ++i)
        if (name(c, i)) {
            ++n;
            fprintf(text, "%s%s", n == 1 ? "" : n == total ? " and " : ", ", name(c, i));
        }
    if (text && total > MOST)
        fprintf(text, " and %d more", total - MOST);
    return total;
}

int clv_check_names(const clv_check *c, FILE *text, clv_choose_joint *chosen, unsigned what)
{
    enum { MOST = 12 };
    const int count = clv_model_joint_count(c->subject.model);
    int total = 0, n = 0;
    for (int j = 0; j < count; ++j)
        total += chosen(c, j, what);
    for (int j = 0; text && j < count && n < MOST; ++j)
        if (chosen(c, j, what)) {
            ++n;
            fprintf(text, "%s%s", n == 1 ? "" : n == total ? " and " : ", ", clv_model_joint_name(c->subject.model, j));
        }
    if (text && total > MOST)
        fprintf(text, " and %d more", total - MOST);
    return total;
}

static void print_text(const clv_check *c, double rank, double rtol, bool verbose)
{
    const clv_sim_report *r = &c->report;
    clv_check_print_freedoms(c);
    clv_check_print_redundant(c);
    if (r->rank < rank)
        printf("weak                  a direction is held or moved only weakly at the start (light bodies between "
               "heavy ones, or near\n"
               "                      a singular position); it is real: the threshold of rank is lowered from %g to "
               "%.1g\n",
               rank, r->rank);
    clv_summary_print_rounding(r, rtol);
    clv_check_print_start(c);
    clv_contacts_print_line(&c->subject);
    clv_check_print_motions(c);
    clv_check_print_inputs(c);
    clv_check_print_parameters(c);
    clv_modes_print(c->subject.model, c->hz);
    if (verbose || c->plan.connections > 0) { /* of formulation connection the branches are the subject */
        clv_check_print_counts(c);
        clv_check_print_plan(c);
    }
    if (verbose)
        printf("lanes                 %d double%s at a time (%s)\n", r->lanes, clv_plural(r->lanes),
               clv_cpu_instructions(r->lanes));
}

static void print_json(const clv_check *c)
{
    const clv_sim_report *r = &c->report;
    clv_json j = clv_json_begin(stdout);
    clv_json_object(&j, NULL);
    clv_json_text(&j, "status", "ok");
    clv_summary_json_size(&j, &c->subject, r, false);
    clv_check_json_redundant(&j, c);
    clv_check_json_freedoms(&j, c);
    clv_json_number(&j, "rank_threshold", r->rank);
    clv_check_json_start(&j, c);
    (void)clv_contacts_json(&j, &c->subject);
    clv_check_json_motions(&j, c);
    clv_check_json_inputs(&j, c);
    clv_check_json_parameters(&j, c);
    clv_json_integer(&j, "lanes", r->lanes);
    clv_json_number(&j, "energy_initial", r->energy_initial);
    clv_json_number(&j, "min_pivot", r->min_pivot);
    clv_json_number(&j, "momentum_error", r->momentum_error);
    clv_modes_json(&j, c->subject.model, c->hz);
    clv_check_json_plan(&j, c);
    clv_json_end(&j);
}

static int command(const clv_command *self, int argc, char **argv)
{
    clv_words words;
    check_settings set = {.sim = clv_sim_options_default()};
    clv_exit code = clv_command_read(self, &set, &words, 1, CLV_WORDS_MAX, argc, argv);
    if (code != CLV_EXIT_DONE)
        return code;
    clv_check c = {.subject = {.command = "check", .json = set.json, .lenient = set.lenient}};
    code = clv_subject_open(&c.subject, &words, &set.sim);
    if (code == CLV_EXIT_DONE) {
        const clv_status status = clv_sim_evaluate(c.subject.sim);
        if (status != CLV_OK)
            code = clv_subject_fail(&c.subject, status);
    }
    if (code == CLV_EXIT_DONE) {
        clv_sim_summary(c.subject.sim, &c.report);
        clv_sim_plan(c.subject.sim, &c.plan);
        c.bits = clv_check_not_unique(&c);
        c.hz = clv_modes_frequencies(c.subject.model);
        c.parts = clv_check_parts(c.subject.model);
        if (!c.bits || !c.hz || !c.parts)
            code = clv_tell("check", set.json, CLV_EXIT_RESOURCES, "out of memory");
    }
    if (code == CLV_EXIT_DONE) {
        if (set.json)
            print_json(&c);
        else
            print_text(&c, set.sim.rank, set.sim.rtol, set.verbose);
    }
    clv_free(c.bits);
    clv_free(c.hz);
    clv_free(c.parts);
    clv_subject_close(&c.subject);
    return code;
}

const clv_command clv_command_check = {
    "check",
    "MODEL [key=value ...]",
    "degrees of freedom, redundant constraints and errors of a model",
    "  cleave check mine.yaml\n"
    "  cleave check bricard\n"
    "  cleave check mine.yaml --json\n"
    "\n"
    "Reads MODEL (a YAML file, or an example with parameters) and reports every error with its line.  For a valid\n"
    "model it prints the degrees of freedom (found by rank; the Gruebler count in brackets), redundant constraints "
    "with the\n"
    "joints and directions concerned (global axes), and how far the start was moved until the loops closed.",
    options,
    command,
};
