/* SPDX-License-Identifier: Apache-2.0
 * cleave new: writes an example as a model file to start from.  A file that exists is kept unless --force is given. */
#include "cli/command.h"
#include "base/memory.h"
#include "base/text.h"
#include "cli/file.h"
#include "io/yaml_write.h"
#include <string.h>

typedef struct new_settings {
    bool force;
} new_settings;

static const clv_option options[] = {
    {"force", CLV_OPTION_FLAG, offsetof(new_settings, force), NULL, "replace an existing file", 0, 0, false},
    {0},
};

/* NAME.yaml for NAME; a name that ends so already stays. */
static void file_name(char *path, size_t size, const char *name)
{
    size_t n = strlen(name);
    bool ready = n > 5 && strcmp(name + n - 5, ".yaml") == 0;
    snprintf(path, size, "%s%s", name, ready ? "" : ".yaml");
}

/* Moves the word example=NAME to the front of the model's words, so that they read like a MODEL. */
static void model_words(clv_words *model, const clv_words *words)
{
    *model = (clv_words){1, {"hdca-case1"}};
    for (int i = 1; i < words->n; ++i) {
        if (strncmp(words->word[i], "example=", 8) == 0)
            model->word[0] = words->word[i] + 8;
        else
            model->word[model->n++] = words->word[i];
    }
}

/* The text of the model: the file of an example as it is, with its comments and parameters.  Else, and where parameters
 * were given, the finished model written out (to be freed). */
static clv_status model_text(const clv_subject *s, const char **text, char **made)
{
    *text = NULL;
    for (int i = 0; s->ngiven == 0 && !s->file && clv_example_name(i) && !*text; ++i)
        if (strcmp(clv_example_name(i), s->source) == 0)
            *text = clv_example_source(i);
    if (*text)
        return CLV_OK;
    clv_status status = clv_model_write_text(s->model, made, NULL);
    *text = *made;
    return status;
}

static int command(const clv_command *self, int argc, char **argv)
{
    clv_words words, model;
    new_settings set = {0};
    char path[1024], *made = NULL;
    const char *text;
    clv_subject s = {.command = "new"};
    clv_exit code = clv_command_read(self, &set, &words, 1, CLV_WORDS_MAX, argc, argv);
    if (code != CLV_EXIT_DONE)
        return code;
    for (int i = 1; i < words.n; ++i)
        if (!strchr(words.word[i], '='))
            return clv_tell("new", false, CLV_EXIT_USAGE,
                            "'%s' is not key=value\n  hint: one name, that of the new file, then the example: "
                            "cleave new mine example=loader",
                            words.word[i]);
    file_name(path, sizeof path, words.word[0]);
    model_words(&model, &words);
    code = clv_subject_model(&s, &model);
    if (code == CLV_EXIT_DONE) {
        clv_status status = model_text(&s, &text, &made);
        const clv_output_rule rule = {.force = set.force};
        code = status == CLV_OK ? clv_file_write("new", path, text, strlen(text), &rule)
                                : clv_tell("new", false, clv_exit_of(status, false), "%s", clv_status_text(status));
    }
    if (code == CLV_EXIT_DONE) {
        char word[CLV_TEXT_WORD];
        const char *name = clv_text_word(path, word);
        printf("%s is written.  Next: cleave check %s; cleave run %s\n", path, name, name);
    }
    clv_free(made);
    clv_subject_close(&s);
    return code;
}

const clv_command clv_command_new = {
    "new", "NAME [example=NAME] [key=value ...]", "write a model file to start from",
    "  cleave new mine\n"
    "  cleave new long example=chain links=50\n"
    "\n"
    "Writes NAME.yaml, a copy of an example (default: hdca-case1) to edit.  With parameters, their values\n"
    "are written in place of formulas.  An existing file is kept unless --force is given.  What such a\n"
    "file may hold: docs/model-file.md.",
    options, command,
};
