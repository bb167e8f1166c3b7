/* SPDX-License-Identifier: Apache-2.0
 * Rotors for random systems (T113). */
#include <math.h>
#include <string.h>
#include "oracle/random_system.h"
#include "model/joint.h"
#include "model/keep.h"
#include "model/model.h"
#include "plan/plan.h"

static bool set_armature(clv_model *m, int j, const double R[3])
{
    clv_joint_more more = *m->joint[j].more;
    memcpy(more.armature, R, sizeof more.armature);
    return clv_keep_more(m, &m->joint[j], &more);
}

/* The joint that the plan refuses loses its rotors; false: none is refused. */
static bool refused(clv_model *m)
{
    clv_plan *p = NULL;
    clv_error e = {0};
    if (clv_plan_create(&p, m, &(clv_plan_options){.lanes = true}, &e) == CLV_OK) {
        clv_plan_destroy(p);
        return false;
    }
    const int j = clv_model_find_joint(m, e.joint);
    return j < 0 || set_armature(m, j, (const double[3]){0});
}

int random_armature(clv_model *m, uint64_t seed)
{
    random_stream s = {seed * 7919 + 13};
    int n = 0;
    for (int j = 0; j < m->njoint; j++) {
        clv_joint *joint = &m->joint[j];
        const int nu = clv_joint_table[joint->kind].nu;
        if (!clv_joint_table[joint->kind].tree || nu < 1 || nu > 3 || joint->cut == 1 || random_chance(&s, 0.4))
            continue;
        const double scale = pow(10, random_uniform(&s, -3, 1));
        double R[3] = {0};
        for (int c = 0; c < nu; c++)
            R[c] = c > 0 && joint->kind == CLV_JOINT_SPHERICAL ? R[0] : scale * random_uniform(&s, 0.5, 2);
        set_armature(m, j, R);
    }
    while (refused(m))
        ;
    for (int j = 0; j < m->njoint; j++)
        n += clv_joint_armed(&m->joint[j]);
    return n;
}
