/* SPDX-License-Identifier: Apache-2.0
 * Impulses of robots that stand (T62.2, T107, T142): two feet with four corners each, dry friction and stops in the
 * joints of legs and arms, friction 1 on the floor.  Corners are redundant, and so are legs that hold against each
 * other.  Each search ends within a bound of sweeps, and its impulses obey the laws. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "integrator/across.h"
#include "integrator/impulses.h"

enum { BASE = 6, LEG = 6, ARMS = 8, RATES = BASE + 2 * LEG + ARMS, CORNERS = 4, FEET = 2,
       POINTS = FEET * CORNERS + 2 * (RATES - BASE), EACH = 3 * RATES };

static unsigned long long seed;

static double draw(double from, double to)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return from + (to - from) * (double)(seed >> 11) / 9007199254740992.0;
}

typedef struct robot {
    clv_impulse_problem x;
    clv_contact_point point[POINTS];
    double J[EACH * POINTS], Y[EACH * POINTS], leave[POINTS], free[RATES], rates[RATES], P[3 * POINTS];
    double inverse[RATES][RATES]; /* of the mass matrix */
    int island[1 + 2 * POINTS + 1];
} robot;

/* Inverse masses: a light base, light limbs, and all of them coupled. */
static void draw_masses(robot *r)
{
    double A[RATES][3];
    for (int i = 0; i < RATES; i++)
        for (int c = 0; c < 3; c++)
            A[i][c] = draw(-1, 1) * (i < 3 ? 0.1 : i < BASE ? 1 : 3);
    for (int i = 0; i < RATES; i++)
        for (int j = 0; j < RATES; j++) {
            r->inverse[i][j] = i != j ? 0 : i < 3 ? 0.03 : i < BASE ? 0.5 : draw(20, 60);
            for (int c = 0; c < 3; c++)
                r->inverse[i][j] += A[i][c] * A[j][c];
        }
}

/* the next point, with the directions J (3 x RATES) */
static void add(robot *r, double J[3][RATES], double friction, double bound)
{
    clv_contact_point *to = &r->point[r->x.points];
    const size_t at = (size_t)r->x.points++ * EACH;
    *to = (clv_contact_point){.friction = friction, .dry = bound > 0, .bound = bound};
    to->part[0] = (clv_contact_part){.n = RATES, .at = at};
    to->part[1].component = -1;
    for (int a = 0; a < 3; a++)
        for (int i = 0; i < RATES; i++) {
            double sum = 0;
            for (int k = 0; k < RATES; k++)
                sum += r->inverse[i][k] * J[a][k];
            r->J[at + (size_t)(a * RATES + i)] = J[a][i], r->Y[at + (size_t)(a * RATES + i)] = sum;
        }
    for (int i = 0; i < 9; i++)
        for (int k = 0; k < RATES; k++)
            to->W[i] += J[i / 3][k] * r->Y[at + (size_t)(i % 3 * RATES + k)];
}

/* Corners of a foot, at the end of a leg whose joints have axes and places of their own; z is up. */
static void stand(robot *r, int foot, double length)
{
    double axis[LEG][3], place[LEG][3];
    const double y = foot ? -0.1 : 0.1;
    for (int j = 0; j < LEG; j++)
        for (int c = 0; c < 3; c++) {
            static const double along[LEG][3] = {{0, 1, 0}, {1, 0, 0}, {0, 0, 1}, {0, 1, 0}, {0, 1, 0}, {1, 0, 0}};
            static const double height[LEG] = {0, 0, -0.1, -0.4, -0.8, -0.8};
            axis[j][c] = along[j][c] + draw(-0.02, 0.02);
            place[j][c] = (c == 1 ? y : c == 2 ? height[j] : j == 3 ? 0.05 : 0) + draw(-0.01, 0.01);
        }
    for (int k = 0; k < CORNERS; k++) {
        const double at[3] = {k / 2 ? length : -0.4 * length, y + (k % 2 ? 0.03 : -0.03), -0.85};
        double J[3][RATES] = {{0}}, v[3];
        for (int i = 0; i < BASE + LEG; i++) { /* velocity of the corner by each rate; normal z, then x and y */
            const int j = i - BASE;
            const double w[3] = {i == 3, i == 4, i == 5};
            const double *e = j < 0 ? w : axis[j], *o = j < 0 ? (const double[3]){0, 0, 0} : place[j];
            for (int c = 0; c < 3; c++) {
                const int a = (c + 1) % 3, b = (c + 2) % 3;
                v[c] = i < 3 ? c == i : e[a] * (at[b] - o[b]) - e[b] * (at[a] - o[a]);
            }
            const int rate = j < 0 ? i : BASE + foot * LEG + j;
            J[0][rate] = v[2], J[1][rate] = v[0], J[2][rate] = v[1];
        }
        add(r, J, 1, 0);
    }
}

static robot *open_robot(double h)
{
    robot *r = calloc(1, sizeof *r);
    assert_non_null(r);
    draw_masses(r);
    for (int i = 0; i < RATES; i++)
        r->free[i] = i < BASE ? draw(-0.01, 0.01) : draw(-1, 1);
    r->free[2] -= 9.81 * h;
    for (int i = BASE; i < RATES; i++) {
        double J[3][RATES] = {{0}};
        J[0][i] = 1;
        add(r, J, 0, h * draw(0.1, 0.3));
        if (draw(0, 1) < 0.2)
            J[0][i] = -1, add(r, J, 0, 0);
    }
    for (int foot = 0; foot < FEET; foot++)
        stand(r, foot, 0.12);
    r->x.components = 1;
    r->x.point = r->point, r->x.J = r->J, r->x.Y = r->Y, r->x.leave = r->leave, r->x.free = r->free;
    r->x.rates = r->rates, r->x.P = r->P, r->x.island = r->island;
    r->x.scratch = calloc(clv_impulses_scratch(r->x.points), sizeof(double));
    memcpy(r->rates, r->free, sizeof r->rates);
    return r;
}

static void close_robot(robot *r)
{
    free(r->x.scratch);
    free(r);
}

/* largest velocity by which a point misses T62.2 */
static double missed(const robot *r)
{
    double most = 0;
    for (int k = 0; k < r->x.points; k++) {
        const clv_contact_point *p = &r->point[k];
        const double *J = r->J + p->part[0].at, *P = r->P + 3 * k, w = clv_across_response(p->W);
        double U[3] = {0};
        for (int i = 0; i < EACH; i++)
            U[i / RATES] += J[i] * r->rates[i % RATES];
        double to[3] = {P[0] - U[0] / p->W[0]};
        for (int a = 1; a < 3 && w > 0; a++)
            to[a] = P[a] - U[a] / w;
        to[0] = clv_impulse_clamp(p, to[0]);
        if (!p->dry) { /* the cone at the impulse that there is */
            double z[3] = {P[0], to[1], to[2]};
            clv_across_admit(z, p->friction);
            to[1] = z[1], to[2] = z[2];
        }
        for (int a = 0; a < 3; a++)
            most = fmax(most, fabs(P[a] - to[a]) * (a == 0 ? p->W[0] : w));
    }
    return most;
}

static void robots_stand(void **state)
{
    int most = 0, limited = 0;
    long all = 0;
    double worst = 0;
    (void)state;
    for (int k = 0; k < 60; k++) {
        seed = (unsigned long long)k + 1;
        robot *r = open_robot(1e-3);
        const clv_impulse_result found = clv_impulses_find(&r->x);
        limited += found.limited, all += found.iterations;
        most = found.iterations > most ? found.iterations : most;
        worst = fmax(worst, missed(r));
        close_robot(r);
    }
    print_message("limited %d, sweeps: most %d, all %ld; missed %.1e m/s\n", limited, most, all, worst);
    assert_int_equal(limited, 0);
    assert_true(most <= 100);
    assert_true(worst < 1e-10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(robots_stand)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
