# SPDX-License-Identifier: Apache-2.0
# Every tests/<folder>/test_<name>.c is a program and a test <folder>/test_<name> with the label <folder>.
# With BUILD_TESTING not given they are built where what they need is there; -DBUILD_TESTING=ON insists.
if(NOT BUILD_TESTING AND NOT tests_if_possible)
    return()
endif()
pkg_check_modules(CMOCKA QUIET IMPORTED_TARGET cmocka)
find_package(Python3 QUIET COMPONENTS Interpreter)
if(NOT CMOCKA_FOUND OR NOT Python3_FOUND)
    set(missing "the tests need cmocka and Python 3 (Debian, Ubuntu: libcmocka-dev, python3)")
    if(BUILD_TESTING)
        message(FATAL_ERROR "${missing}")
    endif()
    message(STATUS "no tests: ${missing}")
    return()
endif()
enable_testing()
# s; against tests that hang, not slow machines: sanitizers and counters take up to eight times as long
set(timeout 600)
if(CLV_SANITIZE OR NOT CMAKE_BUILD_TYPE STREQUAL Release)
    set(timeout 2400)
endif()

file(GLOB oracle_sources CONFIGURE_DEPENDS tests/oracle/*.c tests/oracle/*.h)
list(FILTER oracle_sources EXCLUDE REGEX "/test_[^/]*$")
add_library(clv_oracle STATIC ${oracle_sources})
set_target_properties(clv_oracle PROPERTIES LINKER_LANGUAGE C)
target_include_directories(clv_oracle PRIVATE src PUBLIC tests)
target_link_libraries(clv_oracle PRIVATE clv_flags PUBLIC libcleave m)

file(GLOB test_sources CONFIGURE_DEPENDS tests/*/test_*.c)
if(NOT TARGET clv_fmu)
    list(FILTER test_sources EXCLUDE REGEX "/tests/fmu/")
endif()
foreach(source ${test_sources})
    cmake_path(GET source STEM name)
    cmake_path(GET source PARENT_PATH folder)
    cmake_path(GET folder FILENAME folder)
    set(target ${folder}_${name})
    clv_program(${target} ${source})
    target_compile_definitions(${target} PRIVATE CLV_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
    target_link_libraries(${target} PRIVATE clv_oracle clv_cli PkgConfig::CMOCKA PkgConfig::YAML)
    add_test(NAME ${folder}/${name} COMMAND ${target})
    set_tests_properties(${folder}/${name} PROPERTIES LABELS ${folder} TIMEOUT ${timeout})
endforeach()

# Units load the program that `cleave fmu` packs.
if(TARGET clv_fmu)
    foreach(test fmu_test_steps fmu_test_exchange fmu_test_exchange_events fmu_test_directional)
        target_include_directories(${test} PRIVATE ${PROJECT_SOURCE_DIR})
        target_link_libraries(${test} PRIVATE ${CMAKE_DL_LIBS})
        add_dependencies(${test} clv_fmu)
    endforeach()
endif()

# Calls of every function of the public header, for laws/test_null.
set(calls ${PROJECT_BINARY_DIR}/tests/header_calls.h)
add_custom_command(OUTPUT ${calls} DEPENDS tests/laws/header_calls.py include/cleave/cleave.h
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
    COMMAND Python3::Interpreter tests/laws/header_calls.py include/cleave/cleave.h ${calls})
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
target_sources(laws_test_null PRIVATE ${calls})
target_include_directories(laws_test_null PRIVATE ${PROJECT_BINARY_DIR}/tests)

# A test that is a Python program: clv_python_test(NAME LABEL FILE ARGUMENT...)
function(clv_python_test name label file)
    add_test(NAME ${name} COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/${file} ${ARGN})
    set_tests_properties(${name} PROPERTIES LABELS ${label} TIMEOUT ${timeout})
endfunction()

clv_python_test(floors floors tools/check_floors.py)
clv_python_test(docs/prose docs tools/check_prose.py)
clv_python_test(docs/test_prose docs tests/docs/test_prose.py)
foreach(lanes 1 2 4 8)
    add_test(NAME engine/lanes_${lanes} COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/tools/check_lanes.py ${lanes}
        $<TARGET_OBJECTS:clv_lanes_${lanes}> COMMAND_EXPAND_LISTS)
    set_tests_properties(engine/lanes_${lanes} PROPERTIES LABELS engine SKIP_RETURN_CODE 77 TIMEOUT ${timeout})
endforeach()
clv_python_test(model/fingerprint_fields model tools/check_fingerprint.py)
clv_python_test(cli/test_commands cli tests/cli/test_commands.py $<TARGET_FILE:cleave>)
clv_python_test(laws/test_overconstrained laws tools/overconstrained.py $<TARGET_FILE:cleave> --count 22 --time 1)
clv_python_test(cli/test_tools cli tests/cli/test_tools.py $<TARGET_FILE:cleave>)
clv_python_test(cli/test_check cli tests/cli/test_check.py $<TARGET_FILE:cleave>)
clv_python_test(cli/test_verify_examples cli tests/cli/test_verify_examples.py $<TARGET_FILE:cleave>)
clv_python_test(cli/test_flexible cli tests/cli/test_flexible.py $<TARGET_FILE:cleave>)
clv_python_test(cli/test_messages cli tests/cli/test_messages.py $<TARGET_FILE:cleave>)
clv_python_test(cli/test_outputs cli tests/cli/test_outputs.py $<TARGET_FILE:cleave>)
clv_python_test(cli/test_events cli tests/cli/test_events.py $<TARGET_FILE:cleave>)
clv_python_test(cli/test_loader cli tests/cli/test_loader.py $<TARGET_FILE:cleave>)
clv_python_test(cli/test_biped cli tests/cli/test_biped.py $<TARGET_FILE:cleave>)
clv_python_test(cli/test_motions cli tests/cli/test_motions.py $<TARGET_FILE:cleave>)
clv_python_test(cli/test_plot cli tests/cli/test_plot.py $<TARGET_FILE:cleave>)
clv_python_test(cli/test_export cli tests/cli/test_export.py $<TARGET_FILE:cleave>)
clv_python_test(cli/test_report cli tests/cli/test_report.py $<TARGET_FILE:cleave>)
if(CLV_VIEWER_PACKAGES) # skipped by name where there is no Chromium
    add_test(NAME viewer/test_page COMMAND ${CLV_NODE} ${PROJECT_SOURCE_DIR}/tests/viewer/test_page.mjs
        $<TARGET_FILE:cleave> ${CLV_VIEWER_PACKAGES})
    set_tests_properties(viewer/test_page PROPERTIES LABELS viewer SKIP_RETURN_CODE 77 TIMEOUT ${timeout})
    add_test(NAME viewer/test_gltf COMMAND ${CLV_NODE} ${PROJECT_SOURCE_DIR}/tests/viewer/test_gltf.mjs
        $<TARGET_FILE:cleave> ${CLV_VIEWER_PACKAGES})
    set_tests_properties(viewer/test_gltf PROPERTIES LABELS viewer SKIP_RETURN_CODE 77 TIMEOUT ${timeout})
    add_test(NAME viewer/types COMMAND ${CLV_NODE} ${CLV_VIEWER_PACKAGES}/typescript/bin/tsc
        -p ${PROJECT_BINARY_DIR}/viewer/tsconfig.json)
    set_tests_properties(viewer/types PROPERTIES LABELS viewer TIMEOUT ${timeout})
endif()
if(CLV_LAPACK AND LAPACK_HERE)
    clv_python_test(cli/test_flex_reduce cli tests/cli/test_flex_reduce.py $<TARGET_FILE:cleave> Reduce)
else()
    clv_python_test(cli/test_flex_reduce cli tests/cli/test_flex_reduce.py $<TARGET_FILE:cleave> Refuse)
endif()
clv_python_test(cli/test_resume cli tests/cli/test_resume.py $<TARGET_FILE:cleave>)
if(NOT CLV_SANITIZE) # libraries of MPI leave blocks behind; skipped by name where there is no MPI
    clv_python_test(cli/test_ranks cli tests/cli/test_ranks.py $<TARGET_FILE:cleave>)
    set_tests_properties(cli/test_ranks PROPERTIES SKIP_RETURN_CODE 77)
endif()
clv_python_test(cli/test_parameters cli tests/cli/test_parameters.py $<TARGET_FILE:cleave>)
clv_python_test(cli/test_sweep cli tests/cli/test_sweep.py $<TARGET_FILE:cleave>)
clv_python_test(cli/test_sweep_merge cli tests/cli/test_sweep_merge.py $<TARGET_FILE:cleave>)
clv_python_test(cli/test_real_time cli tests/cli/test_real_time.py $<TARGET_FILE:cleave>)
clv_python_test(cli/test_equilibrium cli tests/cli/test_equilibrium.py $<TARGET_FILE:cleave>)
clv_python_test(cli/test_gradient cli tests/cli/test_gradient.py $<TARGET_FILE:cleave>)
clv_python_test(cli/test_linearize cli tests/cli/test_linearize.py $<TARGET_FILE:cleave>)
clv_python_test(cli/test_inverse cli tests/cli/test_inverse.py $<TARGET_FILE:cleave>)
clv_python_test(cli/test_snapshot cli tests/cli/test_snapshot.py $<TARGET_FILE:cleave>)
clv_python_test(cli/test_siege cli tools/siege_runfile.py $<TARGET_FILE:cleave> --rounds 10)
clv_python_test(cli/test_import cli tests/cli/test_import.py $<TARGET_FILE:cleave>)
# Units in fmpy; skipped where its Python package is not.
if(TARGET clv_fmu AND NOT CLV_SANITIZE)
    clv_python_test(fmu/test_fmpy fmu tests/fmu/test_fmpy.py $<TARGET_FILE:cleave>)
    set_tests_properties(fmu/test_fmpy PROPERTIES SKIP_RETURN_CODE 77)
endif()
# Against MuJoCo, where robots are read; skipped where its Python package is not.
if(EXPAT_TARGET)
    clv_python_test(cli/test_mujoco cli studies/mjcf.py $<TARGET_FILE:cleave> --installed
        ${PROJECT_SOURCE_DIR}/tests/models/robots/creature.xml ${PROJECT_SOURCE_DIR}/tests/models/robots/linkage.xml
        ${PROJECT_SOURCE_DIR}/tests/models/robots/brick.xml ${PROJECT_SOURCE_DIR}/tests/models/robots/tendons.xml)
    set_tests_properties(cli/test_mujoco PROPERTIES SKIP_RETURN_CODE 77)
    clv_python_test(cli/test_mesh_mujoco cli tests/cli/test_mesh_mujoco.py $<TARGET_FILE:cleave>)
    set_tests_properties(cli/test_mesh_mujoco PROPERTIES SKIP_RETURN_CODE 77)
    clv_python_test(cli/test_contacts_mujoco cli tests/cli/test_contacts_mujoco.py $<TARGET_FILE:cleave>)
    set_tests_properties(cli/test_contacts_mujoco PROPERTIES SKIP_RETURN_CODE 77)
endif()
clv_python_test(cli/test_files cli tests/cli/test_files.py $<TARGET_FILE:cleave>)
# The ledger of the papers: names, and its everyday commands; .ci/run --full runs all of them.
clv_python_test(docs/test_papers docs tools/check_papers.py --build ${PROJECT_BINARY_DIR})
# The header and the pages beside it are documented without gaps; skipped where there is no doxygen.
add_test(NAME docs/doxygen WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} COMMAND sh -c
    "command -v doxygen || exit 77; (cat docs/Doxyfile; echo OUTPUT_DIRECTORY=${PROJECT_BINARY_DIR}) | doxygen -")
set_tests_properties(docs/doxygen PROPERTIES LABELS docs SKIP_RETURN_CODE 77 TIMEOUT ${timeout})
# The Python package; skipped by name where its Python has no numpy or pytest.
if(TARGET clv_python)
    clv_python_test(python/tests python tests/python/run.py ${PROJECT_BINARY_DIR}/python)
    set_tests_properties(python/tests PROPERTIES SKIP_RETURN_CODE 77)
endif()
if(CLV_SHARED)
    set(sanitizers "")
    if(CLV_SANITIZE)
        set(sanitizers -fsanitize=${CLV_SANITIZE})
    endif()
    clv_python_test(install/test_install install tests/install/test_install.py ${PROJECT_BINARY_DIR} ${CMAKE_COMMAND}
        ${CMAKE_C_COMPILER} "${CMAKE_C_FLAGS} ${sanitizers}")
endif()

# Studies over whole motions: left out where memory and lines are what is tested (.ci/run --full), since others run the
# same code, and on bare systems.
foreach(test cli/test_verify_examples docs/test_papers laws/test_long)
    get_property(labels TEST ${test} PROPERTY LABELS)
    set_tests_properties(${test} PROPERTIES LABELS "${labels};long")
endforeach()
# Those in which threads meet, for ThreadSanitizer.
foreach(test base/test_team base/test_schedule integrator/test_vector simulation/test_span laws/test_nets
        laws/test_threads io/test_ensemble io/test_ensemble_lanes io/test_ensemble_flexible io/test_runfile cli/test_realtime)
    get_property(labels TEST ${test} PROPERTY LABELS)
    set_tests_properties(${test} PROPERTIES LABELS "${labels};threads")
endforeach()
# Tests of half a minute and more.  The sanitizers leave them out: other tests run the same code, and with them these take
# as long as all the others.  The slowest begin first, so that all cores work to the end.
foreach(test cli/test_verify_examples cli/test_tools cli/test_resume laws/test_random_systems
        laws/test_long laws/test_formulations laws/test_connection laws/test_singular laws/test_index3
        simulation/test_symplectic formulation/test_absolute)
    get_property(labels TEST ${test} PROPERTY LABELS)
    set_tests_properties(${test} PROPERTIES LABELS "${labels};slow" COST 50)
endforeach()
set_tests_properties(cli/test_verify_examples laws/test_out_of_memory PROPERTIES COST 100)
