/* SPDX-License-Identifier: Apache-2.0
 * Events of the model in model exchange (T139): an importer here integrates by the classical Runge-Kutta rule, finds
 * signs of event indicators that change by bisection, and gives the motion of the library.  States saved before and
 * after events, in other instances; what cannot be exchanged. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include "fmu/fmi2.h"
#include "tests/event_models.h"
#include "tests/fmu/instance.h"

enum { MOST = 64, SIGNS = 4 };

typedef struct importer {
    size_t n, nz;
    double t, x[MOST], z[SIGNS];
    double next; /* s */
    int events, changes, nominals;
    bool ended;
} importer;

static void indicate(fixture *f, importer *m, double *z)
{
    assert_int_equal(f->c.indicators(f->u, z, m->nz), fmi3OK);
    for (size_t i = 0; i < m->nz; i++)
        assert_true(isfinite(z[i]));
}

static void update(fixture *f, importer *m)
{
    bool again, terminate, nominals, values, has_next;
    assert_int_equal(f->c.update(f->u, &again, &terminate, &nominals, &values, &has_next, &m->next), fmi3OK);
    assert_false(again);
    m->next = has_next ? m->next : INFINITY;
    m->changes += values, m->nominals += nominals, m->ended = terminate;
    assert_int_equal(f->c.states(f->u, m->x, m->n), fmi3OK);
    assert_int_equal(f->c.go_on(f->u), fmi3OK);
    indicate(f, m, m->z);
}

static void open_unit(fixture *f, importer *m, const char *folder, const char *model, const char *const *words)
{
    memset(f, 0, sizeof *f), memset(m, 0, sizeof *m);
    assert_true(make_unit(&f->unit, folder, model, 3, words));
    f->c = calls_of(f->unit.library);
    f->u = f->c.create_exchange("one", f->unit.token, f->unit.resources, false, false, &f->said, note);
    assert_non_null(f->u);
    assert_int_equal(f->c.count(f->u, &m->n), fmi3OK);
    assert_int_equal(f->c.count_indicators(f->u, &m->nz), fmi3OK);
    assert_true(m->n <= MOST && m->nz <= SIGNS);
    begin(f, f->u);
    update(f, m);
    assert_int_equal(m->changes, 0);
}

static void put(fixture *f, const importer *m, double t, const double *x)
{
    assert_int_equal(f->c.time(f->u, t), fmi3OK);
    assert_int_equal(f->c.put(f->u, x, m->n), fmi3OK);
}

/* The state after a step of size h, left in the unit. */
static void rule(fixture *f, const importer *m, double h, double *x)
{
    static const double at[] = {0, 0.5, 0.5, 1}, weight[] = {1. / 6, 1. / 3, 1. / 3, 1. / 6};
    double k[MOST] = {0}, sum[MOST] = {0};
    for (int i = 0; i < 4; i++) {
        for (size_t j = 0; j < m->n; j++)
            x[j] = m->x[j] + at[i] * h * k[j];
        put(f, m, m->t + at[i] * h, x);
        assert_int_equal(f->c.rates(f->u, k, m->n), fmi3OK);
        for (size_t j = 0; j < m->n; j++)
            sum[j] += weight[i] * k[j];
    }
    for (size_t j = 0; j < m->n; j++)
        x[j] = m->x[j] + h * sum[j];
    put(f, m, m->t + h, x);
}

static bool any_sign(const importer *m, const double *z)
{
    bool any = false;
    for (size_t i = 0; i < m->nz; i++)
        any |= (z[i] >= 0) != (m->z[i] >= 0);
    return any;
}

/* One step, or as much of it as there is before a sign changes. */
static void step_on(fixture *f, importer *m, double h)
{
    double x[MOST], z[SIGNS], low = 0, high = h;
    bool event, terminate;
    rule(f, m, h, x), indicate(f, m, z);
    const bool crossed = any_sign(m, z);
    while (crossed && high - low > 1e-15) {
        const double middle = 0.5 * (low + high);
        rule(f, m, middle, x), indicate(f, m, z);
        *(any_sign(m, z) ? &high : &low) = middle;
    }
    if (crossed)
        rule(f, m, high, x), indicate(f, m, z);
    memcpy(m->x, x, sizeof x), memcpy(m->z, z, sizeof z);
    m->t += high;
    assert_int_equal(f->c.complete(f->u, true, &event, &terminate), fmi3OK);
    if (event || crossed || m->t >= m->next - 1e-14) {
        m->events++;
        assert_int_equal(f->c.event(f->u), fmi3OK);
        update(f, m);
    }
}

static void go_to(fixture *f, importer *m, double end, double h)
{
    while (m->t < end - 1e-13 && !m->ended) {
        const double to = fmin(end, m->next), n = ceil((to - m->t) / h - 1e-9);
        step_on(f, m, (to - m->t) / fmax(n, 1));
        if (fabs(m->t - to) < 1e-13)
            m->t = to;
    }
}

static void close_unit(fixture *f)
{
    f->c.drop(f->u);
    drop_unit(&f->unit);
}

/* ---------------------------------------------------------------- beside the library */

static const char *const words[] = {"--outputs", "tip.position,energy.kinetic,energy.work", "--rtol", "1e-10", NULL};
enum { TIP = 1, KINETIC = 4, WORK };

typedef struct example {
    const char *text;
    const char *formulation;
    int changes; /* of the mechanism */
    double time; /* s */
} example;

static const example all[] = {
    {PENDULUM "events:\n  lock: {at: 0.31, lock: top}\n  free: {at: 0.62, release: lock}\n", "hdca", 2, 1.1},
    {PENDULUM "events:\n  lock: {when: {joint: elbow, below: -0.35}, lock: elbow, again: true}\n"
              "  free: {when: {joint: top, below: -0.5}, release: lock, again: true}\n", "dca", 2, 1.1},
    {PENDULUM "events:\n  fast: {when: {rate: top, below: -1.5}, lock: top}\n"
              "  near: {when: {marker-distance: [tip, eye], below: 1.1}, release: fast}\n", "hdca", 2, 1.1},
    {PENDULUM "events:\n  snap: {when: {force: elbow, above: 14}, release: elbow}\n", "dca", 1, 1.1},
    {PENDULUM "events:\n  grip: {when: {joint: top, below: -0.6}, attach: [ground, lower], joint: spherical, "
              "position: [1, -1, 0]}\n  drop: {at: 0.83, release: grip}\n", "massmatrix", 2, 1.1},
    {FIVE_BAR "events:\n  stop: {when: {joint: j1, above: 0.1}, lock: j3}\n  go: {at: 0.51, release: stop}\n",
     "hdca", 2, 0.7},
    {"cleave: 1\ngravity: [0, -9.81, 0]\n"
     "bodies: {block: {mass: 1, inertia: [1, 1, 1]}, arm: {mass: 0.5, com: [0.3, 0, 0], inertia: [0.01, 0.02, 0.02]}}\n"
     "joints:\n  s: {kind: prismatic, between: [ground, block], at: [0, 0, 0], axis: [0, -1, 0]}\n"
     "  a: {kind: revolute, between: [block, arm], at: [0, 0, 0], axis: [0, 0, 1]}\n"
     "markers: {tip: {body: arm, position: [1, 0, 0]}}\n"
     "events:\n  catch: {when: {rate: s, above: 1}, lock: s, again: true}\n"
     "  free: {when: {rate: s, below: 0.5}, release: catch, again: true}\n"
     "start: {joints: {a: {u: 0.5}}}\n", "hdca", -1, 0.75},
};
enum { EXAMPLES = sizeof all / sizeof *all };

static void check_motion(const example *x)
{
    const char *const of[] = {words[0], words[1], words[2], words[3], "--formulation", x->formulation, NULL};
    fixture f;
    importer m;
    clv_model *model;
    clv_sim *s;
    open_unit(&f, &m, "cleave_fmu_events", x->text, of);
    assert_int_equal(clv_model_read_text(&model, x->text, strlen(x->text), "events"), CLV_OK);
    clv_sim_options o = clv_sim_options_default();
    o.rtol = 1e-12;
    assert_int_equal(clv_sim_create(&s, model, &o), CLV_OK);
    for (int i = 1; i <= 10; i++) {
        const double t = x->time * i / 10;
        double kinetic, work;
        go_to(&f, &m, t, 1e-3);
        assert_int_equal(clv_sim_advance(s, t), CLV_OK);
        clv_sim_energy(s, &kinetic, NULL, &work);
        for (int k = 0; k < 3; k++)
            assert_true(fabs(get(&f, f.u, (uint32_t)(TIP + k)) - clv_sim_marker(s)[k]) < 1e-9);
        assert_true(fabs(get(&f, f.u, KINETIC) - kinetic) < 5e-9);
        assert_true(fabs(get(&f, f.u, WORK) - work) < 5e-9);
    }
    assert_true(x->changes < 0 || m.nominals == x->changes);
    assert_true(m.nominals > 0 && !m.ended);
    clv_sim_destroy(s), clv_model_destroy(model);
    close_unit(&f);
}

static void test_motions(void **state)
{
    (void)state;
    for (int i = 0; i < EXAMPLES; i++)
        check_motion(&all[i]);
}

/* A state of a joint that is locked is idle: it keeps the coordinate, and the rate is 0. */
static void test_idle_states(void **state)
{
    static const char *const of[] = {"--outputs", "top.q", "--formulation", "dca", NULL};
    enum { STATE_Q = 2, ELBOW_Q, STATE_U, ELBOW_U, STATE_WORK, DER_Q, DER_ELBOW_Q, DER_U };
    fixture f;
    importer m;
    (void)state;
    open_unit(&f, &m, "cleave_fmu_idle", all[0].text, of);
    assert_int_equal(m.n, 5);
    assert_int_equal(m.nz, 0);
    go_to(&f, &m, 0.31, 1e-3);
    const double q = get(&f, f.u, STATE_Q);
    assert_true(m.nominals == 1 && fabs(get(&f, f.u, 1) - q) < 1e-15);
    for (int i = 0; i < 4; i++) {
        go_to(&f, &m, 0.31 + 0.07 * i, 1e-3);
        assert_true(get(&f, f.u, STATE_Q) == q && get(&f, f.u, STATE_U) == 0);
        assert_true(get(&f, f.u, DER_Q) == 0 && get(&f, f.u, DER_U) == 0 && get(&f, f.u, ELBOW_U) != 0);
    }
    go_to(&f, &m, 0.7, 1e-3);
    assert_true(get(&f, f.u, STATE_Q) != q && get(&f, f.u, STATE_U) != 0);
    close_unit(&f);
}

/* ---------------------------------------------------------------- saved states */

/* From a state saved, in this instance and in a new one: the same bits, whatever mechanism each has had. */
static void check_states(const example *x, double at)
{
    fixture f;
    importer m, then;
    double end[3][MOST];
    void *saved = NULL, *carried = NULL;
    uint8_t *bytes;
    size_t size;
    open_unit(&f, &m, "cleave_fmu_event_states", x->text, words);
    go_to(&f, &m, at, 1e-3);
    assert_int_equal(f.c.save(f.u, &saved), fmi3OK);
    assert_int_equal(f.c.size(f.u, saved, &size), fmi3OK);
    bytes = malloc(size);
    assert_non_null(bytes);
    assert_int_equal(f.c.write(f.u, saved, bytes, size), fmi3OK);
    then = m;
    void *one = f.u, *other = f.c.create_exchange("two", f.unit.token, f.unit.resources, false, false, &f.said, note);
    assert_non_null(other);
    assert_int_equal(f.c.read(other, bytes, size, &carried), fmi3OK);
    for (int k = 0; k < 3; k++) {
        f.u = k == 2 ? other : one;
        if (k > 0)
            assert_int_equal(f.c.load(f.u, k == 2 ? carried : saved), fmi3OK);
        m = then;
        go_to(&f, &m, x->time, 1e-3);
        memcpy(end[k], m.x, sizeof end[k]);
    }
    assert_memory_equal(end[0], end[1], m.n * sizeof(double));
    assert_memory_equal(end[0], end[2], m.n * sizeof(double));
    f.c.forget(one, &saved), f.c.forget(other, &carried);
    free(bytes);
    f.c.drop(other);
    f.u = one;
    close_unit(&f);
}

static void test_states(void **state)
{
    (void)state;
    for (int i = 0; i < EXAMPLES; i++)
        check_states(&all[i], 0.05), check_states(&all[i], 0.5 * all[i].time);
}

/* Between a step that has met a condition and its event. */
static void test_state_before_its_event(void **state)
{
    fixture f;
    importer m, then;
    double end[2][MOST];
    void *saved = NULL;
    bool event = false, terminate;
    (void)state;
    open_unit(&f, &m, "cleave_fmu_event_between", all[2].text, words);
    while (!event) { /* without indicators: the step after which the condition holds */
        double x[MOST];
        rule(&f, &m, 1e-3, x);
        memcpy(m.x, x, sizeof x), m.t += 1e-3;
        assert_int_equal(f.c.complete(f.u, true, &event, &terminate), fmi3OK);
    }
    assert_int_equal(f.c.save(f.u, &saved), fmi3OK);
    then = m;
    for (int k = 0; k < 2; k++) {
        m = then;
        if (k > 0)
            assert_int_equal(f.c.load(f.u, saved), fmi3OK);
        assert_int_equal(f.c.event(f.u), fmi3OK);
        update(&f, &m);
        assert_int_equal(m.nominals, 1);
        go_to(&f, &m, 1, 1e-3);
        memcpy(end[k], m.x, sizeof end[k]);
    }
    assert_memory_equal(end[0], end[1], m.n * sizeof(double));
    f.c.forget(f.u, &saved);
    close_unit(&f);
}

/* ---------------------------------------------------------------- ends and refusals */

static void test_stop(void **state)
{
    static const char text[] = PENDULUM "events:\n  end: {when: {rate: top, below: -1}, stop: true}\n";
    fixture f;
    importer m;
    double z;
    (void)state;
    open_unit(&f, &m, "cleave_fmu_event_stop", text, words);
    assert_non_null(strstr(f.unit.description, "<EventIndicator valueReference="));
    assert_int_equal(f.c.indicators(f.u, &z, 2), fmi3Error);
    assert_int_equal(f.c.indicators(f.u, NULL, 1), fmi3Error);
    go_to(&f, &m, 1, 1e-3);
    assert_true(m.ended && m.t < 1 && m.events == 1);
    assert_int_equal(f.c.end(f.u), fmi3OK);
    close_unit(&f);
}

/* An open joint has no coordinate: its outputs are no numbers. */
static void test_open_joint(void **state)
{
    static const char text[] = PENDULUM "events:\n  break: {at: 0.1, release: elbow}\n";
    static const char *const of[] = {"--outputs", "elbow.q", NULL};
    fixture f;
    importer m;
    (void)state;
    open_unit(&f, &m, "cleave_fmu_event_open", text, of);
    assert_int_equal(m.n, 18); /* two coordinates and rates; a body that floats; the work */
    assert_true(isfinite(get(&f, f.u, 1)));
    go_to(&f, &m, 0.2, 1e-3);
    assert_true(isnan(get(&f, f.u, 1)));
    close_unit(&f);
}

static void test_too_many(void **state)
{
    enum { JOINTS = 9 };
    static const char *const both[] = {"--kind", "both", NULL};
    char text[4000];
    int n = snprintf(text, sizeof text, "cleave: 1\nbodies:\n");
    unpacked p;
    (void)state;
    for (int i = 0; i < JOINTS; i++)
        n += snprintf(text + n, sizeof text - (size_t)n, "  b%d: {mass: 1, inertia: [1, 1, 1]}\n", i);
    n += snprintf(text + n, sizeof text - (size_t)n, "joints:\n");
    for (int i = 0; i < JOINTS; i++)
        n += snprintf(text + n, sizeof text - (size_t)n, "  j%d: {kind: revolute, a: {body: ground}, b: {body: b%d}}\n",
                      i, i);
    n += snprintf(text + n, sizeof text - (size_t)n, "events:\n");
    for (int i = 0; i < JOINTS; i++)
        n += snprintf(text + n, sizeof text - (size_t)n, "  e%d: {when: {joint: j%d, above: 1}, lock: j%d}\n", i, i, i);
    assert_false(make_unit(&p, "cleave_fmu_event_many", text, 3, both));
    drop_unit(&p);
    assert_true(make_unit(&p, "cleave_fmu_event_many", text, 3, NULL));
    assert_null(strstr(p.description, "ModelExchange"));
    drop_unit(&p);
}

/* ---------------------------------------------------------------- FMI 2.0 */

static void test_version_2(void **state)
{
    unpacked p;
    (void)state;
    assert_true(make_unit(&p, "cleave_fmu_event_2", all[1].text, 2, words));
    assert_non_null(strstr(p.description, "numberOfEventIndicators=\"2\""));
    assert_null(strstr(p.description, "EventIndicator valueReference"));
    drop_unit(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_motions),    cmocka_unit_test(test_idle_states),
        cmocka_unit_test(test_states),     cmocka_unit_test(test_state_before_its_event),
        cmocka_unit_test(test_stop),       cmocka_unit_test(test_open_joint),
        cmocka_unit_test(test_too_many),   cmocka_unit_test(test_version_2),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
