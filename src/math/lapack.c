/* SPDX-License-Identifier: Apache-2.0
 * dsygvd, dgeev, dpotrf and dpotrs; the trailing lengths of texts are those of the Fortran calling convention.  LAPACK
 * is loaded when it is first needed: linked, it would make every start of the program three times as long. */
#include "math/lapack.h"
#include "base/memory.h"
#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

typedef void (*eigen)(const int *itype, const char *jobz, const char *uplo, const int *n, double *a, const int *lda,
                      double *b, const int *ldb, double *w, double *work, const int *lwork, int *iwork,
                      const int *liwork, int *info, size_t, size_t);
typedef void (*factor)(const char *uplo, const int *n, double *a, const int *lda, int *info, size_t);
typedef void (*solve)(const char *uplo, const int *n, const int *nrhs, const double *a, const int *lda, double *b,
                      const int *ldb, int *info, size_t);

typedef void (*general)(const char *jobvl, const char *jobvr, const int *n, double *a, const int *lda, double *wr,
                        double *wi, double *vl, const int *ldvl, double *vr, const int *ldvr, double *work,
                        const int *lwork, int *info, size_t, size_t);

/* Address of a routine into *function, a pointer to functions; never unloaded. */
static bool find(void *function, const char *name)
{
    void *library = dlopen("liblapack.so.3", RTLD_NOW | RTLD_LOCAL), *at = library ? dlsym(library, name) : NULL;
    memcpy(function, &at, sizeof at);
    return at != NULL;
}

bool clv_lapack_present(void)
{
    eigen dsygvd;
    factor dpotrf;
    solve dpotrs;
    return find(&dsygvd, "dsygvd_") && find(&dpotrf, "dpotrf_") && find(&dpotrs, "dpotrs_");
}

int clv_lapack_pencil(double *mu, double *M, double *K, int n)
{
    int itype = 1, info = 0, asked = -1, iasked = 0, lwork = -1, liwork = -1;
    double wanted = 0;
    eigen dsygvd;
    if (!find(&dsygvd, "dsygvd_"))
        return -3;
    dsygvd(&itype, "V", "U", &n, M, &n, K, &n, mu, &wanted, &asked, &iasked, &asked, &info, 1, 1);
    if (info != 0)
        return -2;
    lwork = (int)wanted;
    liwork = iasked;
    double *work = clv_alloc((size_t)lwork, sizeof *work);
    int *iwork = clv_alloc((size_t)liwork, sizeof *iwork);
    if (work && iwork)
        dsygvd(&itype, "V", "U", &n, M, &n, K, &n, mu, work, &lwork, iwork, &liwork, &info, 1, 1);
    bool memory = work && iwork;
    clv_free(work);
    clv_free(iwork);
    return !memory ? -1 : info > n ? info - n : info != 0 ? -2 : 0;
}

int clv_lapack_factor(double *K, int n)
{
    int info = 0;
    factor dpotrf;
    if (!find(&dpotrf, "dpotrf_"))
        return -3;
    dpotrf("U", &n, K, &n, &info, 1);
    return info < 0 ? -2 : info;
}

void clv_lapack_solve(const double *factored, int n, double *b, int m)
{
    int info = 0;
    solve dpotrs;
    if (find(&dpotrs, "dpotrs_"))
        dpotrs("U", &n, &m, factored, &n, b, &n, &info, 1);
}

static void transpose(double *A, size_t n)
{
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < i; k++) {
            const double t = A[i * n + k];
            A[i * n + k] = A[k * n + i], A[k * n + i] = t;
        }
}

int clv_lapack_eigen(double *re, double *im, double *V, double *U, double *A, int n)
{
    int info = 0, lwork = 8 * n + 1;
    general dgeev;
    if (!find(&dgeev, "dgeev_"))
        return -3;
    double *work = clv_alloc((size_t)lwork, sizeof *work);
    if (!work)
        return -1;
    transpose(A, (size_t)n);
    dgeev("V", "V", &n, A, &n, re, im, U, &n, V, &n, work, &lwork, &info, 1, 1);
    transpose(V, (size_t)n), transpose(U, (size_t)n);
    clv_free(work);
    return info == 0 ? 0 : -2;
}
