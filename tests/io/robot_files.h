/* SPDX-License-Identifier: Apache-2.0
 * What tests of robot files share (URDF, MJCF, SDF): reading them, damage to their text, and memory that runs out.  A
 * test sets counting_heap before its first allocation. */
#ifndef CLV_TESTS_IO_ROBOT_FILES_H
#define CLV_TESTS_IO_ROBOT_FILES_H
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/memory.h"
#include "io/xml_parse.h"
#include "io/yaml_read.h"
#include "io/yaml_write.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROBOTS CLV_SOURCE_DIR "/tests/models/robots/"
#define NEED_EXPAT                                                                                                     \
    if (!clv_xml_present())                                                                                            \
    skip()

static inline clv_model *read_file(const char *path)
{
    clv_model *m = NULL;
    if (clv_model_read(&m, path) != CLV_OK)
        fail_msg("%s: %s", path, clv_model_error(m)->message);
    return m;
}

/* the text of a file; clv_free frees */
static inline char *load(const char *path, size_t *size)
{
    clv_error e = {0};
    char *text = clv_model_load(&e, path, size);
    assert_non_null(text);
    return text;
}

/* Every beginning of a file, and files with a byte changed, are read or refused with a place; name: of the text. */
static inline void damage(const char *file, const char *name)
{
    size_t size;
    char *text = load(file, &size);
    unsigned random = 1;
    int good = 0;
    for (size_t n = 0; n < size + 1500; n++) {
        clv_model *m = NULL;
        const size_t at = (random = random * 1103515245u + 12345u) / 7 % size, kept = n < size ? n : size;
        const char before = text[at];
        if (n >= size)
            text[at] = (char)(random >> 16);
        const clv_status status = clv_model_read_text(&m, text, kept, name);
        text[at] = before;
        assert_true(status == CLV_OK || (*clv_model_error(m)->message && clv_model_error_count(m) > 0));
        good += status == CLV_OK;
        clv_model_destroy(m);
    }
    assert_true(good > 0 && good < 1500);
    assert_int_equal(clv_alloc_live(), 1); /* the text */
    clv_free(text);
}

/* ---------------------------------------------------------------- memory */

/* allocations so far, and the number of the one that fails */
static struct {
    long asked, refuse;
} heap;

static inline void *counted_allocate(void *user, size_t alignment, size_t size)
{
    (void)user;
    ++heap.asked;
    return heap.asked == heap.refuse ? NULL : aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

static inline void *counted_resize(void *user, void *block, size_t size)
{
    (void)user;
    return ++heap.asked == heap.refuse ? NULL : realloc(block, size);
}

static inline void counted_release(void *user, void *block)
{
    (void)user;
    free(block);
}

static const clv_allocator counting_heap = {counted_allocate, counted_resize, counted_release, NULL};

/* Reads a file; every allocation fails once in turn. */
static inline void run_out_of_memory(const char *file)
{
    long n = 1;
    for (long k = 0; k <= n; k++) {
        clv_model *m = NULL;
        heap.asked = 0, heap.refuse = k;
        const clv_status status = clv_model_read(&m, file);
        heap.refuse = 0;
        n = k == 0 ? heap.asked : n;
        if (status != (k == 0 ? CLV_OK : CLV_ERR_MEMORY) && status != CLV_OK)
            fail_msg("%s: allocation %ld of %ld fails: got %s, %s", file, k, n, clv_status_text(status),
                     clv_model_error(m)->message);
        clv_model_destroy(m);
        assert_int_equal(clv_alloc_live(), 0);
    }
}

#endif
