/* SPDX-License-Identifier: Apache-2.0
 * Hardware in the loop at 1 kHz: one thread makes a step each millisecond of the clock, another one stands for the
 * hardware (field bus, analog inputs and outputs).  They exchange numbers by a mailbox without locks, so the thread of
 * the steps never waits: it takes the newest torque and leaves the newest measurement.
 *
 * For fewer late wake-ups run it with real-time priority: chrt -f 80 ./real_time */
#define _POSIX_C_SOURCE 200809L
#include <cleave/cleave.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { TICKS = 1000, PERIOD = 1000000 }; /* ns */

static const char text[] = "cleave: 1\n"
                           "gravity: [0, -9.81, 0]\n"
                           "bodies:\n"
                           "  arm: {mass: 1, com: [0.5, 0, 0], inertia: [0.001, 0.0833, 0.0833]}\n"
                           "joints:\n"
                           "  elbow: {kind: revolute, between: [ground, arm], at: [0, 0, 0], axis: [0, 0, 1]}\n"
                           "inputs:\n"
                           "  torque: {joint: elbow, limit: 20}\n";

/* The mailbox: each number has one writer. */
typedef struct mailbox {
    _Atomic double torque;       /* N m, by the hardware                 */
    _Atomic double angle, speed; /* rad, rad/s, by the thread of the steps */
    atomic_bool over;
} mailbox;

typedef struct plant {
    clv_sim *sim;
    int torque, elbow;
    mailbox *box;
    clv_status status;
    long missed;
    double worst, latest; /* s: longest tick; latest wake-up */
} plant;

static double seconds_between(const struct timespec *a, const struct timespec *b)
{
    return (double)(b->tv_sec - a->tv_sec) + 1e-9 * (double)(b->tv_nsec - a->tv_nsec);
}

/* One tick: the newest torque in, a step, the newest measurement out. */
static clv_status tick(plant *p, int k)
{
    clv_joint_result r;
    const double torque = atomic_load_explicit(&p->box->torque, memory_order_relaxed);
    clv_status status = clv_sim_set_input(p->sim, p->torque, torque);
    if (status == CLV_OK)
        status = clv_sim_advance(p->sim, 1e-9 * PERIOD * k); /* a step ends here */
    if (status == CLV_OK)
        status = clv_sim_joint(p->sim, p->elbow, &r);
    if (status != CLV_OK)
        return status;
    atomic_store_explicit(&p->box->angle, r.q[0], memory_order_relaxed);
    atomic_store_explicit(&p->box->speed, r.u[0], memory_order_relaxed);
    return CLV_OK;
}

/* Allocates, locks, reads and writes nothing. */
static void *steps(void *of)
{
    plant *p = of;
    struct timespec due, woke, done;
    clock_gettime(CLOCK_MONOTONIC, &due);
    for (int k = 1; k <= TICKS && p->status == CLV_OK; k++) {
        while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, NULL) != 0)
            ; /* a signal */
        clock_gettime(CLOCK_MONOTONIC, &woke);
        p->status = tick(p, k);
        clock_gettime(CLOCK_MONOTONIC, &done);
        const double took = seconds_between(&woke, &done), late = seconds_between(&due, &woke);
        p->worst = took > p->worst ? took : p->worst;
        p->latest = late > p->latest ? late : p->latest;
        p->missed += seconds_between(&due, &done) > 1e-9 * PERIOD;
        due.tv_nsec += PERIOD;
        due.tv_sec += due.tv_nsec / 1000000000;
        due.tv_nsec %= 1000000000;
    }
    atomic_store(&p->box->over, true);
    return NULL;
}

/* In place of the hardware: a controller that holds the arm at 1 rad. */
static void hardware(mailbox *box)
{
    double integral = 0;
    while (!atomic_load(&box->over)) {
        const double error = 1.0 - atomic_load(&box->angle);
        integral += 0.001 * error;
        atomic_store(&box->torque, 60 * error - 10 * atomic_load(&box->speed) + 60 * integral);
        nanosleep(&(struct timespec){.tv_nsec = PERIOD}, NULL);
    }
}

static void check(clv_status status, const clv_error *error)
{
    if (status == CLV_OK)
        return;
    fprintf(stderr, "%s\n", error ? error->message : clv_status_text(status));
    exit(1);
}

int main(void)
{
    clv_model *model = NULL;
    mailbox box = {0};
    plant p = {.box = &box};
    clv_sim_options options = clv_sim_options_default();
    pthread_t thread;
    options.integrator = "rk4", options.step = 1e-9 * PERIOD; /* steps of equal cost */
    check(clv_model_read_text(&model, text, strlen(text), "arm"), clv_model_error(model));
    check(clv_sim_create(&p.sim, model, &options), clv_sim_error(p.sim));
    p.torque = clv_model_find_input(model, "torque"), p.elbow = clv_model_find_joint(model, "elbow");
    if (pthread_create(&thread, NULL, steps, &p) != 0)
        return 1;
    hardware(&box);
    pthread_join(thread, NULL);
    check(p.status, clv_sim_error(p.sim));

    printf("%d steps of 1 ms, %ld missed their deadline\n", TICKS, p.missed);
    printf("longest step %.1f us, latest wake-up %.1f us\n", 1e6 * p.worst, 1e6 * p.latest);
    printf("angle %.2f rad\n", atomic_load(&box.angle));
    clv_sim_destroy(p.sim);
    clv_model_destroy(model);
    return 0;
}
