# SPDX-License-Identifier: Apache-2.0
# Reduction of finite-element bodies (`cleave flex reduce`) by LAPACK, which is loaded when it is wanted: the build needs
# nothing of it.  Keeps one of lapack.c and lapack_absent.c in library_sources; LAPACK_HERE: the machine that builds has one.
option(CLV_LAPACK "`cleave flex reduce` by the LAPACK of the machine it runs on" ON)

find_library(LAPACK_HERE NAMES liblapack.so.3)
mark_as_advanced(LAPACK_HERE)
if(CLV_LAPACK)
    list(FILTER library_sources EXCLUDE REGEX "/lapack_absent\\.c$")
else()
    message(STATUS "flex reduce left out")
    list(FILTER library_sources EXCLUDE REGEX "/lapack\\.c$")
endif()
