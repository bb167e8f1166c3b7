/* SPDX-License-Identifier: Apache-2.0
 * MJCF: equality constraints.  MuJoCo holds them by stiff springs (solref, solimp); here they are exact: connect is a
 * point joint, weld a fixed one, joint and tendon a coupling. Poses that are not given are those of the reference
 * position. */
#include "io/mjcf.h"
#include "math/rotation.h"
#include <string.h>

/* The name is one of joints: loops are joints of the model. */
static const char *name_of(clv_mjcf *M, unsigned node, const char *what)
{
    const char *name = clv_xml_get(&M->I->xml, node, "name");
    return clv_mjcf_unique(M, node, &M->I->rods, name && *name ? name : what, 0);
}

/* Frame of body2 in body1 in the reference position. */
static void between(const clv_mjcf *M, int a, int b, clv_frame *f)
{
    clv_frame back;
    clv_frame_inverse(&back, &M->home[a < 0 ? 0 : a]);
    clv_frame_product(f, &back, &M->home[b < 0 ? 0 : b]);
}

static clv_loop *new_loop(clv_mjcf *M, unsigned node, const char *what, clv_joint_kind kind)
{
    const char *name = name_of(M, node, what);
    clv_loop *l = name ? CLV_IMPORT_MORE(M->I, loop) : NULL;
    if (!l)
        return NULL;
    *l = (clv_loop){.name = name, .node = node, .kind = kind, .a = -1, .b = -1};
    clv_frame_identity(&l->at_a);
    clv_frame_identity(&l->at_b);
    return l;
}

/* ---------------------------------------------------------------- sites, bodies */

static bool read_site(clv_mjcf *M, unsigned node, const char *attribute, int *link, clv_frame *f)
{
    const char *name = clv_import_need(M->I, node, attribute);
    size_t index;
    if (!name)
        return false;
    if (!clv_map_find(&M->sites, name, &index)) {
        clv_import_fail(M->I, node, "", "there is no site '%.100s'", name);
        return false;
    }
    *link = M->site[index].link;
    *f = M->site[index].at;
    return true;
}

static void read_sites(clv_mjcf *M, unsigned node, clv_loop *l)
{
    if (read_site(M, node, "site1", &l->a, &l->at_a))
        read_site(M, node, "site2", &l->b, &l->at_b);
}

/* body1 and body2, which is the world where it is not given. */
static bool read_bodies(clv_mjcf *M, unsigned node, clv_loop *l)
{
    const char *first = clv_import_need(M->I, node, "body1"), *second = clv_xml_get(&M->I->xml, node, "body2");
    return first && clv_mjcf_link(M, node, first, &l->a) && (!second || clv_mjcf_link(M, node, second, &l->b));
}

static void read_connect(clv_mjcf *M, unsigned node)
{
    clv_loop *l = new_loop(M, node, "connect", CLV_JOINT_POINT);
    clv_frame f;
    if (!l)
        return;
    if (clv_xml_get(&M->I->xml, node, "site1")) {
        read_sites(M, node, l);
        return;
    }
    clv_import_need(M->I, node, "anchor");
    clv_import_numbers(M->I, node, "anchor", l->at_a.p, 3);
    if (!read_bodies(M, node, l))
        return;
    between(M, l->b, l->a, &f);
    clv_frame_product(&l->at_b, &f, &l->at_a);
}

static void read_weld(clv_mjcf *M, unsigned node)
{
    clv_loop *l = new_loop(M, node, "weld", CLV_JOINT_FIXED);
    double pose[7] = {0};
    clv_frame f;
    if (!l)
        return;
    clv_xml_get(&M->I->xml, node, "torquescale"); /* a weight between rows that are exact here */
    if (clv_xml_get(&M->I->xml, node, "site1")) {
        read_sites(M, node, l);
        return;
    }
    clv_import_numbers(M->I, node, "anchor", l->at_b.p, 3);
    clv_import_numbers(M->I, node, "relpose", pose, 7);
    if (!read_bodies(M, node, l))
        return;
    if (clv_quat_norm(pose + 3) > 0) { /* given: where the anchor is in body1 */
        clv_copy3(l->at_a.p, pose);
        clv_quat_rotation(l->at_a.R, pose + 3);
        return;
    }
    between(M, l->a, l->b, &f);
    clv_frame_product(&l->at_a, &f, &l->at_b);
}

/* ---------------------------------------------------------------- joints */

static bool read_rod(clv_mjcf *M, unsigned node, const char *name, int *rod)
{
    size_t index;
    if (!clv_map_find(&M->I->rods, name, &index)) {
        clv_import_fail(M->I, node, "is the name spelt as in <joint name=...>?", "there is no joint '%.100s'", name);
        return false;
    }
    const clv_joint_kind kind = M->I->rod[index].kind;
    if (kind != CLV_JOINT_REVOLUTE && kind != CLV_JOINT_PRISMATIC) {
        clv_import_fail(M->I, node, "", "joint '%.100s' is not a hinge or slide", name);
        return false;
    }
    *rod = (int)index;
    return true;
}

/* a(q) = c(q - from) + to, by Horner's scheme */
static void shift_polynomial(double a[5], const double c[5], double from, double to)
{
    memset(a, 0, 5 * sizeof *a);
    for (int k = 4; k >= 0; k--) {
        for (int i = 4; i > 0; i--)
            a[i] = a[i - 1] - from * a[i];
        a[0] = c[k] - from * a[0];
    }
    a[0] += to;
}

/* q1 - ref1 = c0 + c1 (q2 - ref2) + c2 (...)^2 + ... */
static void read_joint(clv_mjcf *M, unsigned node)
{
    double c[5] = {0, 1, 0, 0, 0}, given[5];
    const char *one = clv_import_need(M->I, node, "joint1"), *two = clv_xml_get(&M->I->xml, node, "joint2");
    const int n = clv_import_some(M->I, node, "polycoef", given, 5);
    int second = -1, first = -1;
    if (!one || !read_rod(M, node, one, &second) || (two && !read_rod(M, node, two, &first)))
        return;
    memcpy(c, given, (size_t)n * sizeof *c);
    const bool curved = first >= 0 && (c[2] != 0 || c[3] != 0 || c[4] != 0);
    const char *name = name_of(M, node, one);
    clv_gear *g = name ? CLV_IMPORT_MORE(M->I, gear) : NULL;
    if (!g)
        return;
    *g = (clv_gear){.name = name, .node = node, .first = c[1] != 0 || curved ? first : -1, .second = second,
                    .ratio = c[1]};
    g->offset = M->I->rod[second].reference + c[0];
    if (g->first >= 0)
        g->offset -= c[1] * M->I->rod[first].reference;
    if (curved)
        shift_polynomial(g->polynomial, c, M->I->rod[first].reference, M->I->rod[second].reference);
}

/* ---------------------------------------------------------------- tendons */

/* The tendon of that name, where it is a sum of coordinates; its sum in the reference position. */
static bool read_cord(clv_mjcf *M, unsigned node, const char *name, int *cord, double *reference)
{
    size_t index;
    if (!clv_map_find(&M->tendons, name, &index)) {
        clv_import_fail(M->I, node, "is the name spelt as in <fixed name=...>?", "there is no tendon '%.100s'", name);
        return false;
    }
    const clv_cord *c = &M->I->cord[index];
    if (c->path || c->n == 0) {
        clv_import_drop(M->I, node, true, "equality", "equality constraint of tendon '%.60s': it is not a sum of "
                                                      "joints",
                        name);
        return false;
    }
    *cord = (int)index;
    for (int i = 0; i < c->n; i++)
        *reference += c->factor[i] * M->I->rod[c->of[i]].reference;
    return true;
}

/* as of joints, between lengths */
static void read_tendon(clv_mjcf *M, unsigned node)
{
    double c[5] = {0, 1, 0, 0, 0}, at[2] = {0};
    const char *one = clv_import_need(M->I, node, "tendon1"), *two = clv_xml_get(&M->I->xml, node, "tendon2");
    int second = -1, first = -1;
    clv_import_some(M->I, node, "polycoef", c, 5);
    if (!one || !read_cord(M, node, one, &second, &at[0]) || (two && !read_cord(M, node, two, &first, &at[1])))
        return;
    if (first >= 0 && (c[2] != 0 || c[3] != 0 || c[4] != 0)) {
        clv_import_drop(M->I, node, true, "equality", "equality constraint of tendon '%.60s': terms of higher order",
                        one);
        return;
    }
    const char *name = name_of(M, node, one);
    clv_gear *g = name ? CLV_IMPORT_MORE(M->I, gear) : NULL;
    if (g)
        *g = (clv_gear){.name = name, .node = node, .of_cords = true, .first = first, .second = second,
                        .ratio = c[1], .offset = at[0] + c[0] - (first >= 0 ? c[1] * at[1] : 0)};
}

/* ---------------------------------------------------------------- the section */

static void read_one(clv_mjcf *M, unsigned node)
{
    static const struct {
        const char *name;
        void (*read)(clv_mjcf *M, unsigned node);
    } kinds[] = {{"connect", read_connect}, {"weld", read_weld}, {"joint", read_joint}, {"tendon", read_tendon}};
    clv_xml *x = &M->I->xml;
    const clv_item e = clv_mjcf_item(M, node, M->main_class, "equality");
    const char *name = clv_xml_get(x, node, "name");
    const bool active = clv_mjcf_true(M, e, "active", true) && !M->off.equality && !M->off.constraint;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds && active; i++)
        if (clv_xml_is(x, node, kinds[i].name)) {
            kinds[i].read(M, node);
            return;
        }
    clv_import_drop(M->I, node, active, "equality", "equality constraint <%.60s>%s%.60s%s%s", clv_xml_name(x, node),
                    name ? " '" : "", name ? name : "", name ? "'" : "", active ? "" : ": it is not active");
    clv_xml_see(x, node);
}

void clv_mjcf_equality(clv_mjcf *M, unsigned section)
{
    for (unsigned n = clv_mjcf_first(M, section); n && M->I->r->nerror == 0; n = clv_mjcf_next(M, n))
        read_one(M, n);
}
