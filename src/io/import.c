/* SPDX-License-Identifier: Apache-2.0
 * A text in XML becomes a model: the tree, the format, the robot, the model.  See import.h. */
#include "io/import.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---------------------------------------------------------------- errors, names */

void clv_import_fail(clv_import *I, unsigned node, const char *hint, const char *format, ...)
{
    char text[640];
    va_list args;
    const clv_xml_node *n = &I->xml.node[node];
    const int before = I->r->nerror;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    clv_read_fail(I->r, CLV_ERR_MODEL, &(clv_yaml_node){.line = n->line, .column = n->column}, "", NULL, hint, "%s",
                  text);
    if (n->file > 0 && I->r->nerror > before)
        clv_error_text(I->r->error[before].file, sizeof I->r->error[before].file, I->file[n->file]);
}

const char *clv_import_text(clv_import *I, const char *format, ...)
{
    char text[512];
    va_list args;
    char **place = CLV_IMPORT_MORE(I, text);
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (!place)
        return NULL;
    *place = clv_copy_text(text);
    if (!*place)
        clv_read_out_of_memory(I->r);
    return *place;
}

const char *clv_import_name(clv_import *I, unsigned node, const char *name)
{
    char text[256];
    if (strcmp(name, "ground") == 0) {
        clv_import_drop(I, node, false, "name", "the name 'ground' is reserved: it becomes 'ground_link'");
        return "ground_link";
    }
    if (*name && strlen(name) < sizeof text && clv_text_plain(name) && !strpbrk(name, "{}"))
        return name;
    size_t n = 0;
    for (const char *c = name; *c && n < 200; c++)
        text[n++] = (unsigned char)*c < 32 || (unsigned char)*c > 126 || strchr("{}", *c) ? '_' : *c;
    text[n] = '\0';
    clv_import_drop(I, node, false, "name", "a name that models cannot have becomes '%s'", n ? text : "unnamed");
    return clv_import_text(I, "%s", n ? text : "unnamed");
}

/* ---------------------------------------------------------------- numbers */

static bool is_number(const char *text)
{
    text += *text == '-' || *text == '+';
    return (*text >= '0' && *text <= '9') || (*text == '.' && text[1] >= '0' && text[1] <= '9');
}

bool clv_import_infinite(const char *text, double *x)
{
    text += strspn(text, " \t\r\n");
    const char *word = text + (*text == '-' || *text == '+'), *end;
    const double value = is_number(text) ? clv_text_number(text, &end) : 0;
    const bool named = strncmp(word, "inf", 3) == 0 || strncmp(word, "Inf", 3) == 0 || strncmp(word, "INF", 3) == 0;
    if (!named && !(fabs(value) >= 1e16))
        return false;
    *x = *text == '-' ? -INFINITY : INFINITY;
    return true;
}

int clv_import_list(clv_import *I, unsigned node, const char *what, const char *text, double *x, int most)
{
    const char *at = text, *end = text;
    int n = 0;
    for (;; at = end) {
        at += strspn(at, " \t\r\n,");
        if (!*at)
            return n;
        const double value = is_number(at) ? clv_text_number(at, &end) : NAN;
        if (n == most || !isfinite(value) || fabs(value) > 1e100 || (*end && !strchr(" \t\r\n,", *end)))
            break;
        x[n++] = value;
    }
    clv_import_fail(
        I, node,
        strstr(at, "${") || strstr(at, "$(") ? "this is a xacro file: run `xacro FILE.xacro > FILE.urdf` first"
                                             : "numbers are finite decimals with spaces between them",
        "<%s>: %s%s'%.60s' %s", clv_xml_name(&I->xml, node), what, *what ? " " : "", text,
        n == most ? "has too many numbers" : "is not read as numbers");
    return 0;
}

int clv_import_some(clv_import *I, unsigned node, const char *attribute, double *x, int most)
{
    const char *text = clv_xml_get(&I->xml, node, attribute);
    return text ? clv_import_list(I, node, attribute, text, x, most) : 0;
}

bool clv_import_numbers(clv_import *I, unsigned node, const char *attribute, double *x, int n)
{
    double value[16];
    const int before = I->r->nerror, found = clv_import_some(I, node, attribute, value, n);
    if (found == n)
        memcpy(x, value, (size_t)n * sizeof *x);
    else if (clv_xml_get(&I->xml, node, attribute) && I->r->nerror == before)
        clv_import_fail(I, node, "", "<%s>: %s has %d number%s, not %d", clv_xml_name(&I->xml, node), attribute, found,
                        found == 1 ? "" : "s", n);
    return found == n;
}

double clv_import_number(clv_import *I, unsigned node, const char *attribute, double standard)
{
    double x = standard;
    return clv_import_numbers(I, node, attribute, &x, 1) ? x : standard;
}

const char *clv_import_need(clv_import *I, unsigned node, const char *attribute)
{
    const char *text = clv_xml_get(&I->xml, node, attribute);
    if (!text)
        clv_import_fail(I, node, "", "<%s> has no %s", clv_xml_name(&I->xml, node), attribute);
    return text;
}

/* ---------------------------------------------------------------- the file */

static void refuse(clv_import *I, unsigned root)
{
    clv_read_fail(
        I->r, CLV_ERR_SYNTAX, &(clv_yaml_node){.line = I->xml.node[root].line, .column = I->xml.node[root].column}, "",
        NULL, "URDF begins with <robot>, MJCF with <mujoco>, SDF with <sdf>; "
        "models of cleave are YAML (docs/model-file.md)",
        "this is XML with the root <%.60s>, and no URDF, MJCF or SDF", clv_xml_name(&I->xml, root));
}

/* Options that would do nothing. */
static void check_options(clv_import *I, unsigned root)
{
    const bool wanted = clv_robot_contacts_wanted(I);
    if (wanted && strcmp(I->format, "SDF") == 0)
        clv_import_fail(I, root, "write `contacts` into the model file that `cleave import` makes without it",
                        "contacts of SDF are not read: `--contacts %s` has no effect", I->r->robot.contacts);
    else if (I->r->robot.floor && !wanted)
        clv_import_fail(I, root, "give `--contacts rigid` or a stiffness, too",
                        "`--floor %s` without contacts has no effect", I->r->robot.floor);
}

static void read_format(clv_import *I)
{
    const unsigned root = I->xml.node[0].first;
    I->xml.node[root].seen = true;
    if (clv_xml_is(&I->xml, root, "robot"))
        clv_urdf_read(I, root);
    else if (clv_xml_is(&I->xml, root, "mujoco"))
        clv_mjcf_read(I, root);
    else if (clv_xml_is(&I->xml, root, "sdf"))
        clv_sdf_read(I, root);
    else
        refuse(I, root);
    if (I->r->nerror == 0)
        check_options(I, root);
    if (I->r->nerror == 0 && !I->r->memory && clv_robot_lump(I))
        clv_robot_make(I);
}

static void release(clv_import *I)
{
    for (size_t i = 0; i < I->ntext; i++)
        clv_free(I->text[i]);
    for (size_t i = 0; i < I->nhard; i++)
        clv_free(I->hard[i].points);
    for (size_t i = 0; i < I->nfile; i++)
        clv_free(I->file[i]);
    void *list[] = {I->text,  I->file, I->place, I->link, I->rod, I->loop,
                    I->drive, I->spot, I->servo, I->gear, I->push, I->look, I->cord,
                    I->hard,  I->pair, I->apart};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        clv_free(list[i]);
    clv_map_free(&I->links);
    clv_map_free(&I->rods);
    clv_map_free(&I->colours);
    clv_xml_free(&I->xml);
}

/* Parameters belong to model files. */
static bool no_parameters(clv_reader *r)
{
    clv_error e;
    if (r->ngiven == 0)
        return true;
    clv_fail(&e, CLV_ERR_USAGE, "%.100s: a URDF, MJCF or SDF file has no parameters", r->given[0]);
    clv_error_hint(&e, "`cleave import ROBOT MODEL.yaml` writes a model file, which may have parameters");
    clv_read_fail_model(r, &e, NULL, NULL);
    return false;
}

bool clv_import_read(clv_reader *r, const char *text, size_t size)
{
    clv_import I = {.r = r, .m = r->model};
    char **main = no_parameters(r) ? CLV_IMPORT_MORE(&I, file) : NULL;
    unsigned *place = main ? CLV_IMPORT_MORE(&I, place) : NULL;
    if (main && !(*main = clv_copy_text(r->file)))
        clv_read_out_of_memory(r);
    if (place)
        *place = 0;
    if (place && !r->memory && clv_xml_read(&I.xml, r, text, size, 0, 0))
        read_format(&I);
    release(&I);
    clv_model_order_dropped(r->model);
    r->model->imported = true;
    return r->nerror == 0 && !r->memory;
}
