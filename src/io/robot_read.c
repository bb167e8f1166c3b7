/* SPDX-License-Identifier: Apache-2.0
 * Reading a robot (URDF, MJCF, SDF) with options for what its file leaves open. */
#include "base/error.h"
#include "base/memory.h"
#include "io/yaml_read.h"
#include "model/model.h"

static bool word_fails(clv_error *e, const char *option, const char *word)
{
    if (!word || clv_robot_word_known(word))
        return false;
    clv_fail(e, CLV_ERR_USAGE, "%s '%s': give none, rigid, or a stiffness > 0", option, word);
    return true;
}

static bool options_fail(clv_error *e, const clv_robot_options *o)
{
    if (word_fails(e, "stops", o->stops) || word_fails(e, "contacts", o->contacts))
        return true;
    if (o->floor && !clv_robot_floor_known(o->floor))
        return clv_fail(e, CLV_ERR_USAGE, "floor '%s': give a height in m", o->floor), true;
    return false;
}

clv_status clv_model_read_robot_text(clv_model **model, const char *text, size_t size, const char *file_name,
                                     const clv_robot_options *options)
{
    const clv_robot_options none = {0}, *o = options ? options : &none;
    clv_error e;
    if (!model)
        return CLV_ERR_USAGE;
    clv_error_clear(&e);
    if (options_fail(&e, o))
        return clv_model_failed(model, &e);
    clv_status status = clv_model_read_any(model, text, size, file_name, o->lenient, o, NULL, 0);
    if (status == CLV_OK && !(*model)->imported) {
        clv_model_destroy(*model);
        clv_fail(&e, CLV_ERR_USAGE, "%s is a model already, no URDF, MJCF or SDF", file_name ? file_name : "the text");
        status = clv_model_failed(model, &e);
    }
    return status;
}

clv_status clv_model_read_robot(clv_model **model, const char *path, const clv_robot_options *options)
{
    size_t size;
    char *text;
    clv_status status = clv_model_open(model, path, &text, &size);
    if (status != CLV_OK)
        return status;
    status = clv_model_read_robot_text(model, text, size, path, options);
    clv_free(text);
    return status == CLV_OK ? clv_visuals_find(*model) : status;
}
