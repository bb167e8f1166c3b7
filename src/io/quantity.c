/* SPDX-License-Identifier: Apache-2.0
 * Names of numbers and outputs of sensitivities; see quantity.h.  A name is that of an item, of a field and of a
 * component.  Items may have points in their names, so the end of a name is looked at first. */
#include "io/quantity.h"
#include "io/columns.h"
#include "model/number.h"
#include <stdio.h>
#include <string.h>

typedef int find_item(const clv_model *m, const char *name);

typedef struct row {
    const char *field, *components; /* separated by spaces; "": one */
    int kind;
    find_item *find;
} row;

static int find_marker(const clv_model *m, const char *name)
{
    for (int i = 0; i < m->nmarker; i++)
        if (strcmp(m->marker[i].name, name) == 0)
            return i;
    return -1;
}

#define XYZ "x y z"
#define SIX "x y z rx ry rz"
static const row number_rows[] = {{"mass", "", CLV_NUMBER_MASS, clv_model_find_body},
                                  {"com", XYZ, CLV_NUMBER_COM, clv_model_find_body},
                                  {"inertia", "xx yy zz xy xz yz", CLV_NUMBER_INERTIA, clv_model_find_body},
                                  {"stiffness", "", CLV_NUMBER_STIFFNESS, clv_model_find_force},
                                  {"stiffness", SIX, CLV_NUMBER_STIFFNESS, clv_model_find_force},
                                  {"damping", "", CLV_NUMBER_DAMPING, clv_model_find_force},
                                  {"damping", SIX, CLV_NUMBER_DAMPING, clv_model_find_force},
                                  {"rest", "", CLV_NUMBER_REST, clv_model_find_force},
                                  {"drive", "", CLV_NUMBER_DRIVE, clv_model_find_force},
                                  {"preload", SIX, CLV_NUMBER_DRIVE, clv_model_find_force},
                                  {"point_a", XYZ, CLV_NUMBER_POINT_A, clv_model_find_joint},
                                  {"point_b", XYZ, CLV_NUMBER_POINT_B, clv_model_find_joint},
                                  {NULL, NULL, 0, NULL}};
static const row output_rows[] = {{"position", XYZ, CLV_OBSERVED_POSITION, find_marker},
                                  {"velocity", XYZ, CLV_OBSERVED_VELOCITY, find_marker},
                                  {NULL, NULL, 0, NULL}};

/* What is before the end ".field.component" of a name, into item; false: the name has another end. */
static bool ends(const char *name, const char *field, const char *component, char item[256])
{
    char end[64];
    snprintf(end, sizeof end, ".%s%s%s", field, component[0] ? "." : "", component);
    const size_t all = strlen(name), n = strlen(end);
    if (all <= n || all - n >= 256 || strcmp(name + all - n, end) != 0)
        return false;
    memcpy(item, name, all - n);
    item[all - n] = 0;
    return true;
}

/* index of the item with this name and of the component, by the rows of a table; NULL: none */
static const row *look(const row *rows, const clv_model *m, const char *name, int *item, int *component)
{
    char word[16], before[256];
    for (; rows->field; rows++) {
        const char *at = rows->components;
        *component = 0;
        do {
            const size_t n = strcspn(at, " ");
            snprintf(word, sizeof word, "%.*s", (int)n, at);
            if (ends(name, rows->field, word, before) && (*item = rows->find(m, before)) >= 0)
                return rows;
            at += n + (at[n] == ' '), (*component)++;
        } while (*at);
    }
    return NULL;
}

bool clv_quantity_number(const clv_model *m, const char *name, clv_number *x)
{
    static const char axis[3][10] = {"gravity.x", "gravity.y", "gravity.z"};
    int item = 0, component = 0;
    for (int i = 0; i < 3; i++)
        if (strcmp(name, axis[i]) == 0) {
            *x = (clv_number){CLV_NUMBER_GRAVITY, 0, i};
            return true;
        }
    const row *r = look(number_rows, m, name, &item, &component);
    if (!r)
        return false;
    *x = (clv_number){(clv_number_kind)r->kind, item, component};
    return clv_number_exists(m, x);
}

static bool joint_output(const clv_model *m, const char *name, bool rate, clv_observed *x)
{
    char item[256];
    for (int j = 0; j < m->njoint; j++)
        for (int c = 0; c < 6; c++) {
            const char *suffix = clv_coordinate_suffix(m->joint[j].kind, rate, c);
            if (!suffix || !ends(name, rate ? "u" : "q", suffix[0] == '.' ? suffix + 1 : suffix, item) ||
                strcmp(item, m->joint[j].name) != 0)
                continue;
            *x = (clv_observed){rate ? CLV_OBSERVED_RATE : CLV_OBSERVED_COORDINATE, j, c};
            return true;
        }
    return false;
}

bool clv_quantity_output(const clv_model *m, const char *name, clv_observed *x)
{
    int item = 0, component = 0;
    const row *r = look(output_rows, m, name, &item, &component);
    if (r)
        *x = (clv_observed){(clv_observed_kind)r->kind, item, component};
    return r || joint_output(m, name, false, x) || joint_output(m, name, true, x);
}
