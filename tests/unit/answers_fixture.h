/* Tests with questions and answers in a file: the program reads it, writes it anew with the answers as they
 * are now, and compares. With ODP_UPDATE in the environment the file is replaced instead: read the
 * difference before committing. */
#pragma once
#include "run.h"

#include "base/buffer.h"
#include "base/file.h"

/* NAME: below tests/unit. */
static inline void answers_read(const char *name, struct odp_buffer *text)
{
    char path[400];
    snprintf(path, sizeof path, "%s/unit/%s", ODP_TESTS_DIR, name);
    odp_buffer_init(text);
    must(odp_file_read(path, 1 << 20, text, NULL));
}

static inline void answers_write(const char *name, struct odp_slice text)
{
    char path[400];
    snprintf(path, sizeof path, "%s/unit/%s", ODP_TESTS_DIR, name);
    put_bytes(path, text.ptr, text.len);
}

static inline void answers_compare(const char *name, const char *was, const char *is)
{
    size_t line = 1, from = 0, i = 0;
    for (; was[i] != '\0' && was[i] == is[i]; i++)
        if (was[i] == '\n') {
            line++;
            from = i + 1;
        }
    if (was[i] != is[i])
        fail_msg("%s:%zu: expected\n%.*s\nbut it is\n%.*s", name, line, (int)strcspn(was + from, "\n"),
                 was + from, (int)strcspn(is + from, "\n"), is + from);
}

/* Gives back both. */
static inline void answers_check(const char *name, struct odp_buffer *expected, struct odp_buffer *answers)
{
    if (getenv("ODP_UPDATE") != NULL)
        answers_write(name, odp_buffer_slice(answers));
    else
        answers_compare(name, odp_buffer_cstr(expected), odp_buffer_cstr(answers));
    odp_buffer_release(expected);
    odp_buffer_release(answers);
}
