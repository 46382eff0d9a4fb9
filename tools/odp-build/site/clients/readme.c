/* The README of a package, in Markdown: the guide of reference.json with its programs, and short lists of what there is. Nothing is said here that is not said there. */
#include "site/clients/describe.h"

enum { DATASETS_MAX = 60 }; /* more of them are found at the portal */

struct readme {
    struct odp_buffer *out;
    const json_t *about; /* of client_describe */
    enum odp_lang lang;
};

static const char *string(const json_t *o, const char *key)
{
    const char *s = json_string_value(json_object_get(o, key));
    return s != NULL ? s : "";
}

static const char *in(const struct readme *r, const json_t *o, const char *key)
{
    return string(json_object_get(o, key), r->lang == ODP_LANG_ID ? "id" : "en");
}

static void add_fence(struct readme *r, const char *language, const char *code)
{
    odp_buffer_printf(r->out, "```%s\n%s\n```\n\n", language, code);
}

/* ---- tables --------------------------------------------------------------------------------------------------------------------------------------------- */

static void add_errors(struct readme *r)
{
    const json_t *list = json_object_get(r->about, "errors");
    odp_buffer_add_str(r->out, r->lang == ODP_LANG_ID ? "| Galat | Status | Artinya |\n|---|---|---|\n" : "| Error | Status | What it means |\n|---|---|---|\n");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *e = json_array_get(list, i);
        odp_buffer_printf(r->out, "| `%s` | %s | %s |\n", string(e, "name"), string(e, "status"), in(r, e, "text"));
    }
    odp_buffer_add_char(r->out, '\n');
}

static void add_calls(struct readme *r)
{
    const json_t *sections = json_object_get(r->about, "reference");
    for (size_t i = 0; i < json_array_size(sections); i++) {
        const json_t *section = json_array_get(sections, i), *entries = json_object_get(section, "entries");
        if (json_array_size(entries) == 0 || strcmp(string(section, "in"), "portal") == 0)
            continue;
        odp_buffer_printf(r->out, "**%s**\n\n", in(r, section, "title"));
        for (size_t k = 0; k < json_array_size(entries); k++) {
            const json_t *e = json_array_get(entries, k);
            odp_buffer_printf(r->out, "- `%s`: %s\n", string(e, "call"), in(r, e, "title"));
        }
        odp_buffer_add_char(r->out, '\n');
    }
}

static void add_datasets(struct readme *r)
{
    const json_t *list = json_object_get(r->about, "datasets");
    size_t n = json_array_size(list);
    odp_buffer_add_str(r->out, r->lang == ODP_LANG_ID ? "| Pada klien | Jenis rekaman | Dataset |\n|---|---|---|\n" : "| On the client | Type of a record | Dataset |\n|---|---|---|\n");
    for (size_t i = 0; i < n && i < DATASETS_MAX; i++) {
        const json_t *e = json_array_get(list, i);
        odp_buffer_printf(r->out, "| `%s` | `%s` | [", string(e, "accessor"), string(e, "type"));
        client_markdown_text(r->out, in(r, e, "title"));
        odp_buffer_printf(r->out, "](%s) |\n", in(r, e, "page"));
    }
    if (n > DATASETS_MAX)
        odp_buffer_add_str(r->out, "| … | … | … |\n");
    odp_buffer_add_char(r->out, '\n');
}

static void add_table(struct readme *r, const char *which)
{
    if (strcmp(which, "errors") == 0)
        add_errors(r);
    else if (strcmp(which, "calls") == 0)
        add_calls(r);
    else if (strcmp(which, "datasets") == 0)
        add_datasets(r);
}

/* ---- the guide ------------------------------------------------------------------------------------------------------------------------------------------- */

static void add_block(struct readme *r, const json_t *block)
{
    if (json_object_get(block, "code") != NULL) /* a module of a page is no program: nobody runs it as it stands */
        add_fence(r, strcmp(string(block, "name"), "browser") == 0 ? "js" : string(r->about, "language"), string(block, "code"));
    if (*in(r, block, "text") != '\0')
        odp_buffer_printf(r->out, "%s\n\n", in(r, block, "text"));
    if (json_object_get(block, "shell") != NULL)
        add_fence(r, "sh", string(block, "shell"));
    if (json_object_get(block, "lines") != NULL)
        add_fence(r, "text", string(block, "lines"));
    if (json_object_get(block, "table") != NULL)
        add_table(r, string(block, "table"));
}

static void add_chapter(struct readme *r, const json_t *chapter)
{
    const json_t *body = json_object_get(chapter, "body");
    odp_buffer_printf(r->out, "## %s\n\n", in(r, chapter, "title"));
    for (size_t i = 0; i < json_array_size(body); i++)
        if (strcmp(string(json_array_get(body, i), "in"), "portal") != 0)
            add_block(r, json_array_get(body, i));
}

enum odp_status client_readme(struct odp_buffer *out, const struct client_model *m, enum odp_client_language l, enum odp_lang lang)
{
    json_t *about = NULL;
    enum odp_status status = client_describe(&about, m, l);
    if (status != ODP_OK)
        return status;
    struct readme r = {out, about, lang};
    const json_t *guide = json_object_get(about, "guide");
    odp_buffer_printf(out, "# %s\n\n%s\n\n", m->names->package[l], in(&r, about, "about"));
    for (size_t i = 0; i < json_array_size(guide); i++)
        if (strcmp(string(json_array_get(guide, i), "in"), "portal") != 0)
            add_chapter(&r, json_array_get(guide, i));
    while (out->len > 1 && out->ptr[out->len - 1] == '\n' && out->ptr[out->len - 2] == '\n')
        out->len--;
    json_decref(about);
    return odp_buffer_status(out);
}
