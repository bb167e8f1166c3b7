/* SPDX-License-Identifier: Apache-2.0
 * MJCF: the law of the force of an actuator, gain ctrl + b0 + b1 length + b2 rate, and its defaults (mjcf_actuator).
 * A class has one law, of the kind that it names last.  An element <general> changes the numbers of any law.  Other
 * kinds change a law of their own or of <general>.  Else they begin with that of the nearest class outside that has
 * such a law. */
#include "io/mjcf.h"
#include <string.h>

static const char *const kinds[] = {"general", "motor",  "position",    "velocity", "damper",
                                    "muscle",  "plugin", "intvelocity", "cylinder", "adhesion",
                                    "dcmotor", "pid",    "orientation", NULL};
enum { GENERAL, MOTOR, POSITION, VELOCITY };

static const clv_law plain = {.kind = GENERAL, .gain = 1, .fixed = true};

int clv_mjcf_actuator_layers(clv_mjcf *M, clv_item e, unsigned *layer, int most)
{
    return clv_mjcf_layers(M, e, kinds, layer, most);
}

/* ---------------------------------------------------------------- what one element says */

static void read_general(clv_mjcf *M, unsigned n, clv_law *s)
{
    clv_xml *x = &M->I->xml;
    const char *gain = clv_xml_get(x, n, "gaintype"), *bias = clv_xml_get(x, n, "biastype"),
               *dynamics = clv_xml_get(x, n, "dyntype");
    double p[10] = {0};
    if (clv_import_some(M->I, n, "gainprm", p, 10) > 0)
        s->gain = p[0];
    const int count = clv_import_some(M->I, n, "biasprm", p, 10); /* fewer numbers leave the others as they are */
    memcpy(s->bias, p, (size_t)(count < 3 ? count : 3) * sizeof *p);
    if (bias) {
        s->affine = strcmp(bias, "affine") == 0;
        s->bent = !s->affine && strcmp(bias, "none") != 0;
    }
    if (gain)
        s->fixed = strcmp(gain, "fixed") == 0;
    if (dynamics) {
        s->dynamic = strcmp(dynamics, "none") != 0;
        s->filtered = strcmp(dynamics, "filterexact") == 0;
    }
    clv_xml_get(x, n, "dynprm");
}

/* A damping ratio is a positive b2, as in MuJoCo. */
static void read_position(clv_mjcf *M, unsigned n, clv_law *s)
{
    clv_xml *x = &M->I->xml;
    if (clv_xml_get(x, n, "timeconst"))
        s->filtered = clv_import_number(M->I, n, "timeconst", 0) > 0;
    s->dynamic = s->filtered;
    s->gain = clv_import_number(M->I, n, "kp", s->gain);
    s->bias[0] = 0, s->bias[1] = -s->gain;
    if (clv_xml_get(x, n, "kv"))
        s->bias[2] = -clv_import_number(M->I, n, "kv", 0);
    if (clv_xml_get(x, n, "dampratio"))
        s->bias[2] = clv_import_number(M->I, n, "dampratio", 0);
    s->affine = s->fixed = true;
    s->bent = false;
}

/* Of <motor>, the rate without a factor; of <velocity>, with it. */
static void read_simple(clv_mjcf *M, unsigned n, clv_law *s, bool velocity)
{
    s->gain = velocity ? clv_import_number(M->I, n, "kv", s->gain) : 1;
    s->bias[0] = s->bias[1] = 0, s->bias[2] = velocity ? -s->gain : 0;
    s->affine = velocity;
    s->fixed = true;
    s->bent = s->dynamic = s->filtered = false;
}

static int kind_of(const clv_mjcf *M, unsigned n)
{
    int k = 0;
    while (kinds[k] && !clv_xml_is(&M->I->xml, n, kinds[k]))
        k++;
    return kinds[k] ? k : -1;
}

static void read_layer(clv_mjcf *M, unsigned n, int kind, clv_law *s)
{
    static const char *const others[] = {"kp",   "kv",      "dampratio", "timeconst", "area", "diameter",
                                         "bias", "dynprm", NULL};
    s->kind = kind;
    if (kind == GENERAL)
        read_general(M, n, s);
    else if (kind == POSITION)
        read_position(M, n, s);
    else if (kind == MOTOR || kind == VELOCITY)
        read_simple(M, n, s, kind == VELOCITY);
    else {
        s->unknown = true;
        for (const char *const *attribute = others; *attribute; attribute++)
            clv_xml_get(&M->I->xml, n, *attribute);
    }
}

/* ---------------------------------------------------------------- laws of classes */

/* The law with which an element of a kind begins inside a class, -1: none. */
static clv_law begin(const clv_mjcf *M, int class, int kind)
{
    while (class >= 0 && kind != GENERAL && M->class[class].law.kind != GENERAL && M->class[class].law.kind != kind)
        class = M->class[class].up;
    return class >= 0 ? M->class[class].law : plain;
}

static clv_law after(clv_mjcf *M, unsigned n, int kind, const clv_law *before, int class)
{
    const bool takes = kind == GENERAL || before->kind == GENERAL || before->kind == kind;
    clv_law s = takes ? *before : begin(M, class, kind);
    read_layer(M, n, kind, &s);
    return s;
}

/* Laws of a class and of those that it extends, where they are not known yet. */
static void learn(clv_mjcf *M, int class)
{
    if (class < 0 || M->class[class].learnt)
        return;
    const int up = M->class[class].up;
    learn(M, up);
    clv_law s = begin(M, up, GENERAL);
    for (unsigned n = clv_mjcf_first(M, M->class[class].node); n; n = clv_mjcf_next(M, n)) {
        const int kind = kind_of(M, n);
        if (kind >= 0)
            s = after(M, n, kind, &s, up);
    }
    M->class[class].law = s;
    M->class[class].learnt = true;
}

void clv_mjcf_law(clv_mjcf *M, clv_item e, clv_law *s)
{
    const int kind = kind_of(M, e.node);
    learn(M, e.class);
    *s = begin(M, e.class, kind < 0 ? GENERAL : kind);
    if (kind < 0)
        s->unknown = true;
    else
        read_layer(M, e.node, kind, s);
    s->ratio = s->affine && s->bias[2] > 0 && s->gain == -s->bias[1];
}

const char *clv_mjcf_beyond(const clv_law *s)
{
    return s->unknown   ? "this kind of actuator is not supported"
           : !s->fixed  ? "its gain is not fixed"
           : s->bent    ? "its bias is not affine"
           : s->dynamic ? "it has a state of its own"
                        : NULL;
}
