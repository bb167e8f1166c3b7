/* SPDX-License-Identifier: Apache-2.0
 * What touches of a robot: shapes of links become shapes of bodies (T105).  Bodies over a joint do not touch.  The
 * forces between them are in robot_contact_force.c. */
#include "io/robot_contact.h"
#include "base/text.h"
#include "math/rotation.h"
#include "model/names.h"
#include <math.h>
#include <string.h>

bool clv_robot_word_known(const char *word)
{
    const char *end;
    const double k = clv_text_number(word, &end);
    return strcmp(word, "none") == 0 || strcmp(word, "rigid") == 0 || (*word && !*end && k > 0 && isfinite(k));
}

bool clv_robot_floor_known(const char *number)
{
    const char *end;
    return isfinite(clv_text_number(number, &end)) && *number && !*end;
}

bool clv_robot_contacts_wanted(const clv_import *I)
{
    const char *word = I->r->robot.contacts;
    return word ? strcmp(word, "none") != 0 : I->format && strcmp(I->format, "MJCF") == 0;
}

/* N/m^1.5; 0: rigid */
double clv_robot_stiffness(const clv_import *I)
{
    const char *word = I->r->robot.contacts, *end;
    return word && strcmp(word, "rigid") != 0 ? clv_text_number(word, &end) : 0;
}

int clv_robot_base(const clv_import *I, int link)
{
    return link < 0 ? -1 : I->link[link].base;
}

/* how many shapes of every body touch */
static void count_touching(clv_import *I)
{
    for (size_t k = 0; k < I->nhard; k++) {
        const int base = clv_robot_base(I, I->hard[k].link);
        if (!I->hard[k].off && !clv_hard_is_plane(&I->hard[k]) && base >= 0)
            I->link[base].touching++, I->link[base].shape_of = k;
    }
}

/* the shape in the axes of its body, or of the ground */
clv_shape clv_robot_placed(const clv_import *I, const clv_hard *h)
{
    clv_shape s = h->shape;
    clv_frame f;
    clv_copy3(f.p, s.at);
    clv_quat_rotation(f.R, s.orientation);
    clv_robot_body(I, h->link, &f, s.at, s.orientation);
    s.point = h->points;
    return s;
}

bool clv_robot_meet(const clv_hard *a, const clv_hard *b, double *friction)
{
    const clv_hard *say = a->rank > b->rank ? a : b;
    *friction = a->rank != b->rank     ? (say->slick ? 0 : say->friction)
                : a->slick && b->slick ? 0
                                       : fmax(a->friction, b->friction);
    return (a->type & b->with) != 0 || (b->type & a->with) != 0;
}

int clv_robot_parent(const clv_import *I, int link)
{
    return I->link[link].up >= 0 ? I->rod[I->link[link].up].parent : -1;
}

/* The link inboard of a link, over hidden ones; -1: the ground. */
int clv_robot_inboard(const clv_import *I, int link)
{
    int up = clv_robot_parent(I, link);
    while (up >= 0 && I->link[up].hidden)
        up = clv_robot_parent(I, up);
    return up;
}

/* The link that carries the body inboard of the body of link `base`. */
static int base_before(const clv_import *I, int base)
{
    return clv_robot_base(I, clv_robot_inboard(I, base));
}

static bool are_apart(const clv_import *I, int a, int b)
{
    bool apart = false;
    for (size_t k = 0; k < I->napart; k++) {
        const int x = clv_robot_base(I, I->apart[k].a), y = clv_robot_base(I, I->apart[k].b);
        apart |= (x == a && y == b) || (x == b && y == a);
    }
    return apart;
}

static bool may_touch(const clv_import *I, const clv_hard *a, const clv_hard *b)
{
    const int x = clv_robot_base(I, a->link), y = clv_robot_base(I, b->link);
    double friction;
    if (a->off || b->off || (clv_hard_is_plane(a) && clv_hard_is_plane(b)) || x == y ||
        !clv_robot_meet(a, b, &friction) || are_apart(I, x, y))
        return false;
    return I->near || x < 0 || y < 0 || (base_before(I, x) != y && base_before(I, y) != x);
}

/* Does the shape before it touch all that it touches? */
static bool repeats(const clv_import *I, size_t k)
{
    const clv_hard *h = &I->hard[k], *before = h - 1;
    return k > 0 && !before->off && clv_hard_is_plane(h) == clv_hard_is_plane(before) && h->type == before->type &&
           h->with == before->with && clv_robot_base(I, h->link) == clv_robot_base(I, before->link);
}

/* Where bits, joints and exclusions leave no pair, there are no contacts. */
static bool anything_touches(const clv_import *I)
{
    bool any = I->npair > 0;
    int type = 0, with = 0;
    for (size_t k = 0; k < I->nhard; k++)
        if (!I->hard[k].off)
            type |= I->hard[k].type, with |= I->hard[k].with;
    for (size_t i = 0; i < I->nhard && !any && (type & with) != 0; i++)
        for (size_t k = 0; k < i && !any && !repeats(I, i); k++)
            any = !repeats(I, k) && may_touch(I, &I->hard[i], &I->hard[k]);
    return any;
}

/* planes that move take no part */
static void sort_out(clv_import *I)
{
    for (size_t k = 0; k < I->nhard; k++) {
        clv_hard *h = &I->hard[k];
        if (!h->off && clv_hard_is_plane(h) && clv_robot_base(I, h->link) >= 0) {
            clv_import_drop(I, h->node, true, "contact", "contact of a plane of '%s', which moves",
                            I->link[h->link].name);
            h->off = true;
        }
    }
    const bool any = anything_touches(I);
    for (size_t i = 0; i < I->nhard; i++)
        I->hard[i].off |= !any;
}

static int count_moving(const clv_import *I)
{
    int n = 0;
    for (size_t k = 0; k < I->nhard; k++)
        n += !I->hard[k].off && !clv_hard_is_plane(&I->hard[k]) && clv_robot_base(I, I->hard[k].link) >= 0;
    return n;
}

/* the plane of the option `floor` */
static void add_floor(clv_import *I)
{
    const char *end;
    clv_hard *h = I->r->robot.floor ? CLV_IMPORT_MORE(I, hard) : NULL;
    if (!h)
        return;
    *h = (clv_hard){.node = I->xml.node[0].first,
                    .link = -1,
                    .shape = clv_body_desc_default().shape,
                    .type = 1,
                    .with = 1,
                    .friction = 1};
    h->shape.at[2] = clv_text_number(I->r->robot.floor, &end);
}

bool clv_robot_contacts_rigid(const clv_import *I)
{
    return clv_robot_contacts_wanted(I) && clv_robot_stiffness(I) == 0 && count_moving(I) > 0;
}

void clv_robot_contacts_lump(clv_import *I)
{
    add_floor(I);
    sort_out(I);
    count_touching(I);
    const bool any = count_moving(I) > 0;
    for (size_t i = 0; i < I->nlink && any; i++) {
        clv_link *l = &I->link[i];
        if (l->base != (int)i)
            continue;
        if (l->touching == 1)
            l->shape = clv_robot_placed(I, &I->hard[l->shape_of]), I->hard[l->shape_of].entry = (int)i;
        else
            l->shape = clv_body_desc_default().shape; /* none, without a size that its file cannot have */
    }
}

/* A name that no shape and no body has yet; *taken: up to where those of this name are taken. */
static const char *free_name(clv_import *I, const char *name, int *taken)
{
    const char *free = name;
    for (int k = *taken > 0 ? *taken : 1; free; k++) {
        *taken = k + 1;
        free = k > 1 ? clv_import_text(I, "%s.%d", name, k) : free;
        if (!free || (clv_names_find(I->m->names, CLV_NAME_SHAPE, free) < 0 &&
                      clv_names_find(I->m->names, CLV_NAME_BODY, free) < 0))
            break;
    }
    return free;
}

static void make_shape(clv_import *I, clv_hard *h)
{
    clv_shape_desc d = clv_shape_desc_default();
    int index, first = 0;
    const int base = clv_robot_base(I, h->link);
    d.body = base < 0 ? CLV_GROUND : I->link[base].body;
    if (base >= 0 && I->link[base].touching == 1) {
        h->entry = d.body;
        return;
    }
    int *taken = h->name ? &first : h->link < 0 ? &I->world_shapes : &I->link[h->link].shapes;
    const char *name = h->name ? h->name : h->link < 0 ? "world" : I->link[h->link].name;
    d.name = free_name(I, clv_import_name(I, h->node, name), taken);
    d.shape = clv_robot_placed(I, h);
    if (!d.name || !clv_robot_made(I, clv_model_add_shape(I->m, &index, &d), h->node))
        return;
    I->m->shape[index].place = clv_robot_place(I, h->node);
    h->entry = CLV_SHAPE_NUMBER(index);
}

void clv_robot_contacts(clv_import *I)
{
    if (count_moving(I) == 0)
        return;
    for (size_t k = 0; k < I->nhard && I->r->nerror == 0 && !I->r->memory; k++)
        if (!I->hard[k].off && !clv_hard_is_plane(&I->hard[k]))
            make_shape(I, &I->hard[k]);
    if (I->r->nerror == 0 && !I->r->memory)
        clv_robot_contact_forces(I);
}
