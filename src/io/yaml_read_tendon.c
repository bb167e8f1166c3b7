/* SPDX-License-Identifier: Apache-2.0
 * Forces of kind tendon (T114): a path over points, or a sum of joint coordinates; of kind drag (T115). */
#include "base/memory.h"
#include "io/yaml_read.h"
#include <string.h>

/* One point: [body, [x, y, z]]. */
static bool read_point(clv_entry *e, const clv_yaml_node *n, clv_path_point *to)
{
    const clv_schema_row *key = &clv_schema[CLV_KEY_TENDON_PATH];
    const clv_yaml_node *body = n->kind == CLV_YAML_LIST && n->count == 2 ? clv_node(e->reader, n->first) : NULL,
                        *at = body ? clv_node(e->reader, body->next) : NULL;
    int unit, k = 0;
    if (!body || body->kind != CLV_YAML_SCALAR || at->kind != CLV_YAML_LIST || at->count != 3) {
        clv_key_fail(e, n, key, "a point of the path is not [body, [x, y, z]]");
        return false;
    }
    if (!clv_find_body(e, body, "path", true, &to->body))
        return false;
    for (const clv_yaml_node *x = clv_node(e->reader, at->first); x; x = clv_node(e->reader, x->next))
        if (!clv_read_number(e, x, key, &to->position[k++], &unit))
            return false;
    return true;
}

static void read_path(clv_entry *e, clv_force_desc *d, clv_path_point *point)
{
    const clv_value *v = CLV_VALUE(e, TENDON, PATH);
    if (v->node->kind != CLV_YAML_LIST || v->node->count < 2 || v->node->count > CLV_COUPLING_MOST) {
        clv_entry_fail(e, v, "path", "write `path: [[ground, [0, 0, 1]], [arm, [0.2, 0, 0]]]`",
                       "a path is a list of 2 to %d points", CLV_COUPLING_MOST);
        return;
    }
    for (const clv_yaml_node *n = clv_node(e->reader, v->node->first); n; n = clv_node(e->reader, n->next))
        if (!read_point(e, n, &point[d->npoint++])) {
            e->good = false;
            return;
        }
    d->path = point;
}

static void read_limits(clv_entry *e, clv_stop *x)
{
    const clv_value *lower = CLV_VALUE(e, TENDON, LOWER), *upper = CLV_VALUE(e, TENDON, UPPER),
                    *exponent = CLV_VALUE(e, TENDON, STOP_EXPONENT);
    if (lower->node)
        x->lower = lower->x[0];
    if (upper->node)
        x->upper = upper->x[0];
    if (exponent->node)
        x->exponent = exponent->x[0];
    x->stiffness = CLV_VALUE(e, TENDON, STOP_STIFFNESS)->x[0];
    x->dissipation = CLV_VALUE(e, TENDON, STOP_DISSIPATION)->x[0];
}

bool clv_make_tendon(clv_entry *e, clv_force_desc *d)
{
    const clv_value *path = CLV_VALUE(e, TENDON, PATH), *of = CLV_VALUE(e, TENDON, OF),
                    *drive = CLV_VALUE(e, TENDON, DRIVE);
    clv_path_point point[CLV_COUPLING_MOST];
    clv_coupling_term term[CLV_COUPLING_MOST];
    double *storage = NULL;
    if ((path->node != NULL) == (of->node != NULL))
        clv_entry_fail(e, path->node ? path : NULL, "path",
                       "write `path: [[ground, [0, 0, 1]], [arm, [0.2, 0, 0]]]` or `of: {a: 1, b: -2}`",
                       path->node ? "'path' and 'of' exclude each other" : "'path' or 'of' is missing");
    else if (path->node)
        read_path(e, d, point);
    else
        d->term = term, d->nterm = clv_read_terms(e, of, &clv_schema[CLV_KEY_TENDON_OF], "tendon",
                                                  "write `of: {a: 1, b: -2}`", term);
    d->stiffness = CLV_VALUE(e, TENDON, STIFFNESS)->x[0];
    d->damping = CLV_VALUE(e, TENDON, DAMPING)->x[0];
    d->rest = CLV_VALUE(e, TENDON, LENGTH)->x[0];
    d->drive = drive->count ? drive->x[0] : 0;
    read_limits(e, &d->stop);
    clv_value_table(e, drive, "drive", 1, false, &d->table, &storage);
    const bool made = e->good && clv_item_made(e, clv_model_add_force(e->reader->model, NULL, d), CLV_A_FORCE);
    clv_free(storage);
    return made;
}

/* ------------------------------------------------------------------ drag */

/* Three numbers, or one for all. */
static void take_three(double x[3], const clv_value *v)
{
    for (int i = 0; v->node && i < 3; i++)
        x[i] = v->x[v->count > 1 ? i : 0];
}

/* density x area x drag coefficient / 2, all or none of them */
static void add_area(clv_entry *e, clv_drag *x)
{
    const clv_value *density = CLV_VALUE(e, DRAG, DENSITY), *area = CLV_VALUE(e, DRAG, AREA),
                    *coefficient = CLV_VALUE(e, DRAG, COEFFICIENT);
    double a[3] = {0}, c[3] = {0};
    if (!density->node && !area->node && !coefficient->node)
        return;
    if (!density->node || !area->node || !coefficient->node) {
        clv_entry_fail(e, area->node ? area : coefficient->node ? coefficient : density, "area",
                       "write `density: 1.2, area: 0.5, drag_coefficient: 1.1`, or `quadratic: 0.33`",
                       "'density', 'area' and 'drag_coefficient' belong together");
        return;
    }
    take_three(a, area), take_three(c, coefficient);
    for (int i = 0; i < 3; i++)
        x->quadratic[i] += 0.5 * density->x[0] * a[i] * c[i];
}

bool clv_make_drag(clv_entry *e, clv_force_desc *d)
{
    const clv_value *frame = CLV_VALUE(e, DRAG, FRAME);
    const char *text = clv_value_text(e, frame);
    clv_drag *x = &d->drag;
    clv_find_body(e, CLV_VALUE(e, DRAG, BODY)->node, "body", false, &d->b);
    memcpy(d->point_b, CLV_VALUE(e, DRAG, POINT)->x, sizeof d->point_b);
    take_three(x->linear, CLV_VALUE(e, DRAG, LINEAR)), take_three(x->quadratic, CLV_VALUE(e, DRAG, QUADRATIC));
    take_three(x->linear + 3, CLV_VALUE(e, DRAG, TURN_LINEAR));
    take_three(x->quadratic + 3, CLV_VALUE(e, DRAG, TURN_QUADRATIC));
    memcpy(x->fluid, CLV_VALUE(e, DRAG, FLUID)->x, sizeof x->fluid);
    add_area(e, x);
    x->frame = !text || strcmp(text, "flow") == 0 ? CLV_DRAG_FLOW
               : strcmp(text, "body") == 0        ? CLV_DRAG_BODY
                                                  : CLV_DRAG_GLOBAL;
    if (text && x->frame == CLV_DRAG_GLOBAL && strcmp(text, "global") != 0)
        clv_entry_fail(e, frame, "frame", "write `frame: flow`, `frame: body` or `frame: global`",
                       "unknown frame '%.80s'", text);
    for (int i = 1; x->frame == CLV_DRAG_FLOW && i < 6; i++)
        if (i != 3 && (x->linear[i] != x->linear[i / 3 * 3] || x->quadratic[i] != x->quadratic[i / 3 * 3])) {
            clv_entry_fail(e, frame, "frame", "write `frame: body` or `frame: global`, or one number for all axes",
                           "coefficients along axes need a frame");
            break;
        }
    return e->good && clv_item_made(e, clv_model_add_force(e->reader->model, NULL, d), CLV_A_FORCE);
}
