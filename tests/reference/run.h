/* SPDX-License-Identifier: Apache-2.0
 * What the reference tests share: opening a simulation of a model, errors against numbers of a file, one line of a
 * table. */
#ifndef CLV_TESTS_REFERENCE_RUN_H
#define CLV_TESTS_REFERENCE_RUN_H
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "oracle/reference_model.h"
#include "reference/tolerances.h"

enum { MOST_BODIES = 32 };

/* Ends the test if the folder of reference files is not there; says so by name. */
static inline json *open_or_skip(const char *name)
{
    json *file = reference_read(name);
    if (!file) {
        printf("skipped: %s (no CLEAVE_REFERENCE folder, or no such file)\n", name);
        skip();
    }
    return file;
}

static inline clv_sim *open_sim(const clv_model *m, const char *formulation, const char *integrator, double rtol)
{
    clv_sim_options o = clv_sim_options_default();
    clv_sim *s;
    o.formulation = formulation, o.integrator = integrator, o.rtol = rtol;
    if (clv_sim_create(&s, m, &o) != CLV_OK)
        fail_msg("%s", clv_sim_error(s)->message);
    return s;
}

static inline void advance(clv_sim *s, double t)
{
    if (clv_sim_advance(s, t) != CLV_OK)
        fail_msg("%s", clv_sim_error(s)->message);
}

static inline double largest_of(const double *x, int n)
{
    double m = 0;
    for (int i = 0; i < n; i++)
        m = fmax(m, fabs(x[i]));
    return m;
}

static inline double largest_difference(const double *x, const double *y, int n)
{
    double m = 0;
    for (int i = 0; i < n; i++)
        m = isnan(x[i] - y[i]) ? INFINITY : fmax(m, fabs(x[i] - y[i]));
    return m;
}

/* angle between two orientations, rad */
static inline double turn_between(const double e[4], const double f[4])
{
    double p[4], m[4];
    for (int i = 0; i < 4; i++)
        p[i] = e[i] + f[i], m[i] = e[i] - f[i];
    double a = sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3]);
    double b = sqrt(m[0] * m[0] + m[1] * m[1] + m[2] * m[2] + m[3] * m[3]);
    return 4 * atan2(fmin(a, b), fmax(a, b));
}

/* numbers of a comma-separated file after its head lines; rows of `width` */
static inline double *read_csv(const char *name, int width, int *rows)
{
    const char *folder = getenv("CLEAVE_REFERENCE");
    char path[1024], line[4096];
    snprintf(path, sizeof path, "%s/%s", folder ? folder : "", name);
    FILE *f = folder && *folder ? fopen(path, "r") : NULL;
    if (!f) {
        printf("skipped: %s (no CLEAVE_REFERENCE folder, or no such file)\n", name);
        skip();
    }
    double *x = calloc((size_t)width * 1000, sizeof *x);
    *rows = 0;
    while (*rows < 1000 && fgets(line, sizeof line, f)) {
        if (line[0] == '#' || line[0] == 't')
            continue;
        char *at = line;
        for (int i = 0; i < width; i++) {
            x[*rows * width + i] = strtod(at, &at);
            at += *at == ',';
        }
        ++*rows;
    }
    fclose(f);
    return x;
}

/* measured over the run; 0 allowed: not asked */
typedef struct measured {
    double position, velocity, force;
} measured;

static inline void print_head(void)
{
    printf("%-36s %-10s %-7s %6s %5s  %-18s  %-18s  %-18s\n", "file", "form", "method", "rtol", "s", "position",
           "velocity", "force");
}

static inline bool within(double measured, double allowed)
{
    return allowed == 0 || measured <= allowed;
}

static inline void print_pair(double measured, double allowed)
{
    if (allowed > 0)
        printf("  %.1e of %.0e  ", measured, allowed);
    else
        printf("  %-18s", "-");
}

static inline bool print_row(const motion_row *row, const char *formulation, measured is)
{
    bool ok = within(is.position, row->position) && within(is.velocity, row->velocity) && within(is.force, row->force);
    printf("%-36s %-10s %-7s %6.0e %5.3g", row->file, formulation, row->integrator, row->rtol, row->horizon);
    print_pair(is.position, row->position), print_pair(is.velocity, row->velocity), print_pair(is.force, row->force);
    printf("%s\n", ok ? "" : "  OVER");
    return ok;
}

/* a row of MOTIONS by file; NULL formulation in the row: all three */
static const char *const FORMULATIONS[] = {"hdca", "dca", "massmatrix", "aldca"};
static inline bool row_takes(const motion_row *row, const char *formulation)
{
    return !row->formulation || strcmp(row->formulation, formulation) == 0;
}
#endif
