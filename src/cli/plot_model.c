/* SPDX-License-Identifier: Apache-2.0
 * A drawing of a mechanism at the output state, projected: bodies as bars and plates between their joints, joints by
 * kind, loop joints ringed, springs, markers.  Planar mechanisms are seen along their axes, others from above at an
 * angle. */
#include "base/memory.h"
#include "cli/plot.h"
#include "cli/svg.h"
#include "math/rotation.h"
#include "math/sincos.h"
#include "model/model.h"
#include <math.h>
#include <string.h>

enum { WIDE = 720, HIGH = 520, MARGIN = 48, MOST_NAMES = 30, MOST_CORNERS = 16 };

typedef struct view {
    FILE *out;
    clv_sim *sim;
    const clv_model *m;
    double right[3], up[3]; /* directions of the picture, global       */
    double low[2], high[2]; /* m, of everything drawn                  */
    double scale;           /* pixels per metre                        */
    bool names;
} view;

/* ---------------------------------------------------------------- places */

/* Global position of point p of a body (body axes, from its frame), or of ground. */
static void place_of(const view *v, int body, const double p[3], double at[3])
{
    double R[9], from_com[3];
    if (body == CLV_GROUND) {
        memcpy(at, p, 3 * sizeof *at);
        return;
    }
    clv_quat_rotation(R, clv_sim_quaternion(v->sim) + 4 * body);
    clv_sub3(from_com, p, v->m->body[body].com);
    clv_mat3_times(at, R, from_com);
    clv_axpy3(at, 1, clv_sim_position(v->sim) + 3 * body);
}

/* Global z axis of the joint. */
static void axis_of(const view *v, const clv_joint *j, double axis[3])
{
    double R[9], z[3];
    clv_mat3_column(z, j->Ea, 2);
    memcpy(axis, z, sizeof z);
    if (j->a == CLV_GROUND)
        return;
    clv_quat_rotation(R, clv_sim_quaternion(v->sim) + 4 * j->a);
    clv_mat3_times(axis, R, z);
}

static void project(const view *v, const double at[3], double xy[2])
{
    xy[0] = clv_dot3(v->right, at);
    xy[1] = clv_dot3(v->up, at);
}

/* Pixels. */
static void pixel(const view *v, const double at[3], double p[2])
{
    double xy[2];
    project(v, at, xy);
    p[0] = MARGIN + (xy[0] - v->low[0]) * v->scale;
    p[1] = MARGIN + (v->high[1] - xy[1]) * v->scale;
}

static void cover(view *v, const double at[3])
{
    double xy[2];
    project(v, at, xy);
    for (int k = 0; k < 2; ++k) {
        v->low[k] = fmin(v->low[k], xy[k]);
        v->high[k] = fmax(v->high[k], xy[k]);
    }
}

/* ---------------------------------------------------------------- the direction of view */

/* Does the joint turn about its axis alone? */
static bool turns_about_z(clv_joint_kind kind)
{
    return kind == CLV_JOINT_REVOLUTE || kind == CLV_JOINT_PLANAR || kind == CLV_JOINT_HELICAL ||
           kind == CLV_JOINT_CYLINDRICAL;
}

/* The common axis of all joints that turn, in the direction of its largest component; false: there is none. */
static bool common_axis(const view *v, double n[3])
{
    bool any = false;
    for (int i = 0; i < v->m->njoint; ++i) {
        const clv_joint *j = &v->m->joint[i];
        double axis[3], cross[3];
        if (j->kind == CLV_JOINT_FIXED || j->kind == CLV_JOINT_PRISMATIC)
            continue;
        if (!turns_about_z(j->kind))
            return false;
        axis_of(v, j, axis);
        if (!any)
            memcpy(n, axis, sizeof axis);
        clv_cross(cross, n, axis);
        if (clv_norm3(cross) > 1e-6)
            return false;
        any = true;
    }
    const int k = fabs(n[0]) > fabs(n[1]) && fabs(n[0]) > fabs(n[2]) ? 0 : fabs(n[1]) > fabs(n[2]) ? 1 : 2;
    for (int i = 0; any && n[k] < 0 && i < 3; ++i)
        n[i] = -n[i];
    return any;
}

/* The global axis that points up: against gravity; z without gravity. */
static int up_axis(const clv_model *m)
{
    int k = 2;
    for (int i = 0; i < 3; ++i)
        k = fabs(m->gravity[i]) > fabs(m->gravity[k]) ? i : k;
    return k;
}

static void choose_view(view *v)
{
    const int k = up_axis(v->m);
    double n[3] = {0}, up[3] = {0};
    up[k] = v->m->gravity[k] > 0 ? -1 : 1;
    const bool planar = common_axis(v, n);
    if (planar && fabs(n[k]) > 0.99) /* seen from above: y up in the picture */
        memset(up, 0, sizeof up), up[(k + 2) % 3] = 1;
    if (!planar) { /* from the front, a little from the right and above */
        n[k] = 0.45 * up[k];
        n[k == 1 ? 2 : (k + 2) % 3] = k == 1 ? 1 : -1;
        n[k == 1 ? 0 : (k + 1) % 3] = 0.5;
    }
    clv_cross(v->right, up, n);
    clv_cross(v->up, n, v->right);
    const double r = clv_norm3(v->right), u = clv_norm3(v->up);
    for (int i = 0; i < 3; ++i)
        v->right[i] /= r, v->up[i] /= u;
}

/* A name with a white border, which is read on lines, too. */
static void name(const view *v, double x, double y, const char *anchor, double size, const char *colour,
                 const char *text)
{
    fputs("<g paint-order=\"stroke\" stroke=\"#ffffff\" stroke-width=\"3\" stroke-linejoin=\"round\">", v->out);
    clv_svg_text(v->out, x, y, anchor, size, colour, 0, text);
    fputs("</g>\n", v->out);
}

/* ---------------------------------------------------------------- bodies */

typedef struct corners {
    int n;
    double p[MOST_CORNERS][2]; /* pixels */
    double middle[2];
} corners;

static void add_corner(const view *v, corners *c, int body, const double p[3])
{
    double at[3], q[2];
    place_of(v, body, p, at);
    pixel(v, at, q);
    for (int i = 0; i < c->n; ++i)
        if (hypot(c->p[i][0] - q[0], c->p[i][1] - q[1]) < 0.5)
            return;
    if (c->n < MOST_CORNERS)
        memcpy(c->p[c->n++], q, sizeof q);
}

/* Joints and markers of the body, around their middle; and its centre of mass where that is one point. */
static void find_corners(const view *v, int body, corners *c)
{
    c->n = 0;
    for (int i = 0; i < v->m->njoint; ++i) {
        const clv_joint *j = &v->m->joint[i];
        if ((j->a == body || j->b == body) && !j->absent)
            add_corner(v, c, body, j->a == body ? j->pa : j->pb);
    }
    for (int i = 0; i < v->m->nmarker; ++i)
        if (v->m->marker[i].body == body)
            add_corner(v, c, body, v->m->marker[i].position);
    if (c->n < 2)
        add_corner(v, c, body, v->m->body[body].com);
    for (int k = 0; k < 2; ++k) {
        c->middle[k] = 0;
        for (int i = 0; i < c->n; ++i)
            c->middle[k] += c->p[i][k] / c->n;
    }
    for (int i = 1; i < c->n; ++i) /* by angle */
        for (int k = i; k > 0; --k) {
            double *a = c->p[k - 1], *b = c->p[k], swap[2];
            if (atan2(a[1] - c->middle[1], a[0] - c->middle[0]) <= atan2(b[1] - c->middle[1], b[0] - c->middle[0]))
                break;
            memcpy(swap, a, sizeof swap), memcpy(a, b, sizeof swap), memcpy(b, swap, sizeof swap);
        }
}

static void draw_body(const view *v, int body)
{
    const char *colour = clv_svg_colour(body % 6);
    corners c;
    find_corners(v, body, &c);
    if (c.n == 1) {
        clv_svg_circle(v->out, c.p[0][0], c.p[0][1], 7, colour, colour, 1);
    } else {
        fprintf(v->out, "<path d=\"M");
        for (int i = 0; i < c.n; ++i)
            fprintf(v->out, "%s%.2f %.2f", i ? "L" : "", c.p[i][0], c.p[i][1]);
        fprintf(v->out,
                "%s\" fill=\"%s\" fill-opacity=\"0.22\" stroke=\"%s\" stroke-opacity=\"0.75\" stroke-width=\"7\" "
                "stroke-linejoin=\"round\" stroke-linecap=\"round\"/>\n",
                c.n > 2 ? "Z" : "", c.n > 2 ? colour : "none", colour);
    }
    if (v->names && v->m->body[body].node < 0)
        name(v, c.middle[0] + 9, c.middle[1] - 9, "start", 13, colour, v->m->body[body].name);
}

/* ---------------------------------------------------------------- joints */

/* Hatching below a point of ground. */
static void draw_ground(const view *v, const double p[2])
{
    fprintf(v->out, "<path d=\"M%.2f %.2fl-11 16h22z\" fill=\"#ffffff\" stroke=\"%s\" stroke-width=\"1.5\"/>\n", p[0],
            p[1], CLV_INK);
    clv_svg_line(v->out, p[0] - 16, p[1] + 16, p[0] + 16, p[1] + 16, CLV_INK, 1.5, NULL);
    for (int k = -2; k <= 2; ++k)
        clv_svg_line(v->out, p[0] + 7 * k + 2, p[1] + 16, p[0] + 7 * k - 4, p[1] + 23, CLV_INK, 1, NULL);
}

/* A sleeve along the projected axis. */
static void draw_slider(const view *v, const clv_joint *j, const double p[2])
{
    double axis[3], xy[2];
    axis_of(v, j, axis);
    project(v, axis, xy);
    fprintf(v->out,
            "<rect x=\"-12\" y=\"-7\" width=\"24\" height=\"14\" rx=\"2\" fill=\"#ffffff\" stroke=\"%s\" "
            "stroke-width=\"1.8\" transform=\"translate(%.2f %.2f) rotate(%.1f)\"/>\n",
            CLV_INK, p[0], p[1], -atan2(xy[1], xy[0]) * 180 / CLV_PI);
}

static void draw_joint(const view *v, const clv_joint *j, bool loop)
{
    double at[3], other[3], p[2], q[2];
    place_of(v, j->a, j->pa, at), place_of(v, j->b, j->pb, other);
    pixel(v, at, p), pixel(v, other, q);
    if (j->kind == CLV_JOINT_FREE)
        return;
    if (j->a == CLV_GROUND || j->b == CLV_GROUND)
        draw_ground(v, j->a == CLV_GROUND ? p : q);
    if (j->kind == CLV_JOINT_DISTANCE)
        clv_svg_line(v->out, p[0], p[1], q[0], q[1], CLV_INK, 2, NULL);
    if (loop)
        clv_svg_circle(v->out, q[0], q[1], 11, "none", CLV_MARK, 2.5);
    if (j->kind == CLV_JOINT_PRISMATIC || j->kind == CLV_JOINT_CYLINDRICAL || j->kind == CLV_JOINT_HELICAL)
        draw_slider(v, j, q);
    else if (j->kind == CLV_JOINT_FIXED)
        fprintf(v->out, "<rect x=\"%.2f\" y=\"%.2f\" width=\"8\" height=\"8\" fill=\"%s\"/>\n", q[0] - 4, q[1] - 4,
                CLV_INK);
    else
        clv_svg_circle(v->out, q[0], q[1], 5, j->kind == CLV_JOINT_REVOLUTE ? "#ffffff" : CLV_INK, CLV_INK, 2);
    if (!v->names)
        return;
    if (j->a == CLV_GROUND || j->b == CLV_GROUND)
        name(v, q[0] - 11, q[1] - 6, "end", 11, CLV_INK, j->name);
    else
        name(v, q[0] + 8, q[1] + (loop ? 24 : 18), "start", 11, CLV_INK, j->name);
}

/* ---------------------------------------------------------------- springs, markers, scale */

static void draw_spring(const view *v, const clv_force *f)
{
    double at[2][3], p[2][2];
    place_of(v, f->a, f->point_a, at[0]), place_of(v, f->b, f->point_b, at[1]);
    pixel(v, at[0], p[0]), pixel(v, at[1], p[1]);
    const double x = p[1][0] - p[0][0], y = p[1][1] - p[0][1], length = hypot(x, y);
    fprintf(v->out, "<path d=\"M%.2f %.2f", p[0][0], p[0][1]);
    for (int k = 1; k < 12 && length > 1; ++k) {
        const double side = k < 3 || k > 9 ? 0 : k % 2 ? 6 : -6;
        fprintf(v->out, "L%.2f %.2f", p[0][0] + x * k / 12 - side * y / length,
                p[0][1] + y * k / 12 + side * x / length);
    }
    fprintf(v->out, "L%.2f %.2f\" fill=\"none\" stroke=\"%s\" stroke-width=\"1.5\"/>\n", p[1][0], p[1][1], CLV_GREY);
}

static void draw_rope(const view *v, const clv_force *f)
{
    for (int k = 1; k < f->npoint; ++k) {
        double at[2][3], p[2][2];
        for (int end = 0; end < 2; ++end) {
            const clv_path_point *x = &f->path[k - 1 + end];
            place_of(v, x->body, x->position, at[end]), pixel(v, at[end], p[end]);
        }
        clv_svg_line(v->out, p[0][0], p[0][1], p[1][0], p[1][1], CLV_ROPE, 2, NULL);
    }
}

static void draw_marker(const view *v, int i)
{
    double p[2];
    pixel(v, clv_sim_marker(v->sim) + 6 * i, p);
    clv_svg_line(v->out, p[0] - 5, p[1], p[0] + 5, p[1], CLV_INK, 1.5, NULL);
    clv_svg_line(v->out, p[0], p[1] - 5, p[0], p[1] + 5, CLV_INK, 1.5, NULL);
    if (v->names)
        name(v, p[0] + 8, p[1] - 7, "start", 12, CLV_INK, v->m->marker[i].name);
}

/* A length of 1, 2 or 5 times a power of ten, and what the ring means. */
static void draw_legend(const view *v, double y, bool loops)
{
    char text[48];
    const double rough = 120 / v->scale, ten = pow(10, floor(log10(rough)));
    const double length = ten * (rough / ten < 2 ? 1 : rough / ten < 5 ? 2 : 5), end = MARGIN + length * v->scale;
    clv_svg_line(v->out, MARGIN, y, end, y, CLV_INK, 2, NULL);
    for (int k = 0; k < 2; ++k)
        clv_svg_line(v->out, k ? end : MARGIN, y - 5, k ? end : MARGIN, y + 5, CLV_INK, 2, NULL);
    snprintf(text, sizeof text, length < 0.1 ? "%g mm" : "%g m", length < 0.1 ? 1000 * length : length);
    clv_svg_text(v->out, end + 8, y + 4.5, "start", 13, CLV_INK, 0, text);
    if (!loops)
        return;
    const double x = end + 8 + clv_svg_width(text, 13) + 40;
    clv_svg_circle(v->out, x, y, 8, "none", CLV_MARK, 2.5);
    clv_svg_text(v->out, x + 15, y + 4.5, "start", 13, CLV_INK, 0, "loop joint");
}

/* ---------------------------------------------------------------- the picture */

static void measure(view *v)
{
    for (int k = 0; k < 2; ++k)
        v->low[k] = INFINITY, v->high[k] = -INFINITY;
    for (int i = 0; i < v->m->nbody; ++i)
        cover(v, clv_sim_position(v->sim) + 3 * i);
    for (int i = 0; i < v->m->nmarker; ++i)
        cover(v, clv_sim_marker(v->sim) + 6 * i);
    for (int i = 0; i < v->m->njoint; ++i) {
        const clv_joint *j = &v->m->joint[i];
        double at[3];
        if (j->kind == CLV_JOINT_FREE || j->absent)
            continue;
        place_of(v, j->a, j->pa, at), cover(v, at);
        place_of(v, j->b, j->pb, at), cover(v, at);
    }
    const double wide = fmax(v->high[0] - v->low[0], 1e-9), high = fmax(v->high[1] - v->low[1], 1e-9);
    v->scale = fmin((WIDE - 2.0 * MARGIN) / wide, (HIGH - 2.0 * MARGIN) / high);
    v->low[0] -= (WIDE - 2.0 * MARGIN - wide * v->scale) / 2 / v->scale; /* in the middle */
}

clv_status clv_model_draw(clv_sim *sim, FILE *out)
{
    view v = {.out = out, .sim = sim, .m = clv_sim_model(sim)};
    bool loops = false;
    choose_view(&v);
    measure(&v);
    v.names = v.m->nbody <= MOST_NAMES;
    const double bottom = 2 * MARGIN + (v.high[1] - v.low[1]) * v.scale;
    clv_svg_begin(out, WIDE, bottom + 40, clv_model_name(v.m));
    for (int i = 0; i < v.m->nforce; ++i)
        if (v.m->force[i].kind == CLV_FORCE_SPRING)
            draw_spring(&v, &v.m->force[i]);
        else
            draw_rope(&v, &v.m->force[i]);
    for (int i = 0; i < v.m->nbody; ++i)
        draw_body(&v, i);
    for (int i = 0; i < v.m->njoint; ++i) {
        clv_joint_result r;
        if (v.m->joint[i].absent) /* an attachment of an event */
            continue;
        const clv_status status = clv_sim_joint(sim, i, &r);
        if (status != CLV_OK)
            return status;
        loops |= !r.tree;
        draw_joint(&v, &v.m->joint[i], !r.tree);
    }
    for (int i = 0; i < v.m->nmarker; ++i)
        draw_marker(&v, i);
    draw_legend(&v, bottom + 16, loops);
    clv_svg_end(out);
    return CLV_OK;
}
