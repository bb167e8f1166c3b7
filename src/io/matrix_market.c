/* SPDX-License-Identifier: Apache-2.0
 * Line by line; entries not given yet are NaN while reading, so that a repeated one is seen. */
#include "io/fe_read.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "io/yaml_read.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct market {
    const char *path;
    char *next; /* the text after the current line */
    int line, n;
    bool symmetric;
    double *x;
    clv_error *error;
} market;

static bool wrong(market *m, const char *hint, const char *format, ...) __attribute__((format(printf, 3, 4)));
static bool wrong(market *m, const char *hint, const char *format, ...)
{
    char text[300];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    clv_fail(m->error, CLV_ERR_MODEL, "%s", text);
    clv_error_text(m->error->file, sizeof m->error->file, m->path);
    clv_error_hint(m->error, "%s", hint);
    m->error->line = m->line;
    m->error->column = 1;
    return false;
}

/* The next line, without its end; NULL after the last. */
static char *next_line(market *m)
{
    char *line = m->next, *end;
    if (!*line)
        return NULL;
    end = strchr(line, '\n');
    m->next = end ? end + 1 : line + strlen(line);
    if (end)
        *end = '\0';
    m->line++;
    return line;
}

static bool blank(const char *s)
{
    while (isspace((unsigned char)*s))
        s++;
    return *s == '\0';
}

/* The next line that is neither empty nor a comment. */
static char *next_data(market *m)
{
    char *line;
    do
        line = next_line(m);
    while (line && (*line == '%' || blank(line)));
    return line;
}

static bool read_header(market *m)
{
    char word[5][20] = {"", "", "", "", ""}, *line = next_line(m);
    static const char *const want[4] = {"%%matrixmarket", "matrix", "coordinate", "real"};
    int n = line ? sscanf(line, "%19s %19s %19s %19s %19s", word[0], word[1], word[2], word[3], word[4]) : 0;
    bool good = n == 5;
    for (int i = 0; i < 5; i++)
        for (char *p = word[i]; *p; p++)
            *p = (char)tolower((unsigned char)*p);
    for (int i = 0; i < 4; i++)
        good = good && strcmp(word[i], want[i]) == 0;
    m->symmetric = strcmp(word[4], "symmetric") == 0;
    if (good && (m->symmetric || strcmp(word[4], "general") == 0))
        return true;
    m->line = strcmp(word[0], want[0]) == 0; /* a file that is none of these is not shown */
    return wrong(m, "begin with `%%MatrixMarket matrix coordinate real symmetric`",
                 "not a real symmetric matrix in the coordinate format of Matrix Market");
}

/* The next whole number of a line; `good` turns false where there is none. */
static long whole(char **at, bool *good)
{
    char *from = *at;
    errno = 0;
    long value = strtol(from, at, 10);
    *good = *good && *at != from && errno == 0;
    return value;
}

static bool read_entry(market *m, char *line)
{
    char *from = line;
    const char *end;
    bool good = true;
    long i = whole(&from, &good), k = whole(&from, &good);
    const double x = clv_text_number(from, &end);
    if (!good || end == from || !blank(end) || !isfinite(x))
        return wrong(m, "write `row column value`", "expected two whole numbers and a finite number; found '%.60s'",
                     line);
    if (i < 1 || k < 1 || i > m->n || k > m->n)
        return wrong(m, "rows and columns count from 1", "entry %ld %ld lies outside the matrix, of %d rows", i, k,
                     m->n);
    if (m->symmetric && k > i)
        return wrong(m, "swap row and column, or name the matrix `general` in the first line",
                     "entry %ld %ld lies above the diagonal of a symmetric matrix", i, k);
    double *at = &m->x[(size_t)(i - 1) * (size_t)m->n + (size_t)(k - 1)];
    if (!isnan(*at))
        return wrong(m, "add the two up", "entry %ld %ld is given twice", i, k);
    *at = x;
    return true;
}

static bool read_entries(market *m)
{
    int read = 0;
    char *line = next_data(m), *at = line;
    bool good = line;
    long size[3] = {0};
    for (int i = 0; i < 3 && good; i++)
        size[i] = whole(&at, &good);
    if (!good || !blank(at))
        return wrong(m, "write `rows columns entries`", "the line of sizes is missing");
    if (size[0] != m->n || size[1] != m->n)
        return wrong(m, "the matrix has 6 rows and columns for each node",
                     "the matrix is %ld x %ld; the nodes need %d x %d", size[0], size[1], m->n, m->n);
    for (; (line = next_data(m)); read++)
        if (!read_entry(m, line))
            return false;
    return read == size[2] ||
           wrong(m, "check that the file is complete", "%ld entries are announced, but there are %d", size[2], read);
}

static bool complete(market *m)
{
    size_t n = (size_t)m->n;
    for (size_t i = 0; i < n * n; i++)
        m->x[i] = isnan(m->x[i]) ? 0 : m->x[i];
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < i; k++) {
            double *low = &m->x[i * n + k], *high = &m->x[k * n + i];
            if (!m->symmetric && fabs(*low - *high) > 1e-9 * sqrt(fabs(m->x[i * n + i] * m->x[k * n + k]))) {
                m->line = 1;
                return wrong(m, "stiffness, mass and damping of a body are symmetric",
                             "not symmetric: entry %zu %zu is %.9g, entry %zu %zu is %.9g", i + 1, k + 1, *low, k + 1,
                             i + 1, *high);
            }
            *low = *high = m->symmetric ? *low : 0.5 * (*low + *high);
        }
    return true;
}

clv_status clv_matrix_market_read(double **x, int n, const char *path, clv_error *e)
{
    market m = {.path = path, .n = n, .error = e};
    size_t size;
    struct stat status;
    *x = NULL;
    clv_error_clear(e);
    if (stat(path, &status) == 0 && !S_ISREG(status.st_mode))
        return clv_fail(e, CLV_ERR_IO, "%s is not a file", path);
    char *text = clv_model_load(e, path, &size), *ended = text ? clv_resize(text, size + 1, 1) : NULL;
    if (!text)
        return e->code;
    m.x = clv_alloc((size_t)n * (size_t)n, sizeof *m.x);
    if (!ended || !m.x)
        clv_fail(e, CLV_ERR_MEMORY, "out of memory");
    else {
        ended[size] = '\0';
        m.next = ended;
        for (size_t i = 0; i < (size_t)n * (size_t)n; i++)
            m.x[i] = NAN;
        if (read_header(&m) && read_entries(&m) && complete(&m)) {
            *x = m.x;
            m.x = NULL;
        }
    }
    clv_free(ended ? ended : text);
    clv_free(m.x);
    return e->code;
}
