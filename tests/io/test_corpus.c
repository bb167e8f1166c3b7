/* SPDX-License-Identifier: Apache-2.0
 * The inputs that fuzzing found worth keeping (tests/io/corpus.cases), replayed: none may crash, and what reads must
 * write and read again.  Run under the sanitizers by .ci/run --full. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "cases.h"
#include "io/fuzz_yaml.c"

static void replay(const test_case *c, void *user)
{
    (void)user;
    /* Memory of its own: a sanitizer sees a byte read past the end. */
    uint8_t *data = (malloc)(c->size + !c->size);
    assert_non_null(data);
    memcpy(data, c->text, c->size);
    LLVMFuzzerTestOneInput(data, c->size);
    (free)(data);
}

static void the_corpus_is_survived(void **state)
{
    (void)state;
    assert_true(cases_of_file(CLV_SOURCE_DIR "/tests/io/corpus.cases", replay, NULL) >= 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_corpus_is_survived)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
