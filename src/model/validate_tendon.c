/* SPDX-License-Identifier: Apache-2.0
 * The rules of tendons (T114) and drags (T115): a path or a sum of joints with one degree of freedom, coefficients that
 * are not negative. */
#include <math.h>
#include <string.h>
#include "base/error.h"
#include "model/joint.h"
#include "model/model.h"

#define NOTE(m, f, field, number, hint, ...)                                                \
    do {                                                                                    \
        clv_error *note_ = clv_model_note((m), "forces", (f)->name, (field), __VA_ARGS__);  \
        clv_error_hint(note_, "%s", (hint));                                                \
        note_->value = (number);                                                            \
    } while (0)

void clv_model_validate_tendon(clv_model *m, const clv_force *f)
{
    if ((f->npoint > 0) == (f->nterm > 0))
        NOTE(m, f, "path", NAN, "give `path: [[ground, [0, 0, 1]], [arm, [0.2, 0, 0]]]` or `of: {a: 1}`",
             "force '%s': a tendon has a path over points, or is a sum of coordinates", f->name);
    if (f->npoint == 1)
        NOTE(m, f, "path", 1, "give two points or more", "force '%s': its path has one point only",
             f->name);
    for (int i = 0; i + 1 < f->npoint; i++)
        if (f->path[i].body == f->path[i + 1].body && memcmp(f->path[i].position, f->path[i + 1].position,
                                                              sizeof f->path[i].position) == 0)
            NOTE(m, f, "path", i + 2, "leave one of them out",
                 "force '%s': points %d and %d of its path are one point", f->name, i + 1, i + 2);
    for (int i = 0; i < f->nterm; i++) {
        const clv_joint *j = &m->joint[f->term[i].joint];
        if (clv_joint_table[j->kind].nu != 1)
            NOTE(m, f, "of", clv_joint_table[j->kind].nu, "use a revolute, prismatic or helical joint",
                 "force '%s': joint '%s' (%s) has %d free directions, not 1", f->name, j->name,
                 clv_joint_table[j->kind].name, clv_joint_table[j->kind].nu);
        if (f->term[i].factor == 0)
            NOTE(m, f, "of", 0, "leave the joint out", "force '%s': the factor of joint '%s' is 0",
                 f->name, j->name);
        for (int k = 0; k < i; k++)
            if (f->term[k].joint == f->term[i].joint)
                NOTE(m, f, "of", NAN, "add both factors", "force '%s': joint '%s' is named twice",
                     f->name, j->name);
    }
    if (f->npoint > 0 && f->rest < 0)
        NOTE(m, f, "length", f->rest, "give a length of 0 or more, in m",
             "force '%s': its free length is negative (%g m)", f->name, f->rest);
}

void clv_model_validate_drag(clv_model *m, const clv_force *f)
{
    for (int i = 0; i < 12; i++) {
        const double x = i < 6 ? f->drag.linear[i] : f->drag.quadratic[i - 6];
        static const char *const key[2][2] = {{"linear", "rotational_linear"}, {"quadratic", "rotational_quadratic"}};
        if (x >= 0)
            continue;
        NOTE(m, f, key[i / 6][i % 6 / 3], x, "give 0 or more", "force '%s': a coefficient of its drag is negative (%g)",
             f->name, x);
        return;
    }
}
