/* SPDX-License-Identifier: Apache-2.0
 * cleave check: is the model what its author meant?  In words: freedoms by counting and by rank, which joints are
 * redundant and in which directions, how far the start had to be moved to close and where it gaped, weak directions,
 * the modes of flexible bodies, the plan. */
#include "base/memory.h"
#include "cli/modes.h"
#include "cli/summary.h"
#include "math/rotation.h"
#include "model/joint.h"
#include "model/model.h"
#include <math.h>
#include <string.h>

typedef struct check_settings {
    clv_sim_options sim;
    bool json;
} check_settings;

#define AT(field) offsetof(check_settings, field)
static const clv_option options[] = {
    {"formulation", CLV_OPTION_FORMULATION, AT(sim.formulation), "NAME", "; whose plan is told", 0, 0, false},
    {"method", CLV_OPTION_WHOLE, AT(sim.method), "N",
     "connection: 1 (default) all connections at once, 2 branches two at a time", 1, 2, false},
    {"bracketing", CLV_OPTION_TEXT, AT(sim.bracketing), "TEXT", "connection, method 2: what is joined first, as '((a,b),c),(d,e)'", 0,
     0, false},
    {"rank", CLV_OPTION_NUMBER, AT(sim.rank), "X", "threshold of rank decisions; default 1e-8", 0, 1e-2, true},
    {"start-tolerance", CLV_OPTION_NUMBER, AT(sim.start_tolerance), "X",
     "refuse a start that must be moved by more (m or rad) to close; default: any", 0, INFINITY, false},
    {"json", CLV_OPTION_FLAG, AT(json), NULL, "print one JSON object instead of text", 0, 0, false},
    {0},
};

/* What is asked about. */
typedef struct check {
    clv_subject subject;
    clv_sim_report report;
    clv_plan_report plan;
    unsigned *bits; /* (joints) see not_unique */
    double *hz;     /* of the modes, see clv_modes_frequencies */
} check;

static const char *plural(long n)
{
    return n == 1 ? "" : "s";
}

/* ---------------------------------------------------------------- redundant directions */

/* Bit i: component i (force x y z, moment x y z; global axes) of the joint's reaction is not unique at the start. */
static unsigned not_unique(const check *c, int joint)
{
    clv_joint_result r;
    unsigned bits = 0;
    if (!clv_sim_joint_redundant(c->subject.sim, joint) || clv_sim_joint(c->subject.sim, joint, &r) != CLV_OK)
        return 0;
    for (int i = 0; i < 6; ++i)
        bits |= r.unique[i] ? 0u : 1u << i;
    return bits;
}

/* not_unique of all joints; NULL where memory ends. */
static unsigned *find_bits(const check *c)
{
    const int count = clv_model_joint_count(c->subject.model);
    unsigned *bits = clv_alloc((size_t)count + 1, sizeof *bits);
    for (int j = 0; bits && j < count; ++j)
        bits[j] = not_unique(c, j);
    return bits;
}

/* "the moments about x and y": the three bits of forces or of moments. */
static void put_axes(char *text, size_t size, unsigned bits, const char *one, const char *many)
{
    static const char *const axis[] = {"x", "y", "z"};
    int n = 0, total = 0;
    for (int i = 0; i < 3; ++i)
        total += (bits >> i) & 1;
    size_t end = (size_t)snprintf(text, size, "the %s ", total == 1 ? one : many);
    for (int i = 0; i < 3 && end < size; ++i)
        if ((bits >> i) & 1) {
            ++n;
            end += (size_t)snprintf(text + end, size - end, "%s%s", n == 1 ? "" : n == total ? " and " : ", ", axis[i]);
        }
}

static void directions(char text[96], unsigned bits)
{
    char force[40] = "", moment[40] = "";
    if (bits & 7)
        put_axes(force, sizeof force, bits & 7, "force along", "forces along");
    if (bits >> 3)
        put_axes(moment, sizeof moment, bits >> 3, "moment about", "moments about");
    snprintf(text, 96, "%s%s%s", force, *force && *moment ? " and " : "", moment);
}

static int count_bits(unsigned bits)
{
    int n = 0;
    for (; bits; bits >>= 1)
        n += bits & 1;
    return n;
}

/* "joints b and d": those with the same directions; the first dozen by name. */
static void print_joints(const check *c, const unsigned *bits, unsigned wanted)
{
    enum { MOST = 12 };
    int total = 0, n = 0, count = clv_model_joint_count(c->subject.model);
    for (int j = 0; j < count; ++j)
        total += bits[j] == wanted;
    printf("joint%s ", plural(total));
    for (int j = 0; j < count && n < MOST; ++j)
        if (bits[j] == wanted)
            printf("%s%s",
                   n == 0           ? ""
                   : n == total - 1 ? " and "
                                    : ", ",
                   clv_model_joint_name(c->subject.model, j)),
                ++n;
    if (total > MOST)
        printf(" and %d more", total - MOST);
}

/* Does a motion prescribe it? */
static bool driven(const clv_model *m, int joint)
{
    for (int i = 0; i < m->nmotion; ++i)
        if (m->motion[i].joint == joint)
            return true;
    return false;
}

/* "joints a, b and 3 more": those that move, or those that rest though nothing prescribes them; how many. */
static int put_mobile(const check *c, bool moves, bool print)
{
    enum { MOST = 12 };
    const clv_model *m = c->subject.model;
    int total = 0, n = 0;
    for (int pass = 0; pass < 2; ++pass)
        for (int j = 0; j < m->njoint; ++j) {
            if (clv_joint_table[m->joint[j].kind].nu == 0 || clv_sim_joint_moves(c->subject.sim, j) != moves || driven(m, j))
                continue;
            if (pass == 0)
                ++total;
            else if (print && n++ < MOST)
                printf("%s%s", n == 1 ? "" : n == total && total <= MOST ? " and " : ", ", m->joint[j].name);
        }
    if (print && total > MOST)
        printf(" and %d more", total - MOST);
    return total;
}

/* Which freedoms nothing prescribes. */
static void print_undriven(const check *c)
{
    const int free = c->report.mobility_found, moving = put_mobile(c, true, false), resting = put_mobile(c, false, false);
    if (free <= 0)
        printf("undriven            none\n");
    else if (moving == 0)
        printf("undriven            %d freedom%s, of bodies without a joint\n", free, plural(free));
    else {
        printf("undriven            %d freedom%s, which no motion prescribes: joint%s ", free, plural(free), plural(moving));
        put_mobile(c, true, true);
        printf(" move%s%s\n", moving == 1 ? "s" : "", moving > free ? " together" : "");
    }
    if (resting > 0) {
        printf("                    joint%s ", plural(resting));
        put_mobile(c, false, true);
        printf(" stand%s still at the start\n", resting == 1 ? "s" : "");
    }
}

static void print_redundant(const check *c)
{
    const int count = clv_model_joint_count(c->subject.model);
    const unsigned *bits = c->bits;
    for (int j = 0; j < count; ++j) {
        bool told = bits[j] == 0;
        for (int i = 0; i < j && !told; ++i)
            told = bits[i] == bits[j];
        if (told)
            continue;
        char text[96];
        directions(text, bits[j]);
        printf("  ");
        print_joints(c, bits, bits[j]);
        printf(": %s %s redundant;\n    reactions there are not unique, motion is\n", text,
               count_bits(bits[j]) == 1 ? "is" : "are");
    }
}

/* ---------------------------------------------------------------- start */

/* m: distance of the two points of a joint in the poses of the model; NaN where they may lie apart. */
static double gap(const clv_model *m, const clv_joint *j)
{
    const int body[2] = {j->a, j->b};
    const double *point[2] = {j->pa, j->pb};
    double p[2][3], R[9], d[3];
    if (j->kind == CLV_JOINT_PRISMATIC || j->kind == CLV_JOINT_HELICAL || j->kind == CLV_JOINT_CYLINDRICAL ||
        j->kind == CLV_JOINT_PLANAR || j->kind == CLV_JOINT_FREE || j->kind == CLV_JOINT_DISTANCE)
        return NAN;
    for (int k = 0; k < 2; ++k) {
        memcpy(p[k], point[k], sizeof p[k]);
        if (body[k] == CLV_GROUND)
            continue;
        clv_quat_rotation(R, m->body[body[k]].e);
        clv_mat3_times(p[k], R, point[k]);
        clv_axpy3(p[k], 1, m->body[body[k]].r);
    }
    clv_sub3(d, p[0], p[1]);
    return clv_norm3(d);
}

/* The joint that gaped most in the poses of the model, or -1. */
static int widest(const clv_model *m, double *most)
{
    int joint = -1;
    *most = 1e-9; /* less is rounding of the file */
    for (int j = 0; j < m->njoint; ++j)
        if (gap(m, &m->joint[j]) > *most)
            *most = gap(m, &m->joint[j]), joint = j;
    return joint;
}

static void print_start(const check *c)
{
    const clv_sim_report *r = &c->report;
    double open;
    const int joint = widest(c->subject.model, &open);
    if (r->start_moved <= 1e-12 && r->start_velocity_moved <= 1e-12 && joint < 0)
        printf("start               closed as it is given\n");
    else
        printf("start               moved by %.2g m or rad, %.2g m/s or rad/s to close every joint\n", r->start_moved,
               r->start_velocity_moved);
    if (joint >= 0)
        printf("                    as given, joint %s was widest open: %.2g m\n",
               clv_model_joint_name(c->subject.model, joint), open);
}

/* ---------------------------------------------------------------- all */

static void print_freedoms(const check *c)
{
    const clv_sim_report *r = &c->report;
    const int motions = c->subject.model->nmotion;
    printf("%s: %d bod%s, %d joint%s, %d loop%s\n", clv_model_name(c->subject.model), r->bodies,
           r->bodies == 1 ? "y" : "ies", r->joints, plural(r->joints), r->loops, plural(r->loops));
    printf("freedoms            %d, by counting %d", r->mobility_found, r->mobility_counted);
    if (c->plan.closing_rows > 0)
        printf(" (%d of the joints, less %d that loops and couplings hold)", c->plan.freedoms, c->plan.closing_rows);
    printf("\n");
    printf("constraints         %lld, of rank %lld\n", 6LL * r->bodies - r->mobility_counted,
           6LL * r->bodies - r->mobility_found);
    if (r->mobility_found == 0 && motions > 0)
        printf("                    it moves as its motions prescribe, and not otherwise\n");
    else if (r->mobility_found == 0)
        printf("                    note: it cannot move at all: a structure, not a mechanism\n");
    print_undriven(c);
    if (r->redundant_constraints == 0) {
        printf("redundant           none: every joint force is determined by the motion\n");
        return;
    }
    printf("redundant           %d constraint%s repeat%s what others hold already; the motion does not mind\n",
           r->redundant_constraints, plural(r->redundant_constraints), r->redundant_constraints == 1 ? "s" : "");
    print_redundant(c);
}

/* branches of formulation connection */
static void print_branches(const check *c)
{
    clv_branch_report b;
    for (int k = 0; clv_sim_branch(c->subject.sim, k, &b); ++k)
        printf("%-20s%s: %d bod%s from %s outwards, held at %d\n", k ? "" : "branches", b.name, b.bodies,
               b.bodies == 1 ? "y" : "ies", clv_model_body_name(c->subject.model, b.base), b.handles);
    if (c->plan.connections > 0)
        printf("connection matrix   %d connection%s\n", c->plan.connections, plural(c->plan.connections));
}

static void print_text(const check *c, double rank)
{
    const clv_sim_report *r = &c->report;
    const clv_plan_report *p = &c->plan;
    print_freedoms(c);
    if (r->rank < rank)
        printf("weak                some direction is held or moved only weakly at the start (light bodies between "
               "heavy ones, or close to\n"
               "                    a singular position); it is real, so the threshold of rank is lowered from %g to "
               "%.1g\n",
               rank, r->rank);
    print_start(c);
    clv_modes_print(c->subject.model, c->hz);
    printf("plan                %d tree joint%s, %d closing; %d limb%s, %d branch%s, %d dense node%s, %d level%s\n",
           p->tree_joints, plural(p->tree_joints), p->closing_joints, p->limbs, plural(p->limbs), p->branches,
           p->branches == 1 ? "" : "es", p->nodes, plural(p->nodes), p->depth, plural(p->depth));
    print_branches(c);
}

static void json_branches(clv_json *j, const check *c)
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

static void json_redundant(clv_json *j, const check *c)
{
    clv_json_object(j, "not_unique"); /* joint: six booleans */
    for (int i = 0; i < clv_model_joint_count(c->subject.model); ++i) {
        const unsigned bits = c->bits[i];
        if (bits == 0)
            continue;
        clv_json_array(j, clv_model_joint_name(c->subject.model, i));
        for (int k = 0; k < 6; ++k)
            clv_json_bool(j, NULL, (bits >> k) & 1);
        clv_json_end(j);
    }
    clv_json_end(j);
}

static void json_plan(clv_json *j, const clv_plan_report *p)
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

static void print_json(const check *c)
{
    const clv_sim_report *r = &c->report;
    double open;
    const int joint = widest(c->subject.model, &open);
    clv_json j = clv_json_begin(stdout);
    clv_json_object(&j, NULL);
    clv_json_text(&j, "status", "ok");
    clv_summary_json_size(&j, &c->subject, r);
    json_redundant(&j, c);
    clv_json_integer(&j, "joint_freedoms", c->plan.freedoms);
    clv_json_integer(&j, "constraints", 6LL * r->bodies - r->mobility_counted);
    clv_json_integer(&j, "rank", 6LL * r->bodies - r->mobility_found);
    clv_json_number(&j, "rank_threshold", r->rank);
    clv_json_number(&j, "start_moved", r->start_moved);
    clv_json_number(&j, "start_velocity_moved", r->start_velocity_moved);
    clv_json_text(&j, "widest_joint", joint >= 0 ? clv_model_joint_name(c->subject.model, joint) : "");
    clv_json_number(&j, "widest_gap", joint >= 0 ? open : 0);
    clv_json_number(&j, "energy_initial", r->energy_initial);
    clv_json_number(&j, "min_pivot", r->min_pivot);
    clv_modes_json(&j, c->subject.model, c->hz);
    json_plan(&j, &c->plan);
    json_branches(&j, c);
    clv_json_end(&j);
}

static int command(const clv_command *self, int argc, char **argv)
{
    clv_words words;
    check_settings set = {.sim = clv_sim_options_default()};
    clv_exit code = clv_command_read(self, &set, &words, 1, CLV_WORDS_MAX, argc, argv);
    if (code != CLV_EXIT_DONE)
        return code;
    check c = {.subject = {.command = "check", .json = set.json}};
    code = clv_subject_open(&c.subject, &words, &set.sim);
    if (code == CLV_EXIT_DONE) {
        const clv_status status = clv_sim_evaluate(c.subject.sim);
        if (status != CLV_OK)
            code = clv_subject_fail(&c.subject, status);
    }
    if (code == CLV_EXIT_DONE) {
        clv_sim_summary(c.subject.sim, &c.report);
        clv_sim_plan(c.subject.sim, &c.plan);
        c.bits = find_bits(&c);
        c.hz = clv_modes_frequencies(c.subject.model);
        if (!c.bits || !c.hz)
            code = clv_tell("check", set.json, CLV_EXIT_RESOURCES, "out of memory");
    }
    if (code == CLV_EXIT_DONE) {
        if (set.json)
            print_json(&c);
        else
            print_text(&c, set.sim.rank);
    }
    clv_free(c.bits);
    clv_free(c.hz);
    clv_subject_close(&c.subject);
    return code;
}

const clv_command clv_command_check = {
    "check",
    "MODEL [key=value ...]",
    "tell freedoms, redundant joints and errors of a model",
    "  cleave check mine.yaml\n"
    "  cleave check bricard\n"
    "  cleave check mine.yaml --json\n"
    "\n"
    "Reads MODEL (a YAML file, or an example with parameters), tells every mistake in it with its line, and if\n"
    "there is none what the mechanism is: how many freedoms it has, which joints hold the same thing twice and\n"
    "in which directions (global axes), how far the start had to be moved until the loops closed.",
    options,
    command,
};
