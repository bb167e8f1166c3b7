# SPDX-License-Identifier: Apache-2.0
# What `cmake --install` puts down: program, header, libraries, and what CMake and pkg-config need to find them.  Users write
#   find_package(cleave) and link cleave::cleave, cleave::static or cleave::shared; or  pkg-config --cflags --libs cleave
include(CMakePackageConfigHelpers)
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/cleave)

install(TARGETS cleave)
if(TARGET cleave-mpi)
    install(TARGETS cleave-mpi)
endif()
install(TARGETS libcleave EXPORT cleaveTargets)
set_target_properties(libcleave PROPERTIES EXPORT_NAME static)
if(CLV_SHARED)
    install(TARGETS libcleave_shared EXPORT cleaveTargets)
    set_target_properties(libcleave_shared PROPERTIES EXPORT_NAME shared)
endif()
install(DIRECTORY include/cleave TYPE INCLUDE)

# Shell completion, written by the program itself.
foreach(shell bash zsh)
    if(shell STREQUAL zsh)
        set(script ${PROJECT_BINARY_DIR}/completion/_cleave)
        install(FILES ${script} DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
    else()
        set(script ${PROJECT_BINARY_DIR}/completion/cleave.bash)
        install(FILES ${script} DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME cleave)
    endif()
    add_custom_command(OUTPUT ${script} COMMAND cleave completion ${shell} > ${script} DEPENDS cleave VERBATIM)
    list(APPEND completion_scripts ${script})
endforeach()
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/completion)
add_custom_target(completion ALL DEPENDS ${completion_scripts})

install(EXPORT cleaveTargets NAMESPACE cleave:: DESTINATION ${package_folder})
configure_package_config_file(cmake/cleaveConfig.cmake.in cleaveConfig.cmake INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(cleaveConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/cleaveConfig.cmake ${PROJECT_BINARY_DIR}/cleaveConfigVersion.cmake
    DESTINATION ${package_folder})

file(RELATIVE_PATH upward ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX}) # so that a moved tree works
string(REGEX REPLACE "/$" "" upward "${upward}")
set(private_libraries ${SUNDIALS_LIBRARIES})
list(JOIN private_libraries " " sundials)
set(expat_module "")
if(EXPAT_TARGET)
    set(expat_module " expat")
endif()
configure_file(cmake/cleave.pc.in cleave.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/cleave.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
