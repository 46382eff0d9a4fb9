/* The files of a package: the library's own source, and what the template engine makes for the catalogue. In
 * templates/clients/<language>:
 *
 *   package/  copied · made/  rendered once · each/  once a resource, TYPE in the path is the type of its
 *   records · info/  the wheel's dist-info */
#include "site/clients/clients_internal.h"

/* ---- the set of templates ---- */

static bool is_template(const char *path)
{
    static const char *const folders[] = {"/made/", "/each/", "/info/", "/parts/", "/simple/", "readme/"};
    bool found = false;
    for (size_t i = 0; i < ODP_COUNT(folders); i++)
        found = found || strstr(path, folders[i]) != NULL;
    return found;
}

static enum odp_client_language language_of(const char *path)
{
    int l = 0;
    while (l < ODP_CLIENT_LANGUAGES &&
           strncmp(path, client_languages[l].name, strlen(client_languages[l].name)) != 0)
        l++;
    return (enum odp_client_language)l;
}

/* Puts model.json's "resource" wherever a resource is. */
static void put_shape(json_t *model)
{
    json_t *shape = json_object_get(model, "resource"),
           *dataset = json_array_get(json_object_get(model, "datasets"), 0),
           *timeline = json_deep_copy(shape);
    odp_set_flag(timeline, "?", true);
    odp_set(dataset, "first", json_incref(shape));
    odp_set(dataset, "further", json_pack("[O]", shape));
    odp_set(dataset, "resources", json_pack("[O]", shape));
    odp_set(dataset, "timeline", timeline);
}

enum odp_status client_templates_open(struct odp_templates **out, const struct client_model *m,
                                      struct odp_arena *a, struct odp_diags *diags)
{
    static const char *const shapes[][2] = {
        {"/each/", "resource"},
        {"/simple/", "simple"},
        {"readme/", "guide"}}; /* what pages of a folder may ask for besides */
    json_t *model = client_source_json("model.json");
    size_t n = 1, nsources = 0;
    put_shape(model);
    for (const struct odp_template_text *s = odp_client_sources; s->path != NULL; s++)
        n++;
    struct odp_template_text *sources = odp_arena_zero(a, n, sizeof *sources);
    struct odp_template_model *models = odp_arena_zero(a, n, sizeof *models);
    struct odp_templates_options o = {.common = model, .texts = sources, .models = models};
    for (const struct odp_template_text *s = odp_client_sources; s->path != NULL; s++) {
        if (!is_template(s->path))
            continue;
        const char *text = (const char *)s->text;
        if (m != NULL)
            text = client_rename(m, language_of(s->path), odp_slice_of(text));
        sources[nsources++] = (struct odp_template_text){s->path, (const unsigned char *)text};
        for (size_t i = 0; i < ODP_COUNT(shapes); i++)
            if (strstr(s->path, shapes[i][0]) != NULL)
                models[o.nmodels++] =
                    (struct odp_template_model){s->path, json_object_get(model, shapes[i][1])};
    }
    enum odp_status status = odp_templates_open(out, &o, diags);
    json_decref(model);
    return status;
}

/* ---- files ---- */

struct writing {
    struct client_tree *t;
    const struct client_model *m;
    enum odp_client_language l;
};

/* PATH under the catalogue's names, with TYPE in it replaced. */
static const char *place_of(const struct writing *w, const char *path, const char *type)
{
    const char *at = strstr(path, "TYPE");
    if (at != NULL)
        path = odp_arena_printf(w->t->arena, "%.*s%s%s", (int)(at - path), path, type, at + strlen("TYPE"));
    return odp_arena_printf(w->t->arena, "%s%s", client_languages[w->l].root,
                            client_rename(w->m, w->l, odp_slice_of(path)));
}

/* ABOUT: the innermost scope, or NULL. */
static enum odp_status write_page(const struct writing *w, const char *page, const char *place,
                                  const json_t *about)
{
    const json_t *const scopes[] = {w->m->dressed[w->l], about};
    struct odp_buffer text = {0};
    enum odp_status status =
        odp_templates_render(w->m->templates, page, ODP_LANG_EN, scopes, about != NULL ? 2 : 1, &text);
    if (status == ODP_OK)
        status = client_tree_add(w->t, place, odp_buffer_slice(&text));
    odp_buffer_release(&text);
    return status;
}

static enum odp_status write_each(const struct writing *w, const char *page, const char *rest)
{
    const json_t *d, *r;
    enum odp_status status = ODP_OK;
    size_t i, k;
    json_array_foreach(json_object_get(w->m->dressed[w->l], "datasets"), i, d)
        json_array_foreach(json_object_get(d, "resources"), k, r) if (status == ODP_OK) status =
            write_page(w, page, place_of(w, rest, odp_text_of(r, "type")), r);
    return status;
}

/* The README is METADATA's body. */
static enum odp_status write_info(const struct writing *w, const char *page, const char *rest)
{
    struct odp_buffer readme = {0};
    enum odp_status status = client_readme(&readme, w->m, w->l, ODP_LANG_EN);
    json_t *o = json_pack("{s:s}", "readme", odp_buffer_cstr(&readme));
    if (status == ODP_OK)
        status = write_page(
            w, page,
            odp_arena_printf(w->t->arena, "%s%.*s", client_info_folder(w->m), (int)strcspn(rest, "."), rest),
            o);
    json_decref(o);
    odp_buffer_release(&readme);
    return status;
}

static enum odp_status write_readme(const struct writing *w, const char *path, enum odp_lang lang)
{
    struct odp_buffer text = {0};
    enum odp_status status = client_readme(&text, w->m, w->l, lang);
    if (status == ODP_OK)
        status = client_tree_add(w->t, path, odp_buffer_slice(&text));
    odp_buffer_release(&text);
    return status;
}

/* Writes one source; REST is its path in the language's folder. */
static enum odp_status write_source(const struct writing *w, const struct odp_template_text *s,
                                    const char *rest)
{
    if (strncmp(rest, "package/", 8) == 0)
        return client_tree_add(w->t, place_of(w, rest + 8, ""),
                               odp_slice_of(client_rename(w->m, w->l, odp_slice_of((const char *)s->text))));
    if (strncmp(rest, "made/", 5) == 0)
        return write_page(w, s->path, place_of(w, rest + 5, ""), NULL);
    if (strncmp(rest, "each/", 5) == 0)
        return write_each(w, s->path, rest + 5);
    return strncmp(rest, "info/", 5) == 0 ? write_info(w, s->path, rest + 5) : ODP_OK;
}

enum odp_status client_write(struct client_tree *t, const struct client_model *m, enum odp_client_language l)
{
    const struct writing w = {t, m, l};
    const char *folder = l == ODP_CLIENT_PYTHON ? client_info_folder(m) : client_languages[l].root;
    size_t n = strlen(client_languages[l].name);
    enum odp_status status = ODP_OK;
    for (const struct odp_template_text *s = odp_client_sources; s->path != NULL && status == ODP_OK; s++)
        if (language_of(s->path) == l && s->path[n] == '/')
            status = write_source(&w, s, s->path + n + 1);
    if (status == ODP_OK)
        status = client_tree_add(t, odp_arena_printf(t->arena, "%sLICENSE", folder),
                                 odp_slice_of((const char *)odp_client_license));
    if (status == ODP_OK && l != ODP_CLIENT_PYTHON) /* the wheel has it in METADATA */
        status = write_readme(&w, odp_arena_printf(t->arena, "%sREADME.md", folder), ODP_LANG_EN);
    if (status == ODP_OK)
        status = write_readme(&w, odp_arena_printf(t->arena, "%sREADME.id.md", folder), ODP_LANG_ID);
    return status == ODP_OK ? odp_arena_status(t->arena) : status;
}

/* ---- README ---- */

enum { DATASETS_MAX = 60 }; /* more of them are at the portal */

/* Removes from LIST what is for the portal alone. */
static void drop_portal(json_t *list)
{
    for (size_t i = json_array_size(list); i-- > 0;) {
        json_t *item = json_array_get(list, i);
        if (strcmp(odp_text_of(item, "in"), "portal") == 0)
            (void)json_array_remove(list, i);
        else
            drop_portal(json_object_get(item, "body"));
    }
}

/* Marks what a template cannot compute: which table a block is, the language of a program, whether there are
 * calls. */
static void mark_blocks(json_t *about)
{
    json_t *chapter, *block, *datasets = json_object_get(about, "datasets");
    size_t i, k;
    json_array_foreach(json_object_get(about, "guide"), i, chapter)
        json_array_foreach(json_object_get(chapter, "body"), k, block)
    {
        const char *table = odp_text_of(block, "table");
        /* a module of a page is no program: nobody runs it by itself */
        bool page = strcmp(odp_text_of(block, "name"), "browser") == 0;
        if (*table != '\0')
            odp_set_flag(block, table, true);
        if (json_object_get(block, "code") != NULL)
            odp_set_str(block, "fence", page ? "js" : odp_text_of(about, "language"));
    }
    json_array_foreach(json_object_get(about, "reference"), i, chapter)
        odp_set_flag(chapter, "any", json_array_size(json_object_get(chapter, "entries")) > 0);
    odp_set(about, "list", json_incref(datasets));
    odp_set(about, "kinds", json_incref(json_object_get(about, "errors")));
    odp_set_flag(about, "many", json_array_size(datasets) > DATASETS_MAX);
    while (json_array_size(datasets) > DATASETS_MAX)
        (void)json_array_remove(datasets, json_array_size(datasets) - 1);
}

enum odp_status client_readme(struct odp_buffer *out, const struct client_model *m,
                              enum odp_client_language l, enum odp_lang lang)
{
    json_t *about = NULL;
    enum odp_status status = client_describe(&about, m, l);
    if (status != ODP_OK)
        return status;
    drop_portal(json_object_get(about, "guide"));
    drop_portal(json_object_get(about, "reference"));
    mark_blocks(about);
    odp_set_flag(about, "indonesian", lang == ODP_LANG_ID);
    const json_t *scope = about;
    status = odp_templates_render(m->templates, "readme/README.md", lang, &scope, 1, out);
    while (out->len > 1 && out->ptr[out->len - 1] == '\n' && out->ptr[out->len - 2] == '\n')
        out->len--;
    json_decref(about);
    return status == ODP_OK ? odp_buffer_status(out) : status;
}
