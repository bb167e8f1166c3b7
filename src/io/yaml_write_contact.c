/* SPDX-License-Identifier: Apache-2.0
 * Contacts of two and of many bodies in a model file, see yaml_write_text.h. */
#include "io/yaml_write_text.h"
#include "model/group.h"

static void write_numbers(clv_writer *w, const clv_contact *c)
{
    clv_write_list_unless_zero(w, "point", c->point, 3);
    clv_write_list_unless_zero(w, "normal", c->normal, 3);
    clv_write_number_key(w, "stiffness", c->stiffness, 0);
    clv_write_number_key(w, "restitution", c->restitution, -1);
    clv_write_number_key(w, "exponent", c->exponent, 1.5);
    clv_write_number_key(w, "dissipation", c->dissipation, 0);
    clv_write_number_key(w, "static_friction", c->static_friction, 0);
    clv_write_number_key(w, "dynamic_friction", c->dynamic_friction, c->static_friction);
    clv_write_number_key(w, "viscous_friction", c->viscous_friction, 0);
    clv_write_number_key(w, "transition_speed", c->transition_speed, 0.01);
}

static const char *name_of(const clv_writer *w, int entry)
{
    return entry >= 0 ? w->m->body[entry].name : w->m->shape[-2 - entry].name;
}

static void write_names(clv_writer *w, const char *key, const int *body, int n)
{
    if (n == 0)
        return;
    clv_write_key(w, key);
    for (int k = 0; k < n; k++) {
        clv_write(w, "%s", k == 0 ? "[" : ", ");
        clv_write_name(w, name_of(w, body[k]));
    }
    clv_write(w, "]");
}

static void write_pairs(clv_writer *w, const clv_touch_group *g)
{
    if (g->nexcept == 0)
        return;
    clv_write_key(w, "except");
    for (int k = 0; k < 2 * g->nexcept; k++) {
        clv_write(w, "%s", k == 0 ? "[[" : k % 2 == 0 ? ", [" : ", ");
        clv_write_name(w, name_of(w, g->except[k]));
        clv_write(w, "%s", k % 2 == 0 ? "" : "]");
    }
    clv_write(w, "]");
}

void clv_write_contact(clv_writer *w, const clv_force *f)
{
    const clv_touch_group *g = f->group;
    if (g) {
        write_names(w, "among", g->first, g->nfirst);
        write_names(w, "with", g->second, g->nsecond);
        write_pairs(w, g);
        if (g->neighbours) {
            clv_write_key(w, "neighbours");
            clv_write(w, "true");
        }
        if (g->plane_only) {
            clv_write_key(w, "plane_only");
            clv_write(w, "true");
        }
        clv_write_number_key(w, "most", g->given, 0);
    }
    write_numbers(w, &f->contact);
}
