/* SPDX-License-Identifier: Apache-2.0
 * URDF as models: the same accelerations as models by hand, what is not carried over, errors with their places, damaged
 * files, memory that runs out. */

#include "robot_files.h"
#include "model/fingerprint.h"
#include "near.h"

/* ---------------------------------------------------------------- helpers */

/* The model written out, read again with a start behind it. */
static clv_model *with_start(const clv_model *m, const char *start)
{
    char *text, *whole;
    size_t size;
    clv_model *again = NULL;
    assert_int_equal(clv_model_write_text(m, &text, &size), CLV_OK);
    whole = malloc(size + strlen(start) + 1);
    sprintf(whole, "%s%s", text, start);
    if (clv_model_read_text(&again, whole, strlen(whole), "again.yaml") != CLV_OK)
        fail_msg("%s in\n%s", clv_model_error(again)->message, whole);
    free(whole);
    clv_free(text);
    return again;
}

static double acceleration(clv_sim *sim, const clv_model *m, const char *joint)
{
    clv_joint_result x;
    assert_int_equal(clv_sim_joint(sim, clv_model_find_joint(m, joint), &x), CLV_OK);
    return x.udot[0];
}

static clv_model *read_text(const char *text, clv_status *status)
{
    clv_model *m = NULL;
    *status = clv_model_read_text(&m, text, strlen(text), "bot.urdf");
    return m;
}

/* ---------------------------------------------------------------- mechanics */

static const char moving[] = "\nstart:\n  joints:\n    shoulder: {q: 0.3, u: 1}\n    elbow: {q: -0.7, u: 2}\n"
                             "    push: {q: 0.2, u: -1}\n";

/* Lumped links, turned inertias, axes of any length, mimic, damper, rotor, free axes. */
static void an_arm_moves_as_by_hand(void **state)
{
    (void)state;
    NEED_EXPAT;
    const char *const joints[] = {"shoulder", "elbow", "grip", "push"};
    clv_model *read[2] = {read_file(ROBOTS "arm.urdf"), read_file(ROBOTS "arm.yaml")}, *m[2];
    clv_sim *sim[2];
    for (int i = 0; i < 2; i++) {
        m[i] = with_start(read[i], moving);
        assert_int_equal(clv_sim_create(&sim[i], m[i], NULL), CLV_OK);
        assert_int_equal(clv_sim_evaluate(sim[i]), CLV_OK);
    }
    for (int k = 0; k < 4; k++) {
        const double by_hand = acceleration(sim[1], m[1], joints[k]);
        assert_true(fabs(by_hand) > 0.1);
        CLV_NEAR(acceleration(sim[0], m[0], joints[k]), by_hand, 1e-12 * fabs(by_hand) + 1e-12);
    }
    for (int i = 0; i < 2; i++) {
        clv_sim_destroy(sim[i]);
        clv_model_destroy(m[i]);
        clv_model_destroy(read[i]);
    }
}

static void what_a_model_holds(void **state)
{
    (void)state;
    NEED_EXPAT;
    clv_model *m = read_file(ROBOTS "arm.urdf");
    const clv_shape *s = clv_model_body_shape(m, clv_model_find_body(m, "upper"));
    double limit[2];
    assert_string_equal(clv_model_name(m), "arm");
    assert_int_equal(s->kind, CLV_SHAPE_BOX);
    CLV_NEAR(s->size[2], 0.4, 0);
    CLV_NEAR(s->at[2], 0.2, 0);
    CLV_NEAR(s->colour[0], 0.8, 0);
    clv_model_input_limit(m, clv_model_find_input(m, "shoulder"), limit);
    CLV_NEAR(limit[0], -10, 0);
    CLV_NEAR(limit[1], 10, 0);
    assert_true(clv_model_find_input(m, "elbow") >= 0);
    assert_int_equal(clv_model_find_input(m, "grip"), -1); /* a follower */
    assert_int_equal(clv_model_marker_count(m), 1);
    assert_string_equal(clv_model_marker_name(m, 0), "plate");
    CLV_NEAR(m->marker[0].position[0], 0.3, 0);
    clv_model_destroy(m);
}

/* A model written out is the same to the last bit. */
static void writing_keeps_the_model(void **state)
{
    (void)state;
    NEED_EXPAT;
    const char *const files[] = {ROBOTS "arm.urdf", ROBOTS "five_bar.urdf"};
    for (int i = 0; i < 2; i++) {
        clv_model *m = read_file(files[i]), *again = with_start(m, "");
        assert_true(clv_model_fingerprint(m) == clv_model_fingerprint(again));
        clv_model_destroy(m);
        clv_model_destroy(again);
    }
}

static void a_side_file_closes_loops(void **state)
{
    (void)state;
    NEED_EXPAT;
    clv_model *m = read_file(ROBOTS "five_bar.urdf");
    clv_sim *sim;
    clv_sim_report report;
    assert_int_equal(m->nside, 1);
    assert_int_equal(clv_sim_create(&sim, m, NULL), CLV_OK);
    clv_sim_summary(sim, &report);
    assert_int_equal(report.mobility_found, 2);
    assert_int_equal(clv_model_input_count(m), 2); /* the motors */
    const double *x = clv_sim_marker(sim);
    for (int k = 0; k < 3; k++) /* tip_l, tip_r */
        CLV_NEAR(x[k], x[6 + k], 1e-12);
    clv_sim_destroy(sim);
    clv_model_destroy(m);
}

static void a_root_is_fixed_or_free(void **state)
{
    (void)state;
    NEED_EXPAT;
    size_t size;
    char *text = load(ROBOTS "arm.urdf", &size);
    clv_model *m = NULL;
    assert_int_equal(clv_model_read_robot_text(&m, text, size, "arm.urdf", &(clv_robot_options){.floating = true}),
                     CLV_OK);
    const int joint = clv_model_find_joint(m, "base.free");
    assert_true(joint >= 0);
    assert_int_equal(m->joint[joint].kind, CLV_JOINT_FREE);
    assert_int_equal(clv_model_find_body(m, "base"), 0);
    clv_model_destroy(m);
    clv_free(text);
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
    } lost[] = {{73, true, "element <spaceship>"},
                {46, true, "position limits of joint 'shoulder': -1 to 1"},
                {47, true, "dry friction of joint 'shoulder': 0.1"},
                {15, false, "mesh 'package://arm/upper.stl' (collision of link 'upper'): the visuals are drawn"},
                {72, false, "<gazebo> of 'lower'"},
                {46, false, "velocity limit of joint 'shoulder': 2"},
                {60, false, "effort limit 0 of joint 'grip': read as no limit"}};
    clv_model *m = read_file(ROBOTS "arm.urdf");
    const int n = sizeof lost / sizeof *lost;
    assert_int_equal(clv_model_dropped_count(m), n);
    for (int i = 0; i < n; i++) {
        const clv_dropped *d = clv_model_dropped_at(m, i);
        assert_string_equal(d->text, lost[i].text);
        assert_int_equal(d->line, lost[i].line);
        assert_int_equal(d->harmful, lost[i].harmful);
        assert_string_equal(d->file, ROBOTS "arm.urdf");
    }
    assert_null(clv_model_dropped_at(m, n));
    assert_null(clv_model_dropped_at(m, -1));
    clv_model_destroy(m);
}

#define MASS        "<inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1'/></inertial>"
#define LINKS       "<robot name='r'><link name='a'/><link name='b'>" MASS "</link>\n"
#define JOINT(more) "<joint name='j' type='revolute'><parent link='a'/><child link='b'/>" more "</joint>\n"

/* A limit may be infinite on one side or both, or so large that it is meant to be. */
static void limits_may_be_infinite(void **state)
{
    (void)state;
    NEED_EXPAT;
    static const struct {
        const char *limit, *dropped;
    } row[] = {{"lower='-inf' upper='inf' effort='inf' velocity='inf'", NULL},
               {"lower='-1.79769e+308' upper='1e308' effort='1e308' velocity='1e308'", NULL},
               {"lower='-inf' upper='0.5'", "position limits of joint 'j': -inf to 0.5"},
               {"lower='-0.5'", "position limits of joint 'j': -0.5 to 0"}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        char text[800];
        clv_model *m = NULL;
        snprintf(text, sizeof text, LINKS JOINT("<limit %s/>") "</robot>", row[i].limit);
        assert_int_equal(clv_model_read_text(&m, text, strlen(text), "r.urdf"), CLV_OK);
        assert_int_equal(clv_model_dropped_count(m), row[i].dropped != NULL);
        if (row[i].dropped)
            assert_string_equal(clv_model_dropped_at(m, 0)->text, row[i].dropped);
        clv_model_destroy(m);
    }
}

/* Limits of joints that have none in a model are listed. */
static void limits_of_other_joints_are_listed(void **state)
{
    (void)state;
    NEED_EXPAT;
    static const struct {
        const char *type, *limit, *first, *second;
    } row[] = {{"floating", "lower='-1' upper='1' effort='2'", "position limits of joint 'j': -1 to 1",
                "effort limit 2 of joint 'j': it has no input"},
               {"planar", "lower='0' upper='0' velocity='2'", "velocity limit of joint 'j': 2", NULL},
               {"continuous", "lower='-1' upper='1' velocity='2'", "lower and upper of joint 'j': it is continuous",
                "velocity limit of joint 'j': 2"}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        char text[800];
        clv_model *m = NULL;
        snprintf(text, sizeof text,
                 LINKS "<joint name='j' type='%s'><parent link='a'/><child link='b'/><limit %s/></joint></robot>",
                 row[i].type, row[i].limit);
        assert_int_equal(clv_model_read_text(&m, text, strlen(text), "r.urdf"), CLV_OK);
        assert_int_equal(clv_model_dropped_count(m), row[i].second ? 2 : 1);
        assert_string_equal(clv_model_dropped_at(m, 0)->text, row[i].first);
        if (row[i].second)
            assert_string_equal(clv_model_dropped_at(m, 1)->text, row[i].second);
        clv_model_destroy(m);
    }
}

/* What the parsers of robot tools take, and XML forbids; lines stay. */
static void what_robot_tools_let_pass(void **state)
{
    (void)state;
    NEED_EXPAT;
    static const char *const good[] = {
        "\n <?xml version='1.0'?>\n" LINKS JOINT("<limit upper='1'/>") "</robot>",
        "<!-- a -- b\n--->\n<?xml version='1.0'?>" LINKS JOINT("<limit upper='1'/>") "</robot>",
        "<!-- a --->\n<robot name='r'><!--------\n--><link name='a'/><link name='b'>" MASS "</link>" JOINT(
            "<limit upper='1'/>") "</robot>",
        "\xef\xbb\xbf<?xml version='1.0'?>\n<!-- a->-->\n" LINKS JOINT("<limit upper='1'/>") "</robot>"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        clv_model *m = NULL;
        if (clv_model_read_text(&m, good[i], strlen(good[i]), "r.urdf") != CLV_OK)
            fail_msg("%s", clv_model_error(m)->message);
        assert_int_equal(clv_model_dropped_at(m, 0)->line, i == 2 ? 3 : 4);
        clv_model_destroy(m);
    }
}

/* ---------------------------------------------------------------- errors */

static const struct {
    const char *text;
    clv_status status;
    int line;
    const char *message;
} bad[] = {
    {"<robot name='r'>\n<link name='a'>\n</robot>", CLV_ERR_SYNTAX, 3, "mismatched tag"},
    {"<robot", CLV_ERR_SYNTAX, 1, "not well formed"},
    {"<robot><!-- a -- b\n", CLV_ERR_SYNTAX, 1, "not well formed"},
    {"<robot>\n<?xml version='1.0'?></robot>", CLV_ERR_SYNTAX, 2, "not at start"},
    {"<!DOCTYPE r [<!ENTITY a 'aaaa'>\n<!ENTITY b '&a;&a;'>]><robot name='&b;'/>", CLV_ERR_UNSUPPORTED, 1,
     "XML entities"},
    {"<!DOCTYPE r SYSTEM 'x.dtd'><robot>\n<link name='a'>&b;</link></robot>", CLV_ERR_UNSUPPORTED, 2, "XML entities"},
    {"<robot/>", CLV_ERR_MODEL, 1, "no links"},
    {"<robot><link name='a'/></robot>", CLV_ERR_MODEL, 1, "no body that moves"},
    {"<robot>\n<link/></robot>", CLV_ERR_MODEL, 2, "<link> has no name"},
    {"<robot><link name='a'/>\n<link name='a'/></robot>", CLV_ERR_MODEL, 2, "given to two links"},
    {"<robot><link name='a'/>\n<link name='b'/></robot>", CLV_ERR_MODEL, 2, "both have no parent joint"},
    {"<robot xmlns:xacro='x'>\n<xacro:include filename='a'/></robot>", CLV_ERR_MODEL, 2, "has not been expanded"},
    {LINKS JOINT("<origin xyz='0 0'/>") "</robot>", CLV_ERR_MODEL, 2, "xyz has 2 numbers, not 3"},
    {LINKS JOINT("<origin xyz='0 0 x'/>") "</robot>", CLV_ERR_MODEL, 2, "xyz '0 0 x' is not read as numbers"},
    {LINKS JOINT("<origin xyz='0 0 1e999'/>") "</robot>", CLV_ERR_MODEL, 2, "is not read as numbers"},
    {LINKS JOINT("<origin xyz='0 0 nan'/>") "</robot>", CLV_ERR_MODEL, 2, "is not read as numbers"},
    {LINKS JOINT("<origin xyz='0 0 ${x}'/>") "</robot>", CLV_ERR_MODEL, 2, "is not read as numbers"},
    {LINKS JOINT("<axis xyz='0 0 0'/>") "</robot>", CLV_ERR_MODEL, 2, "the axis has no direction"},
    {LINKS JOINT("<dynamics damping='-1'/>") "</robot>", CLV_ERR_MODEL, 2, "cannot be negative"},
    {LINKS JOINT("<mimic joint='j'/>") "</robot>", CLV_ERR_MODEL, 2, "follows itself"},
    {LINKS JOINT("") JOINT("") "</robot>", CLV_ERR_MODEL, 3, "given to two joints"},
    {LINKS JOINT("") "<joint name='k' type='fixed'><parent link='b'/><child link='a'/></joint></robot>", CLV_ERR_MODEL,
     3, "form a cycle"},
    {LINKS JOINT("") "<joint name='k' type='fixed'><parent link='a'/><child link='b'/></joint></robot>", CLV_ERR_MODEL,
     3, "is the child of two joints"},
    {LINKS "<joint name='k' type='hinge'><parent link='a'/><child link='b'/></joint></robot>", CLV_ERR_MODEL, 2,
     "unknown type of joint 'hinge'"},
    {LINKS "<joint name='k' type='fixed'><parent link='c'/><child link='b'/></joint></robot>", CLV_ERR_MODEL, 2,
     "there is no link 'c'"},
    {LINKS "<joint name='k' type='fixed'><child link='b'/></joint></robot>", CLV_ERR_MODEL, 2, "has no <parent>"},
    {"<robot><link name='a'>\n<inertial><mass value='1'/></inertial></link></robot>", CLV_ERR_MODEL, 2,
     "has no <inertia>"},
    {"<robot><link name='a'>\n<inertial><mass value='-1'/><inertia ixx='1' iyy='1' izz='1'/></inertial>"
     "</link></robot>",
     CLV_ERR_MODEL, 2, "cannot be negative"},
    {"<robot><link name='a'/>\n<link name='b'><inertial><mass value='1'/><inertia ixx='9' iyy='1' izz='1'/></inertial>"
     "</link>" JOINT("") "</robot>",
     CLV_ERR_MODEL, 2, "no rigid body has principal moments 1, 1, 9"},
    {"<svg/>", CLV_ERR_SYNTAX, 1, "and no URDF"},
    {"<svg version='1.6'/>", CLV_ERR_SYNTAX, 1, "and no URDF"},
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
            strcmp(e->file, "bot.urdf") != 0 || e->column < 1)
            fail_msg("%s\ngives %s:%d:%d: %s (%s)", bad[i].text, e ? e->file : "", e ? e->line : 0, e ? e->column : 0,
                     e ? e->message : "no error", clv_status_text(status));
        clv_model_destroy(m);
    }
}

static void deep_nesting_is_refused(void **state)
{
    (void)state;
    NEED_EXPAT;
    enum { DEEP = 100000 };
    char *text = malloc(4 * DEEP + 1);
    clv_status status;
    for (int i = 0; i < DEEP; i++)
        memcpy(text + 3 * i, "<a>", 3);
    text[3 * DEEP] = '\0';
    clv_model *m = read_text(text, &status);
    assert_int_equal(status, CLV_ERR_UNSUPPORTED);
    assert_non_null(strstr(clv_model_error(m)->message, "nested more than 200 deep"));
    clv_model_destroy(m);
    free(text);
}

static void parameters_are_refused(void **state)
{
    (void)state;
    NEED_EXPAT;
    const char *const given[] = {"mass=2"};
    clv_model *m = NULL;
    assert_int_equal(clv_model_read_with(&m, ROBOTS "arm.urdf", given, 1), CLV_ERR_USAGE);
    assert_non_null(strstr(clv_model_error(m)->message, "has no parameters"));
    clv_model_destroy(m);
}

static void damaged_files_are_refused(void **state)
{
    (void)state;
    NEED_EXPAT;
    damage(ROBOTS "arm.urdf", "x.xml");
    damage(ROBOTS "rig.sdf", "x.xml");
}

static void without_expat_it_is_said(void **state)
{
    (void)state;
    if (clv_xml_present())
        skip();
    clv_model *m = NULL;
    assert_int_equal(clv_model_read(&m, ROBOTS "arm.urdf"), CLV_ERR_UNSUPPORTED);
    assert_non_null(strstr(clv_model_error(m)->message, "built without expat"));
    assert_non_null(strstr(clv_model_error(m)->hint, "libexpat1-dev"));
    clv_model_destroy(m);
}

/* ---------------------------------------------------------------- memory */

static void memory_may_run_out(void **state)
{
    (void)state;
    NEED_EXPAT;
    run_out_of_memory(ROBOTS "arm.urdf");
    run_out_of_memory(ROBOTS "five_bar.urdf");
    run_out_of_memory(ROBOTS "rig.sdf");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_arm_moves_as_by_hand),
        cmocka_unit_test(what_a_model_holds),
        cmocka_unit_test(writing_keeps_the_model),
        cmocka_unit_test(a_side_file_closes_loops),
        cmocka_unit_test(a_root_is_fixed_or_free),
        cmocka_unit_test(everything_lost_is_listed),
        cmocka_unit_test(limits_may_be_infinite),
        cmocka_unit_test(limits_of_other_joints_are_listed),
        cmocka_unit_test(what_robot_tools_let_pass),
        cmocka_unit_test(bad_files_are_refused_in_their_line),
        cmocka_unit_test(deep_nesting_is_refused),
        cmocka_unit_test(parameters_are_refused),
        cmocka_unit_test(damaged_files_are_refused),
        cmocka_unit_test(without_expat_it_is_said),
        cmocka_unit_test(memory_may_run_out),
    };
    if (clv_allocator_set(&counting_heap) != CLV_OK)
        return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
