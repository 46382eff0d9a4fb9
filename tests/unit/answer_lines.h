/* Answer files (answers_fixture.h) of one line a question: what follows a question with four spaces before it
 * is its answer. Blank lines and those that begin with '#' stay as they are. In a question \r, \n, \t, \\ and
 * \xHH are what they are in C. */
#pragma once

#include "answers_fixture.h"

/* QUESTION without escapes, LEN bytes and a NUL. OUT gets lines; none: the question only sets something. */
typedef void answer_line(void *ctx, struct odp_slice question, struct odp_buffer *out);

static inline struct odp_slice answer_unescape(char *text, size_t len)
{
    static const char letters[] = "rnt\\", meant[] = "\r\n\t\\";
    size_t n = 0;
    for (size_t i = 0; i < len; i++) {
        const char *letter = text[i] == '\\' && i + 1 < len ? strchr(letters, text[i + 1]) : NULL;
        if (letter != NULL) {
            text[n++] = meant[letter - letters];
            i++;
        } else if (text[i] == '\\' && i + 3 < len && text[i + 1] == 'x') {
            const char digits[3] = {text[i + 2], text[i + 3], '\0'};
            text[n++] = (char)strtoul(digits, NULL, 16);
            i += 3;
        } else {
            text[n++] = text[i];
        }
    }
    text[n] = '\0';
    return (struct odp_slice){text, n};
}

static inline void answer_add(struct odp_buffer *file, const struct odp_buffer *answer)
{
    for (size_t i = 0; i < answer->len; i++) {
        if (i == 0 || answer->ptr[i - 1] == '\n')
            odp_buffer_add_str(file, "    ");
        odp_buffer_add_char(file, answer->ptr[i]);
    }
    if (answer->len > 0 && answer->ptr[answer->len - 1] != '\n')
        odp_buffer_add_char(file, '\n');
}

/* Asks all questions of the file NAME (below tests/unit). */
static inline void answer_lines(const char *name, answer_line *answer, void *ctx)
{
    struct odp_buffer was, is = {0}, one = {0};
    answers_read(name, &was);
    for (const char *line = odp_buffer_cstr(&was), *end; *line != '\0'; line = end) {
        end = line + strcspn(line, "\n");
        end += *end == '\n';
        if (strncmp(line, "    ", 4) == 0)
            continue;
        odp_buffer_add(&is, line, (size_t)(end - line));
        size_t len = strcspn(line, "\n");
        if (len == 0 || *line == '#')
            continue;
        char *question = strndup(line, len);
        assert_non_null(question);
        odp_buffer_clear(&one);
        answer(ctx, answer_unescape(question, len), &one);
        answer_add(&is, &one);
        free(question);
    }
    odp_buffer_release(&one);
    answers_check(name, &was, &is);
}
