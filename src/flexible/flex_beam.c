/* SPDX-License-Identifier: Apache-2.0
 * Modes of a family as sums of polynomials in s = x / L (T32.3):
 *
 *     bending   phi_j'' = P_j(2s - 1), phi_j(0) = phi_j'(0) = 0:  K diagonal, and phi_0, phi_1 span the cubics of a
 * loaded tip, others    phi_j'  = P_j(2s - 1), phi_j(0) = 0:              the rest has its tip held.
 *
 * Craig-Bampton: the statics of the tip and the lowest modes with the tip held; clamped-free: the lowest of all.  Both
 * are then natural modes of their own span.  Integrals over the beam are exact sums over the points of Gauss. */
#include "flexible/flex_beam.h"

#include "base/memory.h"
#include "math/legendre.h"
#include "math/sincos.h"
#include "math/symmetric.h"

#include <math.h>
#include <string.h>

enum { SPAN = 2 * CLV_BEAM_MOST + 20, POINTS = SPAN + 4 };

/* Modes of one family: coefficients on the polynomials (n x span), frequencies squared of a beam of unit stiffness,
 * mass and length. */
typedef struct family {
    int n, span;
    bool bending;
    double lambda[CLV_BEAM_MOST], mode[CLV_BEAM_MOST * SPAN];
} family;

typedef struct workshop { /* too large for a stack */
    double s[POINTS], weight[POINTS];
    double K[SPAN * SPAN], M[SPAN * SPAN], X[SPAN * SPAN], lambda[SPAN], mass[SPAN * SPAN], row[SPAN * SPAN];
    family family[CLV_BEAM_FAMILIES];
} workshop;

/* ---------------------------------------------------------------- modes of a family */

/* Polynomials and their slopes (d/ds) at s */
static void polynomials(double *value, double *slope, bool bending, int span, double s)
{
    double P[SPAN + 2];
    clv_legendre(P, span + 2, s);
    if (bending) {
        clv_legendre_twice(value, P, span, s);
        clv_legendre_once(slope, P, span, s);
    } else {
        clv_legendre_once(value, P, span, s);
        memcpy(slope, P, (size_t)span * sizeof *slope);
    }
}

static void mass_matrix(workshop *w, bool bending, int span)
{
    double value[SPAN], slope[SPAN];
    memset(w->mass, 0, sizeof w->mass);
    for (int p = 0; p < POINTS; p++) {
        polynomials(value, slope, bending, span, w->s[p]);
        for (int i = 0; i < span; i++)
            for (int j = 0; j <= i; j++)
                w->mass[i * span + j] += w->weight[p] * value[i] * value[j];
    }
    for (int i = 0; i < span; i++)
        for (int j = 0; j < i; j++)
            w->mass[j * span + i] = w->mass[i * span + j];
}

/* Lowest `want` modes of the polynomials from `first` on, as rows of span coefficients; their squares in lambda. */
static void lowest(workshop *w, double *lambda, double *rows, int first, int want, int span)
{
    int n = span - first;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n;
             j++) { /* the pencil the other way round: M x = (1/lambda) K x, K diagonal, scaled to 1 */
            double scale = sqrt((2.0 * (i + first) + 1) * (2.0 * (j + first) + 1));
            w->M[i * n + j] = w->mass[(i + first) * span + j + first] * scale;
        }
    clv_symmetric_eigen(w->lambda, w->X, w->M, n);
    memset(rows, 0, (size_t)(want * span) * sizeof *rows);
    for (int k = 0; k < want; k++) {
        int column = n - 1 - k;
        lambda[k] = 1 / w->lambda[column];
        for (int i = 0; i < n; i++) /* x^T M x = 1 */
            rows[k * span + i + first] = w->X[i * n + column] * sqrt(2.0 * (i + first) + 1) / sqrt(w->lambda[column]);
    }
}

/* Natural modes of the span of n rows. */
static void natural(workshop *w, family *f)
{
    int n = f->n, span = f->span;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double k = 0, m = 0;
            for (int a = 0; a < span; a++) {
                double row = 0;
                for (int b = 0; b < span; b++)
                    row += w->mass[a * span + b] * w->row[j * span + b];
                k += w->row[i * span + a] * w->row[j * span + a] / (2 * a + 1);
                m += w->row[i * span + a] * row;
            }
            w->K[i * n + j] = k;
            w->M[i * n + j] = m;
        }
    clv_pencil_eigen(f->lambda, w->X, w->K, w->M, n);
    for (int k = 0; k < n; k++)
        for (int a = 0; a < span; a++) {
            f->mode[k * span + a] = 0;
            for (int i = 0; i < n; i++)
                f->mode[k * span + a] += w->X[i * n + k] * w->row[i * span + a];
        }
}

/* mode k and its slope, from the polynomials at a point */
static double at_point(const family *f, int k, const double *value, const double *slopes, double *slope)
{
    double x = 0;
    *slope = 0;
    for (int a = 0; a < f->span; a++) {
        x += f->mode[k * f->span + a] * value[a];
        *slope += f->mode[k * f->span + a] * slopes[a];
    }
    return x;
}

/* lambda and modes of n modes, mass 1, the tip on the positive side */
static void find_family(workshop *w, family *f, int n, bool bending, bool clamped_free)
{
    int statics = clamped_free ? 0 : bending ? 2 : 1;
    double value[SPAN], slopes[SPAN], unused;
    f->n = n, f->span = 2 * n + 20, f->bending = bending;
    if (n == 0)
        return;
    mass_matrix(w, bending, f->span);
    memset(w->row, 0, sizeof w->row);
    if (n < statics) { /* one bending mode: the deflection under a force at the tip */
        w->row[0] = 0.5;
        w->row[1] = -0.5;
    } else {
        for (int i = 0; i < statics; i++)
            w->row[i * f->span + i] = 1;
        lowest(w, f->lambda, w->row + statics * f->span, statics, n - statics, f->span);
    }
    natural(w, f);
    polynomials(value, slopes, bending, f->span, 1);
    for (int k = 0; k < n; k++)
        if (at_point(f, k, value, slopes, &unused) < 0)
            for (int a = 0; a < f->span; a++)
                f->mode[k * f->span + a] = -f->mode[k * f->span + a];
}

/* ---------------------------------------------------------------- the body */

/* Frequency scale squared of a family, 1/s^2, and its mass. */
static double stiffness_over_mass(const clv_beam *beam, int k, double *mass)
{
    double L = beam->length, m = (k == CLV_BEAM_TWIST ? beam->polar : beam->mass) * L;
    *mass = m;
    return beam->stiffness[k] / (k < CLV_BEAM_TWIST ? L * L * L : L) / m;
}

/* Mode shapes (nmode x 6) at x = s L. */
static void shapes_at(double *shape, const workshop *w, const clv_beam *beam, double s)
{
    for (int k = 0; k < CLV_BEAM_FAMILIES; k++) {
        const family *f = &w->family[k];
        double value[SPAN], slopes[SPAN], mass, slope;
        stiffness_over_mass(beam, k, &mass);
        polynomials(value, slopes, f->bending, f->span, s);
        for (int i = 0; i < f->n; i++, shape += 6) {
            double x = at_point(f, i, value, slopes, &slope) / sqrt(mass), turn = slope / sqrt(mass) / beam->length;
            memset(shape, 0, 6 * sizeof *shape);
            if (k == CLV_BEAM_BEND_Y)
                shape[1] = x, shape[5] = turn;
            else if (k == CLV_BEAM_BEND_Z)
                shape[2] = x, shape[4] = -turn;
            else
                shape[k == CLV_BEAM_TWIST ? 3 : 0] = x;
        }
    }
}

/* The integrals: points of Gauss on the line, each with the rotary inertia of its section about x. */
static bool integrate(clv_flex_body *b, const workshop *w, const clv_beam *beam)
{
    size_t n = (size_t)b->flex.nmode;
    clv_flex_point point[POINTS];
    double *shape = clv_alloc(6 * n * POINTS + 1, sizeof *shape); /* + 1: there may be no modes */
    if (!shape)
        return false;
    for (int p = 0; p < POINTS; p++) {
        double dx = w->weight[p] * beam->length, *at = shape + 6 * n * (size_t)p;
        shapes_at(at, w, beam, w->s[p]);
        point[p] = (clv_flex_point){
            .mass = beam->mass * dx, .position = {w->s[p] * beam->length}, .inertia = {beam->polar * dx}, .shape = at};
    }
    clv_flex_body_sum(b, point, POINTS);
    clv_free(shape);
    return true;
}

static bool name_nodes(clv_flex_body *b, const workshop *w, const clv_beam *beam)
{
    for (int i = 0; i < beam->nnode; i++) {
        clv_flex_node *node = &b->flex.node[i];
        node->position[0] = beam->at[i];
        shapes_at(node->shape, w, beam, beam->at[i] / beam->length);
        if (!(node->name = clv_copy_text(beam->name[i])))
            return false;
    }
    return true;
}

/* Mff = 1 and K = omega^2 to the last bit, damping, limit of spin. */
static void stiffen(clv_flex_body *b, const workshop *w, const clv_beam *beam, double damping)
{
    int n = b->flex.nmode, at = 0;
    double first = 0, mass;
    memset(b->flex.Mff, 0, (size_t)(n * n) * sizeof *b->flex.Mff);
    for (int k = 0; k < CLV_BEAM_FAMILIES; k++)
        for (int i = 0; i < w->family[k].n; i++, at++) {
            double square = w->family[k].lambda[i] * stiffness_over_mass(beam, k, &mass);
            b->flex.Mff[at * n + at] = 1;
            b->flex.K[at * n + at] = square;
            b->flex.C[at * n + at] = 2 * damping * sqrt(square);
            if (k < CLV_BEAM_TWIST && i == 0 && (first == 0 || square < first))
                first = square;
        }
    b->flex.limit = CLV_FLEX_SPIN * sqrt(first);
}

bool clv_beam_make(clv_flex_body *b, const clv_beam *beam, double damping)
{
    workshop *w = clv_alloc(1, sizeof *w);
    int n = 0;
    for (int k = 0; k < CLV_BEAM_FAMILIES; k++)
        n += beam->modes[k];
    if (!w || !clv_flex_body_open(b, n, beam->nnode)) {
        clv_free(w);
        return false;
    }
    clv_gauss(w->s, w->weight, POINTS);
    for (int k = 0; k < CLV_BEAM_FAMILIES; k++) {
        const family *like = k == 0 ? NULL : &w->family[k - 1]; /* bending comes in pairs, so do twist and stretch */
        if (like && like->n == beam->modes[k] && like->bending == (k < CLV_BEAM_TWIST))
            w->family[k] = *like;
        else
            find_family(w, &w->family[k], beam->modes[k], k < CLV_BEAM_TWIST, beam->clamped_free);
    }
    bool ok = integrate(b, w, beam) && name_nodes(b, w, beam);
    if (ok)
        stiffen(b, w, beam, damping);
    else
        clv_flex_body_close(b);
    clv_free(w);
    return ok;
}

/* ---------------------------------------------------------------- sharing */

/* Root of the frequency parameter of mode i, clamped at the base: good to 1 %, to choose by. */
static double wave(bool bending, int i)
{
    return !bending ? (i + 0.5) * CLV_PI : i == 0 ? 1.8751 : i == 1 ? 4.6941 : (i + 0.5) * CLV_PI;
}

void clv_beam_share(clv_beam *beam, int modes)
{
    memset(beam->modes, 0, sizeof beam->modes);
    for (int i = 0; i < modes; i++) {
        int best = -1;
        double least = 0, mass = 0;
        for (int k = 0; k < CLV_BEAM_FAMILIES; k++) {
            double b = wave(k < CLV_BEAM_TWIST, beam->modes[k]), power = k < CLV_BEAM_TWIST ? b * b * b * b : b * b;
            double square = beam->stiffness[k] > 0 ? power * stiffness_over_mass(beam, k, &mass) : 0;
            if (square > 0 && mass > 0 && beam->modes[k] < CLV_BEAM_MOST && (best < 0 || square < least * (1 - 1e-9)))
                best = k, least = square;
        }
        if (best < 0)
            return;
        beam->modes[best]++;
    }
}
