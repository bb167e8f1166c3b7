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

static bool listed(const char *const *list, const char *element, const char *attribute)
{
    char name[200];
    snprintf(name, sizeof name, "%.90s%s%.90s", element, attribute ? "@" : "", attribute ? attribute : "");
    for (; *list; list++)
        if (strcmp(*list, name) == 0)
            return true;
    return false;
}

static void drop_attributes(clv_import *I, unsigned n, const char *const *harmless)
{
    const clv_xml *x = &I->xml;
    for (unsigned i = x->node[n].attribute; i < x->node[n].attribute + x->node[n].nattribute; i++) {
        const char *name = x->pool + x->attribute[i].name;
        if (x->attribute[i].seen || strncmp(name, "xmlns", 5) == 0)
            continue;
        clv_import_drop(I, n, !listed(harmless, clv_xml_name(x, n), name) && !listed(harmless, "*", name), "attribute",
                        "attribute %.60s=\"%.60s\" of <%.60s>", name, x->pool + x->attribute[i].value,
                        clv_xml_name(x, n));
    }
}

void clv_import_drop_unseen(clv_import *I, const char *const *harmless)
{
    clv_xml *x = &I->xml;
    for (unsigned n = 1; n < x->nnode; n++) {
        if (x->node[n].seen) {
            drop_attributes(I, n, harmless);
            continue;
        }
        const char *name = clv_xml_get(x, n, "name"), *element = clv_xml_name(x, n);
        clv_import_drop(I, n, !listed(harmless, element, NULL), element, "element <%.60s>%s%.60s%s", element,
                        name ? " '" : "", name ? name : "", name ? "'" : "");
        clv_xml_see(x, n);
    }
}
