/* SPDX-License-Identifier: Apache-2.0
 * The plan in numbers, and the branches of formulation connection; see check.h. */
#include "cli/check.h"

static void print_branches(const clv_check *c)
{
    clv_branch_report b;
    for (int k = 0; clv_sim_branch(c->subject.sim, k, &b); ++k)
        printf("%-22s%s: %d bod%s from %s outwards, %d handle%s\n", k ? "" : "branches", b.name, b.bodies,
               b.bodies == 1 ? "y" : "ies", clv_model_body_name(c->subject.model, b.base), b.handles,
               clv_plural(b.handles));
    if (c->plan.connections > 0)
        printf("connection matrix     %d connection%s\n", c->plan.connections, clv_plural(c->plan.connections));
}

void clv_check_print_plan(const clv_check *c)
{
    const clv_plan_report *p = &c->plan;
    printf("plan                  %d tree joint%s, %d loop joint%s; %d limb%s, %d branch%s, ", p->tree_joints,
           clv_plural(p->tree_joints), p->closing_joints, clv_plural(p->closing_joints), p->limbs,
           clv_plural(p->limbs), p->branches, p->branches == 1 ? "" : "es");
    printf("%d dense node%s, %d level%s\n", p->nodes, clv_plural(p->nodes), p->depth, clv_plural(p->depth));
    print_branches(c);
}

static void json_numbers(clv_json *j, const clv_plan_report *p)
{
    char hash[24];
    clv_json_object(j, "plan");
    clv_json_integer(j, "tree_joints", p->tree_joints);
    clv_json_integer(j, "closing_joints", p->closing_joints);
    clv_json_integer(j, "limbs", p->limbs);
    clv_json_integer(j, "branches", p->branches);
    clv_json_integer(j, "leaves", p->leaves);
    clv_json_integer(j, "nodes", p->nodes);
    clv_json_integer(j, "depth", p->depth);
    clv_json_integer(j, "max_handles", p->max_ports);
    clv_json_integer(j, "groups", p->groups);
    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)p->hash);
    clv_json_text(j, "hash", hash);
    clv_json_end(j);
}

static void json_branches(clv_json *j, const clv_check *c)
{
    clv_branch_report b;
    if (c->plan.sections == 0)
        return;
    clv_json_object(j, "branches");
    for (int k = 0; clv_sim_branch(c->subject.sim, k, &b); ++k) {
        clv_json_object(j, b.name);
        clv_json_integer(j, "bodies", b.bodies);
        clv_json_text(j, "base", clv_model_body_name(c->subject.model, b.base));
        clv_json_integer(j, "handles", b.handles);
        clv_json_end(j);
    }
    clv_json_end(j);
    clv_json_integer(j, "connections", c->plan.connections);
}

void clv_check_json_plan(clv_json *j, const clv_check *c)
{
    json_numbers(j, &c->plan);
    json_branches(j, c);
}
