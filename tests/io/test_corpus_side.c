/* SPDX-License-Identifier: Apache-2.0
 * The files beside a model that fuzzing found worth keeping (tests/io/corpus_side), replayed: none may crash, and what
 * reads must write and read again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#define CLV_FUZZ_REPLAY
#include "io/fuzz_side.c"
#include <dirent.h>

#define FOLDER CLV_SOURCE_DIR "/tests/io/corpus_side/"

static void replay(const char *name)
{
    static uint8_t data[1 << 16];
    char path[512];
    snprintf(path, sizeof path, FOLDER "%s", name);
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    size_t size = fread(data, 1, sizeof data, f);
    fclose(f);
    fuzz_side(data, size);
}

static void the_corpus_is_survived(void **state)
{
    (void)state;
    int count = 0;
    DIR *files = opendir(FOLDER);
    assert_non_null(files);
    for (struct dirent *d; (d = readdir(files));)
        if (d->d_name[0] != '.') {
            replay(d->d_name);
            ++count;
        }
    closedir(files);
    assert_true(count >= 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_corpus_is_survived)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
