/* SPDX-License-Identifier: Apache-2.0
 * The rules of couplings (T57, T98): different joints with one degree of freedom, factors that couple, a table that
 * increases.  Two joints are coupled by one coupling alone.  Motions do not drive all joints of one. */
#include "base/error.h"
#include "base/memory.h"
#include "model/coupling.h"
#include "model/joint.h"
#include <math.h>
#include <stdlib.h>

#define NOTE(m, c, field, number, hint, ...)                                                   \
    do {                                                                                       \
        clv_error *note_ = clv_model_note((m), "couplings", (c)->name, (field), __VA_ARGS__);  \
        clv_error_hint(note_, "%s", (hint));                                                   \
        note_->value = (number);                                                               \
    } while (0)

static const char *field_of(const clv_coupling *c, int term)
{
    return c->sum ? "of" : term == 1 ? "first" : "second";
}

static void check_joint(clv_model *m, const clv_coupling *c, int term)
{
    const clv_joint *j = &m->joint[c->term[term].joint];
    const int nu = clv_joint_table[j->kind].nu;
    if (nu != 1)
        NOTE(m, c, field_of(c, term), nu, "use a revolute, prismatic or helical joint",
             "coupling '%s': joint '%s' (%s) has %d free directions, not 1", c->name, j->name,
             clv_joint_table[j->kind].name, nu);
    for (int i = 0; i < term; i++)
        if (c->term[i].joint == c->term[term].joint) {
            NOTE(m, c, c->sum ? "of" : "between", NAN, "name two different joints",
                 "coupling '%s': couples joint '%s' to itself", c->name, j->name);
            return;
        }
}

static void check_factor(clv_model *m, const clv_coupling *c, int term)
{
    if (c->term[term].factor != 0)
        return;
    if (c->sum)
        NOTE(m, c, "of", 0, "leave the joint out", "coupling '%s': joint '%s' has the factor 0", c->name,
             m->joint[c->term[term].joint].name);
    else
        NOTE(m, c, "ratio", 0, "give a ratio other than 0, or use a motion to hold the joint",
             "coupling '%s': a ratio of 0 couples nothing", c->name);
}

static void check_curve(clv_model *m, const clv_coupling *c)
{
    const clv_series *s = &c->table;
    const int least = c->periodic ? 4 : 3;
    int last = c->npolynomial - 1;
    while (last > 0 && c->polynomial[last] == 0)
        last--;
    if (last == 0)
        NOTE(m, c, "polynomial", c->polynomial[0], "use a motion to hold the joint",
             "coupling '%s': a constant polynomial couples nothing", c->name);
    if (s->n > 0 && s->n < least)
        NOTE(m, c, "table", s->n, "add rows of [coordinate of first, coordinate of second]",
             "coupling '%s': its table has %d row%s, it needs at least %d", c->name, s->n, s->n == 1 ? "" : "s", least);
    for (int k = 1; k < s->n; k++)
        if (!(s->time[k] > s->time[k - 1])) {
            NOTE(m, c, "table", s->time[k], "sort the rows by the coordinate of the first joint",
                 "coupling '%s': the coordinates of its table do not increase (%g after %g)", c->name, s->time[k],
                 s->time[k - 1]);
            return;
        }
}

void clv_model_validate_coupling(clv_model *m, int coupling)
{
    const clv_coupling *c = &m->coupling[coupling];
    for (int i = c->nterm - 1; i >= 0; i--) { /* `first` before `second` */
        check_joint(m, c, i);
        check_factor(m, c, i);
    }
    check_curve(m, c);
}

static int by_joints(const void *a, const void *b)
{
    const int *x = a, *y = b; /* smaller joint, larger joint, coupling */
    for (int i = 0; i < 3; i++)
        if (x[i] != y[i])
            return x[i] < y[i] ? -1 : 1;
    return 0;
}

/* Two joints are coupled once: a second ratio would lock them, the same ratio adds nothing. */
static void check_pairs(clv_model *m, int *pair)
{
    int n = 0;
    for (int i = 0; i < m->ncoupling; i++) {
        const clv_coupling *c = &m->coupling[i];
        if (c->nterm != 2)
            continue;
        const int a = c->term[0].joint, b = c->term[1].joint;
        pair[3 * n] = a < b ? a : b, pair[3 * n + 1] = a < b ? b : a, pair[3 * n + 2] = i;
        n++;
    }
    qsort(pair, (size_t)n, 3 * sizeof *pair, by_joints);
    for (int i = 1; i < n; i++) {
        const clv_coupling *c = &m->coupling[pair[3 * i + 2]], *before = &m->coupling[pair[3 * i - 1]];
        const int first = c->sum ? 0 : 1;
        if (pair[3 * i] == pair[3 * i - 3] && pair[3 * i + 1] == pair[3 * i - 2])
            NOTE(m, c, NULL, NAN, "keep one of them", "coupling '%s': joints '%s' and '%s' are already coupled by '%s'",
                 c->name, m->joint[c->term[first].joint].name, m->joint[c->term[1 - first].joint].name, before->name);
    }
}

/* A motion may not drive the joint that follows, nor motions all joints of a sum. */
static void check_driven(clv_model *m, const clv_coupling *c, const int *driver)
{
    int ndriven = 0;
    for (int i = 0; i < c->nterm; i++)
        ndriven += driver[c->term[i].joint] > 0;
    const int k = c->term[0].joint;
    if (c->sum && ndriven == c->nterm)
        NOTE(m, c, "of", NAN, "leave one of its joints without a motion",
             "coupling '%s': all its joints are driven by motions", c->name);
    if (!c->sum && driver[k])
        NOTE(m, c, "second", NAN, "drive the first joint of the coupling",
             "coupling '%s': its second joint '%s' is already driven by motion '%s'", c->name, m->joint[k].name,
             m->motion[driver[k] - 1].name);
}

void clv_model_validate_couplings(clv_model *m, const int *driver)
{
    int *pair = clv_alloc(3 * (size_t)m->ncoupling, sizeof *pair);
    for (int i = 0; i < m->ncoupling; i++)
        check_driven(m, &m->coupling[i], driver);
    if (pair)
        check_pairs(m, pair);
    else
        clv_model_note(m, "model", m->name, NULL, "out of memory")->code = CLV_ERR_MEMORY;
    clv_free(pair);
}
