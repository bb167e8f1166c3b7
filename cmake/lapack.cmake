# SPDX-License-Identifier: Apache-2.0
# Reduction of finite-element bodies (`cleave flex reduce`) by LAPACK.  Sets CLV_LAPACK_FOUND and LAPACK_LINKED, and keeps
# one of lapack.c and lapack_absent.c in library_sources.  No simulation calls it.
set(CLV_LAPACK AUTO CACHE STRING "`cleave flex reduce` by LAPACK: AUTO (where it is found), ON or OFF")
set_property(CACHE CLV_LAPACK PROPERTY STRINGS AUTO ON OFF)

set(LAPACK_LINKED "")
if(CLV_LAPACK)
    find_library(LAPACK_LIBRARY lapack)
    find_library(BLAS_LIBRARY blas)
    mark_as_advanced(LAPACK_LIBRARY BLAS_LIBRARY)
    if(LAPACK_LIBRARY AND BLAS_LIBRARY)
        set(LAPACK_LINKED ${LAPACK_LIBRARY} ${BLAS_LIBRARY})
    elseif(NOT CLV_LAPACK STREQUAL "AUTO")
        message(FATAL_ERROR "CLV_LAPACK is ${CLV_LAPACK}, but there is no LAPACK (liblapack-dev)")
    endif()
endif()

if(LAPACK_LINKED)
    message(STATUS "flex reduce by LAPACK: ${LAPACK_LIBRARY}")
    list(FILTER library_sources EXCLUDE REGEX "/lapack_absent\\.c$")
else()
    message(STATUS "flex reduce left out: no LAPACK")
    list(FILTER library_sources EXCLUDE REGEX "/lapack\\.c$")
endif()
