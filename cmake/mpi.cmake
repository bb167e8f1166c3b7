# SPDX-License-Identifier: Apache-2.0
# The program cleave-mpi, which `mpirun -n P cleave run ...` starts in the place of cleave.  It alone is linked with MPI, so
# that all other programs start as fast as without it.
set(CLV_MPI AUTO CACHE STRING "the program cleave-mpi for runs on several processes: AUTO (where MPI is found), ON or OFF")
set_property(CACHE CLV_MPI PROPERTY STRINGS AUTO ON OFF)
if(CLV_MPI)
    find_package(MPI QUIET COMPONENTS C)
    if(NOT MPI_C_FOUND AND NOT CLV_MPI STREQUAL "AUTO")
        message(FATAL_ERROR "CLV_MPI is ${CLV_MPI}, but there is no MPI (libopenmpi-dev)")
    endif()
endif()
if(CLV_MPI AND MPI_C_FOUND)
    message(STATUS "cleave-mpi by MPI ${MPI_C_VERSION}")
    clv_program(cleave-mpi src/cli/program_mpi.c src/base/ranks_mpi.c)
    target_compile_options(cleave-mpi PRIVATE ${strict})
    target_link_libraries(cleave-mpi PRIVATE clv_cli MPI::MPI_C)
    add_dependencies(cleave cleave-mpi) # which cleave starts in its place
else()
    message(STATUS "cleave-mpi left out: no MPI (libopenmpi-dev)")
endif()
