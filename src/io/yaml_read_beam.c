/* SPDX-License-Identifier: Apache-2.0
 * The built-in beam of a model file: material, section, families of modes, nodes at distances from the frame. */
#include "base/memory.h"
#include "io/yaml_read_flex.h"
#include "flexible/flex_beam.h"
#include <stdio.h>
#include <string.h>

enum { MOST_NODES = 100 };

/* Exactly one kind of section. */
static bool read_section(clv_entry *e, clv_beam_section *s)
{
    const clv_value *tube = CLV_VALUE(e, BEAM, TUBE), *rectangle = CLV_VALUE(e, BEAM, RECTANGLE);
    const clv_value *area = CLV_VALUE(e, BEAM, AREA), *Iy = CLV_VALUE(e, BEAM, IY), *Iz = CLV_VALUE(e, BEAM, IZ),
                    *It = CLV_VALUE(e, BEAM, IT);
    bool numbers = area->node || Iy->node || Iz->node || It->node;
    const char *form = "give one of `tube: [0.02, 0.018]`, `rectangle: [0.05, 0.002]`, or area, I_y and I_z";
    if (!!tube->node + !!rectangle->node + numbers != 1 || (numbers && !(area->node && Iy->node && Iz->node)))
        clv_entry_fail(e, NULL, NULL, form, "a beam has exactly one section, given completely");
    else if (tube->node && !(tube->x[0] > tube->x[1]))
        clv_entry_fail(e, tube, "tube", "outer radius first", "the outer radius %g m is not above the inner, %g m",
                       tube->x[0], tube->x[1]);
    else
        *s = tube->node        ? clv_beam_tube(tube->x[0], tube->x[1])
             : rectangle->node ? clv_beam_rectangle(rectangle->x[0], rectangle->x[1])
                               : (clv_beam_section){area->x[0], Iy->x[0], Iz->x[0], It->x[0]};
    return e->good;
}

static void fill_stiffness(const clv_entry *e, const clv_beam_section *s, clv_beam *beam)
{
    double young = CLV_VALUE(e, BEAM, YOUNG)->x[0], shear = CLV_VALUE(e, BEAM, SHEAR)->x[0],
           density = CLV_VALUE(e, BEAM, DENSITY)->x[0];
    beam->length = CLV_VALUE(e, BEAM, LENGTH)->x[0];
    beam->mass = density * s->area;
    beam->polar = density * (s->Iy + s->Iz);
    beam->stiffness[CLV_BEAM_BEND_Y] = young * s->Iz;
    beam->stiffness[CLV_BEAM_BEND_Z] = young * s->Iy;
    beam->stiffness[CLV_BEAM_TWIST] = shear * s->It;
    beam->stiffness[CLV_BEAM_STRETCH] = young * s->area;
}

static void read_families(clv_entry *e, const clv_value *v, clv_beam *beam)
{
    clv_entry m;
    char path[160];
    clv_path_join(path, sizeof path, e->path, "modes");
    if (!clv_entry_read_in(&m, e, v->node, NULL, CLV_IN_BEAM_MODES, path)) {
        e->good = false;
        return;
    }
    m.name = v->node;
    int total = 0;
    for (int k = 0; k < CLV_BEAM_FAMILIES; ++k) {
        const clv_schema_row *row = &clv_schema[m.first + k]; /* families stand in this order */
        if (m.value[k].x[0] > CLV_BEAM_MOST)
            clv_entry_fail(&m, &m.value[k], row->key, "a beam bends with its lowest modes; 2 to 6 are usual",
                           "at most %d modes of a family, found %g", CLV_BEAM_MOST, m.value[k].x[0]);
        else
            total += beam->modes[k] = (int)m.value[k].x[0];
    }
    if (m.good && total == 0)
        clv_entry_fail(&m, NULL, NULL, "write `modes: {bend_y: 2, bend_z: 2}`",
                       "a flexible body needs at least one mode");
    e->good = e->good && m.good;
}

static bool read_modes(clv_entry *e, clv_beam *beam)
{
    const clv_value *modes = CLV_VALUE(e, BEAM, MODES), *basis = CLV_VALUE(e, BEAM, BASIS);
    const char *text = clv_value_text(e, basis);
    if (modes->node->kind == CLV_YAML_MAP)
        read_families(e, modes, beam);
    else if (modes->x[0] > 3 * CLV_BEAM_MOST)
        clv_entry_fail(e, modes, "modes", "a beam bends with its lowest modes; 4 to 12 are usual",
                       "at most %d modes, found %g", 3 * CLV_BEAM_MOST, modes->x[0]);
    else
        clv_beam_share(beam, (int)modes->x[0]);
    if (text && strcmp(text, "clamped-free") != 0 && strcmp(text, "craig-bampton") != 0)
        clv_entry_fail(e, basis, "basis", "craig-bampton or clamped-free", "unknown basis '%.80s'", text);
    beam->clamped_free = text && strcmp(text, "clamped-free") == 0;
    if (e->good && beam->modes[CLV_BEAM_TWIST] > 0 && !(beam->stiffness[CLV_BEAM_TWIST] > 0))
        clv_entry_fail(e, modes, "modes", "add `shear: 2.7e10` (and I_t, if the section is given by numbers)",
                       "twist needs the shear modulus and a torsion constant");
    return e->good;
}

/* Names and distances; one node `tip` if none are given. */
static bool read_nodes(clv_entry *e, clv_beam *beam, char *name[MOST_NODES], double at[MOST_NODES])
{
    const clv_value *v = CLV_VALUE(e, BEAM, NODES);
    const clv_schema_row *row = &clv_schema[CLV_KEY_BEAM_NODES];
    int alternative;
    if (!v->node) {
        at[0] = beam->length;
        beam->nnode = (name[0] = clv_copy_text("tip")) != NULL;
        if (!name[0])
            clv_read_out_of_memory(e->reader);
        return name[0] != NULL;
    }
    if (v->node->count > MOST_NODES) {
        clv_entry_fail(e, v, "nodes", "name the points where something is attached", "at most %d nodes, found %u",
                       MOST_NODES, v->node->count);
        return false;
    }
    for (const clv_yaml_node *key = clv_node(e->reader, v->node->first), *x; key; key = clv_node(e->reader, x->next)) {
        x = clv_node(e->reader, key->next);
        if (!clv_node_name(e, key, "nodes", &name[beam->nnode]))
            return false;
        double *to = &at[beam->nnode++];
        if (!clv_read_number(e, x, row, to, &alternative))
            return false;
        if (!(*to >= 0 && *to <= beam->length)) {
            clv_key_fail(e, x, row, "a node must be between 0 and the length %g m; this one is at %g m", beam->length,
                         *to);
            return false;
        }
    }
    return true;
}

bool clv_read_beam(clv_entry *flexible, const clv_value *v, clv_flex_body *b)
{
    clv_entry e;
    clv_beam beam = {0};
    clv_beam_section section = {0};
    char path[160], *name[MOST_NODES] = {0};
    double at[MOST_NODES];
    bool made = false;
    clv_path_join(path, sizeof path, flexible->path, "beam");
    if (clv_entry_read_in(&e, flexible, v->node, NULL, CLV_IN_BEAM, path)) {
        e.name = v->node;
        if (read_section(&e, &section)) {
            fill_stiffness(&e, &section, &beam);
            if (read_modes(&e, &beam) && read_nodes(&e, &beam, name, at)) {
                beam.name = (const char *const *)name;
                beam.at = at;
                if (!(made = clv_beam_make(b, &beam, 0)))
                    clv_read_out_of_memory(e.reader);
            }
        }
    }
    for (int i = 0; i < MOST_NODES; ++i)
        clv_free(name[i]);
    flexible->good = flexible->good && e.good && made;
    return made;
}
