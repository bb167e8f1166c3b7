# SPDX-License-Identifier: Apache-2.0
# Hardening of what is shipped, where compiler and linker have it: a guard word in frames that hold arrays, checked
# calls of string and memory functions (optimised builds; not beside sanitizers, which check more), stack clashes,
# addresses that differ in every run, and tables of the linker that are read-only once the program has started.
# tests/install looks whether they arrived; costs: docs/performance.md.
include(CheckCCompilerFlag)
include(CheckPIESupported)
check_pie_supported(OUTPUT_VARIABLE no_pie LANGUAGES C)
set(CMAKE_POSITION_INDEPENDENT_CODE ON) # programs too: -fPIE, -pie

function(clv_harden target)
    foreach(flag -fstack-protector-strong -fstack-clash-protection)
        string(MAKE_C_IDENTIFIER "CLV_HAS${flag}" has)
        check_c_compiler_flag(${flag} ${has})
        if(${has})
            target_compile_options(${target} INTERFACE ${flag})
        endif()
    endforeach()
    if(NOT CLV_SANITIZE) # level 3 needs gcc 12 or clang 14, the oldest compilers there are
        target_compile_options(${target} INTERFACE
            $<$<CONFIG:Release,RelWithDebInfo,MinSizeRel>:-U_FORTIFY_SOURCE$<SEMICOLON>-D_FORTIFY_SOURCE=3>)
    endif()
    target_link_options(${target} INTERFACE -Wl,-z,relro,-z,now,-z,noexecstack)
endfunction()
