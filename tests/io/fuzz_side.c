/* SPDX-License-Identifier: Apache-2.0
 * libFuzzer target of the files beside a model: files of modes, and finite-element files with their matrices.  Built on
 * demand only (test_corpus.c replays what it found worth keeping):
 *   clang -g -O1 -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all -std=gnu17 -D_POSIX_C_SOURCE=200809L \
 *       -DCLV_LANES=1 -Iinclude -Isrc tests/io/fuzz_side.c src/{base,model,flexible}/[a-z]*.c \
 *       $(ls src/math/[a-z]*.c | grep -v absent) src/io/{yaml_,schema,fe_,matrix}*.c -lyaml -lm -ldl -o fuzz_side
 *   tools/cases.py unpack tests/io/corpus_side.cases old/
 *   mkdir new; ./fuzz_side -max_len=2048 -dict=tests/io/fuzz_side.dict new/ old/
 *
 * An input that begins with `fe` is a finite-element file and, after lines of `====`, K.mtx, M.mtx, D.mtx; any other is
 * a file of modes. They are written to a folder of its own, for the readers take paths: put TMPDIR in memory. */
#include "base/error.h"
#include "base/memory.h"
#include "io/fe_read.h"
#include "io/yaml_read_flex.h"
#include "io/yaml_write.h"
#include "io/yaml_write_text.h"
#include "flexible/flex_reduce.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int fuzz_side(const uint8_t *data, size_t size);

static char folder[300];
static const char *const part[4] = {"in.fe.yaml", "K.mtx", "M.mtx", "D.mtx"};

static void side_path(char path[400], const char *name)
{
    snprintf(path, 400, "%s/%s", folder, name);
}

static void remove_folder(void)
{
    char path[400];
    for (int i = 0; i < 4; ++i)
        side_path(path, part[i]), unlink(path);
    side_path(path, "in.flex"), unlink(path);
    rmdir(folder);
}

static void put(const char *name, const uint8_t *data, size_t size)
{
    char path[400];
    if (!*folder) {
        const char *where = getenv("TMPDIR");
        snprintf(folder, sizeof folder, "%s/cleave-fuzz-XXXXXX", where ? where : "/tmp");
        if (!mkdtemp(folder))
            abort();
        atexit(remove_folder);
    }
    side_path(path, name);
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(data, 1, size, f) != size || fclose(f) != 0)
        abort();
}

/* First line of `====` at or after `from`; size where there is none. */
static size_t next_part(const uint8_t *data, size_t from, size_t size)
{
    for (size_t k = from; k + 5 <= size; ++k)
        if ((k == 0 || data[k - 1] == '\n') && memcmp(data + k, "====\n", 5) == 0)
            return k;
    return size;
}

/* what reduces must write, and read again, unless it is refused by name */
static void reduce_side(const clv_fe_file *f)
{
    clv_flex_body b;
    clv_error error;
    char *text;
    size_t size;
    int fixed;
    clv_error_clear(&error);
    if (f->fe.nnode > 12 || clv_fe_reduce(&b, &fixed, &f->fe, &error) != CLV_OK)
        return;
    if (clv_flex_write_text(&b, "", &text, &size) != CLV_OK)
        abort();
    clv_flex_text_check(&error, text, size);
    clv_free(text);
    clv_flex_body_close(&b);
}

static void finite_elements(const uint8_t *data, size_t size)
{
    clv_model *errors = NULL;
    clv_fe_file f;
    char path[400];
    size_t at = 0;
    for (int i = 0; i < 4; ++i) {
        size_t end = next_part(data, at, size);
        put(part[i], data + at, end - at);
        at = end + 5 <= size ? end + 5 : size;
    }
    side_path(path, part[0]);
    if (clv_fe_read(&errors, &f, path) == CLV_OK) {
        reduce_side(&f);
        clv_fe_file_free(&f);
    }
    clv_model_destroy(errors);
}

/* what reads must write, and read again */
static void modes(const uint8_t *data, size_t size)
{
    static const char model[] = "cleave: 1\nbodies: {b: {flexible: {file: in.flex}}}\n";
    char path[400], *text;
    size_t length;
    clv_model *m = NULL, *again = NULL;
    put("in.flex", data, size);
    side_path(path, "model.yaml");
    if (clv_model_read_text(&m, model, sizeof model - 1, path) == CLV_OK) {
        if (clv_model_write_text(m, &text, &length) != CLV_OK ||
            clv_model_read_text(&again, text, length, "again.yaml") != CLV_OK)
            abort();
        clv_free(text);
        clv_model_destroy(again);
    }
    clv_model_destroy(m);
}

int fuzz_side(const uint8_t *data, size_t size)
{
    if (size >= 2 && memcmp(data, "fe", 2) == 0)
        finite_elements(data, size);
    else
        modes(data, size);
    return 0;
}

#ifndef CLV_FUZZ_REPLAY
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_side(data, size);
}
#endif
