/* SPDX-License-Identifier: Apache-2.0
 * A run in real time (T54): the thread of realtime.c makes the steps; this one shows the states it leaves, writes them,
 * and reports how the deadlines were kept.  The numbers are those of the same run without --real-time. */
#include "cli/running.h"
#include "cli/summary.h"
#include <math.h>
#include <string.h>

clv_exit clv_running_check_real(const clv_running *r)
{
    clv_sim_report report;
    clv_sim_summary(r->subject.sim, &report);
    const bool index3 = strcmp(report.formulation, "index3") == 0, rk4 = strcmp(report.integrator, "rk4") == 0;
    if (strcmp(report.formulation, "aldca") == 0 || (!index3 && !rk4))
        return clv_tell("run", r->set.json, CLV_EXIT_USAGE,
                        "--real-time needs steps of bounded work, not '%s' with '%s': --integrator rk4 --step H with "
                        "hdca, dca, connection or massmatrix, or --formulation index3 --step H",
                        report.formulation, report.integrator);
    if (clv_model_event_count(r->subject.model) > 0)
        return clv_tell("run", r->set.json, CLV_EXIT_USAGE,
                        "--real-time does not run models with events ('%s'): an event builds the equations anew",
                        clv_model_event_name(r->subject.model, 0));
    if (r->set.table)
        return clv_tell("run", r->set.json, CLV_EXIT_USAGE, "--real-time prints no --table; use --out FILE.csv");
    if (r->set.time / report.step > 1e12)
        return clv_tell("run", r->set.json, CLV_EXIT_USAGE, "%.3g steps are too many", r->set.time / report.step);
    return CLV_EXIT_DONE;
}

/* ---------------------------------------------------------------- states into frames */

static void nap(double period)
{
    const double t = fmin(1e-3, 8 * period); /* s; the ring has room for longer */
    nanosleep(&(struct timespec){.tv_nsec = (long)(1e9 * t)}, NULL);
}

static clv_status take(clv_running *r, const double *state, double time)
{
    clv_status status;
    r->written = time;
    if (r->file)
        return clv_recording_state(r, state);
    status = clv_sim_show_state(r->subject.sim, state, r->real->size);
    if (status != CLV_OK) {
        r->unseen = *clv_sim_error(r->subject.sim);
        return status;
    }
    clv_running_write_row(r);
    return CLV_OK;
}

static void progress(clv_running *r, double time)
{
    const double now = clv_wall();
    clv_interrupt_reached(&r->interrupt, time);
    if (!r->watched || now - r->told < 1)
        return;
    r->told = now;
    fprintf(stderr, "\r%.4g of %.4g s, in real time \033[K", time, r->set.time);
}

/* Until all steps are made and all their states are taken. */
static clv_status read_ring(clv_running *r)
{
    clv_status status = CLV_OK;
    for (bool over = false; !over;) {
        double time;
        const double *state = clv_realtime_state(r->real, &time, &over);
        if (!state) {
            if (!over)
                nap(r->real->period);
            continue;
        }
        if (status == CLV_OK && !r->broken)
            status = take(r, state, time);
        clv_realtime_next(r->real);
        progress(r, time);
        if (status != CLV_OK || r->broken)
            atomic_store(&r->real->stop, true);
    }
    return status;
}

clv_status clv_running_real(clv_running *r)
{
    clv_sim *stepped = r->subject.sim, *shown = NULL;
    clv_sim_options one = r->set.sim;
    one.threads = 1;
    clv_status status = clv_sim_create(&shown, r->subject.model, &one);
    if (status == CLV_OK && !(r->real = clv_realtime_create(stepped, r->set.time, r->set.every)))
        status = CLV_ERR_MEMORY;
    if (status == CLV_OK)
        status = clv_realtime_start(r->real);
    if (status == CLV_OK) {
        r->subject.sim = shown;
        status = read_ring(r);
        r->subject.sim = stepped;
        const clv_status made = clv_realtime_join(r->real);
        status = made != CLV_OK ? made : status;
    }
    if (!r->real && shown)
        r->unseen = *clv_sim_error(shown);
    clv_sim_destroy(shown);
    if (status == CLV_OK && !r->broken)
        status = clv_sim_advance(stepped, r->set.time);
    return status;
}

/* ---------------------------------------------------------------- what it was like */

void clv_running_print_real(const clv_realtime *t)
{
    char text[6][24];
    clv_label("real time");
    printf("%ld steps of %s; %ld missed their deadline", t->steps, clv_duration(text[0], t->period), t->missed);
    if (t->missed > 0)
        printf(", by %s at most", clv_duration(text[1], t->behind));
    printf("\n");
    clv_label("step");
    printf("median %s, 99.9 %% %s, worst %s; in processor time worst %s\n",
           clv_duration(text[0], clv_timing_quantile(&t->step, 0.5)),
           clv_duration(text[1], clv_timing_quantile(&t->step, 0.999)), clv_duration(text[2], t->step.worst),
           clv_duration(text[3], t->cpu.worst));
    clv_label("clock");
    printf("woke late by: median %s, 99.9 %% %s, worst %s\n",
           clv_duration(text[0], clv_timing_quantile(&t->clock, 0.5)),
           clv_duration(text[1], clv_timing_quantile(&t->clock, 0.999)), clv_duration(text[2], t->clock.worst));
    if (t->dropped > 0) {
        clv_summary_warn();
        printf("%ld outputs were dropped: they could not be written as fast; a longer --every helps\n", t->dropped);
    }
    if (!t->locked) {
        clv_label("");
        printf("memory could not be locked (ulimit -l), so a page fault may delay a step\n");
    }
}

void clv_running_json_real(const clv_realtime *t, clv_json *j)
{
    clv_json_object(j, "real_time");
    clv_json_number(j, "period", t->period);
    clv_json_integer(j, "steps", t->steps);
    clv_json_integer(j, "missed", t->missed);
    clv_json_number(j, "behind", t->behind);
    clv_json_number(j, "step_median", clv_timing_quantile(&t->step, 0.5));
    clv_json_number(j, "step_999", clv_timing_quantile(&t->step, 0.999));
    clv_json_number(j, "step_worst", t->step.worst);
    clv_json_number(j, "processor_median", clv_timing_quantile(&t->cpu, 0.5));
    clv_json_number(j, "processor_worst", t->cpu.worst);
    clv_json_number(j, "clock_median", clv_timing_quantile(&t->clock, 0.5));
    clv_json_number(j, "clock_999", clv_timing_quantile(&t->clock, 0.999));
    clv_json_number(j, "clock_worst", t->clock.worst);
    clv_json_integer(j, "outputs_dropped", t->dropped);
    clv_json_bool(j, "memory_locked", t->locked);
    clv_json_end(j);
}
