/* SPDX-License-Identifier: Apache-2.0
 * Loops beside a URDF, in the form of the example-parallel-robots collection: ROBOT.yaml beside ROBOT.urdf.
 *
 *     closed_loop            pairs of frames that coincide; a frame is a link, or the child link of a joint
 *     type                   of each pair: 6d (position and orientation) or 3d (position)
 *     joint_name, joint_type joints that are not what the URDF says: SPHERICAL, UJOINT_XY
 *     name_mot               the joints with motors */
#include "base/error.h"
#include "base/memory.h"
#include "io/import.h"
#include "math/rotation.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef struct side {
    clv_import *I;
    const char *path;
    unsigned pairs, types, joints, kinds, motors; /* nodes of the file; 0: not given */
} side;

__attribute__((format(printf, 4, 5))) static void fail(side *s, unsigned node, const char *hint, const char *format,
                                                       ...)
{
    clv_reader *r = s->I->r;
    const int before = r->nerror;
    char text[384];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    clv_read_fail(r, CLV_ERR_MODEL, clv_node(r, node), "", NULL, hint, "%s", text);
    if (r->nerror > before)
        clv_error_text(r->error[before].file, sizeof r->error[before].file, s->path);
}

/* The side file names what the URDF does not have. */
static void drop(side *s, unsigned node, const char *what, const char *name)
{
    char text[200];
    const clv_yaml_node *n = clv_node(s->I->r, node);
    snprintf(text, sizeof text, "%s: the URDF has no '%.100s'", what, name);
    if (!clv_model_note_dropped(s->I->m, s->path, (int)n->line, (int)n->column, true, "loop file", text))
        clv_read_out_of_memory(s->I->r);
}

static const char *word(const side *s, unsigned node)
{
    const clv_yaml_node *n = clv_node(s->I->r, node);
    return n && n->kind == CLV_YAML_SCALAR ? clv_node_text(s->I->r, n) : "";
}

static unsigned first(const side *s, unsigned list)
{
    const clv_yaml_node *n = clv_node(s->I->r, list);
    return n && n->kind == CLV_YAML_LIST ? n->first : 0;
}

static unsigned next(const side *s, unsigned node)
{
    return clv_node(s->I->r, node)->next;
}

/* ---------------------------------------------------------------- loops */

/* A link by its name, or the child of a joint of that name; -1: there is none. */
static int frame_of(side *s, unsigned node)
{
    size_t index;
    if (clv_map_find(&s->I->links, word(s, node), &index))
        return (int)index;
    if (clv_map_find(&s->I->rods, word(s, node), &index))
        return s->I->rod[index].child;
    drop(s, node, "frame of a loop", word(s, node));
    return -1;
}

static void read_pair(side *s, unsigned pair, unsigned type)
{
    static const char *const text[] = {"6d", "6D", "3d", "3D"};
    const unsigned a = first(s, pair), b = a ? next(s, a) : 0;
    int kind = -1;
    for (int i = 0; i < 4; i++)
        if (strcmp(word(s, type), text[i]) == 0)
            kind = i / 2;
    if (!b || next(s, b)) {
        fail(s, pair, "write [A, B]", "an entry of closed_loop is two frames");
        return;
    }
    if (kind < 0) {
        fail(s, type, "6d: position and orientation; 3d: position", "unknown type of loop '%.60s'", word(s, type));
        return;
    }
    const int link_a = frame_of(s, a), link_b = frame_of(s, b);
    clv_loop *l = link_a >= 0 && link_b >= 0 ? CLV_IMPORT_MORE(s->I, loop) : NULL;
    if (!l)
        return;
    *l = (clv_loop){.kind = kind == 0 ? CLV_JOINT_FIXED : CLV_JOINT_POINT, .a = link_a, .b = link_b};
    l->name = clv_import_text(s->I, "loop%zu", s->I->nloop);
    clv_frame_identity(&l->at_a);
    clv_frame_identity(&l->at_b);
}

static void read_loops(side *s)
{
    unsigned type = first(s, s->types);
    for (unsigned pair = first(s, s->pairs); pair; pair = next(s, pair)) {
        if (!type) {
            fail(s, pair, "6d or 3d for each pair", "the list `type` is shorter than `closed_loop`");
            return;
        }
        read_pair(s, pair, type);
        type = next(s, type);
    }
}

/* ---------------------------------------------------------------- joints */

/* UJOINT_XY: about X first, then about Y. */
static bool universal(clv_rod *j, const char *type)
{
    double axis[2][3] = {{0}}, z[3];
    if (strncmp(type, "UJOINT_", 7) != 0 || strlen(type) != 9)
        return false;
    for (int i = 0; i < 2; i++) {
        if (type[7 + i] < 'X' || type[7 + i] > 'Z')
            return false;
        axis[i][type[7 + i] - 'X'] = 1;
    }
    clv_cross(z, axis[0], axis[1]);
    j->kind = CLV_JOINT_UNIVERSAL;
    for (int i = 0; i < 3; i++)
        j->E[3 * i] = axis[0][i], j->E[3 * i + 1] = axis[1][i], j->E[3 * i + 2] = z[i];
    return type[7] != type[8];
}

static void replace_joint(side *s, unsigned name, unsigned type)
{
    size_t index;
    if (!clv_map_find(&s->I->rods, word(s, name), &index)) {
        drop(s, name, "joint_name", word(s, name));
        return;
    }
    clv_rod *j = &s->I->rod[index];
    j->input = 0;
    if (strcmp(word(s, type), "SPHERICAL") == 0) {
        j->kind = CLV_JOINT_SPHERICAL;
        clv_mat3_identity(j->E);
    } else if (!universal(j, word(s, type)))
        fail(s, type, "SPHERICAL, or UJOINT_ with two axes as UJOINT_XY", "unknown type of joint '%.60s'",
             word(s, type));
}

static void read_joints(side *s)
{
    unsigned type = first(s, s->kinds);
    for (unsigned name = first(s, s->joints); name; name = next(s, name)) {
        if (!type) {
            fail(s, name, "one type for each joint", "the list `joint_type` is shorter than `joint_name`");
            return;
        }
        replace_joint(s, name, type);
        type = next(s, type);
    }
}

/* Only joints with motors have inputs. */
static void read_motors(side *s)
{
    size_t index;
    for (size_t i = 0; s->motors && i < s->I->nrod; i++)
        s->I->rod[i].input = 0;
    for (unsigned n = first(s, s->motors); n; n = next(s, n))
        if (clv_map_find(&s->I->rods, word(s, n), &index)) {
            const clv_joint_kind kind = s->I->rod[index].kind;
            s->I->rod[index].input = kind == CLV_JOINT_REVOLUTE || kind == CLV_JOINT_PRISMATIC;
        } else
            drop(s, n, "name_mot", word(s, n));
}

/* ---------------------------------------------------------------- the file */

static void read_keys(side *s)
{
    clv_reader *r = s->I->r;
    const struct {
        const char *name;
        unsigned *node;
    } keys[] = {{"closed_loop", &s->pairs},
                {"type", &s->types},
                {"joint_name", &s->joints},
                {"joint_type", &s->kinds},
                {"name_mot", &s->motors}};
    const clv_yaml_node *top = clv_node(r, 1);
    for (unsigned key = top->kind == CLV_YAML_MAP ? top->first : 0; key; key = next(s, next(s, key)))
        for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
            if (strcmp(word(s, key), keys[i].name) == 0)
                *keys[i].node = next(s, key);
}

/* The file beside the URDF, if it speaks of loops: a model written there does not. */
static char *load(const char *path, size_t *size)
{
    clv_error e;
    clv_error_clear(&e);
    char *text = access(path, R_OK) == 0 ? clv_model_load(&e, path, size) : NULL, *ended;
    ended = text ? clv_resize(text, *size + 1, 1) : NULL;
    if (!ended) {
        clv_free(text);
        return NULL;
    }
    ended[*size] = '\0';
    if (strstr(ended, "closed_loop"))
        return ended;
    clv_free(ended);
    return NULL;
}

static void read_side(side *s, const char *text, size_t size)
{
    clv_reader *r = s->I->r;
    char main[sizeof r->file];
    memcpy(main, r->file, sizeof main);
    clv_error_text(r->file, sizeof r->file, s->path);
    const bool good = clv_yaml_tree_read(r, text, size);
    memcpy(r->file, main, sizeof main);
    if (good)
        read_keys(s);
    if (good && s->pairs) {
        read_joints(s);
        read_motors(s);
        read_loops(s);
        if (!clv_model_note_side(r->model, s->path))
            clv_read_out_of_memory(r);
    }
    clv_yaml_tree_free(&r->tree);
    memset(&r->tree, 0, sizeof r->tree);
}

void clv_urdf_loops(clv_import *I)
{
    char path[300];
    const char *file = I->r->file, *slash = strrchr(file, '/'), *dot = strrchr(file, '.');
    size_t size;
    if (!dot || (slash && dot < slash) || strcmp(dot, ".yaml") == 0)
        return;
    snprintf(path, sizeof path, "%.*s.yaml", (int)(dot - file), file);
    char *text = load(path, &size);
    side s = {.I = I, .path = path};
    if (text)
        read_side(&s, text, size);
    clv_free(text);
}
