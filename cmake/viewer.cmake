# SPDX-License-Identifier: Apache-2.0
# The page of `cleave report`: viewer/ is bundled by Node and esbuild into one C array (src/cli/report.h).  What npm
# installs lies in the build folder and is what viewer/package-lock.json names.  CLV_VIEWER: ON insists on it, AUTO leaves
# it out where Node, npm or the packages are missing, and src/cli/report_absent.c stands for it.
function(clv_viewer_packages to)
    set(folder ${PROJECT_BINARY_DIR}/viewer)
    set(${to} "" PARENT_SCOPE)
    find_program(CLV_NODE node)
    find_program(CLV_NPM npm)
    mark_as_advanced(CLV_NODE CLV_NPM)
    if(NOT CLV_NODE OR NOT CLV_NPM)
        return()
    endif()
    execute_process(COMMAND ${CLV_NODE} --version OUTPUT_VARIABLE version OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    if(NOT version MATCHES "^v([0-9]+)" OR CMAKE_MATCH_1 LESS 18)
        return()
    endif()
    file(CONFIGURE OUTPUT ${folder}/tsconfig.json @ONLY CONTENT [[{
    "extends": "@PROJECT_SOURCE_DIR@/viewer/tsconfig.json", "include": ["@PROJECT_SOURCE_DIR@/viewer/src"],
    "compilerOptions": { "paths": { "*": ["./node_modules/@types/*", "./node_modules/*"] } } }
]])
    foreach(file package.json package-lock.json .npmrc)
        configure_file(${PROJECT_SOURCE_DIR}/viewer/${file} ${folder}/${file} COPYONLY)
    endforeach()
    file(SHA256 ${folder}/package-lock.json sum)
    if(NOT EXISTS ${folder}/installed-${sum})
        message(STATUS "viewer: npm ci")
        execute_process(COMMAND ${CLV_NPM} ci --ignore-scripts --prefer-offline WORKING_DIRECTORY ${folder} TIMEOUT 240
            RESULT_VARIABLE result OUTPUT_QUIET ERROR_VARIABLE text)
        if(NOT result EQUAL 0)
            message(STATUS "viewer: npm ci failed: ${text}")
            return()
        endif()
        file(TOUCH ${folder}/installed-${sum})
    endif()
    set(${to} ${folder}/node_modules PARENT_SCOPE)
endfunction()

# Puts the page, or what stands for it, into a list of sources.
function(clv_embed_viewer sources)
    set(packages "")
    if(CLV_VIEWER)
        clv_viewer_packages(packages)
    endif()
    set(list ${${sources}})
    if(packages)
        set(made ${PROJECT_BINARY_DIR}/viewer_page.c)
        file(GLOB files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/viewer/src/* ${PROJECT_SOURCE_DIR}/viewer/build.mjs)
        add_custom_command(OUTPUT ${made} DEPENDS ${files} ${PROJECT_SOURCE_DIR}/viewer/package-lock.json VERBATIM
            COMMAND ${CLV_NODE} ${PROJECT_SOURCE_DIR}/viewer/build.mjs ${packages} ${made}
            COMMENT "Bundling viewer/")
        list(REMOVE_ITEM list ${PROJECT_SOURCE_DIR}/src/cli/report_absent.c)
        list(APPEND list ${made})
        set(CLV_VIEWER_PACKAGES ${packages} PARENT_SCOPE)
    elseif(CLV_VIEWER AND NOT CLV_VIEWER STREQUAL AUTO)
        message(FATAL_ERROR "the viewer needs Node.js 18 or later, npm and the packages of viewer/package-lock.json")
    else()
        message(STATUS "no viewer: `cleave report` needs Node.js 18 or later and npm at build time")
    endif()
    set(${sources} ${list} PARENT_SCOPE)
endfunction()
