/* reference.json for one language and one catalogue: blocks are chosen, marks filled in (clients_internal.h
 * has its form). */
#include "site/clients/clients_internal.h"

#include <errno.h>

/* ---- marks ---- */

enum { MARK_NAME_MAX = 24 };

struct describing {
    const struct client_model *m;
    enum odp_client_language l;
    const char *language; /* "python" */
    json_t *marks;        /* {"PACKAGE": {id, en}}; "": this catalogue has none */
    const char *wrong;    /* the first fault in the form of reference.json, or NULL */
};

static void complain(struct describing *d, const char *what)
{
    if (d->wrong == NULL)
        d->wrong = what;
}

/* The text of MARK, an object of d->marks. */
static const char *mark_in(const json_t *mark, enum odp_lang lang)
{
    return odp_text_of(mark, odp_lang_code(lang));
}

static void add_mark(struct describing *d, const char *name, const char *id, const char *en)
{
    odp_set(d->marks, name, json_pack("{s:s, s:s}", "id", id != NULL ? id : "", "en", en != NULL ? en : ""));
}

static void add_plain(struct describing *d, const char *name, const char *text)
{
    add_mark(d, name, text, text);
}

/* TEXT with a backslash before Markdown's own characters; line ends become spaces. */
static void add_markdown(struct odp_buffer *out, const char *text)
{
    for (; *text != '\0'; text++) {
        if (strchr("\\`*_[]<>#|~", *text) != NULL)
            odp_buffer_add_char(out, '\\');
        odp_buffer_add_char(out, (unsigned char)*text < 0x20 ? ' ' : *text);
    }
}

static const char *escaped(struct describing *d, const char *text)
{
    struct odp_buffer b = {0};
    add_markdown(&b, text);
    return odp_buffer_keep(&b, d->m->arena);
}

/* The catalogue's own words, which may hold anything. */
static void add_prose(struct describing *d, const char *name, const char *key)
{
    const struct odp_text text = client_both(d->m->json, key);
    add_mark(d, name, escaped(d, odp_text_get(&text, ODP_LANG_ID)),
             escaped(d, odp_text_get(&text, ODP_LANG_EN)));
}

static const json_t *dressed_dataset(const struct describing *d, size_t dataset)
{
    return json_array_get(json_object_get(d->m->dressed[d->l], "datasets"), dataset);
}

/* The client's property of DATASET; "" for NO_DATASET. */
static const char *accessor(const struct describing *d, size_t dataset)
{
    return odp_text_of(dressed_dataset(d, dataset), "property");
}

static void add_marks(struct describing *d)
{
    const struct client_model *m = d->m;
    const struct client_sample *s = &m->sample;
    const struct client_language *language = &client_languages[d->l];
    const json_t *of = dressed_dataset(d, s->dataset);
    const char *package = m->names.package[d->l], *file = client_package_file(m, d->l),
               *wheel = strrchr(file, '/') + 1;
    const struct {
        const char *name, *text;
    } plain[] = {
        {"PACKAGE", package},
        {"MODULE", m->names.module[d->l]},
        /* "@odp" of "@odp/client" */
        {"SCOPE",
         *package == '@' ? odp_arena_printf(m->arena, "%.*s", (int)strcspn(package, "/"), package) : ""},
        {"LANGUAGE", language->name},
        {"LABEL", language->label},
        {"REQUIRES", language->requires},
        {"BASE", m->base_url},
        {"RELEASE", m->release},
        {"FILE", file},
        {"WHEEL", wheel},
        {"LICENSE", escaped(d, odp_text_of(m->json, "license"))},
        {"SLUG", odp_text_of(of, "slug")},
        {"DATASET", accessor(d, s->dataset)},
        {"TYPE", odp_text_of(json_object_get(of, "first"), "type")},
        {"NUMBER", s->number},
        {"FIELD", s->text},
        {"VALUE", s->value},
        {"FORMAT", s->format},
        {"TIMELINE", accessor(d, s->timeline)},
    };
    for (size_t i = 0; i < ODP_COUNT(plain); i++)
        add_plain(d, plain[i].name, plain[i].text);
    add_mark(d, "REFERENCE", odp_arena_printf(m->arena, "%sdokumentasi/%s.html", m->base_url, d->language),
             odp_arena_printf(m->arena, "%sen/docs/%s.html", m->base_url, d->language));
    add_prose(d, "TITLE", "title");
    add_prose(d, "PUBLISHER", "publisher");
}

/* ---- texts ---- */

/* The mark at TEXT ("@NAME@"), its length with both signs in *LEN; or NULL. */
static const json_t *mark_at(struct describing *d, const char *text, size_t *len)
{
    char name[MARK_NAME_MAX + 1];
    size_t n = strspn(text + 1, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
    if (*text != '@' || n == 0 || n > MARK_NAME_MAX || text[n + 1] != '@')
        return NULL;
    *len = n + 2;
    (void)snprintf(name, sizeof name, "%.*s", (int)n, text + 1);
    const json_t *mark = json_object_get(d->marks, name);
    if (mark == NULL)
        complain(d, "a mark that there is not");
    return mark;
}

static const char *fill(struct describing *d, const char *text, enum odp_lang lang)
{
    struct odp_buffer b = {0};
    while (*text != '\0') {
        size_t len = 1;
        const json_t *mark = mark_at(d, text, &len);
        if (mark != NULL)
            odp_buffer_add_str(&b, mark_in(mark, lang));
        else
            odp_buffer_add_char(&b, *text);
        text += mark != NULL ? len : 1;
    }
    return odp_buffer_keep(&b, d->m->arena);
}

/* Whether this catalogue has a value for every mark in TEXT. */
static bool can_fill(struct describing *d, const char *text)
{
    for (const char *at = strchr(text, '@'); at != NULL; at = strchr(at + 1, '@')) {
        size_t len = 1;
        const json_t *mark = mark_at(d, at, &len);
        if (mark != NULL && *mark_in(mark, ODP_LANG_EN) == '\0')
            return false;
        at += len - 1;
    }
    return true;
}

/* VALUE for this language: its member of that name, or itself if it has none of any language; or NULL. */
static const json_t *ours(const struct describing *d, const json_t *value)
{
    const json_t *by_language = json_object_get(value, d->language);
    for (size_t i = 0; i < ODP_CLIENT_LANGUAGES && by_language == NULL; i++)
        if (json_object_get(value, client_languages[i].name) != NULL)
            return NULL; /* by language, without this one */
    return by_language != NULL ? by_language : value;
}

/* SOURCE's string at KEY for this language, or NULL. */
static const char *string_of(const struct describing *d, const json_t *source, const char *key)
{
    return json_string_value(ours(d, json_object_get(source, key)));
}

/* Sets KEY to SOURCE's text of that name, in both languages. */
static void set_text(struct describing *d, json_t *o, const char *key, const json_t *source, bool needed)
{
    const json_t *text = ours(d, json_object_get(source, key));
    const char *id = json_string_value(json_object_get(text, "id")),
               *en = json_string_value(json_object_get(text, "en"));
    if (id != NULL && en != NULL)
        odp_set(o, key,
                json_pack("{s:s, s:s}", "id", fill(d, id, ODP_LANG_ID), "en", fill(d, en, ODP_LANG_EN)));
    else if (needed || text != NULL)
        complain(d, key);
}

/* Sets KEY to SOURCE's string for this language, if it has one. */
static void set_string(struct describing *d, json_t *o, const char *key, const json_t *source)
{
    const char *s = string_of(d, source, key);
    if (s != NULL)
        odp_set_str(o, key, fill(d, s, ODP_LANG_EN));
}

/* ---- what concerns this language and this catalogue ---- */

static bool concerns(struct describing *d, const json_t *o)
{
    const json_t *only = json_object_get(o, "only");
    const char *needs = json_string_value(json_object_get(o, "needs"));
    bool here = only == NULL || (json_is_string(only) && strcmp(json_string_value(only), d->language) == 0) ||
                client_has(only, d->language);
    const json_t *mark = needs != NULL ? json_object_get(d->marks, needs) : NULL;
    if (needs != NULL && mark == NULL)
        complain(d, "needs");
    return here && (mark == NULL || *mark_in(mark, ODP_LANG_EN) != '\0');
}

/* ---- the guide ---- */

/* Sets "code" to the example NAME (templates/clients/<language>/examples); false: the language has none, or
 * the catalogue lacks what it shows. */
static bool set_example(struct describing *d, json_t *o, const char *name)
{
    const struct client_language *l = &client_languages[d->l];
    const struct odp_template_text *source =
        client_source_find(odp_arena_printf(d->m->arena, "%s/examples/%s%s", l->name, name, l->extension));
    if (source == NULL)
        return false;
    struct odp_slice text = odp_slice_of((const char *)source->text);
    while (text.len > 0 && text.ptr[text.len - 1] == '\n')
        text.len--;
    /* Names first: a dataset may have the name of a library in its values. */
    const char *renamed = client_rename(d->m, d->l, text);
    if (!can_fill(d, renamed))
        return false;
    odp_set_str(o, "code", fill(d, renamed, ODP_LANG_EN));
    odp_set_str(o, "name", name);
    return true;
}

/* A program of "brief" (TEXT) for a dataset (its accessor PROPERTY) and its RESOURCE (NULL: its own). */
static const char *brief_of(struct describing *d, const char *text, const char *property,
                            const char *resource)
{
    json_t *marks = d->marks;
    d->marks = json_copy(marks);
    add_plain(d, "DATASET", property);
    add_plain(d, "RESOURCE", resource);
    const char *program = fill(d, text, ODP_LANG_EN);
    json_decref(d->marks);
    d->marks = marks;
    return program;
}

/* The block to show, or NULL. */
static json_t *make_block(struct describing *d, const json_t *block)
{
    const char *example = string_of(d, block, "example"), *otherwise = string_of(d, block, "otherwise");
    json_t *o = json_object();
    bool shown = concerns(d, block);
    if (shown && example != NULL) {
        shown = set_example(d, o, example);
        if (!shown && otherwise != NULL) {
            odp_set_str(o, "code", brief_of(d, otherwise, accessor(d, d->m->sample.dataset), NULL));
            shown = true;
        }
        odp_set(o, "file", json_sprintf("%s%s", example, client_languages[d->l].extension));
        odp_set_copy(o, block, "file"); /* where the example's own name would do harm */
    } else if (shown) {
        set_text(d, o, "text", block, false);
        set_string(d, o, "shell", block);
        set_string(d, o, "lines", block);
        odp_set_copy(o, block, "table");
        shown = json_object_size(o) > 0;
    }
    odp_set_copy(o, block, "in");
    if (shown)
        return o;
    json_decref(o);
    return NULL;
}

/* The chapters, without those whose programs are missing. */
static json_t *make_guide(struct describing *d, const json_t *from)
{
    const json_t *chapter, *block;
    json_t *list = json_array();
    size_t i, k;
    json_array_foreach(from, i, chapter)
    {
        json_t *body = json_array();
        bool wanted = false, got = false;
        if (concerns(d, chapter))
            json_array_foreach(json_object_get(chapter, "body"), k, block)
            {
                bool example = json_object_get(block, "example") != NULL;
                json_t *o = make_block(d, block);
                wanted = wanted || example;
                got = got || (example && o != NULL);
                if (o != NULL)
                    odp_add(body, o);
            }
        if (json_array_size(body) > 0 && (got || !wanted)) {
            json_t *o = json_pack("{s:O}", "body", body);
            odp_set_copy(o, chapter, "id");
            odp_set_copy(o, chapter, "in");
            set_text(d, o, "title", chapter, true);
            odp_add(list, o);
        }
        json_decref(body);
    }
    return list;
}

/* ---- the reference ---- */

/* "page_size" in this language's form, unless the option names it otherwise. */
static const char *option_name(struct describing *d, const json_t *option)
{
    const char *own = json_string_value(json_object_get(json_object_get(option, "names"), d->language)),
               *name = json_string_value(json_object_get(option, "name"));
    struct odp_buffer b = {0};
    if (name == NULL)
        complain(d, "an option without a name");
    if (own != NULL || name == NULL || d->l == ODP_CLIENT_PYTHON)
        return own != NULL ? own : name;
    client_identifier(&b, name, CLIENT_CAMEL);
    return odp_buffer_keep(&b, d->m->arena);
}

static json_t *make_options(struct describing *d, const json_t *from)
{
    const json_t *option;
    json_t *list = json_array();
    size_t i;
    json_array_foreach(from, i, option)
    {
        if (!concerns(d, option))
            continue;
        json_t *o = json_object();
        odp_set_str(o, "name", option_name(d, option));
        set_string(d, o, "type", option);
        set_string(d, o, "default", option);
        set_text(d, o, "text", option, true);
        odp_add(list, o);
    }
    return list;
}

/* The name of an error of KIND in this language. */
static const char *error_name(struct describing *d, const json_t *kinds, const char *kind)
{
    const json_t *k;
    size_t i;
    json_array_foreach(kinds, i, k)
    {
        const char *name = string_of(d, k, "name");
        if (kind != NULL && name != NULL && strcmp(odp_text_of(k, "id"), kind) == 0)
            return name;
    }
    complain(d, "an error that there is not");
    return "";
}

static json_t *make_entry(struct describing *d, const json_t *e, const json_t *kinds)
{
    const json_t *returns = json_object_get(e, "returns"), *kind;
    const char *example = string_of(d, e, "example");
    json_t *errors = json_array(),
           *o = json_pack("{s:o, s:b, s:o, s:s*}", "options", make_options(d, json_object_get(e, "options")),
                          "is_type", (int)(json_object_get(e, "of") != NULL), "errors", errors, "example",
                          example);
    size_t i;
    odp_set_copy(o, e, "id");
    odp_set_copy(o, e, "side");
    set_text(d, o, "title", e, true);
    set_text(d, o, "text", e, true);
    set_string(d, o, "call", e);
    set_string(d, o, "signature", e);
    odp_set_copy(o, e, "options_of");
    if (returns != NULL) {
        json_t *r = json_object();
        set_string(d, r, "type", returns);
        set_text(d, r, "text", returns, false);
        odp_set(o, "returns", r);
    }
    json_array_foreach(json_object_get(e, "errors"), i, kind)
        odp_add(errors, json_string(error_name(d, kinds, json_string_value(kind))));
    return o;
}

static json_t *make_reference(struct describing *d, const json_t *from, const json_t *kinds)
{
    const json_t *section, *e;
    json_t *list = json_array();
    size_t i, k;
    json_array_foreach(from, i, section)
    {
        json_t *shown = json_array(), *o = json_pack("{s:o}", "entries", shown);
        odp_set_copy(o, section, "id");
        odp_set_copy(o, section, "in");
        set_text(d, o, "title", section, true);
        set_text(d, o, "text", section, false);
        json_array_foreach(json_object_get(section, "entries"), k,
                           e) if (concerns(d, e) && ours(d, json_object_get(e, "signature")) != NULL)
            odp_add(shown, make_entry(d, e, kinds));
        odp_add(list, o);
    }
    return list;
}

static json_t *make_errors(struct describing *d, const json_t *kinds)
{
    const json_t *k;
    json_t *list = json_array();
    size_t i;
    json_array_foreach(kinds, i, k)
    {
        const char *parent = json_string_value(json_object_get(k, "parent"));
        json_t *o = json_object();
        set_string(d, o, "name", k);
        set_string(d, o, "status", k);
        if (parent != NULL)
            odp_set_str(o, "parent", error_name(d, kinds, parent));
        set_text(d, o, "text", k, true);
        odp_add(list, o);
    }
    return list;
}

/* ---- the datasets ---- */

/* A further resource with the shortest program that reads it. */
static json_t *make_resource(struct describing *d, const json_t *dressed, const json_t *plain,
                             const char *text, const char *property)
{
    const char *name = odp_text_of(dressed, "name");
    json_t *o = json_pack("{s:s, s:s, s:s}", "name", name, "type", odp_text_of(dressed, "type"), "brief",
                          brief_of(d, text, property, name));
    odp_set_copy(o, plain, "title");
    return o;
}

static json_t *make_datasets(struct describing *d, const json_t *brief)
{
    const char *own = string_of(d, brief, "dataset"), *more = string_of(d, brief, "resource"),
               *base = d->m->base_url;
    const json_t *of, *further;
    json_t *list = json_array();
    size_t i, k;
    if (own == NULL || more == NULL) {
        complain(d, "brief");
        return list;
    }
    json_array_foreach(json_object_get(d->m->json, "datasets"), i, of)
    {
        const json_t *dressed = dressed_dataset(d, i), *all = json_object_get(of, "resources");
        const char *slug = odp_text_of(of, "slug"), *property = accessor(d, i);
        json_t *resources = json_array(),
               *o = json_pack("{s:s, s:s, s:s, s:s+, s:{s:o, s:o}, s:o}", "slug", slug, "type",
                              odp_text_of(json_object_get(dressed, "first"), "type"), "brief",
                              brief_of(d, own, property, NULL), "accessor", client_languages[d->l].client,
                              property, "page", "id", json_sprintf("%skatalog/%s.html", base, slug), "en",
                              json_sprintf("%sen/catalog/%s.html", base, slug), "resources", resources);
        odp_set_copy(o, of, "title");
        json_array_foreach(json_object_get(dressed, "further"), k, further)
            odp_add(resources, make_resource(d, further, json_array_get(all, k + 1), more, property));
        odp_add(list, o);
    }
    return list;
}

/* ---- all of it ---- */

enum odp_status client_describe(json_t **out, const struct client_model *m, enum odp_client_language l)
{
    const struct client_language *language = &client_languages[l];
    struct describing d = {.m = m, .l = l, .language = language->name, .marks = json_object()};
    json_t *reference = client_source_json("reference.json");
    const json_t *kinds = json_object_get(reference, "kinds");
    add_marks(&d);
    add_plain(&d, "ODPERROR", error_name(&d, kinds, "odp"));
    add_plain(&d, "QUOTA", error_name(&d, kinds, "quota-exceeded"));
    json_t *o =
        json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:o, s:o, s:o, s:o}", "language", language->name,
                  "label", language->label, "requires", language->requires, "extension", language->extension,
                  "package", m->names.package[l], "module", m->names.module[l], "release", m->release,
                  "guide", make_guide(&d, json_object_get(reference, "guide")), "reference",
                  make_reference(&d, json_object_get(reference, "reference"), kinds), "errors",
                  make_errors(&d, kinds), "datasets", make_datasets(&d, json_object_get(reference, "brief")));
    set_text(&d, o, "about", reference, true);
    json_decref(d.marks);
    json_decref(reference);
    *out = d.wrong == NULL ? o : NULL;
    if (d.wrong == NULL)
        return ODP_OK;
    json_decref(o);
    return odp_failure_set(d.wrong, "templates/clients/reference.json", EINVAL);
}
