/* SPDX-License-Identifier: Apache-2.0
 * A functional mock-up unit in model exchange, integrated here by the classical Runge-Kutta rule: the motion of the
 * library, loops closed at events, breaks of tables, saved states, mistakes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include "fmu/fmi2.h"
#include "tests/fmu/instance.h"

enum { MOST = 64 };

/* ---------------------------------------------------------------- an importer */

typedef struct importer {
    fixture f;
    size_t n;          /* states          */
    double t, x[MOST];
    double next;       /* s, of the next break; INFINITY: none */
    int events, jumps; /* events after steps; those that changed the state */
} importer;

static void update(importer *m)
{
    bool again, terminate, nominals, values, has_next;
    assert_int_equal(m->f.c.update(m->f.u, &again, &terminate, &nominals, &values, &has_next, &m->next), fmi3OK);
    assert_false(again || terminate || nominals);
    if (!has_next)
        m->next = INFINITY;
    m->jumps += values;
    assert_int_equal(m->f.c.states(m->f.u, m->x, m->n), fmi3OK);
    assert_int_equal(m->f.c.go_on(m->f.u), fmi3OK);
}

static void open_importer(importer *m, const char *folder, const char *model, const char *const *words)
{
    fixture *f = &m->f;
    memset(m, 0, sizeof *m);
    assert_true(make_unit(&f->unit, folder, model, 3, words));
    f->c = calls_of(f->unit.library);
    f->u = f->c.create_exchange("one", f->unit.token, f->unit.resources, false, false, &f->said, note);
    assert_non_null(f->u);
    assert_int_equal(f->c.count(f->u, &m->n), fmi3OK);
    assert_in_range(m->n, 1, MOST);
}

static void start(importer *m)
{
    begin(&m->f, m->f.u);
    update(m);
    assert_int_equal(m->jumps, 0);
}

static void close_importer(importer *m)
{
    m->f.c.drop(m->f.u);
    drop_unit(&m->f.unit);
}

static void rates(importer *m, double t, const double *x, double *to)
{
    assert_int_equal(m->f.c.time(m->f.u, t), fmi3OK);
    assert_int_equal(m->f.c.put(m->f.u, x, m->n), fmi3OK);
    assert_int_equal(m->f.c.rates(m->f.u, to, m->n), fmi3OK);
}

/* One step; *event: the unit has closed its loops, or has come to a break. */
static void step_on(importer *m, double h)
{
    static const double at[] = {0, 0.5, 0.5, 1}, weight[] = {1. / 6, 1. / 3, 1. / 3, 1. / 6};
    double k[MOST] = {0}, y[MOST], sum[MOST] = {0};
    bool event, terminate;
    for (int i = 0; i < 4; i++) {
        for (size_t j = 0; j < m->n; j++)
            y[j] = m->x[j] + at[i] * h * k[j];
        rates(m, m->t + at[i] * h, y, k);
        for (size_t j = 0; j < m->n; j++)
            sum[j] += weight[i] * k[j];
    }
    for (size_t j = 0; j < m->n; j++)
        m->x[j] += h * sum[j];
    m->t += h;
    assert_int_equal(m->f.c.time(m->f.u, m->t), fmi3OK);
    assert_int_equal(m->f.c.put(m->f.u, m->x, m->n), fmi3OK);
    assert_int_equal(m->f.c.complete(m->f.u, true, &event, &terminate), fmi3OK);
    assert_false(terminate);
    if (event || m->t >= m->next) {
        m->events++;
        assert_int_equal(m->f.c.event(m->f.u), fmi3OK);
        update(m);
    }
}

/* To a time, in equal steps up to breaks. */
static void go_to(importer *m, double end, double h)
{
    while (m->t < end - 1e-12) {
        const double to = fmin(end, m->next), n = ceil((to - m->t) / h - 1e-9);
        step_on(m, (to - m->t) / fmax(n, 1));
        if (fabs(m->t - to) < 1e-12)
            m->t = to;
    }
}

static double value(importer *m, uint32_t reference) { return get(&m->f, m->f.u, reference); }

/* ---------------------------------------------------------------- open mechanisms */

static const char pendulum[] =
    "cleave: 1\n"
    "parameters: {l: 400 mm}\n"
    "bodies: {rod: {mass: 2, com: [l/2, 0, 0], inertia: [1 g m^2, 0.03, 0.03]}}\n"
    "joints: {a: {kind: revolute, a: {body: ground, orientation: {x: [0, 0, -1], z: [0, 1, 0]}},"
    " b: {body: rod, orientation: {x: [1, 0, 0], z: [0, 1, 0]}}}}\n"
    "inputs: {torque: {joint: a, limit: 20}}\n"
    "start: {joints: {a: {q: 0.5}}}\n";
enum { TIME, TORQUE, L, Q, U, UDOT, STATE_Q, STATE_U, WORK, DER_Q, DER_U, POWER };

static void test_pendulum(void **state)
{
    static const char *const words[] = {"--outputs", "a.q,a.u,a.udot", "--formulation", "dca", NULL};
    importer m;
    clv_model *model;
    clv_sim *s;
    clv_joint_result r;
    double nominal[3] = {0};
    (void)state;
    open_importer(&m, "cleave_fmu_exchange", pendulum, words);
    assert_int_equal(m.n, 3);
    assert_int_equal(set(&m.f, m.f.u, L, 500), fmi3OK);
    start(&m);
    assert_true(value(&m, STATE_Q) == 0.5 && m.next == INFINITY);
    assert_int_equal(m.f.c.nominals(m.f.u, nominal, 3), fmi3OK);
    assert_true(nominal[0] == 1 && nominal[1] > 0 && nominal[2] > 0);
    const char *const l[] = {"l=500"};
    assert_int_equal(clv_model_read_text_with(&model, pendulum, strlen(pendulum), "pendulum", l, 1), CLV_OK);
    clv_sim_options o = clv_sim_options_default();
    o.rtol = 1e-12;
    assert_int_equal(clv_sim_create(&s, model, &o), CLV_OK);
    for (int i = 0; i < 20; i++) {
        assert_int_equal(set(&m.f, m.f.u, TORQUE, i % 3 - 1), fmi3OK);
        assert_int_equal(clv_sim_set_input(s, 0, i % 3 - 1), CLV_OK);
        go_to(&m, 0.1 * (i + 1), 1e-3);
        assert_int_equal(clv_sim_advance(s, 0.1 * (i + 1)), CLV_OK);
        assert_int_equal(clv_sim_joint(s, 0, &r), CLV_OK);
        assert_true(fabs(value(&m, Q) - r.q[0]) < 1e-9 && fabs(value(&m, U) - r.u[0]) < 1e-9);
        assert_true(fabs(value(&m, UDOT) - r.udot[0]) < 1e-8);
        assert_true(value(&m, STATE_Q) == m.x[0] && value(&m, Q) == m.x[0]);
        assert_true(value(&m, DER_Q) == value(&m, U) && value(&m, DER_U) == value(&m, UDOT));
    }
    const double before = value(&m, DER_U);
    assert_int_equal(set(&m.f, m.f.u, TORQUE, 7), fmi3OK);
    assert_true(fabs(value(&m, DER_U) - before - 7 / (0.03 + 2 * 0.0625)) < 1e-9);
    assert_true(fabs(value(&m, POWER) - 7 * value(&m, U)) < 1e-12);
    assert_int_equal(m.events, 0);
    clv_sim_destroy(s);
    clv_model_destroy(model);
    close_importer(&m);
}

/* ---------------------------------------------------------------- loops */

static const char four_bar[] =
    "cleave: 1\n"
    "gravity: [0, -9.81, 0]\n"
    "bodies:\n"
    "  crank: {mass: 1, com: [0, 0.5, 0], inertia: [0.08, 0.01, 0.08]}\n"
    "  coupler: {mass: 2, com: [1, 0.25, 0], inertia: [0.05, 0.70, 0.71]}\n"
    "  rocker: {mass: 1, com: [0, -0.75, 0], inertia: [0.19, 0.01, 0.19]}\n"
    "joints:\n"
    "  a: {kind: revolute, between: [ground, crank], at: [0, 0, 0], axis: [0, 0, 1]}\n"
    "  b: {kind: revolute, between: [crank, coupler], at: [0, 1, 0], axis: [0, 0, 1]}\n"
    "  c: {kind: revolute, between: [coupler, rocker], at: [2, 1.5, 0], axis: [0, 0, 1]}\n"
    "  d: {kind: revolute, between: [rocker, ground], at: [2, 0, 0], axis: [0, 0, 1]}\n"
    "start:\n"
    "  bodies: {coupler: {position: [0, 1, 0]}, rocker: {position: [2, 1.5, 0]}}\n"
    "  joints: {a: {u: -1.5}}\n";

/* Large steps leave the loop open by more than the tolerance: it is closed at events, and the energy stays. */
static void check_loop(const char *formulation)
{
    const char *const words[] = {"--outputs", "energy.kinetic,energy.potential,violation.position", "--formulation",
                                 formulation, "--rtol", "1e-7", NULL};
    enum { KINETIC = 1, POTENTIAL, VIOLATION };
    importer m;
    double worst = 0, drift = 0;
    open_importer(&m, "cleave_fmu_loop", four_bar, words);
    start(&m);
    const double energy = value(&m, KINETIC) + value(&m, POTENTIAL);
    for (int i = 0; i < 200; i++) {
        step_on(&m, 0.01);
        worst = fmax(worst, value(&m, VIOLATION));
        drift = fmax(drift, fabs(value(&m, KINETIC) + value(&m, POTENTIAL) - energy));
    }
    assert_true(m.events > 0 && m.jumps == m.events);
    assert_true(worst > 0 && worst < 1e-6);
    assert_true(drift < 5e-4); /* J of 40; that of the rule: `run --integrator rk4 --step 0.01` has 4e-4 */
    close_importer(&m);
}

static void test_loop(void **state)
{
    (void)state;
    check_loop("hdca"), check_loop("dca"), check_loop("massmatrix");
}

/* ---------------------------------------------------------------- breaks and saved states */

static const char table[] =
    "cleave: 1\n"
    "bodies: {b: {mass: 1, inertia: [1, 1, 1]}, c: {mass: 1, com: [1, 0, 0], inertia: [1, 1, 1]}}\n"
    "joints:\n"
    "  a: {kind: revolute, a: {body: ground}, b: {body: b}}\n"
    "  d: {kind: revolute, a: {body: b}, b: {body: c}}\n"
    "motions: {m: {joint: a, profile: linear, table: [[0, 0], [0.25, 0.2], [0.6, -0.1], [2, 0.5]]}}\n"
    "forces: {f: {kind: joint-load, joint: d, drive: [[0, 0], [0.37, 2], [2, 0]], damping: 0.1}}\n";

/* A rate that jumps is an event at a known time: so does the state. */
static void test_breaks(void **state)
{
    static const char *const words[] = {"--outputs", "a.u,d.q,d.u", NULL};
    enum { A_U = 1, D_Q, D_U };
    importer m;
    clv_model *model;
    clv_sim *s;
    clv_joint_result r;
    (void)state;
    open_importer(&m, "cleave_fmu_breaks", table, words);
    start(&m);
    assert_true(fabs(m.next - 0.25) < 1e-12);
    assert_int_equal(clv_model_read_text(&model, table, strlen(table), "table"), CLV_OK);
    clv_sim_options o = clv_sim_options_default();
    o.rtol = 1e-12;
    assert_int_equal(clv_sim_create(&s, model, &o), CLV_OK);
    for (int i = 1; i <= 8; i++) {
        go_to(&m, 0.11 * i, 1e-3);
        assert_int_equal(clv_sim_advance(s, 0.11 * i), CLV_OK);
        assert_int_equal(clv_sim_joint(s, 1, &r), CLV_OK);
        assert_true(fabs(value(&m, D_Q) - r.q[0]) < 1e-9 && fabs(value(&m, D_U) - r.u[0]) < 1e-9);
        assert_int_equal(clv_sim_joint(s, 0, &r), CLV_OK);
        assert_true(fabs(value(&m, A_U) - r.u[0]) < 1e-12);
    }
    assert_int_equal(m.events, 3); /* two jumps of the rate, a row of the table of forces */
    assert_int_equal(m.jumps, 2);
    clv_sim_destroy(s);
    clv_model_destroy(model);
    close_importer(&m);
}

static void test_states(void **state)
{
    static const char *const words[] = {"--outputs", "d.q", "--rtol", "1e-8", NULL};
    importer m;
    double x[2][MOST];
    void *saved = NULL;
    (void)state;
    open_importer(&m, "cleave_fmu_exchange_states", four_bar, words);
    start(&m);
    for (int i = 0; i < 40; i++)
        step_on(&m, 0.01);
    assert_int_equal(m.f.c.save(m.f.u, &saved), fmi3OK);
    const importer then = m;
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < 60; i++)
            step_on(&m, 0.01);
        memcpy(x[k], m.x, sizeof x[k]);
        assert_int_equal(m.f.c.load(m.f.u, saved), fmi3OK);
        m = then;
    }
    assert_memory_equal(x[0], x[1], m.n * sizeof(double));
    assert_true(then.events > 0 && memcmp(x[0], then.x, m.n * sizeof(double)) != 0);
    m.f.c.forget(m.f.u, &saved);
    close_importer(&m);
}

/* In co-simulation states and derivatives can be read, too; that changes no bit of what follows. */
static void test_reading(void **state)
{
    static const char *const words[] = {"--outputs", "a.q,a.u,d.q", NULL};
    enum { LAST = 4 + 2 * 7 }; /* time, outputs; three coordinates, momenta, and the work, with derivatives */
    fixture f = {0};
    double seen[3] = {0}, x[LAST + 1] = {0};
    (void)state;
    assert_true(make_unit(&f.unit, "cleave_fmu_reading", four_bar, 3, words));
    f.c = calls_of(f.unit.library);
    void *u = create(&f, f.unit.token), *other = create(&f, f.unit.token);
    assert_true(u && other);
    begin(&f, u), begin(&f, other);
    for (int i = 0; i < 40; i++) {
        assert_int_equal(step(&f, u, 0.05 * i, 0.05), fmi3OK);
        assert_int_equal(step(&f, other, 0.05 * i, 0.05), fmi3OK);
        for (uint32_t k = 0; k < LAST; k++)
            x[k] = get(&f, u, k);
        for (uint32_t k = 0; k < 3; k++)
            seen[k] = get(&f, other, k + 1);
        assert_memory_equal(x + 1, seen, sizeof seen);
    }
    assert_true(fabs(x[1] + x[4]) < 1e-12 || fabs(x[1] - x[4]) < 1e-12); /* the coordinate of the crank is the state */
    assert_int_equal(f.c.get(u, &(uint32_t){LAST}, 1, x, 1), fmi3Error);
    f.c.drop(u), f.c.drop(other);
    drop_unit(&f.unit);
}

/* ---------------------------------------------------------------- refusals */

static void test_refusals(void **state)
{
    static const char *const words[] = {"--outputs", "a.q,a.u,a.udot", NULL};
    static const char *const steps_only[] = {"--kind", "cs", NULL}, *const exchange_only[] = {"--kind", "me", NULL};
    importer m;
    fixture f = {0};
    bool b;
    double x[MOST] = {0};
    (void)state;
    open_importer(&m, "cleave_fmu_refusals", pendulum, words);
    assert_int_equal(m.f.c.rates(m.f.u, x, m.n), fmi3Error); /* before the initialization */
    assert_int_equal(m.f.c.time(m.f.u, 1), fmi3Error);
    start(&m);
    assert_int_equal(m.f.c.rates(m.f.u, x, m.n + 1), fmi3Error);
    assert_int_equal(m.f.c.rates(m.f.u, NULL, m.n), fmi3Error);
    assert_int_equal(m.f.c.put(m.f.u, x, 0), fmi3Error);
    x[1] = NAN;
    assert_int_equal(m.f.c.put(m.f.u, x, m.n), fmi3Error);
    assert_int_equal(m.f.c.time(m.f.u, NAN), fmi3Error);
    assert_int_equal(m.f.c.complete(m.f.u, true, NULL, &b), fmi3Error);
    assert_int_equal(step(&m.f, m.f.u, 0, 1), fmi3Error);
    assert_int_equal(set(&m.f, m.f.u, STATE_Q, 1), fmi3Error);
    x[1] = 1e200; /* rates that are no numbers any more: the importer may try a smaller step */
    assert_int_equal(m.f.c.put(m.f.u, x, m.n), fmi3OK);
    const fmi3Status status = m.f.c.rates(m.f.u, x, m.n);
    assert_true(status == fmi3OK || status == fmi3Discard);
    assert_int_equal(m.f.c.put(m.f.u, m.x, m.n), fmi3OK);
    step_on(&m, 0.01);
    close_importer(&m);
    assert_true(make_unit(&f.unit, "cleave_fmu_kind", pendulum, 3, steps_only));
    f.c = calls_of(f.unit.library);
    assert_null(f.c.create_exchange("one", f.unit.token, f.unit.resources, false, false, &f.said, note));
    assert_null(strstr(f.unit.description, "ModelExchange"));
    assert_non_null(strstr(f.said.text, "co-simulation"));
    drop_unit(&f.unit);
    assert_true(make_unit(&f.unit, "cleave_fmu_kind", pendulum, 3, exchange_only));
    f.c = calls_of(f.unit.library);
    assert_null(create(&f, f.unit.token));
    assert_null(strstr(f.unit.description, "CoSimulation"));
    drop_unit(&f.unit);
}

/* Models without a state for model exchange are for co-simulation, or refused by name. */
static void test_models(void **state)
{
    static const char servo[] = "cleave: 1\n"
                                "bodies: {b: {mass: 1, inertia: [1, 1, 1]}}\n"
                                "joints: {a: {kind: revolute, a: {body: ground}, b: {body: b}}}\n"
                                "motions: {m: {joint: a, rate: 1}}\n"
                                "inputs: {i: {motion: m}}\n";
    static const char *const both[] = {"--kind", "both", NULL};
    static const char *const index3[] = {"--formulation", "index3", "--kind", "me", NULL};
    unpacked p;
    (void)state;
    assert_false(make_unit(&p, "cleave_fmu_models", servo, 3, both));
    drop_unit(&p);
    assert_false(make_unit(&p, "cleave_fmu_models", pendulum, 3, index3));
    drop_unit(&p);
    assert_true(make_unit(&p, "cleave_fmu_models", servo, 2, NULL));
    assert_null(strstr(p.description, "ModelExchange"));
    assert_non_null(strstr(p.description, "canGetAndSetFMUstate=\"true\""));
    drop_unit(&p);
}

/* ---------------------------------------------------------------- FMI 2.0 */

typedef struct calls2 {
    void *(*create)(const char *, fmi2Type, const char *, const char *, const fmi2CallbackFunctions *, int, int);
    void (*drop)(void *);
    fmi2Status (*setup)(void *, int, double, double, int, double);
    fmi2Status (*enter)(void *);
    fmi2Status (*leave)(void *);
    fmi2Status (*event)(void *);
    fmi2Status (*go_on)(void *);
    fmi2Status (*update)(void *, fmi2EventInfo *);
    fmi2Status (*complete)(void *, int, int *, int *);
    fmi2Status (*time)(void *, double);
    fmi2Status (*put)(void *, const double *, size_t);
    fmi2Status (*rates)(void *, double *, size_t);
    fmi2Status (*states)(void *, double *, size_t);
    fmi2Status (*nominals)(void *, double *, size_t);
    fmi2Status (*indicators)(void *, double *, size_t);
} calls2;

static calls2 calls2_of(void *library)
{
    calls2 c;
    find(library, "fmi2Instantiate", &c.create), find(library, "fmi2FreeInstance", &c.drop);
    find(library, "fmi2SetupExperiment", &c.setup), find(library, "fmi2EnterInitializationMode", &c.enter);
    find(library, "fmi2ExitInitializationMode", &c.leave), find(library, "fmi2EnterEventMode", &c.event);
    find(library, "fmi2EnterContinuousTimeMode", &c.go_on), find(library, "fmi2NewDiscreteStates", &c.update);
    find(library, "fmi2CompletedIntegratorStep", &c.complete), find(library, "fmi2SetTime", &c.time);
    find(library, "fmi2SetContinuousStates", &c.put), find(library, "fmi2GetDerivatives", &c.rates);
    find(library, "fmi2GetContinuousStates", &c.states), find(library, "fmi2GetEventIndicators", &c.indicators);
    find(library, "fmi2GetNominalsOfContinuousStates", &c.nominals);
    return c;
}

/* Euler's rule up to the jump of the driven rate, and across it; the same by FMI 3.0. */
static void test_fmi2(void **state)
{
    static const char *const words[] = {"--outputs", "d.q", "--formulation", "dca", NULL};
    enum { STATES = 3, STEPS = 20 };
    const double h = 0.0125;
    unpacked p;
    double x[STATES], k[STATES], nominal[STATES] = {0};
    int event = -1, terminate = -1;
    fmi2EventInfo info;
    (void)state;
    assert_true(make_unit(&p, "cleave_fmu_two", table, 2, words));
    const calls2 c = calls2_of(p.library);
    const fmi2CallbackFunctions functions = {NULL, NULL, NULL, NULL, NULL};
    void *u = c.create("one", fmi2ModelExchange, p.token, p.resources, &functions, 0, 0);
    assert_non_null(u);
    assert_int_equal(c.setup(u, 0, 0, 0, 0, 0), fmi2OK);
    assert_int_equal(c.enter(u), fmi2OK);
    assert_int_equal(c.leave(u), fmi2OK);
    assert_int_equal(c.update(u, NULL), fmi2Error);
    assert_int_equal(c.update(u, &info), fmi2OK);
    assert_true(!info.newDiscreteStatesNeeded && !info.valuesOfContinuousStatesChanged && info.nextEventTimeDefined);
    assert_true(fabs(info.nextEventTime - STEPS * h) < 1e-12);
    assert_int_equal(c.go_on(u), fmi2OK);
    assert_int_equal(c.nominals(u, nominal, STATES), fmi2OK);
    assert_true(nominal[0] > 0 && nominal[1] > 0 && nominal[2] > 0);
    assert_int_equal(c.indicators(u, NULL, 0), fmi2OK);
    assert_int_equal(c.indicators(u, k, 1), fmi2Error);
    assert_int_equal(c.states(u, x, STATES + 1), fmi2Error);
    assert_int_equal(c.states(u, x, STATES), fmi2OK);
    for (int i = 0; i < STEPS; i++) {
        assert_int_equal(c.rates(u, k, STATES), fmi2OK);
        for (int j = 0; j < STATES; j++)
            x[j] += h * k[j];
        assert_int_equal(c.time(u, i + 1 < STEPS ? h * (i + 1) : info.nextEventTime), fmi2OK);
        assert_int_equal(c.put(u, x, STATES), fmi2OK);
        assert_int_equal(c.complete(u, 1, &event, &terminate), fmi2OK);
        assert_true(event == 0 && terminate == 0);
    }
    assert_int_equal(c.event(u), fmi2OK);
    assert_int_equal(c.update(u, &info), fmi2OK);
    assert_true(info.valuesOfContinuousStatesChanged && info.nextEventTime > STEPS * h);
    assert_int_equal(c.states(u, k, STATES), fmi2OK);
    assert_true(k[0] == x[0] && fabs(k[1] - x[1]) > 0.1); /* the place stays, the rate jumps */
    c.drop(u);
    drop_unit(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pendulum), cmocka_unit_test(test_loop),     cmocka_unit_test(test_breaks),
        cmocka_unit_test(test_states),   cmocka_unit_test(test_refusals), cmocka_unit_test(test_models),
        cmocka_unit_test(test_reading),  cmocka_unit_test(test_fmi2),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
