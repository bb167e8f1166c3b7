/* SPDX-License-Identifier: Apache-2.0
 * The list of options as a table; see option_rows.h. */
#include "simulation/option_rows.h"
#include <string.h>

#define ROW(at, kind, field, name, word, usual, least, most, open, of, saved, value, help)                           \
    {name, CLV_TYPE_##kind, offsetof(clv_sim_options, field), usual, least, most, open, saved, of},
static const clv_option_row rows[] = {CLV_NUMBER_OPTIONS(ROW){0}};

const clv_option_row *clv_option_row_at(int i)
{
    return i >= 0 && i < (int)(sizeof rows / sizeof rows[0]) - 1 ? &rows[i] : NULL;
}

const clv_option_row *clv_option_row_named(const char *name)
{
    for (const clv_option_row *row = rows; row->name; row++)
        if (strcmp(row->name, name) == 0)
            return row;
    return NULL;
}

double clv_option_number(const clv_sim_options *o, const clv_option_row *row)
{
    const char *field = (const char *)o + row->offset;
    double x;
    int whole;
    bool flag;
    switch (row->type) {
    case CLV_TYPE_NUMBER:
        return memcpy(&x, field, sizeof x), x;
    case CLV_TYPE_FLAG:
        return memcpy(&flag, field, sizeof flag), flag;
    default:
        return memcpy(&whole, field, sizeof whole), whole;
    }
}

void clv_option_set_number(clv_sim_options *o, const clv_option_row *row, double x)
{
    char *field = (char *)o + row->offset;
    const int whole = row->type == CLV_TYPE_NUMBER ? 0 : (int)x;
    const bool flag = x != 0;
    if (row->type == CLV_TYPE_NUMBER)
        memcpy(field, &x, sizeof x);
    else if (row->type == CLV_TYPE_FLAG)
        memcpy(field, &flag, sizeof flag);
    else
        memcpy(field, &whole, sizeof whole);
}

bool clv_option_is_default(const clv_option_row *row, double x)
{
    return x == row->usual || (isnan(x) && isnan(row->usual));
}

bool clv_option_in_range(const clv_option_row *row, double x)
{
    if (row->type == CLV_TYPE_FLAG)
        return x == 0 || x == 1;
    return (row->open ? x > row->least : x >= row->least) && x <= row->most && isfinite(x);
}
