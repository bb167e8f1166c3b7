/* SPDX-License-Identifier: Apache-2.0
 * Scales: the range of the numbers, a unit with a prefix that keeps labels short, ticks at 1, 2 or 5 times a power of
 * ten. */
#include "cli/plot.h"
#include <math.h>
#include <string.h>

void clv_unit_printed(const char *unit, char *text, size_t size)
{
    static const char *const raised[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    size_t n = 0;
    for (bool power = false; *unit && n + 5 < size; ++unit) {
        if (*unit == '^')
            power = true;
        else if (power && *unit == '-')
            n += (size_t)snprintf(text + n, size - n, "⁻");
        else if (power && *unit >= '0' && *unit <= '9')
            n += (size_t)snprintf(text + n, size - n, "%s", raised[*unit - '0']);
        else
            text[n++] = *unit, power = false;
    }
    text[n] = 0;
}

/* Power of 1000 that brings `most` between 1 and 1000; 0 for numbers that need none. */
static int thousands(double most, double low, double high)
{
    return most >= high || most < low ? (int)floor(log10(most) / 3 + 1e-9) : 0;
}

/* kN for N, mm for m, 10^3 kg m/s for the others. */
static void choose_unit(clv_axis *a, double most, const char *unit)
{
    static const char *const simple[] = {"N", "N m", "J", "W", "Pa", "m"}, *const prefix = "pnum kMGT";
    char power[24], printed[24];
    bool prefixed = false;
    for (size_t i = 0; i < sizeof simple / sizeof *simple; ++i)
        prefixed |= strcmp(unit, simple[i]) == 0;
    int k = most > 0 ? thousands(most, 0.1, 1e4) : 0;
    if (prefixed && k >= -4 && k <= (strcmp(unit, "m") == 0 ? 1 : 4)) {
        a->factor = pow(1000, k);
        const char letter = prefix[k + 4];
        snprintf(a->unit, sizeof a->unit, "%s%s%s", letter == 'u' ? "µ" : "",
                 letter == 'u' || letter == ' ' ? "" : (const char[]){letter, 0}, unit);
        return;
    }
    k = most > 0 ? thousands(most, 1e-2, 1e5) : 0;
    a->factor = pow(1000, k);
    clv_unit_printed(strcmp(unit, "-") == 0 || strcmp(unit, "1") == 0 ? "" : unit, printed, sizeof printed);
    power[0] = 0;
    if (k)
        snprintf(power, sizeof power, "10^%d ", 3 * k);
    clv_unit_printed(power, a->unit, sizeof a->unit);
    snprintf(a->unit + strlen(a->unit), sizeof a->unit - strlen(a->unit), "%s", printed);
    if (k && !*printed)
        a->unit[strlen(a->unit) - 1] = 0;
}

static void choose_ticks(clv_axis *a, bool whole, int ticks)
{
    const double rough = (a->high - a->low) / ticks, ten = pow(10, floor(log10(rough)));
    const double part = rough / ten;
    a->tick = ten * (part < 1.5 ? 1 : part < 3.5 ? 2 : part < 7.5 ? 5 : 10);
    const double places = -floor(log10(a->tick) + 1e-9);
    a->decimals = places > 0 ? (int)places : 0;
    if (whole) {
        a->low = a->tick * floor(a->low / a->tick + 1e-9);
        a->high = a->tick * ceil(a->high / a->tick - 1e-9);
    }
    a->first = a->tick * ceil(a->low / a->tick - 1e-9);
    a->count = (int)floor((a->high - a->first) / a->tick + 1e-9) + 1;
}

clv_axis clv_axis_of(const double *const *list, int n, long count, const char *unit, bool whole, int ticks)
{
    clv_axis a = {.low = INFINITY, .high = -INFINITY};
    for (int i = 0; i < n; ++i)
        for (long k = 0; k < count; ++k)
            if (isfinite(list[i][k])) {
                a.low = fmin(a.low, list[i][k]);
                a.high = fmax(a.high, list[i][k]);
            }
    if (!(a.low <= a.high))
        a.low = a.high = 0;
    const double most = fmax(fabs(a.low), fabs(a.high));
    choose_unit(&a, most, unit);
    a.low /= a.factor, a.high /= a.factor;
    if (!(a.high - a.low > 1e-9 * most / a.factor)) { /* a constant: in the middle */
        const double room = most > 0 ? 0.1 * most / a.factor : 1;
        a.low -= room, a.high += room;
    }
    choose_ticks(&a, whole, ticks);
    return a;
}

void clv_axis_label(const clv_axis *a, double value, char text[32])
{
    char plain[32];
    if (fabs(value) < 1e-9 * a->tick)
        value = 0;
    snprintf(plain, sizeof plain, "%.*f", a->decimals > 12 ? 12 : a->decimals, fabs(value));
    snprintf(text, 32, "%s%.24s", value < 0 ? "−" : "", plain);
}
