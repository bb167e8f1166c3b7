/* SPDX-License-Identifier: Apache-2.0
 * The writer of comma-separated values; see csv.h. */
#include "cli/csv.h"
#include "base/text.h"
#include "cli/json.h"
#include <math.h>
#include <string.h>

static void spelt(FILE *out, const char *text)
{
    for (char shown[CLV_SHOWN]; *text; fputs(*shown == '"' ? "\"\"" : shown, out))
        text += clv_text_next(text, shown);
}

static void heading(FILE *out, const clv_column *c, int k)
{
    const bool quotes = strpbrk(c->name, ",\"\r\n") || strpbrk(c->unit, ",\"\r\n");
    fputs(quotes ? "\"" : "", out);
    spelt(out, c->name);
    if (c->count > 1)
        fprintf(out, ".%c", c->axes[2 * k]);
    fputs(" [", out);
    spelt(out, c->unit);
    fprintf(out, "]%s", quotes ? "\"" : "");
}

void clv_csv_names(FILE *out, const clv_column *column, int n)
{
    for (int i = 0; i < n; ++i)
        for (int k = 0; k < column[i].count; ++k) {
            fputs(i + k ? "," : "", out);
            heading(out, &column[i], k);
        }
    fputc('\n', out);
}

void clv_csv_numbers(FILE *out, const double *value, int n)
{
    char text[32];
    for (int i = 0; i < n; ++i) {
        fputs(i ? "," : "", out);
        if (isfinite(value[i]))
            fputs(clv_json_shortest(text, value[i]), out);
    }
    fputc('\n', out);
}
