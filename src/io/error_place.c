/* SPDX-License-Identifier: Apache-2.0
 * A path says the group ("motions.m1.joint", "start.joints.a.q"); without one the name is looked for among joints,
 * motions, couplings, forces, then bodies.  Names may hold dots: a name ends where the path ends or a dot follows. */
#include "io/error_print.h"
#include "base/error.h"
#include "model/model.h"
#include <stdio.h>
#include <string.h>

typedef struct found {
    clv_place place;
    const char *group, *name;
} found;

/* Does `path` speak of `name`?  An empty path: is `name` the word that is meant? */
static bool speaks_of(const char *path, const char *wanted, const char *name)
{
    size_t n = strlen(name);
    if (!*path)
        return strcmp(wanted, name) == 0;
    return strncmp(path, name, n) == 0 && (path[n] == '\0' || path[n] == '.');
}

/* Rest of the path after `group.`, "" if there is no path at all, NULL if it is another group's. */
static const char *within(const char *path, const char *group)
{
    size_t n = strlen(group);
    if (!*path)
        return path;
    return strncmp(path, group, n) == 0 && path[n] == '.' ? path + n + 1 : NULL;
}

#define LOOK(group_, list, count, wanted, place_)                                                                      \
    do {                                                                                                               \
        const char *rest_ = within(path, group_);                                                                      \
        for (int i = 0; rest_ && !hit.name && (*rest_ || *(wanted)) && i < m->count; ++i)                              \
            if (speaks_of(rest_, wanted, m->list[i].name))                                                             \
                hit = (found){place_, group_, m->list[i].name};                                                        \
    } while (0)

static found find(const clv_model *m, const clv_error *e)
{
    bool start = strncmp(e->path, "start.", 6) == 0;
    const char *path = e->path + (start ? 6 : 0);
    found hit = {{0, 0}, NULL, NULL};
    LOOK("joints", joint, njoint, e->joint, start ? m->joint[i].start_place : m->joint[i].place);
    LOOK("motions", motion, nmotion, e->joint, m->motion[i].place);
    LOOK("couplings", coupling, ncoupling, e->joint, m->coupling[i].place);
    LOOK("forces", force, nforce, e->joint, m->force[i].place);
    LOOK("inputs", input, ninput, e->joint, m->input[i].place);
    LOOK("events", event, nevent, e->joint, m->event[i].place);
    LOOK("visuals", visual, nvisual, "", m->visual[i].place);
    LOOK("shapes", shape, nshape, "", m->shape[i].place);
    LOOK("bodies", body, nbody, e->body, start ? m->body[i].start_place : m->body[i].place);
    return hit;
}

void clv_error_place(clv_error *e, const clv_model *m)
{
    if (!m->file || e->line > 0)
        return;
    found hit = find(m, e);
    if (!hit.name || hit.place.line == 0)
        return;
    e->line = hit.place.line;
    e->column = hit.place.column;
    clv_error_text(e->file, sizeof e->file, m->file);
    if (!*e->path)
        snprintf(e->path, sizeof e->path, "%.30s.%.90s", hit.group, hit.name);
}
