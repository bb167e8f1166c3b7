/* SPDX-License-Identifier: Apache-2.0
 * Is a run of a size that can end?  A step or an output interval that would take for ever, or fill the disk, is refused
 * before anything is written; see running.h.  So is a fixed step that is longer than the run.  Adaptive steps show
 * their number on the way (simulation/pace.c). */
#include "cli/running.h"
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>

/* Bytes of one output, roughly: eight a number in a run file, twenty in a CSV file, a line of a table. */
static double bytes_per_output(const clv_running *r, int width)
{
    const char *dot = r->set.out ? strrchr(r->set.out, '.') : NULL;
    return (r->set.out ? (dot && strcmp(dot, ".cleave") == 0 ? 8 : 20) * (double)width : 0) + (r->set.table ? 102 : 0);
}

/* Bytes free for this user where a file is to be; infinite if that cannot be found out. */
static double free_bytes(const char *file)
{
    char folder[4096];
    struct statvfs about;
    const char *slash = strrchr(file, '/');
    const size_t n = slash ? (size_t)(slash - file) + 1 : 0;
    if (n >= sizeof folder)
        return INFINITY;
    memcpy(folder, n ? file : ".", n ? n : 1);
    folder[n ? n : 1] = 0;
    return statvfs(folder, &about) == 0 ? (double)about.f_bavail * (double)about.f_frsize : INFINITY;
}

clv_exit clv_running_check_step(const char *command, const clv_run_settings *set)
{
    if (!(set->time > 0) || !(set->sim.step > set->time * (1 + 1e-9))) /* more than by rounding */
        return CLV_EXIT_DONE;
    return clv_tell(command, set->json, CLV_EXIT_USAGE,
                    "a step of %g s is longer than the run of %g s; a smaller --step or a later --time is needed",
                    set->sim.step, set->time);
}

clv_exit clv_running_check_amount(const clv_running *r, double from, int width)
{
    const char *command = r->subject.command;
    const double left = r->set.time - from, one = bytes_per_output(r, width), outputs = left / r->set.every;
    const double bytes = outputs * one, allowed = isnan(r->set.max_output) ? 20 : r->set.max_output;
    const double step = r->set.sim.step > 0 ? r->set.sim.step : r->set.sim.max_step;
    if (step > 0 && left / step > r->set.max_steps)
        return clv_tell(command, r->set.json, CLV_EXIT_USAGE,
                        "steps of %g s make %.3g of them in %g s; --max-steps %.0e allows that", step, left / step,
                        left, left / step);
    if (outputs > r->set.max_steps && bytes == 0)
        return clv_tell(command, r->set.json, CLV_EXIT_USAGE,
                        "--every %g makes %.3g outputs in %g s; a larger --every makes fewer, --max-steps allows more",
                        r->set.every, outputs, left);
    if (outputs > r->set.max_steps || bytes > 1e9 * allowed)
        return clv_tell(command, r->set.json, CLV_EXIT_USAGE,
                        "--every %g makes %.3g outputs of %.0f bytes in %g s, %.3g GB; --max-steps and --max-output "
                        "allow more, --columns writes less",
                        r->set.every, outputs, one, left, 1e-9 * bytes);
    const double room = r->set.out && isnan(r->set.max_output) ? free_bytes(r->set.out) : INFINITY;
    if (bytes > room)
        return clv_tell(command, r->set.json, CLV_EXIT_USAGE,
                        "--every %g makes %.3g outputs of %.0f bytes in %g s, %.3g GB, and %.3g GB are free for %s; a "
                        "larger --every or --columns writes less, --max-output %.3g tries it nevertheless",
                        r->set.every, outputs, one, left, 1e-9 * bytes, 1e-9 * room, r->set.out,
                        ceil(100e-9 * bytes) / 100);
    return CLV_EXIT_DONE;
}
