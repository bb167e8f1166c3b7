# SPDX-License-Identifier: Apache-2.0
# Reading URDF by expat.  Sets EXPAT_TARGET (empty: left out), and keeps one of xml_expat.c and xml_absent.c in
# library_sources.
set(CLV_EXPAT AUTO CACHE STRING "reading URDF by expat: AUTO (where it is found), ON or OFF")
set_property(CACHE CLV_EXPAT PROPERTY STRINGS AUTO ON OFF)

set(EXPAT_TARGET "")
if(CLV_EXPAT)
    pkg_check_modules(EXPAT QUIET IMPORTED_TARGET expat)
    if(EXPAT_FOUND)
        set(EXPAT_TARGET PkgConfig::EXPAT)
    elseif(NOT CLV_EXPAT STREQUAL "AUTO")
        message(FATAL_ERROR "CLV_EXPAT is ${CLV_EXPAT}, but there is no expat (libexpat1-dev)")
    endif()
endif()
if(EXPAT_TARGET)
    message(STATUS "URDF by expat ${EXPAT_VERSION}")
    list(FILTER library_sources EXCLUDE REGEX "/xml_absent\\.c$")
else()
    message(STATUS "URDF left out: no expat")
    list(FILTER library_sources EXCLUDE REGEX "/xml_expat\\.c$")
endif()
