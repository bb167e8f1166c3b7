/* SPDX-License-Identifier: Apache-2.0
 * cleave check: is the model what its author meant?  Freedoms by counting and by rank, redundant joints by name, how far the
 * start had to be moved to close, and the plan. */
#include "cli/summary.h"
#include "model/model.h"
#include <math.h>
#include <string.h>

typedef struct check_settings {
    clv_sim_options sim;
    bool json;
} check_settings;

#define AT(field) offsetof(check_settings, field)
static const clv_option options[] = {
    {"rank", CLV_OPTION_NUMBER, AT(sim.rank), "X", "threshold of rank decisions; default 1e-8", 0, 1e-2, true},
    {"start-tolerance", CLV_OPTION_NUMBER, AT(sim.start_tolerance), "X",
     "how far (m or rad) the start may be moved to close; default 1e-3; below 0: any", 0, 0, false},
    {"json", CLV_OPTION_FLAG, AT(json), NULL, "print one JSON object instead of text", 0, 0, false},
    {0},
};

static void print_json(const clv_subject *s, const clv_sim_report *r, const clv_plan_report *p)
{
    char hash[24];
    clv_json j = clv_json_begin(stdout);
    clv_json_object(&j, NULL);
    clv_json_text(&j, "status", "ok");
    clv_summary_json_size(&j, s, r);
    clv_json_integer(&j, "constraints", 6LL * r->bodies - r->mobility_counted);
    clv_json_integer(&j, "rank", 6LL * r->bodies - r->mobility_found);
    clv_json_number(&j, "start_moved", r->start_moved);
    clv_json_number(&j, "start_velocity_moved", r->start_velocity_moved);
    clv_json_number(&j, "energy_initial", r->energy_initial);
    clv_json_number(&j, "min_pivot", r->min_pivot);
    clv_json_object(&j, "plan");
    clv_json_integer(&j, "tree_joints", p->tree_joints);
    clv_json_integer(&j, "closing_joints", p->closing_joints);
    clv_json_integer(&j, "limbs", p->limbs);
    clv_json_integer(&j, "branches", p->branches);
    clv_json_integer(&j, "leaves", p->leaves);
    clv_json_integer(&j, "nodes", p->nodes);
    clv_json_integer(&j, "depth", p->depth);
    clv_json_integer(&j, "max_handles", p->max_ports);
    clv_json_integer(&j, "groups", p->groups);
    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)p->hash);
    clv_json_text(&j, "hash", hash);
    clv_json_end(&j);
    clv_json_end(&j);
}

static void print_text(const clv_subject *s, const clv_sim_report *r, const clv_plan_report *p)
{
    clv_summary_print_size(s, r);
    printf("constraints         %lld, of rank %lld\n", 6LL * r->bodies - r->mobility_counted,
           6LL * r->bodies - r->mobility_found);
    if (r->mobility_found > r->mobility_counted)
        printf("                    it moves with more freedoms than counting says: some constraints repeat others\n");
    if (r->mobility_found == 0 && s->model->nmotion > 0)
        printf("                    it moves as its motions prescribe, and not otherwise\n");
    else if (r->mobility_found == 0)
        printf("                    note: it cannot move at all: a structure, not a mechanism\n");
    printf("start               moved by %.2g m or rad, %.2g m/s or rad/s to close every joint\n", r->start_moved,
           r->start_velocity_moved);
    printf("plan                %d tree joints, %d closing; %d limbs, %d branches, %d dense nodes, %d levels; %d groups of 8\n",
           p->tree_joints, p->closing_joints, p->limbs, p->branches, p->nodes, p->depth, p->groups);
}

static int command(const clv_command *self, int argc, char **argv)
{
    clv_words words;
    check_settings set = {.sim = clv_sim_options_default()};
    clv_exit code = clv_command_read(self, &set, &words, 1, CLV_WORDS_MAX, argc, argv);
    if (code != CLV_EXIT_DONE)
        return code;
    clv_subject s = {.command = "check", .json = set.json};
    code = clv_subject_open(&s, &words, &set.sim);
    if (code == CLV_EXIT_DONE) {
        clv_sim_report report;
        clv_plan_report plan;
        clv_sim_summary(s.sim, &report);
        clv_sim_plan(s.sim, &plan);
        if (set.json)
            print_json(&s, &report, &plan);
        else
            print_text(&s, &report, &plan);
    }
    clv_subject_close(&s);
    return code;
}

const clv_command clv_command_check = {
    "check", "MODEL [key=value ...]", "tell freedoms, redundant joints and errors of a model",
    "MODEL is a YAML file or the name of an example.\n"
    "  cleave check bricard\n"
    "  cleave check mine.yaml --json",
    options, command,
};
