/* SPDX-License-Identifier: Apache-2.0
 * What a sweep file says of its sweep: everything that the results depend on, as pairs of texts, and its columns.  A
 * file is continued, and merged with another, only where all of them are the same. */
#include "base/hash.h"
#include "base/memory.h"
#include "cli/sweep.h"
#include "model/fingerprint.h"
#include <math.h>
#include <string.h>

enum { MOST = 100 }; /* settings besides those of --vary and parameters */

/* Keeps a copy of the text until the sweep is over; NULL: out of memory. */
static const char *keep(clv_sweeping *w, const char *text)
{
    char *copy = clv_copy_text(text);
    if (copy)
        w->made_text[w->nmade++] = copy;
    return copy;
}

static bool put(clv_sweeping *w, const char *name, const char *text)
{
    const char *kept = keep(w, text);
    if (kept)
        w->pair[w->nsetting++] = (clv_sweep_pair){name, kept};
    return kept != NULL;
}

static bool put_number(clv_sweeping *w, const char *name, double x)
{
    char text[32];
    return put(w, name, isfinite(x) ? clv_json_shortest(text, x) : "none");
}

static bool put_hash(clv_sweeping *w, const char *name, uint64_t h)
{
    char text[24];
    snprintf(text, sizeof text, "%016llx", (unsigned long long)h);
    return put(w, name, text);
}

/* Options of the simulation; the others have their defaults. */
static bool put_options(clv_sweeping *w)
{
    clv_sim_options o = w->set.sim;
    const clv_option_row *row;
    bool good = true;
    o.atol = isnan(o.atol) ? o.rtol : o.atol;
#define PUT_NAME(at, kind, field, key, word, usual, least, most, open, of, saved, value, help)                       \
    good = good && put(w, key, o.field ? o.field : "default");
    CLV_NAME_OPTIONS(PUT_NAME)
#undef PUT_NAME
    for (int i = 0; good && (row = clv_option_row_at(i)) != NULL; ++i) {
        const double x = clv_option_number(&o, row);
        if (row->type != CLV_TYPE_THREADS && (row->of == CLV_OF_ALL || !clv_option_is_default(row, x)))
            good = put_number(w, row->name, x);
    }
    return good;
}

static bool put_all(clv_sweeping *w)
{
    const clv_sweep *s = &w->sweep;
    bool good = put(w, "program", clv_version()) && put_hash(w, "model", clv_model_fingerprint(w->subject.model)) &&
                put_hash(w, "text", clv_hash(CLV_HASH_START, w->text, w->size)) && put(w, "sample", w->set.sample) &&
                put_number(w, "runs", s->runs);
    for (int i = 0; good && i < w->subject.ngiven; ++i)
        good = put(w, "parameter", w->subject.given[i]);
    for (int i = 0; good && i < w->set.vary.n; ++i)
        good = put(w, "vary", w->set.vary.word[i]);
    good = good && put_hash(w, "values",
                            clv_hash(CLV_HASH_START, s->value, (size_t)s->runs * (size_t)s->nvary * sizeof(double)));
    good = good && put_number(w, "time", w->desc.time) && put_number(w, "every", w->desc.every) &&
           put_number(w, "max_steps", (double)w->desc.max_steps) &&
           put(w, "columns", w->set.columns ? w->set.columns : "usual");
    return good && put_options(w);
}

/* The unit in which a varied number was given: its own, else that of the parameter; "": SI. */
static const char *unit_of(const clv_sweeping *w, const clv_vary *v)
{
    const clv_model *m = w->subject.model;
    for (int i = 0; !*v->unit && i < clv_model_parameter_count(m); i++)
        if (strcmp(clv_model_parameter(m, i)->name, v->name) == 0)
            return clv_model_parameter(m, i)->unit;
    return v->unit;
}

/* Varied numbers with their units, then outputs. */
static void put_columns(const clv_sweeping *w, clv_sweep_pair *column)
{
    for (int k = 0; k < w->sweep.nvary; ++k)
        *column++ = (clv_sweep_pair){w->sweep.vary[k].name, unit_of(w, &w->sweep.vary[k])};
    for (int i = 0; i < clv_ensemble_output_count(w->ensemble); ++i)
        *column++ =
            (clv_sweep_pair){clv_ensemble_output_name(w->ensemble, i), clv_ensemble_output_unit(w->ensemble, i)};
}

clv_exit clv_sweeping_settings(clv_sweeping *w, clv_sweep_start *start)
{
    const size_t settings = MOST + (size_t)w->subject.ngiven + (size_t)w->set.vary.n;
    const int columns = w->sweep.nvary + clv_ensemble_output_count(w->ensemble);
    w->pair = clv_alloc(settings + (size_t)columns, sizeof *w->pair);
    w->made_text = clv_alloc(settings, sizeof *w->made_text);
    if (!w->pair || !w->made_text || !put_all(w))
        return clv_tell("sweep", w->set.json, CLV_EXIT_RESOURCES, "out of memory");
    put_columns(w, w->pair + settings);
    *start = (clv_sweep_start){.model = clv_model_name(w->subject.model),
                               .source = w->subject.source,
                               .text = w->text,
                               .size = w->size,
                               .nsetting = w->nsetting,
                               .setting = w->pair,
                               .instances = w->sweep.runs,
                               .nvalue = w->sweep.nvary,
                               .noutput = columns - w->sweep.nvary,
                               .column = w->pair + settings};
    return CLV_EXIT_DONE;
}
