/* SPDX-License-Identifier: Apache-2.0
 * Contacts inside a bore, see bore.h and T147.  All in axes of the bore: z along the hole, its middle the origin.
 *
 *   each end of what is inside:  wall of the hole | edge of a mouth | beside it: outside
 *   each closed end:             its plane (T61.1)
 *
 * Candidates have signed depths; those below the surface are points of contact. */
#include "model/bore.h"
#include "math/ellipse.h"
#include "math/rotation.h"
#include <math.h>

/* What is inside, in axes of the bore: `a` is the direction of its axis, upwards. */
typedef struct guest {
    clv_shape_kind kind;
    double r, half;                /* m, radius and half length of the axis; of a sphere 0 */
    double at[3], a[3], end[2][3]; /* lower, upper */
} guest;

typedef struct found {
    clv_touch x[CLV_TOUCH_POINTS]; /* candidates: depths may be negative */
    int n;
    bool left; /* its axis is in the wall or beyond it */
} found;

double clv_bore_end(const double size[3], int closed, int side)
{
    const bool bottom = closed & (side < 0 ? CLV_BORE_LOWER : CLV_BORE_UPPER);
    return 0.5 * size[2] + (bottom ? size[1] - size[0] : 0);
}

static double away(const double p[3])
{
    return sqrt(p[0] * p[0] + p[1] * p[1]);
}

static bool bottom_at(const clv_solid *bore, int side)
{
    return bore->closed & (side < 0 ? CLV_BORE_LOWER : CLV_BORE_UPPER);
}

static guest enter(const clv_solid *bore, const clv_solid *s)
{
    guest g = {.kind = s->kind, .r = s->size[0], .half = s->kind == CLV_SHAPE_SPHERE ? 0 : 0.5 * s->size[1]};
    double line[3], axis[3];
    clv_sub3(line, s->at, bore->at);
    clv_mat3_transpose_times(g.at, bore->E, line);
    clv_mat3_column(axis, s->E, 2);
    clv_mat3_transpose_times(g.a, bore->E, axis);
    for (int i = 0; i < 3 && g.a[2] < 0; i++)
        axis[i] = -g.a[i];
    if (g.a[2] < 0)
        clv_copy3(g.a, axis);
    for (int k = 0; k < 2; k++) {
        clv_copy3(g.end[k], g.at);
        clv_axpy3(g.end[k], k == 0 ? -g.half : g.half, g.a);
    }
    return g;
}

/* A candidate: the surface of the bore at p, that of the guest with radius r deeper by `depth` against n.  Its axis
 * goes round at the distance of the clearance (T148). */
static void note(const clv_solid *bore, const double p[3], double r, double depth, const double n[3], found *f)
{
    clv_touch *to = &f->x[f->n++];
    const double flat = away(n);
    *to = (clv_touch){.depth = depth, .hollow = 1 / (bore->size[0] - r + depth), .axis = r};
    clv_copy3(to->n, n), clv_copy3(to->at, p);
    clv_axpy3(to->at, -0.5 * depth, n);
    to->round[0] = -n[1] / flat, to->round[1] = n[0] / flat;
}

/* ------------------------------------------------------------------ balls */

/* A ball at c: on the wall, or at the edge of the mouth that it is in front of. */
static void ball(const clv_solid *bore, const double c[3], double r, found *f)
{
    const double R = bore->size[0], l = 0.5 * bore->size[2], rho = away(c);
    const int side = c[2] < 0 ? -1 : 1;
    const double before = bottom_at(bore, side) ? 0 : fmax(fabs(c[2]) - l, 0), across = R - rho;
    f->left |= !(rho <= R) && !(before > 0);
    if (!(rho <= R && before < r))
        return;
    const double distance = before > 0 ? sqrt(across * across + before * before) : across;
    const double x = rho > 0 ? c[0] / rho : 1, y = rho > 0 ? c[1] / rho : 0;
    const double p[3] = {R * x, R * y, before > 0 ? side * l : c[2]};
    const double inward = distance > 0 ? across / distance : 1;
    const double n[3] = {-x * inward, -y * inward, before > 0 ? side * before / distance : 0};
    note(bore, p, r, r - distance, n, f);
}

/* ------------------------------------------------------------------ ends of cylinders, edges of mouths */

/* u across both axes, t across u and the axis of the bore; returns the cosine of the angle of the axes */
static double across_both(const guest *g, double u[3], double t[3])
{
    const double l = away(g->a);
    u[0] = l > 0 ? -g->a[1] / l : 1, u[1] = l > 0 ? g->a[0] / l : 0, u[2] = 0;
    t[0] = -u[1], t[1] = u[0], t[2] = 0;
    return fmin(g->a[2], 1);
}

/* The rim of an end at e, where it is farthest from the axis of the bore.  Returns whether its first point lies
 * beyond the mouth at `side`. */
static bool rim(const clv_solid *bore, const guest *g, const double e[3], int side, found *f)
{
    const double R = bore->size[0], l = 0.5 * bore->size[2];
    double u[3], t[3], v[3], way[2][2];
    const double k = across_both(g, u, t), middle[2] = {clv_dot3(e, u), clv_dot3(e, t)};
    bool beyond = false;
    clv_cross(v, g->a, u);
    const int n = clv_ellipse_farthest(way, middle, g->r, k);
    for (int i = 0; i < n; i++) {
        double y[3];
        clv_copy3(y, e);
        clv_axpy3(y, g->r * way[i][0], u), clv_axpy3(y, g->r * way[i][1], v);
        const double rho = away(y), inward[3] = {-y[0] / rho, -y[1] / rho, 0};
        const double p[3] = {R * -inward[0], R * -inward[1], y[2]};
        const bool out = !bottom_at(bore, side) && side * y[2] > l;
        beyond |= i == 0 && out;
        if (rho > 0 && !out && (bottom_at(bore, -side) || side * y[2] >= -l))
            note(bore, p, g->r, rho - R, inward, f);
    }
    return beyond;
}

/* Where the edge of the mouth at `side` is nearest to the axis of the guest, if that passes through it. */
static void mouth(const clv_solid *bore, const guest *g, int side, found *f)
{
    const double R = bore->size[0], m[3] = {0, 0, side * 0.5 * bore->size[2]};
    double u[3], t[3], v[3], from[3], way[2][2], through[3];
    const double k = across_both(g, u, t);
    if (!(k > 0))
        return;
    clv_copy3(through, g->at);
    clv_axpy3(through, (m[2] - g->at[2]) / k, g->a);
    if (!(away(through) <= R)) {
        f->left |= fabs(m[2] - g->at[2]) <= g->half * k;
        return;
    }
    clv_cross(v, g->a, u);
    clv_sub3(from, m, g->at);
    const double middle[2] = {clv_dot3(from, u), clv_dot3(from, v)};
    const int n = clv_ellipse_nearest(way, middle, R, k);
    for (int i = 0; i < n; i++) {
        double x[3], line[3];
        clv_copy3(x, m);
        clv_axpy3(x, R * way[i][0], u), clv_axpy3(x, R * way[i][1], t);
        clv_sub3(line, x, g->at);
        const double along = clv_dot3(line, g->a);
        clv_axpy3(line, -along, g->a);
        const double distance = clv_norm3(line);
        const double inward[3] = {-line[0] / distance, -line[1] / distance, -line[2] / distance};
        const double depth = g->r - distance, beyond = side * along - g->half;
        if (g->kind == CLV_SHAPE_CAPSULE && beyond > 0) /* its cap is there */
            ball(bore, g->end[side > 0], g->r, f);
        else if (distance > 0 && beyond >= -2 * g->half && beyond <= fmax(depth, 0) * away(g->a))
            note(bore, x, g->r, depth, inward, f);
    }
}

/* ------------------------------------------------------------------ all of it */

/* A cylinder's end in the hole; returns whether its axis leaves through the mouth before. */
static bool flat_end(const clv_solid *bore, const guest *g, const double *e, int side, found *f)
{
    const double l = 0.5 * bore->size[2], up = side * e[2];
    const bool open = !bottom_at(bore, side);
    if (open && up > l + g->r)
        return true;
    if (away(e) <= bore->size[0])
        return rim(bore, g, e, side, f);
    if (open && up > l)
        return true;
    f->left |= bottom_at(bore, -side) || up >= -l;
    return false;
}

/* one end of a cylinder or capsule */
static void end(const clv_solid *bore, const guest *g, int side, found *f)
{
    const double *e = g->end[side > 0], l = 0.5 * bore->size[2];
    bool through = !bottom_at(bore, side) && side * e[2] > l;
    if (g->kind == CLV_SHAPE_CYLINDER)
        through = flat_end(bore, g, e, side, f);
    else if (!through)
        ball(bore, e, g->r, f);
    if (through)
        mouth(bore, g, side, f);
}

/* planes of closed ends */
static void bottoms(const clv_solid *bore, const clv_solid *s, const guest *g, found *f)
{
    for (int side = -1; side <= 1; side += 2) {
        clv_solid plane = {.kind = CLV_SHAPE_NONE, .E = {1, 0, 0, 0, 1, 0, 0, 0, -side}};
        clv_solid in = *s;
        clv_touch x[CLV_TOUCH_POINTS];
        if (!bottom_at(bore, side))
            continue;
        plane.at[2] = side * 0.5 * bore->size[2];
        clv_copy3(in.at, g->at), clv_mat3_transpose_product(in.E, bore->E, s->E);
        const int n = clv_touch_find(&plane, &in, x);
        for (int k = 0; k < n; k++)
            f->x[f->n++] = x[k];
    }
}

static found look(const clv_solid *bore, const clv_solid *s)
{
    const guest g = enter(bore, s);
    const double l = 0.5 * bore->size[2];
    found f = {.n = 0};
    for (int side = -1; side <= 1; side += 2)
        if (bottom_at(bore, side) && side * g.at[2] > l) { /* behind a bottom */
            f.left = true;
            return f;
        }
    if (g.kind == CLV_SHAPE_SPHERE)
        ball(bore, g.at, g.r, &f);
    else
        end(bore, &g, -1, &f), end(bore, &g, 1, &f);
    if (away(g.at) <= bore->size[0])
        bottoms(bore, s, &g, &f);
    return f;
}

int clv_bore_touch(const clv_solid *a, const clv_solid *b, clv_touch x[CLV_TOUCH_POINTS])
{
    const found f = look(a, b);
    int n = 0;
    for (int k = 0; k < f.n; k++) {
        if (!(f.x[k].depth > 0))
            continue;
        x[n] = f.x[k];
        clv_mat3_times(x[n].n, a->E, f.x[k].n);
        clv_mat3_times(x[n].round, a->E, f.x[k].round);
        clv_mat3_times(x[n].at, a->E, f.x[k].at);
        clv_axpy3(x[n++].at, 1, a->at);
    }
    return n;
}

double clv_bore_gap(const clv_solid *a, const clv_solid *b)
{
    const bool first = a->kind == CLV_SHAPE_BORE;
    const found f = look(first ? a : b, first ? b : a);
    double gap = INFINITY;
    for (int k = 0; k < f.n; k++)
        gap = fmin(gap, -f.x[k].depth);
    return f.left ? -INFINITY : gap;
}

/* is its middle beside the hole? */
bool clv_bore_beside(const clv_solid *a, const clv_solid *b)
{
    const bool first = a->kind == CLV_SHAPE_BORE;
    const clv_solid *bore = first ? a : b;
    const guest g = enter(bore, first ? b : a);
    return !(away(g.at) <= bore->size[0]);
}

/* ------------------------------------------------------------------ what cannot touch */

const char *clv_bore_refuses(const clv_shape *a, const clv_shape *b, const char **hint)
{
    const clv_shape *bore = a->kind == CLV_SHAPE_BORE ? a : b, *s = bore == a ? b : a;
    if (bore->kind != CLV_SHAPE_BORE)
        return NULL;
    *hint = "inside a bore can be a sphere, a cylinder or a capsule";
    switch (s->kind) {
    case CLV_SHAPE_NONE:
        return "a bore and a plane do not touch";
    case CLV_SHAPE_BOX:
        return "a bore and a box do not touch";
    case CLV_SHAPE_MESH:
        return "a bore and a convex hull do not touch";
    case CLV_SHAPE_BORE:
        return "two bores do not touch";
    default:
        *hint = "make the radius of what is inside smaller than that of the bore";
        return s->size[0] < bore->size[0] ? NULL : "it has no clearance in its bore";
    }
}
