/* reference.json for one language and one catalogue: blocks chosen, marks filled in. See describe.h. */
#include "site/clients/describe.h"

#include <errno.h>
#include <stdio.h>

#include "base/json_load.h"

/* ---- marks ---- */

struct mark {
    const char *name;
    const char *text[ODP_LANGS]; /* "": this catalogue has none */
};

enum { MARKS_MAX = 32, MARK_NAME_MAX = 24 };

struct describing {
    const struct client_model *m;
    enum odp_client_language l;
    const char *language; /* "python" */
    struct odp_doc doc;
    struct mark marks[MARKS_MAX];
    size_t nmarks;
    const char *wrong; /* what of reference.json is none of its form; NULL: nothing */
};

static void complain(struct describing *d, const char *what)
{
    if (d->wrong == NULL)
        d->wrong = what;
}

static const struct mark *find_mark(const struct describing *d, struct odp_slice name)
{
    for (size_t i = 0; i < d->nmarks; i++)
        if (odp_slice_is(name, d->marks[i].name))
            return &d->marks[i];
    return NULL;
}

static const char *keep(struct describing *d, struct odp_buffer *b)
{
    const char *text =
        odp_buffer_status(b) == ODP_OK ? odp_arena_copy(d->m->arena, odp_buffer_slice(b)).ptr : NULL;
    d->doc.failed = d->doc.failed || text == NULL;
    odp_buffer_release(b);
    return text != NULL ? text : "";
}

static void add_mark(struct describing *d, const char *name, const char *id, const char *en)
{
    if (d->nmarks < MARKS_MAX)
        d->marks[d->nmarks++] = (struct mark){name, {id != NULL ? id : "", en != NULL ? en : ""}};
    else
        complain(d, "marks");
}

static void add_plain(struct describing *d, const char *name, const char *text)
{
    add_mark(d, name, text, text);
}

void client_markdown_text(struct odp_buffer *out, const char *text)
{
    for (; *text != '\0'; text++) {
        if (strchr("\\`*_[]<>#|~", *text) != NULL)
            odp_buffer_add_char(out, '\\');
        odp_buffer_add_char(out, (unsigned char)*text < 0x20 ? ' ' : *text);
    }
}

static const char *escaped(struct describing *d, const char *text)
{
    struct odp_buffer b;
    odp_buffer_init(&b);
    client_markdown_text(&b, text);
    return keep(d, &b);
}

/* Of the catalogue's own words, which may hold anything. */
static void add_prose(struct describing *d, const char *name, const struct odp_text *text)
{
    add_mark(d, name, escaped(d, odp_text_get(text, ODP_LANG_ID)),
             escaped(d, odp_text_get(text, ODP_LANG_EN)));
}

/* The client's property that leads to DATASET; "" of NO_DATASET. */
static const char *accessor(const struct describing *d, size_t dataset)
{
    return client_text(json_array_get(json_object_get(d->m->dressed[d->l], "datasets"), dataset), "property");
}

/* "@odp" of "@odp/client"; "" of a name without scope. */
static const char *scope_of(struct describing *d, const char *package)
{
    struct odp_buffer b;
    const char *slash = strchr(package, '/');
    odp_buffer_init(&b);
    if (*package == '@' && slash != NULL)
        odp_buffer_add(&b, package, (size_t)(slash - package));
    return keep(d, &b);
}

static void add_names(struct describing *d)
{
    const struct client_model *m = d->m;
    const char *const root = m->base_url,
                      *id = odp_arena_printf(m->arena, "%sdokumentasi/%s.html", root, d->language);
    const char *en = odp_arena_printf(m->arena, "%sen/docs/%s.html", root, d->language);
    const char *package = m->names.package[d->l], *file = client_package_file(m, d->l, m->arena);
    const char *slash = strrchr(file, '/');
    add_plain(d, "PACKAGE", package);
    add_plain(d, "MODULE", m->names.module[d->l]);
    add_plain(d, "SCOPE", scope_of(d, package));
    add_plain(d, "LANGUAGE", client_languages[d->l].name);
    add_plain(d, "LABEL", client_languages[d->l].label);
    add_plain(d, "REQUIRES", client_languages[d->l].requires);
    add_plain(d, "BASE", m->base_url);
    add_plain(d, "RELEASE", m->release);
    add_plain(d, "FILE", file);
    add_plain(d, "WHEEL", slash != NULL ? slash + 1 : file);
    add_mark(d, "REFERENCE", id, en);
    const struct odp_text title = client_both(m->json, "title"),
                          publisher = client_both(m->json, "publisher");
    add_prose(d, "TITLE", &title);
    add_prose(d, "PUBLISHER", &publisher);
    add_plain(d, "LICENSE", escaped(d, client_text(m->json, "license")));
}

static void add_samples(struct describing *d)
{
    const struct client_sample *s = &d->m->sample;
    const json_t *of = json_array_get(json_object_get(d->m->dressed[d->l], "datasets"), s->dataset);
    add_plain(d, "SLUG", client_text(of, "slug"));
    add_plain(d, "DATASET", accessor(d, s->dataset));
    add_plain(d, "TYPE", client_text(json_object_get(of, "first"), "type"));
    add_plain(d, "NUMBER", s->number);
    add_plain(d, "FIELD", s->text);
    add_plain(d, "VALUE", s->value);
    add_plain(d, "FORMAT", s->format);
    add_plain(d, "TIMELINE", accessor(d, s->timeline));
}

/* ---- texts ---- */

/* The mark that begins at TEXT ("@NAME@"), its length with both signs in *LEN; NULL: there is none. */
static const struct mark *mark_at(struct describing *d, const char *text, size_t *len)
{
    size_t n = 0;
    while (n < MARK_NAME_MAX && text[n + 1] >= 'A' && text[n + 1] <= 'Z')
        n++;
    if (n == 0 || text[n + 1] != '@')
        return NULL;
    *len = n + 2;
    const struct mark *mark = find_mark(d, (struct odp_slice){text + 1, n});
    if (mark == NULL)
        complain(d, "a mark that there is not");
    return mark;
}

static const char *fill(struct describing *d, const char *text, enum odp_lang lang)
{
    struct odp_buffer b;
    odp_buffer_init(&b);
    while (*text != '\0') {
        size_t len = 0;
        const struct mark *mark = *text == '@' ? mark_at(d, text, &len) : NULL;
        if (mark != NULL)
            odp_buffer_add_str(&b, mark->text[lang]);
        else
            odp_buffer_add_char(&b, *text);
        text += mark != NULL ? len : 1;
    }
    return keep(d, &b);
}

/* What VALUE says for this language: itself, or its member of that name; NULL: nothing. */
static const json_t *ours(const struct describing *d, const json_t *value)
{
    const json_t *by_language = json_object_get(value, d->language);
    for (size_t i = 0; i < ODP_CLIENT_LANGUAGES && by_language == NULL; i++)
        if (json_object_get(value, client_languages[i].name) != NULL)
            return NULL; /* said by language, and nothing of this one */
    return by_language != NULL ? by_language : value;
}

/* Sets KEY to the text SOURCE has of that name, in both languages. */
static void set_text(struct describing *d, json_t *o, const char *key, const json_t *source, bool needed)
{
    const json_t *text = ours(d, json_object_get(source, key));
    const char *id = json_string_value(json_object_get(text, "id")),
               *en = json_string_value(json_object_get(text, "en"));
    if (id == NULL || en == NULL) {
        if (needed || text != NULL)
            complain(d, key);
        return;
    }
    json_t *both = json_object();
    odp_doc_set_str(&d->doc, both, "id", fill(d, id, ODP_LANG_ID));
    odp_doc_set_str(&d->doc, both, "en", fill(d, en, ODP_LANG_EN));
    odp_doc_set(&d->doc, o, key, both);
}

/* Sets KEY to the string that SOURCE has for this language, if it has one. */
static void set_string(struct describing *d, json_t *o, const char *key, const json_t *source)
{
    const char *s = json_string_value(ours(d, json_object_get(source, key)));
    if (s != NULL)
        odp_doc_set_str(&d->doc, o, key, fill(d, s, ODP_LANG_EN));
}

/* ---- what concerns this language and this catalogue ---- */

static bool concerns(struct describing *d, const json_t *o)
{
    const json_t *only = json_object_get(o, "only");
    const char *needs = json_string_value(json_object_get(o, "needs"));
    bool here = only == NULL || (json_is_string(only) && strcmp(json_string_value(only), d->language) == 0);
    for (size_t i = 0; i < json_array_size(only) && !here; i++) {
        const char *name = json_string_value(json_array_get(only, i));
        here = name != NULL && strcmp(name, d->language) == 0;
    }
    const struct mark *mark = needs != NULL ? find_mark(d, odp_slice_of(needs)) : NULL;
    if (needs != NULL && mark == NULL)
        complain(d, "needs");
    return here && (mark == NULL || *mark->text[ODP_LANG_EN] != '\0');
}

/* ---- the guide ---- */

/* Whether this catalogue has something for every mark in TEXT. */
static bool can_fill(struct describing *d, const char *text)
{
    for (const char *at = strchr(text, '@'); at != NULL; at = strchr(at + 1, '@')) {
        size_t len = 0;
        const struct mark *mark = mark_at(d, at, &len);
        if (mark != NULL && *mark->text[ODP_LANG_EN] == '\0')
            return false;
        at += len > 0 ? len - 1 : 0;
    }
    return true;
}

/* The example NAME (templates/clients/<language>/examples) as a member "code"; false: this catalogue has
 * nothing to show it with, or the language has none. */
static bool set_example(struct describing *d, json_t *o, const char *name)
{
    const struct client_language *l = &client_languages[d->l];
    const struct odp_template_text *source =
        client_source_find(odp_arena_printf(d->m->arena, "%s/examples/%s%s", l->name, name, l->extension));
    struct odp_buffer b;
    if (source == NULL)
        return false;
    odp_buffer_init(&b); /* names first: a dataset may have the name of a library in its values */
    if (client_rename(&b, d->m, d->l, odp_slice_of((const char *)source->text)) != ODP_OK)
        b.failed = true;
    while (b.len > 0 && b.ptr[b.len - 1] == '\n')
        b.len--;
    const char *text = keep(d, &b);
    if (!can_fill(d, text))
        return false;
    odp_doc_set_str(&d->doc, o, "code", fill(d, text, ODP_LANG_EN));
    odp_doc_set_str(&d->doc, o, "name", name);
    return true;
}

/* Sets KEY to a program of "brief" (TEXT) with the marks of a dataset (its ACCESSOR) and its RESOURCE (NULL:
 * its own). */
static bool set_brief(struct describing *d, json_t *o, const char *key, const char *text,
                      const char *property, const char *resource)
{
    size_t n = d->nmarks;
    struct mark kept[MARKS_MAX];
    memcpy(kept, d->marks, sizeof kept);
    for (size_t i = 0; i < n; i++)
        if (strcmp(d->marks[i].name, "DATASET") == 0)
            d->marks[i].text[ODP_LANG_ID] = d->marks[i].text[ODP_LANG_EN] = property;
    add_plain(d, "RESOURCE", resource);
    odp_doc_set_str(&d->doc, o, key, fill(d, text, ODP_LANG_EN));
    memcpy(d->marks, kept, sizeof kept);
    d->nmarks = n;
    return true;
}

/* A block as it is shown; NULL: it is not. */
static json_t *make_block(struct describing *d, const json_t *block)
{
    const char *example = json_string_value(ours(d, json_object_get(block, "example"))),
               *otherwise = json_string_value(ours(d, json_object_get(block, "otherwise")));
    json_t *o = json_object();
    bool shown = concerns(d, block);
    if (shown && example != NULL) {
        shown = set_example(d, o, example) ||
                (otherwise != NULL &&
                 set_brief(d, o, "code", otherwise, accessor(d, d->m->sample.dataset), NULL));
        odp_doc_set(&d->doc, o, "file", json_sprintf("%s%s", example, client_languages[d->l].extension));
        odp_doc_copy(&d->doc, o, block, "file"); /* where the example's own name would do harm */
    } else if (shown) {
        set_text(d, o, "text", block, false);
        set_string(d, o, "shell", block);
        set_string(d, o, "lines", block);
        odp_doc_copy(&d->doc, o, block, "table");
        shown = json_object_size(o) > 0;
    }
    odp_doc_copy(&d->doc, o, block, "in");
    if (shown)
        return o;
    json_decref(o);
    return NULL;
}

/* The blocks of a chapter; NULL where its programs are missing. */
static json_t *make_body(struct describing *d, const json_t *chapter)
{
    const json_t *body = json_object_get(chapter, "body");
    json_t *list = json_array();
    bool wanted = false, got = false;
    for (size_t i = 0; i < json_array_size(body); i++) {
        const json_t *block = json_array_get(body, i);
        bool example = json_object_get(block, "example") != NULL;
        json_t *o = make_block(d, block);
        wanted = wanted || example;
        got = got || (example && o != NULL);
        if (o != NULL)
            odp_doc_add(&d->doc, list, o);
    }
    if (json_array_size(list) > 0 && (got || !wanted))
        return list;
    json_decref(list);
    return NULL;
}

static json_t *make_guide(struct describing *d, const json_t *from)
{
    json_t *list = json_array();
    for (size_t i = 0; i < json_array_size(from); i++) {
        const json_t *chapter = json_array_get(from, i);
        json_t *body = concerns(d, chapter) ? make_body(d, chapter) : NULL;
        if (body == NULL)
            continue;
        json_t *o = json_object();
        odp_doc_copy(&d->doc, o, chapter, "id");
        odp_doc_copy(&d->doc, o, chapter, "in");
        set_text(d, o, "title", chapter, true);
        odp_doc_set(&d->doc, o, "body", body);
        odp_doc_add(&d->doc, list, o);
    }
    return list;
}

/* ---- the reference ---- */

/* "page_size" as this language writes it, unless the option says otherwise. */
static const char *option_name(struct describing *d, const json_t *option)
{
    const char *own = json_string_value(json_object_get(json_object_get(option, "names"), d->language));
    const char *name = json_string_value(json_object_get(option, "name"));
    struct odp_buffer b;
    odp_buffer_init(&b);
    if (name == NULL)
        complain(d, "an option without a name");
    else if (own != NULL || d->l == ODP_CLIENT_PYTHON)
        odp_buffer_add_str(&b, own != NULL ? own : name);
    else
        client_camel(&b, name);
    return keep(d, &b);
}

static json_t *make_options(struct describing *d, const json_t *from)
{
    json_t *list = json_array();
    for (size_t i = 0; i < json_array_size(from); i++) {
        const json_t *option = json_array_get(from, i);
        if (!concerns(d, option))
            continue;
        json_t *o = json_object();
        odp_doc_set_str(&d->doc, o, "name", option_name(d, option));
        set_string(d, o, "type", option);
        set_string(d, o, "default", option);
        set_text(d, o, "text", option, true);
        odp_doc_add(&d->doc, list, o);
    }
    return list;
}

/* What an error of KIND is called here. */
static const char *error_name(struct describing *d, const json_t *kinds, const char *kind)
{
    for (size_t i = 0; i < json_array_size(kinds) && kind != NULL; i++) {
        const json_t *k = json_array_get(kinds, i);
        const char *id = json_string_value(json_object_get(k, "id")),
                   *name = json_string_value(ours(d, json_object_get(k, "name")));
        if (id != NULL && name != NULL && strcmp(id, kind) == 0)
            return name;
    }
    complain(d, "an error that there is not");
    return "";
}

static json_t *make_entry(struct describing *d, const json_t *e, const json_t *kinds)
{
    json_t *o = json_object(), *errors = json_array();
    odp_doc_copy(&d->doc, o, e, "id");
    odp_doc_copy(&d->doc, o, e, "side");
    set_text(d, o, "title", e, true);
    set_text(d, o, "text", e, true);
    set_string(d, o, "call", e);
    set_string(d, o, "signature", e);
    odp_doc_set(&d->doc, o, "options", make_options(d, json_object_get(e, "options")));
    odp_doc_set(&d->doc, o, "is_type", json_boolean(json_object_get(e, "of") != NULL));
    odp_doc_copy(&d->doc, o, e, "options_of");
    const json_t *returns = json_object_get(e, "returns"), *kind;
    size_t i;
    if (returns != NULL) {
        json_t *r = json_object();
        set_string(d, r, "type", returns);
        set_text(d, r, "text", returns, false);
        odp_doc_set(&d->doc, o, "returns", r);
    }
    json_array_foreach(json_object_get(e, "errors"), i, kind)
        odp_doc_add(&d->doc, errors, json_string(error_name(d, kinds, json_string_value(kind))));
    odp_doc_set(&d->doc, o, "errors", errors);
    const char *example = json_string_value(ours(d, json_object_get(e, "example")));
    if (example != NULL)
        odp_doc_set_str(&d->doc, o, "example", example);
    return o;
}

static json_t *make_reference(struct describing *d, const json_t *from, const json_t *kinds)
{
    json_t *list = json_array();
    for (size_t i = 0; i < json_array_size(from); i++) {
        const json_t *section = json_array_get(from, i), *entries = json_object_get(section, "entries");
        json_t *o = json_object(), *shown = json_array();
        odp_doc_copy(&d->doc, o, section, "id");
        odp_doc_copy(&d->doc, o, section, "in");
        set_text(d, o, "title", section, true);
        set_text(d, o, "text", section, false);
        for (size_t k = 0; k < json_array_size(entries); k++) {
            const json_t *e = json_array_get(entries, k);
            if (concerns(d, e) && ours(d, json_object_get(e, "signature")) != NULL)
                odp_doc_add(&d->doc, shown, make_entry(d, e, kinds));
        }
        odp_doc_set(&d->doc, o, "entries", shown);
        odp_doc_add(&d->doc, list, o);
    }
    return list;
}

static json_t *make_errors(struct describing *d, const json_t *kinds)
{
    json_t *list = json_array();
    for (size_t i = 0; i < json_array_size(kinds); i++) {
        const json_t *k = json_array_get(kinds, i);
        const char *parent = json_string_value(json_object_get(k, "parent"));
        json_t *o = json_object();
        set_string(d, o, "name", k);
        set_string(d, o, "status", k);
        if (parent != NULL)
            odp_doc_set_str(&d->doc, o, "parent", error_name(d, kinds, parent));
        set_text(d, o, "text", k, true);
        odp_doc_add(&d->doc, list, o);
    }
    return list;
}

/* ---- the datasets ---- */

/* What is the same of a dataset and of a further resource. */
static json_t *make_brief(struct describing *d, const json_t *dressed, const json_t *plain, const char *text,
                          const char *property)
{
    json_t *o = json_object();
    bool further = json_object_get(plain, "path") != NULL;
    if (further)
        odp_doc_copy(&d->doc, o, dressed, "name");
    odp_doc_set_str(&d->doc, o, "type",
                    client_text(further ? dressed : json_object_get(dressed, "first"), "type"));
    (void)set_brief(d, o, "brief", text, property, further ? client_text(dressed, "name") : NULL);
    odp_doc_copy(&d->doc, o, plain, "title");
    return o;
}

static json_t *make_datasets(struct describing *d, const json_t *reference)
{
    const json_t *brief = json_object_get(reference, "brief"),
                 *datasets = json_object_get(d->m->json, "datasets"), *of;
    const char *of_own = json_string_value(ours(d, json_object_get(brief, "dataset"))),
               *of_more = json_string_value(ours(d, json_object_get(brief, "resource")));
    json_t *list = json_array();
    size_t i;
    if (of_own == NULL || of_more == NULL) {
        complain(d, "brief");
        return list;
    }
    json_array_foreach(datasets, i, of)
    {
        const json_t *dressed = json_array_get(json_object_get(d->m->dressed[d->l], "datasets"), i),
                     *further = json_object_get(dressed, "further");
        const char *slug = client_text(of, "slug"), *property = accessor(d, i);
        json_t *o = make_brief(d, dressed, of, of_own, property), *resources = json_array();
        odp_doc_set_str(&d->doc, o, "slug", slug);
        odp_doc_set(&d->doc, o, "accessor", json_sprintf("%s%s", client_languages[d->l].client, property));
        odp_doc_set(&d->doc, o, "page",
                    json_pack("{s:o, s:o}", "id", json_sprintf("%skatalog/%s.html", d->m->base_url, slug),
                              "en", json_sprintf("%sen/catalog/%s.html", d->m->base_url, slug)));
        for (size_t k = 0; k < json_array_size(further); k++)
            odp_doc_add(&d->doc, resources,
                        make_brief(d, json_array_get(further, k),
                                   json_array_get(json_object_get(of, "resources"), k + 1), of_more,
                                   property));
        odp_doc_set(&d->doc, o, "resources", resources);
        odp_doc_add(&d->doc, list, o);
    }
    return list;
}

/* ---- all of it ---- */

static json_t *describe(struct describing *d, const json_t *reference)
{
    const struct client_language *language = &client_languages[d->l];
    const json_t *kinds = json_object_get(reference, "kinds");
    json_t *o = json_object();
    odp_doc_set_str(&d->doc, o, "language", language->name);
    odp_doc_set_str(&d->doc, o, "label", language->label);
    odp_doc_set_str(&d->doc, o, "requires", language->requires);
    odp_doc_set_str(&d->doc, o, "extension", language->extension);
    odp_doc_set_str(&d->doc, o, "package", d->m->names.package[d->l]);
    odp_doc_set_str(&d->doc, o, "module", d->m->names.module[d->l]);
    odp_doc_set_str(&d->doc, o, "release", d->m->release);
    set_text(d, o, "about", reference, true);
    odp_doc_set(&d->doc, o, "guide", make_guide(d, json_object_get(reference, "guide")));
    odp_doc_set(&d->doc, o, "reference", make_reference(d, json_object_get(reference, "reference"), kinds));
    odp_doc_set(&d->doc, o, "errors", make_errors(d, kinds));
    odp_doc_set(&d->doc, o, "datasets", make_datasets(d, reference));
    return o;
}

enum odp_status client_describe(json_t **out, const struct client_model *m, enum odp_client_language l)
{
    struct describing d = {.m = m, .l = l, .language = client_languages[l].name};
    const struct odp_template_text *source = client_source_find("reference.json");
    json_t *reference = source != NULL
                            ? odp_json_load((const char *)source->text, strlen((const char *)source->text),
                                            JSON_REJECT_DUPLICATES, NULL)
                            : NULL;
    *out = NULL;
    if (reference == NULL)
        return odp_failure_set("read", "templates/clients/reference.json", source != NULL ? EINVAL : ENOENT);
    add_names(&d);
    add_samples(&d);
    add_plain(&d, "ODPERROR", error_name(&d, json_object_get(reference, "kinds"), "odp"));
    add_plain(&d, "QUOTA", error_name(&d, json_object_get(reference, "kinds"), "quota-exceeded"));
    json_t *all = describe(&d, reference);
    json_decref(reference);
    if (!d.doc.failed && d.wrong == NULL) {
        *out = all;
        return ODP_OK;
    }
    json_decref(all);
    return odp_failure_set(d.wrong != NULL ? d.wrong : "make", "templates/clients/reference.json",
                           d.wrong != NULL ? EINVAL : ENOMEM);
}
