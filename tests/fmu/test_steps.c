/* SPDX-License-Identifier: Apache-2.0
 * A functional mock-up unit in co-simulation, driven through the functions of its program as an importer does: the bits
 * of the library, saved states, parameters, two instances, mistakes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include "fmu/fmi2.h"
#include "tests/fmu/instance.h"
#include <math.h>

static const char pendulum[] =
    "cleave: 1\n"
    "name: pendulum & co\n"
    "parameters:\n"
    "  l: 400 mm\n"
    "  half: l/2\n"
    "  m: {value: 2, unit: kg, range: [0.1, 10]}\n"
    "  n: 1\n"
    "bodies:\n"
    "  rod: {mass: m, com: [half, 0, 0], inertia: [1 g m^2, m*l^2/12, m*l^2/12]}\n"
    "  stone{i}: {mass: 1, inertia: [1, 1, 1], repeat: n}\n"
    "joints:\n"
    "  a: {kind: revolute, a: {body: ground, orientation: {x: [0, 0, -1], z: [0, 1, 0]}},"
    " b: {body: rod, orientation: {x: [1, 0, 0], z: [0, 1, 0]}}}\n"
    "  w{i}: {kind: fixed, a: {body: ground}, b: {body: 'stone{i}'}, repeat: n}\n"
    "inputs: {torque: {joint: a, limit: 20}}\n"
    "markers: {tip: {body: rod, position: [l, 0, 0]}}\n"
    "start: {joints: {a: {q: 0.5}}}\n";

static const char *const outputs[] = {"--outputs", "a.q,a.u,a.udot,tip.position", "--rtol", "1e-9", NULL};
enum { TIME, TORQUE, L, HALF, M, N, TIP_X, TIP_Y, TIP_Z, Q, U, UDOT };

/* ---------------------------------------------------------------- fixture */

static int open_fixture(void **state)
{
    fixture *f = *state = calloc(1, sizeof *f);
    if (!f || !make_unit(&f->unit, "cleave fmu steps", pendulum, 3, outputs))
        return 1;
    f->c = calls_of(f->unit.library);
    f->u = create(f, f->unit.token);
    return f->u ? 0 : 1;
}

static int close_fixture(void **state)
{
    fixture *f = *state;
    f->c.drop(f->u);
    drop_unit(&f->unit);
    free(f);
    return 0;
}

/* Steps number `from` .. `to` of 0.1 s with a torque that changes; q after each. */
static void drive(fixture *f, void *u, int from, int to, double *q)
{
    for (int i = from; i < to; i++) {
        assert_int_equal(set(f, u, TORQUE, i % 3 - 1), fmi3OK);
        assert_int_equal(step(f, u, i * 0.1, 0.1), fmi3OK);
        q[i] = get(f, u, Q);
    }
}

/* ---------------------------------------------------------------- tests */

/* The same by the library alone. */
static void test_bits(void **state)
{
    fixture *f = *state;
    enum { STEPS = 30 };
    double q[STEPS];
    clv_model *m;
    clv_sim *s;
    clv_joint_result r;
    assert_int_equal(clv_model_read_text(&m, pendulum, strlen(pendulum), "pendulum"), CLV_OK);
    clv_sim_options o = clv_sim_options_default();
    o.rtol = 1e-9;
    assert_int_equal(clv_sim_create(&s, m, &o), CLV_OK);
    begin(f, f->u);
    assert_true(fabs(fabs(get(f, f->u, TIP_X)) - 0.4 * sin(0.5)) < 1e-12);
    drive(f, f->u, 0, STEPS, q);
    for (int i = 0; i < STEPS; i++) {
        assert_int_equal(clv_sim_set_input(s, 0, i % 3 - 1), CLV_OK);
        assert_int_equal(clv_sim_advance(s, i * 0.1 + 0.1), CLV_OK);
        assert_int_equal(clv_sim_joint(s, 0, &r), CLV_OK);
        assert_true(q[i] == r.q[0]);
    }
    assert_true(get(f, f->u, UDOT) == r.udot[0]);
    assert_true(get(f, f->u, TIP_Z) == clv_sim_marker(s)[2]);
    assert_true(fabs(q[STEPS - 1] - 0.5) > 0.01);
    assert_true(get(f, f->u, TIME) == (STEPS - 1) * 0.1 + 0.1);
    assert_int_equal(set(f, f->u, TORQUE, 5), fmi3OK); /* accelerations follow an input at once */
    assert_int_equal(clv_sim_set_input(s, 0, 5), CLV_OK);
    assert_int_equal(clv_sim_joint(s, 0, &r), CLV_OK);
    assert_true(get(f, f->u, UDOT) == r.udot[0]);
    assert_int_equal(set(f, f->u, TORQUE, 500), fmi3OK); /* clipped at its limit */
    assert_true(get(f, f->u, TORQUE) == 20);
    assert_int_equal(f->c.end(f->u), fmi3OK);
    clv_sim_destroy(s);
    clv_model_destroy(m);
}

static void test_states(void **state)
{
    fixture *f = *state;
    double q[40], again[40], other[40];
    void *saved = NULL, *copy = NULL, *u = create(f, f->unit.token);
    size_t size = 0;
    begin(f, f->u);
    assert_int_equal(f->c.save(f->u, &saved), fmi3OK);
    drive(f, f->u, 0, 15, q);
    assert_int_equal(f->c.save(f->u, &saved), fmi3OK); /* the block is used again */
    drive(f, f->u, 15, 40, q);
    assert_int_equal(f->c.load(f->u, saved), fmi3OK);
    assert_true(get(f, f->u, Q) == q[14]);
    drive(f, f->u, 15, 40, again);
    assert_memory_equal(q + 15, again + 15, 25 * sizeof *q);
    assert_int_equal(f->c.size(f->u, saved, &size), fmi3OK);
    uint8_t *bytes = malloc(size);
    assert_non_null(bytes);
    assert_int_equal(f->c.write(f->u, saved, bytes, size - 1), fmi3Error);
    assert_int_equal(f->c.write(f->u, saved, bytes, size), fmi3OK);
    assert_int_equal(f->c.read(u, bytes, size, &copy), fmi3OK);
    assert_int_equal(f->c.load(u, copy), fmi3OK); /* another instance, not even initialized */
    drive(f, u, 15, 40, other);
    assert_memory_equal(q + 15, other + 15, 25 * sizeof *q);
    bytes[size / 2] ^= 1;
    assert_int_equal(f->c.read(u, bytes, size, &copy), fmi3OK);
    assert_int_equal(f->c.load(u, copy), fmi3Error);
    assert_non_null(strstr(f->said.text, "damaged"));
    assert_int_equal(f->c.read(u, bytes, 10, &copy), fmi3OK);
    assert_int_equal(f->c.load(u, copy), fmi3Error);
    assert_true(get(f, u, Q) == q[39]); /* it is as before */
    assert_int_equal(f->c.forget(u, &copy), fmi3OK);
    assert_int_equal(f->c.forget(f->u, &saved), fmi3OK);
    assert_null(saved);
    free(bytes);
    f->c.drop(u);
}

static void test_two_instances(void **state)
{
    fixture *f = *state;
    double alone[20], q[20], heavy[20];
    void *u = create(f, f->unit.token);
    begin(f, f->u);
    drive(f, f->u, 0, 20, alone);
    assert_int_equal(f->c.reset(f->u), fmi3OK);
    assert_int_equal(set(f, u, M, 8), fmi3OK);
    begin(f, f->u), begin(f, u);
    for (int i = 0; i < 20; i++)
        drive(f, f->u, i, i + 1, q), drive(f, u, i, i + 1, heavy);
    assert_memory_equal(alone, q, sizeof q);
    assert_true(fabs(q[19] - heavy[19]) > 1e-3);
    f->c.drop(u);
}

static void test_parameters(void **state)
{
    fixture *f = *state;
    assert_true(get(f, f->u, L) == 400 && get(f, f->u, M) == 2);
    assert_int_equal(set(f, f->u, M, 20), fmi3Error);
    assert_non_null(strstr(f->said.text, "outside its range"));
    assert_int_equal(set(f, f->u, M, NAN), fmi3Error);
    assert_int_equal(set(f, f->u, HALF, 1), fmi3Error);
    assert_non_null(strstr(f->said.text, "computed from other parameters"));
    assert_int_equal(set(f, f->u, L, 800), fmi3OK);
    assert_int_equal(f->c.enter(f->u, true, 1e-8, 0, true, 1), fmi3OK);
    assert_true(get(f, f->u, HALF) == 0.4);
    const double z = get(f, f->u, TIP_Z);
    assert_true(fabs(z + 0.8 * cos(0.5)) < 1e-12);
    assert_int_equal(set(f, f->u, L, 400), fmi3OK); /* still allowed */
    assert_true(fabs(get(f, f->u, TIP_Z) - 0.5 * z) < 1e-12);
    assert_int_equal(set(f, f->u, L, 0), fmi3OK); /* a rod without a length has no inertia */
    assert_int_equal(f->c.leave(f->u), fmi3Error);
    assert_int_equal(set(f, f->u, L, 400), fmi3OK);
    assert_int_equal(set(f, f->u, N, 3), fmi3OK); /* bodies more, which no output shows */
    assert_int_equal(f->c.leave(f->u), fmi3OK);
    assert_int_equal(set(f, f->u, L, 500), fmi3Error);
    assert_non_null(strstr(f->said.text, "fixed after the initialization"));
    assert_int_equal(step(f, f->u, 0, 2), fmi3Error); /* the experiment ends at 1 s */
    assert_int_equal(step(f, f->u, 0, 1), fmi3OK);
}

/* A value by which the unit would have other outputs. */
static void test_structure(void **state)
{
    static const char *const words[] = {"l=0.5m", NULL};
    fixture f = {0};
    (void)state;
    assert_true(make_unit(&f.unit, "cleave_fmu_structure", pendulum, 3, words));
    f.c = calls_of(f.unit.library);
    f.u = create(&f, f.unit.token);
    assert_non_null(f.u);
    assert_true(get(&f, f.u, L) == 500 && get(&f, f.u, HALF) == 0.25); /* as at the export */
    assert_int_equal(set(&f, f.u, N, 2), fmi3OK);
    assert_int_equal(f.c.enter(f.u, false, 0, 0, false, 0), fmi3OK);
    assert_int_equal(f.c.leave(f.u), fmi3Error);
    assert_non_null(strstr(f.said.text, "stone2"));
    assert_int_equal(set(&f, f.u, N, 1), fmi3OK);
    assert_int_equal(set(&f, f.u, L, 600), fmi3OK); /* in place of the value given */
    assert_int_equal(f.c.leave(f.u), fmi3OK);
    assert_true(get(&f, f.u, HALF) == 0.3);
    f.c.drop(f.u);
    drop_unit(&f.unit);
}

static void test_mistakes(void **state)
{
    fixture *f = *state;
    const uint32_t many[] = {Q, 1000, 0xffffffffu};
    double x[3] = {0};
    bool b;
    assert_null(create(f, "{another}"));
    assert_non_null(strstr(f->said.text, "another unit"));
    assert_null(create(f, NULL));
    assert_null(f->c.create("one", f->unit.token, "/nowhere/", false, false, false, false, NULL, 0, &f->said, note,
                            NULL));
    assert_null(f->c.create("one", f->unit.token, f->unit.resources, false, false, true, false, NULL, 0, &f->said, note,
                            NULL));
    assert_null(f->c.create("one", f->unit.token, NULL, false, false, false, false, NULL, 0, NULL, NULL, NULL));
    assert_int_equal(f->c.leave(f->u), fmi3Error);
    assert_int_equal(step(f, f->u, 0, 1), fmi3Error);
    assert_int_equal(f->c.get(f->u, many, 1, x, 1), fmi3Error); /* an output before the initialization */
    assert_int_equal(f->c.enter(f->u, true, 2, 0, false, 0), fmi3Error);
    assert_int_equal(f->c.enter(f->u, false, 0, NAN, false, 0), fmi3Error);
    begin(f, f->u);
    assert_int_equal(f->c.enter(f->u, false, 0, 0, false, 0), fmi3Error);
    assert_int_equal(f->c.get(f->u, many, 2, x, 2), fmi3Error);
    assert_int_equal(f->c.get(f->u, many + 2, 1, x, 1), fmi3Error);
    assert_int_equal(f->c.get(f->u, many, 1, x, 2), fmi3Error);
    assert_int_equal(f->c.get(f->u, NULL, 1, x, 1), fmi3Error);
    assert_int_equal(set(f, f->u, Q, 1), fmi3Error);
    assert_int_equal(set(f, f->u, TIME, 1), fmi3Error);
    assert_int_equal(set(f, f->u, TORQUE, INFINITY), fmi3Error);
    assert_int_equal(f->c.step(f->u, 0, 1, true, &b, &b, &b, NULL), fmi3Error);
    assert_int_equal(step(f, f->u, 0.5, 1), fmi3Error); /* it is at 0 */
    assert_int_equal(step(f, f->u, 0, -1), fmi3Error);
    assert_int_equal(step(f, f->u, 0, NAN), fmi3Error);
    assert_int_equal(f->c.load(f->u, NULL), fmi3Error);
    assert_int_equal(f->c.get(NULL, many, 1, x, 1), fmi3Error);
    f->c.drop(NULL);
    assert_true(f->said.count > 10);
    assert_int_equal(step(f, f->u, 0, 0.1), fmi3OK); /* none of them has harmed it */
    assert_int_equal(f->c.end(f->u), fmi3OK);
    assert_int_equal(step(f, f->u, 0.1, 0.1), fmi3Error);
    assert_int_equal(f->c.reset(f->u), fmi3OK);
    begin(f, f->u);
}

/* Files of the resources that are damaged or missing. */
static void test_resources(void **state)
{
    static const char *const bad[] = {"", "cleave-fmu 2\n", "cleave-fmu 1\nrtol 7\n", "cleave-fmu 1\nkind\n",
                                      "cleave-fmu 1\ncolour red\n", "cleave-fmu 1\nkind cs\nformulation best\n",
                                      "cleave-fmu 1\nkind cs\noutputs no.such\n", "cleave-fmu 1\nkind cs\ngiven m=50\n",
                                      "cleave-fmu 1\nkind cs\nrtol 1e-6x\n", "\xff\xfe"};
    fixture *f = *state;
    char path[300], was[300];
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        snprintf(path, sizeof path, "%s/resources/unit.txt", f->unit.folder);
        assert_true(write_file(path, bad[i], strlen(bad[i])));
        f->said.count = 0;
        assert_null(create(f, f->unit.token));
        assert_int_equal(f->said.count, 1);
    }
    snprintf(path, sizeof path, "%s/resources/model.yaml", f->unit.folder);
    snprintf(was, sizeof was, "%s/resources/was.yaml", f->unit.folder);
    assert_int_equal(rename(path, was), 0);
    assert_null(create(f, f->unit.token));
    assert_int_equal(f->c.enter(f->u, false, 0, 0, false, 0), fmi3OK);
    assert_int_equal(f->c.leave(f->u), fmi3Error); /* an instance reads the model with its values */
    assert_int_equal(rename(was, path), 0);
    assert_int_equal(f->c.leave(f->u), fmi3OK);
}

/* A start later than 0: tables and motions are those of that time. */
static void test_start_time(void **state)
{
    static const char slide[] = "cleave: 1\n"
                                "bodies: {b: {mass: 1, inertia: [1, 1, 1]}}\n"
                                "joints: {j: {kind: prismatic, a: {body: ground}, b: {body: b}}}\n"
                                "motions: {m: {joint: j, rate: 2}}\n"
                                "inputs: {push: {motion: m}}\n";
    static const char *const words[] = {"--outputs", "j.q,j.u", NULL};
    fixture f = {0};
    (void)state;
    assert_true(make_unit(&f.unit, "cleave_fmu_start", slide, 3, words));
    f.c = calls_of(f.unit.library);
    f.u = create(&f, f.unit.token);
    assert_non_null(f.u);
    assert_int_equal(f.c.enter(f.u, false, 0, 3, true, 5), fmi3OK);
    assert_int_equal(f.c.leave(f.u), fmi3OK);
    assert_true(get(&f, f.u, 0) == 3 && fabs(get(&f, f.u, 2) - 6) < 1e-12);
    assert_int_equal(set(&f, f.u, 1, 0.5), fmi3OK);
    assert_int_equal(step(&f, f.u, 3, 2), fmi3OK);
    assert_true(fabs(get(&f, f.u, 2) - 11) < 1e-12 && fabs(get(&f, f.u, 3) - 3) < 1e-12);
    f.c.drop(f.u);
    drop_unit(&f.unit);
}

/* A slider driven farther than its crank and rod reach. */
static void test_failure(void **state)
{
    static const char crank[] =
        "cleave: 1\n"
        "gravity: [0, 0, 0]\n"
        "bodies: {crank: {mass: 1, inertia: [1, 1, 1]}, rod: {mass: 1, inertia: [1, 1, 1]},"
        " slider: {mass: 1, inertia: [1, 1, 1]}}\n"
        "joints:\n"
        "  a: {kind: revolute, between: [ground, crank], at: [0, 0, 0], axis: [0, 0, 1]}\n"
        "  b: {kind: revolute, between: [crank, rod], at: [1, 1, 0], axis: [0, 0, 1]}\n"
        "  c: {kind: revolute, between: [rod, slider], at: [2, 0, 0], axis: [0, 0, 1]}\n"
        "  d: {kind: prismatic, between: [ground, slider], at: [2, 0, 0], axis: [1, 0, 0]}\n"
        "motions: {m: {joint: d, rate: 1}}\n";
    static const char *const words[] = {"--outputs", "d.q", NULL};
    fixture f = {0};
    (void)state;
    assert_true(make_unit(&f.unit, "cleave_fmu_failure", crank, 3, words));
    f.c = calls_of(f.unit.library);
    f.u = create(&f, f.unit.token);
    void *saved = NULL;
    begin(&f, f.u);
    assert_int_equal(step(&f, f.u, 0, 0.5), fmi3OK);
    assert_int_equal(f.c.save(f.u, &saved), fmi3OK);
    assert_int_equal(step(&f, f.u, 0.5, 1), fmi3Error);
    assert_true(f.said.count == 1 && strlen(f.said.text) > 10);
    assert_int_equal(step(&f, f.u, 0.5, 0.1), fmi3Error); /* it has failed */
    assert_int_equal(f.c.load(f.u, saved), fmi3OK);
    assert_int_equal(step(&f, f.u, 0.5, 0.1), fmi3OK);
    assert_true(fabs(get(&f, f.u, 1) - 0.6) < 1e-9);
    f.c.forget(f.u, &saved);
    f.c.drop(f.u);
    drop_unit(&f.unit);
}

/* ---------------------------------------------------------------- FMI 2.0 */

typedef struct calls2 {
    void *(*create)(const char *, fmi2Type, const char *, const char *, const fmi2CallbackFunctions *, int, int);
    void (*drop)(void *);
    fmi2Status (*setup)(void *, int, double, double, int, double);
    fmi2Status (*enter)(void *);
    fmi2Status (*leave)(void *);
    fmi2Status (*end)(void *);
    fmi2Status (*get)(void *, const unsigned *, size_t, double *);
    fmi2Status (*set)(void *, const unsigned *, size_t, const double *);
    fmi2Status (*step)(void *, double, double, int);
    fmi2Status (*save)(void *, void **);
    fmi2Status (*load)(void *, void *);
    fmi2Status (*forget)(void *, void **);
    fmi2Status (*size)(void *, void *, size_t *);
    fmi2Status (*last)(void *, fmi2StatusKind, double *);
} calls2;

static calls2 calls2_of(void *library)
{
    calls2 c;
    find(library, "fmi2Instantiate", &c.create), find(library, "fmi2FreeInstance", &c.drop);
    find(library, "fmi2SetupExperiment", &c.setup), find(library, "fmi2EnterInitializationMode", &c.enter);
    find(library, "fmi2ExitInitializationMode", &c.leave), find(library, "fmi2Terminate", &c.end);
    find(library, "fmi2GetReal", &c.get), find(library, "fmi2SetReal", &c.set), find(library, "fmi2DoStep", &c.step);
    find(library, "fmi2GetFMUstate", &c.save), find(library, "fmi2SetFMUstate", &c.load);
    find(library, "fmi2FreeFMUstate", &c.forget), find(library, "fmi2SerializedFMUstateSize", &c.size);
    find(library, "fmi2GetRealStatus", &c.last);
    return c;
}

static void note2(void *environment, const char *name, fmi2Status status, const char *category, const char *message,
                  ...)
{
    journal *j = environment;
    va_list args;
    va_start(args, message);
    vsnprintf(j->text, sizeof j->text, message, args);
    va_end(args);
    j->count += status == fmi2Error && strcmp(name, "one %s") == 0 && *category;
}

/* The folder of the resources as a URI has it. */
static void make_uri(char *uri, size_t size, const char *folder)
{
    size_t n = (size_t)snprintf(uri, size, "file://localhost");
    for (const char *c = folder; *c; c++)
        n += (size_t)snprintf(uri + n, size - n, *c == ' ' ? "%%20" : "%c", *c);
    snprintf(uri + n, size - n, "/resources");
}

static void test_fmi2_refuses(void **state)
{
    unpacked p;
    journal said = {0};
    char uri[400];
    double x;
    (void)state;
    assert_true(make_unit(&p, "cleave fmu two", pendulum, 2, outputs));
    const calls2 c = calls2_of(p.library);
    const fmi2CallbackFunctions functions = {note2, NULL, NULL, NULL, &said};
    make_uri(uri, sizeof uri, p.folder);
    assert_null(c.create("one %s", fmi2CoSimulation, "{another %s}", uri, &functions, 0, 0));
    assert_non_null(strstr(said.text, "another %s")); /* no format */
    assert_null(c.create("one %s", fmi2CoSimulation, p.token, NULL, &functions, 0, 0));
    assert_null(c.create("one %s", fmi2CoSimulation, p.token, "file:///%zz%", &functions, 0, 0));
    assert_null(c.create("one %s", fmi2CoSimulation, p.token, "/nowhere", NULL, 0, 0));
    void *u = c.create("one %s", fmi2CoSimulation, p.token, uri, &functions, 0, 1);
    assert_non_null(u);
    const unsigned reference = 1000;
    assert_int_equal(c.get(u, &reference, 1, &x), fmi2Error);
    assert_int_equal(c.step(u, 0, 1, 1), fmi2Error);
    assert_int_equal(c.end(u), fmi2Error);
    assert_true(said.count >= 5);
    c.drop(u);
    drop_unit(&p);
}

static void test_fmi2(void **state)
{
    unpacked p;
    journal said = {0};
    double x = 4, bit[2] = {0}, first = 0;
    unsigned reference = M;
    char uri[400];
    void *saved = NULL;
    size_t size = 0;
    (void)state;
    assert_true(make_unit(&p, "cleave fmu two", pendulum, 2, outputs));
    const calls2 c = calls2_of(p.library);
    const fmi2CallbackFunctions functions = {note2, NULL, NULL, NULL, &said};
    make_uri(uri, sizeof uri, p.folder);
    void *u = c.create("one %s", fmi2CoSimulation, p.token, uri, &functions, 0, 1);
    assert_non_null(u);
    assert_int_equal(c.setup(u, 0, 0, 0, 0, 0), fmi2OK);
    assert_int_equal(c.enter(u), fmi2OK);
    assert_int_equal(c.set(u, &reference, 1, &x), fmi2OK);
    assert_int_equal(c.leave(u), fmi2OK);
    reference = Q;
    assert_int_equal(c.step(u, 0, 0.5, 1), fmi2OK);
    assert_int_equal(c.save(u, &saved), fmi2OK);
    assert_int_equal(c.size(u, saved, &size), fmi2OK);
    assert_true(size > 1000);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(c.step(u, 0.5, 0.5, 0), fmi2OK);
        assert_int_equal(c.get(u, &reference, 1, &bit[i]), fmi2OK);
        assert_int_equal(c.last(u, fmi2LastSuccessfulTime, &x), fmi2OK);
        assert_true(x == 1);
        assert_int_equal(c.load(u, saved), fmi2OK);
    }
    assert_true(bit[0] == bit[1]);
    assert_int_equal(c.get(u, &reference, 1, &first), fmi2OK);
    assert_true(first != bit[0]);
    assert_int_equal(c.forget(u, &saved), fmi2OK);
    assert_int_equal(c.end(u), fmi2OK);
    assert_int_equal(said.count, 0);
    c.drop(u);
    drop_unit(&p);
}

/* Importers look for all functions of their version. */
static void test_names(void **state)
{
    static const char *const name[] = {
        "fmi2GetTypesPlatform", "fmi2GetVersion", "fmi2SetDebugLogging", "fmi2Reset", "fmi2GetInteger",
        "fmi2SetInteger", "fmi2GetBoolean", "fmi2SetBoolean", "fmi2GetString", "fmi2SetString",
        "fmi2SerializeFMUstate", "fmi2DeSerializeFMUstate", "fmi2GetDirectionalDerivative",
        "fmi2SetRealInputDerivatives", "fmi2GetRealOutputDerivatives", "fmi2CancelStep", "fmi2GetStatus",
        "fmi2GetIntegerStatus", "fmi2GetBooleanStatus", "fmi2GetStringStatus", "fmi3GetVersion", "fmi3SetDebugLogging",
        "fmi3InstantiateModelExchange", "fmi3InstantiateScheduledExecution", "fmi3GetFloat32", "fmi3SetFloat32",
        "fmi3GetInt8", "fmi3SetInt8", "fmi3GetUInt8", "fmi3SetUInt8", "fmi3GetInt16", "fmi3SetInt16", "fmi3GetUInt16",
        "fmi3SetUInt16", "fmi3GetInt32", "fmi3SetInt32", "fmi3GetUInt32", "fmi3SetUInt32", "fmi3GetInt64",
        "fmi3SetInt64", "fmi3GetUInt64", "fmi3SetUInt64", "fmi3GetBoolean", "fmi3SetBoolean", "fmi3GetString",
        "fmi3SetString", "fmi3GetBinary", "fmi3SetBinary", "fmi3GetClock", "fmi3SetClock", "fmi3GetIntervalDecimal",
        "fmi3GetIntervalFraction", "fmi3GetShiftDecimal", "fmi3GetShiftFraction", "fmi3SetIntervalDecimal",
        "fmi3SetIntervalFraction", "fmi3SetShiftDecimal", "fmi3SetShiftFraction", "fmi3EvaluateDiscreteStates",
        "fmi3ActivateModelPartition", "fmi3GetNumberOfVariableDependencies", "fmi3GetVariableDependencies",
        "fmi3EnterConfigurationMode", "fmi3ExitConfigurationMode", "fmi3GetDirectionalDerivative",
        "fmi3GetAdjointDerivative", "fmi3GetOutputDerivatives", "fmi3EnterStepMode"};
    fixture *f = *state;
    void *function;
    for (size_t i = 0; i < sizeof name / sizeof *name; i++)
        find(f->unit.library, name[i], &function);
    const char *(*version)(void);
    find(f->unit.library, "fmi3GetVersion", &version);
    assert_string_equal(version(), "3.0");
    find(f->unit.library, "fmi2GetVersion", &version);
    assert_string_equal(version(), "2.0");
    fmi3Status (*integers)(void *, const uint32_t *, size_t, int32_t *, size_t);
    const uint32_t reference = 1;
    int32_t value;
    find(f->unit.library, "fmi3GetInt32", &integers);
    assert_int_equal(integers(f->u, NULL, 0, NULL, 0), fmi3OK);
    assert_int_equal(integers(f->u, &reference, 1, &value, 1), fmi3Error);
    assert_int_equal(integers(NULL, &reference, 1, &value, 1), fmi3Error);
    assert_null(dlsym(f->unit.library, "clv_sim_create")); /* nothing else is to be seen */
}

/* An event of the model ends the run inside a step; a state saved before it goes on from there. */
static void test_end(void **state)
{
    static const char model[] = "cleave: 1\n"
                                "bodies: {b: {mass: 1, inertia: [1, 1, 1]}}\n"
                                "joints: {a: {kind: revolute, a: {body: ground}, b: {body: b}}}\n"
                                "events: {latch: {at: 0.3, lock: a}, free: {at: 0.5, release: latch},"
                                " end: {at: 1.25, stop: true}}\n"
                                "start: {joints: {a: {u: 1}}}\n";
    fixture f = {.u = NULL};
    bool event, terminate = true, early;
    double reached;
    void *saved = NULL;
    (void)state;
    assert_true(make_unit(&f.unit, "cleave_fmu_end", model, 3, NULL));
    f.c = calls_of(f.unit.library);
    f.u = create(&f, f.unit.token);
    assert_non_null(f.u);
    begin(&f, f.u);
    assert_int_equal(f.c.step(f.u, 0, 0.4, false, &event, &terminate, &early, &reached), fmi3OK);
    assert_false(terminate);
    assert_int_equal(f.c.save(f.u, &saved), fmi3OK);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(f.c.step(f.u, 0.4, 0.4, false, &event, &terminate, &early, &reached), fmi3OK);
        assert_false(terminate);
        assert_int_equal(f.c.step(f.u, 0.8, 0.8, false, &event, &terminate, &early, &reached), fmi3Discard);
        assert_true(terminate);
        assert_true(reached == 1.25);
        assert_int_equal(f.c.load(f.u, saved), fmi3OK);
    }
    assert_int_equal(f.c.forget(f.u, &saved), fmi3OK);
    f.c.drop(f.u);
    drop_unit(&f.unit);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_bits, open_fixture, close_fixture),
        cmocka_unit_test_setup_teardown(test_states, open_fixture, close_fixture),
        cmocka_unit_test_setup_teardown(test_two_instances, open_fixture, close_fixture),
        cmocka_unit_test_setup_teardown(test_parameters, open_fixture, close_fixture),
        cmocka_unit_test_setup_teardown(test_mistakes, open_fixture, close_fixture),
        cmocka_unit_test_setup_teardown(test_names, open_fixture, close_fixture),
        cmocka_unit_test_setup_teardown(test_resources, open_fixture, close_fixture),
        cmocka_unit_test(test_structure),
        cmocka_unit_test(test_start_time),
        cmocka_unit_test(test_failure),
        cmocka_unit_test(test_end),
        cmocka_unit_test(test_fmi2),
        cmocka_unit_test(test_fmi2_refuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
