/* SPDX-License-Identifier: Apache-2.0
 * The list of reported numbers as a table; see report_rows.h. */
#include "simulation/report_rows.h"
#include <string.h>

#define ROW(part, type, field, saved, text)                                                                          \
    {CLV_REPORT_##part, CLV_REPORT_##type, #field, offsetof(clv_sim_report, field), saved, text},
static const clv_report_row rows[] = {CLV_REPORT_ROWS(ROW)};

const clv_report_row *clv_report_row_at(int i)
{
    return i >= 0 && i < (int)(sizeof rows / sizeof rows[0]) ? &rows[i] : NULL;
}

double clv_report_number(const clv_sim_report *r, const clv_report_row *row)
{
    const char *field = (const char *)r + row->offset;
    double x;
    long count;
    int whole;
    switch (row->type) {
    case CLV_REPORT_NUMBER:
        return memcpy(&x, field, sizeof x), x;
    case CLV_REPORT_COUNT:
        return memcpy(&count, field, sizeof count), (double)count;
    default:
        return memcpy(&whole, field, sizeof whole), whole;
    }
}

void clv_report_set_number(clv_sim_report *r, const clv_report_row *row, double x)
{
    char *field = (char *)r + row->offset;
    const long count = row->type == CLV_REPORT_COUNT ? (long)x : 0;
    const int whole = row->type == CLV_REPORT_WHOLE ? (int)x : 0;
    if (row->type == CLV_REPORT_NUMBER)
        memcpy(field, &x, sizeof x);
    else if (row->type == CLV_REPORT_COUNT)
        memcpy(field, &count, sizeof count);
    else
        memcpy(field, &whole, sizeof whole);
}
