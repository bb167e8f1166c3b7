/* SPDX-License-Identifier: Apache-2.0
 * Which joints are redundant, and in which directions; see check.h. */
#include "base/memory.h"
#include "cli/check.h"
#include "cli/summary.h"
#include "model/model.h"

/* Bit i: component i (force x y z, moment x y z; global axes) of the joint's reaction is not unique at the start. */
static unsigned not_unique(const clv_check *c, int joint)
{
    clv_joint_result r;
    unsigned bits = 0;
    if (!clv_sim_joint_redundant(c->subject.sim, joint) || clv_sim_joint(c->subject.sim, joint, &r) != CLV_OK)
        return 0;
    for (int i = 0; i < 6; ++i)
        bits |= r.unique[i] ? 0u : 1u << i;
    return bits;
}

unsigned *clv_check_not_unique(const clv_check *c)
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
        total += (int)((bits >> i) & 1);
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

static bool has_bits(const clv_check *c, int joint, unsigned bits) { return c->bits[joint] == bits; }

static void print_directions(const clv_check *c, unsigned bits)
{
    char text[96];
    directions(text, bits);
    printf("                      %s: joint%s ", text, clv_plural(clv_check_names(c, NULL, has_bits, bits)));
    clv_check_names(c, stdout, has_bits, bits);
    printf("\n");
}

static const char *stressed_coupling(const clv_check *c, int k)
{
    return clv_sim_coupling_redundant(c->subject.sim, k) ? c->subject.model->coupling[k].name : NULL;
}

/* a motion that prescribes what other motions prescribe, too */
static const char *repeated_motion(const clv_check *c, int k)
{
    const clv_model *m = c->subject.model;
    return clv_summary_drive_unique(c->subject.sim, m->motion[k].joint) ? NULL : m->motion[k].name;
}

/* Efforts of couplings and of motions. */
static void print_efforts(const clv_check *c, const char *what, int count, clv_name_item *name)
{
    const int n = clv_check_items(c, NULL, count, name);
    if (n == 0)
        return;
    printf("                      the effort%s: %s%s ", clv_plural(n), what, clv_plural(n));
    clv_check_items(c, stdout, count, name);
    printf("\n");
}

/* Self-stresses of consistent data balance to 1e-10; more is the data's own. */
static void print_contradiction(const clv_sim_report *r)
{
    if (r->contradiction > 1e-10)
        printf("contradiction         the data of redundant constraints contradict each other by %.2g (rad, or parts\n"
               "                      of the model's size): loops are closed in the least-squares sense\n",
               r->contradiction);
}

void clv_check_print_redundant(const clv_check *c)
{
    const int n = c->report.redundant_constraints;
    clv_label("redundant");
    if (n == 0) {
        printf("none: every joint reaction is unique\n");
        return;
    }
    printf("%d constraint%s; the motion is unaffected, these components of reactions are not unique:\n", n,
           clv_plural(n));
    for (int j = 0; j < clv_model_joint_count(c->subject.model); ++j) {
        bool told = c->bits[j] == 0;
        for (int i = 0; i < j && !told; ++i)
            told = c->bits[i] == c->bits[j];
        if (!told)
            print_directions(c, c->bits[j]);
    }
    print_efforts(c, "coupling", c->subject.model->ncoupling, stressed_coupling);
    print_efforts(c, "motion", c->subject.model->nmotion, repeated_motion);
    print_contradiction(&c->report);
}

static void json_efforts(clv_json *j, const clv_check *c, const char *key, int count, clv_name_item *name)
{
    clv_json_array(j, key);
    for (int i = 0; i < count; ++i)
        if (name(c, i))
            clv_json_text(j, NULL, name(c, i));
    clv_json_end(j);
}

void clv_check_json_redundant(clv_json *j, const clv_check *c)
{
    clv_json_number(j, "contradiction", c->report.contradiction);
    clv_json_object(j, "not_unique"); /* joint: six booleans */
    for (int i = 0; i < clv_model_joint_count(c->subject.model); ++i) {
        if (c->bits[i] == 0)
            continue;
        clv_json_array(j, clv_model_joint_name(c->subject.model, i));
        for (int k = 0; k < 6; ++k)
            clv_json_bool(j, NULL, (c->bits[i] >> k) & 1);
        clv_json_end(j);
    }
    clv_json_end(j);
    json_efforts(j, c, "redundant_couplings", c->subject.model->ncoupling, stressed_coupling);
    json_efforts(j, c, "repeated_motions", c->subject.model->nmotion, repeated_motion);
}
