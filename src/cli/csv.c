/* SPDX-License-Identifier: Apache-2.0
 * The writer of comma-separated values; see csv.h. */
#include "cli/csv.h"
#include "base/text.h"
#include "cli/json.h"
#include <math.h>
#include <string.h>

typedef struct quantity { /* a group of columns */
    const char *name, *unit;
    int n;
    const char *axis[4];
} quantity;

static const quantity of_body[] = {
    {"position", "m", 3, {"x", "y", "z"}},
    {"quaternion", "-", 4, {"w", "x", "y", "z"}},
    {"velocity", "m/s", 3, {"x", "y", "z"}},
    {"angular_velocity", "rad/s", 3, {"x", "y", "z"}},
};
static const quantity of_marker[] = {
    {"position", "m", 3, {"x", "y", "z"}},
    {"velocity", "m/s", 3, {"x", "y", "z"}},
};

static const quantity of_system[] = {
    {"centre", "m", 3, {"x", "y", "z"}},
    {"momentum", "kg m/s", 3, {"x", "y", "z"}},
    {"angular_momentum", "kg m^2/s", 3, {"x", "y", "z"}},
};

static void spelt(FILE *out, const char *text)
{
    for (char shown[CLV_SHOWN]; *text; fputs(*shown == '"' ? "\"\"" : shown, out))
        text += clv_text_next(text, shown);
}

void clv_csv_heading(FILE *out, const char *owner, const char *what, const char *unit)
{
    const bool quotes = strpbrk(owner, ",\"\r\n") || strpbrk(unit, ",\"\r\n");
    fputs(quotes ? "\"" : "", out);
    spelt(out, owner);
    fprintf(out, "%s%s [", *what ? "." : "", what);
    spelt(out, unit);
    fprintf(out, "]%s", quotes ? "\"" : "");
}

static void heading(FILE *out, const char *owner, const char *what, const char *unit)
{
    fputc(',', out);
    clv_csv_heading(out, owner, what, unit);
}

static void headings(FILE *out, const char *owner, const quantity *list, size_t n)
{
    for (size_t i = 0; i < n; ++i)
        for (int k = 0; k < list[i].n; ++k) {
            char what[64];
            snprintf(what, sizeof what, "%s.%s", list[i].name, list[i].axis[k]);
            heading(out, owner, what, list[i].unit);
        }
}

/* coordinate and rate of every mode of a body, in their own unit */
static void mode_headings(FILE *out, const clv_model *model, int body)
{
    for (int k = 0; k < clv_model_mode_count(model, body); ++k) {
        char what[64];
        snprintf(what, sizeof what, "mode.%d", k + 1);
        heading(out, clv_model_body_name(model, body), what, "1");
        snprintf(what, sizeof what, "mode.%d.rate", k + 1);
        heading(out, clv_model_body_name(model, body), what, "1/s");
    }
}

void clv_csv_names(FILE *out, const clv_model *model)
{
    fputs("time [s]", out);
    for (int i = 0; i < clv_model_body_count(model); ++i)
        headings(out, clv_model_body_name(model, i), of_body, sizeof of_body / sizeof of_body[0]);
    headings(out, "system", of_system, sizeof of_system / sizeof of_system[0]);
    for (int i = 0; i < clv_model_marker_count(model); ++i)
        headings(out, clv_model_marker_name(model, i), of_marker, sizeof of_marker / sizeof of_marker[0]);
    for (int i = 0; i < clv_model_body_count(model); ++i)
        mode_headings(out, model, i);
    fputc('\n', out);
}

static void numbers(FILE *out, const double *value, int n)
{
    char text[32];
    for (int i = 0; i < n; ++i) {
        fputc(',', out);
        if (isfinite(value[i]))
            fputs(clv_json_shortest(text, value[i]), out);
    }
}

void clv_csv_row(FILE *out, const clv_model *model, const clv_sim *sim)
{
    const double *r = clv_sim_position(sim), *e = clv_sim_quaternion(sim), *V = clv_sim_velocity(sim);
    char text[32];
    fputs(clv_json_shortest(text, clv_sim_time(sim)), out);
    for (int i = 0; i < clv_model_body_count(model); ++i) {
        numbers(out, r + 3 * i, 3);
        numbers(out, e + 4 * i, 4);
        numbers(out, V + 6 * i, 6);
    }
    clv_momentum momentum;
    clv_sim_momentum(sim, &momentum);
    numbers(out, momentum.centre, 3), numbers(out, momentum.linear, 3), numbers(out, momentum.angular, 3);
    if (clv_model_marker_count(model) > 0)
        numbers(out, clv_sim_marker(sim), 6 * clv_model_marker_count(model));
    for (int i = 0; i < clv_model_body_count(model); ++i) {
        const double *q, *u;
        int n = clv_sim_modes(sim, i, &q, &u, NULL);
        for (int k = 0; k < n; ++k)
            numbers(out, q + k, 1), numbers(out, u + k, 1);
    }
    fputc('\n', out);
}
