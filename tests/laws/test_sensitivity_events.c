/* SPDX-License-Identifier: Apache-2.0
 * Sensitivities of runs with events that lock and release (T125): beside a closed form, and beside sixth-order
 * differences of whole runs, in which the times of the events move.  Forward and adjoint agree to rounding. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "running.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "event_models.h"
#include "near.h"
#include "number_places.h"
#include "simulation/sensitivity.h"

#define OK(call) assert_int_equal(call, CLV_OK)
enum { MOST = 80, FRAMES = 3 };

typedef struct case_of {
    const char *text;
    double time[FRAMES];
    clv_observed output[8];
    int outputs;
    clv_number number[MOST];
    int numbers;
} case_of;

static clv_sim *open_sim(const clv_model *m)
{
    clv_sim_options o = clv_sim_options_default();
    o.formulation = "dca", o.rtol = 1e-13;
    return start_with(m, &o);
}

/* outputs (FRAMES x outputs) of a run with a number changed, or coordinate or rate k of the start */
static clv_sensitivity *run_of(const case_of *c, int number, int rate, bool velocity, double by, clv_model **m,
                               clv_sim **s)
{
    clv_sensitivity_options o = clv_sensitivity_options_default();
    clv_sensitivity *x;
    *m = read(c->text);
    if (number >= 0)
        *place_of(*m, &c->number[number]) += by;
    *s = open_sim(*m);
    for (int b = 0; b < (*s)->plan->nbody && rate >= 0; b++) {
        const clv_tree_joint *t = &(*s)->plan->tree[b];
        double du[6] = {0};
        if (t->f == 0 || rate < t->iu || rate >= t->iu + t->f)
            continue;
        du[rate - t->iu] = by;
        if (velocity)
            (*s)->out_y[(*s)->plan->nq + rate] += by;
        else
            clv_joint_displace(t->kind, (*s)->out_y + t->iq, du);
        OK(clv_sim_show(*s));
    }
    o.integrator = "dop853", o.rtol = o.atol = 1e-13;
    o.frames = FRAMES, o.time = c->time, o.outputs = c->outputs, o.output = c->output;
    o.numbers = c->numbers, o.number = c->number;
    const clv_status st = clv_sim_sensitivity(*s, &o, &x);
    if (st != CLV_OK)
        print_error("%s\n", clv_sim_error(*s)->message);
    OK(st);
    return x;
}

static double weight_of(int i) { return 0.3 + fmod(0.618 * (i + 1), 1); }

static double value_of(const case_of *c, int number, int rate, bool velocity, double by)
{
    clv_model *m;
    clv_sim *s;
    clv_sensitivity *x = run_of(c, number, rate, velocity, by, &m, &s);
    double sum = 0;
    for (int i = 0; i < FRAMES * c->outputs; i++)
        sum += weight_of(i) * x->y[i];
    clv_sensitivity_destroy(x), clv_sim_destroy(s), clv_model_destroy(m);
    return sum;
}

static double slope_of(const case_of *c, int number, int rate, bool velocity, double h)
{
    static const double factor[3] = {45, -9, 1};
    double sum = 0;
    for (int k = 0; k < 3; k++)
        sum += factor[k] * (value_of(c, number, rate, velocity, (k + 1) * h) -
                            value_of(c, number, rate, velocity, -(k + 1) * h));
    return sum / (60 * h);
}

static void compare_modes(clv_sensitivity *x, const double *weight, const double *number, const double *q,
                          const double *u)
{
    const int rows = x->frames * x->outputs;
    const size_t room = (size_t)rows * (size_t)(x->numbers + 2 * x->rates) + 1;
    double *slopes = calloc(room, sizeof *slopes);
    const clv_slopes to = {.number = slopes, .q = slopes + rows * x->numbers,
                           .u = slopes + rows * (x->numbers + x->rates)};
    const double *const adjoint[3] = {number, q, u}, *const forward[3] = {to.number, to.q, to.u};
    const int count[3] = {x->numbers, x->rates, x->rates};
    OK(clv_sensitivity_forward(x, &to));
    for (int k = 0; k < 3; k++) {
        double most = 0;
        for (int c = 0; c < count[k]; c++)
            most = fmax(most, fabs(adjoint[k][c]));
        for (int c = 0; c < count[k]; c++) {
            double sum = 0;
            for (int i = 0; i < rows; i++)
                sum += weight[i] * forward[k][i * count[k] + c];
            CLV_NEAR(adjoint[k][c] - sum, 0, 1e-12 * fmax(most, 1e-3));
        }
    }
    free(slopes);
}

static double size_of(const clv_model *nominal, const case_of *c, int i)
{
    clv_model *m = read(c->text);
    const double x = fabs(*place_of(m, &c->number[i]));
    (void)nominal;
    clv_model_destroy(m);
    return fmax(x, 0.1);
}

/* events that happen */
static int events_of(const clv_sensitivity *x)
{
    int count = 0;
    for (const clv_sensitivity_work *w = ((const clv_sensitivity_work *)x)->next; w; w = w->next)
        count++;
    return count;
}

/* the marker of the first output where the simulation has it, at the last frame */
static void compare_run(const case_of *c, const clv_sensitivity *x)
{
    clv_model *m = read(c->text);
    clv_sim *s = open_sim(m);
    assert_int_equal(c->output[0].kind, CLV_OBSERVED_POSITION);
    advance(s, c->time[FRAMES - 1]);
    CLV_NEAR(x->y[(FRAMES - 1) * c->outputs], s->out_marker[3 * c->output[0].item + c->output[0].component], 1e-8);
    clv_sim_destroy(s), clv_model_destroy(m);
}

/* Derivatives by numbers beside differences; by coordinates and rates of the start, too, where nothing closes. */
static void check(const case_of *c, int events, double tolerance)
{
    double weight[FRAMES * 8], number[MOST] = {0}, q[MOST] = {0}, u[MOST] = {0};
    clv_model *m;
    clv_sim *s;
    clv_sensitivity *x = run_of(c, -1, -1, false, 0, &m, &s);
    const clv_slopes to = {.number = number, .q = q, .u = u};
    for (int i = 0; i < FRAMES * c->outputs; i++)
        weight[i] = weight_of(i);
    assert_int_equal(events_of(x), events);
    compare_run(c, x);
    OK(clv_sensitivity_adjoint(x, weight, &to));
    compare_modes(x, weight, number, q, u);
    for (int i = 0; i < c->numbers; i++) {
        const double d = slope_of(c, i, -1, false, 1e-3 * size_of(m, c, i));
        if (!(fabs(number[i] - d) <= tolerance * fmax(1, fabs(d))))
            print_error("kind %d item %d component %d: %.12g, %.12g\n", c->number[i].kind, c->number[i].item,
                        c->number[i].component, number[i], d);
        CLV_NEAR(number[i], d, tolerance * fmax(1, fabs(d)));
    }
    for (int i = 0; i < x->rates; i++)
        for (int velocity = 0; velocity < 2 && x->independent[i] && s->plan->nclosing_row == 0; velocity++) {
            const double d = slope_of(c, -1, i, velocity, 1e-3), a = velocity ? u[i] : q[i];
            if (!(fabs(a - d) <= tolerance * fmax(1, fabs(d))))
                print_error("%s %d: %.12g, %.12g\n", velocity ? "rate" : "coordinate", i, a, d);
            CLV_NEAR(a, d, tolerance * fmax(1, fabs(d)));
        }
    clv_sensitivity_destroy(x), clv_sim_destroy(s), clv_model_destroy(m);
}

/* all numbers of bodies and joints */
static void ask(case_of *c, bool points)
{
    static const int components[] = {1, 3, 6};
    clv_model *m = read(c->text);
    c->numbers = 0;
    for (int kind = 0; kind <= CLV_NUMBER_INERTIA; kind++)
        for (int i = 0; i < m->nbody; i++)
            for (int k = 0; k < components[kind]; k++)
                c->number[c->numbers++] = (clv_number){(clv_number_kind)kind, i, k};
    for (int k = 0; k < 3; k++)
        c->number[c->numbers++] = (clv_number){CLV_NUMBER_GRAVITY, 0, k};
    for (int i = 0; points && i < m->njoint; i++)
        for (int k = 0; k < 6; k++)
            c->number[c->numbers++] = (clv_number){k < 3 ? CLV_NUMBER_POINT_A : CLV_NUMBER_POINT_B, i, k % 3};
    assert_true(c->numbers <= MOST);
    clv_model_destroy(m);
}

/* ------------------------------------------------------------------ closed form */

static const char sliders[] = "cleave: 1\nname: sliders\ngravity: [0, 0, 0]\n"
                              "bodies:\n  a: {mass: 2, inertia: [1, 1, 1]}\n  b: {mass: 3, inertia: [1, 1, 1]}\n"
                              "joints:\n"
                              "  first: {kind: prismatic, between: [ground, a], at: [0, 0, 0], axis: [1, 0, 0]}\n"
                              "  second: {kind: prismatic, between: [a, b], at: [0, 0, 0], axis: [1, 0, 0]}\n"
                              "events:\n  catch: {when: {joint: second, above: 0.5}, lock: second}\n"
                              "start: {joints: {first: {q: 0, u: 0.4}, second: {q: 0, u: 1.25}}}\n";

/* Block b slides on a by w until d, then both go on with (m_a u + m_b (u + w)) / (m_a + m_b). */
static void a_lock_in_closed_form(void **state)
{
    const double t = 2, d = 0.5, u = 0.4, w = 1.25, ma = 2, mb = 3, te = d / w, v = u + mb / (ma + mb) * w;
    case_of c = {.text = sliders, .time = {0.2, 1, t}, .outputs = 1, .numbers = 2};
    double weight[FRAMES] = {0, 0, 1}, number[2], q[2], rate[2];
    clv_model *m;
    clv_sim *s;
    (void)state;
    c.output[0] = (clv_observed){CLV_OBSERVED_COORDINATE, 0, 0};
    c.number[0] = (clv_number){CLV_NUMBER_MASS, 0, 0}, c.number[1] = (clv_number){CLV_NUMBER_MASS, 1, 0};
    clv_sensitivity *x = run_of(&c, -1, -1, false, 0, &m, &s);
    const clv_slopes to = {.number = number, .q = q, .u = rate};
    CLV_NEAR(x->y[2], u * te + v * (t - te), 1e-12);
    OK(clv_sensitivity_adjoint(x, weight, &to));
    CLV_NEAR(number[0], -mb * w / ((ma + mb) * (ma + mb)) * (t - te), 1e-12);
    CLV_NEAR(number[1], ma * w / ((ma + mb) * (ma + mb)) * (t - te), 1e-12);
    CLV_NEAR(q[0], 1, 1e-12);
    CLV_NEAR(q[1], (v - u) / w, 1e-12); /* the event comes earlier by 1/w */
    CLV_NEAR(rate[0], t, 1e-12);
    CLV_NEAR(rate[1], mb / (ma + mb) * (t - te) + (v - u) * te / w, 1e-12);
    clv_sensitivity_destroy(x), clv_sim_destroy(s), clv_model_destroy(m);
}

/* ------------------------------------------------------------------ differences */

static void pendulum(case_of *c)
{
    static const double time[FRAMES] = {0.2, 0.7, 1.1};
    memcpy(c->time, time, sizeof time);
    c->outputs = 4;
    c->output[0] = (clv_observed){CLV_OBSERVED_POSITION, 0, 0};
    c->output[1] = (clv_observed){CLV_OBSERVED_VELOCITY, 0, 1};
    c->output[2] = (clv_observed){CLV_OBSERVED_COORDINATE, 1, 0};
    c->output[3] = (clv_observed){CLV_OBSERVED_RATE, 0, 0};
    ask(c, true);
}

static void a_latch_in_a_tree(void **state)
{
    case_of c = {.text = PENDULUM "events:\n  latch: {when: {joint: elbow, below: -0.35}, lock: elbow}\n"};
    (void)state;
    pendulum(&c);
    check(&c, 1, 2e-9);
}

static void a_lock_at_a_time_and_its_release(void **state)
{
    case_of c = {.text = PENDULUM "events:\n  lock: {at: 0.31, lock: top}\n  free: {at: 0.62, release: lock}\n"};
    (void)state;
    pendulum(&c);
    check(&c, 2, 2e-9);
}

static void rates_and_distances(void **state)
{
    case_of c = {.text = PENDULUM "events:\n  fast: {when: {rate: top, below: -1.5}, lock: top}\n"
                                  "  near: {when: {marker-distance: [tip, eye], below: 1.1}, release: fast}\n"};
    (void)state;
    pendulum(&c);
    check(&c, 2, 2e-9);
}

static void a_joint_opens(void **state)
{
    case_of c = {.text = PENDULUM "events:\n  break: {at: 0.4, release: elbow}\n"};
    (void)state;
    pendulum(&c);
    c.outputs = 2, ask(&c, false);
    check(&c, 1, 2e-9);
}

static void locks_in_a_loop(void **state)
{
    static const char *const text[] = {FIVE_BAR "events:\n  stop: {when: {joint: j1, above: 0.1}, lock: j1}\n",
                                       FIVE_BAR "events:\n  stop: {when: {joint: j1, above: 0.1}, lock: j3}\n"
                                                "  go: {at: 0.5, release: stop}\n",
                                       FIVE_BAR_OF(", cut: true") "events:\n"
                                                                  "  stop: {when: {joint: j1, above: 0.1}, lock: j3}\n"
                                                                  "  go: {at: 0.5, release: stop}\n"};
    static const double time[FRAMES] = {0.1, 0.45, 0.7};
    (void)state;
    for (int i = 0; i < 3; i++) {
        case_of c = {.text = text[i], .outputs = 4};
        memcpy(c.time, time, sizeof time);
        c.output[0] = (clv_observed){CLV_OBSERVED_POSITION, 0, 0};
        c.output[1] = (clv_observed){CLV_OBSERVED_VELOCITY, 0, 1};
        c.output[2] = (clv_observed){CLV_OBSERVED_COORDINATE, 3, 0}; /* the tree keeps it, also where j3 is locked */
        c.output[3] = (clv_observed){CLV_OBSERVED_RATE, 1, 0};
        ask(&c, false);
        check(&c, i == 0 ? 1 : 2, 5e-9);
    }
}

/* ------------------------------------------------------------------ what is refused */

static void refuse_output(const char *text, int joint, double until, const char *word)
{
    clv_model *m = read(text);
    clv_sim *s = open_sim(m);
    clv_sensitivity_options o = clv_sensitivity_options_default();
    const clv_observed output = {CLV_OBSERVED_RATE, joint, 0};
    clv_sensitivity *x;
    o.frames = 1, o.time = &until, o.outputs = 1, o.output = &output;
    assert_int_equal(clv_sim_sensitivity(s, &o, &x), CLV_ERR_UNSUPPORTED);
    assert_null(x);
    assert_non_null(strstr(clv_sim_error(s)->message, word));
    OK(clv_sim_advance(s, 0.05)); /* the simulation is as it was */
    clv_sim_destroy(s), clv_model_destroy(m);
}

/* rates of all joints but the third are outputs */
static void refuse_joints(const char *text, double until, const char *word)
{
    clv_observed output[4];
    clv_model *m = read(text);
    clv_sim *s = open_sim(m);
    clv_sensitivity_options o = clv_sensitivity_options_default();
    clv_sensitivity *x;
    for (int i = 0; i < 4; i++)
        output[i] = (clv_observed){CLV_OBSERVED_RATE, i < 2 ? i : i + 1, 0};
    o.frames = 1, o.time = &until, o.outputs = 4, o.output = output;
    assert_int_equal(clv_sim_sensitivity(s, &o, &x), CLV_ERR_UNSUPPORTED);
    assert_null(x);
    assert_non_null(strstr(clv_sim_error(s)->message, word));
    clv_sim_destroy(s), clv_model_destroy(m);
}

static void refuse(const char *text, double until, const char *word) { refuse_output(text, 0, until, word); }

static void what_is_refused(void **state)
{
    (void)state;
    refuse_output(PENDULUM "events:\n  break: {at: 0.1, release: elbow}\n", 1, 0.5, "is open after event 'break'");
    refuse_joints(FIVE_BAR_OF(", cut: true") "events:\n  stop: {at: 0.1, lock: j3}\n", 0.5,
                  "closes a loop after event 'stop'");
    refuse(PENDULUM "events:\n  grip: {at: 0.1, attach: [ground, lower]}\n", 0.5, "grip");
    refuse(PENDULUM "events:\n  snap: {when: {force: elbow, above: 1e3}, release: elbow}\n", 0.5, "snap");
    refuse(PENDULUM "events:\n  end: {at: 0.1, stop: true}\n", 0.5, "end");
    refuse(FIVE_BAR "events:\n  far: {when: {joint: j3, above: 3}, lock: j1}\n", 0.5, "far");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_lock_in_closed_form),
                                       cmocka_unit_test(a_latch_in_a_tree),
                                       cmocka_unit_test(a_lock_at_a_time_and_its_release),
                                       cmocka_unit_test(rates_and_distances),
                                       cmocka_unit_test(a_joint_opens),
                                       cmocka_unit_test(locks_in_a_loop),
                                       cmocka_unit_test(what_is_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
