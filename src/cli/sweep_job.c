/* SPDX-License-Identifier: Apache-2.0
 * The command that makes a part of a sweep, as a text for a shell; see sweep.h.  The file of the part keeps its words,
 * and the command is formed from them again. */
#include "base/memory.h"
#include "cli/sweep.h"
#include "io/error_print.h"
#include <stdlib.h>
#include <string.h>

/* Options of one part, or of one call of the command. */
static const char *const own[] = {"out", "shard", "merge", "resume", "force", "json", NULL};

static bool is_plain(const char *word)
{
    return *word && strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./=:,+%@-") ==
                        strlen(word);
}

/* Appends the word, quoted where a shell would change it; returns the end.  At most 4 bytes a character and 4. */
static char *quote(char *to, const char *word)
{
    const bool plain = is_plain(word);
    *to++ = ' ';
    if (!plain)
        *to++ = '\'';
    for (; *word; ++word) {
        if (*word == '\'') {
            memcpy(to, "'\\''", 4);
            to += 4;
        } else {
            *to++ = *word;
        }
    }
    if (!plain)
        *to++ = '\'';
    *to = 0;
    return to;
}

/* How many words the option at argv[0] and its value are. */
static int length_of(const clv_option *table, const char *name, size_t n)
{
    for (; table->name; ++table)
        if (strlen(table->name) == n && strncmp(table->name, name, n) == 0)
            return table->kind == CLV_OPTION_FLAG || name[n] == '=' ? 1 : 2;
    return 1;
}

static bool is_own(const char *name, size_t n)
{
    for (int i = 0; own[i]; ++i)
        if (strlen(own[i]) == n && strncmp(own[i], name, n) == 0)
            return true;
    return false;
}

char *clv_sweep_words(const clv_option *table, int argc, char **argv)
{
    size_t size = 1;
    for (int i = 0; i < argc; ++i)
        size += 4 * strlen(argv[i]) + 4;
    char *text = clv_alloc(size, 1), *end = text;
    bool options = true;
    for (int i = 0, n; text && i < argc; i += n) {
        const char *name = argv[i] + 2;
        const bool option = options && strncmp(argv[i], "--", 2) == 0 && *name;
        n = option ? length_of(table, name, strcspn(name, "=")) : 1;
        options = options && strcmp(argv[i], "--") != 0;
        for (int k = 0; k < n && i + k < argc && !(option && is_own(name, strcspn(name, "="))); ++k)
            end = quote(end, argv[i + k]);
    }
    return text;
}

char *clv_sweep_command(const clv_sweep_job *job, const char *out, const char *how)
{
    const size_t size = strlen(job->words) + 4 * strlen(out) + 100;
    char *text = clv_alloc(size, 1), *end = text;
    if (!text)
        return NULL;
    end += snprintf(text, size, "cleave sweep");
    if (job->shards > 1)
        end += snprintf(end, size - (size_t)(end - text), " --shard %d/%d", job->shard, job->shards);
    end += snprintf(end, size - (size_t)(end - text), " --out");
    end = quote(end, out);
    snprintf(end, size - (size_t)(end - text), " --%s%s", how, job->words);
    return text;
}
