/* SPDX-License-Identifier: Apache-2.0
 * COLLADA files: the same solid from every kind of list, transformations of nodes as those of its points, references in
 * circles, damaged files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/memory.h"
#include "io/mesh_file.h"
#include "io/xml_parse.h"
#include "near.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A brick of 1 x 2 x 3 with a corner at the origin: its points with texture coordinates between them. */
#define POINTS                                                                                                    \
    "<source id='xyz'><float_array id='f' count='32'>0 0 0 9 1 0 0 9 1 2 0 9 0 2 0 9\n0 0 3 9 1 0 3 9 1 2 3 9 "   \
    "0 2 3 9</float_array><technique_common><accessor source='#f' count='8' stride='4'/></technique_common>"      \
    "</source><vertices id='v'><input semantic='POSITION' source='#xyz'/></vertices>"
#define INPUT "<input semantic='VERTEX' source='#v' offset='0'/>"
#define TWO "<input semantic='NORMAL' source='#n' offset='0'/><input semantic='VERTEX' source='#v' offset='1'/>"
#define SIDES "0 1 5 4 1 2 6 5 2 3 7 6 3 0 4 7"
#define QUADS "<polylist count='6'>" INPUT "<vcount>4 4 4 4 4 4</vcount><p>0 3 2 1 4 5 6 7 " SIDES "</p></polylist>"

static char *file(const char *lists, const char *asset, const char *nodes)
{
    const size_t size = strlen(lists) + strlen(asset) + strlen(nodes) + 2000;
    char *text = malloc(size);
    snprintf(text, size,
             "<?xml version='1.0'?><COLLADA xmlns='http://www.collada.org/2005/11/COLLADASchema' version='1.4.1'>"
             "<asset>%s<up_axis>Y_UP</up_axis></asset><library_geometries><geometry id='g'><mesh>" POINTS
             "%s</mesh></geometry></library_geometries><library_visual_scenes><visual_scene id='s'>%s</visual_scene>"
             "</library_visual_scenes><scene><instance_visual_scene url='#s'/></scene></COLLADA>",
             asset, lists, nodes);
    return text;
}

static const char *const once = "<node><instance_geometry url='#g'/></node>";

static clv_solid solid_of(char *text, size_t triangles)
{
    clv_mesh m = {0};
    clv_solid s = {0};
    if (!clv_mesh_read(&m, "a.dae", text, strlen(text)))
        fail_msg("%s", m.problem ? m.problem : "memory");
    assert_int_equal(m.ncorner, 3 * triangles);
    assert_true(clv_mesh_solid(&s, &m, false));
    clv_mesh_free(&m);
    free(text);
    return s;
}

static void every_list_gives_the_solid(void **state)
{
    static const char *const lists[] = {
        QUADS,
        "<triangles count='12'>" INPUT "<p>0 3 2 0 2 1 4 5 6 4 6 7 0 1 5 0 5 4 1 2 6 1 6 5 2 3 7 2 7 6 3 0 4 3 4 7</p>"
        "</triangles>",
        "<polygons count='6'>" INPUT "<p>0 3 2 1</p><p>4 5 6 7</p><p>0 1 5 4</p><p>1 2 6 5</p><p>2 3 7 6</p>"
        "<p>3 0 4 7</p></polygons>",
        "<trifans count='2'>" INPUT "<p>0 3 2 1 5 4 7 3</p><p>6 7 4 5 1 2 3 7</p></trifans>",
        "<tristrips count='3'>" INPUT "<p>4 0 5 1 6 2 7 3 4 0</p><p>3 2 0 1</p><p>5 6 4 7</p></tristrips>",
        "<lines><p>0 1</p></lines><polylist material='m' count='2'>" TWO
        "<vcount>4 4</vcount><p>7 0 7 3 7 2 7 1 7 4 7 5 7 6 7 7</p></polylist><polylist count='4'>" INPUT
        "<vcount>4 4 4 4</vcount><p>" SIDES "</p></polylist>",
    };
    (void)state;
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        const clv_solid s = solid_of(file(lists[i], "", once), 12);
        CLV_NEAR(fabs(s.volume), 6, 1e-14);
        CLV_NEAR(s.com[0], 0.5, 1e-14);
        CLV_NEAR(s.com[1], 1, 1e-14);
        CLV_NEAR(s.com[2], 1.5, 1e-14);
    }
}

/* Nodes in nodes, named nodes, units and mirrors: volume and centre of mass are those of the composed map. */
static void nodes_move_and_scale(void **state)
{
    static const struct {
        const char *asset, *nodes;
        double volume, com[3];
        int copies;
    } row[] = {
        {"<unit meter='0.001'/>", "<node><scale>1000 1000 1000</scale><instance_geometry url='#g'/></node>", 6,
         {0.5, 1, 1.5}, 1},
        {"", "<node><translate>1 2 3</translate><instance_geometry url='#g'/></node>", 6, {1.5, 3, 4.5}, 1},
        /* x -> -y, y -> x: about z by -90 degrees, then moved */
        {"", "<node><translate>1 0 0</translate><rotate>0 0 2 -90</rotate><instance_geometry url='#g'/></node>", 6,
         {2, -0.5, 1.5}, 1},
        {"", "<node><matrix>0 1 0 1  -1 0 0 0  0 0 1 0  0 0 0 1</matrix><instance_geometry url='#g'/></node>", 6,
         {2, -0.5, 1.5}, 1},
        /* a mirror keeps the outside outside */
        {"", "<node><scale>-2 1 1</scale><instance_geometry url='#g'/></node>", 12, {-1, 1, 1.5}, 1},
        /* the outer place acts last; twice the brick, side by side */
        {"<unit name='inch' meter='0.5'/>",
         "<node id='n'><scale>1 1 2</scale><node><translate>0 0 1</translate><instance_geometry url='#g'/></node>"
         "</node><node><translate>10 0 0</translate><instance_node url='#n'/></node>", 3, {2.75, 0.5, 2.5}, 2},
    };
    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        const clv_solid s = solid_of(file(QUADS, row[i].asset, row[i].nodes), (size_t)(12 * row[i].copies));
        CLV_NEAR(s.volume, row[i].volume, 1e-6);
        for (int k = 0; k < 3; k++)
            CLV_NEAR(s.com[k], row[i].com[k], 1e-6);
    }
}

static const struct {
    const char *lists, *nodes, *problem;
} bad[] = {
    {"", "", "it has no faces"},
    {QUADS, "<node><instance_geometry url='#h'/></node>", "COLLADA: a reference leads nowhere, or to another file"},
    {QUADS, "<node><instance_geometry url='o.dae#g'/></node>",
     "COLLADA: a reference leads nowhere, or to another file"},
    {QUADS, "<node><instance_controller url='#c'/></node>", "COLLADA: skins are not read"},
    {QUADS, "<node><skew>1 2 3</skew></node>", "COLLADA: lookat and skew are not read"},
    {QUADS, "<node><scale>1 2</scale></node>", "COLLADA: a transformation of a node has too few numbers"},
    {QUADS, "<node><rotate>0 0 0 1</rotate></node>", "COLLADA: an axis of rotation has no direction"},
    {QUADS, "<node id='a'><instance_node url='#a'/></node>", "COLLADA: nodes are nested or repeated without end"},
    {"<triangles count='1'>" INPUT "<p>0 1 8</p></triangles>", NULL,
     "a face names a point that the file does not have"},
    {"<triangles count='1'>" INPUT "<p>0 1 99999999999999999999</p></triangles>", NULL,
     "a face names a point that the file does not have"},
    {"<triangles count='1'>" TWO "<p>0 1 2 3 4</p></triangles>", NULL, "COLLADA: a corner has too few numbers"},
    {"<triangles count='1'><input semantic='VERTEX' source='#w'/><p>0 1 2</p></triangles>", NULL,
     "COLLADA: a reference leads nowhere, or to another file"},
    {"<triangles count='1'><p>0 1 2</p></triangles>", NULL, "COLLADA: triangles without points"},
    {"<polylist count='1'>" INPUT "<vcount>4</vcount><p>0 1 2</p></polylist>", NULL,
     "COLLADA: a list of corners ends early"},
    {"<polylist count='1'>" INPUT "<vcount>999999999999</vcount><p>0 1 2</p></polylist>", NULL,
     "COLLADA: a polygon has more than 255 corners"},
    {"<polygons count='1'>" INPUT "<ph><p>0 1 2</p><h>0 1 2</h></ph></polygons>", NULL,
     "COLLADA: polygons with holes are not read"},
};

static void check_bad(const char *text, const char *problem)
{
    clv_mesh m = {0};
    assert_false(clv_mesh_read(&m, "a.dae", text, strlen(text)));
    assert_non_null(m.problem);
    assert_string_equal(m.problem, problem);
    clv_mesh_free(&m);
}

static void bad_files_are_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char *text = file(bad[i].lists, "", bad[i].nodes ? bad[i].nodes : once);
        check_bad(text, bad[i].problem);
        free(text);
    }
    check_bad("", "COLLADA: it is not well-formed XML");
    check_bad("<COLLADA><asset>", "COLLADA: it is not well-formed XML");
    check_bad("<robot/>", "it is not a COLLADA file");
    check_bad("<COLLADA/>", "COLLADA: it has no scene");
    check_bad("<!DOCTYPE a [<!ENTITY b 'c'>]><COLLADA>&b;</COLLADA>",
              "COLLADA: entities, or elements nested too deeply, are not read");
    assert_int_equal(clv_alloc_live(), 0);
}

/* Each node names the next one twice: a short text for 2^40 bricks ends at once. */
static void doubling_ends(void **state)
{
    char nodes[6000] = "", one[120];
    (void)state;
    for (int i = 0; i < 40; i++) {
        snprintf(one, sizeof one, "<node id='n%d'><instance_node url='#n%d'/><instance_node url='#n%d'/></node>", i,
                 i + 1, i + 1);
        strcat(nodes, one);
    }
    strcat(nodes, "<node id='n40'/>");
    char *text = file(QUADS, "", nodes);
    check_bad(text, "COLLADA: nodes are nested or repeated without end");
    free(text);
}

static void damaged_files_are_survived(void **state)
{
    (void)state;
    char *text = file(QUADS, "<unit meter='0.01'/>",
                      "<node id='n'><rotate>0 0 1 30</rotate><instance_geometry url='#g'/></node>");
    const size_t size = strlen(text);
    unsigned random = 1;
    for (size_t n = 0; n < size + 4000; n++) {
        clv_mesh m = {0};
        clv_solid s;
        const size_t kept = n < size ? n : size;
        char *copy = malloc(kept + !kept);
        memcpy(copy, text, kept);
        random = random * 1103515245u + 12345u;
        if (n >= size)
            copy[random / 7 % kept] = (char)(random >> 16);
        if (clv_mesh_read(&m, "a.dae", copy, kept))
            clv_mesh_solid(&s, &m, n % 2);
        else
            assert_true(m.problem || m.memory);
        clv_mesh_free(&m);
        free(copy);
    }
    free(text);
    assert_int_equal(clv_alloc_live(), 0);
}

static void without_expat_it_is_refused(void **state)
{
    (void)state;
    check_bad("<COLLADA/>", "this program was built without expat, which reads COLLADA");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_list_gives_the_solid), cmocka_unit_test(nodes_move_and_scale),
        cmocka_unit_test(bad_files_are_refused),      cmocka_unit_test(doubling_ends),
        cmocka_unit_test(damaged_files_are_survived),
    };
    const struct CMUnitTest none[] = {cmocka_unit_test(without_expat_it_is_refused)};
    return clv_xml_present() ? cmocka_run_group_tests(tests, NULL, NULL) : cmocka_run_group_tests(none, NULL, NULL);
}
