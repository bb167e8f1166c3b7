/* SPDX-License-Identifier: Apache-2.0
 * A file of modes beside the model file: a text of its own, read by a reader of its own, so that its mistakes have
 * their place in it. */
#include "base/error.h"
#include "base/memory.h"
#include "io/yaml_read_flex.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* Beside the model file. */
static bool path_beside(const clv_reader *r, const char *name, char *path, size_t size)
{
    const char *own = r->model->file ? r->model->file : "", *slash = strrchr(own, '/');
    int n = *name == '/' || !slash ? snprintf(path, size, "%s", name)
                                   : snprintf(path, size, "%.*s/%s", (int)(slash - own), own, name);
    return n >= 0 && (size_t)n < size;
}

static char *load(clv_entry *e, const clv_value *v, const char *path, size_t *size)
{
    struct stat status;
    clv_error error;
    clv_error_clear(&error);
    const char *hint = "`cleave flex reduce` writes such files; the name is relative to the model file";
    if (stat(path, &status) != 0)
        clv_entry_fail(e, v, "file", hint, "cannot open %s: %s", path, strerror(errno));
    else if (!S_ISREG(status.st_mode))
        clv_entry_fail(e, v, "file", hint, "%s is not a file", path);
    else {
        char *text = clv_model_load(&error, path, size);
        if (error.code == CLV_ERR_MEMORY)
            clv_read_out_of_memory(e->reader);
        else if (error.code != CLV_OK)
            clv_entry_fail(e, v, "file", hint, "%s", error.message);
        return text;
    }
    return NULL;
}

/* Does a line of the text begin with the key `flex`?  A file that does not is none of ours: nothing of it is shown. */
static bool is_of_modes(const char *text, size_t size)
{
    static const char key[] = "flex";
    for (size_t i = 0; i < size; ++i) {
        while (i < size && strchr(" {\"'", text[i]) && text[i])
            ++i;
        size_t k = 0;
        while (key[k] && i < size && text[i] == key[k])
            ++i, ++k;
        while (!key[k] && i < size && strchr(" \"'", text[i]) && text[i])
            ++i;
        if (!key[k] && i < size && text[i] == ':')
            return true;
        while (i < size && text[i] != '\n')
            ++i;
    }
    return false;
}

/* Reads the text by a reader of its own, whose errors then are the model's, with the place in that file. */
static bool read_text(clv_reader *sub, const char *text, size_t size, clv_flex_body *b, bool *damped)
{
    clv_entry e;
    if (!clv_yaml_tree_read(sub, text, size))
        return false;
    if (!clv_entry_read(&e, sub, clv_node(sub, 1), NULL, CLV_IN_MODAL, ""))
        return false;
    if (!CLV_VALUE(&e, MODAL, VERSION)->node) {
        clv_entry_fail(&e, NULL, "flex", "add `flex: 1`", "the key 'flex' is missing: it marks a file of modes");
        return false;
    }
    *damped = CLV_VALUE(&e, MODAL, DAMPING)->node != NULL;
    return clv_read_modal(&e, b);
}

bool clv_read_modal_file(clv_entry *flexible, const clv_value *v, clv_flex_body *b, bool *damped)
{
    char path[1024];
    size_t size;
    bool good = false;
    if (!path_beside(flexible->reader, clv_value_text(flexible, v), path, sizeof path)) {
        clv_entry_fail(flexible, v, "file", "choose a shorter name", "the name of the file is too long");
        return false;
    }
    char *text = load(flexible, v, path, &size);
    bool ours = text && is_of_modes(text, size);
    if (text && !ours)
        clv_entry_fail(flexible, v, "file", "`cleave flex reduce` writes such files; they begin with `flex: 1`",
                       "%s is not a file of modes: it has no line `flex: 1`", path);
    clv_reader *sub = ours && clv_model_note_side(flexible->reader->model, path) ? clv_alloc(1, sizeof *sub) : NULL;
    if (ours && !sub)
        clv_read_out_of_memory(flexible->reader);
    if (sub) {
        sub->model = flexible->reader->model;
        clv_error_text(sub->file, sizeof sub->file, path);
        good = read_text(sub, text, size, b, damped);
        clv_read_errors_join(flexible->reader, sub);
        clv_yaml_tree_free(&sub->tree);
        clv_free(sub->error);
        clv_free(sub);
    }
    clv_free(text);
    return flexible->good = flexible->good && good;
}

clv_status clv_flex_text_check(clv_error *e, const char *text, size_t size)
{
    clv_model *m;
    clv_flex_body b = {0};
    bool damped;
    clv_reader *r = clv_alloc(1, sizeof *r);
    clv_status status = r ? clv_model_create(&m, "") : CLV_ERR_MEMORY;
    if (status != CLV_OK) {
        clv_free(r);
        return clv_fail(e, status, "out of memory");
    }
    r->model = m;
    if (read_text(r, text, size, &b, &damped))
        clv_flex_body_close(&b);
    status = clv_read_errors_hand_over(r);
    if (status != CLV_OK)
        *e = m->last;
    clv_yaml_tree_free(&r->tree);
    clv_free(r->error);
    clv_free(r);
    clv_model_destroy(m);
    return status;
}
