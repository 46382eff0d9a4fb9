/* The use of a dataset: requests of programs, with a filter that finds something; citation. */
#include "site/model/model_internal.h"

enum { EXAMPLES = 2 /* of so many tables: requests to the others are alike */, FEW = 10, LOOKED_AT = 50 };

/* ---- a filter that finds something ---- */

struct filter {
    const char *field, *value;
    const json_t *schema;
};

/* The first value of column I that is not null, in the first records. */
static const char *first_value(const json_t *rows, size_t i)
{
    const json_t *row;
    size_t k;
    json_array_foreach(rows, k, row)
    {
        const char *text = json_string_value(json_array_get(row, i));
        if (k < LOOKED_AT && text != NULL && *text != '\0')
            return text;
    }
    return NULL;
}

/* How well a field serves as an example: a category best, then a code of a list, then other texts that are
 * no key. */
static int worth_of(const struct table *t, const json_t *field, const char *value)
{
    static const char *const taken[] = {"filter", "limit", "f", "q"};
    const char *type = odp_text_of(field, "type"), *name = odp_text_of(field, "name");
    const json_t *list;
    size_t i;
    bool text = strcmp(type, "string") == 0;
    for (i = 0; i < sizeof taken / sizeof *taken; i++)
        if (strcmp(name, taken[i]) == 0)
            return 0;
    if (field == NULL || strlen(value) > 60)
        return 0;
    if (json_array_size(json_object_get(field, "categories")) > 0 && text)
        return 5;
    json_array_foreach(json_object_get(t->schema, "odp:foreignKeys"), i,
                       list) if (odp_model_has(json_object_get(list, "fields"), name)) return 4;
    if (odp_model_has(json_object_get(t->schema, "primaryKey"), name))
        return 1;
    return text ? 3 : strcmp(type, "integer") == 0 || strcmp(type, "year") == 0 ? 2 : 0;
}

static bool find_filter(const struct table *t, struct filter *out)
{
    const json_t *rows = json_object_get(t->preview, "rows"), *one;
    int best = 0;
    size_t i;
    json_array_foreach(json_object_get(t->preview, "fields"), i, one)
    {
        const char *value = first_value(rows, i), *name = json_is_string(one) ? json_string_value(one) : "";
        const json_t *field = model_field(t->schema, name);
        const int worth = value != NULL ? worth_of(t, field, value) : 0;
        if (worth > best) {
            best = worth;
            *out = (struct filter){name, value, field};
        }
    }
    return best > 0;
}

static const char *percent(struct model *m, const char *s)
{
    struct odp_buffer out = {0};
    odp_text_percent(&out, odp_slice_of(s));
    return odp_buffer_keep(&out, &m->arena);
}

/* "v1/" + path is the table's address: "kumuh", "proyek/timeline". */
void model_api(struct model *m, struct table *t)
{
    const char *file = odp_text_of(t->entry, "api");
    const json_t *q;
    struct filter filter;
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
    json_t *api =
        json_pack("{s:s, s:b, s:o, s:b, s:b}", "path", path, "has_queryables",
                  (int)(json_array_size(queryables) > 0), "queryables", queryables, "has_examples",
                  (int)(t->index < EXAMPLES), "many", (int)(odp_model_number(t->entry, "rows") > FEW));
    if (find_filter(t, &filter)) {
        json_t *name = model_label(m, t->schema, filter.field, filter.value);
        odp_set(api, "filter",
                json_pack("{s:o, s:o, s:o}", "path",
                          json_sprintf("%s?%s=%s", path, percent(m, filter.field), percent(m, filter.value)),
                          "field", model_heading(filter.schema, filter.field), "value",
                          name != NULL ? name : model_shown(m, filter.schema, filter.value)));
    }
    odp_set(t->o, "api", api);
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
