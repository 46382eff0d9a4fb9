/* For tests: reads published files back. Each line of the input is SCHEMA, FORM, FILE... with tabs between
 * them; each line of
 * the output is rows attributes logical|-      (digests in hex; - : the form does not carry every geometry
 *                                              whole), or bad fault
 * With arguments instead of input: one such question. Exit 1: a file was damaged. */
#include <stdio.h>
#include <stdlib.h>

#include "published/reading.h"

enum { WORDS_MAX = 4096 };

static enum odp_status digest(const struct odp_layout *l, int form, const char *const *paths, size_t n)
{
    struct odp_reading *r;
    struct odp_reading_digest d;
    char attributes[ODP_SHA256_HEX], logical[ODP_SHA256_HEX] = "-";
    if (form < 0 || odp_reading_open(&r, (enum odp_form)form, l, paths, n) != ODP_OK)
        return ODP_FAIL;
    enum odp_status status = odp_reading_digest(r, &d);
    if (status == ODP_OK) {
        odp_digest_hex(d.attributes, attributes);
        if (d.whole)
            odp_digest_hex(d.logical, logical);
        printf("%llu %s %s\n", (unsigned long long)d.rows, attributes, logical);
    } else if (status == ODP_BAD) {
        printf("bad %s\n", odp_reading_fault(r));
    }
    odp_reading_close(r);
    return status;
}

/* WORDS: schema, form, files. */
static enum odp_status answer(const char *const *words, size_t n)
{
    struct odp_arena arena;
    struct odp_layout *l;
    const char *why = "";
    if (n < 3)
        return ODP_FAIL;
    odp_arena_init(&arena);
    json_t *schema = json_load_file(words[0], 0, NULL);
    enum odp_status status = odp_layout_read(&l, schema, &arena, &why);
    if (status == ODP_OK)
        status = digest(l, odp_form_find(words[1]), words + 2, n - 2);
    else
        printf("bad %s\n", why);
    json_decref(schema);
    odp_arena_release(&arena);
    return status;
}

static enum odp_status answer_lines(void)
{
    static const char *words[WORDS_MAX];
    char *line = NULL;
    size_t cap = 0;
    enum odp_status worst = ODP_OK;
    while (getline(&line, &cap, stdin) > 0) {
        size_t n = 0;
        for (char *w = strtok(line, "\t\n"); w != NULL && n < WORDS_MAX; w = strtok(NULL, "\t\n"))
            words[n++] = w;
        enum odp_status status = answer(words, n);
        worst = status > worst ? status : worst;
    }
    free(line);
    return worst;
}

int main(int argc, char **argv)
{
    enum odp_status status =
        argc > 1 ? answer((const char *const *)argv + 1, (size_t)argc - 1) : answer_lines();
    if (status == ODP_FAIL)
        fprintf(stderr, "read_tool: %s\n", odp_failure_text());
    return status == ODP_OK ? 0 : status == ODP_BAD ? 1 : 3;
}
