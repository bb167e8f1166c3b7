/* SPDX-License-Identifier: Apache-2.0
 * The model of a robot: bodies that carry links, joints between them with rotors, dampers and springs, loop joints,
 * inputs, markers.  Couplings are in robot_couple.c, contacts in robot_contact.c. */
#include "base/memory.h"
#include "io/import.h"
#include "math/rotation.h"
#include "model/joint.h"
#include "model/names.h"
#include <math.h>
#include <string.h>

/* ---------------------------------------------------------------- lists */

clv_link *clv_robot_link(clv_import *I, unsigned node, const char *name)
{
    clv_link *l = CLV_IMPORT_MORE(I, link);
    if (!l)
        return NULL;
    *l = (clv_link){.name = name, .node = node, .up = -1, .base = -1, .body = -1};
    clv_frame_identity(&l->at);
    l->shape = clv_body_desc_default().shape;
    return l;
}

clv_rod *clv_robot_rod(clv_import *I, unsigned node, const char *name, clv_joint_kind kind)
{
    clv_rod *j = CLV_IMPORT_MORE(I, rod);
    if (!j)
        return NULL;
    *j = (clv_rod){.name = name, .node = node, .kind = kind, .first = -1, .joint = -1, .limit = {-INFINITY, INFINITY}};
    clv_frame_identity(&j->at);
    clv_mat3_identity(j->E);
    return j;
}

/* ---------------------------------------------------------------- helpers */

clv_place clv_robot_place(const clv_import *I, unsigned node)
{
    while (I->xml.node[node].file > 0)
        node = I->place[I->xml.node[node].file];
    return (clv_place){(int)I->xml.node[node].line, (int)I->xml.node[node].column};
}

bool clv_robot_made(clv_import *I, clv_status status, unsigned node)
{
    const clv_place at = clv_robot_place(I, node);
    if (status == CLV_ERR_MEMORY)
        clv_read_out_of_memory(I->r);
    else if (status != CLV_OK)
        clv_read_fail_model(I->r, &I->m->last,
                            &(clv_yaml_node){.line = (unsigned)at.line, .column = (unsigned)at.column}, NULL);
    return status == CLV_OK;
}

static int body_of(const clv_import *I, int link)
{
    return link < 0 || I->link[link].base < 0 ? CLV_GROUND : I->link[I->link[link].base].body;
}

/* Largest magnitude in two vectors. */
static double largest(const double a[3], const double b[3])
{
    double x = 0;
    for (int i = 0; i < 3; i++)
        x = fmax(x, fmax(fabs(a[i]), fabs(b[i])));
    return x;
}

int clv_robot_body(const clv_import *I, int link, const clv_frame *f, double p[3], double q[4])
{
    clv_frame x = *f;
    if (link >= 0)
        clv_frame_product(&x, &I->link[link].at, f);
    clv_copy3(p, x.p);
    clv_quat_from_rotation(q, x.R);
    clv_tidy_numbers(p, 3, link >= 0 ? largest(f->p, I->link[link].at.p) : 0);
    clv_tidy_turn(q);
    return body_of(I, link);
}

/* ---------------------------------------------------------------- bodies */

/* A body has its own shape, or the first one of the links lumped into it. */
static void lump_shapes(clv_import *I)
{
    for (size_t i = 0; i < I->nlink; i++) {
        clv_link *l = &I->link[i], *base = l->base >= 0 ? &I->link[l->base] : NULL;
        if (l->shape.kind != CLV_SHAPE_NONE && base && base != l && base->shape.kind == CLV_SHAPE_NONE) {
            clv_frame f, x;
            clv_copy3(f.p, l->shape.at);
            clv_quat_rotation(f.R, l->shape.orientation);
            clv_frame_product(&x, &l->at, &f);
            base->shape = l->shape;
            clv_copy3(base->shape.at, x.p);
            clv_quat_from_rotation(base->shape.orientation, x.R);
        }
    }
}

static void make_body(clv_import *I, clv_link *l)
{
    clv_body_desc d = clv_body_desc_default();
    d.name = l->name;
    d.mass = l->whole.mass;
    clv_copy3(d.com, l->whole.com);
    memcpy(d.inertia, l->whole.J, sizeof d.inertia);
    const double *J = l->whole.J; /* trace: twice the mass times the square of its distance in the mean */
    clv_tidy_numbers(d.com, 3, d.mass > 0 ? sqrt(fmax(0, J[0] + J[1] + J[2]) / d.mass) : 0);
    clv_tidy_numbers(d.inertia, 6, 0);
    d.shape = l->shape;
    clv_tidy_zeros(d.shape.at, 3);
    clv_tidy_zeros(d.shape.orientation, 4);
    if (clv_robot_made(I, clv_model_add_body(I->m, &l->body, &d), l->node))
        I->m->body[l->body].place = clv_robot_place(I, l->node);
}

/* A joint of the model, with the place where it is written; its frames are matrices made of quaternions. */
static bool add_joint(clv_import *I, int *index, const clv_joint_desc *d, unsigned node)
{
    if (!clv_robot_made(I, clv_model_add_joint(I->m, index, d), node))
        return false;
    clv_joint *j = &I->m->joint[*index];
    clv_tidy_zeros(j->Ea, 9);
    clv_tidy_zeros(j->Eb, 9);
    j->place = node ? clv_robot_place(I, node) : (clv_place){1, 1};
    return true;
}

static void make_float(clv_import *I, const clv_link *l)
{
    clv_joint_desc d = clv_joint_desc_default(CLV_JOINT_FREE);
    int index;
    d.name = clv_import_text(I, "%s.free", l->name);
    d.b = l->body;
    if (d.name)
        (void)add_joint(I, &index, &d, l->node);
}

/* ---------------------------------------------------------------- joints */

static void make_joint(clv_import *I, clv_rod *j)
{
    clv_joint_desc d = clv_joint_desc_default(j->kind);
    clv_frame on_child, on_parent;
    memcpy(on_child.p, j->point, sizeof on_child.p);
    memcpy(on_child.R, j->E, sizeof on_child.R);
    clv_frame_product(&on_parent, &j->at, &on_child);
    d.name = j->name;
    d.a = body_of(I, j->parent);
    d.b = body_of(I, j->child);
    clv_robot_body(I, j->parent, &on_parent, d.position_a, d.orientation_a);
    clv_robot_body(I, j->child, &on_child, d.position_b, d.orientation_b);
    d.pitch = j->pitch;
    if (clv_joint_table[j->kind].nu == 1 || j->kind == CLV_JOINT_SPHERICAL)
        for (int k = 0; k < clv_joint_table[j->kind].nu; k++)
            d.armature[k] = j->armature;
    else if (j->armature > 0)
        clv_import_drop(I, j->node, true, "armature", "rotor inertia of joint '%.100s', which has several axes: %g",
                        j->name, j->armature);
    d.has_q = j->has_q;
    d.has_u = j->has_u;
    memcpy(d.q, j->q, sizeof d.q);
    memcpy(d.u, j->u, sizeof d.u);
    clv_tidy_zeros(d.q, clv_joint_table[j->kind].nq);
    clv_tidy_zeros(d.u, clv_joint_table[j->kind].nu);
    if (!add_joint(I, &j->joint, &d, j->node))
        return;
    if (j->has_q || j->has_u)
        I->m->joint[j->joint].start_place = clv_robot_place(I, j->node);
}

/* Damper, spring, friction and stops on every coordinate. */
static void make_load(clv_import *I, const clv_rod *j)
{
    const int n = clv_joint_table[j->kind].nu;
    const bool needed = j->damping != 0 || j->stiffness != 0 || j->friction != 0 || j->stops;
    for (int k = 0; k < n && needed; k++) {
        clv_force_desc d = clv_force_desc_default(CLV_FORCE_JOINT);
        int index;
        d.name = n == 1 ? j->name : clv_import_text(I, "%s.%d", j->name, k);
        d.joint = j->joint;
        d.coordinate = k;
        d.damping = j->damping;
        d.stiffness = j->stiffness;
        d.rest = j->rest;
        d.friction.sliding = j->friction;
        if (j->stops)
            clv_robot_stop(I, j->bound, &d.stop);
        clv_tidy_load(&d);
        if (d.name && clv_robot_made(I, clv_model_add_force(I->m, &index, &d), j->node))
            I->m->force[index].place = clv_robot_place(I, j->node);
    }
}

/* Spring, damper and constant drive of an actuator. */
static void make_servo(clv_import *I, const clv_servo *s)
{
    clv_force_desc d = clv_force_desc_default(CLV_FORCE_JOINT);
    int index;
    if (s->cord >= 0) {
        clv_robot_tendon_servo(I, s);
        return;
    }
    d.name = s->name;
    d.joint = I->rod[s->joint].joint;
    d.coordinate = s->coordinate;
    d.stiffness = s->stiffness;
    d.damping = s->damping;
    d.rest = s->rest;
    d.drive = s->drive;
    clv_tidy_load(&d);
    if (clv_robot_made(I, clv_model_add_force(I->m, &index, &d), s->node))
        I->m->force[index].place = clv_robot_place(I, s->node);
}

static void make_push(clv_import *I, const clv_push *p)
{
    clv_force_desc d = clv_force_desc_default(CLV_FORCE_POINT);
    clv_frame f;
    double q[4];
    int index;
    clv_frame_identity(&f);
    clv_copy3(f.p, p->p);
    d.name = p->name;
    d.b = body_of(I, p->link);
    if (d.b == CLV_GROUND)
        return;
    clv_robot_body(I, p->link, &f, d.point_b, q);
    clv_copy3(d.vector, p->vector);
    clv_tidy_zeros(d.vector, 3);
    if (clv_robot_made(I, clv_model_add_force(I->m, &index, &d), p->node))
        I->m->force[index].place = clv_robot_place(I, p->node);
}

static void add_input(clv_import *I, clv_input_desc *d, const char *name, unsigned node, const double limit[2],
                      double value)
{
    int index;
    d->name = name;
    memcpy(d->limit, limit, sizeof d->limit);
    d->value = fmin(fmax(value, limit[0]), limit[1]);
    clv_tidy_zeros(d->limit, 2);
    clv_tidy_zeros(&d->value, 1);
    if (clv_robot_made(I, clv_model_add_input(I->m, &index, d), node))
        I->m->input[index].place = clv_robot_place(I, node);
}

static void make_input(clv_import *I, const char *name, unsigned node, int joint, int coordinate, const double limit[2],
                       double value)
{
    clv_input_desc d = clv_input_desc_default(CLV_INPUT_JOINT);
    d.joint = joint, d.coordinate = coordinate;
    add_input(I, &d, name, node, limit, value);
}

static void make_drive(clv_import *I, const clv_drive *x)
{
    clv_input_desc d = clv_input_desc_default(CLV_INPUT_TENDON);
    if (!x->on_cord)
        make_input(I, x->name, x->node, I->rod[x->joint].joint, x->coordinate, x->limit, x->value);
    else {
        d.force = I->cord[x->joint].force;
        add_input(I, &d, x->name, x->node, x->limit, x->value);
    }
}

static void make_loop(clv_import *I, const clv_loop *l)
{
    clv_joint_desc d = clv_joint_desc_default(l->kind);
    int index;
    d.name = l->name;
    d.a = body_of(I, l->a);
    d.b = body_of(I, l->b);
    d.cut = 1;
    if (d.a == d.b) {
        clv_import_drop(I, l->node, false, "loop", "'%.100s' connects parts of one body", l->name);
        return;
    }
    clv_robot_body(I, l->a, &l->at_a, d.position_a, d.orientation_a);
    clv_robot_body(I, l->b, &l->at_b, d.position_b, d.orientation_b);
    (void)add_joint(I, &index, &d, l->node);
}

/* ---------------------------------------------------------------- markers */

static void make_marker(clv_import *I, const char *name, unsigned node, int body, const double p[3])
{
    clv_marker_desc d = clv_marker_desc_default();
    int index;
    d.name = name;
    d.body = body;
    clv_copy3(d.position, p);
    clv_tidy_numbers(d.position, 3, 0);
    if (clv_robot_made(I, clv_model_add_marker(I->m, &index, &d), node))
        I->m->marker[index].place = clv_robot_place(I, node);
}

/* Frames of lumped links, but for those that the ground carries: they do not move. */
static void make_markers(clv_import *I)
{
    for (size_t i = 0; i < I->nlink; i++) {
        const clv_link *l = &I->link[i];
        if (l->base >= 0 && l->base != (int)i && !l->hidden)
            make_marker(I, l->name, l->node, body_of(I, (int)i), l->at.p);
    }
    for (size_t i = 0; i < I->nspot; i++) {
        const clv_spot *s = &I->spot[i];
        clv_frame f = {.p = {s->p[0], s->p[1], s->p[2]}};
        double p[3], q[4];
        clv_mat3_identity(f.R);
        clv_robot_body(I, s->link, &f, p, q);
        if (body_of(I, s->link) == CLV_GROUND)
            continue;
        const char *name = clv_names_find(I->m->names, CLV_NAME_MARKER, s->name) < 0
                               ? s->name
                               : clv_import_text(I, "%s.site", s->name);
        if (name)
            make_marker(I, name, s->node, body_of(I, s->link), p);
    }
}

/* ---------------------------------------------------------------- all */

static bool good(const clv_import *I)
{
    return I->r->nerror == 0 && !I->r->memory;
}

static void make_joints(clv_import *I)
{
    for (size_t i = 0; i < I->nlink; i++)
        if (I->link[i].base == (int)i && I->link[i].up < 0)
            make_float(I, &I->link[i]);
    for (size_t i = 0; i < I->nrod; i++)
        if (I->rod[i].kind != CLV_JOINT_FIXED)
            make_joint(I, &I->rod[i]);
}

static void make_extras(clv_import *I)
{
    for (size_t i = 0; i < I->nrod; i++) {
        const clv_rod *j = &I->rod[i];
        if (j->joint < 0)
            continue;
        make_load(I, j);
        if (j->first >= 0)
            clv_robot_couple(I, j->name, j->node, I->rod[j->first].joint, j->joint, j->ratio, j->offset);
        if (j->input > 0)
            make_input(I, j->name, j->node, j->joint, 0, j->limit, 0);
    }
    for (size_t i = 0; i < I->nloop; i++)
        make_loop(I, &I->loop[i]);
    clv_robot_tendons(I);
    for (size_t i = 0; i < I->ndrive; i++)
        make_drive(I, &I->drive[i]);
    for (size_t i = 0; i < I->nservo; i++)
        make_servo(I, &I->servo[i]);
    for (size_t i = 0; i < I->ngear; i++)
        clv_robot_gear(I, &I->gear[i]);
    for (size_t i = 0; i < I->npush; i++)
        make_push(I, &I->push[i]);
    make_markers(I);
    clv_robot_looks(I);
}

/* No body moves: perhaps since an element that makes bodies is not read. */
static void fail_without_bodies(clv_import *I)
{
    static const char *const maker[] = {"replicate", "composite", "flexcomp", "attach"};
    const bool urdf = strcmp(I->format, "URDF") == 0;
    for (unsigned k = 1; k < I->xml.nnode; k++)
        for (size_t i = 0; i < sizeof maker / sizeof *maker; i++)
            if (clv_xml_is(&I->xml, k, maker[i])) {
                clv_import_fail(I, k, "write out the bodies that it makes",
                                "the file has no body that moves: <%s> is not read", maker[i]);
                return;
            }
    clv_import_fail(I, I->xml.node[0].first,
                    urdf ? "a root link is fixed to the ground; `cleave import --floating` frees it" : "",
                    "the file has no body that moves");
}

void clv_robot_make(clv_import *I)
{
    const bool contacts = clv_robot_contacts_wanted(I);
    lump_shapes(I);
    if (contacts)
        clv_robot_contacts_lump(I);
    clv_robot_limits(I);
    for (size_t i = 0; i < I->nlink; i++)
        if (I->link[i].base == (int)i)
            make_body(I, &I->link[i]);
    if (good(I) && I->m->nbody == 0)
        fail_without_bodies(I);
    if (good(I))
        make_joints(I);
    if (good(I))
        make_extras(I);
    if (good(I) && contacts)
        clv_robot_contacts(I);
}
