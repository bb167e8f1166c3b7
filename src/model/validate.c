/* SPDX-License-Identifier: Apache-2.0
 * The rules of a model that need no pose: what would be wrong in mechanics or contradict itself.  Each fault is
 * reported with the item's name, its place, the reason and a way out.  All are collected (clv_model_note), so a model
 * is repaired in one go.  What cannot even be stored was refused by clv_model_add_*. */
#include "base/error.h"
#include "base/memory.h"
#include "math/rotation.h"
#include "model/coupling.h"
#include "model/curve.h"
#include "model/force.h"
#include "model/inertia.h"
#include "model/joint.h"
#include "model/keep.h"
#include "model/model.h"
#include "model/profile.h"

#include <math.h>
#include <stdlib.h>

#define INERTIA_TOLERANCE 1e-9 /* relative: files carry rounded moments */
#define ROUNDING 1e-14         /* of mass x size^2: moments shifted to another point carry it */

/* Notes an error with its hint and number. */
#define NOTE(m, group, name, field, number, hint, ...)                                     \
    do {                                                                                   \
        clv_error *note_ = clv_model_note((m), (group), (name), (field), __VA_ARGS__);     \
        clv_error_hint(note_, "%s", (hint));                                               \
        note_->value = (number);                                                           \
    } while (0)

/* ------------------------------------------------------------------ bodies */

/* m; places of bodies and joints, and arms on bodies: what inertias of this model come from */
static double model_size(const clv_model *m)
{
    double lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY}, most = 0;
    for (int b = 0; b < m->nbody; b++) {
        most = fmax(most, sqrt(clv_dot3(m->body[b].com, m->body[b].com)));
        for (int i = 0; m->body[b].placed && i < 3; i++)
            lo[i] = fmin(lo[i], m->body[b].r[i]), hi[i] = fmax(hi[i], m->body[b].r[i]);
    }
    for (int j = 0; j < m->njoint; j++) {
        const clv_joint *x = &m->joint[j];
        for (int i = 0; x->given && i < 3; i++)
            lo[i] = fmin(lo[i], x->given->at[i]), hi[i] = fmax(hi[i], x->given->at[i]);
        for (int side = 0; !x->given && side < 2; side++)
            if ((side ? x->b : x->a) != CLV_GROUND)
                most = fmax(most, sqrt(clv_dot3(side ? x->pb : x->pa, side ? x->pb : x->pa)));
    }
    for (int i = 0; i < 3; i++)
        most = fmax(most, hi[i] - lo[i]);
    return most;
}

static void check_body(clv_model *m, clv_body *b, double size)
{
    double moment[3];
    if (b->mass < 0)
        NOTE(m, "bodies", b->name, "mass", b->mass, "give a mass of 0 or more, in kg",
             "body '%s': its mass is negative (%g kg)", b->name, b->mass);
    clv_principal_moments(moment, b->J);
    double slack = fmax(INERTIA_TOLERANCE * fmax(fabs(moment[0]), fabs(moment[2])), ROUNDING * b->mass * size * size);
    if (m->lenient && b->flex < 0 && clv_moments_excess(moment) > slack) {
        b->clipped = clv_keep_numbers(m, moment, 3);
        m->error_more += !b->clipped; /* out of memory */
        clv_inertia_clip(b->J);
        return;
    }
    if (moment[0] < -slack)
        NOTE(m, "bodies", b->name, "inertia", moment[0],
             "order: xx yy zz xy xz yz about the centre of mass; products carry their sign; `lenient`, in the "
             "file `lenient: true`, clips it to the nearest valid inertia",
             "body '%s': its inertia has a negative principal moment (%g kg m^2), so a rotation could have negative "
             "kinetic energy",
             b->name, moment[0]);
    else if (moment[2] > moment[0] + moment[1] + slack)
        NOTE(m, "bodies", b->name, "inertia", moment[2] - moment[0] - moment[1],
             "check units and the reference point: the moments are about the centre of mass; `lenient`, in "
             "the file `lenient: true`, clips them to the nearest valid ones",
             "body '%s': no rigid body has principal moments %g, %g, %g kg m^2; the largest exceeds the sum of the "
             "others",
             b->name, moment[0], moment[1], moment[2]);
}

/* ------------------------------------------------------------------ joints */

static void check_ends(clv_model *m, const clv_joint *j)
{
    if (j->a == CLV_GROUND && j->b == CLV_GROUND)
        NOTE(m, "joints", j->name, "between", NAN, "name a body on one side", "joint '%s': both sides are the ground",
             j->name);
    else if (j->a == j->b)
        NOTE(m, "joints", j->name, "between", NAN, "name two different bodies", "joint '%s': joins body '%s' to itself",
             j->name, m->body[j->a].name);
}

static void check_frame(clv_model *m, const clv_joint *j)
{
    double E[9];
    static const double none[3] = {0, 0, 0};
    if (!j->given || !clv_joint_table[j->kind].tree)
        return;
    if (!clv_rotation_frame(E, j->given->axis, none))
        NOTE(m, "joints", j->name, "axis", 0, "give a direction, as [0, 0, 1]", "joint '%s': its axis has length zero",
             j->name);
    else if (!clv_rotation_frame(E, j->given->axis, j->given->x_axis))
        NOTE(m, "joints", j->name, "x_axis", NAN, "leave x_axis out, or give a direction not parallel to the axis",
             "joint '%s': x_axis is parallel to axis, so the joint frame is undefined", j->name);
}

/* How its constraint is held: NaN, or in the range of the option of the same name. */
static void check_holding(clv_model *m, const clv_joint *j)
{
    const struct {
        const char *key;
        double x, least, most;
    } number[] = {{"baumgarte", j->more->baumgarte[0], 0, 1e12},
                  {"baumgarte", j->more->baumgarte[1], 0, 1e12},
                  {"alpha", j->more->alpha, 1e-6, 1e15},
                  {"omega", j->more->omega, 0, 1e6},
                  {"mu", j->more->mu, 0, 1e6}};
    for (size_t i = 0; i < sizeof number / sizeof *number; i++)
        if (!isnan(number[i].x) && !(number[i].x >= number[i].least && number[i].x <= number[i].most))
            NOTE(m, "joints", j->name, number[i].key, number[i].x, "as for the option of the same name",
                 "joint '%s': %s must be from %g to %g, found %g", j->name, number[i].key, number[i].least,
                 number[i].most, number[i].x);
    if (isnan(j->more->baumgarte[0]) != isnan(j->more->baumgarte[1]))
        NOTE(m, "joints", j->name, "baumgarte", NAN, "give both gains", "joint '%s': baumgarte needs two gains",
             j->name);
}

/* Inertia of rotors: along rates that are there; the same along those of a spherical joint, whose axes turn. */
static void check_armature(clv_model *m, const clv_joint *j)
{
    const clv_joint_row *row = &clv_joint_table[j->kind];
    const double *x = j->more->armature;
    const int n = row->tree && row->nu <= 3 ? row->nu : 0;
    for (int i = 0; i < 3; i++)
        if (i >= n && x[i] != 0)
            NOTE(m, "joints", j->name, "armature", x[i],
                 n > 0 ? "give one number for each rate" : "leave armature out, or add a body for the rotor",
                 "joint '%s': a %s joint has %d rates that can have an armature", j->name, row->name, n);
        else if (!(x[i] >= 0 && x[i] <= 1e12))
            NOTE(m, "joints", j->name, "armature", x[i], "give the inertia of the rotor times the square of its ratio",
                 "joint '%s': armature must be from 0 to 1e12, found %g", j->name, x[i]);
    if (j->kind == CLV_JOINT_SPHERICAL && (x[1] != x[0] || x[2] != x[0]))
        NOTE(m, "joints", j->name, "armature", NAN, "give three equal numbers",
             "joint '%s': the armature of a spherical joint is the same about all axes", j->name);
}

static void check_curve(clv_model *m, const clv_joint *j)
{
    if (j->kind != CLV_JOINT_POINT_ON_CURVE)
        return;
    const int cusp = clv_curve_cusp(j->more->curve);
    if (cusp >= 0)
        NOTE(m, "joints", j->name, "curve", cusp, "give more points there, or round the corner",
             "joint '%s': its curve has a corner behind point %d", j->name, cusp + 1);
    if (j->given)
        NOTE(m, "joints", j->name, "between", NAN, "give `a: {body: cam}` and `b: {body: follower}`",
             "joint '%s': a point-on-curve has a curve on its first body and a point on its second; give the long form",
             j->name);
}

static void check_numbers(clv_model *m, const clv_joint *j)
{
    const clv_joint_row *row = &clv_joint_table[j->kind];
    if (j->kind == CLV_JOINT_HELICAL && j->more->pitch == 0)
        NOTE(m, "joints", j->name, "pitch", 0, "give the pitch in m/rad, or use kind revolute",
             "joint '%s': a helical joint needs a pitch", j->name);
    if (j->kind != CLV_JOINT_HELICAL && j->more->pitch != 0)
        NOTE(m, "joints", j->name, "pitch", j->more->pitch, "use kind helical, or leave pitch out",
             "joint '%s': a %s joint has no pitch", j->name, row->name);
    if (j->kind == CLV_JOINT_DISTANCE && j->more->distance < 0)
        NOTE(m, "joints", j->name, "distance", j->more->distance,
             "give a length in m, or leave it out to take it from the start",
             "distance '%s': the distance is negative (%g m)", j->name, j->more->distance);
    if (j->kind != CLV_JOINT_DISTANCE && j->more->distance != 0)
        NOTE(m, "joints", j->name, "distance", j->more->distance, "use kind distance, or leave distance out",
             "joint '%s': a %s joint has no distance", j->name, row->name);
    if (clv_joint_rolls(j->kind) && !(j->more->radius > 0))
        NOTE(m, "joints", j->name, "radius", j->more->radius, "give the radius in m, as `radius: 0.3`",
             "joint '%s': a %s joint needs a radius > 0, found %g", j->name, row->name, j->more->radius);
    if (!clv_joint_rolls(j->kind) && j->more->radius != 0)
        NOTE(m, "joints", j->name, "radius", j->more->radius,
             "use kind rolling-disc or rolling-sphere, or leave radius out",
             "joint '%s': a %s joint has no radius", j->name, row->name);
    if (clv_joint_rolls(j->kind) && j->given)
        NOTE(m, "joints", j->name, "between", NAN, "give `a: {body: ground}` and `b: {body: wheel}`",
             "joint '%s': a %s joint has a plane on its first body and a frame on its second; give the long form",
             j->name, row->name);
    check_curve(m, j);
    check_armature(m, j);
    if (j->cut < -1 || j->cut > 1)
        NOTE(m, "joints", j->name, "cut", j->cut,
             "1 closes a loop here, 0 keeps the joint in the tree, -1 leaves it open",
             "joint '%s': cut must be 1, 0 or -1", j->name);
    check_holding(m, j);
    if (!row->tree && j->cut == 0)
        NOTE(m, "joints", j->name, "cut", 0, "leave cut out",
             "%s '%s': it carries no coordinates, so it cannot be kept in the tree", row->name, j->name);
}

static void check_start(clv_model *m, const clv_joint *j)
{
    bool a_placed = j->a == CLV_GROUND || m->body[j->a].placed, b_placed = j->b == CLV_GROUND || m->body[j->b].placed;
    if (clv_joint_table[j->kind].nq == 0 && j->has_q)
        NOTE(m, "joints", j->name, "q", NAN, "leave q out", "joint '%s': a %s joint has no coordinates", j->name,
             clv_joint_table[j->kind].name);
    else if (j->has_q && a_placed && b_placed)
        NOTE(m, "joints", j->name, "q", j->q[0], "give either the pose of the body or the coordinates of the joint",
             "joint '%s': start coordinates and start poses are both given for one body (%s)", j->name,
             j->b != CLV_GROUND ? m->body[j->b].name : m->body[j->a].name);
    if (clv_joint_table[j->kind].nu == 0 && j->has_u)
        NOTE(m, "joints", j->name, "u", NAN, "leave u out", "joint '%s': a %s joint has no rates", j->name,
             clv_joint_table[j->kind].name);
}

/* ------------------------------------------------------------------ tables, loads */

static void check_times(clv_model *m, const char *group, const char *name, const clv_series *s)
{
    for (int k = 1; k < s->n; k++)
        if (!(s->time[k] > s->time[k - 1])) {
            NOTE(m, group, name, "table", s->time[k], "sort the points by time and remove duplicates",
                 "'%s': the times of its table do not increase (%g s after %g s)", name, s->time[k], s->time[k - 1]);
            return;
        }
}

static void check_coordinate(clv_model *m, const char *group, const char *what, const char *name, int joint,
                             int coordinate)
{
    const clv_joint *j = &m->joint[joint];
    const clv_joint_row *row = &clv_joint_table[j->kind];
    if (coordinate < 0 || coordinate >= row->nu)
        NOTE(m, group, name, "coordinate", coordinate,
             row->nu ? "count free directions from 0" : "use a force between bodies",
             "%s '%s': joint '%s' (%s) has %d free directions, so there is no number %d", what, name, j->name,
             row->name, row->nu, coordinate);
}

static void check_friction(clv_model *m, const clv_force *f)
{
    const clv_friction *x = &f->friction;
    if (x->sliding < 0)
        NOTE(m, "forces", f->name, "friction", x->sliding, "give 0 or more, in N or N m",
             "force '%s': its friction is negative (%g)", f->name, x->sliding);
    if (!(x->breakaway >= x->sliding))
        NOTE(m, "forces", f->name, "breakaway", x->breakaway, "give at least `friction`, or leave it out",
             "force '%s': its breakaway friction %g is below its sliding friction %g", f->name, x->breakaway,
             x->sliding);
    if (!(x->stribeck_speed > 0))
        NOTE(m, "forces", f->name, "stribeck_speed", x->stribeck_speed, "give a number > 0, in m/s or rad/s",
             "force '%s': its Stribeck speed is %g", f->name, x->stribeck_speed);
    if (!(x->stiction_speed > 0))
        NOTE(m, "forces", f->name, "stiction_speed", x->stiction_speed, "give a number > 0, in m/s or rad/s",
             "force '%s': its stiction speed is %g", f->name, x->stiction_speed);
}

/* friction by the reaction (T99): of joints that turn about a pin or slide on a guide */
static void check_bearing(clv_model *m, const clv_force *f)
{
    const clv_bearing *x = &f->bearing;
    const clv_joint *j = &m->joint[f->joint];
    const bool given = x->static_coefficient != 0 || x->coefficient != 0;
    if (x->coefficient < 0)
        NOTE(m, "forces", f->name, "friction_coefficient", x->coefficient, "give 0 or more",
             "force '%s': its coefficient of friction is negative (%g)", f->name, x->coefficient);
    if (!(x->static_coefficient >= x->coefficient))
        NOTE(m, "forces", f->name, "static_coefficient", x->static_coefficient,
             "give at least `friction_coefficient`, or leave it out",
             "force '%s': its static coefficient %g is below that of sliding, %g", f->name, x->static_coefficient,
             x->coefficient);
    if (x->radius < 0 || x->collar < 0 || x->span < 0)
        NOTE(m, "forces", f->name, x->radius < 0 ? "pin_radius" : x->collar < 0 ? "collar_radius" : "bearing_span", NAN,
             "give 0 or more, in m", "force '%s': a size of its bearing is negative", f->name);
    if (!given && (x->radius != 0 || x->collar != 0 || x->span != 0))
        NOTE(m, "forces", f->name, "friction_coefficient", 0, "add `friction_coefficient: 0.1`",
             "force '%s': it has sizes of a bearing, but no coefficient of friction", f->name);
    if (given && j->kind != CLV_JOINT_REVOLUTE && j->kind != CLV_JOINT_PRISMATIC)
        NOTE(m, "forces", f->name, "friction_coefficient", x->coefficient,
             "give `friction`, in N or N m, which takes every joint",
             "force '%s': friction by the reaction is that of revolute and prismatic joints; '%s' is %s", f->name,
             j->name, clv_joint_table[j->kind].name);
    else if (given && j->kind == CLV_JOINT_REVOLUTE && !(x->radius > 0))
        NOTE(m, "forces", f->name, "pin_radius", x->radius, "add `pin_radius: 0.01`, in m",
             "force '%s': friction by the reaction of revolute joint '%s' needs the radius of its pin", f->name,
             j->name);
    for (const clv_force *g = m->force; given && g < f; g++)
        if (g->kind == CLV_FORCE_JOINT && g->joint == f->joint && g->bearing.static_coefficient > 0)
            NOTE(m, "forces", f->name, "friction_coefficient", x->coefficient, "keep one of them",
                 "force '%s': force '%s' has the friction by the reaction of joint '%s' already", f->name, g->name,
                 j->name);
}

/* tables over coordinate and rate, and the limit (T100) */
static void check_tables(clv_model *m, const clv_force *f)
{
    const clv_series *table[2] = {&f->spring, &f->damper};
    for (int i = 0; i < 2; i++)
        for (int k = 1; k < table[i]->n; k++)
            if (!(table[i]->time[k] > table[i]->time[k - 1])) {
                NOTE(m, "forces", f->name, i ? "damper_table" : "spring_table", table[i]->time[k],
                     "sort the rows by their first number and remove duplicates",
                     "force '%s': the first numbers of its table do not increase (%g after %g)", f->name,
                     table[i]->time[k], table[i]->time[k - 1]);
                break;
            }
    if (f->limit < 0)
        NOTE(m, "forces", f->name, "effort_limit", f->limit, "give 0 or more, in N or N m",
             "force '%s': its limit is negative (%g)", f->name, f->limit);
}

/* rigid end stops of a joint (T157) */
static void check_rigid_stop(clv_model *m, const clv_force *f, bool limited)
{
    const clv_stop *x = &f->stop;
    if (f->kind != CLV_FORCE_JOINT)
        NOTE(m, "forces", f->name, "stop_restitution", x->restitution, "give a stop_stiffness",
             "force '%s': end stops of joints alone can be rigid", f->name);
    if (!(x->restitution >= 0 && x->restitution <= 1))
        NOTE(m, "forces", f->name, "stop_restitution", x->restitution, "give 0 (no rebound) to 1 (no loss)",
             "force '%s': the restitution of its stops is %g, not in 0 to 1", f->name, x->restitution);
    if (x->stiffness != 0 || x->dissipation != 0)
        NOTE(m, "forces", f->name, x->stiffness != 0 ? "stop_stiffness" : "stop_dissipation", x->stiffness,
             "keep one of them: a stiffness for soft stops, a restitution for rigid ones",
             "force '%s': its stops have a restitution and a stiffness or dissipation", f->name);
    if (!limited)
        NOTE(m, "forces", f->name, "stop_restitution", x->restitution, "give `lower` or `upper`, or leave it out",
             "force '%s': it has a restitution of stops, but no limit", f->name);
}

static void check_stop(clv_model *m, const clv_force *f)
{
    const clv_stop *x = &f->stop;
    const bool limited = isfinite(x->lower) || isfinite(x->upper);
    if (!(x->lower < x->upper))
        NOTE(m, "forces", f->name, "upper", x->upper, "give lower < upper, in m or rad",
             "force '%s': its lower limit %g is not below its upper limit %g", f->name, x->lower, x->upper);
    if (!isnan(x->restitution)) {
        check_rigid_stop(m, f, limited);
        return;
    }
    if (x->stiffness < 0 || (limited && x->stiffness == 0))
        NOTE(m, "forces", f->name, "stop_stiffness", x->stiffness, "add `stop_stiffness: 1e5`, in N/m or N m/rad",
             "force '%s': its limits need a stiffness > 0 of the stops%s", f->name,
             f->kind == CLV_FORCE_JOINT ? ", or a restitution" : "");
    if (!limited && x->stiffness > 0)
        NOTE(m, "forces", f->name, "stop_stiffness", x->stiffness, "give `lower` or `upper`, or leave it out",
             "force '%s': it has a stiffness of stops, but no limit", f->name);
    if (!(x->dissipation >= 0))
        NOTE(m, "forces", f->name, "stop_dissipation", x->dissipation, "give 0 or more, in s/m or s/rad",
             "force '%s': the dissipation of its stops is negative (%g)", f->name, x->dissipation);
    if (!(x->exponent >= 1 && x->exponent <= 10))
        NOTE(m, "forces", f->name, "stop_exponent", x->exponent, "give 1 for a linear stop, or 1.5 (Hertz)",
             "force '%s': the exponent of its stops is %g, not in 1 to 10", f->name, x->exponent);
}

/* a distance is never negative */
static void check_distances(clv_model *m, const clv_force *f)
{
    check_stop(m, f);
    if (isfinite(f->stop.lower) && !(f->stop.lower > 0))
        NOTE(m, "forces", f->name, "lower", f->stop.lower, "give a distance > 0, in m, or leave it out",
             "force '%s': no distance is below its lower limit of %g m", f->name, f->stop.lower);
    if (f->stop.upper < 0)
        NOTE(m, "forces", f->name, "upper", f->stop.upper, "give a distance of 0 or more, in m",
             "force '%s': its upper limit of the distance is negative (%g m)", f->name, f->stop.upper);
}

static void check_joint_force(clv_model *m, const clv_force *f)
{
    const clv_joint *j = &m->joint[f->joint];
    const clv_joint_row *row = &clv_joint_table[j->kind];
    bool turning =
        row->nq > row->nu && f->coordinate >= row->nu - 3; /* rates of a quaternion have no coordinate of their own */
    check_coordinate(m, "forces", "force", f->name, f->joint, f->coordinate);
    check_friction(m, f);
    check_bearing(m, f);
    check_tables(m, f);
    check_stop(m, f);
    if (turning && f->coordinate < row->nu && (f->stop.stiffness > 0 || clv_stop_rigid(&f->stop)))
        NOTE(m, "forces", f->name, clv_stop_rigid(&f->stop) ? "stop_restitution" : "stop_stiffness", f->stop.stiffness,
             "use three revolute joints with stops",
             "force '%s': the rotation of joint '%s' (%s) is a quaternion, so stops on one of its directions are "
             "undefined",
             f->name, j->name, row->name);
    if (turning && f->coordinate < row->nu && f->stiffness != 0)
        NOTE(m, "forces", f->name, "stiffness", f->stiffness,
             "use springs between points of the two bodies; dampers and drives are fine here",
             "force '%s': the rotation of joint '%s' (%s) is a quaternion, so a spring on one of its directions is "
             "undefined",
             f->name, j->name, row->name);
}

static void check_bushing(clv_model *m, const clv_force *f)
{
    static const char *const key[2][2] = {{"stiffness", "rotational_stiffness"}, {"damping", "rotational_damping"}};
    for (int k = 0; k < 12; k++) {
        const double x = k < 6 ? f->bushing.stiffness[k] : f->bushing.damping[k - 6];
        if (x < 0)
            NOTE(m, "forces", f->name, key[k / 6][k % 6 / 3], x, "give 0 or more",
                 "force '%s': a %s of the bushing is negative (%g)", f->name, key[k / 6][0], x);
    }
}

static void check_force(clv_model *m, const clv_force *f)
{
    check_times(m, "forces", f->name, &f->table);
    if ((f->kind == CLV_FORCE_POINT || f->kind == CLV_FORCE_TORQUE || f->kind == CLV_FORCE_DRAG) && f->b == CLV_GROUND)
        NOTE(m, "forces", f->name, "body", NAN, "name the body it acts on",
             "force '%s': it acts on the ground and moves nothing", f->name);
    if ((f->kind == CLV_FORCE_SPRING || f->kind == CLV_FORCE_ANGULAR || f->kind == CLV_FORCE_BUSHING ||
         f->kind == CLV_FORCE_CONTACT) &&
        f->a == f->b)
        NOTE(m, "forces", f->name, "between", NAN, "name two different bodies (one may be the ground)",
             "force '%s': both ends are on the same body", f->name);
    if (f->kind == CLV_FORCE_SPRING && f->rest < 0)
        NOTE(m, "forces", f->name, "rest", f->rest, "give a free length of 0 or more, in m",
             "force '%s': its free length is negative (%g m)", f->name, f->rest);
    if (f->kind == CLV_FORCE_SPRING)
        check_distances(m, f);
    if (f->kind == CLV_FORCE_CALLBACK && !f->call)
        NOTE(m, "forces", f->name, "call", NAN, "set the function", "force '%s': it has no function to call", f->name);
    if (f->kind == CLV_FORCE_JOINT)
        check_joint_force(m, f);
    if (f->kind == CLV_FORCE_BUSHING)
        check_bushing(m, f);
    if (f->kind == CLV_FORCE_CONTACT || f->kind == CLV_FORCE_CONTACTS)
        clv_model_validate_contact(m, f);
    if (f->kind == CLV_FORCE_TENDON)
        check_stop(m, f), clv_model_validate_tendon(m, f);
    if (f->kind == CLV_FORCE_DRAG && f->b != CLV_GROUND)
        clv_model_validate_drag(m, f);
}

/* ------------------------------------------------------------------ inputs */

/* what only an actuator has (T120) */
static void check_actuator(clv_model *m, const clv_input *x)
{
    const struct {
        const char *key;
        double value;
    } of[] = {{"rate_limit", x->rate_limit}, {"stall_effort", x->stall_effort}, {"no_load_speed", x->no_load_speed}};
    for (int k = 0; k < 3; k++)
        if (of[k].value < 0)
            NOTE(m, "inputs", x->name, of[k].key, of[k].value, "give a number > 0",
                 "input '%s': its %s is negative, %g", x->name, of[k].key, of[k].value);
        else if (of[k].value > 0 && x->kind != CLV_INPUT_JOINT)
            NOTE(m, "inputs", x->name, of[k].key, of[k].value, "it belongs to an actuator: an input with `joint`",
                 "input '%s': %s has no effect here", x->name, of[k].key);
    if ((x->stall_effort > 0) != (x->no_load_speed > 0))
        NOTE(m, "inputs", x->name, x->stall_effort > 0 ? "stall_effort" : "no_load_speed", NAN,
             "give both ends of the line: the effort at rest and the speed without load",
             "input '%s': stall_effort and no_load_speed belong together", x->name);
}

static void check_input(clv_model *m, int i)
{
    const clv_input *x = &m->input[i];
    if (x->kind == CLV_INPUT_JOINT)
        check_coordinate(m, "inputs", "input", x->name, x->joint, x->coordinate);
    if (x->kind == CLV_INPUT_TENDON && m->force[x->force].kind != CLV_FORCE_TENDON)
        NOTE(m, "inputs", x->name, "tendon", NAN, "name a force of kind tendon", "input '%s': force '%s' is not a "
                                                                                 "tendon",
             x->name, m->force[x->force].name);
    if (x->kind == CLV_INPUT_FLUID && m->force[x->force].kind != CLV_FORCE_DRAG)
        NOTE(m, "inputs", x->name, "drag", NAN, "name a force of kind drag", "input '%s': force '%s' is not a drag",
             x->name, m->force[x->force].name);
    if (x->kind == CLV_INPUT_FLUID && clv_dot3(x->vector, x->vector) == 0)
        NOTE(m, "inputs", x->name, "fluid", 0, "give the velocity per unit of the input, as [1, 0, 0]",
             "input '%s': its vector is zero, so it moves nothing", x->name);
    if ((x->kind == CLV_INPUT_FORCE || x->kind == CLV_INPUT_TORQUE) && clv_dot3(x->vector, x->vector) == 0)
        NOTE(m, "inputs", x->name, x->kind == CLV_INPUT_FORCE ? "force" : "torque", 0,
             "give the force or torque per unit of the input, as [0, 0, 1]",
             "input '%s': its vector is zero, so it moves nothing", x->name);
    for (int k = 0; x->kind == CLV_INPUT_MOTION && k < i; k++)
        if (m->input[k].kind == CLV_INPUT_MOTION && m->input[k].motion == x->motion)
            NOTE(m, "inputs", x->name, "motion", NAN, "keep one of them",
                 "input '%s': motion '%s' already has the input '%s'", x->name, m->motion[x->motion].name,
                 m->input[k].name);
    check_actuator(m, x);
    if (!(x->limit[0] < x->limit[1]))
        NOTE(m, "inputs", x->name, "limit", x->limit[1], "give a number > 0, or [least, largest]",
             "input '%s': its least value %g is not below its largest, %g", x->name, x->limit[0], x->limit[1]);
    else if (x->value < x->limit[0] || x->value > x->limit[1])
        NOTE(m, "inputs", x->name, "value", x->value, "give a start value within the limits",
             "input '%s': its start value %g is beyond its limits, %g to %g", x->name, x->value, x->limit[0],
             x->limit[1]);
}

/* ------------------------------------------------------------------ motions */

/* Joints with one degree of freedom only; `what` names what needs it. */
static void check_one_degree(clv_model *m, const char *group, const char *field, const char *name, const char *what,
                             int joint)
{
    const clv_joint *j = &m->joint[joint];
    int nu = clv_joint_table[j->kind].nu;
    if (nu != 1)
        NOTE(m, group, name, field, nu, "use a revolute, prismatic or helical joint",
             "%s '%s': joint '%s' (%s) has %d free directions, not 1", what, name, j->name,
             clv_joint_table[j->kind].name, nu);
}

static void check_motion(clv_model *m, const clv_motion *x)
{
    check_one_degree(m, "motions", "joint", x->name, "motion", x->joint);
    check_times(m, "motions", x->name, &x->table);
    if (x->table.n > 0 && x->table.n < clv_profile_rows(x->table.profile))
        NOTE(m, "motions", x->name, "table", x->table.n,
             x->table.n == 2 ? "give at least 3 points, or a profile that takes 2: linear, smooth, clamped, monotone"
                             : "give at least 3 points, or use offset and rate",
             "motion '%s': a spline through %d point%s is undefined", x->name, x->table.n, x->table.n == 1 ? "" : "s");
}

/* A joint may be driven by one motion, and not by a motion and a coupling. */
static void check_drives(clv_model *m, int *driver)
{
    for (int i = 0; i < m->nmotion; i++) {
        int k = m->motion[i].joint;
        if (driver[k])
            NOTE(m, "motions", m->motion[i].name, "joint", NAN, "keep one of them",
                 "motion '%s': joint '%s' is already driven by '%s'", m->motion[i].name, m->joint[k].name,
                 m->motion[driver[k] - 1].name);
        else
            driver[k] = i + 1;
    }
}

void clv_model_validate(clv_model *m)
{
    const double size = model_size(m);
    for (int i = 0; i < m->nbody; i++)
        check_body(m, &m->body[i], size);
    for (int i = 0; i < m->njoint; i++) {
        if (m->joint[i].absent) /* of an event */
            continue;
        check_ends(m, &m->joint[i]);
        check_frame(m, &m->joint[i]);
        check_numbers(m, &m->joint[i]);
        check_start(m, &m->joint[i]);
    }
    for (int i = 0; i < m->nforce; i++)
        check_force(m, &m->force[i]);
    for (int i = 0; i < m->nmotion; i++)
        check_motion(m, &m->motion[i]);
    for (int i = 0; i < m->ninput; i++)
        check_input(m, i);
    int *driver = clv_alloc((size_t)m->njoint, sizeof *driver); /* motion + 1 of each joint, 0: none */
    if (driver) {
        for (int i = 0; i < m->ncoupling; i++)
            clv_model_validate_coupling(m, i);
        clv_model_validate_events(m);
        check_drives(m, driver);
        clv_model_validate_couplings(m, driver);
    } else
        clv_model_note(m, "model", m->name, NULL, "out of memory")->code = CLV_ERR_MEMORY;
    clv_free(driver);
}
