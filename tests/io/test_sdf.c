/* SPDX-License-Identifier: Apache-2.0
 * SDF as models: the same accelerations as a model by hand, loops, what is not carried over, errors with their lines.
 */

#include "robot_files.h"
#include "model/fingerprint.h"
#include "near.h"

static clv_model *read_text(const char *text)
{
    clv_model *m = NULL;
    if (clv_model_read_text(&m, text, strlen(text), "robot.sdf") != CLV_OK)
        fail_msg("%s in\n%s", clv_model_error(m)->message, text);
    return m;
}

/* The model written out, read again with a start behind it. */
static clv_model *with_start(clv_model *m, const char *start)
{
    char *text;
    size_t size;
    assert_int_equal(clv_model_write_text(m, &text, &size), CLV_OK);
    char *whole = malloc(size + strlen(start) + 1);
    assert_non_null(whole);
    sprintf(whole, "%s%s", text, start);
    clv_model *again = read_text(whole);
    free(whole), clv_free(text), clv_model_destroy(m);
    return again;
}

static clv_sim *evaluated(const clv_model *m)
{
    clv_sim *s;
    if (clv_sim_create(&s, m, NULL) != CLV_OK)
        fail_msg("%s", clv_sim_error(s)->message);
    assert_int_equal(clv_sim_evaluate(s), CLV_OK);
    return s;
}

/* Every body of the first has the accelerations of the body of that name in the second. */
static void moves_as(const clv_model *m, const clv_model *by_hand)
{
    clv_sim *s = evaluated(m), *t = evaluated(by_hand);
    const double *a = clv_sim_acceleration(s), *b = clv_sim_acceleration(t);
    double most = 0;
    for (int i = 0; i < clv_model_body_count(m); i++) {
        const int k = clv_model_find_body(by_hand, clv_model_body_name(m, i));
        assert_true(k >= 0);
        for (int c = 0; c < 6 && strcmp(clv_model_body_name(m, i), "arm::hand") != 0; c++)
            CLV_NEAR(a[6 * i + c], b[6 * k + c], 1e-11);
        for (int c = 0; c < 6; c++)
            most = fmax(most, fabs(a[6 * i + c]));
    }
    assert_true(most > 1);
    clv_sim_destroy(s), clv_sim_destroy(t);
}

/* Joints of every kind, frames of frames, nested models, a mimic; by hand each body by itself. */
static void a_rig_moves_as_by_hand(void **state)
{
    (void)state;
    NEED_EXPAT;
    static const char start[] =
        "\nstart:\n  joints:\n    arm::shoulder: {q: 0.4, u: 1}\n    arm::slide: {q: 0.2, u: 0.5}\n"
        "    arm::elbow: {q: [0.3, -0.2], u: [1, 2]}\n    arm::thread: {q: 3, u: -5}\n"
        "    arm::wrist: {u: [0.4, -1, 2]}\n    kite::rail: {q: 0.3, u: -0.6}\n"
        "    kite::frame.free: {u: [1, -2, 0.5, 0.3, 2, 0.1]}\n";
    clv_model *m = with_start(read_file(ROBOTS "rig.sdf"), start),
              *by_hand = with_start(read_file(ROBOTS "rig.yaml"), start);
    moves_as(m, by_hand);
    clv_model_destroy(m), clv_model_destroy(by_hand);
}

static void what_a_model_holds(void **state)
{
    (void)state;
    NEED_EXPAT;
    clv_model *m = read_file(ROBOTS "rig.sdf");
    const clv_shape *s = clv_model_body_shape(m, clv_model_find_body(m, "arm::upper"));
    double limit[2];
    assert_string_equal(clv_model_name(m), "rig");
    assert_int_equal(s->kind, CLV_SHAPE_CYLINDER);
    CLV_NEAR(s->size[1], 0.5, 0);
    CLV_NEAR(s->colour[2], 1, 0);
    clv_model_input_limit(m, clv_model_find_input(m, "arm::shoulder"), limit);
    CLV_NEAR(limit[1], 12, 0);
    assert_int_equal(clv_model_find_input(m, "arm::slide"), -1); /* a follower */
    assert_true(clv_model_find_input(m, "kite::rail") >= 0);
    assert_int_equal(clv_model_find_body(m, "bench::top"), -1); /* the ground */
    assert_int_equal(clv_model_marker_count(m), 1);
    assert_string_equal(clv_model_marker_name(m, 0), "arm::tag");
    clv_model *again = with_start(read_file(ROBOTS "rig.sdf"), "");
    assert_true(clv_model_fingerprint(m) == clv_model_fingerprint(again));
    clv_model_destroy(m), clv_model_destroy(again);
}

static void everything_lost_is_listed(void **state)
{
    (void)state;
    NEED_EXPAT;
    static const struct {
        int line;
        bool harmful;
        const char *text;
    } lost[] = {{26, true, "contact of 2 collisions, this one first"},
                {97, true, "element <plugin> 'wind'"},
                {49, true, "position limits of joint 'arm::shoulder': -1 to inf"},
                {26, false, "collision of link 'arm::upper': the visuals are drawn"},
                {49, false, "velocity limit of joint 'arm::shoulder': 3"},
                {27, false, "element <sensor>"},
                {9, false, "inertia of link 'bench::top', which is fixed to the ground"}};
    clv_model *m = read_file(ROBOTS "rig.sdf");
    const int n = sizeof lost / sizeof *lost;
    assert_int_equal(clv_model_dropped_count(m), n);
    for (int i = 0; i < n; i++) {
        const clv_dropped *d = clv_model_dropped_at(m, i);
        assert_string_equal(d->text, lost[i].text);
        assert_int_equal(d->line, lost[i].line);
        assert_int_equal(d->harmful, lost[i].harmful);
    }
    clv_model_destroy(m);
}

/* Gazebo writes the largest number where there is no limit. */
static void a_huge_limit_is_none(void **state)
{
    (void)state;
    NEED_EXPAT;
    clv_model *m = read_text(
        "<sdf version='1.6'><model name='m'><link name='a'/><joint name='j' type='revolute'><parent>world</parent>"
        "<child>a</child><axis><xyz>0 0 1</xyz><limit><lower>-1.79769e+308</lower><upper>1.79769e+308</upper>"
        "<effort>-1</effort><velocity>1e999</velocity></limit></axis></joint></model></sdf>");
    double limit[2];
    assert_int_equal(clv_model_dropped_count(m), 0);
    clv_model_input_limit(m, 0, limit);
    assert_true(limit[0] == -INFINITY && limit[1] == INFINITY);
    clv_model_destroy(m);
}

/* Before 1.7 a joint may have the name of its link. */
static void a_joint_may_be_called_as_its_link(void **state)
{
    (void)state;
    NEED_EXPAT;
    clv_model *m = read_text("<sdf version='1.6'><model name='m'><link name='a'/><joint name='a' type='ball'>"
                             "<parent>world</parent><child>a</child></joint></model></sdf>");
    assert_int_equal(clv_model_find_body(m, "a"), 0);
    assert_int_equal(clv_model_find_joint(m, "a"), 0);
    assert_int_equal(clv_model_joint_count(m), 1);
    clv_model_destroy(m);
}

/* ---------------------------------------------------------------- loops */

#define LINK(name, x, y) "<link name='" name "'><pose>" x " " y " 0 0 0 0</pose></link>"
#define PIN(name, kind, parent, child, x, y)                                                                           \
    "<joint name='" name "' type='" kind "'><parent>" parent "</parent><child>" child                                  \
    "</child><pose relative_to='__model__'>" x " " y " 0 0 0 0</pose><axis><xyz>0 0 1</xyz></axis></joint>"

static int mobility(const char *text)
{
    clv_model *m = read_text(text);
    clv_sim *s = evaluated(m);
    clv_sim_report report;
    clv_sim_summary(s, &report);
    clv_sim_destroy(s), clv_model_destroy(m);
    return report.mobility_found;
}

/* Two joints lead to a link, joints in a circle, and a circle closed by a fixed joint. */
static void joints_close_loops(void **state)
{
    (void)state;
    NEED_EXPAT;
    const char *const four_bar = "<sdf version='1.9'><model name='m'>" LINK("a", "0", "1") LINK("b", "1", "2")
        LINK("c", "3", "1") PIN("1", "revolute", "world", "a", "0", "0") PIN("2", "revolute", "a", "b", "0", "2")
            PIN("3", "revolute", "b", "c", "3", "2.5") PIN("4", "revolute", "world", "c", "3", "0") "</model></sdf>";
    const char *const circle =
        "<sdf version='1.9'><model name='m'>" LINK("a", "0", "0") LINK("b", "1", "0") LINK("c", "1", "1")
            LINK("d", "0", "1") PIN("1", "revolute", "a", "b", "1", "0") PIN("2", "revolute", "b", "c", "1.1", "1")
                PIN("3", "revolute", "c", "d", "0", "1.2") PIN("4", "revolute", "d", "a", "0", "0.1") "</model></sdf>";
    const char *const rigid = "<sdf version='1.9'><model name='m'>" LINK("a", "0", "0") LINK("b", "1", "0")
        LINK("c", "1", "1") PIN("1", "revolute", "a", "b", "1", "0") PIN("2", "revolute", "b", "c", "1.1", "1")
            PIN("3", "revolute", "a", "c", "0", "1.2") "</model></sdf>";
    assert_int_equal(mobility(four_bar), 1);
    assert_int_equal(mobility(circle), 7);
    assert_int_equal(mobility(rigid), 6);
    const char *const welded = "<sdf version='1.9'><model name='m'>" LINK("a", "0", "0") LINK("b", "1", "0") PIN(
        "1", "revolute", "a", "b", "1", "0") "<joint name='2' type='fixed'><parent>a</parent><child>b</child></joint>"
                                             "</model></sdf>";
    assert_int_equal(mobility(welded), 6);
}

/* Before 1.5 an axis is in the frame of the model, since then in that of the joint. */
static void axes_follow_the_version(void **state)
{
    (void)state;
    NEED_EXPAT;
    static const struct {
        const char *version, *more;
        double axis; /* x of the axis in the world */
    } row[] = {{"1.4", "", 1},
               {"1.5", "", 0},
               {"1.10", "", 0},
               {"1.6", "<use_parent_model_frame>1</use_parent_model_frame>", 1}};
    for (int i = 0; i < 4; i++) {
        char text[800];
        snprintf(text, sizeof text,
                 "<sdf version='%s'><model name='m'><link name='a'><pose>0 0 0 0 0 1.5707963267948966</pose></link>"
                 "<joint name='j' type='prismatic'><parent>world</parent><child>a</child><axis><xyz>1 0 "
                 "0</xyz>%s</axis></joint>"
                 "</model></sdf>",
                 row[i].version, row[i].more);
        clv_model *m = with_start(read_text(text), "\nstart: {joints: {j: {q: 1}}}\n");
        clv_sim *s = evaluated(m);
        CLV_NEAR(clv_sim_position(s)[0], row[i].axis, 1e-15);
        CLV_NEAR(clv_sim_position(s)[1], 1 - row[i].axis, 1e-15);
        clv_sim_destroy(s), clv_model_destroy(m);
    }
}

/* ---------------------------------------------------------------- errors */

#define MODEL(text) "<sdf version='1.9'>\n<model name='m'>\n<link name='a'/>\n" text "\n</model></sdf>"

/* A joint to the frame of a nested model holds its first link; a screw without a pitch has one metre a turn. */
static void nested_frames_and_standard_pitch(void **state)
{
    (void)state;
    NEED_EXPAT;
    clv_model *m = read_text("<sdf version='1.9'><model name='m'><static>False</static><model name='n'>"
                             "<link name='a'/></model><frame name='o::__model__' attached_to='n'/>"
                             "<frame name='p' attached_to='o::__model__'/><joint name='s' type='screw'>"
                             "<parent>world</parent><child>n::__model__</child></joint></model></sdf>");
    clv_sim *s = evaluated(m);
    double a[6];
    memcpy(a, clv_sim_acceleration(s), sizeof a);
    const double pitch = 1 / (2 * 3.14159265358979323846), turn = -9.8 * pitch / (1 + pitch * pitch);
    CLV_NEAR(a[2], turn * pitch, 1e-12);
    CLV_NEAR(a[5], turn, 1e-12);
    clv_sim_destroy(s), clv_model_destroy(m);
}

/* Before 1.6 it is in <physics>; since then it is not, and is listed there. */
static void gravity_follows_the_version(void **state)
{
    (void)state;
    NEED_EXPAT;
    static const struct {
        const char *version;
        double down;
        int dropped;
    } row[] = {{"1.4", -1.6, 0}, {"1.5", -1.6, 0}, {"1.6", -3, 1}, {"1.10", -3, 1}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        char text[600];
        snprintf(text, sizeof text,
                 "<sdf version='%s'><world name='w'><gravity>0 0 -3</gravity><physics type='ode'>\n"
                 "<gravity>0 0 -1.6</gravity></physics><model name='m'><link name='a'/></model></world></sdf>",
                 row[i].version);
        clv_model *m = read_text(text);
        clv_sim *s = evaluated(m);
        CLV_NEAR(clv_sim_acceleration(s)[2], row[i].down, 1e-12);
        const clv_dropped *d = clv_model_dropped_at(m, 0); /* then <physics> itself */
        assert_int_equal(d->harmful, row[i].dropped);
        assert_int_equal(d->line, row[i].dropped ? 2 : 1);
        clv_sim_destroy(s), clv_model_destroy(m);
    }
}

static void bad_files_are_refused_in_their_line(void **state)
{
    (void)state;
    NEED_EXPAT;
    static const struct {
        const char *text;
        int line;
        const char *message;
    } bad[] = {
        {"<sdf/>", 1, "no <model>"},
        {"<sdf>\n<world name='w'/>\n</sdf>", 2, "no <model>"},
        {"<sdf><world name='w'><model name='m'/></world>\n<world name='v'/></sdf>", 2, "two worlds"},
        {"<sdf><model><link name='a'/></model></sdf>", 1, "<model> has no name"},
        {MODEL("<link name='a'/>"), 4, "given twice"},
        {"<sdf version='1.7'><model name='m'><link name='a'/>\n<joint name='a' type='ball'><parent>world</parent>"
         "<child>a</child></joint></model></sdf>",
         2, "given twice"},
        {MODEL("<include><uri>model://b</uri></include>"), 4, "'model://b'"},
        {MODEL("<joint name='j' type='hinge'><parent>world</parent><child>a</child></joint>"), 4,
         "unknown type of joint 'hinge'"},
        {MODEL("<joint name='j' type='gearbox'><parent>world</parent><child>a</child></joint>"), 4,
         "type 'gearbox' is not read"},
        {MODEL("<joint name='j' type='fixed'><parent>world</parent><child>b</child></joint>"), 4, "'m::b'"},
        {MODEL("<joint name='j' type='fixed'><child>a</child></joint>"), 4, "no <parent>"},
        {MODEL("<joint name='j' type='fixed'><parent>a</parent><child>world</child></joint>"), 4,
         "cannot be the child"},
        {MODEL("<joint name='j' type='fixed'><parent>a</parent><child>a</child></joint>"), 4, "with itself"},
        {"<sdf>\n<world name='w'>\n<include><uri>model://b</uri></include></world>\n</sdf>", 3, "'model://b'"},
        {MODEL("<joint name='j' type='screw'><parent>world</parent><child>a</child>"
               "<screw_thread_pitch>0</screw_thread_pitch></joint>"),
         4, "has a pitch of 0"},
        {MODEL("<joint name='j' type='revolute'><parent>world</parent><child>a</child><axis>\n<xyz>0 0 "
               "0</xyz></axis></joint>"),
         5, "no direction"},
        {MODEL("<joint name='j' type='universal'><parent>world</parent><child>a</child><axis><xyz>1 0 0</xyz></axis>"
               "<axis2><xyz>1 1 0</xyz></axis2></joint>"),
         4, "at 45 deg"},
        {MODEL("<joint name='j' "
               "type='revolute'><parent>world</parent><child>a</child><axis><dynamics><damping>-1</damping>"
               "</dynamics></axis></joint>"),
         4, "not negative"},
        {MODEL("<link name='b'><pose relative_to='c'/></link><link name='c'>\n<pose relative_to='b'/></link>"), 4,
         "refers to itself"},
        {MODEL("<link name='b'>\n<pose>1 2 3 4 5</pose></link>"), 5, "5 numbers, not 6"},
        {MODEL("<link name='b'>\n<pose>1 2 3 4 5 nan</pose></link>"), 5, "not read as numbers"},
        {MODEL("<link name='b'><pose rotation_format='quat_xyzw'>0 0 0 0 0 0 0</pose></link>"), 4, "no direction"},
        {MODEL("<link name='b'><inertial><mass>-2</mass></inertial></link>"), 4, "cannot be negative"},
        {MODEL("<link name='b'><inertial auto='true'/></link>"), 4, "is not read"},
        {MODEL("<link name='b'><inertial>\n<mass/></inertial></link>"), 5, "needs a number"},
        {MODEL("<frame name='f' attached_to='f'/><joint name='j' "
               "type='fixed'><parent>world</parent><child>f</child></joint>"),
         4, "itself"},
        {"<sdf><world name='w'><model name='m'/><model name='m2'><link name='a'/></model>\n"
         "<joint name='j' type='fixed'><parent>world</parent><child>m</child></joint></world></sdf>",
         1, "has no link"},
        {"<sdf><model name='m'><static>true</static><link name='a'/></model></sdf>", 1, "no body that moves"},
        {"<sdf><model name='m' placement_frame='a'><link name='a'/></model></sdf>", 1, "placement_frame"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        clv_model *m = NULL;
        assert_int_not_equal(clv_model_read_text(&m, bad[i].text, strlen(bad[i].text), "bad.sdf"), CLV_OK);
        const clv_error *e = clv_model_error_at(m, 0);
        if (!strstr(e->message, bad[i].message) || e->line != bad[i].line)
            fail_msg("line %d: %s; not line %d: %s", e->line, e->message, bad[i].line, bad[i].message);
        clv_model_destroy(m);
        assert_int_equal(clv_alloc_live(), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rig_moves_as_by_hand),
        cmocka_unit_test(what_a_model_holds),
        cmocka_unit_test(everything_lost_is_listed),
        cmocka_unit_test(a_huge_limit_is_none),
        cmocka_unit_test(a_joint_may_be_called_as_its_link),
        cmocka_unit_test(nested_frames_and_standard_pitch),
        cmocka_unit_test(joints_close_loops),
        cmocka_unit_test(axes_follow_the_version),
        cmocka_unit_test(gravity_follows_the_version),
        cmocka_unit_test(bad_files_are_refused_in_their_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
