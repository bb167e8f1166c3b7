/* SPDX-License-Identifier: Apache-2.0
 * Files of test cases (`*.cases`): many small inputs in one file, each under a line `=== NAME`, optionally followed by
 * a line `--- refused` and the text that is expected.  The line end before each of these lines belongs to the format,
 * so an input may end without one.  Inputs are any bytes.  tools/cases.py packs and unpacks them.
 * Include after cmocka.h. */
#ifndef CLV_TESTS_CASES_H
#define CLV_TESTS_CASES_H
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct test_case {
    char name[128];
    const char *text; /* size bytes, not terminated */
    size_t size;
    const char *expected; /* expected_size bytes; NULL where there is no `--- refused` */
    size_t expected_size;
} test_case;

typedef void (*test_case_fn)(const test_case *c, void *user);

/* The first line that starts with `mark` in [p, end); end if there is none. */
static inline const char *cases_find(const char *p, const char *end, const char *mark)
{
    const size_t n = strlen(mark);
    for (; p < end; ++p) {
        if ((size_t)(end - p) >= n && memcmp(p, mark, n) == 0)
            return p;
        p = memchr(p, '\n', (size_t)(end - p));
        if (!p)
            break;
    }
    return end;
}

/* Reads one case, which begins at p with its line `=== NAME`; returns where the next one begins. */
static inline const char *cases_next(const char *p, const char *end, test_case *c)
{
    static const char refused[] = "--- refused\n";
    const char *text = memchr(p, '\n', (size_t)(end - p));
    assert_non_null(text);
    assert_true((size_t)(text - p) < sizeof c->name + 4);
    snprintf(c->name, sizeof c->name, "%.*s", (int)(text - p - 4), p + 4);
    const char *next = cases_find(++text, end, "=== ");
    const char *answer = cases_find(text, next, refused);
    assert_true(next > text && next[-1] == '\n');
    c->text = text;
    c->size = (size_t)(answer - text) - 1;
    c->expected = answer < next ? answer + sizeof refused - 1 : NULL;
    c->expected_size = answer < next ? (size_t)(next - c->expected) - 1 : 0;
    return next;
}

/* Calls fn for every case of the file; returns their number.  Fails the test where the file cannot be read. */
static inline int cases_of_file(const char *path, test_case_fn fn, void *user)
{
    FILE *f = fopen(path, "rb");
    if (!f)
        fail_msg("%s cannot be read", path);
    fseek(f, 0, SEEK_END);
    const size_t size = (size_t)ftell(f);
    rewind(f);
    char *text = (malloc)(size + 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, size, f), size);
    fclose(f);
    int count = 0;
    const char *p = text, *end = text + size;
    assert_true(cases_find(p, end, "=== ") == p);
    for (test_case c; p < end; ++count) {
        p = cases_next(p, end, &c);
        fn(&c, user);
    }
    (free)(text);
    return count;
}

/* The same for every file `*.cases` of a folder (with a slash at its end). */
static inline int cases_of_folder(const char *path, test_case_fn fn, void *user)
{
    int count = 0;
    DIR *folder = opendir(path);
    if (!folder)
        fail_msg("there is no folder %s", path);
    for (struct dirent *d; (d = readdir(folder));) {
        const char *dot = strrchr(d->d_name, '.');
        char file[512];
        snprintf(file, sizeof file, "%s%s", path, d->d_name);
        if (dot && strcmp(dot, ".cases") == 0)
            count += cases_of_file(file, fn, user);
    }
    closedir(folder);
    return count;
}

#endif
