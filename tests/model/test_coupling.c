/* SPDX-License-Identifier: Apache-2.0
 * Terms of couplings (T98): derivatives against differences, tables that are splines of order four and continuous to
 * the second derivative, whole turns of periodic ones, and what is refused. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "math/sincos.h"
#include "model/coupling.h"
#include "near.h"

#define OK(call) assert_int_equal(call, CLV_OK)

/* Two sliders; the coupling is what the test makes of it. */
static clv_model *sliders(int n)
{
    clv_model *m;
    OK(clv_model_create(&m, "sliders"));
    for (int i = 0; i < n; i++) {
        clv_body_desc b = clv_body_desc_default();
        clv_joint_desc j = clv_joint_desc_default(CLV_JOINT_PRISMATIC);
        char name[8];
        snprintf(name, sizeof name, "s%d", i);
        b.name = j.name = name, b.mass = 1, b.inertia[0] = b.inertia[1] = b.inertia[2] = 1;
        OK(clv_model_add_body(m, &j.b, &b));
        j.a = CLV_GROUND;
        OK(clv_model_add_joint(m, NULL, &j));
    }
    return m;
}

static clv_coupling_desc pair(void)
{
    clv_coupling_desc d = clv_coupling_desc_default();
    d.name = "c", d.first = 0, d.second = 1;
    return d;
}

static clv_model *finished(const clv_coupling_desc *d)
{
    clv_model *m = sliders(2);
    OK(clv_model_add_coupling(m, NULL, d));
    OK(clv_model_finish(m));
    return m;
}

/* f' and f'' of term 1 are differences of f and f' */
static void derivatives_fit(const clv_coupling *c, double q, double tolerance)
{
    const double h = 1e-4;
    double f[3], before[3], after[3];
    clv_coupling_term_at(c, 1, q, f);
    clv_coupling_term_at(c, 1, q - h, before), clv_coupling_term_at(c, 1, q + h, after);
    CLV_NEAR((after[0] - before[0]) / (2 * h), f[1], tolerance);
    CLV_NEAR((after[1] - before[1]) / (2 * h), f[2], tolerance);
}

static void polynomials_have_their_derivatives(void **state)
{
    const double a[9] = {0.5, -1, 2, 0.25, -0.5, 0.125, 1, -0.3, 0.2};
    (void)state;
    for (int n = 2; n <= 9; n++) {
        clv_coupling_desc d = pair();
        d.npolynomial = n, d.polynomial = a;
        clv_model *m = finished(&d);
        double f[3], sum = 0;
        for (int k = n - 1; k >= 0; k--)
            sum = sum * 0.7 + a[k];
        clv_coupling_term_at(&m->coupling[0], 1, 0.7, f);
        CLV_NEAR(f[0], -sum, 1e-14);
        for (int k = -4; k <= 4; k++)
            derivatives_fit(&m->coupling[0], 0.2 * k, 1e-6);
        clv_model_destroy(m);
    }
}

/* largest error of value, first and second derivative of sin(q) + rise by a table of n rows */
static void table_of_sine(int n, bool periodic, double rise, double error[3])
{
    double x[200], y[200];
    const double turn = 2 * CLV_PI;
    for (int i = 0; i < n; i++) {
        x[i] = turn * (i + (i % 2 ? 0.1 : 0)) / (n - 1); /* uneven */
        x[n - 1] = turn;
        y[i] = sin(x[i]) + rise * x[i] / turn;
    }
    clv_coupling_desc d = pair();
    d.table = (clv_table){n, x, y}, d.periodic = periodic;
    clv_model *m = finished(&d);
    error[0] = error[1] = error[2] = 0;
    for (int i = 0; i < 1000; i++) {
        const double q = periodic ? -3 * turn + 0.0377 * i : turn * (i + 0.5) / 1000;
        const double exact[3] = {sin(q) + rise * q / turn, cos(q) + rise / turn, -sin(q)};
        double f[3];
        clv_coupling_term_at(&m->coupling[0], 1, q, f);
        for (int k = 0; k < 3; k++)
            error[k] = fmax(error[k], fabs(f[k] + exact[k]));
        derivatives_fit(&m->coupling[0], q, 1e-3);
    }
    clv_model_destroy(m);
}

/* Four times as many rows: errors fall as h^4, h^3, h^2.  sin has no curvature at 0 and 2 pi, as a natural spline. */
static void tables_are_cubic_splines(void **state)
{
    (void)state;
    for (int periodic = 0; periodic < 2; periodic++) {
        double coarse[3], fine[3];
        table_of_sine(25, periodic, periodic ? 0.7 : 0, coarse);
        table_of_sine(97, periodic, periodic ? 0.7 : 0, fine);
        assert_true(fine[0] < 1e-6 && fine[1] < 1e-4 && fine[2] < 5e-3);
        assert_true(coarse[0] / fine[0] > 180 && coarse[1] / fine[1] > 40 && coarse[2] / fine[2] > 10);
    }
}

/* Value, slope and curvature from both sides of every row are the same. */
static void curvature_is_continuous(void **state)
{
    const double x[6] = {-1, 0, 0.5, 2, 2.5, 4}, y[6] = {0.3, 1, -0.5, 0.2, 0.9, 0.3};
    (void)state;
    for (int periodic = 0; periodic < 2; periodic++) {
        clv_coupling_desc d = pair();
        d.table = (clv_table){6, x, y}, d.periodic = periodic;
        clv_model *m = finished(&d);
        for (int i = 0; i < 6; i++) {
            double left[3], right[3], at[3];
            clv_coupling_term_at(&m->coupling[0], 1, x[i] - 1e-9, left);
            clv_coupling_term_at(&m->coupling[0], 1, x[i] + 1e-9, right);
            clv_coupling_term_at(&m->coupling[0], 1, x[i], at);
            CLV_NEAR(at[0], -y[i], 1e-14);
            for (int k = 0; k < 3; k++)
                CLV_NEAR(left[k], right[k], 1e-6);
        }
        double f[3], g[3];
        clv_coupling_term_at(&m->coupling[0], 1, 4, f);
        clv_coupling_term_at(&m->coupling[0], 1, 6, g); /* straight on, or the second unit of the next turn */
        if (!periodic)
            CLV_NEAR(g[0], f[0] + 2 * f[1], 1e-14);
        else {
            clv_coupling_term_at(&m->coupling[0], 1, 1, f);
            CLV_NEAR(g[0], f[0], 1e-14), CLV_NEAR(g[2], f[2], 1e-13);
        }
        clv_model_destroy(m);
    }
}

/* ------------------------------------------------------------------ what is refused */

static void refused(const clv_coupling_desc *d, clv_status status, const char *path)
{
    clv_model *m = sliders(2);
    clv_status st = clv_model_add_coupling(m, NULL, d);
    if (st == CLV_OK)
        st = clv_model_finish(m);
    if (st != status || strcmp(clv_model_error(m)->path, path) != 0)
        fail_msg("%d '%s': %s", st, clv_model_error(m)->path, clv_model_error(m)->message);
    clv_model_destroy(m);
}

static void wrong_descriptions_are_named(void **state)
{
    const double a[10] = {1, 2, NAN, 4}, x[4] = {0, 1, 1, 2}, y[4] = {0, INFINITY, 0, 0};
    const clv_coupling_term term[3] = {{0, 1}, {1, 0}, {7, 1}}, same[2] = {{0, 1}, {0, 2}};
    (void)state;
    clv_coupling_desc d = pair();
    d.npolynomial = 4, d.polynomial = a, refused(&d, CLV_ERR_MODEL, "couplings.c.polynomial");
    d.npolynomial = 1, refused(&d, CLV_ERR_MODEL, "couplings.c.polynomial");
    d.npolynomial = 10, refused(&d, CLV_ERR_MODEL, "couplings.c.polynomial");
    d.npolynomial = 2, d.polynomial = NULL, refused(&d, CLV_ERR_USAGE, "couplings.c.polynomial");
    d.polynomial = a, d.ratio = 2, refused(&d, CLV_ERR_USAGE, "couplings.c.ratio");
    d = pair(), d.table = (clv_table){4, x, y}, refused(&d, CLV_ERR_MODEL, "couplings.c.table");
    d.table.value = x, refused(&d, CLV_ERR_MODEL, "couplings.c.table");
    d.table.n = 2, refused(&d, CLV_ERR_MODEL, "couplings.c.table");
    d.npolynomial = 2, d.polynomial = a, refused(&d, CLV_ERR_USAGE, "couplings.c.ratio");
    d = pair(), d.periodic = true, refused(&d, CLV_ERR_USAGE, "couplings.c.periodic");
    d = pair(), d.nterm = 2, d.term = same, refused(&d, CLV_ERR_USAGE, "couplings.c.of");
    d.first = d.second = -1, refused(&d, CLV_ERR_MODEL, "couplings.c.of");
    d.term = term, refused(&d, CLV_ERR_MODEL, "couplings.c.of");
    d.nterm = 3, refused(&d, CLV_ERR_MODEL, "couplings.c.of");
    d.nterm = 33, refused(&d, CLV_ERR_MODEL, "couplings.c.of");
    d.nterm = -1, refused(&d, CLV_ERR_USAGE, "couplings.c.of");
    d.nterm = 1, d.term = NULL, refused(&d, CLV_ERR_USAGE, "couplings.c.of");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(polynomials_have_their_derivatives),
        cmocka_unit_test(tables_are_cubic_splines),
        cmocka_unit_test(curvature_is_continuous),
        cmocka_unit_test(wrong_descriptions_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
