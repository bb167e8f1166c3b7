/* SPDX-License-Identifier: Apache-2.0
 * Creating, filling and destroying a model.  `add` refuses what cannot be stored sensibly: a description that did
 * not come from its default function, a missing, reserved or taken name, an index that does not exist, a number that
 * is not finite, a non-unit quaternion.  Rules of mechanics are checked together by finish (validate.c), so that
 * all errors of a model are reported at once. */
#include "model/model.h"
#include "model/parameter.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "math/rotation.h"
#include "model/describe.h"
#include "model/joint.h"
#include "model/names.h"
#include "model/shape.h"

#include <math.h>
#include <string.h>

/* What an item belongs to, for messages. */
static const struct {
    const char *group, *noun;
} category_text[CLV_NAME_CATEGORIES] = {{"bodies", "body"},    {"joints", "joint"},       {"forces", "force"},
                                        {"motions", "motion"}, {"couplings", "coupling"}, {"markers", "marker"},
                                        {"branches", "branch"}, {"inputs", "input"}};

/* ------------------------------------------------------------------ checks of a description */

/* One item being added: where errors go, and the first of them. */
typedef struct adding {
    clv_model *m;
    clv_category category;
    const char *name;
    clv_status status;
} adding;

static void refuse(adding *item, clv_status code, const char *field, const char *text, double value)
{
    const char *noun = category_text[item->category].noun;
    if (item->status != CLV_OK)
        return;
    item->status = clv_fail(&item->m->last, code, "%s '%s': %s", noun, item->name, text);
    clv_error_locate(&item->m->last, category_text[item->category].group, item->name, field);
    item->m->last.value = value;
}

static void check_finite(adding *item, const char *field, const double *x, int n)
{
    for (int i = 0; i < n; i++)
        if (!isfinite(x[i]))
            refuse(item, CLV_ERR_MODEL, field, "a number is not finite", x[i]);
}

static void check_index(adding *item, const char *field, int index, int least, int count)
{
    if (index < least || index >= count)
        refuse(item, CLV_ERR_MODEL, field, "refers to an index that does not exist (add what it refers to first)",
               index);
}

/* Unit to 1e-3: normalised; else refused. */
static void check_quaternion(adding *item, const char *field, double unit[4], const double e[4])
{
    double n = clv_quat_norm(e);
    check_finite(item, field, e, 4);
    if (!(fabs(n - 1) <= 1e-3)) {
        refuse(item, CLV_ERR_MODEL, field, "the quaternion (w, x, y, z) does not have length 1", n);
        return;
    }
    memcpy(unit, e, 4 * sizeof *unit);
    clv_quat_normalize(unit);
}

static void check_table(adding *item, const clv_table *t)
{
    if (t->n < 0 || (t->n > 0 && (!t->time || !t->value))) {
        refuse(item, CLV_ERR_USAGE, "table", "the table has a count but no numbers", t->n);
        return;
    }
    check_finite(item, "table", t->time, t->n);
    check_finite(item, "table", t->value, t->n);
}

/* Common to all kinds of item. */
static adding begin(clv_model *m, clv_category category, const char *name, bool described)
{
    adding item = {m, category, name ? name : "", m ? CLV_OK : CLV_ERR_USAGE};
    if (!m)
        return item;
    if (m->finished)
        refuse(&item, CLV_ERR_USAGE, NULL, "the model is finished and cannot be changed", NAN);
    else if (!described)
        refuse(&item, CLV_ERR_USAGE, NULL, "the description does not come from its default function", NAN);
    else if (!*item.name)
        refuse(&item, CLV_ERR_MODEL, NULL, "a name is required", NAN);
    else if (!clv_text_plain(item.name))
        refuse(&item, CLV_ERR_MODEL, NULL, "a name is UTF-8 text without control characters", NAN);
    else if (category == CLV_NAME_BODY && strcmp(name, "ground") == 0)
        refuse(&item, CLV_ERR_MODEL, NULL, "this name is taken by the ground", NAN);
    else if (clv_names_find(m->names, category, name) >= 0)
        refuse(&item, CLV_ERR_MODEL, NULL, "this name is used twice; names are unique", NAN);
    return item;
}

/* ------------------------------------------------------------------ storage */

/* Room for one more of n items; the list (moved or not), or NULL when out of memory. */
static void *grow(clv_model *m, clv_category category, void *list, int n, size_t size)
{
    size_t *capacity = &m->capacity[category];
    if ((size_t)n < *capacity)
        return list;
    size_t larger = *capacity ? 2 * *capacity : 8;
    void *moved = clv_resize(list, larger, size);
    if (moved)
        *capacity = larger;
    return moved;
}
/* Makes room in an array of the model; false when out of memory. */
#define GROW(m, category, list, n) grow_to((void *)&(list), grow((m), (category), (list), (n), sizeof *(list)))
static bool grow_to(void *place, void *moved)
{
    if (moved)
        memcpy(place, &moved, sizeof moved); /* any object pointer has this representation here (POSIX) */
    return moved != NULL;
}

static clv_status out_of_memory(adding *item)
{
    refuse(item, CLV_ERR_MEMORY, NULL, "out of memory", NAN);
    return item->status;
}

/* Copies the name and enters it into the index; NULL when out of memory. */
static char *take_name(adding *item, int index)
{
    char *copy = clv_copy_text(item->name);
    if (copy && !clv_names_add(item->m->names, item->category, copy, index)) {
        clv_free(copy);
        copy = NULL;
    }
    return copy;
}

static void free_series(clv_series *s)
{
    clv_free(s->time);
    memset(s, 0, sizeof *s);
}

/* One block: times, values, second derivatives, work space of the spline (n each). */
static bool copy_series(clv_series *s, const clv_table *t)
{
    size_t n = (size_t)t->n;
    memset(s, 0, sizeof *s);
    if (n == 0)
        return true;
    s->time = clv_alloc(4 * n, sizeof *s->time);
    if (!s->time)
        return false;
    s->n = t->n;
    s->value = s->time + n;
    s->curve = s->value + n;
    memcpy(s->time, t->time, n * sizeof *s->time);
    memcpy(s->value, t->value, n * sizeof *s->value);
    return true;
}

/* Counts the item that was filled at the end of its list. */
static clv_status done(int *index, int *count)
{
    if (index)
        *index = *count;
    ++*count;
    return CLV_OK;
}

/* ------------------------------------------------------------------ bodies */

/* Index of the user's branch of that name, added if new; -1 when out of memory. */
static int branch_index(clv_model *m, const char *name)
{
    adding item = {m, CLV_NAME_BRANCH, name, CLV_OK};
    int k = clv_names_find(m->names, CLV_NAME_BRANCH, name);
    if (k >= 0)
        return k;
    if (!GROW(m, CLV_NAME_BRANCH, m->branch, m->nbranch))
        return -1;
    m->branch[m->nbranch] = take_name(&item, m->nbranch);
    return m->branch[m->nbranch] ? m->nbranch++ : -1;
}

static void check_shape(adding *item, const clv_shape *s)
{
    double unit[4];
    if ((int)s->kind < 0 || s->kind >= CLV_SHAPE_KINDS)
        refuse(item, CLV_ERR_MODEL, "shape", "unknown kind of shape", s->kind);
    if (item->status != CLV_OK || s->kind == CLV_SHAPE_NONE)
        return;
    check_finite(item, "shape", s->size, clv_shape_table[s->kind].nsize);
    for (int i = 0; i < clv_shape_table[s->kind].nsize; i++)
        if (!(s->size[i] > 0))
            refuse(item, CLV_ERR_MODEL, "shape", "the sizes of its shape must be greater than 0", s->size[i]);
    check_finite(item, "shape.at", s->at, 3);
    check_quaternion(item, "shape.orientation", unit, s->orientation);
    for (int i = 0; s->coloured && i < 3; i++)
        if (!(s->colour[i] >= 0 && s->colour[i] <= 1))
            refuse(item, CLV_ERR_MODEL, "shape.colour", "red, green and blue must be between 0 and 1", s->colour[i]);
}

static void check_body(adding *item, const clv_body_desc *d, double e[4])
{
    check_finite(item, "mass", &d->mass, 1);
    check_finite(item, "com", d->com, 3);
    check_finite(item, "inertia", d->inertia, 6);
    if (d->placed) {
        check_finite(item, "position", d->position, 3);
        check_quaternion(item, "orientation", e, d->orientation);
    }
    if (d->moving) {
        check_finite(item, "velocity", d->velocity, 3);
        check_finite(item, "angular_velocity", d->angular_velocity, 3);
    }
    check_shape(item, &d->shape);
}

clv_status clv_model_add_body(clv_model *m, int *index, const clv_body_desc *d)
{
    bool described = d && d->cookie == CLV_COOKIE_BODY;
    adding item = begin(m, CLV_NAME_BODY, described ? d->name : NULL, described);
    if (!described)
        return item.status;
    double e[4] = {1, 0, 0, 0};
    int branch = -1;
    if (item.status == CLV_OK)
        check_body(&item, d, e);
    if (item.status != CLV_OK)
        return item.status;
    if (d->branch && *d->branch && (branch = branch_index(m, d->branch)) < 0)
        return out_of_memory(&item);
    if (!GROW(m, CLV_NAME_BODY, m->body, m->nbody))
        return out_of_memory(&item);
    clv_body *b = &m->body[m->nbody];
    *b = (clv_body){.name = take_name(&item, m->nbody),
                    .mass = d->mass,
                    .placed = d->placed,
                    .moving = d->moving,
                    .branch = branch,
                    .shape = d->shape,
                    .flex = -1,
                    .node = -1};
    if (!b->name)
        return out_of_memory(&item);
    if (b->shape.kind != CLV_SHAPE_NONE && fabs(clv_quat_norm(b->shape.orientation) - 1) > 1e-15)
        clv_quat_normalize(b->shape.orientation);
    clv_copy3(b->com, d->com);
    memcpy(b->J, d->inertia, sizeof b->J);
    memcpy(b->e, e, sizeof e);
    if (d->placed)
        clv_copy3(b->r, d->position);
    if (d->moving)
        clv_copy3(b->v, d->velocity), clv_copy3(b->w, d->angular_velocity);
    return done(index, &m->nbody);
}

/* ------------------------------------------------------------------ joints */

static void check_joint(adding *item, const clv_joint_desc *d, double ea[4], double eb[4])
{
    const clv_joint_row *row = &clv_joint_table[d->kind];
    check_index(item, "between", d->a, CLV_GROUND, item->m->nbody);
    check_index(item, "between", d->b, CLV_GROUND, item->m->nbody);
    check_finite(item, "pitch", &d->pitch, 1);
    check_finite(item, "distance", &d->distance, 1);
    if (d->global) {
        check_finite(item, "at", d->at, 3);
        check_finite(item, "at_b", d->at_b, 3);
        check_finite(item, "axis", d->axis, 3);
        check_finite(item, "x_axis", d->x_axis, 3);
    } else {
        check_finite(item, "a.position", d->position_a, 3);
        check_finite(item, "b.position", d->position_b, 3);
        check_quaternion(item, "a.orientation", ea, d->orientation_a);
        check_quaternion(item, "b.orientation", eb, d->orientation_b);
    }
    if (d->has_q)
        check_finite(item, "q", d->q, row->nq);
    if (d->has_u)
        check_finite(item, "u", d->u, row->nu);
}

/* Start coordinates; a quaternion among them must be one. */
static void copy_start(adding *item, clv_joint *j, const clv_joint_desc *d)
{
    int nq = clv_joint_table[d->kind].nq, k = nq - 4;
    clv_joint_zero(d->kind, j->q);
    j->has_q = d->has_q;
    j->has_u = d->has_u;
    if (d->has_q)
        memcpy(j->q, d->q, (size_t)nq * sizeof *j->q);
    if (d->has_q && nq > clv_joint_table[d->kind].nu)
        check_quaternion(item, "q", j->q + k, d->q + k);
    if (d->has_u)
        memcpy(j->u, d->u, (size_t)clv_joint_table[d->kind].nu * sizeof *j->u);
}

clv_status clv_model_add_joint(clv_model *m, int *index, const clv_joint_desc *d)
{
    bool described = d && d->cookie == CLV_COOKIE_JOINT;
    adding item = begin(m, CLV_NAME_JOINT, described ? d->name : NULL, described);
    if (!described)
        return item.status;
    double ea[4] = {1, 0, 0, 0}, eb[4] = {1, 0, 0, 0};
    clv_joint new = {0};
    if (item.status == CLV_OK && ((int)d->kind < 0 || d->kind >= CLV_JOINT_KINDS))
        refuse(&item, CLV_ERR_MODEL, "kind", "unknown kind of joint", d->kind);
    if (item.status == CLV_OK)
        check_joint(&item, d, ea, eb);
    if (item.status == CLV_OK)
        copy_start(&item, &new, d);
    if (item.status != CLV_OK)
        return item.status;
    if (!GROW(m, CLV_NAME_JOINT, m->joint, m->njoint) || !(new.name = take_name(&item, m->njoint)))
        return out_of_memory(&item);
    new.kind = d->kind;
    new.a = d->a, new.b = d->b;
    new.global = d->global;
    clv_copy3(new.at, d->at), clv_copy3(new.at_b, d->at_b);
    clv_copy3(new.axis, d->axis), clv_copy3(new.x_axis, d->x_axis);
    if (!d->global)
        clv_copy3(new.pa, d->position_a), clv_copy3(new.pb, d->position_b);
    clv_quat_rotation(new.Ea, ea);
    clv_quat_rotation(new.Eb, eb);
    new.pitch = d->pitch;
    new.distance = d->distance;
    new.cut = d->cut;
    memcpy(new.baumgarte, d->baumgarte, sizeof new.baumgarte);
    new.alpha = d->alpha, new.omega = d->omega, new.mu = d->mu;
    m->joint[m->njoint] = new;
    return done(index, &m->njoint);
}

/* ------------------------------------------------------------------ loads, motions, couplings, markers */

static void check_force(adding *item, const clv_force_desc *d)
{
    if ((int)d->kind < 0 || d->kind >= CLV_FORCE_KINDS)
        refuse(item, CLV_ERR_MODEL, "kind", "unknown kind of force", d->kind);
    check_index(item, "between", d->a, CLV_GROUND, item->m->nbody);
    check_index(item, "between", d->b, CLV_GROUND, item->m->nbody);
    if (d->kind == CLV_FORCE_JOINT)
        check_index(item, "joint", d->joint, 0, item->m->njoint);
    check_finite(item, "point_a", d->point_a, 3);
    check_finite(item, "point_b", d->point_b, 3);
    check_finite(item, "vector", d->vector, 3);
    check_finite(item, "stiffness", &d->stiffness, 1);
    check_finite(item, "damping", &d->damping, 1);
    check_finite(item, "rest", &d->rest, 1);
    check_finite(item, "drive", &d->drive, 1);
    check_table(item, &d->table);
}

clv_status clv_model_add_force(clv_model *m, int *index, const clv_force_desc *d)
{
    bool described = d && d->cookie == CLV_COOKIE_FORCE;
    adding item = begin(m, CLV_NAME_FORCE, described ? d->name : NULL, described);
    if (!described)
        return item.status;
    clv_series table;
    if (item.status == CLV_OK)
        check_force(&item, d);
    if (item.status != CLV_OK)
        return item.status;
    if (!GROW(m, CLV_NAME_FORCE, m->force, m->nforce) || !copy_series(&table, &d->table))
        return out_of_memory(&item);
    clv_force *f = &m->force[m->nforce];
    *f = (clv_force){.name = take_name(&item, m->nforce),
                     .kind = d->kind,
                     .a = d->a,
                     .b = d->b,
                     .in_body = d->in_body,
                     .table = table,
                     .joint = d->joint,
                     .coordinate = d->coordinate,
                     .stiffness = d->stiffness,
                     .damping = d->damping,
                     .rest = d->rest,
                     .drive = d->drive,
                     .call = d->call,
                     .user = d->user};
    if (!f->name) {
        free_series(&table);
        return out_of_memory(&item);
    }
    clv_copy3(f->point_a, d->point_a), clv_copy3(f->point_b, d->point_b), clv_copy3(f->vector, d->vector);
    return done(index, &m->nforce);
}

clv_status clv_model_add_motion(clv_model *m, int *index, const clv_motion_desc *d)
{
    bool described = d && d->cookie == CLV_COOKIE_MOTION;
    adding item = begin(m, CLV_NAME_MOTION, described ? d->name : NULL, described);
    if (!described)
        return item.status;
    clv_series table;
    if (item.status == CLV_OK) {
        check_index(&item, "joint", d->joint, 0, m->njoint);
        check_finite(&item, "offset", &d->offset, isnan(d->offset) ? 0 : 1); /* NaN: from the start */
        check_finite(&item, "rate", &d->rate, 1);
        check_finite(&item, "amplitude", &d->amplitude, 1);
        check_finite(&item, "frequency", &d->frequency, 1);
        check_finite(&item, "phase", &d->phase, 1);
        check_finite(&item, "end_rates", d->end_rate, 2);
        check_table(&item, &d->table);
        if ((int)d->profile < 0 || d->profile >= CLV_PROFILES)
            refuse(&item, CLV_ERR_MODEL, "profile", "unknown profile", d->profile);
    }
    if (item.status != CLV_OK)
        return item.status;
    if (!GROW(m, CLV_NAME_MOTION, m->motion, m->nmotion) || !copy_series(&table, &d->table))
        return out_of_memory(&item);
    clv_motion *x = &m->motion[m->nmotion];
    *x = (clv_motion){.name = take_name(&item, m->nmotion), .joint = d->joint, .offset = d->offset, .rate = d->rate,
                      .amplitude = d->amplitude, .frequency = d->frequency, .phase = d->phase, .table = table,
                      .end_rate = {d->end_rate[0], d->end_rate[1]}};
    x->table.profile = d->profile;
    if (!x->name) {
        free_series(&table);
        return out_of_memory(&item);
    }
    return done(index, &m->nmotion);
}

static void check_input(adding *item, const clv_input_desc *d)
{
    const clv_model *m = item->m;
    if ((int)d->kind < 0 || d->kind >= CLV_INPUT_KINDS)
        refuse(item, CLV_ERR_MODEL, "kind", "unknown kind of input", d->kind);
    if (d->kind == CLV_INPUT_JOINT)
        check_index(item, "joint", d->joint, 0, m->njoint);
    if (d->kind == CLV_INPUT_FORCE || d->kind == CLV_INPUT_TORQUE) {
        check_index(item, "body", d->body, 0, m->nbody);
        check_finite(item, "point", d->point, 3);
        check_finite(item, d->kind == CLV_INPUT_FORCE ? "force" : "torque", d->vector, 3);
    }
    if (d->kind == CLV_INPUT_MOTION)
        check_index(item, "motion", d->motion, 0, m->nmotion);
    check_finite(item, "value", &d->value, 1);
    if (isnan(d->limit[0]) || isnan(d->limit[1]))
        refuse(item, CLV_ERR_MODEL, "limit", "a limit is not a number", NAN);
}

clv_status clv_model_add_input(clv_model *m, int *index, const clv_input_desc *d)
{
    bool described = d && d->cookie == CLV_COOKIE_INPUT;
    adding item = begin(m, CLV_NAME_INPUT, described ? d->name : NULL, described);
    if (!described)
        return item.status;
    if (item.status == CLV_OK)
        check_input(&item, d);
    if (item.status != CLV_OK)
        return item.status;
    if (!GROW(m, CLV_NAME_INPUT, m->input, m->ninput))
        return out_of_memory(&item);
    clv_input *x = &m->input[m->ninput];
    *x = (clv_input){.name = take_name(&item, m->ninput), .kind = d->kind, .joint = d->joint,
                     .coordinate = d->coordinate, .body = d->body, .motion = d->motion, .in_body = d->in_body,
                     .value = d->value, .limit = {d->limit[0], d->limit[1]}};
    clv_copy3(x->point, d->point), clv_copy3(x->vector, d->vector);
    return x->name ? done(index, &m->ninput) : out_of_memory(&item);
}

clv_status clv_model_add_coupling(clv_model *m, int *index, const clv_coupling_desc *d)
{
    bool described = d && d->cookie == CLV_COOKIE_COUPLING;
    adding item = begin(m, CLV_NAME_COUPLING, described ? d->name : NULL, described);
    if (!described)
        return item.status;
    if (item.status == CLV_OK) {
        check_index(&item, "between", d->first, 0, m->njoint);
        check_index(&item, "between", d->second, 0, m->njoint);
        check_finite(&item, "ratio", &d->ratio, 1);
        check_finite(&item, "offset", &d->offset, isnan(d->offset) ? 0 : 1); /* NaN: from the start */
    }
    if (item.status != CLV_OK)
        return item.status;
    if (!GROW(m, CLV_NAME_COUPLING, m->coupling, m->ncoupling))
        return out_of_memory(&item);
    clv_coupling *c = &m->coupling[m->ncoupling];
    *c = (clv_coupling){.name = take_name(&item, m->ncoupling), .first = d->first, .second = d->second,
                        .ratio = d->ratio, .offset = d->offset};
    return c->name ? done(index, &m->ncoupling) : out_of_memory(&item);
}

clv_status clv_model_add_marker(clv_model *m, int *index, const clv_marker_desc *d)
{
    bool described = d && d->cookie == CLV_COOKIE_MARKER;
    adding item = begin(m, CLV_NAME_MARKER, described ? d->name : NULL, described);
    if (!described)
        return item.status;
    if (item.status == CLV_OK) {
        check_index(&item, "body", d->body, 0, m->nbody);
        check_finite(&item, "position", d->position, 3);
    }
    if (item.status != CLV_OK)
        return item.status;
    if (!GROW(m, CLV_NAME_MARKER, m->marker, m->nmarker))
        return out_of_memory(&item);
    clv_marker *k = &m->marker[m->nmarker];
    *k = (clv_marker){.name = take_name(&item, m->nmarker), .body = d->body};
    clv_copy3(k->position, d->position);
    return k->name ? done(index, &m->nmarker) : out_of_memory(&item);
}

/* ------------------------------------------------------------------ the model itself */

clv_status clv_model_create(clv_model **model, const char *name)
{
    if (!model)
        return CLV_ERR_USAGE;
    *model = NULL;
    if (name && !clv_text_plain(name))
        return CLV_ERR_USAGE;
    clv_model *m = clv_alloc(1, sizeof *m);
    if (!m)
        return CLV_ERR_MEMORY;
    m->name = clv_copy_text(name ? name : "");
    m->names = clv_names_create();
    m->gravity[2] = -9.81;
    m->error_mark = -1;
    clv_error_clear(&m->last);
    if (!m->name || !m->names) {
        clv_model_destroy(m);
        return CLV_ERR_MEMORY;
    }
    *model = m;
    return CLV_OK;
}

void clv_model_destroy(clv_model *m)
{
    if (!m)
        return;
    for (int i = 0; i < m->nbody; i++)
        clv_free(m->body[i].name);
    for (int i = 0; i < m->njoint; i++)
        clv_free(m->joint[i].name);
    for (int i = 0; i < m->nforce; i++)
        clv_free(m->force[i].name), free_series(&m->force[i].table);
    for (int i = 0; i < m->nmotion; i++)
        clv_free(m->motion[i].name), free_series(&m->motion[i].table);
    for (int i = 0; i < m->ncoupling; i++)
        clv_free(m->coupling[i].name);
    for (int i = 0; i < m->nmarker; i++)
        clv_free(m->marker[i].name);
    for (int i = 0; i < m->ninput; i++)
        clv_free(m->input[i].name);
    for (int i = 0; i < m->nbranch; i++)
        clv_free(m->branch[i]);
    for (int i = 0; i < m->nflex; i++)
        clv_flex_free(&m->flex[i]);
    for (int i = 0; i < m->nside; i++)
        clv_free(m->side[i]);
    clv_model_free_parameters(m);
    void *list[] = {m->flex,   m->body,  m->joint, m->force, m->motion, m->coupling, m->marker,
                    m->branch, m->input, m->side,  m->error, m->name,   m->file};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        clv_free(list[i]);
    clv_names_destroy(m->names);
    clv_free(m);
}

bool clv_model_note_side(clv_model *m, const char *path)
{
    char **more = clv_resize(m->side, (size_t)m->nside + 1, sizeof *more), *copy = clv_copy_text(path);
    if (more)
        m->side = more;
    if (!more || !copy) {
        clv_free(copy);
        return false;
    }
    m->side[m->nside++] = copy;
    return true;
}

clv_status clv_model_set_lenient(clv_model *m, int lenient)
{
    if (!m)
        return CLV_ERR_USAGE;
    if (m->finished)
        return clv_fail(&m->last, CLV_ERR_USAGE, "the model is finished: nothing can be set any more");
    m->lenient = lenient != 0;
    return CLV_OK;
}

int clv_model_clipped(const clv_model *m, int body, double given[3], double used[3])
{
    if (!m || body < 0 || body >= m->nbody || !m->body[body].clipped)
        return 0;
    if (given)
        clv_copy3(given, m->body[body].moment_given);
    if (used)
        clv_principal_moments(used, m->body[body].J);
    return 1;
}

clv_status clv_model_set_gravity(clv_model *m, const double gravity[3])
{
    if (!m)
        return CLV_ERR_USAGE;
    if (m->finished || !gravity)
        return clv_fail(&m->last, CLV_ERR_USAGE, m->finished ? "the model is finished and cannot be changed"
                                                             : "gravity is a NULL pointer");
    for (int i = 0; i < 3; i++)
        if (!isfinite(gravity[i]))
            return clv_fail(&m->last, CLV_ERR_MODEL, "gravity is not finite");
    clv_copy3(m->gravity, gravity);
    return CLV_OK;
}

clv_status clv_model_set_start_strained(clv_model *m, bool strained)
{
    if (!m)
        return CLV_ERR_USAGE;
    if (m->finished)
        return clv_fail(&m->last, CLV_ERR_USAGE, "the model is finished and cannot be changed");
    m->strained = strained;
    return CLV_OK;
}

const char *clv_model_name(const clv_model *m) { return m ? m->name : NULL; }
int clv_model_body_count(const clv_model *m) { return m ? m->nbody : 0; }
int clv_model_joint_count(const clv_model *m) { return m ? m->njoint : 0; }
int clv_model_marker_count(const clv_model *m) { return m ? m->nmarker : 0; }
int clv_model_input_count(const clv_model *m) { return m ? m->ninput : 0; }
int clv_model_mode_count(const clv_model *m, int i)
{
    const clv_body *b = i >= 0 && i < clv_model_body_count(m) ? &m->body[i] : NULL;
    return b && b->flex >= 0 && b->node < 0 ? m->flex[b->flex].nmode : 0;
}
const char *clv_model_body_name(const clv_model *m, int i)
{
    return i >= 0 && i < clv_model_body_count(m) ? m->body[i].name : NULL;
}
const char *clv_model_joint_name(const clv_model *m, int i)
{
    return i >= 0 && i < clv_model_joint_count(m) ? m->joint[i].name : NULL;
}
const char *clv_model_marker_name(const clv_model *m, int i)
{
    return i >= 0 && i < clv_model_marker_count(m) ? m->marker[i].name : NULL;
}
int clv_model_find_body(const clv_model *m, const char *name)
{
    return m && name ? clv_names_find(m->names, CLV_NAME_BODY, name) : -1;
}
const char *clv_model_input_name(const clv_model *m, int i)
{
    return i >= 0 && i < clv_model_input_count(m) ? m->input[i].name : NULL;
}
int clv_model_find_input(const clv_model *m, const char *name)
{
    return m && name ? clv_names_find(m->names, CLV_NAME_INPUT, name) : -1;
}
bool clv_model_start_input(clv_model *m, int i, double value)
{
    clv_input *x = &m->input[i];
    if (!(value >= x->limit[0] && value <= x->limit[1] && isfinite(value)))
        return false;
    x->value = value;
    return true;
}
void clv_model_input_limit(const clv_model *m, int i, double limit[2])
{
    const bool there = i >= 0 && i < clv_model_input_count(m);
    for (int k = 0; limit && k < 2; k++)
        limit[k] = there ? m->input[i].limit[k] : NAN;
}
int clv_model_find_joint(const clv_model *m, const char *name)
{
    return m && name ? clv_names_find(m->names, CLV_NAME_JOINT, name) : -1;
}
