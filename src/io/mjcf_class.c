/* SPDX-License-Identifier: Apache-2.0
 * MJCF: defaults.  An attribute that an element does not have is that of its class.  That is the element of its kind
 * inside <default class=...>, or inside the default that this one extends, and so on. */
#include "base/error.h"
#include "io/mjcf.h"
#include <string.h>

#define CLASSES 1000 /* of one model */

/* ---------------------------------------------------------------- classes */

static int find(const clv_mjcf *M, const char *name)
{
    for (size_t i = M->nclass; i-- > 0;)
        if (strcmp(M->class[i].name, name) == 0)
            return (int)i;
    return -1;
}

/* One <default> and those inside it. */
static void read_class(clv_mjcf *M, unsigned node, int up, int depth)
{
    clv_xml *x = &M->I->xml;
    const char *name = clv_xml_get(x, node, "class");
    if (!name && up >= 0 && depth > 0) {
        clv_import_fail(M->I, node, "", "a <default> inside another needs a class");
        return;
    }
    if (M->nclass >= CLASSES) {
        clv_import_fail(M->I, node, "", "there are more than %d classes", CLASSES);
        return;
    }
    name = name ? name : "main";
    if (depth == 0 && M->main_class >= 0)
        up = M->main_class; /* a second <default> of the file extends the first */
    else if (find(M, name) >= 0)
        clv_import_fail(M->I, node, "", "the class '%.100s' is defined twice", name);
    clv_class *c = CLV_MJCF_MORE(M, class);
    if (!c)
        return;
    *c = (clv_class){.name = name, .up = up, .node = node};
    const int self = (int)M->nclass - 1;
    if (depth == 0)
        M->main_class = self;
    x->node[node].seen = true;
    for (unsigned n = clv_mjcf_first(M, node); n; n = clv_mjcf_next(M, n))
        if (clv_xml_is(x, n, "default"))
            read_class(M, n, self, depth + 1);
        else
            x->node[n].seen = true;
}

void clv_mjcf_classes(clv_mjcf *M)
{
    for (unsigned n = clv_mjcf_section(M, 0, "default"); n; n = clv_mjcf_section(M, n, "default"))
        read_class(M, n, -1, 0);
}

int clv_mjcf_class(clv_mjcf *M, unsigned node, const char *attribute, int standard)
{
    const char *name = clv_xml_get(&M->I->xml, node, attribute);
    if (!name)
        return standard;
    const int class = find(M, name);
    if (class < 0 && strcmp(name, "main") == 0)
        return M->main_class;
    if (class < 0)
        clv_import_fail(M->I, node, "", "there is no class '%.100s' in <default>", name);
    return class;
}

clv_item clv_mjcf_item(clv_mjcf *M, unsigned node, int standard, const char *kind)
{
    M->I->xml.node[node].seen = true;
    return (clv_item){node, clv_mjcf_class(M, node, "class", standard), kind};
}

void clv_mjcf_see_defaults(clv_mjcf *M)
{
    clv_xml *x = &M->I->xml;
    for (size_t i = 0; i < M->nclass; i++)
        for (unsigned n = clv_mjcf_first(M, M->class[i].node); n; n = clv_mjcf_next(M, n)) {
            bool used = false;
            const clv_xml_node *node = &x->node[n];
            for (unsigned k = node->attribute; k < node->attribute + node->nattribute; k++)
                used |= x->attribute[k].seen;
            if (!used && !clv_xml_is(x, n, "default"))
                clv_xml_see(x, n);
        }
}

/* ---------------------------------------------------------------- attributes */

static bool is_one_of(const clv_xml *x, unsigned n, const char *const *kinds)
{
    for (; *kinds; kinds++)
        if (clv_xml_is(x, n, *kinds))
            return true;
    return false;
}

/* Elements of a class and of those that it extends, the outermost first. */
static int add_layers(clv_mjcf *M, int class, const char *const *kinds, unsigned *layer, int n, int most)
{
    if (class < 0)
        return n;
    n = add_layers(M, M->class[class].up, kinds, layer, n, most);
    for (unsigned k = clv_mjcf_first(M, M->class[class].node); k && n < most; k = clv_mjcf_next(M, k))
        if (is_one_of(&M->I->xml, k, kinds))
            layer[n++] = k;
    return n;
}

int clv_mjcf_layers(clv_mjcf *M, clv_item e, const char *const *kinds, unsigned *layer, int most)
{
    const int n = add_layers(M, e.class, kinds, layer, 0, most - 1);
    layer[n] = e.node;
    return n + 1;
}

unsigned clv_mjcf_at(clv_mjcf *M, clv_item e, const char *attribute)
{
    clv_xml *x = &M->I->xml;
    unsigned found = clv_xml_get(x, e.node, attribute) ? e.node : 0;
    for (int c = e.class; c >= 0 && e.kind; c = M->class[c].up) {
        unsigned here = 0;
        for (unsigned n = clv_mjcf_first(M, M->class[c].node); n; n = clv_mjcf_next(M, n))
            if (clv_xml_is(x, n, e.kind) && clv_xml_get(x, n, attribute))
                here = n;
        found = found ? found : here; /* all of them are looked at: what is replaced is no loss */
    }
    return found;
}

const char *clv_mjcf_word(clv_mjcf *M, clv_item e, const char *attribute)
{
    const unsigned at = clv_mjcf_at(M, e, attribute);
    return at ? clv_xml_get(&M->I->xml, at, attribute) : NULL;
}

bool clv_mjcf_numbers(clv_mjcf *M, clv_item e, const char *attribute, double *x, int n)
{
    const unsigned at = clv_mjcf_at(M, e, attribute);
    return at && clv_import_numbers(M->I, at, attribute, x, n);
}

void clv_mjcf_overlay(clv_mjcf *M, clv_item e, const char *attribute, double *x, int most)
{
    const char *const kinds[] = {e.kind, NULL};
    unsigned layer[64];
    const int n = clv_mjcf_layers(M, e, kinds, layer, 64);
    for (int i = 0; i < n; i++)
        clv_import_some(M->I, layer[i], attribute, x, most);
}

int clv_mjcf_some(clv_mjcf *M, clv_item e, const char *attribute, double *x, int most)
{
    const unsigned at = clv_mjcf_at(M, e, attribute);
    return at ? clv_import_some(M->I, at, attribute, x, most) : 0;
}

double clv_mjcf_number(clv_mjcf *M, clv_item e, const char *attribute, double standard)
{
    double x = standard;
    return clv_mjcf_numbers(M, e, attribute, &x, 1) ? x : standard;
}

int clv_mjcf_choice(clv_mjcf *M, clv_item e, const char *attribute, const char *const *list, int standard)
{
    const char *word = clv_mjcf_word(M, e, attribute);
    for (int i = 0; word && list[i]; i++)
        if (strcmp(word, list[i]) == 0)
            return i;
    if (!word)
        return standard;
    clv_import_fail(M->I, clv_mjcf_at(M, e, attribute), "", "unknown %s '%.60s'", attribute, word);
    return -1;
}

bool clv_mjcf_true(clv_mjcf *M, clv_item e, const char *attribute, bool standard)
{
    static const char *const words[] = {"false", "true", NULL};
    return clv_mjcf_choice(M, e, attribute, words, standard) == 1;
}

bool clv_mjcf_limited(clv_mjcf *M, clv_item e, const char *attribute, const char *range, double x[2])
{
    static const char *const words[] = {"false", "true", "auto", NULL};
    const int limited = clv_mjcf_choice(M, e, attribute, words, 2);
    x[0] = x[1] = 0;
    clv_mjcf_numbers(M, e, range, x, 2);
    return limited == 1 || (limited == 2 && M->c.autolimits && (x[0] != 0 || x[1] != 0));
}
