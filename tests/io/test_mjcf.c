/* SPDX-License-Identifier: Apache-2.0
 * MJCF as models: the same accelerations as models by hand, inertia of geoms in closed form, what is not carried over,
 * errors with their places, damaged files, memory that runs out. */

#include "robot_files.h"
#include "math/rotation.h"
#include "math/sincos.h"
#include "model/fingerprint.h"
#include "model/group.h"
#include "near.h"
#include <math.h>

/* ---------------------------------------------------------------- helpers */

static clv_model *read_text(const char *text, clv_status *status)
{
    clv_model *m = NULL;
    *status = clv_model_read_text(&m, text, strlen(text), "bot.xml");
    return m;
}

/* The model of bodies inside <worldbody>, with what stands before and after it. */
static clv_model *model_of(const char *before, const char *bodies, const char *after)
{
    char text[4096];
    clv_status status;
    snprintf(text, sizeof text, "<mujoco>%s<worldbody>%s</worldbody>%s</mujoco>", before, bodies, after);
    clv_model *m = read_text(text, &status);
    if (status != CLV_OK)
        fail_msg("%s in\n%s", clv_model_error(m)->message, text);
    return m;
}

/* ---------------------------------------------------------------- mechanics */

/* All accelerations of two models with joints of the same names. */
static void same_motion(const char *mjcf, const char *yaml, const char *const *joints, double tolerance)
{
    clv_model *m[2] = {read_file(mjcf), read_file(yaml)};
    clv_sim *sim[2];
    for (int i = 0; i < 2; i++) {
        assert_int_equal(clv_sim_create(&sim[i], m[i], NULL), CLV_OK);
        assert_int_equal(clv_sim_evaluate(sim[i]), CLV_OK);
    }
    for (; *joints; joints++) {
        clv_joint_result x[2];
        for (int i = 0; i < 2; i++)
            assert_int_equal(clv_sim_joint(sim[i], clv_model_find_joint(m[i], *joints), &x[i]), CLV_OK);
        for (int k = 0; k < x[0].nu; k++) {
            if (fabs(x[0].udot[k] - x[1].udot[k]) > tolerance * fmax(1, fabs(x[1].udot[k])))
                fail_msg("%s[%d]: %.17g, by hand %.17g", *joints, k, x[0].udot[k], x[1].udot[k]);
            assert_true(fabs(x[0].u[k] - x[1].u[k]) < tolerance);
        }
    }
    for (int i = 0; i < 2; i++) {
        clv_sim_destroy(sim[i]);
        clv_model_destroy(m[i]);
    }
}

/* Classes, include, two joints of one body, ref, springs, servo, rotor, ball, free joint with armature, gravcomp,
 * keyframe. */
static void a_creature_moves_as_by_hand(void **state)
{
    (void)state;
    NEED_EXPAT;
    const char *const joints[] = {"yaw", "lift", "elbow", "socket", "fly", NULL};
    same_motion(ROBOTS "creature.xml", ROBOTS "creature.yaml", joints, 1e-12);
}

/* connect, weld, joint with and without a second one. */
static void a_linkage_moves_as_by_hand(void **state)
{
    (void)state;
    NEED_EXPAT;
    const char *const joints[] = {"a", "b", "c", "d", "f", "e", "left.free", "right.free", NULL};
    same_motion(ROBOTS "linkage.xml", ROBOTS "linkage.yaml", joints, 1e-11);
}

/* The same constraint by sites is the same model. */
static void sites_connect_as_bodies(void **state)
{
    (void)state;
    NEED_EXPAT;
    size_t size;
    char *text = load(ROBOTS "linkage.xml", &size), *whole = calloc(size + 1, 1);
    const char by_body[] = "body1=\"coupler\" body2=\"rocker\" anchor=\"2 0 0\"",
               by_site[] = "site1=\"end\" site2=\"top\"";
    memcpy(whole, text, size);
    char *at = strstr(whole, by_body);
    assert_non_null(at);
    memset(at, ' ', sizeof by_body - 1);
    memcpy(at, by_site, sizeof by_site - 1);
    clv_status status;
    clv_model *m = read_file(ROBOTS "linkage.xml"), *other = read_text(whole, &status);
    assert_int_equal(status, CLV_OK);
    assert_true(clv_model_fingerprint(m) == clv_model_fingerprint(other));
    clv_model_destroy(m);
    clv_model_destroy(other);
    free(whole);
    clv_free(text);
}

static void writing_keeps_the_model(void **state)
{
    (void)state;
    NEED_EXPAT;
    const char *const files[] = {ROBOTS "creature.xml", ROBOTS "linkage.xml"};
    for (int i = 0; i < 2; i++) {
        clv_model *m = read_file(files[i]), *again = NULL;
        char *text;
        size_t size;
        assert_int_equal(clv_model_write_text(m, &text, &size), CLV_OK);
        assert_int_equal(clv_model_read_text(&again, text, size, "again.yaml"), CLV_OK);
        assert_true(clv_model_fingerprint(m) == clv_model_fingerprint(again));
        clv_free(text);
        clv_model_destroy(m);
        clv_model_destroy(again);
    }
}

static void what_a_model_holds(void **state)
{
    (void)state;
    NEED_EXPAT;
    double limit[2];
    clv_model *m = read_file(ROBOTS "creature.xml");
    assert_string_equal(clv_model_name(m), "creature");
    clv_model_input_limit(m, clv_model_find_input(m, "bend"), limit);
    CLV_NEAR(limit[0], -10, 0);
    CLV_NEAR(limit[1], 10, 0);
    assert_int_equal(clv_model_find_input(m, "flex"), -1);
    assert_int_equal(clv_model_marker_count(m), 1);
    assert_string_equal(clv_model_marker_name(m, 0), "tool");
    assert_int_equal(clv_model_body_shape(m, clv_model_find_body(m, "upper"))->kind, CLV_SHAPE_BOX);
    assert_true(clv_model_find_body(m, "upper.1") >= 0); /* between the two joints */
    assert_int_equal(m->nside, 1);                       /* the included file: outputs do not replace it */
    clv_model_destroy(m);
}

/* ---------------------------------------------------------------- inertia */

static const struct {
    const char *geom;
    double mass, com[3], J[6];
} solids[] = {
    {"<geom size='0.3' mass='2'/>", 2, {0}, {0.072, 0.072, 0.072}},
    {"<geom type='box' size='.1 .2 .3' mass='3'/>", 3, {0}, {0.13, 0.1, 0.05}},
    {"<geom type='box' size='.1 .2 .3'/>", 48, {0}, {48 * 0.13 / 3, 48 * 0.1 / 3, 48 * 0.05 / 3}},
    {"<geom type='ellipsoid' size='.1 .2 .3' mass='5'/>", 5, {0}, {0.13, 0.1, 0.05}},
    {"<geom type='cylinder' size='.1 .5' mass='12'/>", 12, {0}, {1.03, 1.03, 0.06}},
    {"<geom type='cylinder' size='.1' fromto='0 0 0 1 0 0' mass='12'/>", 12, {0.5, 0, 0}, {0.06, 1.03, 1.03}},
    {"<geom type='capsule' size='.3 .2' density='1'/>", CLV_PI * 0.09 * 0.8, {0},
     /* tube of mass pi .09 .4 and two half spheres of mass pi .09 .2 */
     {CLV_PI * 0.09 * (0.4 * (0.0225 + 0.16 / 12) + 0.4 * (0.4 * 0.09 + 0.04 + 0.375 * 0.3 * 0.4)),
      CLV_PI * 0.09 * (0.4 * (0.0225 + 0.16 / 12) + 0.4 * (0.4 * 0.09 + 0.04 + 0.375 * 0.3 * 0.4)),
      CLV_PI * 0.09 * (0.4 * 0.045 + 0.4 * 0.036)}},
    {"<geom size='.1' mass='1' pos='1 0 0'/><geom size='.1' mass='1' pos='-1 2 0'/><geom type='plane'/>", 2, {0, 1, 0},
     {2.008, 2.008, 4.008, 2, 0, 0}},
    {"<inertial pos='1 2 3' mass='2' fullinertia='3 4 5 .1 .2 .3'/><geom size='9'/>", 2, {1, 2, 3},
     {3, 4, 5, .1, .2, .3}},
    {"<inertial pos='0 0 0' mass='2' diaginertia='3 4 5' euler='0 0 90'/>", 2, {0}, {4, 3, 5}},
    {"<inertial pos='0 0 0' mass='2' diaginertia='3 4 5' axisangle='2 0 0 90'/>", 2, {0}, {3, 5, 4}},
    {"<inertial pos='0 0 0' mass='2' diaginertia='3 4 5' zaxis='0 3 0'/>", 2, {0}, {3, 5, 4}},
    {"<inertial pos='1 0 0' mass='2'/>", 2, {1, 0, 0}, {0}},
    {"<geom type='mesh' mesh='tetra' mass='6'/>", 6, {0.25, 0.25, 0.25},
     {0.45, 0.45, 0.45, 0.075, 0.075, 0.075}}, /* mass / 10 (1 - 1/4), mass / 80 */
    {"<geom size='.3' mass='2' group='6'/><geom size='.1' mass='5'/>", 5, {0}, {0.02, 0.02, 0.02}},
};

static void inertia_is_that_of_solids(void **state)
{
    (void)state;
    NEED_EXPAT;
    for (size_t i = 0; i < sizeof solids / sizeof *solids; i++) {
        char body[600];
        snprintf(body, sizeof body, "<body name='x'><joint axis='1 0 0'/>%s</body>", solids[i].geom);
        clv_model *m = model_of("<asset><mesh name='tetra' vertex='0 0 0 1 0 0 0 1 0 0 0 1' "
                                "face='0 2 1 0 1 3 0 3 2 1 2 3'/></asset>",
                                body, "");
        const clv_body *b = &m->body[0];
        CLV_NEAR(b->mass, solids[i].mass, 1e-14 * solids[i].mass);
        for (int k = 0; k < 3; k++)
            CLV_NEAR(b->com[k], solids[i].com[k], 1e-14);
        for (int k = 0; k < 6; k++)
            if (fabs(b->J[k] - solids[i].J[k]) > 1e-14 * solids[i].mass)
                fail_msg("%s: J[%d] = %.17g, not %.17g", solids[i].geom, k, b->J[k], solids[i].J[k]);
        clv_model_destroy(m);
    }
}

/* A brick of 1 x 2 x 3 from its file, with scale, refpos, refquat, and a geom that is turned. */
static void meshes_have_inertia(void **state)
{
    (void)state;
    NEED_EXPAT;
    static const struct {
        const char *mesh, *geom;
        double mass, com[3], J[6];
    } row[] = {
        {"", "density='2'", 12, {0.5, 1, 1.5}, {13, 10, 5, 0, 0, 0}},
        {"inertia='exact'", "mass='12'", 12, {0.5, 1, 1.5}, {13, 10, 5, 0, 0, 0}},
        {"scale='-1 2 1'", "mass='12'", 12, {-0.5, 2, 1.5}, {25, 10, 17, 0, 0, 0}},
        {"refpos='0.5 1 1.5' refquat='1 0 0 1'", "mass='12' pos='7 0 0'", 12, {7, 0, 0}, {10, 13, 5, 0, 0, 0}},
        {"", "mass='12' euler='0 90 0'", 12, {1.5, 1, -0.5}, {5, 10, 13, 0, 0, 0}},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        char asset[300], body[200];
        snprintf(asset, sizeof asset,
                 "<compiler meshdir='" ROBOTS "' strippath='true'/><asset><mesh file='no/brick.obj' %s/></asset>",
                 row[i].mesh);
        snprintf(body, sizeof body, "<body><joint/><geom type='mesh' mesh='brick' %s/></body>", row[i].geom);
        clv_model *m = model_of(asset, body, "");
        CLV_NEAR(m->body[0].mass, row[i].mass, 1e-13);
        for (int k = 0; k < 3; k++)
            CLV_NEAR(m->body[0].com[k], row[i].com[k], 1e-14);
        for (int k = 0; k < 6; k++)
            CLV_NEAR(m->body[0].J[k], row[i].J[k], 1e-13);
        clv_model_destroy(m);
    }
}

static void the_compiler_changes_inertia(void **state)
{
    (void)state;
    NEED_EXPAT;
    static const struct {
        const char *compiler;
        double mass, J[3];
    } row[] = {{"", 2, {3, 4, 5}},
               {"<compiler boundmass='3' boundinertia='3.5'/>", 3, {3.5, 4, 5}},
               {"<compiler settotalmass='8'/>", 4, {6, 8, 10}}, /* a second body has the mass 2 */
               {"<compiler inertiafromgeom='true'/>", 5, {0.02, 0.02, 0.02}}};
    const char bodies[] = "<body name='x'><joint/><inertial pos='0 0 0' mass='2' diaginertia='3 4 5'/>"
                          "<geom size='.1' mass='5'/></body><body pos='0 0 9'><geom size='.1' mass='2'/></body>";
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        clv_model *m = model_of(row[i].compiler, bodies, "");
        CLV_NEAR(m->body[0].mass, row[i].mass, 1e-14);
        for (int k = 0; k < 3; k++)
            CLV_NEAR(m->body[0].J[k], row[i].J[k], 1e-14);
        clv_model_destroy(m);
    }
    clv_model *m = model_of("<compiler balanceinertia='true'/>",
                            "<body><joint/><inertial pos='0 0 0' mass='2' diaginertia='1 1 4'/></body>", "");
    for (int k = 0; k < 3; k++)
        CLV_NEAR(m->body[0].J[k], 2, 1e-14);
    clv_model_destroy(m);
    m = model_of("<compiler boundmass='3' boundinertia='1'/>", "<body pos='1 2 3'><joint/></body>", "");
    for (int k = 0; k < 3; k++) /* as MuJoCo: at pos, in the axes of the body itself */
        CLV_NEAR(m->body[0].com[k], k + 1, 0);
    clv_model_destroy(m);
    m = model_of("<compiler settotalmass='8' fusestatic='true'/>", bodies, "");
    assert_int_equal(clv_model_dropped_count(m), 2); /* the other one: inertia that is fixed to the ground */
    assert_true(clv_model_dropped_at(m, 0)->harmful);
    assert_string_equal(clv_model_dropped_at(m, 0)->text, "fusestatic: settotalmass counts 2 kg that do not move");
    clv_model_destroy(m);
}

/* Defaults of <position>, <velocity> and so on are for their own kind and for <general>, those of <general> for all. */
static void laws_of_actuators_have_defaults_by_kind(void **state)
{
    (void)state;
    NEED_EXPAT;
    static const struct {
        const char *defaults, *kind;
        double factor, drive, stiffness, damping; /* MuJoCo 4.0: gainprm, biasprm */
    } row[] = {{"<position kp='5' kv='7'/>", "position", 5, 0, 5, 7},
               {"<position kp='5' kv='7'/>", "velocity", 1, 0, 0, 1},
               {"<position kp='5' kv='7'/>", "general", 5, 0, 5, 7},
               {"<velocity kv='6'/>", "position", 1, 0, 1, 0},
               {"<general gainprm='2' biasprm='1 -3 -4' biastype='affine'/>", "position", 2, 0, 2, 4},
               {"<general gainprm='2' biasprm='1 -3 -4' biastype='affine'/>", "velocity", 2, 0, 0, 2},
               {"<general gainprm='2'/><default class='c'><motor gear='3'/></default>", "position", 6, 0, 18, 0},
               {"<velocity kv='6'/><default class='c'><position kp='5'/></default>", "velocity", 6, 0, 0, 6},
               {"<position kp='5'/><default class='c'><motor/></default>", "position", 5, 0, 5, 0},
               {"<position kp='5'/><default class='c'><damper kv='2'/></default>", "velocity", 1, 0, 0, 1},
               {"<position kp='5'/><motor gear='2'/>", "position", 2, 0, 4, 0}, /* a class has the law it names last */
               {"<motor gear='2'/><position kp='5'/>", "position", 10, 0, 20, 0},
               {"<velocity kv='3'/><position kp='5'/>", "general", 5, 0, 5, 0},
               {"<position kp='5'/><general gear='2'/>", "velocity", 10, 0, 0, 20},
               {"<position kp='5'/><velocity kv='3'/><default class='c'><motor/></default>", "position", 1, 0, 1, 0},
               {"<position kp='5'/><default class='c'><velocity/><position kv='9'/></default>", "position", 5, 0, 5, 9},
               {"<position kp='5'/><default class='c'><velocity kv='3'/></default>", "general", 3, 0, 0, 3}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        char before[200], after[200];
        snprintf(before, sizeof before, "<default>%s</default>", row[i].defaults);
        snprintf(after, sizeof after, "<actuator><%s joint='j' %s/></actuator><keyframe><key name='home' ctrl='1'/>"
                 "</keyframe>", row[i].kind, strstr(row[i].defaults, "class") ? "class='c'" : "");
        clv_model *m = model_of(before, "<body><joint name='j'/><geom size='1'/></body>", after);
        assert_int_equal(m->nforce, 1);
        const clv_force *servo = &m->force[0];
        CLV_NEAR(m->input[0].value, row[i].factor, 0);
        CLV_NEAR(servo->drive, row[i].drive, 0);
        CLV_NEAR(servo->stiffness, row[i].stiffness, 0);
        CLV_NEAR(servo->damping, row[i].damping, 0);
        for (int k = 0; k < clv_model_dropped_count(m); k++)
            assert_false(clv_model_dropped_at(m, k)->harmful);
        clv_model_destroy(m);
    }
}

/* A filter and a damping ratio of <position> stay where an element after it does not change them. */
static void filters_and_damping_ratios_are_inherited(void **state)
{
    static const struct {
        const char *defaults, *actuator, *lost;
    } row[] = {{"<position timeconst='.1'/>", "<position joint='j'/>",
                "actuator <position> '': it has a state of its own"},
               {"<position dampratio='1'/>", "<general joint='j'/>",
                "damping of actuator 'j': by MuJoCo's inertia (dampratio)"},
               {"<position dampratio='1'/>", "<general joint='j' gainprm='8'/>",
                "actuator <general> '': its stiffness or damping is negative"},
               {"<position dampratio='1'/>", "<position joint='j' kv='2'/>", NULL},
               {"<position timeconst='.1'/>", "<position joint='j' timeconst='0'/>", NULL}};
    (void)state;
    NEED_EXPAT;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        char before[200], after[200];
        snprintf(before, sizeof before, "<default>%s</default>", row[i].defaults);
        snprintf(after, sizeof after, "<actuator>%s</actuator>", row[i].actuator);
        clv_model *m = model_of(before, "<body><joint name='j'/><geom size='1'/></body>", after);
        const clv_dropped *first = clv_model_dropped_count(m) > 0 ? clv_model_dropped_at(m, 0) : NULL;
        assert_true((first && first->harmful) == (row[i].lost != NULL));
        if (row[i].lost)
            assert_string_equal(first->text, row[i].lost);
        clv_model_destroy(m);
    }
}

/* Of the files: how many forces there are, and the first loss that can change the motion. */
static void weights_and_free_joints_are_those_of_mujoco(void **state)
{
    static const struct {
        const char *before, *body, *after;
        int nforce;
        const char *lost;
    } row[] = {
        {"", "<body gravcomp='1'><joint name='j'/>", "", 1, NULL},
        {"<option><flag spring='disable'/></option>", "<body gravcomp='1'><joint name='j'/>", "", 1, NULL},
        {"<option><flag spring='disable' damper='disable'/></option>", "<body gravcomp='1'><joint name='j'/>", "", 0,
         NULL},
        {"", "<body gravcomp='1'><joint name='j' actuatorgravcomp='true'/>", "<actuator><motor joint='j'/></actuator>",
         1, NULL},
        {"", "<body gravcomp='1'><joint name='j' actuatorgravcomp='true'/>", "", 1,
         "gravcomp by actuators (actuatorgravcomp), where none is: MuJoCo leaves it out"},
        {"<compiler alignfree='true'/>", "<body><freejoint name='j'/>", "", 0, NULL},
        {"<compiler alignfree='true'/>", "<body><joint type='free' name='j' damping='1'/>", "", 6,
         "align of joint 'j': its coordinates are those of the body frame as it is written"},
        {"<compiler alignfree='true'/>", "<body><joint type='free' name='j' damping='1' align='false'/>", "", 6, NULL},
        {"", "<body><freejoint name='j' align='true'/>", "<actuator><motor joint='j' name='m'/></actuator>", 0,
         "align: actuator 'm' acts at the body frame as it is written"}};
    (void)state;
    NEED_EXPAT;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        char bodies[200];
        snprintf(bodies, sizeof bodies, "%s<geom size='1'/></body>", row[i].body);
        clv_model *m = model_of(row[i].before, bodies, row[i].after);
        const clv_dropped *first = clv_model_dropped_count(m) > 0 ? clv_model_dropped_at(m, 0) : NULL;
        assert_int_equal(m->nforce, row[i].nforce);
        assert_true((first && first->harmful) == (row[i].lost != NULL));
        if (row[i].lost)
            assert_string_equal(first->text, row[i].lost);
        clv_model_destroy(m);
    }
}

/* A body of several shapes has none of its own; units and run files keep the text only if it is the whole model. */
static void robots_of_several_shapes_are_their_text(void **state)
{
    (void)state;
    NEED_EXPAT;
    clv_model *again = NULL;
    clv_model *m = model_of("", "<geom type='plane' size='1 1 1'/>"
                                "<body><joint name='j'/><geom size='.1 3 4' friction='.3'/>"
                                "<geom size='.2' pos='0 0 1'/></body>"
                                "<body pos='1 0 0'><joint springref='-0'/><geom size='.1' friction='.3'/></body>",
                            "<actuator><position joint='j' kp='0'/></actuator>");
    char *text;
    size_t size;
    assert_int_equal(clv_model_finish(m), CLV_OK);
    assert_int_equal(m->nshape, 2);
    assert_int_equal(clv_model_write_text_for(m, NULL, &text, &size), CLV_OK);
    assert_int_equal(clv_model_read_text(&again, text, size, ""), CLV_OK);
    assert_true(clv_model_fingerprint(m) == clv_model_fingerprint(again));
    clv_free(text);
    clv_model_destroy(again);
    clv_model_destroy(m);
}

/* Numbers of a robot and of its file have no sign where they are 0. */
static void zeros_have_no_sign(void **state)
{
    (void)state;
    NEED_EXPAT;
    clv_model *m = model_of("",
                            "<body pos='-0 0 1' gravcomp='1'><joint name='x' type='slide' axis='0 0 -1'/>"
                            "<joint name='y' axis='1 -2 0'/><geom type='capsule' size='.1 .2' zaxis='1 2 0'/>"
                            "<body pos='1 -0 0'><joint name='z' type='ball' pos='0 -0 0'/>"
                            "<geom type='box' size='.1 .2 .3' quat='1 -3 -2 0'/><geom type='box' size='1 2 1'"
                            " quat='1 -3 -2 -0'/></body></body>",
                            "<actuator><motor joint='x' gear='-2' forcerange='0 1'/>"
                            "<motor joint='y' gear='-2' ctrlrange='-1 0'/></actuator>"
                            "<keyframe><key name='home' qpos='-0 0 1 -3 -2 -0' qvel='-0 -0 0 0 -0'/></keyframe>");
    char *text;
    size_t size;
    assert_int_equal(clv_model_finish(m), CLV_OK);
    assert_int_equal(clv_model_write_text_for(m, NULL, &text, &size), CLV_OK);
    for (const char *at = text; (at = strstr(at, "-0")) != NULL; at += 2)
        assert_true(at[2] == '.');
    clv_free(text);
    clv_model_destroy(m);
}

/* The sum of a fixed tendon can be negative, and so can its free length: only -1 means that none is given. */
static void free_lengths_of_tendons_can_be_negative(void **state)
{
    static const struct {
        const char *given;
        double rest, lower, upper;
    } row[] = {{"", 1.4, -INFINITY, INFINITY},
               {"springlength='-1'", 1.4, -INFINITY, INFINITY},
               {"springlength='-0.5'", -0.5, -INFINITY, INFINITY},
               {"springlength='-1 0.2'", 0, -1, 0.2}};
    (void)state;
    NEED_EXPAT;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        char tail[256];
        snprintf(tail, sizeof tail,
                 "<tendon><fixed name='t' stiffness='3' %s><joint joint='x' coef='2'/></fixed></tendon>",
                 row[i].given);
        clv_model *m = model_of("", "<body><joint name='x' type='slide' springref='0.7'/><geom size='1'/></body>",
                                tail);
        assert_int_equal(m->nforce, 1);
        CLV_NEAR(m->force[0].rest, row[i].rest, 1e-15);
        assert_true(m->force[0].stop.lower == row[i].lower && m->force[0].stop.upper == row[i].upper);
        clv_model_destroy(m);
    }
}

/* An equality of a tendon is about the joints of the tendon, not about the one with the tendon's number. */
static void an_equality_of_a_tendon_starts_its_own_joint(void **state)
{
    (void)state;
    NEED_EXPAT;
    clv_model *m = model_of("", "<body><joint name='a' type='ball'/><geom size='1'/><body><joint name='b'/>"
                                "<geom size='1'/></body></body>",
                            "<tendon><fixed name='t'><joint joint='b' coef='2'/></fixed></tendon>"
                            "<equality><tendon tendon1='t' polycoef='0.2 0 0 0 0'/></equality>");
    assert_int_equal(m->ncoupling, 1);
    clv_sim *sim;
    assert_int_equal(clv_sim_create(&sim, m, NULL), CLV_OK);
    clv_joint_result b;
    assert_int_equal(clv_sim_joint(sim, 1, &b), CLV_OK);
    CLV_NEAR(b.q[0], 0.1, 1e-12);
    clv_sim_destroy(sim);
    clv_model_destroy(m);
}

/* An equality that holds a joint is a motion, beside which contacts stay: the body lands on the plane. */
static void an_equality_that_holds_a_joint_keeps_contacts(void **state)
{
    (void)state;
    NEED_EXPAT;
    clv_model *m = model_of("", "<geom type='plane' size='1 1 1'/><body pos='0 0 1.2'><freejoint/><geom size='1'/>"
                                "<body pos='0 0 0.5'><joint name='b' axis='1 0 0'/>"
                                "<geom type='capsule' size='0.1 0.2' pos='0 0 0.2' contype='0' conaffinity='0'/>"
                                "</body></body>",
                            "<equality><joint joint1='b' polycoef='0.3 0 0 0 0'/></equality>");
    assert_int_equal(m->nmotion, 1);
    assert_int_equal(m->nforce, 1);
    clv_sim *sim;
    assert_int_equal(clv_sim_create(&sim, m, NULL), CLV_OK);
    assert_int_equal(clv_sim_advance(sim, 0.3), CLV_OK);
    clv_sim_report r;
    clv_sim_summary(sim, &r);
    assert_true(r.contact_steps > 10);
    CLV_NEAR(clv_sim_position(sim)[2], 1, 2e-3);
    clv_sim_destroy(sim);
    clv_model_destroy(m);
}

/* Lower case axes turn with the body, upper case ones are fixed. */
static void euler_angles_follow_their_sequence(void **state)
{
    (void)state;
    NEED_EXPAT;
    static const struct {
        const char *sequence;
        double z[3]; /* of the body after 90 degrees about the first and the second axis */
    } row[] = {{"xyz", {1, 0, 0}}, {"XYZ", {0, -1, 0}}, {"zxy", {1, 0, 0}}, {"ZXY", {0, -1, 0}}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        char compiler[80];
        snprintf(compiler, sizeof compiler, "<compiler eulerseq='%s'/>", row[i].sequence);
        clv_model *m = model_of(compiler, "<body euler='90 90 0'><joint/><geom size='1'/></body>", "");
        clv_sim *sim;
        assert_int_equal(clv_sim_create(&sim, m, NULL), CLV_OK);
        double R[9];
        clv_quat_rotation(R, clv_sim_quaternion(sim));
        for (int k = 0; k < 3; k++)
            CLV_NEAR(R[3 * k + 2], row[i].z[k], 1e-15);
        clv_sim_destroy(sim);
        clv_model_destroy(m);
    }
}

/* ---------------------------------------------------------------- what is lost */

static void everything_lost_is_listed(void **state)
{
    (void)state;
    NEED_EXPAT;
    static const struct {
        int line;
        bool harmful;
        const char *text;
    } lost[] = {{41, true, "actuator <general> 'flex': it has a state of its own"},
                {14, true, "position limits of joint 'yaw': -1.5708 to 1.5708"},
                {27, true, "dry friction of joint 'socket': 0.1"},
                {32, false, "ellipsoid of body 'drone': this kind of shape is not supported"},
                {39, false, "actuator 'bend': its input is the effort at the joint, 5 times ctrl"},
                {40, false, "actuator 'hold': its input is the effort at the joint, 100 times ctrl"},
                {44, false, "keyframe 'other': only 'home' becomes the start"},
                {6, false, "element <visual>"},
                {9, false, "element <light>"},
                {3, false, "attribute texturedir of <compiler>"},
                {5, false, "attribute timestep of <option>"}};
    clv_model *m = read_file(ROBOTS "creature.xml");
    const int n = sizeof lost / sizeof *lost;
    for (int i = 0; i < n; i++) {
        const clv_dropped *d = clv_model_dropped_at(m, i);
        assert_non_null(d);
        assert_string_equal(d->text, lost[i].text);
        assert_int_equal(d->line, lost[i].line);
        assert_int_equal(d->harmful, lost[i].harmful);
    }
    assert_int_equal(clv_model_dropped_count(m), n);
    clv_model_destroy(m);
}

static void unknown_things_are_harmful(void **state)
{
    (void)state;
    NEED_EXPAT;
    clv_model *m = model_of("<option wind='1 0 0' density='2'/>",
                            "<body><joint/><geom size='1' rgba='1 1 1 1' margin='1'/><geom size='1' condim='1'/>"
                            "<composite/></body>",
                            "<spaceship/>");
    static const char *const lost[] = {"density of the medium: 2", "element <composite>", "element <spaceship>"};
    for (int i = 0; i < 3; i++) {
        assert_true(clv_model_dropped_at(m, i)->harmful);
        assert_string_equal(clv_model_dropped_at(m, i)->text, lost[i]);
    }
    assert_false(clv_model_dropped_at(m, 3)->harmful);
    clv_model_destroy(m);
}

/* ---------------------------------------------------------------- contacts */

/* Two legs on a plane; a third geom of the trunk touches nothing but is in a pair.  Frictions and bits in forces. */
static void geoms_touch_as_bits_and_frictions_say(void **state)
{
    (void)state;
    NEED_EXPAT;
    clv_model *m = model_of("",
                            "<geom name='floor' type='plane' pos='0 0 -1' condim='3'/>"
                            "<geom name='step' type='box' size='1 1 1' pos='3 0 0'/>"
                            "<body name='trunk' pos='0 0 1'><freejoint/><geom name='hull' size='.2' condim='1'/>"
                            "<geom name='soft' size='.3' contype='0' conaffinity='0'/>"
                            "<body name='leg' pos='0 0 -.5'><joint/><joint axis='1 0 0'/>"
                            "<geom type='capsule' size='.05 .2' condim='1'/></body>"
                            "<body name='arm' pos='.5 0 0'><joint axis='0 1 0'/>"
                            "<geom type='box' size='.1 .1 .1' condim='1'/></body></body>",
                            "<contact><pair geom1='soft' geom2='step' friction='.3 .3 0 0 0'/>"
                            "<exclude body1='arm' body2='leg'/></contact>");
    assert_int_equal(m->nshape, 3); /* the step, and the two of the trunk */
    assert_string_equal(clv_model_shape_name(m, 0), "step");
    assert_int_equal(clv_model_body_shape(m, clv_model_find_body(m, "leg"))->kind, CLV_SHAPE_CAPSULE);
    assert_int_equal(clv_model_body_shape(m, clv_model_find_body(m, "trunk"))->kind, CLV_SHAPE_NONE);
    assert_int_equal(m->nforce, 4);
    const clv_force *pair = &m->force[0], *plane = &m->force[1], *slick = &m->force[3];
    CLV_NEAR(pair->contact.dynamic_friction, 0.3, 0);
    assert_int_equal(pair->group->nfirst, 1);
    assert_true(plane->group->plane_only);
    CLV_NEAR(plane->contact.dynamic_friction, 1, 0);
    CLV_NEAR(plane->contact.point[2], -1, 0);
    CLV_NEAR(m->force[2].contact.dynamic_friction, 1, 0); /* the step, whose condim is 3, with the others */
    CLV_NEAR(slick->contact.dynamic_friction, 0, 0);
    assert_int_equal(slick->group->nexcept, 2); /* the trunk and a leg with a hidden body between; the excluded pair */
    for (int i = 0; i < m->nforce; i++)
        CLV_NEAR(m->force[i].contact.restitution, 0, 0);
    clv_model_destroy(m);
}

/* One friction and all bits: one force with the floor. */
static void equal_geoms_are_one_contact(void **state)
{
    (void)state;
    NEED_EXPAT;
    clv_model *m = model_of("", "<geom type='plane'/><body name='a'><freejoint/><geom size='.1' friction='.7'/></body>"
                                "<body name='b' pos='1 0 0'><freejoint/>"
                                "<geom type='mesh' mesh='tetra' friction='.7'/></body>",
                            "<asset><mesh name='tetra' vertex='0 0 0 1 0 0 0 1 0 0 0 1 .1 .1 .1'/></asset>");
    assert_int_equal(m->nforce, 2); /* the floor has a friction of 1 */
    assert_int_equal(clv_model_body_shape(m, 1)->kind, CLV_SHAPE_MESH);
    assert_int_equal(clv_model_body_shape(m, 1)->npoint, 4);
    clv_model_destroy(m);
    m = model_of("", "<geom type='plane'/><body name='a'><freejoint/><geom size='.1'/></body>"
                     "<body name='b' pos='1 0 0'><freejoint/><geom size='.1'/></body>", "");
    assert_int_equal(m->nforce, 1);
    assert_int_equal(m->force[0].group->nfirst, 0);
    clv_model_destroy(m);
}

enum { FRICTIONS = 200 };

/* balls in a row, each with its own friction, in no order; clv_free frees */
static char *balls_of_many_frictions(void)
{
    const size_t size = 200 * (FRICTIONS + 1);
    char *text = clv_alloc(size, 1);
    assert_non_null(text);
    size_t n = (size_t)snprintf(text, size, "<mujoco><worldbody>");
    for (int i = 0; i < FRICTIONS; i++)
        n += (size_t)snprintf(text + n, size - n,
                              "<body name='b%d' pos='%d 0 0'><freejoint/><geom size='.1' friction='%.3f'/></body>",
                              i, i, 0.1 + 0.001 * (i * 77 % FRICTIONS));
    snprintf(text + n, size - n, "</worldbody></mujoco>");
    return text;
}

static bool lists(const int *list, int n, int entry)
{
    for (int i = 0; i < n; i++)
        if (list[i] == entry)
            return true;
    return false;
}

/* does the force take the pair? */
static bool takes(const clv_touch_group *g, int a, int b)
{
    const bool one = g->nsecond == 0;
    const int n = one ? g->nfirst : g->nsecond, *second = one ? g->first : g->second;
    return (lists(g->first, g->nfirst, a) && lists(second, n, b)) ||
           (lists(g->first, g->nfirst, b) && lists(second, n, a));
}

/* Of two frictions the larger one counts, so a force a friction is enough.  With one for every two frictions there were
 * 19900 forces here, in time that grew with the third power. */
static void many_frictions_are_a_force_each(void **state)
{
    (void)state;
    NEED_EXPAT;
    char *text = balls_of_many_frictions();
    clv_status status;
    clv_model *m = read_text(text, &status);
    assert_int_equal(status, CLV_OK);
    assert_int_equal(m->nforce, FRICTIONS - 1);
    assert_string_equal(m->force[0].name, "contact");
    assert_string_equal(m->force[1].name, "contact.2");
    assert_string_equal(m->force[FRICTIONS - 2].name, "contact.199");
    for (int a = 0; a < FRICTIONS; a += 7)
        for (int b = a + 1; b < FRICTIONS; b += 5) {
            const double friction = 0.1 + 0.001 * fmax(a * 77 % FRICTIONS, b * 77 % FRICTIONS);
            int found = 0;
            for (int k = 0; k < m->nforce; k++)
                if (takes(m->force[k].group, a, b)) {
                    CLV_NEAR(m->force[k].contact.dynamic_friction, friction, 1e-12);
                    found++;
                }
            assert_int_equal(found, 1);
        }
    clv_model_destroy(m);
    clv_free(text);
}

/* What cannot touch is named. */
static void contacts_that_are_lost_are_named(void **state)
{
    (void)state;
    NEED_EXPAT;
    clv_model *m = model_of("", "<geom type='plane'/><body name='a'><freejoint/><geom size='.1' condim='6'/>"
                                "<geom type='ellipsoid' size='.1 .2 .3'/><geom type='plane'/></body>", "");
    static const char *const lost[] = {"contact of the ellipsoid of body 'a': this kind of shape is not supported",
                                       ("torsional and rolling friction (condim 4 and 6), here first: contacts have "
                                        "sliding friction"),
                                       "contact of a plane of 'a', which moves"};
    for (int i = 0; i < 3; i++) {
        bool found = false;
        for (int k = 0; k < clv_model_dropped_count(m); k++)
            found |= strcmp(clv_model_dropped_at(m, k)->text, lost[i]) == 0 && clv_model_dropped_at(m, k)->harmful;
        if (!found)
            fail_msg("not named: %s", lost[i]);
    }
    clv_model_destroy(m);
}

/* Flags of <option> take away what they switch off. */
static void flags_switch_off(void **state)
{
    (void)state;
    NEED_EXPAT;
    clv_model *m = model_of("<option><flag gravity='disable' contact='disable' actuation='disable' passive='disable' "
                            "equality='disable' limit='disable'/></option>",
                            "<body name='a'><joint name='j' damping='1' stiffness='2' range='0 1'/><geom size='1'/>"
                            "<geom size='1'/></body>",
                            "<equality><weld body1='a'/></equality><actuator><motor joint='j'/></actuator>");
    CLV_NEAR(m->gravity[2], 0, 0);
    assert_int_equal(m->nforce, 0);
    assert_int_equal(m->ninput, 0);
    assert_int_equal(m->njoint, 1);
    for (int i = 0; i < clv_model_dropped_count(m); i++)
        assert_false(clv_model_dropped_at(m, i)->harmful);
    clv_model_destroy(m);
    m = model_of("<option><flag clampctrl='disable'/></option>", "<body><joint name='j'/><geom size='1'/></body>",
                 "<actuator><motor joint='j' ctrlrange='-1 1'/><motor joint='j' ctrlrange='-1 1' forcerange='-2 2'/>"
                 "</actuator>");
    assert_true(isinf(m->input[0].limit[0]) && isinf(m->input[0].limit[1]));
    CLV_NEAR(m->input[1].limit[1], 2, 0);
    clv_model_destroy(m);
}

/* ---------------------------------------------------------------- errors */

#define WORLD(x)  "<mujoco><worldbody>\n" x "</worldbody></mujoco>"
#define BODY(x)   WORLD("<body name='b'><joint name='j'/><geom size='1'/>\n" x "</body>")
#define BEHIND(x)                                                                                                      \
    "<mujoco><worldbody><body name='b'><joint name='j'/><geom size='1'/></body></worldbody>\n" x "</mujoco>"

static const struct {
    const char *text;
    clv_status status;
    int line;
    const char *message;
} bad[] = {
    {"<mujoco>\n<worldbody>\n</mujoco>", CLV_ERR_SYNTAX, 3, "mismatched tag"},
    {"<mujoco/>", CLV_ERR_MODEL, 1, "no body that moves"},
    {WORLD("<body><geom size='1'/></body>"), CLV_ERR_MODEL, 1, "no body that moves"},
    {WORLD("<replicate count='2'><body><joint/><geom size='1'/></body></replicate>"), CLV_ERR_MODEL, 2,
     "no body that moves: <replicate> is not read"},
    {"<mujoco>\n<include/></mujoco>", CLV_ERR_MODEL, 2, "<include> has no file"},
    {"<mujoco>\n<include file='there/is/none.xml'/></mujoco>", CLV_ERR_MODEL, 2, "cannot open"},
    {"<mujoco>\n<compiler coordinate='global'/></mujoco>", CLV_ERR_MODEL, 2, "coordinate=\"global\" is not read"},
    {"<mujoco>\n<compiler eulerseq='xyw'/></mujoco>", CLV_ERR_MODEL, 2, "eulerseq is 'xyw'"},
    {"<mujoco>\n<compiler angle='grad'/></mujoco>", CLV_ERR_MODEL, 2, "unknown angle 'grad'"},
    {"<mujoco>\n<option gravity='0 0'/></mujoco>", CLV_ERR_MODEL, 2, "gravity has 2 numbers, not 3"},
    {"<mujoco><default>\n<default/></default></mujoco>", CLV_ERR_MODEL, 2, "needs a class"},
    {"<mujoco><default><default class='a'/>\n<default class='a'/></default></mujoco>", CLV_ERR_MODEL, 2,
     "defined twice"},
    {WORLD("<body><joint class='no'/><geom size='1'/></body>"), CLV_ERR_MODEL, 2, "there is no class 'no'"},
    {WORLD("<body childclass='no'/>"), CLV_ERR_MODEL, 2, "there is no class 'no'"},
    {WORLD("<body><joint type='screw'/></body>"), CLV_ERR_MODEL, 2, "unknown type 'screw'"},
    {WORLD("<body><joint axis='0 0 0'/></body>"), CLV_ERR_MODEL, 2, "the axis has no direction"},
    {WORLD("<body><joint pos='0 0 1e999'/></body>"), CLV_ERR_MODEL, 2, "is not read as numbers"},
    {WORLD("<body><joint damping='-1'/></body>"), CLV_ERR_MODEL, 2, "cannot be negative"},
    {WORLD("<body><joint armature='-1'/></body>"), CLV_ERR_MODEL, 2, "cannot be negative"},
    {WORLD("<body><freejoint/><joint/><geom size='1'/></body>"), CLV_ERR_MODEL, 2,
     "only joint of a body in the world"},
    {BODY("<body><freejoint/><geom size='1'/></body>"), CLV_ERR_MODEL, 3, "only joint of a body in the world"},
    {BODY("<body name='b'/>"), CLV_ERR_MODEL, 3, "given to two bodies"},
    {BODY("<body><joint name='j'/></body>"), CLV_ERR_MODEL, 3, "given to two joints"},
    {BODY("<body quat='0 0 0 0'/>"), CLV_ERR_MODEL, 3, "quat has no direction"},
    {BODY("<body zaxis='0 0 0'/>"), CLV_ERR_MODEL, 3, "zaxis has no direction"},
    {BODY("<body xyaxes='1 0 0 2 0 0'/>"), CLV_ERR_MODEL, 3, "xyaxes has no direction"},
    {BODY("<body zaxis='0 0 1' euler='0 0 1'/>"), CLV_ERR_MODEL, 3, "given 2 times"},
    {BODY("<geom type='box' size='1 1'/>"), CLV_ERR_MODEL, 3, "needs 3 sizes"},
    {BODY("<geom size='-1'/>"), CLV_ERR_MODEL, 3, "needs 1 size,"},
    {BODY("<geom size='1' mass='-1'/>"), CLV_ERR_MODEL, 3, "cannot be negative"},
    {BODY("<geom type='capsule' size='1' fromto='0 0 0 0 0 0'/>"), CLV_ERR_MODEL, 3, "the points of fromto coincide"},
    {BODY("<geom type='sphere' size='1' fromto='0 0 0 0 0 1'/>"), CLV_ERR_MODEL, 3, "fromto is for"},
    {BODY("<geom type='mesh' mesh='arm'/>"), CLV_ERR_MODEL, 3, "there is no mesh 'arm' in <asset>"},
    {"<mujoco><asset><mesh name='m' file='there/is/none.stl'/></asset><worldbody><body><joint/><geom type='mesh' "
     "mesh='m'/></body></worldbody></mujoco>",
     CLV_ERR_MODEL, 1, "cannot open there/is/none.stl"},
    {"<mujoco><asset><mesh file='a/m.stl' inertia='shell'/></asset><worldbody><body><joint/><geom type='mesh' "
     "mesh='m'/></body></worldbody></mujoco>",
     CLV_ERR_MODEL, 1, "inertia=\"shell\" of meshes is not read"},
    {"<mujoco><asset><mesh name='m' vertex='0 0 0 1 0 0 0 1 0' face='0 1 3'/></asset><worldbody><body><joint/>"
     "<geom type='mesh' mesh='m'/></body></worldbody></mujoco>",
     CLV_ERR_MODEL, 1, "the mesh has no file, and its vertices or faces are wrong"},
    {BODY("<geom type='box' mesh='arm'/>"), CLV_ERR_MODEL, 3, "a box of the size of a mesh"},
    {BODY("<geom size='1' shellinertia='true'/>"), CLV_ERR_MODEL, 3, "shells"},
    {BODY("<inertial mass='1' diaginertia='1 1 1'/>"), CLV_ERR_MODEL, 3, "<inertial> has no pos"},
    {BODY("<inertial pos='0 0 0' diaginertia='1 1 1'/>"), CLV_ERR_MODEL, 3, "<inertial> has no mass"},
    {BODY("<inertial pos='0 0 0' mass='1' diaginertia='1 1 1' fullinertia='1 1 1 0 0 0'/>"), CLV_ERR_MODEL, 3,
     "both diaginertia and fullinertia"},
    {BODY("<inertial pos='0 0 0' mass='1' diaginertia='1 1 9'/>"), CLV_ERR_MODEL, 2, "no rigid body has"},
    {BEHIND("<equality><connect body1='b'/></equality>"), CLV_ERR_MODEL, 2, "<connect> has no anchor"},
    {BEHIND("<equality><weld body1='c'/></equality>"), CLV_ERR_MODEL, 2, "there is no body 'c'"},
    {BEHIND("<equality><weld site1='s' site2='t'/></equality>"), CLV_ERR_MODEL, 2, "there is no site 's'"},
    {BEHIND("<equality><joint joint1='k'/></equality>"), CLV_ERR_MODEL, 2, "there is no joint 'k'"},
    {BEHIND("<equality><tendon tendon1='k'/></equality>"), CLV_ERR_MODEL, 2, "there is no tendon 'k'"},
    {BEHIND("<tendon><fixed stiffness='1' springlength='0.2 -1'><joint joint='j'/></fixed></tendon>"), CLV_ERR_MODEL, 2,
     "0.2 is above -1"},
    {BEHIND("<actuator><motor joint='k'/></actuator>"), CLV_ERR_MODEL, 2, "there is no joint 'k'"},
    {BEHIND("<actuator><motor joint='j' gear='x'/></actuator>"), CLV_ERR_MODEL, 2, "is not read as numbers"},
    {BEHIND("<keyframe><key name='home' qpos='x'/></keyframe>"), CLV_ERR_MODEL, 2, "is not read as numbers"},
    {"<mujocoinclude/>", CLV_ERR_SYNTAX, 1, "no URDF, MJCF or SDF"},
};

static void bad_files_are_refused_in_their_line(void **state)
{
    (void)state;
    NEED_EXPAT;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        clv_status status;
        clv_model *m = read_text(bad[i].text, &status);
        const clv_error *e = clv_model_error_at(m, 0);
        if (status != bad[i].status || !e || e->line != bad[i].line || !strstr(e->message, bad[i].message) ||
            strcmp(e->file, "bot.xml") != 0 || e->column < 1)
            fail_msg("%s\ngives %s:%d:%d: %s (%s)", bad[i].text, e ? e->file : "", e ? e->line : 0, e ? e->column : 0,
                     e ? e->message : "no error", clv_status_text(status));
        clv_model_destroy(m);
    }
}

/* An included file is named in its errors; it is included once. */
static void included_files_are_named(void **state)
{
    (void)state;
    NEED_EXPAT;
    const char twice[] = "<mujoco><include file='" ROBOTS "creature_parts.xml'/>\n<include file='" ROBOTS
                         "creature_parts.xml'/></mujoco>",
               wrong[] = "<mujoco><include file='" ROBOTS "arm.yaml'/></mujoco>",
               itself[] = "<mujoco>\n<include file='bot.xml'/></mujoco>";
    clv_status status;
    clv_model *m = read_text(twice, &status);
    assert_int_equal(status, CLV_ERR_MODEL);
    assert_non_null(strstr(clv_model_error(m)->message, "is included twice"));
    clv_model_destroy(m);
    m = read_text(itself, &status);
    assert_non_null(strstr(clv_model_error(m)->message, "is included twice"));
    clv_model_destroy(m);
    m = read_text(wrong, &status);
    assert_int_equal(status, CLV_ERR_SYNTAX);
    assert_string_equal(clv_model_error_at(m, 0)->file, ROBOTS "arm.yaml");
    clv_model_destroy(m);
}

static void damaged_files_are_refused(void **state)
{
    (void)state;
    NEED_EXPAT;
    damage(ROBOTS "creature.xml", ROBOTS "x.xml");
    damage(ROBOTS "linkage.xml", ROBOTS "x.xml");
}

/* ---------------------------------------------------------------- memory */

static void memory_may_run_out(void **state)
{
    (void)state;
    NEED_EXPAT;
    run_out_of_memory(ROBOTS "creature.xml");
    run_out_of_memory(ROBOTS "linkage.xml");
    run_out_of_memory(ROBOTS "brick.xml");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_creature_moves_as_by_hand),
        cmocka_unit_test(a_linkage_moves_as_by_hand),
        cmocka_unit_test(sites_connect_as_bodies),
        cmocka_unit_test(writing_keeps_the_model),
        cmocka_unit_test(what_a_model_holds),
        cmocka_unit_test(inertia_is_that_of_solids),
        cmocka_unit_test(meshes_have_inertia),
        cmocka_unit_test(the_compiler_changes_inertia),
        cmocka_unit_test(laws_of_actuators_have_defaults_by_kind),
        cmocka_unit_test(filters_and_damping_ratios_are_inherited),
        cmocka_unit_test(robots_of_several_shapes_are_their_text),
        cmocka_unit_test(zeros_have_no_sign),
        cmocka_unit_test(weights_and_free_joints_are_those_of_mujoco),
        cmocka_unit_test(free_lengths_of_tendons_can_be_negative),
        cmocka_unit_test(an_equality_of_a_tendon_starts_its_own_joint),
        cmocka_unit_test(an_equality_that_holds_a_joint_keeps_contacts),
        cmocka_unit_test(euler_angles_follow_their_sequence),
        cmocka_unit_test(everything_lost_is_listed),
        cmocka_unit_test(unknown_things_are_harmful),
        cmocka_unit_test(geoms_touch_as_bits_and_frictions_say),
        cmocka_unit_test(equal_geoms_are_one_contact),
        cmocka_unit_test(many_frictions_are_a_force_each),
        cmocka_unit_test(contacts_that_are_lost_are_named),
        cmocka_unit_test(flags_switch_off),
        cmocka_unit_test(bad_files_are_refused_in_their_line),
        cmocka_unit_test(included_files_are_named),
        cmocka_unit_test(damaged_files_are_refused),
        cmocka_unit_test(memory_may_run_out),
    };
    if (clv_allocator_set(&counting_heap) != CLV_OK)
        return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
