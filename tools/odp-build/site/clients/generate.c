/* The files of a package: the library's own source, and what the template engine writes of the catalogue. In
 * templates/clients/<language>
 *
 *   package/  as it stands · made/  once · each/  once a resource, TYPE in its path is the type of its
 * records · info/  the wheel's dist-info */
#include "site/clients/describe.h"

#include <errno.h>

#include "base/json_load.h"

/* ---- the set of templates ---- */

static bool is_template(const char *path)
{
    static const char *const folders[] = {"/made/", "/each/", "/info/", "/parts/", "/simple/", "readme/"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        if (strstr(path, folders[i]) != NULL)
            return true;
    return false;
}

static enum odp_client_language language_of(const char *path)
{
    int l = 0;
    while (l < ODP_CLIENT_LANGUAGES &&
           strncmp(path, client_languages[l].name, strlen(client_languages[l].name)) != 0)
        l++;
    return (enum odp_client_language)l;
}

/* The text of SOURCE under the names of the catalogue, in the model's arena. */
static const char *renamed(const struct client_model *m, const struct odp_template_text *source)
{
    enum odp_client_language l = language_of(source->path);
    struct odp_slice text = odp_slice_of((const char *)source->text);
    struct odp_buffer b;
    odp_buffer_init(&b);
    if (l == ODP_CLIENT_LANGUAGES)
        odp_buffer_add_slice(&b, text);
    else if (client_rename(&b, m, l, text) != ODP_OK)
        b.failed = true;
    const char *out = odp_buffer_status(&b) == ODP_OK ? odp_arena_str(m->arena, odp_buffer_cstr(&b)) : NULL;
    odp_buffer_release(&b);
    return out;
}

/* What model.json says, its word "resource" wherever a resource is. */
static void put_shape(struct odp_doc *doc, json_t *model)
{
    json_t *shape = json_object_get(model, "resource"),
           *dataset = json_array_get(json_object_get(model, "datasets"), 0),
           *timeline = json_deep_copy(shape);
    odp_doc_set(doc, timeline, "?", json_true());
    odp_doc_set(doc, dataset, "first", json_incref(shape));
    odp_doc_set(doc, dataset, "further", json_pack("[O]", shape));
    odp_doc_set(doc, dataset, "resources", json_pack("[O]", shape));
    odp_doc_set(doc, dataset, "timeline", timeline);
}

static const char *const shapes[][2] = {
    {"/each/", "resource"},
    {"/simple/", "simple"},
    {"readme/", "guide"}}; /* what pages of a folder may ask for besides */

static enum odp_status open_set(struct odp_templates **out, const struct client_model *m, json_t *model,
                                struct odp_arena *a, struct odp_diags *diags)
{
    struct odp_template_text *sources;
    struct odp_template_model *models;
    struct odp_templates_options o = {.common = model};
    size_t n = 0, nsources = 0;
    while (odp_client_sources[n].path != NULL)
        n++;
    o.texts = sources = odp_arena_zero(a, n + 1, sizeof *sources);
    o.models = models = odp_arena_zero(a, n + 1, sizeof *models);
    for (const struct odp_template_text *s = odp_client_sources; s->path != NULL; s++) {
        if (!is_template(s->path))
            continue;
        const unsigned char *text = m != NULL ? (const unsigned char *)renamed(m, s) : s->text;
        if (text == NULL)
            return odp_failure_set("name", s->path, ENOMEM);
        sources[nsources++] = (struct odp_template_text){s->path, text};
        for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
            if (strstr(s->path, shapes[i][0]) != NULL)
                models[o.nmodels++] =
                    (struct odp_template_model){s->path, json_object_get(model, shapes[i][1])};
    }
    return odp_templates_open(out, &o, diags);
}

enum odp_status client_templates_open(struct odp_templates **out, const struct client_model *m,
                                      struct odp_arena *a, struct odp_diags *diags)
{
    const struct odp_template_text *source = client_source_find("model.json");
    json_t *model = odp_json_load((const char *)source->text, strlen((const char *)source->text),
                                  JSON_REJECT_DUPLICATES, NULL);
    struct odp_doc doc = {false};
    put_shape(&doc, model);
    enum odp_status status = model != NULL && !doc.failed
                                 ? open_set(out, m, model, a, diags)
                                 : odp_failure_set("read", "templates/clients/model.json", 0);
    json_decref(model);
    return status;
}

/* ---- files ---- */

struct writing {
    struct client_tree *t;
    const struct client_model *m;
    enum odp_client_language l;
};

/* PATH under the names of the catalogue, TYPE for its own name in it. */
static const char *place_of(const struct writing *w, const char *path, const char *type)
{
    const char *at = strstr(path, "TYPE");
    struct odp_buffer b;
    if (at != NULL)
        path = odp_arena_printf(w->t->arena, "%.*s%s%s", (int)(at - path), path, type, at + strlen("TYPE"));
    odp_buffer_init(&b);
    const char *place =
        client_rename(&b, w->m, w->l, odp_slice_of(path)) == ODP_OK
            ? odp_arena_printf(w->t->arena, "%s%s", client_languages[w->l].root, odp_buffer_cstr(&b))
            : "";
    odp_buffer_release(&b);
    return place;
}

static enum odp_status write_page(const struct writing *w, const char *page, const char *place,
                                  const json_t *const *scopes, size_t n)
{
    struct odp_buffer text;
    odp_buffer_init(&text);
    enum odp_status status = odp_templates_render(w->m->templates, page, ODP_LANG_EN, scopes, n, &text);
    if (status == ODP_OK)
        status = client_tree_add(w->t, place, odp_buffer_slice(&text));
    odp_buffer_release(&text);
    return status;
}

static enum odp_status write_each(const struct writing *w, const char *page, const char *rest)
{
    const json_t *datasets = json_object_get(w->m->dressed[w->l], "datasets"), *d, *r;
    enum odp_status status = ODP_OK;
    size_t i, k;
    json_array_foreach(datasets, i, d)
        json_array_foreach(json_object_get(d, "resources"), k, r) if (status == ODP_OK) status =
            write_page(w, page, place_of(w, rest, client_text(r, "type")),
                       (const json_t *const[]){w->m->dressed[w->l], r}, 2);
    return status;
}

const char *client_info_folder(const struct client_model *m)
{
    return odp_arena_printf(m->arena, "%s-%s.dist-info/", m->names.module[ODP_CLIENT_PYTHON], m->release);
}

/* METADATA has the README as its body. */
static enum odp_status write_info(const struct writing *w, const char *page, const char *rest)
{
    struct odp_buffer readme;
    odp_buffer_init(&readme);
    enum odp_status status = client_readme(&readme, w->m, w->l, ODP_LANG_EN);
    json_t *o = status == ODP_OK ? json_pack("{s:s}", "readme", odp_buffer_cstr(&readme)) : NULL;
    const char *place =
        odp_arena_printf(w->t->arena, "%s%.*s", client_info_folder(w->m), (int)strcspn(rest, "."), rest);
    if (o != NULL)
        status = write_page(w, page, place, (const json_t *const[]){w->m->dressed[w->l], o}, 2);
    json_decref(o);
    odp_buffer_release(&readme);
    return status;
}

static enum odp_status write_readme(const struct writing *w, const char *folder, enum odp_lang lang,
                                    const char *name)
{
    struct odp_buffer text;
    odp_buffer_init(&text);
    enum odp_status status = client_readme(&text, w->m, w->l, lang);
    if (status == ODP_OK)
        status = client_tree_add(w->t, odp_arena_printf(w->t->arena, "%s%s", folder, name),
                                 odp_buffer_slice(&text));
    odp_buffer_release(&text);
    return status;
}

/* What REST of a source is, behind the language's folder. */
static enum odp_status write_source(const struct writing *w, const struct odp_template_text *s,
                                    const char *rest)
{
    if (strncmp(rest, "package/", 8) == 0)
        return client_tree_add(w->t, place_of(w, rest + 8, ""), odp_slice_of(renamed(w->m, s)));
    const json_t *dressed = w->m->dressed[w->l];
    if (strncmp(rest, "made/", 5) == 0)
        return write_page(w, s->path, place_of(w, rest + 5, ""), &dressed, 1);
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
        status = write_readme(&w, folder, ODP_LANG_EN, "README.md");
    return status == ODP_OK ? write_readme(&w, folder, ODP_LANG_ID, "README.id.md") : status;
}

/* ---- README ---- */

enum { DATASETS_MAX = 60 }; /* more of them are found at the portal */

/* Leaves out of LIST what is for the portal alone. */
static void drop_portal(json_t *list)
{
    for (size_t i = json_array_size(list); i-- > 0;) {
        json_t *item = json_array_get(list, i);
        if (strcmp(client_text(item, "in"), "portal") == 0)
            (void)json_array_remove(list, i);
        else
            drop_portal(json_object_get(item, "body"));
    }
}

/* What a template cannot ask: which table a block is, what a program's lines are called, whether there are
 * calls. */
static void mark_blocks(struct odp_doc *doc, json_t *about)
{
    json_t *chapter, *block;
    size_t i, k;
    json_array_foreach(json_object_get(about, "guide"), i, chapter)
        json_array_foreach(json_object_get(chapter, "body"), k, block)
    {
        const char *table = client_text(block, "table");
        if (*table != '\0')
            odp_doc_set(doc, block, table, json_true());
        if (json_object_get(block, "code") !=
            NULL) /* a module of a page is no program: nobody runs it as it stands */
            odp_doc_set_str(
                doc, block, "fence",
                strcmp(client_text(block, "name"), "browser") == 0 ? "js" : client_text(about, "language"));
    }
    json_array_foreach(json_object_get(about, "reference"), i, chapter) odp_doc_set(
        doc, chapter, "any", json_boolean(json_array_size(json_object_get(chapter, "entries")) > 0));
    json_t *datasets = json_object_get(about, "datasets");
    odp_doc_set(doc, about, "list", json_incref(datasets));
    odp_doc_set(doc, about, "kinds", json_incref(json_object_get(about, "errors")));
    odp_doc_set(doc, about, "many", json_boolean(json_array_size(datasets) > DATASETS_MAX));
    while (json_array_size(datasets) > DATASETS_MAX)
        (void)json_array_remove(datasets, json_array_size(datasets) - 1);
}

enum odp_status client_readme(struct odp_buffer *out, const struct client_model *m,
                              enum odp_client_language l, enum odp_lang lang)
{
    struct odp_doc doc = {false};
    json_t *about = NULL;
    enum odp_status status = client_describe(&about, m, l);
    if (status != ODP_OK)
        return status;
    drop_portal(json_object_get(about, "guide"));
    drop_portal(json_object_get(about, "reference"));
    mark_blocks(&doc, about);
    odp_doc_set(&doc, about, "indonesian", json_boolean(lang == ODP_LANG_ID));
    const json_t *scope = about;
    status = doc.failed ? odp_failure_set("write", "README.md", 0)
                        : odp_templates_render(m->templates, "readme/README.md", lang, &scope, 1, out);
    while (out->len > 1 && out->ptr[out->len - 1] == '\n' && out->ptr[out->len - 2] == '\n')
        out->len--;
    json_decref(about);
    return status == ODP_OK ? odp_buffer_status(out) : status;
}
