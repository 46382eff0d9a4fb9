/* The model under the names of one language: what templates/clients/model.json promises to the templates.
 * Names that are identifiers stay; others, words of the language (templates/clients/<language>/names.json)
 * and taken names get a new one. */
#include "site/clients/clients_internal.h"

enum { CLOSED_MAX = 200 }; /* most values that a type in PHP's comments lists */

struct dressing {
    const struct client_model *m;
    enum odp_client_language l;
    const json_t *reserved;
    struct odp_arena *a;
    struct client_scope types, properties;
};

/* ---- words ---- */

static char *prose(struct dressing *d, const char *text)
{
    struct odp_buffer b = {0};
    client_prose(&b, text);
    return odp_buffer_keep(&b, d->a);
}

/* Prose of a comment: "title (unit): description", without anything that looks like a tag of a documentation
 * comment. */
static const char *comment_of(struct dressing *d, const json_t *title, const json_t *description)
{
    const struct odp_text t = client_both(title, "title"), u = client_both(title, "unit"),
                          more = client_both(description, "description");
    const char *said = odp_text_get(&t, ODP_LANG_EN), *about = odp_text_get(&more, ODP_LANG_EN),
               *unit = odp_text_get(&u, ODP_LANG_EN), *whole = said;
    if (*unit != '\0')
        whole = odp_arena_printf(d->a, "%s (%s)", whole, unit);
    if (*about != '\0' && strcmp(said, about) != 0)
        whole = odp_arena_printf(d->a, "%s%s%s", whole, *said != '\0' ? ": " : "", about);
    char *s = prose(d, whole);
    for (char *p = s; *p != '\0'; p++)
        if (*p == '@' && (p == s || p[-1] == ' ' || p[-1] == '{'))
            *p = '(';
    return s;
}

/* "Slum map · Peta kumuh" */
static const char *joined(struct dressing *d, const struct odp_text *t)
{
    const char *en = odp_text_get(t, ODP_LANG_EN), *id = odp_text_get(t, ODP_LANG_ID);
    return strcmp(en, id) != 0 ? odp_arena_printf(d->a, "%s · %s", en, id) : en;
}

/* Title and unit as a sentence, in both languages. */
static const char *head_of(struct dressing *d, const json_t *o, const char *name)
{
    const struct odp_text title = client_both(o, "title"), unit = client_both(o, "unit");
    const char *said = odp_text_is_empty(&title) ? name : joined(d, &title);
    return prose(d, odp_text_is_empty(&unit) ? odp_arena_printf(d->a, "%s.", said)
                                             : odp_arena_printf(d->a, "%s [%s].", said, joined(d, &unit)));
}

/* The description in each language that differs. */
static json_t *about_of(struct dressing *d, const json_t *o)
{
    const struct odp_text t = client_both(o, "description");
    const char *en = odp_text_get(&t, ODP_LANG_EN), *id = odp_text_get(&t, ODP_LANG_ID);
    json_t *list = json_array();
    if (*en != '\0')
        odp_add(list, json_string(prose(d, en)));
    if (*id != '\0' && strcmp(en, id) != 0)
        odp_add(list, json_string(prose(d, id)));
    return list;
}

/* ---- types ---- */

/* A number as types write it: JSON's form without an exponent. */
static bool is_number(const char *text, bool whole)
{
    const char *p = text + (*text == '-');
    size_t digits = strspn(p, "0123456789");
    if (digits == 0 || (digits > 1 && *p == '0'))
        return false;
    p += digits;
    if (*p == '\0' || whole || *p != '.')
        return *p == '\0';
    size_t part = strspn(p + 1, "0123456789");
    return part > 0 && p[1 + part] == '\0';
}

/* Whether TEXT can be quoted in a comment of PHP. */
static bool is_quiet(const char *text)
{
    size_t n = strlen(text);
    bool ok = n > 0 && n <= 100;
    for (const unsigned char *c = (const unsigned char *)text; *c != '\0' && ok; c++)
        ok = *c >= ' ' && *c != 0x7f && strchr("'\"\\*@`", *c) == NULL && *c != 0xe2 && *c != 0xc2;
    return ok;
}

/* Sets texts or numbers: the closed list, if this language can write it. */
static void set_values(struct dressing *d, json_t *o, const json_t *f, const char *type)
{
    static const char *const texts[] = {"string", "str", "string"}, *const numbers[] = {"number", "int",
                                                                                        "int"};
    const json_t *values = json_object_get(f, "values"), *v;
    const bool text = strcmp(type, texts[d->l]) == 0, number = strcmp(type, numbers[d->l]) == 0,
               php = d->l == ODP_CLIENT_PHP, whole = d->l != ODP_CLIENT_JAVASCRIPT;
    const size_t n = json_array_size(values);
    bool closed = n > 0 && (text || number) && !(php && n > CLOSED_MAX);
    size_t i;
    json_array_foreach(values, i, v)
    {
        const char *s = json_string_value(v);
        closed = closed && (number ? is_number(s, whole) && (!php || strlen(s) <= 15) : !php || is_quiet(s));
    }
    odp_set(o, "texts", closed && text ? json_deep_copy(values) : json_array());
    odp_set(o, "numbers", closed && number ? json_deep_copy(values) : json_array());
    odp_set_flag(o, "closed", closed);
}

static const char *type_name(enum odp_client_language l, enum odp_type t)
{
    const struct odp_field_type *row = odp_field_type(t);
    return l == ODP_CLIENT_PYTHON ? row->python : l == ODP_CLIENT_PHP ? row->php : row->typescript;
}

static const char *list_type(struct dressing *d, enum odp_type item)
{
    const char *of = type_name(d->l, item);
    return d->l == ODP_CLIENT_PHP
               ? type_name(d->l, ODP_TYPE_LIST)
               : odp_arena_printf(d->a, d->l == ODP_CLIENT_PYTHON ? "List[%s]" : "%s[]", of);
}

/* The kind of value in PHP's Record: "date", "datetime", or the name of its type. */
static const char *kind_of(enum odp_type t)
{
    const struct odp_field_type *row = odp_field_type(t);
    return row->php[0] == '\\' ? row->name : row->php;
}

static void set_type(struct dressing *d, json_t *o, const json_t *f)
{
    enum odp_type t = client_type(f, "type"), item = client_type(f, "item");
    const bool list = t == ODP_TYPE_LIST, required = client_flag(f, "required");
    const char *type = list ? list_type(d, item) : type_name(d->l, t),
               *convert = odp_field_type(t)->python_convert, *of = odp_field_type(item)->php;
    bool any = strcmp(type, "Any") == 0 || strcmp(type, "mixed") == 0;
    set_values(d, o, f, type);
    odp_set_str(o, "type", type);
    odp_set_str(o, "kind", kind_of(t));
    odp_set_flag(o, "nullable", !required);
    odp_set_flag(o, "optional", !required && !any);
    if (list && odp_field_type(item)->python_convert != NULL)
        convert = odp_arena_printf(d->a, "list_of(%s)", odp_field_type(item)->python_convert);
    if (convert != NULL)
        odp_set_str(o, "convert", convert);
    if (list) /* in comments: dates in lists stay texts */
        odp_set_str(o, "item", *of == '\\' || strcmp(of, "array") == 0 ? "string" : of);
}

/* ---- fields ---- */

static json_t *dress_field(struct dressing *d, const json_t *f, const char *attribute)
{
    const char *name = odp_text_of(f, "name");
    const struct odp_text title = client_both(f, "title"), description = client_both(f, "description");
    const bool deprecated = client_flag(f, "deprecated");
    json_t *o = json_pack(
        "{s:s, s:s, s:s, s:b, s:b, s:b, s:s, s:o, s:s}", "name", name, "column", prose(d, name), "attribute",
        attribute, "renamed", (int)(strcmp(name, attribute) != 0), "deprecated", (int)deprecated, "told",
        (int)(!odp_text_is_empty(&title) || !odp_text_is_empty(&description) || deprecated), "head",
        head_of(d, f, name), "about", about_of(d, f), "comment", comment_of(d, f, f));
    set_type(d, o, f);
    return o;
}

/* Names that are identifiers come first, because they keep theirs. */
static json_t *dress_fields(struct dressing *d, const json_t *r, json_t *out)
{
    const json_t *fields = json_object_get(r, "fields"), *f;
    size_t i, n = json_array_size(fields);
    struct client_scope own = client_scope_of(d->m, d->l, "members");
    const char **names = odp_arena_zero(d->a, n + 1, sizeof *names);
    json_t *list = json_array();
    if (client_flag(r, "geometry") && !client_has(fields, "geometry")) {
        const char *geometry = client_claim(&own, "geometry");
        odp_set_str(out, "geometry", geometry);
        odp_set_flag(out, "geometry_renamed", strcmp(geometry, "geometry") != 0);
    }
    for (int kept = 1; kept >= 0; kept--)
        json_array_foreach(fields, i, f) if (client_keeps(&own, odp_text_of(f, "name")) == (kept == 1))
            names[i] = client_claim(&own, client_wanted(&own, "", odp_text_of(f, "name")));
    json_array_foreach(fields, i, f)
        odp_add(list, dress_field(d, f, d->l == ODP_CLIENT_JAVASCRIPT ? odp_text_of(f, "name") : names[i]));
    client_scope_release(&own);
    return list;
}

/* Python's type of a closed list, and the conditions: equality by column. */
static void dress_conditions(struct dressing *d, const json_t *r, json_t *out, const char *record)
{
    const json_t *parameters = json_object_get(d->reserved, "parameters"),
                 *fields = json_object_get(r, "fields"), *q;
    json_t *list = json_array(), *f;
    size_t i;
    json_array_foreach(json_object_get(out, "fields"), i, f)
    {
        const char *name = odp_text_of(f, "name"),
                   *where = odp_field_type(client_type(json_array_get(fields, i), "type"))->python_where;
        if (client_flag(f, "closed")) {
            where = client_claim(&d->types, client_wanted(&d->types, record, name));
            odp_set_str(f, "choice", where);
            odp_set_str(f, "type", where);
        }
        if (where != NULL && !client_has(parameters, name))
            odp_add(list, json_pack("{s:s, s:s}", "name", name, "type", where));
    }
    json_array_foreach(json_object_get(r, "queryables"), i,
                       q) if (!client_has(parameters, json_string_value(q)) &&
                              !client_has(fields, json_string_value(q)))
        odp_add(list, json_pack("{s:O, s:s}", "name", q, "type", "Scalar"));
    odp_set(out, "conditions", list);
}

/* ---- resources ---- */

static json_t *dress_keys(struct dressing *d, const json_t *r)
{
    const json_t *k, *f;
    json_t *list = json_array();
    size_t i, j;
    json_array_foreach(json_object_get(r, "key"), i, k)
    {
        const char *type = "string";
        json_array_foreach(json_object_get(r, "fields"), j,
                           f) if (strcmp(odp_text_of(f, "name"), json_string_value(k)) == 0) type =
            type_name(d->l, client_type(f, "type"));
        odp_add(list, json_pack("{s:O, s:s}", "name", k, "type", type));
    }
    return list;
}

/* DATASET: whose own resource R is; NULL for a further one. */
static json_t *dress_resource(struct dressing *d, const json_t *r, const json_t *dataset, const char *type)
{
    static const char *const copied[] = {"name", "path", "formats", "queryables"};
    const json_t *words = json_object_get(dataset, "description") != NULL ? dataset : r;
    json_t *keys = dress_keys(d, r);
    size_t nkeys = json_array_size(keys);
    json_t *o = json_pack(
        "{s:s, s:s, s:o, s:s, s:b, s:b, s:b, s:b, s:b, s:o}", "type", type, "head",
        head_of(d, r, odp_text_of(r, "path")), "about", about_of(d, words), "comment",
        comment_of(d, r, words), "keyed", (int)(nkeys > 0), "composite", (int)(nkeys > 1), "text_key",
        (int)(nkeys == 1 && strcmp(odp_text_of(json_array_get(keys, 0), "type"), "string") == 0),
        "is_timeline", (int)client_flag(r, "timeline"), "has_formats",
        (int)(json_array_size(json_object_get(r, "formats")) > 0), "keys", keys);
    for (size_t i = 0; i < ODP_COUNT(copied); i++)
        odp_set_copy(o, r, copied[i]);
    odp_set(o, "fields", dress_fields(d, r, o));
    if (d->l != ODP_CLIENT_PYTHON)
        return o;
    odp_set_str(o, "where", client_claim(&d->types, odp_arena_printf(d->a, "%sWhere", type)));
    odp_set_str(o, "format_type", client_claim(&d->types, odp_arena_printf(d->a, "%sFormat", type)));
    dress_conditions(d, r, o, type);
    return o;
}

/* ---- datasets ---- */

/* The types of all datasets' records are named first. */
static json_t *name_types(struct dressing *d, const json_t *dataset)
{
    const char *first = client_wanted(&d->types, "", odp_text_of(dataset, "slug"));
    const json_t *r;
    json_t *list = json_array();
    size_t k;
    json_array_foreach(json_object_get(dataset, "resources"), k, r)
    {
        const char *wanted = k == 0 ? first : client_wanted(&d->types, first, odp_text_of(r, "name"));
        odp_add(list, json_string(client_claim(&d->types, wanted)));
    }
    return list;
}

static json_t *dress_dataset(struct dressing *d, const json_t *dataset, const json_t *types)
{
    const json_t *resources = json_object_get(dataset, "resources"), *r;
    const char *slug = odp_text_of(dataset, "slug");
    json_t *list = json_array(), *further = json_array();
    json_t *o = json_pack("{s:s, s:s, s:s, s:s, s:o, s:o}", "slug", slug, "property",
                          client_claim(&d->properties, client_wanted(&d->properties, "", slug)), "head",
                          head_of(d, dataset, slug), "comment", comment_of(d, dataset, dataset), "resources",
                          list, "further", further);
    size_t k;
    if (d->l == ODP_CLIENT_PYTHON && json_array_size(resources) > 1)
        odp_set_str(o, "class",
                    client_claim(&d->types, odp_arena_printf(d->a, "%sDataset",
                                                             json_string_value(json_array_get(types, 0)))));
    json_array_foreach(resources, k, r)
    {
        json_t *one =
            dress_resource(d, r, k == 0 ? dataset : NULL, json_string_value(json_array_get(types, k)));
        odp_add(list, one);
        if (k > 0)
            odp_add(further, json_incref(one));
        else
            odp_set(o, "first", json_incref(one));
        if (client_flag(r, "timeline") && json_object_get(o, "timeline") == NULL)
            odp_set(o, "timeline", json_incref(one));
    }
    return o;
}

json_t *client_dress(const struct client_model *m, enum odp_client_language l)
{
    struct dressing d = {.m = m,
                         .l = l,
                         .a = m->arena,
                         .reserved = m->reserved[l],
                         .types = client_scope_of(m, l, "types"),
                         .properties = client_scope_of(m, l, "properties")};
    const struct odp_text title = client_both(m->json, "title"),
                          publisher = client_both(m->json, "publisher");
    const json_t *datasets = json_object_get(m->json, "datasets"), *one;
    json_t *list = json_array(), *types = json_array();
    size_t i;
    json_array_foreach(datasets, i, one) odp_add(types, name_types(&d, one));
    json_array_foreach(datasets, i, one) odp_add(list, dress_dataset(&d, one, json_array_get(types, i)));
    json_t *o = json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:o, s:o}", "language",
                          client_languages[l].name, "package", m->names.package[l], "module",
                          m->names.module[l], "release", m->release, "date", m->release_date, "base",
                          m->base_url, "title", prose(&d, odp_text_get(&title, ODP_LANG_EN)), "publisher",
                          prose(&d, odp_text_get(&publisher, ODP_LANG_EN)), "license",
                          odp_text_of(m->json, "license"), "origin",
                          json_sprintf("%s, release %s of %s", comment_of(&d, m->json, NULL), m->release,
                                       prose(&d, m->base_url)),
                          "datasets", list);
    json_decref(types);
    client_scope_release(&d.types);
    client_scope_release(&d.properties);
    return o;
}
