/* SPDX-License-Identifier: Apache-2.0
 * The table of schema.h as data, look-up by section, and the edit distance behind "did you mean". */
#include "io/schema.h"
#include <string.h>

const clv_schema_row clv_schema[CLV_KEYS] = {
#define X(section, id, key, type, least, most, bound, angle, required, unit, value, example, text)                     \
    {CLV_IN_##section, key, CLV_AS_##type, least, most, CLV_##bound, CLV_##angle, required, unit, value, example, text},
    CLV_SCHEMA(X)
#undef X
};

/* Rows stand in the order of their sections: halving. */
int clv_schema_first(clv_section section)
{
    int low = 0, high = CLV_KEYS;
    while (low < high) {
        int middle = (low + high) / 2;
        if (clv_schema[middle].section < section)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

int clv_schema_count(clv_section section)
{
    return clv_schema_first((clv_section)(section + 1)) - clv_schema_first(section);
}

int clv_schema_find(clv_section section, const char *key)
{
    for (int k = clv_schema_first(section); k < CLV_KEYS && clv_schema[k].section == section; ++k)
        if (strcmp(clv_schema[k].key, key) == 0)
            return k;
    return -1;
}

const char *clv_schema_nearest(clv_section section, const char *key)
{
    const char *best = NULL;
    int distance = clv_near_enough(key) + 1;
    for (int k = clv_schema_first(section); k < CLV_KEYS && clv_schema[k].section == section; ++k)
        clv_nearest(&best, &distance, key, clv_schema[k].key);
    return best;
}

const char *clv_schema_place(clv_section section)
{
    static const char *const place[CLV_SECTIONS] = {
        "the file",
        "parameters.NAME",
        "bodies.NAME",
        "bodies.NAME.shape",
        "bodies.NAME.flexible",
        "bodies.NAME.flexible.beam",
        "bodies.NAME.flexible.beam.modes",
        "bodies.NAME.flexible.modal, or a file of modes",
        "bodies.NAME.flexible.modal.nodes.NAME",
        "joints.NAME",
        "joints.NAME.a and .b",
        "orientation",
        "forces.NAME, kind force",
        "forces.NAME, kind torque",
        "forces.NAME, kind joint-load",
        "forces.NAME, kind spring-damper",
        "forces.NAME, kind angular-damper",
        "forces.NAME, kind bushing",
        "forces.NAME, kind contact",
        "forces.NAME, kind tendon",
        "forces.NAME, kind drag",
        "forces.NAME, kind contacts",
        "motions.NAME",
        "couplings.NAME",
        "markers.NAME",
        "visuals.NAME",
        "shapes.NAME",
        "inputs.NAME",
        "events.NAME",
        "events.NAME.when",
        "start",
        "start.bodies.NAME",
        "start.joints.NAME",
        "start.modes.NAME",
        "a finite-element file",
        "interfaces.NAME of a finite-element file",
    };
    return place[section];
}

/* ---------------------------------------------------------------- nearest word */

#define WORD 48 /* longer words are not compared */

static int least3(int a, int b, int c)
{
    int least = a < b ? a : b;
    return least < c ? least : c;
}

int clv_edit_distance(const char *a, const char *b, int most)
{
    int na = (int)strnlen(a, WORD + 1), nb = (int)strnlen(b, WORD + 1);
    if (na > WORD || nb > WORD || na - nb > most || nb - na > most)
        return most + 1;
    int row[3][WORD + 1]; /* rows i-2, i-1, i of the distance table, taken in turn */
    for (int k = 0; k <= nb; ++k)
        row[0][k] = k;
    for (int i = 1; i <= na; ++i) {
        int *now = row[i % 3], *before = row[(i + 2) % 3], *older = row[(i + 1) % 3];
        now[0] = i;
        for (int k = 1; k <= nb; ++k) {
            now[k] = least3(before[k] + 1, now[k - 1] + 1, before[k - 1] + (a[i - 1] != b[k - 1]));
            if (i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1] && older[k - 2] + 1 < now[k])
                now[k] = older[k - 2] + 1; /* two letters swapped */
        }
    }
    int d = row[na % 3][nb];
    return d > most ? most + 1 : d;
}

int clv_near_enough(const char *wanted)
{
    size_t n = strnlen(wanted, WORD);
    return n < 2 ? 0 : n < 4 ? 1 : n < 6 ? 2 : 3;
}

void clv_nearest(const char **best, int *distance, const char *wanted, const char *candidate)
{
    int d = clv_edit_distance(wanted, candidate, *distance - 1);
    if (d < *distance) {
        *distance = d;
        *best = candidate;
    }
}
