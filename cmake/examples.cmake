# SPDX-License-Identifier: Apache-2.0
# The built-in examples that are files: examples/NAME.yaml become a table in C (clv_example_files, examples/examples.h).
# Included by CMakeLists.txt, which calls clv_embed_examples; run as a script (-P) by the rule made there.
function(clv_embed_examples to)
    file(GLOB files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/examples/*.yaml)
    set(made ${PROJECT_BINARY_DIR}/example_files.c)
    add_custom_command(OUTPUT ${made} DEPENDS ${files} ${CMAKE_CURRENT_FUNCTION_LIST_FILE} VERBATIM
        COMMAND ${CMAKE_COMMAND} -DFROM=${PROJECT_SOURCE_DIR}/examples -DTO=${made} -P ${CMAKE_CURRENT_FUNCTION_LIST_FILE}
        COMMENT "Embedding examples/*.yaml")
    set(${to} ${made} PARENT_SCOPE)
endfunction()

if(CMAKE_SCRIPT_MODE_FILE)
    file(GLOB files ${FROM}/*.yaml)
    list(SORT files)
    set(texts "")
    set(rows "")
    foreach(path ${files})
        cmake_path(GET path STEM name)
        string(MAKE_C_IDENTIFIER ${name} id)
        file(STRINGS ${path} line LIMIT_COUNT 1) # "# what it is; its parameters"
        string(REGEX REPLACE "^# " "" line "${line}")
        string(REPLACE "\\;" ";" line "${line}") # file(STRINGS) makes lists
        string(REPLACE "\"" "\\\"" line "${line}")
        file(SIZE ${path} size)
        file(READ ${path} bytes HEX)
        string(REGEX REPLACE "(................................................................)" "\\1\n" bytes "${bytes}")
        string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
        string(APPEND texts "static const unsigned char text_${id}[] = {\n${bytes}0};\n")
        string(APPEND rows "    {\"${name}\", \"${line}\", (const char *)text_${id}, ${size}},\n")
    endforeach()
    file(WRITE ${TO} "/* The files of examples/, by cmake/examples.cmake. */\n#include \"examples/examples.h\"\n\n"
        "${texts}\nconst clv_example_file clv_example_files[] = {\n${rows}    {0}};\n")
endif()
