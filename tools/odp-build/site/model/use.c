/* The use of a dataset: addresses for programs; citation. */
#include "site/model/model_internal.h"

enum { EXAMPLES = 2 /* of so many tables: requests to the others are alike */ };

/* "v1/" + path is the table's address: "kumuh", "proyek/timeline". */
void model_api(struct model *m, struct table *t)
{
    const char *file = odp_text_of(t->entry, "api");
    const json_t *q;
    size_t n = strlen(file), i;
    if (n > 5 && strcmp(file + n - 5, ".json") == 0)
        n -= 5;
    if (n == 0 || *m->version == '\0')
        return;
    const char *path = model_printf(m, "%.*s", (int)n, file);
    json_t *queryables = json_array();
    json_array_foreach(json_object_get(t->schema, "odp:queryables"), i, q)
        odp_add(queryables,
                json_pack("{s:s, s:o}", "name", odp_text_of(q, "name"), "label", odp_model_both(q, "title")));
    odp_set(t->o, "api",
            json_pack("{s:s, s:b, s:o, s:b}", "path", path, "has_queryables",
                      (int)(json_array_size(queryables) > 0), "queryables", queryables, "has_examples",
                      (int)(t->index < EXAMPLES)));
}

/* ---- cited ---- */

/* BibTeX's own signs quoted; the rest is UTF-8, which biber and today's BibTeX read. */
static const char *bibtex(struct model *m, const char *s)
{
    struct odp_buffer out = {0};
    for (; *s != '\0'; s++) {
        if (*s == '\\')
            odp_buffer_add_str(&out, "\\textbackslash{}");
        else if (*s == '~' || *s == '^')
            odp_buffer_printf(&out, "\\%c{}", *s);
        else if (strchr("&%$#_{}", *s) != NULL)
            odp_buffer_printf(&out, "\\%c", *s);
        else
            odp_buffer_add_char(&out, (unsigned char)*s < 0x20 ? ' ' : *s);
    }
    return odp_buffer_keep(&out, &m->arena);
}

static json_t *bibtex_both(struct model *m, const struct odp_text *text)
{
    return json_pack("{s:s, s:s}", "id", bibtex(m, odp_text_get(text, ODP_LANG_ID)), "en",
                     bibtex(m, odp_text_get(text, ODP_LANG_EN)));
}

/* Cites one version: the first file of the first table, at the address whose bytes never change; else the
 * page. */
void model_cite(struct model *m)
{
    const struct odp_portal *p = &m->catalog->portal;
    const struct odp_text *author = odp_text_is_empty(&p->publisher) ? &p->title : &p->publisher,
                          title = {{odp_model_in(m->root, "title", ODP_LANG_ID),
                                    odp_model_in(m->root, "title", ODP_LANG_EN)}};
    const json_t *file =
        json_array_get(json_object_get(json_array_get(json_object_get(m->root, "resources"), 0), "files"), 0);
    const char *date = odp_text_of(m->root, "day"), *month = *date != '\0' ? date + 5 : "",
               *day = *date != '\0' ? date + 8 + (date[8] == '0') : "";
    odp_set(m->root, "cite",
            json_pack("{s:o, s:o, s:o, s:s, s:s, s:s, s:{s:o, s:o, s:o, s:s}}", "author",
                      odp_doc_text(author), "year", json_sprintf("%.4s", date), "month",
                      json_sprintf("%.2s", month), "day", day, "path", odp_text_of(file, "path"), "hash",
                      odp_text_of(file, "hash"), "bibtex", "author", bibtex_both(m, author), "title",
                      bibtex_both(m, &title), "portal", bibtex_both(m, &p->title), "license",
                      bibtex(m, odp_text_of(json_object_get(m->entry, "license"), "name"))));
}
