/* SPDX-License-Identifier: Apache-2.0
 * Impulses of rigid contacts (T62.2, T89) on problems of their own: random islands of bodies with 3 or 6 rates, points
 * against the ground, between two and inside one; the conditions of T62.2 hold for each point, islands do not see each
 * other to the bit, and points that held in the step before begin with their impulses.  Points of planar mechanisms
 * have no response along one direction but rounding. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "integrator/active.h"
#include "integrator/pivot.h"
#include "integrator/moreau.h"
#include "near.h"

enum { BODIES = 12, POINTS = 40, RATES = 6 * BODIES };

static unsigned long long seed;

static double draw(double from, double to)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return from + (to - from) * (double)(seed >> 11) / 9007199254740992.0;
}

static int pick(int n)
{
    return (int)draw(0, n * 0.999999);
}

typedef struct problem {
    clv_impulse_problem x;
    clv_contact_point point[POINTS];
    double J[6 * RATES * POINTS], Y[6 * RATES * POINTS], leave[POINTS], before[RATES], rates[RATES], P[3 * POINTS];
    double mass[BODIES][36]; /* inverse                                      */
    int first[BODIES + 1];
    size_t used;
    int island[BODIES + 2 * POINTS + 1 + 3 * POINTS];
    double *scratch;
} problem;

/* M^-1 = A A^T + 0.3 */
static void draw_body(problem *p, int b, int n)
{
    double A[36];
    p->first[b + 1] = p->first[b] + n;
    for (int i = 0; i < n * n; i++)
        A[i] = draw(-1, 1);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            p->mass[b][i * n + j] = i == j ? 0.3 : 0;
            for (int k = 0; k < n; k++)
                p->mass[b][i * n + j] += A[i * n + k] * A[j * n + k];
        }
}

static void draw_part(problem *p, clv_contact_part *part, int b)
{
    const int n = p->first[b + 1] - p->first[b];
    *part = (clv_contact_part){.component = b, .first = p->first[b], .n = n, .at = p->used};
    double *J = p->J + p->used, *Y = p->Y + p->used;
    p->used += 3 * (size_t)n;
    for (int a = 0; a < 3; a++) {
        for (int i = 0; i < n; i++)
            J[a * n + i] = draw(-1, 1);
        for (int i = 0; i < n; i++) {
            Y[a * n + i] = 0;
            for (int k = 0; k < n; k++)
                Y[a * n + i] += p->mass[b][i * n + k] * J[a * n + k];
        }
    }
}

static void add_point(problem *p, int a, int b, double friction)
{
    clv_contact_point *to = &p->point[p->x.points];
    *to = (clv_contact_point){.friction = friction};
    draw_part(p, &to->part[0], b);
    to->part[1] = (clv_contact_part){.component = -1};
    if (a >= 0)
        draw_part(p, &to->part[1], a);
    for (int i = 0; i < 9; i++)
        for (int side = 0; side < 2; side++)
            for (int c = 0; to->part[side].component >= 0 && c < to->part[side].n; c++)
                to->W[i] += p->J[to->part[side].at + (size_t)(i / 3 * to->part[side].n + c)] *
                            p->Y[to->part[side].at + (size_t)(i % 3 * to->part[side].n + c)];
    p->leave[p->x.points++] = pick(3) == 0 ? draw(0, 1) : 0;
}

/* the last point becomes one along its first axis alone, with impulses up to the bound (T158) */
static void bind(problem *p, double bound)
{
    clv_contact_point *to = &p->point[p->x.points - 1];
    to->dry = true, to->bound = bound, to->friction = 0, p->leave[p->x.points - 1] = 0;
    for (int side = 0; side < 2; side++)
        for (int i = to->part[side].n; to->part[side].component >= 0 && i < 3 * to->part[side].n; i++)
            p->J[to->part[side].at + (size_t)i] = p->Y[to->part[side].at + (size_t)i] = 0;
    for (int i = 1; i < 9; i++)
        to->W[i] = 0;
}

static problem *open_problem(int bodies)
{
    problem *p = calloc(1, sizeof *p);
    assert_non_null(p);
    for (int b = 0; b < bodies; b++)
        draw_body(p, b, pick(2) ? 6 : 3);
    for (int i = 0; i < p->first[bodies]; i++)
        p->before[i] = draw(-1, 1);
    p->x.components = bodies;
    return p;
}

static clv_impulse_result find(problem *p)
{
    clv_impulse_problem *x = &p->x;
    assert_true(clv_impulses_islands(x->points, x->components) <= sizeof p->island / sizeof *p->island);
    p->scratch = calloc(clv_impulses_scratch(x->points), sizeof(double));
    x->point = p->point, x->J = p->J, x->Y = p->Y, x->leave = p->leave;
    x->free = p->before, x->rates = p->rates, x->P = p->P, x->island = p->island, x->scratch = p->scratch;
    memcpy(p->rates, p->before, sizeof p->rates);
    const clv_impulse_result found = clv_impulses_find(x);
    free(p->scratch);
    return found;
}

static void velocity(const problem *p, int k, double U[3])
{
    for (int a = 0; a < 3; a++) {
        U[a] = 0;
        for (int side = 0; side < 2; side++) {
            const clv_contact_part *part = &p->point[k].part[side];
            for (int c = 0; part->component >= 0 && c < part->n; c++)
                U[a] += p->J[part->at + (size_t)(a * part->n + c)] * p->rates[part->first + c];
        }
    }
}

/* T62.2 for every point, and rates that belong to the impulses */
static void check(const problem *p, double tolerance)
{
    double rates[RATES];
    memcpy(rates, p->before, sizeof rates);
    for (int k = 0; k < p->x.points; k++) {
        const double *P = p->P + 3 * k, most = p->point[k].friction * P[0];
        double U[3];
        velocity(p, k, U);
        const double apart = U[0] - p->leave[k], size = hypot(P[1], P[2]), slip = hypot(U[1], U[2]),
                     bound = p->point[k].bound;
        assert_true(p->point[k].dry ? fabs(P[0]) <= bound : P[0] >= 0 && apart > -tolerance);
        if (p->point[k].dry && fabs(P[0]) == bound)
            assert_true(U[0] * P[0] <= tolerance * bound);
        else if (p->point[k].dry || P[0] > 0)
            CLV_NEAR(apart, 0, tolerance);
        assert_true(size <= most * (1 + 1e-12));
        if (P[0] > 0 && slip > 1e3 * tolerance && most > 0) { /* at the cone, against the slip */
            CLV_NEAR(size, most, 1e-6 * most);
            CLV_NEAR(P[1] * U[1] + P[2] * U[2], -size * slip, 1e-5 * size * slip);
        }
        for (int a = 0; a < 3; a++)
            for (int side = 0; side < 2; side++) {
                const clv_contact_part *part = &p->point[k].part[side];
                for (int c = 0; part->component >= 0 && c < part->n; c++)
                    rates[part->first + c] += p->Y[part->at + (size_t)(a * part->n + c)] * P[a];
            }
    }
    for (int i = 0; i < p->first[p->x.components]; i++)
        CLV_NEAR(p->rates[i], rates[i], 1e-11);
}

/* Any number of bodies and points; few points a body, so solutions exist for friction of any kind. */
static void random_problems_obey_the_law(void **state)
{
    int most = 0;
    (void)state;
    for (seed = 1; seed < 400;) {
        const unsigned long long now = seed;
        const int bodies = 1 + pick(BODIES);
        problem *p = open_problem(bodies);
        const int points = 1 + pick(2 * bodies);
        for (int k = 0; k < points; k++) {
            const int b = pick(bodies), a = pick(bodies + 1) - 1;
            add_point(p, a == b ? -1 : a, b, pick(3) == 0 ? 0 : draw(0, 0.3));
        }
        const clv_impulse_result found = find(p);
        assert_false(found.limited);
        most = found.iterations > most ? found.iterations : most;
        check(p, 1e-10);
        free(p);
        seed = now + 1;
    }
    assert_true(most < 2000);
}

/* Points with bounds among others: few and many of them, small bounds and large ones. */
static void bounds_obey_the_law(void **state)
{
    int held = 0, moved = 0;
    (void)state;
    for (seed = 1; seed < 1000;) {
        const unsigned long long now = seed;
        const int bodies = 1 + pick(6);
        problem *p = open_problem(bodies);
        const int points = 1 + pick(3 * bodies);
        for (int k = 0; k < points; k++) {
            const int b = pick(bodies), a = pick(bodies + 1) - 1;
            add_point(p, a == b ? -1 : a, b, pick(3) == 0 ? 0 : draw(0, 0.3));
            p->leave[k] = 0; /* so that points at rest are a solution without bounds */
            if (pick(2))
                bind(p, pick(8) ? draw(0, 1) * draw(0, 1) : 0); /* 0: friction that is gone at speed */
        }
        const clv_impulse_result found = find(p);
        assert_false(found.limited);
        check(p, 1e-10);
        for (int k = 0; k < points; k++)
            if (p->point[k].dry)
                held += fabs(p->P[3 * k]) < p->point[k].bound, moved += fabs(p->P[3 * k]) == p->point[k].bound;
        free(p);
        seed = now + 1;
    }
    assert_true(held > 500 && moved > 500);
}

/* The two searches behind the sweeps find the same: Newton's method to rounding, pivots nearly. */
static void jumps_find_bounds(void **state)
{
    int newton = 0, pivots = 0, all = 0;
    (void)state;
    for (seed = 1; seed < 300;) {
        const unsigned long long now = seed;
        const int bodies = 1 + pick(3), points = 1 + pick(6);
        problem *p = open_problem(bodies);
        int order[POINTS];
        double to[3 * POINTS];
        for (int k = 0; k < points; k++) {
            const int b = pick(bodies), a = pick(bodies + 1) - 1;
            add_point(p, a == b ? -1 : a, b, 0);
            if (pick(3))
                bind(p, pick(8) ? draw(0, 1) * draw(0, 1) : 0);
            order[k] = k;
        }
        assert_false(find(p).limited);
        double found[3 * POINTS], rates[RATES], *scratch = calloc(clv_impulses_scratch(POINTS), sizeof *scratch);
        memcpy(found, p->P, sizeof found), memcpy(rates, p->rates, sizeof rates);
        for (int way = 0; way < 2; way++) {
            clv_island island;
            memset(p->P, 0, sizeof p->P);
            clv_island_make(&island, &p->x, order, points, scratch);
            double *rest = scratch + clv_island_scratch(points);
            const bool ok = way == 0 ? clv_active_solve(&island, 1e-12, rest, to) != CLV_ACTIVE_FAILED
                                     : clv_pivot_solve(&island, 0, rest, to);
            if (!ok)
                continue;
            /* impulses may not be unique, velocities are */
            memcpy(p->P, to, 3 * (size_t)points * sizeof *to);
            memcpy(p->rates, p->before, sizeof p->rates);
            for (int k = 0; k < points; k++)
                for (int side = 0; side < 2; side++) {
                    const clv_contact_part *part = &p->point[k].part[side];
                    for (int c = 0; part->component >= 0 && c < part->n; c++)
                        p->rates[part->first + c] += p->Y[part->at + (size_t)c] * to[3 * k];
                }
            bool same = true;
            for (int i = 0; i < p->first[bodies]; i++)
                same &= fabs(p->rates[i] - rates[i]) < (way == 0 ? 1e-7 : 1e-8);
            *(way == 0 ? &newton : &pivots) += same;
        }
        all++;
        free(scratch), free(p);
        seed = now + 1;
    }
    print_message("of %d problems: Newton %d, pivots %d\n", all, newton, pivots);
    assert_true(newton > 0.9 * all && pivots > 0.9 * all);
}

/* Friction up to 2, where a point that slides may be pressed into the surface (T117), and sweeps go round in circles.
 * Points at rest are a solution without the impulses, so one exists. */
static void much_friction_obeys_the_law(void **state)
{
    (void)state;
    for (seed = 1; seed < 1000;) {
        const unsigned long long now = seed;
        const int bodies = 1 + pick(4);
        problem *p = open_problem(bodies);
        const int points = 1 + pick(8);
        for (int k = 0; k < points; k++) {
            const int b = pick(bodies), a = pick(bodies + 1) - 1;
            add_point(p, a == b ? -1 : a, b, draw(0, 2));
            p->leave[k] = 0;
        }
        const clv_impulse_result found = find(p);
        assert_false(found.limited);
        check(p, 1e-9); /* of 20 m/s, which impulses cancel */
        free(p);
        seed = now + 1;
    }
}

/* rows of a part of n rates, along axes turned by an angle about n: normal, across, and across without a response */
static void draw_planar(problem *p, int k, const double *normal, const double *across, double turn)
{
    clv_contact_part *part = &p->point[k].part[0];
    const int n = p->first[1];
    *part = (clv_contact_part){.n = n, .at = p->used};
    double *J = p->J + p->used, *Y = p->Y + p->used;
    p->used += 3 * (size_t)n;
    for (int i = 0; i < n; i++) {
        J[i] = normal[i];
        J[n + i] = cos(turn) * across[i];
        J[2 * n + i] = sin(turn) * across[i] + draw(-1e-17, 1e-17);
    }
    for (int a = 0; a < 3; a++)
        for (int i = 0; i < n; i++) {
            Y[a * n + i] = 0;
            for (int j = 0; j < n; j++)
                Y[a * n + i] += p->mass[0][i * n + j] * J[a * n + j];
        }
    for (int i = 0; i < 9; i++) {
        p->point[k].W[i] = 0;
        for (int c = 0; c < n; c++)
            p->point[k].W[i] += J[i / 3 * n + c] * Y[i % 3 * n + c];
    }
}

/* Two feet on two points each, as good as in one place: redundant, with much friction, step after step from the last
 * impulses.  Impulses without a response must not use up the friction of the others. */
static void planar_feet_converge(void **state)
{
    int most = 0;
    (void)state;
    for (seed = 1; seed < 200;) {
        const unsigned long long now = seed;
        problem *p = open_problem(1);
        const int n = p->first[1], points = 4;
        double row[4][6];
        for (int i = 0; i < 4 * n; i++)
            row[i / n][i % n] = draw(-1, 1);
        const double turn = seed % 3 ? draw(0, 6) : 0;
        for (int step = 0; step < 20; step++) {
            p->used = 0;
            for (int k = 0; k < points; k++) {
                for (int i = 0; i < n; i++)
                    row[k / 2][i] += draw(-1e-12, 1e-12);
                p->point[k].friction = 1.9, p->point[k].part[1].component = -1;
                draw_planar(p, k, row[k / 2], row[2 + k / 2], turn);
            }
            p->x.points = points;
            const clv_impulse_result found = find(p);
            assert_false(found.limited);
            most = found.iterations > most ? found.iterations : most;
            check(p, 1e-10);
            for (int k = 0; k < points; k++)
                assert_true(fabs(sin(turn) * p->P[3 * k + 1] - cos(turn) * p->P[3 * k + 2]) < 1e-6 * (1 + p->P[3 * k]));
        }
        free(p);
        seed = now + 1;
    }
    assert_true(most < 300);
}

/* A point that no impulse moves has none, and does not disturb the others of its island. */
static void points_that_cannot_move_have_no_impulse(void **state)
{
    (void)state;
    seed = 3;
    problem *p = open_problem(1);
    const int n = p->first[1];
    double alone[3] = {0};
    for (int with = 0; with < 2; with++) {
        double row[2][6];
        seed = 7;
        for (int i = 0; i < 2 * n; i++)
            row[i / n][i % n] = draw(-1, 1);
        double closing = 0; /* the point comes nearer */
        for (int i = 0; i < n; i++)
            closing -= row[0][i] * p->before[i];
        for (int i = 0; i < n && closing < 0; i++)
            row[0][i] = -row[0][i];
        p->used = 0, p->x.points = 1 + with;
        memset(p->P, 0, sizeof p->P); /* the same first guess */
        for (int k = 0; k < p->x.points; k++) {
            p->point[k].friction = 0.5, p->point[k].part[1].component = -1;
            draw_planar(p, k, row[0], row[1], 0);
        }
        if (with)
            memset(p->point[1].W, 0, sizeof p->point[1].W), p->P[3] = 1;
        assert_false(find(p).limited);
        if (!with)
            memcpy(alone, p->P, sizeof alone);
        else
            assert_memory_equal(alone, p->P, sizeof alone);
        assert_true(p->P[0] > 0);
        assert_true(!with || (p->P[3] == 0 && p->P[4] == 0 && p->P[5] == 0));
    }
    free(p);
}

/* One point that holds, one that slides, one that leaves; without coupling the answer is known. */
static void impulses_obey_the_cone(void **state)
{
    static const double before[9] = {-1, 0.1, 0.05, -1, 2, 0, 0.3, 1, 1}, leave[3] = {0, 0.5, 0};
    static const double want[9] = {0.5, -0.05, -0.025, 0.75, -0.375, 0, 0, 0, 0};
    (void)state;
    seed = 1;
    problem *p = open_problem(0);
    for (int k = 0; k < 3; k++) {
        clv_contact_point *to = &p->point[k];
        *to = (clv_contact_point){.friction = 0.5, .W = {2, 0, 0, 0, 2, 0, 0, 0, 2}};
        to->part[0] = (clv_contact_part){.component = k, .first = 3 * k, .n = 3, .at = 9 * (size_t)k};
        to->part[1].component = -1;
        for (int i = 0; i < 3; i++)
            p->J[9 * k + 4 * i] = 1, p->Y[9 * k + 4 * i] = 2;
        p->leave[k] = leave[k];
    }
    memcpy(p->before, before, sizeof before);
    p->x.points = p->x.components = 3;
    const clv_impulse_result found = find(p);
    for (int i = 0; i < 9; i++)
        CLV_NEAR(p->P[i], want[i], 1e-12);
    assert_true(!found.limited && found.iterations < 10);
    assert_int_equal(found.islands, 3);
    free(p);
}

/* Two bodies on the ground, joined by a point, beside two others: the same bits as without these. */
static void islands_do_not_see_each_other(void **state)
{
    double alone[3 * 9];
    (void)state;
    for (int more = 0; more < 2; more++) {
        seed = 7;
        problem *p = open_problem(4);
        for (int k = 0; k < 9; k++)
            add_point(p, k == 4 ? 1 : -1, k % 2, 0.2);
        for (int k = 0; k < 5 && more; k++)
            add_point(p, k == 3 ? 3 : -1, 2 + (k == 3 ? 0 : k % 2), 0.2);
        const clv_impulse_result found = find(p);
        assert_int_equal(found.islands, 1 + more);
        if (!more)
            memcpy(alone, p->P, sizeof alone);
        else
            assert_memory_equal(alone, p->P, sizeof alone);
        free(p);
    }
}

/* Impulses follow their points: to the nearest ones of the same contact, turned with the axes, each once.  Without
 * friction only the normal parts do. */
static void impulses_are_taken_over(void **state)
{
    static const double place[5][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 0}, {5, 5, 5}};
    clv_contact_point before[5], now[5];
    clv_warm_point warm[5];
    double P[15], Q[15];
    (void)state;
    for (int k = 0; k < 5; k++) {
        before[k] = (clv_contact_point){.contact = k < 3 ? 2 : 4, .axis = {{0, 0, 1}, {1, 0, 0}, {0, 1, 0}}};
        memcpy(before[k].place, place[k], sizeof place[k]);
        for (int a = 0; a < 3; a++)
            P[3 * k + a] = 10 * k + a + 1;
        now[k] = before[k], now[k].friction = 0.5;
    }
    clv_warm_keep(warm, before, 5, P);
    memcpy(now[0].place, place[1], sizeof place[1]); /* another order, one point less in contact 2, a new contact 3 */
    memcpy(now[1].place, place[0], sizeof place[0]);
    now[2].contact = 3;
    now[4].axis[1][0] = 0, now[4].axis[1][1] = 1, now[4].axis[2][1] = 0, now[4].axis[2][0] = -1;
    clv_warm_guess(warm, 5, 2, now, 5, Q);
    static const double want[15] = {22, 24, 26, 2, 4, 6, 0, 0, 0, 62, 64, 66, 82, 86, -84};
    for (int i = 0; i < 15; i++)
        CLV_NEAR(Q[i], want[i], 1e-14);
    for (int k = 0; k < 5; k++)
        now[k].friction = 0;
    clv_warm_guess(warm, 5, 2, now, 5, Q);
    for (int i = 0; i < 15; i++)
        CLV_NEAR(Q[i], i % 3 == 0 ? want[i] : 0, 1e-14);
    clv_warm_guess(warm, 0, 1, now, 5, Q);
    for (int i = 0; i < 15; i++)
        assert_true(Q[i] == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bounds_obey_the_law), cmocka_unit_test(jumps_find_bounds),
        cmocka_unit_test(random_problems_obey_the_law),  cmocka_unit_test(much_friction_obeys_the_law),
        cmocka_unit_test(planar_feet_converge),
        cmocka_unit_test(points_that_cannot_move_have_no_impulse),          cmocka_unit_test(impulses_obey_the_cone),
        cmocka_unit_test(islands_do_not_see_each_other), cmocka_unit_test(impulses_are_taken_over),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
