/* SPDX-License-Identifier: Apache-2.0
 * Lists of numbers as long as a body has modes: plain, in rows, square. */
#include "io/yaml_read_flex.h"
#include <math.h>
#include <stdio.h>

static const clv_schema_row *row_of(const clv_entry *e, const char *key)
{
    return &clv_schema[clv_schema_find(e->section, key)];
}

/* n numbers of the list at a node. */
static bool read_list(clv_entry *e, const clv_yaml_node *list, const clv_schema_row *row, int n, double *x)
{
    clv_schema_row pure = *row; /* in the unit of the modes */
    int alternative, k = 0;
    pure.unit = "";
    for (const clv_yaml_node *c = clv_node(e->reader, list->first); c && k < n; c = clv_node(e->reader, c->next), ++k)
        if (!clv_read_number(e, c, &pure, &x[k], &alternative))
            return false;
    return true;
}

bool clv_value_numbers(clv_entry *e, const clv_value *v, const char *key, int n, double *x)
{
    const clv_schema_row *row = row_of(e, key);
    if (!v->node || v->node->refused)
        return e->good;
    if (v->node->kind == CLV_YAML_LIST && v->node->count == (unsigned)n)
        return read_list(e, v->node, row, n, x);
    if (v->node->kind == CLV_YAML_LIST)
        clv_key_fail(e, v->node, row, "expected %d number%s, one for each mode; found %u", n, n == 1 ? "" : "s",
                     v->node->count);
    else
        clv_key_fail(e, v->node, row, "expected a list of %d number%s, one for each mode; found '%.80s'", n,
                     n == 1 ? "" : "s", clv_node_shown(e->reader, v->node));
    return false;
}

bool clv_value_rows(clv_entry *e, const clv_value *v, const char *key, int rows, int width, const char *of, double *x)
{
    const clv_schema_row *row = row_of(e, key);
    int k = 0;
    if (!v->node || v->node->refused)
        return e->good;
    if (v->node->kind != CLV_YAML_LIST || v->node->count != (unsigned)rows) {
        char found[40] = "something else";
        if (v->node->kind == CLV_YAML_LIST)
            snprintf(found, sizeof found, "%u", v->node->count);
        clv_key_fail(e, v->node, row, "expected %d row%s of %d numbers, one for each %s; found %s", rows,
                     rows == 1 ? "" : "s", width, of, found);
        return false;
    }
    for (const clv_yaml_node *c = clv_node(e->reader, v->node->first); c; c = clv_node(e->reader, c->next), ++k) {
        if (c->kind != CLV_YAML_LIST || c->count != (unsigned)width) {
            if (clv_comma_fail(e, c, row))
                return false;
            if (c->kind == CLV_YAML_LIST)
                clv_key_fail(e, c, row, "row %d: expected %d numbers, found %u", k + 1, width, c->count);
            else
                clv_key_fail(e, c, row, "row %d: expected a list of %d numbers, found '%.80s'", k + 1, width,
                             clv_node_shown(e->reader, c));
            return false;
        }
        if (!read_list(e, c, row, width, x + (size_t)k * (size_t)width))
            return false;
    }
    return true;
}

/* Makes a matrix that is symmetric to rounding exactly so. */
static bool symmetrise(clv_entry *e, const clv_value *v, const clv_schema_row *row, int n, double *x)
{
    double most = 0;
    for (int i = 0; i < n * n; ++i)
        most = fmax(most, fabs(x[i]));
    for (int i = 0; i < n; ++i)
        for (int k = 0; k < i; ++k) {
            double *a = &x[i * n + k], *b = &x[k * n + i];
            if (!(fabs(*a - *b) <= 1e-9 * most)) {
                clv_key_fail(e, v->node, row, "not symmetric: row %d, column %d has %g, row %d, column %d has %g",
                             i + 1, k + 1, *a, k + 1, i + 1, *b);
                return false;
            }
            if (*a != *b)
                *a = *b = 0.5 * (*a + *b);
        }
    return true;
}

bool clv_value_square(clv_entry *e, const clv_value *v, const char *key, int n, double *x)
{
    const clv_schema_row *row = row_of(e, key);
    if (!v->node || v->node->refused)
        return e->good;
    const clv_yaml_node *first = v->node->kind == CLV_YAML_LIST ? clv_node(e->reader, v->node->first) : NULL;
    if (first && first->kind == CLV_YAML_LIST)
        return clv_value_rows(e, v, key, n, n, "mode", x) && symmetrise(e, v, row, n, x);
    double *diagonal = x + (size_t)n * (size_t)(n - 1); /* the last row: free until the end */
    if (!clv_value_numbers(e, v, key, n, diagonal))
        return false;
    for (int i = 0; i < n; ++i) {
        double d = diagonal[i];
        diagonal[i] = 0;
        x[i * n + i] = d;
    }
    return true;
}
