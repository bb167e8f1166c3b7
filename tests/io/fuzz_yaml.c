/* SPDX-License-Identifier: Apache-2.0
 * libFuzzer target of the model reader, built on demand only (test_corpus.c replays what it found worth keeping):
 *   clang -g -O1 -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all -std=gnu17 -D_POSIX_C_SOURCE=200809L \
 *       -DCLV_LANES=1 -Iinclude -Isrc tests/io/fuzz_yaml.c src/{base,model,flexible}/[a-z]*.c \
 *       $(ls src/math/[a-z]*.c | grep -v absent) src/io/{yaml_,schema}*.c -lyaml -lm -ldl -o fuzz_yaml
 *   tools/cases.py unpack tests/io/corpus.cases old/
 *   for f in tests/bad_models/?*.cases; do tools/cases.py unpack $f old/; done
 *   mkdir new; ./fuzz_yaml -max_len=1024 -dict=tests/io/fuzz_yaml.dict new/ old/ */
#include "base/memory.h"
#include "io/yaml_write.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A large `repeat` asks for a large model: slow, and rightly so. */
static int asks_for_much(const uint8_t *data, size_t size)
{
    for (size_t k = 0; k + 7 < size; ++k)
        if (memcmp(data + k, "repeat:", 7) == 0) {
            size_t end = k + 7;
            while (end < size && strchr(" +-.0123456789eE\n\t", data[end]) && data[end])
                ++end;
            if (end - k > 7 + 5)
                return 1;
        }
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    clv_model *m = NULL;
    char *text;
    if (asks_for_much(data, size))
        return 0;
    clv_status status = clv_model_read_text(&m, (const char *)data, size, "fuzz.yaml");
    if (status == CLV_OK && clv_model_body_count(m) < 1000) { /* what reads must write, and read again */
        clv_model *again = NULL;
        size_t length;
        if (clv_model_write_text(m, &text, &length) != CLV_OK ||
            clv_model_read_text(&again, text, length, "again.yaml") != CLV_OK)
            abort();
        clv_free(text);
        clv_model_destroy(again);
    }
    clv_model_destroy(m);
    return 0;
}
