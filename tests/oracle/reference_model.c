/* SPDX-License-Identifier: Apache-2.0
 * Models from JSON reference files; see reference_model.h. */
#include "oracle/reference_model.h"
#include "oracle/oracle_vector.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

json *reference_read(const char *name)
{
    const char *folder = getenv("CLEAVE_REFERENCE");
    char path[1024];
    if (!folder || !*folder)
        return NULL;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return json_read(path);
}

/* quaternion of a 3 x 3 list */
static void frame(const json *j, double e[4])
{
    double E[9];
    real R[9], q[4];
    json_numbers(j, E, 9);
    for (int i = 0; i < 9; i++)
        R[i] = E[i];
    m3_to_quaternion(q, R);
    for (int i = 0; i < 4; i++)
        e[i] = (double)q[i];
}

static int integer(const json *j)
{
    double x = 0;
    json_numbers(j, &x, 1);
    return (int)x;
}

/* with `start`: velocities too; with `state` no pose, as its joint coordinates give it */
static clv_status add_body(clv_model *m, const json *j, bool start, const json *state)
{
    clv_body_desc d = clv_body_desc_default();
    double J[9];
    d.name = json_get(j, "name")->text;
    json_numbers(json_get(j, "mass"), &d.mass, 1);
    json_numbers(json_get(j, "inertia"), J, 9);
    double all[6] = {J[0], J[4], J[8], J[1], J[2], J[5]};
    memcpy(d.inertia, all, sizeof all);
    d.placed = !state;
    if (d.placed) {
        json_numbers(json_get(j, "r0"), d.position, 3);
        json_numbers(json_get(j, "e0"), d.orientation, 4);
    }
    d.moving = start && !state;
    if (d.moving) {
        json_numbers(json_get(j, "v0"), d.velocity, 3);
        json_numbers(json_get(j, "w0"), d.angular_velocity, 3);
    }
    return clv_model_add_body(m, NULL, &d);
}

static clv_status add_joint(clv_model *m, const json *j, const json *state)
{
    static const char *const names[] = {"fixed",  "revolute",  "prismatic", "helical", "cylindrical", "universal",
                                        "planar", "spherical", "free",      "point",   "distance"};
    int kind = 0;
    while (kind < CLV_JOINT_KINDS - 1 && strcmp(names[kind], json_get(j, "type")->text) != 0)
        kind++;
    clv_joint_desc d = clv_joint_desc_default((clv_joint_kind)kind);
    d.name = json_get(j, "name")->text;
    d.a = integer(json_get(j, "A"));
    d.b = integer(json_get(j, "B"));
    json_numbers(json_get(j, "pA"), d.position_a, 3);
    json_numbers(json_get(j, "pB"), d.position_b, 3);
    frame(json_get(j, "EA"), d.orientation_a);
    frame(json_get(j, "EB"), d.orientation_b);
    d.cut = json_get(j, "cut")->kind == JSON_TRUE ? 1 : 0;
    const json *at = state ? json_get(json_get(state, "joints"), d.name) : NULL;
    d.has_q = at && json_numbers(json_get(at, "q"), d.q, 7) > 0;
    d.has_u = at && json_numbers(json_get(at, "u"), d.u, 6) > 0;
    return clv_model_add_joint(m, NULL, &d);
}

static clv_status build(const json *file, clv_model **model, bool start)
{
    const json *state = start ? json_get(file, "state") : NULL;
    const json *j = json_get(file, "model"), *bodies = json_get(j, "bodies"), *joints = json_get(j, "joints");
    double g[3];
    clv_status st = clv_model_create(model, json_get(j, "name")->text);
    json_numbers(json_get(j, "gravity"), g, 3);
    if (st == CLV_OK)
        st = clv_model_set_gravity(*model, g);
    for (int i = 0; st == CLV_OK && i < bodies->count; i++)
        st = add_body(*model, &bodies->item[i], start, state);
    for (int i = 0; st == CLV_OK && i < joints->count; i++)
        st = add_joint(*model, &joints->item[i], state);
    return st == CLV_OK ? clv_model_finish(*model) : st;
}

clv_status reference_model(const json *file, clv_model **model) { return build(file, model, false); }

clv_status reference_model_start(const json *file, clv_model **model) { return build(file, model, true); }

void reference_state(const json *file, double *r, double *R, double *V)
{
    const json *state = json_get(file, "state"), *bodies = json_get(json_get(file, "model"), "bodies");
    for (int i = 0; i < bodies->count; i++) {
        const json *b = &bodies->item[i];
        double e[4];
        real x[4], X[9];
        json_numbers(state ? &json_get(state, "body_r")->item[i] : json_get(b, "r0"), r + 3 * i, 3);
        json_numbers(state ? &json_get(state, "body_quat")->item[i] : json_get(b, "e0"), e, 4);
        json_numbers(state ? &json_get(state, "body_v")->item[i] : json_get(b, "v0"), V + 6 * i, 3);
        json_numbers(state ? &json_get(state, "body_w")->item[i] : json_get(b, "w0"), V + 6 * i + 3, 3);
        for (int k = 0; k < 4; k++)
            x[k] = e[k];
        m3_quaternion(X, x);
        for (int k = 0; k < 9; k++)
            R[9 * i + k] = (double)X[k];
    }
}
