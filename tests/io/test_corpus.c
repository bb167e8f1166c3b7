/* SPDX-License-Identifier: Apache-2.0
 * The inputs that fuzzing found worth keeping, replayed: models (tests/io/corpus.cases) and the files beside a model
 * (corpus_side.cases).  None may crash, and what reads must write and read again.  Run under the sanitizers by
 * .ci/run --full. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#define CLV_FUZZ_REPLAY
#include "cases.h"
#include "io/fuzz_side.c"
#include "io/fuzz_yaml.c"

typedef void (*target)(const uint8_t *data, size_t size);

static void model(const uint8_t *data, size_t size) { LLVMFuzzerTestOneInput(data, size); }
static void side(const uint8_t *data, size_t size) { fuzz_side(data, size); }

static void replay(const test_case *c, void *user)
{
    /* Memory of its own: a sanitizer sees a byte read past the end. */
    uint8_t *data = (malloc)(c->size + !c->size);
    assert_non_null(data);
    memcpy(data, c->text, c->size);
    (*(target *)user)(data, c->size);
    (free)(data);
}

static void the_corpus_is_survived(void **state)
{
    target models = model, sides = side;
    (void)state;
    assert_true(cases_of_file(CLV_SOURCE_DIR "/tests/io/corpus.cases", replay, &models) >= 100);
    assert_true(cases_of_file(CLV_SOURCE_DIR "/tests/io/corpus_side.cases", replay, &sides) >= 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_corpus_is_survived)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
