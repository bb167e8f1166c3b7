/* SPDX-License-Identifier: Apache-2.0
 * dsygvd, dpotrf and dpotrs; the trailing lengths of texts are those of the Fortran calling convention. */
#include "math/lapack.h"
#include "base/memory.h"
#include <stddef.h>

extern void dsygvd_(const int *itype, const char *jobz, const char *uplo, const int *n, double *a, const int *lda,
                    double *b, const int *ldb, double *w, double *work, const int *lwork, int *iwork, const int *liwork,
                    int *info, size_t, size_t);
extern void dpotrf_(const char *uplo, const int *n, double *a, const int *lda, int *info, size_t);
extern void dpotrs_(const char *uplo, const int *n, const int *nrhs, const double *a, const int *lda, double *b,
                    const int *ldb, int *info, size_t);

bool clv_lapack_present(void)
{
    return true;
}

int clv_lapack_pencil(double *mu, double *M, double *K, int n)
{
    int itype = 1, info = 0, asked = -1, iasked = 0, lwork = -1, liwork = -1;
    double wanted = 0;
    dsygvd_(&itype, "V", "U", &n, M, &n, K, &n, mu, &wanted, &asked, &iasked, &asked, &info, 1, 1);
    if (info != 0)
        return -2;
    lwork = (int)wanted;
    liwork = iasked;
    double *work = clv_alloc((size_t)lwork, sizeof *work);
    int *iwork = clv_alloc((size_t)liwork, sizeof *iwork);
    if (work && iwork)
        dsygvd_(&itype, "V", "U", &n, M, &n, K, &n, mu, work, &lwork, iwork, &liwork, &info, 1, 1);
    bool memory = work && iwork;
    clv_free(work);
    clv_free(iwork);
    return !memory ? -1 : info > n ? info - n : info != 0 ? -2 : 0;
}

int clv_lapack_factor(double *K, int n)
{
    int info = 0;
    dpotrf_("U", &n, K, &n, &info, 1);
    return info < 0 ? -2 : info;
}

void clv_lapack_solve(const double *factor, int n, double *b, int m)
{
    int info = 0;
    dpotrs_("U", &n, &m, factor, &n, b, &n, &info, 1);
}
