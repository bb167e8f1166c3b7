/* SPDX-License-Identifier: Apache-2.0
 * Backward differentiation formulas of order 1 to 5 by CVODE (SUNDIALS 6): Newton with a dense Jacobian by difference
 * quotients, loops closed inside the step by CVODE's projection (theory T21, decision 18).  Driven one internal step at
 * a time, so that the owner sees every accepted step as from any other method.
 *
 * After a jump of the right-hand side the first steps are those of a one-step method (rosenbrock.h).  CVODE's own start
 * at order 1 leaves an error of the size of the tolerance, and there may be thousands of jumps (T21.7).
 *
 * What the owner changes after a step is rounding, since its projection has already run inside the step.  A re-gauge or
 * a jump is more: then the history is no longer true.  CVODE starts again from order 1, at the beginning of the next
 * step, so that dense output of the last one stays.
 *
 * CVODE allocates when the run begins and in its first step; nothing here does in any later step. */
#include "integrator/bdf.h"
#include "math/root.h"
#include "integrator/rosenbrock.h"
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
    clv_rosenbrock starter;
    int young;      /* steps that the starter is to take yet                           */
    double size;    /* s, of its next step                                             */
    double *f_old;  /* (n) rates at the start of its last step                         */
    double *error;  /* (n) estimate of CVODE's last try                                */
    bool parabola;  /* the last step was its own                                       */
    bool jumped;    /* CVODE starts behind a jump                                      */
    double careful; /* s, bound of CVODE's first steps then; 0: none                   */
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

static double tolerated(const clv_integrator *s, int i, double y)
{
    return clv_tolerated(s->options.rtol, s->options.atol, s->ode.scale[i], s->ode.bound ? s->ode.bound[i] : INFINITY,
                         fabs(y));
}

/* T21.2: the weights of T16.2, times sqrt n: CVODE's root mean square then bounds the maximum.  A state of scale 0
 * weighs next to nothing. */
static int weigh(N_Vector y, N_Vector weight, void *to)
{
    const clv_integrator *s = to;
    const double *x = N_VGetArrayPointer(y), root = sqrt((double)s->ode.n);
    double *w = N_VGetArrayPointer(weight);
    for (int i = 0; i < s->ode.n; i++) {
        const double tolerance = tolerated(s, i, x[i]);
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
    bdf_state counting;
    if (!m)
        m = &counting;
    clv_rosenbrock_layout(&m->starter, s->ode.n, a);
    CLV_TAKE(a, m->f_old, s->ode.n), CLV_TAKE(a, m->error, s->ode.n);
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

/* Steps of the starter after a jump.  Of order 3 it is more expensive than CVODE then. */
enum { YOUNG = 10 };

/* From (s->t, s->y) at order 1; first: size of the first step, 0: chosen. */
static clv_status start(clv_integrator *s, double first)
{
    bdf_state *m = s->state;
    clv_status st = CLV_OK;
    m->careful = 0.0;
    if (m->jumped && !s->fresh)
        st = clv_integrator_evaluate(s, s->t, s->y, s->f);
    if (st != CLV_OK)
        return st;
    if (m->jumped) {
        s->used = m->size;
        m->careful = 0.05 * clv_integrator_first_step(s, 1, s->work, s->y_old);
        s->used = 0.0;
    }
    memcpy(s->work, s->y, (size_t)s->ode.n * sizeof(double));
    m->restart = m->jumped = false;
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
        true; /* by the next step: until then options may change and dense output of the last step is requested */
    s->stats.order = 1;
    m->young = s->jumping ? YOUNG : 0;
    if (s->jumping) {
        m->size = s->used > 0.0 ? s->used : clv_integrator_first_step(s, 2, s->work, s->y_old);
        memcpy(s->y_old, s->y, (size_t)s->ode.n * sizeof(double)); /* y_old was scratch */
    }
    if (m->cvode)
        return CLV_OK;
    m->starter.age = -1;
    return create(s);
}

/* ------------------------------------------------------------------ one step */

/* The first two steps are of order 1 whatever is requested; after a jump they are bounded, since jumps may come in
 * numbers and what each of them costs adds up (T21.6). */
static double longest(const clv_integrator *s)
{
    const bdf_state *m = s->state;
    const double most = s->options.max_step;
    if (m->since >= 2 || m->careful == 0.0)
        return most;
    return most > 0.0 ? fmin(most, m->careful) : m->careful;
}

/* the state with the largest error in CVODE's last try, accepted or not */
static void find_worst(clv_integrator *s)
{
    bdf_state *m = s->state;
    double most = 0;
    s->worst = -1;
    N_VSetArrayPointer(m->error, m->view);
    if (CVodeGetEstLocalErrors(m->cvode, m->view) != CV_SUCCESS)
        return;
    for (int i = 0; i < s->ode.n; i++) {
        const double part = s->ode.scale[i] == 0.0 ? 0.0 : fabs(m->error[i]) / tolerated(s, i, s->work[i]);
        if (part > most)
            most = part, s->worst = i;
    }
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
    find_worst(s);
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
        const double tolerance = tolerated(s, i, after[i]);
        if (scale != 0.0 && !(fabs(after[i] - before[i]) <= fmax(0.01 * tolerance, 100.0 * DBL_EPSILON * size)))
            return true;
    }
    return false;
}

/* The new state in s->work is the owner's to change. */
static clv_status accept(clv_integrator *s, double t_new, bool *restart)
{
    const size_t bytes = (size_t)s->ode.n * sizeof(double);
    int changed;
    memcpy(s->f, s->work, bytes); /* f serves as the state that the owner may change */
    s->fresh = false;
    const clv_status st = clv_integrator_accept(s, t_new, s->f, &changed);
    if (st != CLV_OK)
        return st;
    memcpy(s->y_old, s->y, bytes);
    memcpy(s->y, s->f, bytes);
    *restart = changed == 2 || (changed && matters(s, s->work, s->y));
    s->t_old = s->t;
    s->t = t_new;
    s->stats.steps++;
    s->stats.last_step = s->t - s->t_old;
    return CLV_OK;
}

static clv_status give_up(clv_integrator *s, clv_status why)
{
    s->t_old = s->t;
    memcpy(s->y_old, s->y, (size_t)s->ode.n * sizeof(double));
    return why;
}

static clv_status cvode_step(clv_integrator *s)
{
    bdf_state *m = s->state;
    double first = m->restart ? s->options.first_step : 0.0;
    m->parabola = false;
    for (int failures = 0;; failures++) {
        double t_new = s->t;
        clv_status st = m->restart ? start(s, first) : CLV_OK;
        if (st == CLV_OK)
            st = attempt(s, &t_new);
        const double size = fabs(t_new - s->t);
        if (st == CLV_OK)
            st = accept(s, t_new, &m->restart);
        if (st == CLV_OK) {
            (void)CVodeGetCurrentStep(m->cvode, &s->stats.next_step);
            (void)CVodeGetLastOrder(m->cvode, &s->stats.order);
            s->stats.next_step = fabs(s->stats.next_step);
            return CLV_OK;
        }
        s->stats.rejected += size > 0.0; /* thrown away by the owner: again from its beginning, smaller */
        first = 0.25 * size;
        m->restart = true;
        const bool hopeless = size == 0.0 ? failures > 0 : first <= 16.0 * DBL_EPSILON * fabs(s->t);
        if (hopeless || failures > CLV_INTEGRATOR_FAILURES)
            return give_up(s, st);
    }
}

/* One try of the starter.  Not taken: CLV_OK and *err > 1, or why; the next is to be smaller. */
static clv_status try_starter(clv_integrator *s, double *err, double *h)
{
    bdf_state *m = s->state;
    double t_new;
    bool unused;
    *err = INFINITY;
    *h = clv_integrator_bound_step(s, m->size, &t_new);
    if (*h == 0.0)
        return CLV_ERR_STEP_SIZE;
    clv_status st = s->fresh ? CLV_OK : clv_integrator_evaluate(s, s->t, s->y, s->f);
    s->fresh = st == CLV_OK;
    if (st == CLV_OK)
        st = clv_rosenbrock_step(s, &m->starter, *h, s->work, err);
    const clv_error_norm norm = clv_integrator_norm_at(s, s->y, s->work);
    s->worst = st == CLV_OK ? clv_error_norm_find(&norm, m->starter.dx, 0, s->ode.n, *err) : -1;
    if (st != CLV_OK || !(*err <= 1.0))
        return st;
    memcpy(m->f_old, s->f, (size_t)s->ode.n * sizeof(double));
    return accept(s, t_new, &unused);
}

static clv_status starter_step(clv_integrator *s)
{
    bdf_state *m = s->state;
    const double smallest = 16.0 * DBL_EPSILON * fabs(s->t);
    for (int failures = 0;; failures++) {
        double err, h;
        const clv_status st = try_starter(s, &err, &h);
        if (st == CLV_OK && err <= 1.0) {
            const double x = 1.25 * clv_root(err, CLV_ROSENBROCK_ORDER), next = fabs(h) / fmax(x, 0.2);
            m->size = failures ? fabs(h) : fabs(h) < (1 - 1e-9) * m->size ? fmax(next, m->size) : next;
            m->young--;
            m->restart = m->jumped = m->parabola = true;
            s->stats.order = CLV_ROSENBROCK_ORDER;
            s->stats.next_step = m->size;
            return CLV_OK;
        }
        s->stats.rejected++;
        m->starter.age = m->starter.age > 1 ? -1 : m->starter.age; /* perhaps its Jacobian was too old */
        if (h == 0.0 || fabs(h) <= smallest || failures > CLV_INTEGRATOR_FAILURES)
            return give_up(s, st == CLV_OK ? CLV_ERR_STEP_SIZE : st);
        m->size = fabs(h) * (st != CLV_OK || failures > 0 ? 0.25 : fmax(0.1, 0.8 * clv_root(1.0 / err, 3)));
    }
}

static clv_status step(clv_integrator *s)
{
    const bdf_state *m = s->state;
    return m->young > 0 ? starter_step(s) : cvode_step(s);
}

/* In the starter's last step: parabola by both states and the first rates, of the order of its error estimate. */
static void parabola(const clv_integrator *s, double t, double *y)
{
    const bdf_state *m = s->state;
    const double h = s->t - s->t_old, x = (t - s->t_old) / h, rest = 1 - x;
    for (int i = 0; i < s->ode.n; i++) {
        const double slope = (s->y[i] - s->y_old[i]) / h;
        y[i] = s->y_old[i] + h * x * (slope + rest * (m->f_old[i] - slope));
    }
}

static void dense(const clv_integrator *s, double t, double *y)
{
    const bdf_state *m = s->state;
    if (m->parabola) {
        parabola(s, t, y);
        return;
    }
    N_VSetArrayPointer(y, m->view);
    if (CVodeGetDky(m->cvode, t, 0, m->view) != CV_SUCCESS) /* not inside the last step */
        memcpy(y, fabs(t - s->t) < fabs(t - s->t_old) ? s->y : s->y_old, (size_t)s->ode.n * sizeof *y);
}

const clv_method clv_bdf_method = {
    CLV_BDF_NAME,     .multistep = true, .sealed = true, .most = CLV_BDF_MOST, .state_size = sizeof(bdf_state),
    .layout = layout, .begin = begin,    .step = step,   .dense = dense,       .destroy = destroy,
};
