/* SPDX-License-Identifier: Apache-2.0
 * Outputs: nothing that exists is replaced unasked, nothing that is read is replaced at all, and what cannot be
 * completed leaves things as they were. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "io/output.h"

static char folder[] = "/tmp/cleave-output-XXXXXX";
static char a[80], b[80], aim[80];

static void put(const char *name, const char *text)
{
    FILE *out = fopen(name, "w");
    assert_non_null(out);
    fputs(text, out);
    fclose(out);
}

static void holds(const char *name, const char *text)
{
    char found[64] = "";
    FILE *in = fopen(name, "r");
    if (!in)
        fail_msg("%s is not there", name);
    found[fread(found, 1, sizeof found - 1, in)] = 0;
    fclose(in);
    assert_string_equal(found, text);
}

static void absent(const char *name) { assert_int_not_equal(access(name, F_OK), 0); }

/* Writes `text`, keeps it or not. */
static clv_status write_it(const char *name, clv_output_rule rule, const char *text, bool keep, clv_error *e)
{
    clv_output o;
    clv_status status = clv_output_open(&o, name, &rule, e);
    if (status != CLV_OK)
        return status;
    fputs(text, o.stream);
    return clv_output_close(&o, keep, e);
}

static void new_files_are_written(void **state)
{
    (void)state;
    clv_error e;
    for (int stream = 0; stream < 2; stream++) {
        assert_int_equal(write_it(a, (clv_output_rule){.stream = stream}, "text", true, &e), CLV_OK);
        holds(a, "text");
        unlink(a);
    }
    assert_int_equal(write_it(a, (clv_output_rule){0}, "half", false, &e), CLV_OK);
    absent(a); /* all or nothing */
    assert_int_equal(write_it(a, (clv_output_rule){.stream = true}, "half", false, &e), CLV_OK);
    holds(a, "half");
    unlink(a);
}

static void existing_files_are_kept_unless_forced(void **state)
{
    (void)state;
    clv_error e;
    struct stat about;
    put(a, "old");
    chmod(a, 0640);
    for (int stream = 0; stream < 2; stream++) {
        assert_int_equal(write_it(a, (clv_output_rule){.stream = stream}, "new", true, &e), CLV_ERR_USAGE);
        assert_non_null(strstr(e.message, a));
        assert_non_null(strstr(e.message, "exists; --force replaces it"));
        holds(a, "old");
    }
    assert_int_equal(write_it(a, (clv_output_rule){.force = true}, "new", false, &e), CLV_OK);
    holds(a, "old"); /* it stays until its replacement is complete */
    assert_int_equal(write_it(a, (clv_output_rule){.force = true}, "new", true, &e), CLV_OK);
    holds(a, "new");
    assert_true(stat(a, &about) == 0 && (about.st_mode & 0777) == 0640);
    assert_int_equal(write_it(a, (clv_output_rule){.force = true, .stream = true}, "newer", true, &e), CLV_OK);
    holds(a, "newer");
    unlink(a);
    put(a, "");
    assert_int_equal(write_it(a, (clv_output_rule){0}, "new", true, &e), CLV_ERR_USAGE);
    unlink(a);
}

static void what_is_read_is_never_replaced(void **state)
{
    (void)state;
    clv_error e;
    const char *const input[] = {"nowhere", a, NULL};
    put(a, "model");
    assert_int_equal(link(a, b), 0);
    assert_int_equal(symlink("a", aim), 0);
    const char *const names[] = {a, b, aim};
    for (int i = 0; i < 3; i++)
        for (int stream = 0; stream < 2; stream++) {
            assert_int_equal(write_it(names[i], (clv_output_rule){true, stream, input}, "x", true, &e), CLV_ERR_USAGE);
            assert_non_null(strstr(e.message, "which is read"));
            holds(a, "model");
        }
    unlink(a), unlink(b), unlink(aim);
}

static void links_stand_for_their_targets(void **state)
{
    (void)state;
    clv_error e;
    struct stat about;
    assert_int_equal(symlink("b", a), 0);
    assert_int_equal(write_it(a, (clv_output_rule){.force = true}, "x", true, &e), CLV_ERR_USAGE); /* to nothing */
    absent(b);
    put(b, "old");
    assert_int_equal(write_it(a, (clv_output_rule){0}, "x", true, &e), CLV_ERR_USAGE);
    holds(b, "old");
    for (int stream = 0; stream < 2; stream++) {
        assert_int_equal(write_it(a, (clv_output_rule){.force = true, .stream = stream}, "x", true, &e), CLV_OK);
        assert_true(lstat(a, &about) == 0 && S_ISLNK(about.st_mode));
        holds(b, "x");
    }
    unlink(a), unlink(b);
}

static void other_things_are_no_outputs(void **state)
{
    (void)state;
    clv_error e;
    assert_int_equal(mkfifo(a, 0600), 0);
    assert_int_equal(write_it(a, (clv_output_rule){.force = true}, "x", true, &e), CLV_ERR_USAGE);
    assert_non_null(strstr(e.message, "not a regular file"));
    unlink(a);
    assert_int_equal(write_it(folder, (clv_output_rule){.force = true}, "x", true, &e), CLV_ERR_USAGE);
    assert_int_equal(write_it("/nowhere/a", (clv_output_rule){0}, "x", true, &e), CLV_ERR_IO);
    assert_non_null(strstr(e.message, "/nowhere/a cannot be written: No such file"));
}

static void a_file_that_is_taken_away_is_noticed(void **state)
{
    (void)state;
    clv_error e;
    for (int deed = 0; deed < 3; deed++) {
        clv_output o;
        assert_int_equal(clv_output_open(&o, a, &(clv_output_rule){.stream = true}, &e), CLV_OK);
        fputs("some text", o.stream);
        fflush(o.stream);
        if (deed == 0)
            unlink(a);
        else if (deed == 1)
            put(b, "x"), rename(b, a);
        else
            assert_int_equal(truncate(a, 2), 0);
        assert_int_equal(clv_output_close(&o, true, &e), CLV_ERR_IO);
        assert_non_null(strstr(e.message, deed < 2 ? "removed or replaced" : "changed by another program"));
        unlink(a);
    }
}

static int make_folder(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    snprintf(a, sizeof a, "%s/a", folder), snprintf(b, sizeof b, "%s/b", folder);
    snprintf(aim, sizeof aim, "%s/aim", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    return rmdir(folder); /* and nothing is left in it */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(new_files_are_written),
        cmocka_unit_test(existing_files_are_kept_unless_forced),
        cmocka_unit_test(what_is_read_is_never_replaced),
        cmocka_unit_test(links_stand_for_their_targets),
        cmocka_unit_test(other_things_are_no_outputs),
        cmocka_unit_test(a_file_that_is_taken_away_is_noticed),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
