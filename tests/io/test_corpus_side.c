/* SPDX-License-Identifier: Apache-2.0
 * The files beside a model that fuzzing found worth keeping (tests/io/corpus_side.cases), replayed: none may crash, and
 * what reads must write and read again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#define CLV_FUZZ_REPLAY
#include "cases.h"
#include "io/fuzz_side.c"

static void replay(const test_case *c, void *user)
{
    (void)user;
    /* Memory of its own: a sanitizer sees a byte read past the end. */
    uint8_t *data = (malloc)(c->size + !c->size);
    assert_non_null(data);
    memcpy(data, c->text, c->size);
    fuzz_side(data, c->size);
    (free)(data);
}

static void the_corpus_is_survived(void **state)
{
    (void)state;
    assert_true(cases_of_file(CLV_SOURCE_DIR "/tests/io/corpus_side.cases", replay, NULL) >= 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_corpus_is_survived)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
