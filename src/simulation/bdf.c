/* SPDX-License-Identifier: Apache-2.0
 * Backward differentiation formulas of order 1 to 5 by CVODE (SUNDIALS 6): Newton with a dense Jacobian by difference
 * quotients, loops closed inside the step by CVODE's projection (theory T21, decision 18).  Driven one internal step at
 * a time, so that the owner sees every accepted step as from any other method.
 *
 * What the owner changes after a step is rounding, since its projection has already run inside the step.  A re-gauge or
 * a jump is more: then the history is no longer true and CVODE starts again from order 1, at the beginning of the next
 * step, so that dense output of the last one stays.
 *
 * CVODE allocates when the run begins and in its first step; nothing here does in any later step. */
#include "simulation/bdf.h"
#include <cvode/cvode.h>
#include <cvode/cvode_proj.h>
#include <float.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <string.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

_Static_assert(sizeof(sunrealtype) == sizeof(double), "SUNDIALS must be built for double precision");

typedef struct bdf_state {
    SUNContext context;
    void *cvode;
    N_Vector y, view; /* new state, in s->work; any other vector of ours, set before use */
    SUNMatrix jacobian;
    SUNLinearSolver solver;
    clv_status why; /* last failure of the owner                                       */
    bool restart;   /* the history is no longer true                                   */
    double careful; /* s, bound of the first steps after a jump; 0: none               */
    long since;     /* steps since the last start                                      */
    long failures;  /* counted by CVODE since it began                                 */
} bdf_state;

/* ------------------------------------------------------------------ what CVODE calls */

static int rates(sunrealtype t, N_Vector y, N_Vector ydot, void *to)
{
    clv_integrator *s = to;
    bdf_state *m = s->state;
    const clv_status st = clv_integrator_evaluate(s, t, N_VGetArrayPointer(y), N_VGetArrayPointer(ydot));
    if (st != CLV_OK)
        m->why = st;
    return st != CLV_OK; /* 1: try a smaller step */
}

/* T21.2: the weights of T16.2, times sqrt n: CVODE's root mean square then bounds the maximum.  A state of scale 0
 * weighs next to nothing. */
static int weigh(N_Vector y, N_Vector weight, void *to)
{
    const clv_integrator *s = to;
    const double *x = N_VGetArrayPointer(y), root = sqrt((double)s->ode.n);
    double *w = N_VGetArrayPointer(weight);
    for (int i = 0; i < s->ode.n; i++) {
        const double tolerance = fmax(s->options.rtol * fabs(x[i]), s->options.atol * s->ode.scale[i]);
        if (!(s->ode.scale[i] == 0.0 || tolerance > 0.0))
            return 1;
        w[i] = s->ode.scale[i] == 0.0 ? 1e-30 : root / tolerance;
    }
    return 0;
}

static int project(sunrealtype t, N_Vector y, N_Vector correction, sunrealtype eps, N_Vector error, void *to)
{
    clv_integrator *s = to;
    bdf_state *m = s->state;
    const double *x = N_VGetArrayPointer(y);
    double *c = N_VGetArrayPointer(correction);
    (void)eps, (void)error;
    memcpy(c, x, (size_t)s->ode.n * sizeof *c);
    const clv_status st = s->ode.project(s->ode.owner, t, c);
    if (st != CLV_OK) {
        m->why = st, s->failed_time = t;
        return 1;
    }
    for (int i = 0; i < s->ode.n; i++)
        c[i] -= x[i];
    return 0;
}

static void silent(int code, const char *module, const char *function, char *message, void *to)
{
    (void)code, (void)module, (void)function, (void)message, (void)to;
}

/* ------------------------------------------------------------------ memory */

static void layout(clv_integrator *s, clv_arena *a)
{
    bdf_state *m;
    s->nwork = clv_integrator_stride(s->ode.n);
    CLV_TAKE(a, m, 1);
    CLV_TAKE(a, s->work, s->nwork);
    s->state = m;
}

static void destroy(clv_integrator *s)
{
    bdf_state *m = s->state;
    if (m->cvode)
        CVodeFree(&m->cvode);
    if (m->solver)
        SUNLinSolFree(m->solver);
    if (m->jacobian)
        SUNMatDestroy(m->jacobian);
    if (m->view)
        N_VDestroy(m->view);
    if (m->y)
        N_VDestroy(m->y);
    if (m->context)
        SUNContext_Free(&m->context);
    memset(m, 0, sizeof *m);
}

static clv_status create(clv_integrator *s)
{
    bdf_state *m = s->state;
    const int n = s->ode.n;
    if (SUNContext_Create(0, &m->context) != 0)
        return CLV_ERR_MEMORY;
    m->y = N_VMake_Serial(n, s->work, m->context);
    m->view = N_VMake_Serial(n, s->work, m->context);
    m->jacobian = SUNDenseMatrix(n, n, m->context);
    m->solver = m->y && m->jacobian ? SUNLinSol_Dense(m->y, m->jacobian, m->context) : NULL;
    m->cvode = CVodeCreate(CV_BDF, m->context);
    if (!m->view || !m->solver || !m->cvode)
        return CLV_ERR_MEMORY;
    memcpy(s->work, s->y, (size_t)n * sizeof(double));
    int bad = CVodeSetErrHandlerFn(m->cvode, silent, NULL) | CVodeInit(m->cvode, rates, s->t, m->y) |
              CVodeSetUserData(m->cvode, s) | CVodeWFtolerances(m->cvode, weigh) |
              CVodeSetLinearSolver(m->cvode, m->solver, m->jacobian);
    if (s->ode.project)
        bad |= CVodeSetProjFn(m->cvode, project) | CVodeSetProjErrEst(m->cvode, SUNFALSE);
    return bad ? CLV_ERR_MEMORY : CLV_OK;
}

/* ------------------------------------------------------------------ start */

/* From (s->t, s->y) at order 1; first: size of the first step, 0: chosen. */
static clv_status start(clv_integrator *s, double first)
{
    bdf_state *m = s->state;
    memcpy(s->work, s->y, (size_t)s->ode.n * sizeof(double));
    m->restart = false;
    m->failures = 0;
    m->since = 0;
    const int bad = CVodeReInit(m->cvode, s->t, m->y) | CVodeSetInitStep(m->cvode, clv_integrator_direction(s) * first);
    return bad ? CLV_ERR_UNSUPPORTED : CLV_OK;
}

static clv_status begin(clv_integrator *s)
{
    bdf_state *m = s->state;
    if (s->options.step > 0.0 || s->ode.n > CLV_BDF_MOST)
        return CLV_ERR_UNSUPPORTED;
    m->restart =
        true; /* by the next step: until then options may change and dense output of the last step is asked for */
    s->stats.order = 1;
    if (!m->cvode)
        return create(s);
    m->careful = s->used > 0.0 ? 0.05 * clv_integrator_first_step(s, 1, s->work, s->y_old) : 0.0;
    memcpy(s->y_old, s->y, (size_t)s->ode.n * sizeof(double)); /* y_old was scratch */
    return CLV_OK;
}

/* ------------------------------------------------------------------ one step */

/* The first two steps are of order 1 whatever is asked; after a jump they are bounded, since there may be thousands of
 * jumps and what each of them costs adds up (T21.6). */
static double longest(const clv_integrator *s)
{
    const bdf_state *m = s->state;
    const double most = s->options.max_step;
    if (m->since >= 2 || m->careful == 0.0)
        return most;
    return most > 0.0 ? fmin(most, m->careful) : m->careful;
}

/* One internal step of CVODE into s->work. */
static clv_status attempt(clv_integrator *s, double *t_new)
{
    bdf_state *m = s->state;
    const double end = clv_integrator_bound(s);
    const bool bounded = !isnan(end);
    if ((bounded && CVodeSetStopTime(m->cvode, end) != CV_SUCCESS) ||
        CVodeSetMaxStep(m->cvode, longest(s)) != CV_SUCCESS ||
        CVodeSetMinStep(m->cvode, 16.0 * DBL_EPSILON * fabs(s->t)) != CV_SUCCESS)
        return CLV_ERR_STEP_SIZE;
    m->why = CLV_OK;
    const int flag = CVode(m->cvode, bounded ? end : s->t + fmax(1.0, fabs(s->t)), m->y, t_new, CV_ONE_STEP);
    long errors = 0, stalls = 0;
    (void)CVodeGetNumErrTestFails(m->cvode, &errors);
    (void)CVodeGetNumNonlinSolvConvFails(m->cvode, &stalls);
    s->stats.rejected += errors + stalls - m->failures;
    m->failures = errors + stalls;
    m->since++;
    if (flag >= 0)
        return CLV_OK;
    *t_new = s->t;
    return flag == CV_MEM_FAIL ? CLV_ERR_MEMORY : m->why != CLV_OK ? m->why : CLV_ERR_STEP_SIZE;
}

/* Is the owner's change more than rounding and a hundredth of the tolerance?  (T21.4) */
static bool matters(const clv_integrator *s, const double *before, const double *after)
{
    for (int i = 0; i < s->ode.n; i++) {
        const double scale = s->ode.scale[i], size = fmax(fabs(after[i]), scale);
        const double tolerance = fmax(s->options.rtol * fabs(after[i]), s->options.atol * scale);
        if (scale != 0.0 && !(fabs(after[i] - before[i]) <= fmax(0.01 * tolerance, 100.0 * DBL_EPSILON * size)))
            return true;
    }
    return false;
}

static clv_status accept(clv_integrator *s, double t_new)
{
    bdf_state *m = s->state;
    const size_t bytes = (size_t)s->ode.n * sizeof(double);
    int changed, order = 1;
    memcpy(s->f, s->work, bytes); /* f serves as the state that the owner may change */
    s->fresh = false;
    const clv_status st = clv_integrator_accept(s, t_new, s->f, &changed);
    if (st != CLV_OK)
        return st;
    memcpy(s->y_old, s->y, bytes);
    memcpy(s->y, s->f, bytes);
    m->restart = changed == 2 || (changed && matters(s, s->work, s->y));
    s->t_old = s->t;
    s->t = t_new;
    s->stats.steps++;
    s->stats.last_step = s->t - s->t_old;
    (void)CVodeGetCurrentStep(m->cvode, &s->stats.next_step);
    (void)CVodeGetLastOrder(m->cvode, &order);
    s->stats.next_step = fabs(s->stats.next_step);
    s->stats.order = order;
    return CLV_OK;
}

static clv_status step(clv_integrator *s)
{
    bdf_state *m = s->state;
    double first = m->restart ? s->options.first_step : 0.0;
    for (int failures = 0;; failures++) {
        double t_new = s->t;
        clv_status st = m->restart ? start(s, first) : CLV_OK;
        if (st == CLV_OK)
            st = attempt(s, &t_new);
        const double size = fabs(t_new - s->t);
        if (st == CLV_OK)
            st = accept(s, t_new);
        if (st == CLV_OK)
            return CLV_OK;
        s->stats.rejected += size > 0.0; /* thrown away by the owner: again from its beginning, smaller */
        first = 0.25 * size;
        m->restart = true;
        const bool hopeless = size == 0.0 ? failures > 0 : first <= 16.0 * DBL_EPSILON * fabs(s->t);
        if (hopeless || failures > CLV_INTEGRATOR_FAILURES) {
            s->t_old = s->t;
            memcpy(s->y_old, s->y, (size_t)s->ode.n * sizeof(double));
            return st;
        }
    }
}

static void dense(const clv_integrator *s, double t, double *y)
{
    const bdf_state *m = s->state;
    N_VSetArrayPointer(y, m->view);
    if (CVodeGetDky(m->cvode, t, 0, m->view) != CV_SUCCESS) /* not inside the last step */
        memcpy(y, fabs(t - s->t) < fabs(t - s->t_old) ? s->y : s->y_old, (size_t)s->ode.n * sizeof *y);
}

const clv_method clv_bdf_method = {
    CLV_BDF_NAME,     .multistep = true, .sealed = true, .most = CLV_BDF_MOST, .state_size = sizeof(bdf_state),
    .layout = layout, .begin = begin,    .step = step,   .dense = dense,       .destroy = destroy,
};
