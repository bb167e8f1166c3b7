# SPDX-License-Identifier: Apache-2.0
# Lane sources are compiled once for each width, with the instructions of that width (src/engine/kernels.h); all of them are in
# the library, and a simulation takes the widest that its CPU has.  A new lane source is one line here.
set(CLV_LANE_SOURCES
    src/engine/block_lanes.c
    src/engine/compliant_strand.c
    src/engine/kernels_table.c
    src/engine/node_lanes.c
    src/engine/pair_factor.c
    src/engine/pair_solve.c
    src/engine/strand.c
    src/math/lane_vector.c
    src/math/semi_lane.c
    src/kinematics/closing_pack_lane.c
    src/kinematics/deform_lane.c
    src/kinematics/row_balls.c
    src/kinematics/row_batch_lane.c
    src/kinematics/row_bodies_lane.c
    src/kinematics/row_border_lane.c
    src/kinematics/row_carry_lane.c
    src/kinematics/row_climb.c
    src/kinematics/row_flex_fold.c
    src/kinematics/row_flex_join.c
    src/kinematics/row_flex_joint.c
    src/kinematics/row_flex_load.c
    src/kinematics/row_flex_pose.c
    src/kinematics/row_flex_rates.c
    src/kinematics/row_floats.c
    src/kinematics/row_energy.c src/kinematics/row_rates.c
    src/kinematics/row_intake_lane.c
    src/kinematics/row_join.c
    src/kinematics/row_compose.c
    src/kinematics/row_kernels_table.c
    src/kinematics/row_joined_lane.c
    src/kinematics/row_limbs.c
    src/kinematics/row_motion.c
    src/kinematics/row_respond.c
    src/kinematics/row_runs_lane.c
    src/kinematics/row_sheaf_lane.c
    src/kinematics/row_springs.c
    src/kinematics/row_star_lane.c
    src/kinematics/row_trial.c
    src/kinematics/row_trial_rates.c
    src/kinematics/row_turn.c)

option(CLV_LANES_BASELINE "compile every width of the lane kernels for the baseline CPU: slow, runs anywhere; for tests" OFF)

# Fused operations stay off in every width: -ffp-contract=off (clv_flags) and no -mfma.
set(lane_options_1)
set(lane_options_2)
set(lane_options_4)
set(lane_options_8)
if(CLV_LANES_BASELINE)
    target_compile_definitions(clv_flags INTERFACE CLV_LANES_BASELINE)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
    set(lane_options_4 -mavx2)
    set(lane_options_8 -mavx512f -mavx512dq -mprefer-vector-width=512)
endif()

# clv_lane_objects(WIDTH): object library clv_lanes_WIDTH
function(clv_lane_objects lanes)
    list(TRANSFORM CLV_LANE_SOURCES PREPEND ${PROJECT_SOURCE_DIR}/ OUTPUT_VARIABLE sources)
    add_library(clv_lanes_${lanes} OBJECT ${sources})
    set_target_properties(clv_lanes_${lanes} PROPERTIES POSITION_INDEPENDENT_CODE ON)
    target_include_directories(clv_lanes_${lanes} PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
    target_link_libraries(clv_lanes_${lanes} PRIVATE clv_flags)
    target_compile_definitions(clv_lanes_${lanes} PRIVATE CLV_LANES=${lanes})
    target_compile_options(clv_lanes_${lanes} PRIVATE ${lane_options_${lanes}})
    if(CLV_SANITIZE AND lanes MATCHES "^(2|8)$") # they are the source of the others, and take minutes to compile
        set_target_properties(clv_lanes_${lanes} PROPERTIES CLV_PLAIN ON)
    endif()
    # of the source, so that it comes last; kernels take no sizes from outside (CMakeLists.txt)
    set_source_files_properties(${sources} PROPERTIES COMPILE_OPTIONS -fno-stack-protector)
endfunction()
foreach(lanes 1 2 4 8)
    clv_lane_objects(${lanes})
    list(APPEND lane_objects $<TARGET_OBJECTS:clv_lanes_${lanes}>)
endforeach()
