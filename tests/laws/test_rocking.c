/* SPDX-License-Identifier: Apache-2.0
 * A block that rocks on its edges, without loss but at impacts (T62): its angles and times by closed form (Housner,
 * Bull. Seismol. Soc. Am. 53, 1963).  Times of free rocking are an integral of the energy; an impact multiplies the
 * rate by 1 - 3/2 sin^2 of the angle between the diagonal and the side. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "near.h"
#include "simulation/methods.h"

#define OK(call) assert_int_equal(call, CLV_OK)
#define G 9.81
enum { IMPACTS = 4 };
static const double WIDTH = 0.2, HEIGHT = 0.6, START = 0.1;

typedef struct rocking {
    double time[IMPACTS], angle[IMPACTS]; /* s, of impacts; rad, the largest before them */
} rocking;

/* s, from rest at an angle to the impact; p2: rad^2/s^2, slope of the energy */
static double fall(double angle, double diagonal, double p2)
{
    enum { N = 20000 };
    const double root = sqrt(angle);
    double sum = 0;
    for (int i = 0; i < N; i++) { /* angle - x^2 takes the infinite rate of time out of the start */
        const double x = (i + 0.5) * root / N;
        sum += 2 * x / sqrt(2 * p2 * (cos(diagonal - angle) - cos(diagonal - angle + x * x)));
    }
    return sum * root / N;
}

static rocking closed_form(void)
{
    rocking r;
    const double diagonal = atan(WIDTH / HEIGHT), R = 0.5 * hypot(WIDTH, HEIGHT);
    const double p2 = G * R / ((WIDTH * WIDTH + HEIGHT * HEIGHT) / 3), e = 1 - 1.5 * sin(diagonal) * sin(diagonal);
    double angle = START, time = fall(START, diagonal, p2);
    for (int k = 0; k < IMPACTS; k++) {
        r.time[k] = time, r.angle[k] = angle;
        angle = diagonal - acos(cos(diagonal) + e * e * (cos(diagonal - angle) - cos(diagonal)));
        time += 2 * fall(angle, diagonal, p2);
    }
    return r;
}

static rocking simulated(double step)
{
    char text[700];
    const double c = cos(START), s = sin(START); /* it leans to x, on its edge through the origin */
    snprintf(text, sizeof text,
             "cleave: 1\n"
             "bodies: {block: {mass: 2, inertia: from shape, shape: {box: [%g, 0.3, %g]}}}\n"
             "joints: {j: {kind: free, a: {body: ground}, b: {body: block}}}\n"
             "forces: {floor: {kind: contact, between: [ground, block], normal: [0, 0, 1], restitution: 0, "
             "dynamic_friction: 2}}\n"
             "start: {bodies: {block: {position: [%.17g, 0, %.17g], orientation: {axis: [0, 1, 0], angle: %.17g}}}}\n",
             WIDTH, HEIGHT, 0.5 * (HEIGHT * s - WIDTH * c), 0.5 * (WIDTH * s + HEIGHT * c), START);
    clv_model *m;
    clv_sim *sim;
    clv_sim_options o = clv_sim_options_default();
    rocking r = {{0}, {0}};
    OK(clv_model_read_text(&m, text, strlen(text), "block.yaml"));
    o.step = step;
    OK(clv_sim_create(&sim, m, &o));
    double last = START, most = START;
    for (int k = 0, n = 1; k < IMPACTS && n * step < 3; n++) {
        OK(clv_sim_advance(sim, n * step));
        const double angle = 2 * asin(clv_sim_quaternion(sim)[2]);
        if (angle * last < 0)
            r.time[k] = clv_sim_time(sim), r.angle[k++] = most, most = 0;
        most = fmax(most, fabs(angle));
        last = angle != 0 ? angle : last;
    }
    clv_sim_destroy(sim), clv_model_destroy(m);
    return r;
}

static void a_block_rocks_as_its_closed_form(void **state)
{
    (void)state;
    const rocking want = closed_form();
    double error[2] = {0, 0};
    for (int k = 0; k < 2; k++) {
        const rocking r = simulated(k ? 5e-5 : 5e-4);
        for (int i = 0; i < IMPACTS; i++) {
            error[k] = fmax(error[k], fabs(r.angle[i] / want.angle[i] - 1));
            CLV_NEAR(r.time[i], want.time[i], k ? 2e-3 : 2e-2);
        }
    }
    print_message("angles differ by %.2g, and %.2g at a tenth of the step\n", error[0], error[1]);
    assert_true(error[0] < 0.04 && error[1] < 0.004); /* impacts are met within a step: order one */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_block_rocks_as_its_closed_form)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
