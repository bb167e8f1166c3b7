/* SPDX-License-Identifier: Apache-2.0
 * The fingerprint; see fingerprint.h.  One function a struct, one line a field: ADD hashes a field, PASS names one that
 * is left out, with the reason.  The check tools/check_fingerprint.py compares the lines with the structs of model.h
 * and flex.h.
 */
#include "model/fingerprint.h"
#include "base/hash.h"
#include "model/curve.h"
#include "model/force.h"
#include "model/group.h"
#include "model/joint.h"
#include <math.h>
#include <string.h>

#define ADD(field) h = clv_hash(h, &x->field, sizeof x->field)
#define ADD_TEXT(field) h = clv_hash_text(h, x->field)
#define ADD_NUMBERS(field, n) h = clv_hash(h, x->field, (size_t)(n) * sizeof(double))
/* numbers that are NaN where they are not given: models without them keep their fingerprint */
#define ADD_GIVEN(field) h = add_given(h, #field, (const double *)&x->field, sizeof x->field)
#define PASS(field) (void)x->field

static uint64_t add_count(uint64_t h, int n)
{
    return clv_hash(h, &n, sizeof n);
}

static uint64_t add_given(uint64_t h, const char *name, const double *x, size_t bytes)
{
    return isnan(x[0]) ? h : clv_hash(clv_hash_text(h, name), x, bytes);
}

/* n numbers, as `most` of them: the others are zero */
static uint64_t add_padded(uint64_t h, const double *x, int n, int most)
{
    double all[7] = {0};
    if (n > 0)
        memcpy(all, x, (size_t)n * sizeof *x);
    return clv_hash(h, all, (size_t)most * sizeof *x);
}

static uint64_t add_clv_series(uint64_t h, const clv_series *x)
{
    ADD(n);
    ADD(profile);
    ADD_NUMBERS(time, x->n);
    ADD_NUMBERS(value, x->n);
    PASS(curve); /* follows from the values and the profile */
    return h;
}

static uint64_t add_clv_shape(uint64_t h, const clv_shape *x)
{
    ADD(kind);
    ADD(size);
    ADD(at);
    ADD(orientation);
    ADD(coloured);
    ADD(colour);
    if (x->kind == CLV_SHAPE_MESH) { /* others keep the fingerprint they had before there were meshes */
        ADD(npoint);
        ADD_NUMBERS(point, 3 * x->npoint);
    }
    if (x->kind == CLV_SHAPE_BORE)
        ADD(closed);
    return h;
}

static uint64_t add_clv_body(uint64_t h, const clv_body *x, char **branch)
{
    ADD_TEXT(name);
    PASS(place), PASS(start_place); /* of the text */
    ADD(mass);
    ADD(com);
    ADD(J);
    PASS(clipped), PASS(placed); /* J is what is used; r and e are set in either case */
    ADD(r);
    ADD(e);
    h = add_padded(h, x->moving, x->moving ? 6 : 0, 6);
    h = clv_hash_text(h, x->branch >= 0 ? branch[x->branch] : NULL);
    h = add_clv_shape(h, x->shape);
    PASS(hull); /* follows from the points of the shape */
    ADD(flex);
    ADD(node);
    return h;
}

static uint64_t add_curve(uint64_t h, const clv_curve *x)
{
    const int n = clv_curve_points(x);
    const bool closed = clv_curve_closed(x);
    h = clv_hash(add_count(h, n), &closed, sizeof closed);
    for (int i = 0; i < n; i++) {
        double point[3];
        clv_curve_point(x, i, point);
        h = clv_hash(h, point, sizeof point);
    }
    return h;
}

static uint64_t add_clv_further(uint64_t h, const clv_further *x)
{
    ADD_TEXT(name);
    PASS(place); /* of the text */
    ADD(body);
    h = add_clv_shape(h, &x->shape);
    PASS(hull); /* follows from the points of the shape */
    return h;
}

/* `cut` of the joint stands among them since the first fingerprints */
static uint64_t add_clv_joint_more(uint64_t h, const clv_joint_more *x, int cut)
{
    const double *R = x->armature;
    ADD(pitch);
    ADD(distance);
    if (x->radius != 0) /* other models do not change their fingerprint */
        ADD(radius);
    if (R[0] != 0 || R[1] != 0 || R[2] != 0)
        ADD(armature);
    if (x->curve)
        h = add_curve(h, x->curve);
    h = add_count(h, cut);
    ADD_GIVEN(baumgarte);
    ADD_GIVEN(alpha);
    ADD_GIVEN(omega);
    ADD_GIVEN(mu);
    return h;
}

/* pa, Ea, pb, Eb and the distance follow from it */
static uint64_t add_clv_joint_short(uint64_t h, const clv_joint_short *x)
{
    PASS(at), PASS(at_b), PASS(axis), PASS(x_axis);
    return h;
}

static uint64_t add_clv_joint(uint64_t h, const clv_joint *x)
{
    ADD_TEXT(name);
    PASS(place), PASS(start_place); /* of the text */
    ADD(kind);
    ADD(a);
    ADD(b);
    ADD(pa);
    ADD(Ea);
    ADD(pb);
    ADD(Eb);
    h = add_clv_joint_more(h, x->more, x->cut);
    if (x->absent)
        ADD(absent);
    ADD(has_q);
    ADD(has_u);
    h = add_padded(h, x->q, clv_joint_table[x->kind].nq, 7);
    h = add_padded(h, x->u, clv_joint_table[x->kind].nu, 6);
    PASS(follows), PASS(follow); /* from couplings, motions and q */
    h = add_clv_joint_short(h, x->given);
    return h;
}

/* models without friction do not change their fingerprint */
static uint64_t add_clv_friction(uint64_t h, const clv_friction *x)
{
    if (x->breakaway == 0)
        return h;
    h = clv_hash_text(h, "friction");
    ADD(sliding);
    ADD(breakaway);
    ADD(stribeck_speed);
    ADD(stiction_speed);
    return h;
}

/* nor models without these bearings */
static uint64_t add_clv_bearing(uint64_t h, const clv_bearing *x)
{
    if (x->static_coefficient == 0)
        return h;
    h = clv_hash_text(h, "bearing");
    ADD(coefficient);
    ADD(static_coefficient);
    ADD(radius);
    ADD(collar);
    ADD(span);
    return h;
}

/* nor models without stops */
static uint64_t add_clv_stop(uint64_t h, const clv_stop *x)
{
    if (x->stiffness == 0 && !clv_stop_rigid(x))
        return h;
    h = clv_hash_text(h, "stop");
    if (clv_stop_rigid(x))
        ADD(restitution);
    ADD(lower);
    ADD(upper);
    ADD(stiffness);
    ADD(dissipation);
    ADD(exponent);
    return h;
}

static uint64_t add_clv_bushing(uint64_t h, const clv_bushing *x)
{
    h = clv_hash_text(h, "bushing");
    ADD(orientation_a);
    ADD(orientation_b);
    ADD(stiffness);
    ADD(damping);
    ADD(preload);
    return h;
}

static uint64_t add_clv_contact(uint64_t h, const clv_contact *x)
{
    h = clv_hash_text(h, "contact");
    ADD(point);
    ADD(normal);
    ADD(stiffness);
    ADD(exponent);
    ADD(dissipation);
    ADD(static_friction);
    ADD(dynamic_friction);
    ADD(viscous_friction);
    ADD(transition_speed);
    ADD(restitution);
    return h;
}

static uint64_t add_clv_coupling_term(uint64_t h, const clv_coupling_term *x)
{
    ADD(joint);
    ADD(factor);
    return h;
}

static uint64_t add_clv_path_point(uint64_t h, const clv_path_point *x)
{
    ADD(body);
    ADD(position);
    return h;
}

static uint64_t add_clv_drag(uint64_t h, const clv_drag *x)
{
    ADD(frame);
    ADD(linear);
    ADD(quadratic);
    ADD(fluid);
    return h;
}

static uint64_t add_tendon(uint64_t h, const clv_force *x)
{
    h = add_count(h, x->npoint);
    for (int i = 0; i < x->npoint; i++)
        h = add_clv_path_point(h, &x->path[i]);
    h = add_count(h, x->nterm);
    for (int i = 0; i < x->nterm; i++)
        h = add_clv_coupling_term(h, &x->term[i]);
    return h;
}

static uint64_t add_bodies(uint64_t h, const int *body, int n)
{
    h = add_count(h, n);
    for (int i = 0; i < n; i++)
        h = add_count(h, body[i]);
    return h;
}

/* what is given; the rest follows from the model */
static uint64_t add_clv_group(uint64_t h, const clv_touch_group *x)
{
    h = add_bodies(h, x->first, x->nfirst);
    h = add_bodies(h, x->second, x->nsecond);
    h = add_bodies(h, x->except, 2 * x->nexcept);
    ADD(neighbours);
    if (x->plane_only) /* others keep the fingerprint they had before there was such a thing */
        ADD(plane_only);
    ADD(given);
    PASS(number), PASS(n), PASS(member), PASS(nkey), PASS(njoined), PASS(key), PASS(joined);
    PASS(nbefore), PASS(before), PASS(pairs), PASS(points);
    return h;
}

static uint64_t add_clv_force(uint64_t h, const clv_force *x)
{
    ADD_TEXT(name);
    PASS(place); /* of the text */
    ADD(kind);
    ADD(a);
    ADD(b);
    ADD(point_a);
    ADD(point_b);
    ADD(vector);
    ADD(in_body);
    h = add_clv_series(h, &x->table);
    ADD(joint);
    ADD(coordinate);
    ADD(stiffness);
    ADD(damping);
    ADD(rest);
    ADD(drive);
    h = add_clv_friction(h, &x->friction);
    h = add_clv_bearing(h, &x->bearing);
    if (x->spring.n > 0)
        h = add_clv_series(clv_hash_text(h, "spring"), &x->spring);
    if (x->damper.n > 0)
        h = add_clv_series(clv_hash_text(h, "damper"), &x->damper);
    if (x->limit != 0)
        ADD(limit);
    h = add_clv_stop(h, &x->stop);
    if (x->kind == CLV_FORCE_BUSHING)
        h = add_clv_bushing(h, &x->bushing);
    if (x->kind == CLV_FORCE_CONTACT || x->kind == CLV_FORCE_CONTACTS)
        h = add_clv_contact(h, &x->contact);
    PASS(npoint), PASS(path), PASS(nterm), PASS(term); /* of tendons alone */
    if (x->kind == CLV_FORCE_TENDON)
        h = add_tendon(h, x);
    if (x->kind == CLV_FORCE_DRAG)
        h = add_clv_drag(h, &x->drag);
    if (x->kind == CLV_FORCE_CONTACTS)
        h = add_clv_group(h, x->group);
    else
        PASS(group);
    PASS(call), PASS(user); /* addresses: the kind says that there is a function */
    return h;
}

static uint64_t add_clv_motion(uint64_t h, const clv_motion *x)
{
    ADD_TEXT(name);
    PASS(place); /* of the text */
    ADD(joint);
    ADD(offset);
    ADD(rate);
    ADD(amplitude);
    ADD(frequency);
    ADD(phase);
    ADD(end_rate);
    return add_clv_series(h, &x->table);
}

static uint64_t add_clv_input(uint64_t h, const clv_input *x)
{
    ADD_TEXT(name);
    PASS(place); /* of the text */
    ADD(kind);
    ADD(joint);
    ADD(coordinate);
    ADD(body);
    ADD(motion);
    if (x->force >= 0) /* others keep the fingerprint they had before there were tendons */
        ADD(force);
    ADD(point);
    ADD(vector);
    ADD(in_body);
    ADD(value);
    ADD(limit);
    if (x->rate_limit != 0) /* others keep the fingerprint they had before there were rate limits */
        ADD(rate_limit);
    if (x->stall_effort != 0) {
        ADD(stall_effort);
        ADD(no_load_speed);
    }
    return h;
}

static uint64_t add_clv_event(uint64_t h, const clv_event *x)
{
    ADD_TEXT(name);
    PASS(place); /* of the text */
    ADD(condition);
    ADD(joint);
    ADD(marker);
    ADD(below);
    ADD(value);
    ADD(time);
    ADD(again);
    ADD(action);
    ADD(lock);
    PASS(release); /* undone and opened follow from it */
    ADD(undone);
    ADD(opened);
    ADD(attached);
    PASS(axis); /* the joint has it in Ea */
    return h;
}

static uint64_t add_clv_coupling(uint64_t h, const clv_coupling *x)
{
    ADD_TEXT(name);
    PASS(place); /* of the text */
    if (!x->sum && x->npolynomial == 0 && x->table.n == 0) { /* gears keep the fingerprint they had alone */
        const double ratio = -x->term[1].factor;
        h = clv_hash(h, &x->term[1].joint, sizeof x->term[1].joint);
        h = clv_hash(h, &x->term[0].joint, sizeof x->term[0].joint);
        h = clv_hash(h, &ratio, sizeof ratio);
        ADD(offset);
        return h;
    }
    ADD(sum);
    h = add_count(h, x->nterm);
    for (int i = 0; i < x->nterm; i++)
        h = add_clv_coupling_term(h, &x->term[i]);
    ADD(npolynomial);
    ADD(polynomial);
    ADD(periodic);
    h = add_clv_series(h, &x->table);
    ADD(offset);
    return h;
}

static uint64_t add_clv_marker(uint64_t h, const clv_marker *x)
{
    ADD_TEXT(name);
    PASS(place); /* of the text */
    ADD(body);
    ADD(position);
    return h;
}

static uint64_t add_clv_flex_node(uint64_t h, const clv_flex_node *x, int nmode)
{
    ADD_TEXT(name);
    ADD(body);
    ADD(position);
    ADD(orientation);
    ADD_NUMBERS(shape, 6 * nmode);
    return h;
}

static uint64_t add_clv_flex(uint64_t h, const clv_flex *x)
{
    int n = x->nmode;
    ADD(body);
    ADD(nmode);
    ADD(nnode);
    for (int i = 0; i < x->nnode; i++)
        h = add_clv_flex_node(h, &x->node[i], n);
    ADD_NUMBERS(K, n * n);
    ADD_NUMBERS(C, n * n);
    ADD_NUMBERS(Mff, n * n);
    ADD_NUMBERS(S, 3 * n);
    ADD_NUMBERS(h, 3 * n);
    ADD_NUMBERS(E, 9 * n);
    ADD_NUMBERS(B, 9 * n * n);
    ADD_NUMBERS(eta, n);
    ADD_NUMBERS(etad, n);
    ADD(limit);
    return h;
}

/* The count of a list, then its items. */
#define ADD_LIST(list, count, type)                                                                                    \
    h = add_count(h, x->count);                                                                                        \
    for (int i = 0; i < x->count; i++)                                                                                 \
    h = add_##type(h, &x->list[i])

static uint64_t add_clv_model(uint64_t h, const clv_model *x)
{
    PASS(name), PASS(file), PASS(nside), PASS(side); /* title and places */
    ADD(gravity);
    PASS(finished), PASS(lenient); /* J of the bodies is what is used */
    ADD(strained);
    h = add_count(h, x->nbody);
    for (int i = 0; i < x->nbody; i++)
        h = add_clv_body(h, &x->body[i], x->branch);
    ADD_LIST(joint, njoint, clv_joint);
    ADD_LIST(force, nforce, clv_force);
    ADD_LIST(motion, nmotion, clv_motion);
    ADD_LIST(input, ninput, clv_input);
    ADD_LIST(coupling, ncoupling, clv_coupling);
    ADD_LIST(marker, nmarker, clv_marker);
    ADD_LIST(flex, nflex, clv_flex);
    if (x->nevent > 0) { /* others keep the fingerprint they had before there were events */
        ADD_LIST(event, nevent, clv_event);
    }
    if (x->nshape > 0) {
        ADD_LIST(shape, nshape, clv_further);
    }
    PASS(nvisual), PASS(visual); /* no motion depends on them */
    PASS(nbranch); /* a body names its branch; others are of no effect */
    ADD(time_end);
    PASS(begin); /* of variants, which are no models of a file */
    PASS(imported), PASS(ndropped), PASS(dropped_capacity), PASS(dropped); /* what is not in the model */
    PASS(nparameter), PASS(parameter); /* for lists: the numbers of the model follow from them */
    PASS(nerror), PASS(error_capacity), PASS(error), PASS(error_mark), PASS(error_more), PASS(last); /* no content */
    PASS(names), PASS(keep), PASS(capacity);                                                         /* of model.c */
    return h;
}

uint64_t clv_model_fingerprint(const clv_model *m)
{
    return add_clv_model(CLV_HASH_START, m);
}
