/* SPDX-License-Identifier: Apache-2.0
 * What a model does not carry of the file it was read from.  Readers report what they know (limits, friction, meshes);
 * every element and attribute that no reader has looked at is reported here. */
#include "base/memory.h"
#include "io/import.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void clv_import_drop(clv_import *I, unsigned node, bool harmful, const char *kind, const char *format, ...)
{
    char text[400];
    va_list args;
    const clv_xml_node *n = &I->xml.node[node];
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (!clv_model_note_dropped(I->m, I->file[n->file], (int)n->line, (int)n->column, harmful, kind, text))
        clv_read_out_of_memory(I->r);
}

void clv_import_drop_limits(clv_import *I, const clv_rod *j)
{
    clv_import_drop(I, j->bounds, true, "position limit", "position limits of joint '%s': %g to %g", j->name,
                    j->bound[0], j->bound[1]);
}

void clv_import_limits(clv_import *I, unsigned node, clv_rod *j, double lower, double upper)
{
    const bool single = j->kind == CLV_JOINT_REVOLUTE || j->kind == CLV_JOINT_PRISMATIC;
    j->bound[0] = lower, j->bound[1] = upper, j->bounds = node;
    j->bounded = single && lower < upper;
    if (!j->bounded)
        clv_import_drop_limits(I, j);
}

/* ---------------------------------------------------------------- what nobody has looked at */

typedef struct tally { /* of a harmless thing */
    unsigned first;
    int n;
    const char *name;
    bool is_attribute;
} tally;

typedef struct unseen {
    clv_import *I;
    const char *const *harmless;
    tally *of; /* by harmless; NULL: each thing is an item */
} unseen;

/* Index in the list of harmless things, -1: none of them. */
static int find(const char *const *list, const char *element, const char *attribute)
{
    char name[200];
    snprintf(name, sizeof name, "%.90s%s%.90s", element, attribute ? "@" : "", attribute ? attribute : "");
    for (int i = 0; list[i]; i++)
        if (strcmp(list[i], name) == 0)
            return i;
    return -1;
}

static void count(tally *of, unsigned n, const char *name, bool is_attribute)
{
    if (of->n++ == 0)
        *of = (tally){n, 1, name, is_attribute};
}

static void drop_attributes(const unseen *u, unsigned n)
{
    const clv_xml *x = &u->I->xml;
    const char *element = clv_xml_name(x, n);
    for (unsigned i = x->node[n].attribute; i < x->node[n].attribute + x->node[n].nattribute; i++) {
        const char *name = x->pool + x->attribute[i].name;
        if (x->attribute[i].seen || strncmp(name, "xmlns", 5) == 0)
            continue;
        int harmless = find(u->harmless, element, name);
        harmless = harmless >= 0 ? harmless : find(u->harmless, "*", name);
        if (u->of && harmless >= 0)
            count(&u->of[harmless], n, name, true);
        else
            clv_import_drop(u->I, n, harmless < 0, "attribute", "attribute %.60s=\"%.60s\" of <%.60s>", name,
                            x->pool + x->attribute[i].value, element);
    }
}

static void drop_element(const unseen *u, unsigned n)
{
    clv_xml *x = &u->I->xml;
    const char *name = clv_xml_get(x, n, "name"), *element = clv_xml_name(x, n);
    const int harmless = find(u->harmless, element, NULL);
    if (u->of && harmless >= 0)
        count(&u->of[harmless], n, element, false);
    else
        clv_import_drop(u->I, n, harmless < 0, element, "element <%.60s>%s%.60s%s", element, name ? " '" : "",
                        name ? name : "", name ? "'" : "");
    clv_xml_see(x, n);
}

static void drop_counted(const unseen *u)
{
    for (int i = 0; u->harmless[i]; i++) {
        const tally *t = &u->of[i];
        char more[60] = "";
        if (t->n > 1)
            snprintf(more, sizeof more, ", %d times, here first", t->n);
        if (t->n > 0 && t->is_attribute)
            clv_import_drop(u->I, t->first, false, "attribute", "attribute %.60s of <%.60s>%s", t->name,
                            clv_xml_name(&u->I->xml, t->first), more);
        else if (t->n > 0)
            clv_import_drop(u->I, t->first, false, t->name, "element <%.60s>%s", t->name, more);
    }
}

void clv_import_drop_unseen(clv_import *I, const char *const *harmless)
{
    unseen u = {.I = I, .harmless = harmless};
    size_t n = 0;
    while (harmless[n])
        n++;
    if (I->brief && !(u.of = clv_alloc(n + 1, sizeof *u.of))) {
        clv_read_out_of_memory(I->r);
        return;
    }
    for (unsigned k = 1; k < I->xml.nnode; k++)
        if (I->xml.node[k].seen)
            drop_attributes(&u, k);
        else
            drop_element(&u, k);
    if (u.of)
        drop_counted(&u);
    clv_free(u.of);
}
