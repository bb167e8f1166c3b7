/* SPDX-License-Identifier: Apache-2.0
 * A number over a run as one line of blocks; see sparkline.h. */
#include "cli/sparkline.h"
#include <math.h>
#include <stdio.h>

void clv_sparkline_put(clv_sparkline *s, double part, double value)
{
    if (!(part >= 0) || !isfinite(value))
        return;
    const int i = part < 1 ? (int)(part * CLV_SPARKLINE) : CLV_SPARKLINE - 1;
    if (!s->there[i] || value > s->most[i])
        s->most[i] = value;
    s->there[i] = true;
}

bool clv_sparkline_print(const clv_sparkline *s)
{
    double most = 0, last = NAN;
    for (int i = 0; i < CLV_SPARKLINE; ++i)
        if (s->there[i])
            most = fmax(most, s->most[i]);
    if (!(most > 0))
        return false;
    for (int i = 0; i < CLV_SPARKLINE; ++i) {
        if (s->there[i])
            last = s->most[i]; /* a long step passes several blocks */
        if (isnan(last))
            putchar(' ');
        else
            printf("\xE2\x96%c", 0x81 + (int)fmin(7, 8 * fmax(last, 0) / most)); /* U+2581 to U+2588 */
    }
    return true;
}
