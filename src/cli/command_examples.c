/* SPDX-License-Identifier: Apache-2.0
 * cleave examples: the built-in mechanisms, one line each. */
#include "cli/command.h"

typedef struct examples_settings {
    bool json;
} examples_settings;

static const clv_option options[] = {
    {"json", CLV_OPTION_FLAG, offsetof(examples_settings, json), NULL, "print one JSON object instead of text", 0, 0,
     false},
    {0},
};

static void print_json(void)
{
    clv_json j = clv_json_begin(stdout);
    clv_json_object(&j, NULL);
    clv_json_text(&j, "status", "ok");
    clv_json_object(&j, "examples");
    for (int i = 0; clv_example_name(i); ++i)
        clv_json_text(&j, clv_example_name(i), clv_example_text(i));
    clv_json_end(&j);
    clv_json_end(&j);
}

static int command(const clv_command *self, int argc, char **argv)
{
    clv_words words;
    examples_settings set = {0};
    clv_exit code = clv_command_read(self, &set, &words, 0, 0, argc, argv);
    if (code != CLV_EXIT_DONE)
        return code;
    if (set.json) {
        print_json();
        return code;
    }
    for (int i = 0; clv_example_name(i); ++i)
        printf("%-18s %s\n", clv_example_name(i), clv_example_text(i));
    printf("\nRun one:            cleave run hdca-case1\nWith parameters:    cleave run chain links=100 spatial=1\n"
           "As a file to edit:  cleave new mine example=hdca-case1\n");
    return code;
}

const clv_command clv_command_examples = {
    "examples", "", "list the built-in mechanisms",
    "  cleave examples\n"
    "  cleave run chain links=100\n"
    "  cleave new mine example=four-bar-ladder windows=5\n"
    "\n"
    "Each name can be given as MODEL, followed by the parameters that its line shows.",
    options, command,
};
