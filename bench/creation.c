/* SPDX-License-Identifier: Apache-2.0
 * What it costs to make a simulation: time of each stage and memory, one line of text per size.
 *
 *   bench_creation FORMULATION INTEGRATOR EXAMPLE KEY FROM TO [key=value ...]
 *
 * KEY is the parameter that counts (links, windows); it goes from FROM to TO in factors of ten.  Times are processor
 * times in seconds, best of three: the model with its checks, its plan, the simulation (plan and start included), one
 * rate evaluation, one step.  Bytes per body: workspace (the one block of the simulation); by how much the resident set
 * grew in the first round while the model was made, the simulation, and its first step; the largest resident set of the
 * process (VmHWM) so far.  Exponents are of `create` between two sizes.  A second line has the parts of the
 * workspace, bytes per body: what each structure takes, whether it is ever written to or not. */
#include "simulation/sim.h"
#include "base/error.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

static void stop(const char *what, const clv_error *e)
{
    fprintf(stderr, "bench_creation: %s: %s\n", what, e ? e->message : "failed");
    exit(3);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

enum { ENGINE, KINEMATICS, ROWS, SYSTEM, FORMULATION, INTEGRATOR, REST, PARTS };
static const char *const part_name[PARTS] = {"engine", "kinematics", "rows", "system", "formulation", "integrator",
                                             "simulation"};

typedef struct costs {
    double model, plan, create, rate, step; /* s                 */
    double workspace, resident;             /* bytes for a body  */
    double grown[3];                        /* of the model; of the simulation, then of its first step */
    double part[PARTS];
    int bodies;
} costs;

/* bytes of the resident set now; 0 where the system does not say */
static double resident(void)
{
    long all, here = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (f && fscanf(f, "%ld %ld", &all, &here) != 2)
        here = 0;
    if (f)
        fclose(f);
    return (double)here * (double)sysconf(_SC_PAGESIZE);
}

/* bytes of the parts of the workspace: the layouts count once more, on copies */
static void measure_parts(const clv_sim *s, double part[PARTS])
{
    clv_system k = s->system;
    clv_integrator i = s->integrator;
    clv_arena a = {0}, all = {0}, own = {0}, vectors = {0};
    clv_engine_layout(&k.engine, s->plan, &a), part[ENGINE] = (double)a.used;
    clv_kinematics_layout(&k.kin, s->plan, &k.engine, &a), part[KINEMATICS] = (double)a.used - part[ENGINE];
    const size_t before = a.used;
    clv_rows_layout(&k.rows, s->plan, &k.engine, &a), part[ROWS] = (double)(a.used - before);
    clv_system_layout(&k, s->model, s->plan, &all), part[SYSTEM] = (double)(all.used - a.used);
    if (s->formulation->layout)
        s->formulation->layout(&k, &own);
    clv_integrator_layout(&i, s->integrator.method, s->n, s->integrator.extra, &vectors);
    part[FORMULATION] = (double)own.used, part[INTEGRATOR] = (double)vectors.used;
    part[REST] = (double)s->arena.used - (double)(all.used + own.used + vectors.used);
    for (int n = 0; n < PARTS; n++)
        part[n] /= s->model->nbody;
}

static void least(double *best, double value) { *best = *best > 0 ? fmin(*best, value) : value; }

static void measure(costs *c, const char *example, const char *const *params, int n, const clv_sim_options *o)
{
    clv_model *m;
    clv_sim *s;
    clv_plan *p;
    clv_error e;
    const bool first = c->bodies == 0;
    const double before = resident();
    double t = now();
    if (clv_example_create(&m, example, params, n) != CLV_OK)
        stop(example, clv_model_error(m));
    least(&c->model, now() - t);
    const double with_model = resident();
    t = now();
    if (clv_plan_create(&p, m, NULL, &e) != CLV_OK)
        stop("plan", &e);
    least(&c->plan, now() - t);
    clv_plan_destroy(p);
    t = now();
    if (clv_sim_create(&s, m, o) != CLV_OK)
        stop("create", clv_sim_error(s));
    least(&c->create, now() - t);
    const double created = resident();
    t = now();
    s->system.lean = true;
    s->formulation->rates(&s->system, 0, s->y, s->ydot);
    s->system.lean = false;
    least(&c->rate, now() - t), t = now();
    if (clv_sim_set_end(s, 1e9) != CLV_OK || clv_sim_step(s, 1e9) != CLV_OK)
        stop("step", clv_sim_error(s));
    least(&c->step, now() - t);
    c->bodies = m->nbody;
    if (first) {
        c->grown[0] = (with_model - before) / m->nbody, c->grown[1] = (created - with_model) / m->nbody;
        c->grown[2] = (resident() - created) / m->nbody;
        measure_parts(s, c->part);
    }
    struct rusage r;
    getrusage(RUSAGE_SELF, &r);
    c->workspace = (double)s->arena.used / m->nbody, c->resident = 1024.0 * (double)r.ru_maxrss / m->nbody;
    clv_sim_destroy(s);
    clv_model_destroy(m);
}

int main(int argc, char **argv)
{
    const char *params[16];
    char size[64];
    int n = 1;
    if (argc < 7 || argc > 7 + 15)
        return fprintf(stderr, "bench_creation FORMULATION INTEGRATOR EXAMPLE KEY FROM TO [key=value ...]\n"), 2;
    for (int i = 7; i < argc; i++)
        params[n++] = argv[i];
    clv_sim_options o = clv_sim_options_default();
    o.formulation = argv[1], o.integrator = argv[2];
    if (strcmp(o.integrator, "rk4") == 0)
        o.step = 1e-9;
    printf("%10s %8s %8s %8s %8s %8s | %9s %9s %9s %9s %9s | %s\n", "bodies", "model/s", "plan/s", "create/s", "rate/s",
           "step/s", "workspace", "model", "created", "stepped", "resident", "exponent");
    double before = NAN, bodies = NAN;
    for (double count = atof(argv[5]); count <= atof(argv[6]) * 1.000001; count *= 10) {
        costs c = {0};
        snprintf(size, sizeof size, "%s=%.0f", argv[4], count);
        params[0] = size;
        for (int i = 0; i < 3; i++)
            measure(&c, argv[3], params, n, &o);
        printf("%10d %8.4f %8.4f %8.4f %8.4f %8.4f | %9.0f %9.0f %9.0f %9.0f %9.0f | %.2f\n%10s", c.bodies, c.model,
               c.plan, c.create, c.rate, c.step, c.workspace, c.grown[0], c.grown[1], c.grown[2], c.resident,
               log(c.create / before) / log(c.bodies / bodies), "");
        for (int i = 0; i < PARTS; i++)
            printf(" %s %.0f", part_name[i], c.part[i]);
        printf("\n");
        fflush(stdout);
        before = c.create, bodies = c.bodies;
    }
    return 0;
}
