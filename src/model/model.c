/* SPDX-License-Identifier: Apache-2.0
 * The model itself: create and destroy, settings, names and counts.  Items are added by add_body.c and add_load.c. */
#include "model/model.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "math/rotation.h"
#include "model/add.h"
#include "model/coupling.h"
#include "model/curve.h"
#include "model/group.h"
#include "model/hull.h"
#include "model/inertia.h"
#include "model/keep.h"
#include "model/names.h"
#include "model/parameter.h"
#include <math.h>
#include <string.h>

clv_status clv_model_create(clv_model **model, const char *name)
{
    if (!model)
        return CLV_ERR_USAGE;
    *model = NULL;
    if (name && !clv_text_plain(name))
        return CLV_ERR_USAGE;
    clv_model *m = clv_alloc(1, sizeof *m);
    if (!m)
        return CLV_ERR_MEMORY;
    m->name = clv_copy_text(name ? name : "");
    m->keep = clv_keep_create();
    m->names = m->keep ? clv_names_create(m->keep) : NULL;
    m->gravity[2] = -9.81;
    m->error_mark = -1;
    clv_error_clear(&m->last);
    if (!m->name || !m->names) {
        clv_model_destroy(m);
        return CLV_ERR_MEMORY;
    }
    *model = m;
    return CLV_OK;
}

void clv_model_destroy(clv_model *m)
{
    if (!m)
        return;
    for (int i = 0; i < m->nbody; i++)
        clv_hull_free(m->body[i].hull);
    for (int i = 0; i < m->njoint; i++)
        clv_curve_free(m->joint[i].more->curve);
    for (int i = 0; i < m->nforce; i++)
        clv_series_free(&m->force[i].table), clv_series_free(&m->force[i].spring), clv_series_free(&m->force[i].damper),
            clv_free(m->force[i].path), clv_free(m->force[i].term), clv_touch_group_free(m->force[i].group);
    for (int i = 0; i < m->nmotion; i++)
        clv_series_free(&m->motion[i].table);
    for (int i = 0; i < m->ncoupling; i++)
        clv_coupling_free(&m->coupling[i]);
    for (int i = 0; i < m->nevent; i++)
        clv_free(m->event[i].release);
    for (int i = 0; i < m->nvisual; i++)
        clv_free(m->visual[i].mesh), clv_free(m->visual[i].path);
    for (int i = 0; i < m->nshape; i++)
        clv_hull_free(m->shape[i].hull);
    for (int i = 0; i < m->nflex; i++)
        clv_flex_free(&m->flex[i]);
    for (int i = 0; i < m->nside; i++)
        clv_free(m->side[i]);
    clv_model_free_parameters(m);
    clv_model_free_dropped(m);
    void *list[] = {m->flex,   m->body,  m->joint, m->force, m->motion, m->coupling, m->marker,
                    m->branch, m->input, m->side,  m->error, m->name,   m->file,     m->event,
                    m->visual, m->shape};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        clv_free(list[i]);
    clv_names_destroy(m->names), clv_keep_destroy(m->keep);
    clv_free(m);
}

bool clv_model_note_side(clv_model *m, const char *path)
{
    char **more = clv_resize(m->side, (size_t)m->nside + 1, sizeof *more), *copy = clv_copy_text(path);
    if (more)
        m->side = more;
    if (!more || !copy) {
        clv_free(copy);
        return false;
    }
    m->side[m->nside++] = copy;
    return true;
}

clv_status clv_model_set_lenient(clv_model *m, int lenient)
{
    if (!m)
        return CLV_ERR_USAGE;
    if (m->finished)
        return clv_fail(&m->last, CLV_ERR_USAGE, "the model is finished: nothing can be set any more");
    m->lenient = lenient != 0;
    return CLV_OK;
}

int clv_model_clipped(const clv_model *m, int body, double given[3], double used[3])
{
    if (!m || body < 0 || body >= m->nbody || !m->body[body].clipped)
        return 0;
    if (given)
        clv_copy3(given, m->body[body].clipped);
    if (used)
        clv_principal_moments(used, m->body[body].J);
    return 1;
}

clv_status clv_model_set_gravity(clv_model *m, const double gravity[3])
{
    if (!m)
        return CLV_ERR_USAGE;
    if (m->finished || !gravity)
        return clv_fail(&m->last, CLV_ERR_USAGE, m->finished ? "the model is finished and cannot be changed"
                                                             : "gravity is a NULL pointer");
    for (int i = 0; i < 3; i++)
        if (!isfinite(gravity[i]))
            return clv_fail(&m->last, CLV_ERR_MODEL, "gravity is not finite");
    clv_copy3(m->gravity, gravity);
    return CLV_OK;
}

clv_status clv_model_set_start_strained(clv_model *m, bool strained)
{
    if (!m)
        return CLV_ERR_USAGE;
    if (m->finished)
        return clv_fail(&m->last, CLV_ERR_USAGE, "the model is finished and cannot be changed");
    m->strained = strained;
    return CLV_OK;
}

const char *clv_model_name(const clv_model *m) { return m ? m->name : NULL; }
int clv_model_body_count(const clv_model *m) { return m ? m->nbody : 0; }
int clv_model_joint_count(const clv_model *m) { return m ? m->njoint : 0; }
int clv_model_marker_count(const clv_model *m) { return m ? m->nmarker : 0; }
int clv_model_shape_count(const clv_model *m) { return m ? m->nshape : 0; }
const char *clv_model_shape_name(const clv_model *m, int shape)
{
    return m && shape >= 0 && shape < m->nshape ? m->shape[shape].name : NULL;
}
int clv_model_visual_count(const clv_model *m) { return m ? m->nvisual : 0; }
int clv_model_input_count(const clv_model *m) { return m ? m->ninput : 0; }
int clv_model_event_count(const clv_model *m) { return m ? m->nevent : 0; }
int clv_model_mode_count(const clv_model *m, int i)
{
    const clv_body *b = i >= 0 && i < clv_model_body_count(m) ? &m->body[i] : NULL;
    return b && b->flex >= 0 && b->node < 0 ? m->flex[b->flex].nmode : 0;
}
const char *clv_model_body_name(const clv_model *m, int i)
{
    return i >= 0 && i < clv_model_body_count(m) ? m->body[i].name : NULL;
}
const char *clv_model_joint_name(const clv_model *m, int i)
{
    return i >= 0 && i < clv_model_joint_count(m) ? m->joint[i].name : NULL;
}
const char *clv_model_marker_name(const clv_model *m, int i)
{
    return i >= 0 && i < clv_model_marker_count(m) ? m->marker[i].name : NULL;
}
int clv_model_find_body(const clv_model *m, const char *name)
{
    return m && name ? clv_names_find(m->names, CLV_NAME_BODY, name) : -1;
}
const char *clv_model_input_name(const clv_model *m, int i)
{
    return i >= 0 && i < clv_model_input_count(m) ? m->input[i].name : NULL;
}
const char *clv_model_event_name(const clv_model *m, int i)
{
    return i >= 0 && i < clv_model_event_count(m) ? m->event[i].name : NULL;
}
int clv_model_find_input(const clv_model *m, const char *name)
{
    return m && name ? clv_names_find(m->names, CLV_NAME_INPUT, name) : -1;
}
bool clv_model_start_input(clv_model *m, int i, double value)
{
    clv_input *x = &m->input[i];
    if (!(value >= x->limit[0] && value <= x->limit[1] && isfinite(value)))
        return false;
    x->value = value;
    return true;
}
void clv_model_input_limit(const clv_model *m, int i, double limit[2])
{
    const bool there = i >= 0 && i < clv_model_input_count(m);
    for (int k = 0; limit && k < 2; k++)
        limit[k] = there ? m->input[i].limit[k] : NAN;
}
int clv_model_find_joint(const clv_model *m, const char *name)
{
    return m && name ? clv_names_find(m->names, CLV_NAME_JOINT, name) : -1;
}
int clv_model_find_force(const clv_model *m, const char *name)
{
    return m && name ? clv_names_find(m->names, CLV_NAME_FORCE, name) : -1;
}
