/* SPDX-License-Identifier: Apache-2.0
 * Matrices that are diagonal are written by their diagonal; everything else number by number, so that reading gives the
 * same bits.  Inline it stands between braces, in a file one key a line: the keys are the same. */
#include "io/yaml_write_text.h"
#include "base/memory.h"
#include <locale.h>
#include <math.h>

/* Where a key begins: inline after a comma, in a file on a line of its own. */
static void key(clv_writer *w, bool file, const char *name)
{
    if (file)
        clv_write(w, "%s: ", name);
    else
        clv_write_key(w, name);
}
static void end(clv_writer *w, bool file)
{
    if (file)
        clv_write(w, "\n");
}

static void write_rows(clv_writer *w, bool file, const char *name, const double *x, int rows, int width)
{
    key(w, file, name);
    clv_write(w, "[");
    for (int i = 0; i < rows; ++i) {
        clv_write(w, "%s", i == 0 ? "" : file ? ",\n  " : ", ");
        clv_write_numbers(w, x + (size_t)i * (size_t)width, width);
    }
    clv_write(w, "]");
    end(w, file);
}

static void write_square(clv_writer *w, bool file, const char *name, const double *x, int n)
{
    bool diagonal = true;
    for (int i = 0; i < n * n; ++i)
        diagonal = diagonal && (i % (n + 1) == 0 || x[i] == 0);
    if (!diagonal) {
        write_rows(w, file, name, x, n, n);
        return;
    }
    key(w, file, name);
    clv_write(w, "[");
    for (int i = 0; i < n; ++i) {
        clv_write(w, "%s", i ? ", " : "");
        clv_write_one(w, x[i * n + i]);
    }
    clv_write(w, "]");
    end(w, file);
}

static void write_node(clv_writer *w, bool file, const clv_flex_node *node, int nmode)
{
    if (file)
        clv_write(w, "  ");
    clv_write_item_name(w, node->name);
    clv_write(w, ": {");
    w->first = true;
    clv_write_list_key(w, "position", node->position, 3);
    clv_write_orientation(w, node->orientation);
    clv_write_key(w, "shapes");
    clv_write(w, "[");
    for (int k = 0; k < nmode; ++k) {
        clv_write(w, "%s", k == 0 ? "" : file ? ",\n    " : ", ");
        clv_write_numbers(w, node->shape + 6 * (size_t)k, 6);
    }
    clv_write(w, "]}");
    end(w, file);
}

static void write_nodes(clv_writer *w, bool file, const clv_flex *f)
{
    if (f->nnode == 0)
        return;
    key(w, file, "nodes");
    clv_write(w, file ? "\n" : "{");
    for (int i = 0; i < f->nnode; ++i) {
        clv_write(w, "%s", i > 0 && !file ? ", " : "");
        write_node(w, file, &f->node[i], f->nmode);
    }
    clv_write(w, "%s", file ? "" : "}");
    w->first = false;
}

static void write_modal(clv_writer *w, bool file, double mass, const double com[3], const double J[6],
                        const clv_flex *f)
{
    int n = f->nmode;
    key(w, file, "mass"), clv_write_one(w, mass), end(w, file);
    if (!clv_all_zero(com, 3))
        key(w, file, "com"), clv_write_numbers(w, com, 3), end(w, file);
    key(w, file, "inertia"), clv_write_numbers(w, J, 6), end(w, file);
    key(w, file, "spin_limit"), clv_write_one(w, f->limit), end(w, file);
    write_square(w, file, "modal_mass", f->Mff, n);
    write_square(w, file, "stiffness", f->K, n);
    if (!clv_all_zero(f->C, n * n))
        write_square(w, file, "damping", f->C, n);
    write_rows(w, file, "momentum", f->S, n, 3);
    write_rows(w, file, "angular_momentum", f->h, n, 3);
    write_rows(w, file, "moments", f->E, n, 9);
    write_rows(w, file, "products", f->B, n * n, 9);
    write_nodes(w, file, f);
}

void clv_write_flexible(clv_writer *w, const clv_body *b)
{
    clv_write_key(w, "flexible");
    clv_write(w, "{modal: {");
    w->first = true;
    write_modal(w, false, b->mass, b->com, b->J, &w->m->flex[b->flex]);
    clv_write(w, "}}");
    w->first = false;
}

bool clv_flex_moving(const clv_flex *f)
{
    return !clv_all_zero(f->eta, f->nmode) || !clv_all_zero(f->etad, f->nmode);
}

void clv_write_start_modes(clv_writer *w, const clv_flex *f)
{
    if (!clv_flex_moving(f))
        return;
    clv_write_open(w, 4, w->m->body[f->body].name);
    clv_write_list_unless_zero(w, "q", f->eta, f->nmode);
    clv_write_list_unless_zero(w, "u", f->etad, f->nmode);
    clv_write_close(w);
}

clv_status clv_flex_write_text(const clv_flex_body *b, const char *comment, char **text, size_t *size)
{
    clv_writer w = {.status = CLV_OK};
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0), before = plain ? uselocale(plain) : (locale_t)0;
    clv_write(&w, "%sflex: 1\n", comment);
    write_modal(&w, true, b->mass, b->com, b->J, &b->flex);
    if (plain) {
        uselocale(before);
        freelocale(plain);
    }
    if (w.status != CLV_OK) {
        clv_free(w.text);
        w.text = NULL, w.used = 0;
    }
    *text = w.text;
    *size = w.used;
    return w.status;
}
