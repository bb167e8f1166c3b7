/* SPDX-License-Identifier: Apache-2.0
 * cleave demo: ten seconds of two mechanisms, with speed and accuracy in words. */
#include "cli/report.h"
#include "cli/running.h"
#include "cli/summary.h"
#include <math.h>
#include <string.h>

typedef struct demo_settings {
    int threads;
    const char *report;
    bool force;
} demo_settings;

static const clv_option options[] = {
    CLV_SIM_OPTION(threads, offsetof(demo_settings, threads)),
    {"report", CLV_OPTION_TEXT, offsetof(demo_settings, report), "FILE.html",
     "also write a page that shows the first one in motion, and FILE.cleave", 0, 0, false},
    {"force", CLV_OPTION_FLAG, offsetof(demo_settings, force), NULL, "replace existing files", 0, 0, false},
    {0},
};

typedef struct scene {
    const char *example, *title, *text;
} scene;

static const scene scenes[] = {
    {"hdca-case3", "Two coupled loops of four bars",
     "Released at rest in a U-shaped position.  The loops stay closed by the formulation in momenta, without\n"
     "  correction forces."},
    {"four-bar-ladder", "A ladder of two four-bar windows",
     "It has redundant constraints, and it is singular where it lies flat.  Neither needs an option."},
};
enum { SCENES = sizeof scenes / sizeof scenes[0] };

/* How large a length is, against something a reader knows. */
static const char *length_words(double length)
{
    static const struct {
        double most;
        const char *words;
    } scale[] = {
        {1e-14, "the rounding of the numbers themselves"}, {1e-10, "less than an atom is wide"},
        {1e-8, "some hundred atoms"},                      {1e-6, "less than a bacterium"},
        {1e-4, "about a hair"},
    };
    for (size_t i = 0; i < sizeof scale / sizeof scale[0]; ++i)
        if (length <= scale[i].most)
            return scale[i].words;
    return "visible to the eye";
}

static void tell(const clv_subject *s, double wall)
{
    char text[24];
    clv_sim_report r;
    clv_sim_summary(s->sim, &r);
    printf("  %d bodies, %d joints, %d loops, %d degree%s of freedom", r.bodies, r.joints, r.loops, r.mobility_found,
           r.mobility_found == 1 ? "" : "s");
    if (r.redundant_constraints > 0)
        printf(" (Gruebler count %d; %d redundant constraint%s)", r.mobility_counted, r.redundant_constraints,
               r.redundant_constraints == 1 ? "" : "s");
    printf("\n  speed    %.0f s of motion in %s, %.0fx real time\n", clv_sim_time(s->sim),
           clv_duration(text, wall), clv_sim_time(s->sim) / wall);
    printf("  energy   %.6g J at the start, drift at most %.1e J\n", r.energy_initial, r.max_energy_drift);
    printf("  loops    constraint violation at most %.1e m: %s\n", r.max_position_violation,
           length_words(r.max_position_violation));
    if (r.truncated_evaluations > 0)
        printf("  rank     passed a singular position: the rank fell in %ld of %ld right-hand-side evaluations\n",
               r.truncated_evaluations, r.rate_evaluations);
    printf("\n");
}

static clv_exit play(const scene *x, int threads)
{
    clv_words words = {1, {x->example}};
    clv_subject s = {.command = "demo"};
    clv_sim_options sim_options = clv_sim_options_default();
    sim_options.threads = threads;
    printf("%s (%s)\n  %s\n", x->title, x->example, x->text);
    if (clv_subject_open(&s, &words, &sim_options) == CLV_EXIT_DONE) {
        double began = clv_wall();
        clv_status status = clv_sim_advance(s.sim, 10);
        if (status == CLV_OK)
            tell(&s, clv_wall() - began);
        else
            clv_subject_fail(&s, status);
    }
    clv_subject_close(&s);
    return s.code;
}

static clv_exit write_page(const demo_settings *set)
{
    const clv_words words = {1, {scenes[0].example}};
    clv_run_settings run = clv_run_usual();
    run.command = "demo", run.report = set->report, run.force = set->force, run.quiet = true;
    run.time = 10, run.sim.threads = set->threads;
    const clv_exit code = clv_run_words(&run, &words);
    if (code == CLV_EXIT_DONE)
        printf("See it move: open %s in a browser\n", set->report);
    return code;
}

static int command(const clv_command *self, int argc, char **argv)
{
    clv_words words;
    demo_settings set = {0}; /* auto */
    clv_exit code = clv_command_read(self, &set, &words, 0, 0, argc, argv);
    for (int i = 0; i < SCENES && code == CLV_EXIT_DONE; ++i)
        code = play(&scenes[i], set.threads);
    if (code == CLV_EXIT_DONE && set.report)
        code = write_page(&set);
    if (code == CLV_EXIT_DONE)
        printf("Next: cleave examples; cleave run hdca-case3 --out motion.csv; cleave new mine example=hdca-case1\n");
    return code;
}

const clv_command clv_command_demo = {
    "demo", "", "simulate two closed-loop mechanisms and describe the result",
    "  cleave demo\n"
    "\n"
    "The place to begin.  Simulates two built-in mechanisms with closed loops for ten seconds each and prints speed,\n"
    "energy drift and constraint violation.  Writes no file without --report.",
    options, command,
};
