/* SPDX-License-Identifier: Apache-2.0
 * MJCF: the start.  It is the keyframe `home` if there is one, else the reference position. Numbers of qpos, qvel and
 * ctrl are in the order of the file: 7 and 6 of a free joint, 4 and 3 of a ball, 1 of hinge and slide. */
#include "base/memory.h"
#include "io/mjcf.h"
#include "math/rotation.h"
#include "model/joint.h"
#include <string.h>

/* Numbers of an attribute in an array to be freed; NULL: none, or not n of them (reported as a loss). */
static double *numbers(clv_mjcf *M, unsigned node, const char *attribute, size_t n)
{
    const char *text = clv_xml_get(&M->I->xml, node, attribute);
    const size_t most = text ? strlen(text) / 2 + 1 : 0;
    double *x = text && *text ? clv_alloc(most + n, sizeof *x) : NULL;
    if (text && *text && !x)
        clv_read_out_of_memory(M->I->r);
    if (!x)
        return NULL;
    const int found = clv_import_some(M->I, node, attribute, x, (int)most);
    if (found > 0 && (size_t)found == n)
        return x;
    if (found > 0)
        clv_import_drop(M->I, node, true, "keyframe", "%s of the keyframe: %d numbers, and the model has %zu",
                        attribute, found, n);
    clv_free(x);
    return NULL;
}

static size_t count(const clv_import *I, bool rates)
{
    size_t n = 0;
    for (size_t k = 0; k < I->nrod; k++)
        n += (size_t)(rates ? clv_joint_table[I->rod[k].kind].nu : clv_joint_table[I->rod[k].kind].nq);
    return n;
}

static void read_positions(clv_mjcf *M, unsigned node)
{
    double *x = numbers(M, node, "qpos", count(M->I, false)), *at = x;
    for (size_t k = 0; x && k < M->I->nrod; k++) {
        clv_rod *j = &M->I->rod[k];
        const int n = clv_joint_table[j->kind].nq;
        if (n == 0)
            continue;
        memcpy(j->q, at, (size_t)n * sizeof *j->q);
        at += n;
        double *turn = n == 4 ? j->q : n == 7 ? j->q + 3 : NULL;
        if (turn && !(clv_quat_norm(turn) > 1e-14))
            clv_import_fail(M->I, node, "", "the quaternion of joint '%s' has no length", j->name);
        else if (turn)
            clv_quat_normalize(turn);
        j->has_q = true;
    }
    clv_free(x);
}

static void read_rates(clv_mjcf *M, unsigned node)
{
    double *x = numbers(M, node, "qvel", count(M->I, true)), *at = x;
    for (size_t k = 0; x && k < M->I->nrod; k++) {
        clv_rod *j = &M->I->rod[k];
        const int n = clv_joint_table[j->kind].nu;
        memcpy(j->u, at, (size_t)n * sizeof *j->u);
        at += n;
        j->has_u = n > 0;
    }
    clv_free(x);
}

static void read_controls(clv_mjcf *M, unsigned node)
{
    double *x = numbers(M, node, "ctrl", M->nact);
    for (size_t k = 0; x && k < M->nact; k++)
        if (M->act[k].drive >= 0)
            M->I->drive[M->act[k].drive].value = M->act[k].factor * x[k];
    clv_free(x);
}

static void read_key(clv_mjcf *M, unsigned node)
{
    if (M->aligned)
        clv_import_drop(M->I, node, true, "align",
                        "qpos is that of aligned free joints (alignfree, align): it is read "
                        "as that of the body frames");
    read_positions(M, node);
    read_rates(M, node);
    read_controls(M, node);
    clv_xml_see(&M->I->xml, node); /* time, states of actuators, mocap bodies */
}

/* A joint that a constraint holds starts there. */
static void hold(clv_import *I)
{
    for (size_t i = 0; i < I->ngear; i++) {
        const clv_gear *g = &I->gear[i];
        if (g->first >= 0 || g->of_cords)
            continue;
        clv_rod *j = &I->rod[g->second];
        j->q[0] = g->offset;
        j->u[0] = 0;
        j->has_q = true;
    }
}

void clv_mjcf_key(clv_mjcf *M)
{
    clv_xml *x = &M->I->xml;
    bool taken = false;
    for (unsigned s = clv_mjcf_section(M, 0, "keyframe"); s; s = clv_mjcf_section(M, s, "keyframe"))
        for (unsigned n = clv_mjcf_first(M, s); n && M->I->r->nerror == 0; n = clv_mjcf_next(M, n)) {
            const char *name = clv_xml_get(x, n, "name");
            if (!clv_xml_is(x, n, "key"))
                continue;
            if (!taken && name && strcmp(name, "home") == 0) {
                taken = true;
                read_key(M, n);
                continue;
            }
            clv_import_drop(M->I, n, false, "keyframe", "keyframe '%.60s': only 'home' becomes the start",
                            name ? name : "");
            clv_xml_see(x, n);
        }
    hold(M->I);
}
