/* SPDX-License-Identifier: Apache-2.0
 * Names of files relative to other files; see file_path.h. */
#define _XOPEN_SOURCE 700 /* realpath; NOLINT(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp) */
#include "io/file_path.h"
#include "base/memory.h"
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WHOLE = 4096 }; /* characters of an absolute name on Linux */

/* The folder of a file as an absolute name without links; false: there is none. */
static bool folder_of(const char *file, char whole[WHOLE])
{
    const char *slash = strrchr(file, '/');
    char name[WHOLE];
    const int n = slash ? (int)(slash - file) + 1 : 0;
    return snprintf(name, sizeof name, "%.*s.", n, file) < WHOLE && realpath(name, whole);
}

/* Characters of the folders that two absolute names without a last slash have in common, with the slash behind. */
static size_t common(const char *a, const char *b)
{
    size_t last = 0, i = 0;
    for (; a[i] && a[i] == b[i]; ++i)
        last = a[i] == '/' ? i + 1 : last;
    return (a[i] == '\0' || a[i] == '/') && (b[i] == '\0' || b[i] == '/') ? i + (a[i] == '/' || b[i] == '/') : last;
}

char *clv_path_from(const char *from, const char *path)
{
    char at[WHOLE], of[WHOLE];
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    if (!from || !strchr(from, '/') || *path == '/' || !folder_of(from, at) || !folder_of(path, of))
        return clv_copy_text(path);
    const size_t same = common(at, of), n = strlen(at);
    const char *rest = same < strlen(of) ? of + same : "";
    size_t up = 0, used = 0;
    for (size_t i = same; i < n; ++i)
        up += at[i] == '/' || i == same;
    const size_t size = 3 * up + strlen(rest) + strlen(name) + 2;
    char *to = clv_alloc(size, 1);
    for (size_t i = 0; to && i < up; ++i)
        used += (size_t)snprintf(to + used, size - used, "../");
    if (to)
        snprintf(to + used, size - used, "%s%s%s", rest, *rest ? "/" : "", name);
    return to;
}
