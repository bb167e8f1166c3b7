/* SPDX-License-Identifier: Apache-2.0
 * Pairs of shapes that touch, as text and JSON; see contacts.h. */
#include "cli/contacts.h"
#include "base/memory.h"
#include "cli/summary.h"
#include "cli/tone.h"
#include "model/model.h"
#include <math.h>

enum { SHOWN = 40 }; /* rows of the table */

static bool any_contact(const clv_model *m)
{
    for (int i = 0; i < m->nforce; ++i)
        if (m->force[i].kind == CLV_FORCE_CONTACT || m->force[i].kind == CLV_FORCE_CONTACTS)
            return true;
    return false;
}

/* All pairs that touch, to be freed; NULL and *n = 0: none, or *status says why. */
static clv_contact_pair *find(const clv_subject *s, int *n, clv_status *status)
{
    clv_contact_pair *pair = NULL;
    *n = 0, *status = CLV_OK;
    if (!any_contact(s->model))
        return NULL;
    *status = clv_sim_contacts(s->sim, 0, NULL, n);
    if (*status == CLV_OK && *n > 0)
        pair = clv_alloc((size_t)*n, sizeof *pair);
    if (pair)
        *status = clv_sim_contacts(s->sim, *n, pair, n);
    else if (*status == CLV_OK && *n > 0)
        *status = CLV_ERR_MEMORY;
    *n = pair && *status == CLV_OK ? *n : 0;
    return pair;
}

static const char *name_of(const clv_model *m, int body, int shape)
{
    return shape >= 0 ? m->shape[shape].name : body == CLV_GROUND ? "plane" : m->body[body].name;
}

static const char *first(const clv_model *m, const clv_contact_pair *p) { return name_of(m, p->a, p->shape_a); }
static const char *second(const clv_model *m, const clv_contact_pair *p) { return name_of(m, p->b, p->shape_b); }

clv_status clv_contacts_print(const clv_subject *s)
{
    clv_status status;
    int n;
    clv_contact_pair *pair = find(s, &n, &status);
    if (n > 0) {
        printf("\n%scontacts: force on the second body (global axes), normal force, depth, slip%s\n",
               clv_tone_begin(CLV_TONE_BOLD), clv_tone_begin(CLV_TONE_PLAIN));
        printf("  %-12s %-12s %-12s %6s %12s %12s %12s %12s %10s %10s\n", "", "first", "second", "points", "Fx [N]",
               "Fy [N]", "Fz [N]", "normal [N]", "depth [m]", "slip [m/s]");
    }
    for (int i = 0; i < n && i < SHOWN; ++i) {
        const clv_contact_result *r = &pair[i].result;
        printf("  %-12s %-12s %-12s %6d %12.6g %12.6g %12.6g %12.6g %10.3g %10.3g\n",
               s->model->force[pair[i].force].name, first(s->model, &pair[i]), second(s->model, &pair[i]),
               r->points, r->force[0], r->force[1], r->force[2], r->normal_force, r->depth, r->slip);
    }
    if (n > SHOWN)
        printf("  and %d more (--json has all)\n", n - SHOWN);
    clv_free(pair);
    return status;
}

void clv_contacts_print_line(const clv_subject *s)
{
    clv_status status;
    int n, deepest = 0;
    clv_contact_pair *pair = find(s, &n, &status);
    if (status == CLV_OK && any_contact(s->model)) {
        for (int i = 0; i < n; ++i)
            deepest = pair[i].result.depth > pair[deepest].result.depth ? i : deepest;
        clv_label("contacts");
        printf("%d pair%s of shapes touch%s at the start", n, n == 1 ? "" : "s", n == 1 ? "es" : "");
        if (n > 0)
            printf("; '%s' and '%s' by %.3g m", first(s->model, &pair[deepest]), second(s->model, &pair[deepest]),
                   pair[deepest].result.depth);
        printf("\n");
    }
    clv_free(pair);
}

clv_status clv_contacts_json(clv_json *j, const clv_subject *s)
{
    clv_status status;
    int n;
    clv_contact_pair *pair = find(s, &n, &status);
    if (status == CLV_OK && any_contact(s->model)) {
        clv_json_array(j, "contacts");
        for (int i = 0; i < n; ++i) {
            const clv_contact_result *r = &pair[i].result;
            clv_json_object(j, NULL);
            clv_json_text(j, "contact", s->model->force[pair[i].force].name);
            clv_json_text(j, "first", pair[i].a == CLV_GROUND ? "ground" : s->model->body[pair[i].a].name);
            clv_json_text(j, "second", s->model->body[pair[i].b].name);
            if (pair[i].shape_a >= 0)
                clv_json_text(j, "first_shape", s->model->shape[pair[i].shape_a].name);
            if (pair[i].shape_b >= 0)
                clv_json_text(j, "second_shape", s->model->shape[pair[i].shape_b].name);
            clv_json_integer(j, "points", r->points);
            clv_json_numbers(j, "force", r->force, 3);
            clv_json_number(j, "normal_force", r->normal_force);
            clv_json_number(j, "depth", r->depth);
            clv_json_numbers(j, "point", r->point, 3);
            clv_json_number(j, "slip", r->slip);
            clv_json_end(j);
        }
        clv_json_end(j);
    }
    clv_free(pair);
    return status;
}
