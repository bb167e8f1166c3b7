/* SPDX-License-Identifier: Apache-2.0
 * Words of other programs, and what they are called here: for keys, kinds, the ground.  And why a text is no number,
 * for the usual surprises. */
#include "io/yaml_read.h"
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

typedef struct word {
    const char *theirs, *hint;
} word;

static const word kinds[] = {
    {"hinge", "this kind is called revolute"},       {"pin", "this kind is called revolute"},
    {"continuous", "this kind is called revolute"},  {"rotational", "this kind is called revolute"},
    {"slider", "this kind is called prismatic"},     {"translational", "this kind is called prismatic"},
    {"ball", "this kind is called spherical"},       {"screw", "this kind is called helical"},
    {"weld", "this kind is called fixed"},           {"rigid", "this kind is called fixed"},
    {"hooke", "this kind is called universal"},      {"cardan", "this kind is called universal"},
    {"floating", "this kind is called free"},        {"gear", "write gears under couplings"},
    {"rolling", "a wheel: rolling-disc; a ball: rolling-sphere"},
    {"wheel", "this kind is called rolling-disc"},   {"skate", "this kind is called knife-edge"},
    {"rod", "this kind is called distance"},         {"moment", "this kind is called torque"},
    {"spring", "this kind is called spring-damper"},
    {"damper", "spring-damper acts along a line, angular-damper on relative rotation"},
    {"motor", "write drives under motions, under inputs, or under forces as joint-load"},
    {"gravity", "write `gravity: [0, 0, -9.81]` at the top of the file"},
    {NULL, NULL}};

/* Keys by section; CLV_SECTIONS: wherever it is unknown. */
static const struct {
    clv_section section;
    word word;
} keys[] = {
    {CLV_IN_FILE, {"include", "one file holds one whole model; repeat makes many alike entries"}},
    {CLV_IN_FILE, {"variables", "write `parameters: {l: 0.4 m}`"}},
    {CLV_IN_FILE, {"constants", "write `parameters: {l: 0.4 m}`"}},
    {CLV_IN_FILE, {"links", "write `bodies`"}},
    {CLV_IN_FILE, {"springs", "write them under forces, kind spring-damper"}},
    {CLV_IN_FILE, {"gears", "write `couplings`"}},
    {CLV_IN_BODY, {"density", "give the mass; `inertia: from shape` then spreads it evenly"}},
    {CLV_IN_BODY, {"moments", "write `inertia`"}},
    {CLV_IN_BODY, {"centre", "write `com`"}},
    {CLV_IN_BODY, {"center", "write `com`"}},
    {CLV_IN_SHAPE, {"radius", "write `sphere: 0.1` or `cylinder: [0.05, 1]`"}},
    {CLV_IN_SHAPE, {"position", "write `at`"}},
    {CLV_IN_JOINT, {"parent", "write `between: [ground, crank]`, the inboard body first"}},
    {CLV_IN_JOINT, {"child", "write `between: [ground, crank]`, the inboard body first"}},
    {CLV_IN_JOINT, {"of", "write `between: [ground, crank]`, the inboard body first"}},
    {CLV_IN_JOINT, {"to", "write `between: [ground, crank]`, the inboard body first"}},
    {CLV_IN_JOINT, {"bodies", "write `between: [ground, crank]`"}},
    {CLV_IN_JOINT, {"position", "write `at` for the joint point in the global start pose"}},
    {CLV_IN_JOINT, {"origin", "write `at` for the joint point in the global start pose"}},
    {CLV_IN_JOINT, {"limits", "give `lower`, `upper` and `stop_stiffness` under forces, kind joint-load"}},
    {CLV_IN_JOINT, {"friction", "write it under forces, kind joint-load"}},
    {CLV_IN_JOINT, {"damping", "write it under forces, kind joint-load"}},
    {CLV_IN_JOINT, {"stiffness", "write it under forces, kind joint-load"}},
    {CLV_IN_JOINT, {"q", "write it under start.joints"}},
    {CLV_IN_JOINT, {"motion", "write it under motions"}},
    {CLV_IN_SIDE, {"axis", "the joint axis is z of the frame: give `orientation: {axis: [1, 0, 0], angle: -90 deg}`"}},
    {CLV_IN_SIDE, {"at", "write `position`, in axes of the body"}},
    {CLV_IN_SIDE, {"point", "write `position`, in axes of the body"}},
    {CLV_IN_ORIENTATION, {"rpy", "give axis and angle, a quaternion, a matrix, or x and z"}},
    {CLV_IN_ORIENTATION, {"euler", "give axis and angle, a quaternion, a matrix, or x and z"}},
    {CLV_IN_FORCE, {"magnitude", "write `vector: [0, -5, 0]`"}},
    {CLV_IN_FORCE, {"direction", "write `vector: [0, -5, 0]`"}},
    {CLV_IN_FORCE, {"value", "write `vector: [0, -5, 0]`"}},
    {CLV_IN_FORCE, {"at", "write `point`, in axes of the body"}},
    {CLV_IN_LOAD, {"torque", "write `drive`"}},
    {CLV_IN_LOAD, {"force", "write `drive`"}},
    {CLV_IN_LOAD, {"length", "write `rest`"}},
    {CLV_IN_SPRING, {"at", "write `points: [[0, 0, 0], [1, 0, 0]]`, in axes of the bodies"}},
    {CLV_IN_SPRING, {"at_b", "write `points: [[0, 0, 0], [1, 0, 0]]`, in axes of the bodies"}},
    {CLV_IN_SPRING, {"a", "write `points: [[0, 0, 0], [1, 0, 0]]`, in axes of the bodies"}},
    {CLV_IN_SPRING, {"b", "write `points: [[0, 0, 0], [1, 0, 0]]`, in axes of the bodies"}},
    {CLV_IN_SPRING, {"rest", "write `length`"}},
    {CLV_IN_SPRING, {"only", "for a rope give `upper` and `stop_stiffness`, for a bumper `lower`"}},
    {CLV_IN_SPRING, {"joint", "for a spring in a joint use kind joint-load"}},
    {CLV_IN_CONTACT, {"among", "write `kind: contacts` for many bodies"}},
    {CLV_IN_CONTACTS, {"between", "write `kind: contact` for two bodies, or `among` and `with`"}},
    {CLV_IN_CONTACTS, {"bodies", "write `among: [foot*, box1]`"}},
    {CLV_IN_CONTACTS, {"exclude", "write `except: [[arm, tool]]`"}},
    {CLV_IN_CONTACTS, {"friction", "write `dynamic_friction: 0.5`, and `static_friction` where it is larger"}},
    {CLV_IN_CONTACTS, {"damping", "write `dissipation: 0.2`, s/m"}},
    {CLV_IN_CONTACTS, {"mu", "write `dynamic_friction: 0.5`, and `static_friction` where it is larger"}},
    {CLV_IN_CONTACT, {"friction", "write `dynamic_friction: 0.5`, and `static_friction` where it is larger"}},
    {CLV_IN_CONTACT, {"damping", "write `dissipation: 0.2`, s/m"}},
    {CLV_IN_CONTACT, {"mu", "write `dynamic_friction: 0.5`, and `static_friction` where it is larger"}},
    {CLV_IN_MOTION, {"speed", "write `rate`"}},
    {CLV_IN_MOTION, {"velocity", "write `rate`"}},
    {CLV_IN_MOTION, {"omega", "write `rate` for a constant rate, `frequency` for a sine"}},
    {CLV_IN_MOTION, {"body", "a motion drives a joint: write `joint: a`"}},
    {CLV_IN_COUPLING, {"joints", "write `first` and `second`"}},
    {CLV_IN_MARKER, {"point", "write `position`"}},
    {CLV_IN_MARKER, {"at", "write `position`, in axes of the body"}},
    {CLV_IN_FILE, {"actuators", "write `inputs`"}},
    {CLV_IN_FILE, {"controls", "write `inputs`"}},
    {CLV_IN_FILE, {"motors", "write `inputs`, or joint loads under forces"}},
    {CLV_IN_INPUT, {"kind", "leave it out: the key joint, body or motion determines what an input acts on"}},
    {CLV_IN_INPUT, {"vector", "write `force: [0, 0, 1]` or `torque: [0, 0, 1]`"}},
    {CLV_IN_INPUT, {"limits", "write `limit`"}},
    {CLV_IN_INPUT, {"effort", "write `limit: 20`"}},
    {CLV_IN_INPUT, {"table", "a program sets it during a run; write loads that are known over time under forces"}},
    {CLV_IN_EVENT, {"unlock", "write `release: latch`, the event that locks"}},
    {CLV_IN_EVENT, {"grasp", "write `attach: [gripper, payload]`"}},
    {CLV_IN_EVENT, {"detach", "write `release: grasp`, the event that attaches"}},
    {CLV_IN_EVENT, {"end", "write `stop: true`"}},
    {CLV_IN_EVENT, {"time", "write `at: 3`"}},
    {CLV_IN_WHEN, {"value", "write `above: 0` or `below: 0`"}},
    {CLV_IN_WHEN, {"markers", "write `marker-distance: [p, q]`"}},
    {CLV_IN_WHEN, {"distance", "write `marker-distance: [p, q]`"}},
    {CLV_IN_WHEN, {"time", "write `at: 3` in place of when"}},
    {CLV_IN_WHEN, {"moment", "write `torque: a`"}},
    {CLV_IN_WHEN, {"reaction", "write `force: a` or `torque: a`"}},
    {CLV_IN_START_BODY, {"speed", "write `velocity`"}},
    {CLV_IN_START_BODY, {"omega", "write `angular_velocity`"}},
    {CLV_IN_START_JOINT, {"angle", "write `q`"}},
    {CLV_IN_START_JOINT, {"rate", "write `u`"}},
    {CLV_SECTIONS, {"type", "write `kind`"}},
    {CLV_SECTIONS, {"k", "write `stiffness`"}},
    {CLV_SECTIONS, {"c", "write `damping`"}},
    {CLV_SECTIONS, {"d", "write `damping`"}},
    {CLV_SECTIONS, {"name", "the name comes before the colon, as in `crank: {mass: 1, inertia: [1, 1, 1]}`"}},
};

/* Does a key of another section carry this name?  Then the place is reported. */
static bool elsewhere(clv_section section, const char *key, char *hint, size_t size)
{
    static const clv_section told[] = {CLV_IN_BODY, CLV_IN_JOINT, CLV_IN_START_BODY, CLV_IN_START_JOINT, CLV_IN_FILE};
    for (size_t k = 0; k < sizeof told / sizeof *told; ++k)
        if (told[k] != section && strcmp(key, "repeat") != 0 && clv_schema_find(told[k], key) >= 0) {
            snprintf(hint, size, "'%s' is a key of %s", key, clv_schema_place(told[k]));
            return true;
        }
    return false;
}

bool clv_hint_key(clv_section section, const clv_yaml_node *value, const char *key, char *hint, size_t size)
{
    const char *colon = strchr(key, ':');
    if (colon && colon[1]) {
        snprintf(hint, size, "write a space after the colon, as `%.*s: %.40s`",
                 (int)(colon - key < 40 ? colon - key : 40), key, colon + 1);
        return true;
    }
    bool takes[2] = {clv_schema_find(section, "stiffness") >= 0, clv_schema_find(section, "damping") >= 0};
    for (size_t k = 0; k < sizeof keys / sizeof *keys; ++k) {
        bool here = keys[k].section == section || (keys[k].section == CLV_IN_FORCE && section == CLV_IN_TORQUE);
        if (strcasecmp(keys[k].word.theirs, key) != 0)
            continue;
        if (keys[k].section == CLV_SECTIONS)
            here = strcmp(key, "type") == 0   ? clv_schema_find(section, "kind") >= 0
                   : strcmp(key, "k") == 0    ? takes[0]
                   : strcmp(key, "name") == 0 ? section != CLV_IN_SHAPE
                                              : takes[1];
        if (here) {
            snprintf(hint, size, "%s", keys[k].word.hint);
            return true;
        }
    }
    if (section == CLV_IN_START && value->kind == CLV_YAML_MAP) {
        snprintf(hint, size, "write it under start.bodies or start.joints");
        return true;
    }
    return elsewhere(section, key, hint, size);
}

const char *clv_hint_kind(const char *text)
{
    for (const word *w = kinds; w->theirs; ++w)
        if (strcasecmp(w->theirs, text) == 0)
            return w->hint;
    return NULL;
}

bool clv_means_ground(const char *name)
{
    static const char *const other[] = {"ground", "world", "earth", "inertial",
                                        "origin", "global", "base_link", "none"};
    for (size_t k = 0; k < sizeof other / sizeof *other; ++k)
        if (strcasecmp(other[k], name) == 0)
            return true;
    return false;
}

static bool is_word(const char *s, const char *a, const char *b)
{
    s += *s == '.';
    return strcasecmp(s, a) == 0 || strcasecmp(s, b) == 0;
}

const char *clv_number_oddity(const char *t)
{
    const char *s = t + (*t == '+' || *t == '-');
    bool digit = isdigit((unsigned char)*s);
    if (is_word(s, "inf", "infinity"))
        return "infinity is not allowed";
    if (is_word(s, "nan", "nan"))
        return "NaN is not allowed";
    if (s[0] == '0' && (s[1] == 'x' || s[1] == 'X' || s[1] == 'o' || s[1] == 'b'))
        return "numbers are decimal";
    if (strstr(t, "\xc2\xb0"))
        return "write deg for degrees";
    if (strncmp(t, "\xe2\x88\x92", 3) == 0 || strncmp(t, "\xe2\x80\x93", 3) == 0)
        return "this is a dash, not the minus sign of the keyboard";
    if (strncmp(t, "\xe2\x80\x9c", 3) == 0 || strncmp(t, "\xe2\x80\x98", 3) == 0)
        return "remove the quotes";
    if (*t == '=')
        return "a formula begins without =";
    if (strchr(t, '_') && digit)
        return "numbers are written without underscores";
    if (strchr(t, ',') && digit)
        return "the decimal sign is a point";
    if (digit && s[strspn(s, "0123456789. ")] == '\0' && strchr(s, ' '))
        return "it contains a space; is a comma missing?";
    return NULL;
}
