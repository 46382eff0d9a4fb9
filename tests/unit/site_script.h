/* Sites as scripts (answer_lines.h). In JSON ' means ".
 *
 *   begin [TEXT]      anew, with what the test's own hook makes of TEXT
 *   put PATH JSON     a document
 *   make JSON         what the test is about, of these entries
 *   in PATH           what is asked from now on
 *   says TEXT         yes or no
 *   times TEXT        how often
 *   json PATH         the value there ("a|b|0")
 *   is PATH           whether there is such a file
 *   text              all of it */
#pragma once

#include "answer_lines.h"
#include "site_fixture.h"

struct site_script {
    struct site *s;
    void *ctx;
    void (*begin)(void *ctx, const char *text); /* ends the one before */
    void (*make)(void *ctx, const char *entries);
    const char *(*read)(void *ctx, const char *path);
    const char *text;
};

static inline bool site_script_asks(struct site_script *p, const char *verb, const char *rest,
                                    struct odp_buffer *out)
{
    if (strcmp(verb, "says") == 0)
        odp_buffer_add_str(out, strstr(p->text, rest) != NULL ? "yes" : "no");
    else if (strcmp(verb, "times") == 0)
        odp_buffer_printf(out, "%zu", times_in(p->text, rest));
    else if (strcmp(verb, "json") == 0)
        odp_buffer_add_str(out, site_json_at(p->s, site_parse(p->s, p->text), rest));
    else if (strcmp(verb, "is") == 0)
        odp_buffer_add_str(
            out, (p->s->stage != NULL ? odp_stage_find(p->s->stage, rest) != NULL : site_has(p->s, rest))
                     ? "yes"
                     : "no");
    else if (strcmp(verb, "text") == 0)
        odp_buffer_add_str(out, p->text);
    else
        return false;
    return true;
}

static inline void site_script_line(void *ctx, struct odp_slice question, struct odp_buffer *out)
{
    struct site_script *p = ctx;
    char *text = strdup(question.ptr), *rest = text;
    const char *verb = strsep(&rest, " ");
    rest = rest != NULL ? rest : text + strlen(text);
    if (strcmp(verb, "begin") == 0) {
        p->begin(p->ctx, rest);
    } else if (strcmp(verb, "put") == 0) {
        const char *path = strsep(&rest, " ");
        site_put(p->s, path, rest);
    } else if (strcmp(verb, "make") == 0) {
        p->make(p->ctx, rest);
    } else if (strcmp(verb, "in") == 0) {
        p->text = p->read(p->ctx, rest);
    } else if (!site_script_asks(p, verb, rest, out)) {
        fail_msg("nobody knows what %s is", verb);
    }
    free(text);
}

/* Asks all questions of the file NAME (below tests/unit). */
static inline void site_script(struct site_script p, const char *name)
{
    answer_lines(name, site_script_line, &p);
}
