/* rules.json: rules across datasets (cross.h). Checks that tables, fields, keys and types exist and fit;
 * tools/odp-build/check/across compiles the expressions. */
#include "catalog/cross.h"

#include <strings.h>

#include "catalog/catalog_internal.h"

enum { RULES_MAX = 1000, JOINS_MAX = 16, SELECTS_MAX = 64, KEY_MAX = 16 };

struct reading {
    struct odp_catalog *catalog;
    const struct entry *entries; /* every descriptor, with those that could not be understood */
    size_t n;
};

static const char *const functions[] = {"", "COUNT", "COUNT(DISTINCT)", "SUM", "MIN", "MAX", "MEAN"};

bool odp_cross_involves(const struct odp_cross_rule *rule, const struct odp_resource *r)
{
    bool yes = rule->each.resource == r;
    for (size_t i = 0; i < rule->njoins; i++)
        yes = yes || rule->joins[i].resource == r;
    return yes;
}

const char *odp_cross_table_name(const struct odp_resource *r, struct odp_arena *a)
{
    if (r->dataset->reference)
        return odp_arena_printf(a, "%s@%s", r->dataset->path, r->edition);
    return r->primary ? odp_arena_str(a, r->dataset->slug)
                      : odp_arena_printf(a, "%s/%s", r->dataset->slug, r->name);
}

/* ---- tables ---- */

static void unknown_table(const struct reading *x, struct node n, const char *slug)
{
    const char *near = odp_catalog_nearest(x->catalog, slug);
    node_fault_near(n, ODP_C14, slug, near != NULL ? near : "—", near);
}

/* "proyek", "proyek/timeline", "references/kabkota", "references/kabkota@2025". NULL: reported, or its
 * descriptor was. */
static const struct odp_resource *table_read(const struct reading *x, struct node n)
{
    const char *s = node_string(n);
    if (s == NULL)
        return NULL;
    bool list = strncmp(s, "references/", 11) == 0;
    const char *cut = strchr(list ? s + 11 : s, list ? '@' : '/');
    const char *slug = doc_printf(n.doc, "%.*s", cut != NULL ? (int)(cut - s) : (int)strlen(s), s);
    const struct odp_dataset *d = odp_catalog_find(x->catalog, slug);
    for (size_t i = 0; d == NULL && i < x->n; i++)
        if (strcmp(x->entries[i].dataset.path, slug) == 0)
            return NULL;
    if (d == NULL) {
        unknown_table(x, n, slug);
        return NULL;
    }
    const struct odp_resource *found = NULL;
    if (list)
        found = edition_find(d, cut != NULL ? cut + 1 : NULL);
    else
        found = cut != NULL ? resource_find(d, cut + 1) : d->nresources > 0 ? &d->resources[0] : NULL;
    if (found == NULL)
        resource_unknown(n, d, cut != NULL ? cut + 1 : s);
    return found;
}

/* ---- keys ---- */

/* Years are numbers here. */
static bool is_number(enum odp_type t)
{
    return odp_type_is_number(t) || t == ODP_TYPE_YEAR;
}

static bool fit(const struct odp_field *a, const struct odp_field *b)
{
    return types_fit(a->type, b->type) || (is_number(a->type) && is_number(b->type));
}

/* Lists, objects and geometries have no value to look up by. */
static bool is_plain(const struct odp_field *f)
{
    return type_is_word(f->type) && f->document == NULL;
}

static bool covers(const struct odp_key *key, const struct odp_key *all)
{
    bool yes = all->n > 0;
    for (uint32_t i = 0; i < all->n; i++)
        yes = yes && odp_key_has(key, all->fields[i]);
    return yes;
}

/* Whether the catalogue says that at most one record has a value of KEY. */
static bool is_unique(const struct odp_schema *s, const struct odp_key *key)
{
    bool yes = covers(key, &s->primary);
    for (size_t i = 0; i < s->nunique; i++)
        yes = yes || covers(key, &s->unique[i]);
    for (uint32_t i = 0; i < key->n; i++)
        yes = yes || s->fields[key->fields[i]].constraints.unique;
    return yes;
}

static const char *field_names(struct doc *d, const struct odp_schema *s)
{
    uint32_t n = s->n < 40 ? s->n : 40; /* a hostile schema must not cost much */
    const char **names = doc_zero(d, n, sizeof *names);
    for (uint32_t i = 0; i < n; i++)
        names[i] = s->fields[i].name;
    return doc_join(d, names, n);
}

/* "on": {field of each: field of the other}. False: reported. */
static bool on_read(struct node n, const struct odp_cross_rule *rule, struct odp_cross_side *side)
{
    const struct odp_schema *from = &rule->each.resource->schema, *to = &side->resource->schema;
    size_t count = json_object_size(n.json);
    if (!node_is_object(n))
        return false;
    if (count == 0 || count > KEY_MAX) {
        node_fault(n, ODP_C04, NULL, "{1 … 16}");
        return false;
    }
    side->local.fields = doc_zero(n.doc, count, sizeof *side->local.fields);
    side->key.fields = doc_zero(n.doc, count, sizeof *side->key.fields);
    bool good = true;
    for (struct node_iter it = node_iterate(n); good && node_next(&it);) {
        const char *other = node_string(it.item);
        int a = odp_schema_find(from, odp_slice_of(it.item.key)),
            b = other != NULL ? odp_schema_find(to, odp_slice_of(other)) : -1;
        if (a < 0)
            node_fault_key(it.item, ODP_C07, it.item.key, field_names(n.doc, from));
        else if (rule->grouped && !odp_key_has(&rule->each.key, (uint32_t)a))
            node_fault_key(it.item, ODP_C07, it.item.key, key_names(n.doc, from, &rule->each.key));
        else if (b < 0 && other != NULL)
            schema_unknown_field(it.item, to, odp_slice_of(other));
        else if (b >= 0 && (!fit(&from->fields[a], &to->fields[b]) || !is_plain(&from->fields[a]) ||
                            !is_plain(&to->fields[b])))
            node_fault(it.item, ODP_C15,
                       doc_printf(n.doc, "%s (%s) → %s (%s)", from->fields[a].name,
                                  odp_type_name(from->fields[a].type), to->fields[b].name,
                                  odp_type_name(to->fields[b].type)),
                       odp_type_name(from->fields[a].type));
        else if (b >= 0) {
            side->local.fields[side->local.n++] = (uint32_t)a;
            side->key.fields[side->key.n++] = (uint32_t)b;
            continue;
        }
        good = false;
    }
    return good;
}

/* ---- selects ---- */

/* "SUM(nilai)", "COUNT()", "COUNT(*)", "COUNT(DISTINCT x)", "nama". False: not of that form. */
static bool select_parse(struct odp_slice s, enum odp_cross_function *function, struct odp_slice *field)
{
    s = odp_slice_trim(s);
    const char *open = s.len > 0 ? memchr(s.ptr, '(', s.len) : NULL;
    *function = ODP_CROSS_FIELD;
    *field = s;
    if (open == NULL)
        return s.len > 0;
    struct odp_slice name = odp_slice_trim((struct odp_slice){s.ptr, (size_t)(open - s.ptr)});
    if (s.ptr[s.len - 1] != ')')
        return false;
    *field = odp_slice_trim((struct odp_slice){open + 1, (size_t)(s.ptr + s.len - 1 - (open + 1))});
    for (int f = ODP_CROSS_COUNT; f <= ODP_CROSS_MEAN; f++)
        if (odp_slice_is_nocase(name, functions[f]))
            *function = (enum odp_cross_function)f;
    if (*function == ODP_CROSS_COUNT && field->len > 9 && strncasecmp(field->ptr, "DISTINCT", 8) == 0 &&
        (field->ptr[8] == ' ' || field->ptr[8] == '\t')) {
        *function = ODP_CROSS_DISTINCT;
        *field = odp_slice_trim((struct odp_slice){field->ptr + 8, field->len - 8});
    }
    if (*function == ODP_CROSS_COUNT && odp_slice_is(*field, "*"))
        field->len = 0;
    return *function != ODP_CROSS_FIELD && (field->len > 0 || *function == ODP_CROSS_COUNT);
}

static bool function_takes(enum odp_cross_function function, const struct odp_field *f)
{
    switch (function) {
    case ODP_CROSS_SUM:
    case ODP_CROSS_MEAN:
        return odp_type_is_number(f->type);
    case ODP_CROSS_MIN:
    case ODP_CROSS_MAX:
        return is_plain(f) && f->type != ODP_TYPE_DURATION && f->type != ODP_TYPE_BOOLEAN;
    case ODP_CROSS_COUNT:
        return true;
    default:
        return is_plain(f);
    }
}

static enum odp_type type_of(enum odp_cross_function function, const struct odp_field *f)
{
    if (function == ODP_CROSS_COUNT || function == ODP_CROSS_DISTINCT)
        return ODP_TYPE_INTEGER;
    return function == ODP_CROSS_MEAN ? ODP_TYPE_NUMBER : f->type;
}

/* Names that an expression can say without quotes. */
static bool plain_name(struct node n, const char *name)
{
    bool ok = *name != '\0' && strlen(name) <= 64;
    for (const char *p = name; ok && *p != '\0'; p++)
        ok = (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') || *p == '_' ||
             (p > name && *p >= '0' && *p <= '9');
    if (!ok)
        node_fault_key(n, ODP_C06, name, "'_'");
    return ok;
}

/* A further name of the scope. False: it is taken (reported). */
static bool scope_add(struct node n, struct odp_cross_rule *rule, const char *name,
                      const struct odp_field *from, enum odp_type type, bool is_public)
{
    const struct odp_schema *own = &rule->each.resource->schema;
    bool taken = odp_schema_find(&rule->scope, odp_slice_of(name)) >= 0 ||
                 (!rule->grouped && odp_schema_find(own, odp_slice_of(name)) >= 0);
    if (taken) {
        node_fault_key(n, ODP_C08, name, NULL);
        return false;
    }
    struct odp_field *f = &rule->scope.fields[rule->scope.n++];
    if (from != NULL)
        *f = *from;
    f->name = name;
    f->type = type;
    f->is_public = is_public;
    return true;
}

static bool select_read(struct node n, struct odp_cross_rule *rule, struct odp_cross_side *side)
{
    static const char forms[] = "COUNT(), COUNT(f), COUNT(DISTINCT f), SUM(f), MIN(f), MAX(f), MEAN(f), f";
    const char *text = node_string(n);
    struct odp_cross_select *s = &side->selects[side->nselects];
    struct odp_slice field;
    if (text == NULL || !plain_name(n, n.key))
        return false;
    if (!select_parse(odp_slice_of(text), &s->function, &field) ||
        (side->name == NULL && s->function == ODP_CROSS_FIELD)) {
        node_fault(n, ODP_C33, text, forms);
        return false;
    }
    const struct odp_schema *schema = &side->resource->schema;
    s->field = field.len > 0 ? odp_schema_find(schema, field) : -1;
    if (field.len > 0 && s->field < 0) {
        schema_unknown_field(n, schema, doc_copy(n.doc, field)); /* with an end */
        return false;
    }
    const struct odp_field *f = s->field >= 0 ? &schema->fields[s->field] : NULL;
    if (f != NULL && !function_takes(s->function, f)) {
        bool number = s->function == ODP_CROSS_SUM || s->function == ODP_CROSS_MEAN;
        field_misfit(n, f,
                     number ? "number, integer"
                            : "string, number, integer, date, time, datetime, year, yearmonth");
        return false;
    }
    if (s->function == ODP_CROSS_FIELD && !is_unique(schema, &side->key)) {
        node_fault(n, ODP_C34, text, key_names(n.doc, schema, &side->key));
        return false;
    }
    bool counts = s->function == ODP_CROSS_COUNT || s->function == ODP_CROSS_DISTINCT;
    s->name =
        side->name != NULL ? doc_printf(n.doc, "%s.%s", side->name, n.key) : doc_printf(n.doc, "%s", n.key);
    return scope_add(n, rule, s->name, f, type_of(s->function, f), counts || f->is_public) &&
           ++side->nselects > 0;
}

/* "select" of SIDE into the scope. False: reported. */
static bool selects_read(struct node n, struct odp_cross_rule *rule, struct odp_cross_side *side)
{
    side->first = rule->scope.n;
    if (n.json == NULL)
        return true;
    if (!node_is_object(n))
        return false;
    if (json_object_size(n.json) > SELECTS_MAX) {
        node_fault(n, ODP_C04, NULL, "{…} ≤ 64");
        return false;
    }
    side->selects = doc_zero(n.doc, json_object_size(n.json), sizeof *side->selects);
    bool good = true;
    for (struct node_iter it = node_iterate(n); good && node_next(&it);)
        good = select_read(it.item, rule, side);
    return good;
}

/* ---- rules ---- */

static bool text_read(struct node n, struct odp_cross_text *out)
{
    const char *s = node_string(n);
    const struct place *p = &n.doc->places[n.place];
    if (s != NULL)
        *out = (struct odp_cross_text){odp_slice_of(s), p->line, p->column + 1}; /* behind the quote */
    return s != NULL;
}

static bool where_read(struct node n, void *into)
{
    return text_read(n, &((struct odp_cross_side *)into)->where);
}

static bool expr_read(struct node n, void *into)
{
    return text_read(n, &((struct odp_cross_rule *)into)->expr);
}

static bool has_geometry(const struct odp_resource *r)
{
    return r->geometry.present && odp_schema_find(&r->schema, ODP_LIT("geometry")) < 0;
}

static bool join_read(const struct reading *x, struct node n, struct odp_cross_rule *rule)
{
    static const struct key keys[] = {
        {"name", KEY_STRING, .at = AT(odp_cross_side, name), .need = "string"},
        {"resource", .need = "slug, slug/…, references/…@…"},
        {"on", .need = "{…}"},
        {"where", KEY_READ, .read = where_read},
        KNOWN("select"),
    };
    struct odp_cross_side *side = &rule->joins[rule->njoins];
    if (!object_read(n, &TABLE(keys), side))
        return false;
    struct node name = node_get(n, "name"), on = node_get(n, "on");
    side->resource = table_read(x, node_get(n, "resource"));
    if (side->name == NULL || side->resource == NULL || on.json == NULL || !plain_name(name, side->name))
        return false;
    for (size_t i = 0; i < rule->njoins; i++)
        if (strcmp(rule->joins[i].name, side->name) == 0) {
            node_fault(name, ODP_C08, side->name, NULL);
            return false;
        }
    if (!on_read(on, rule, side) || !selects_read(node_get(n, "select"), rule, side))
        return false;
    if (has_geometry(side->resource) && is_unique(&side->resource->schema, &side->key))
        side->geometry = doc_printf(n.doc, "%s.geometry", side->name);
    rule->njoins++;
    return true;
}

/* Group fields, or all fields of the table, begin the scope. */
static bool scope_begin(struct node n, struct odp_cross_rule *rule)
{
    const struct odp_schema *own = &rule->each.resource->schema;
    struct node group = node_get(n, "group");
    size_t room = (size_t)own->n + json_object_size(node_get(n, "select").json) + 1;
    for (struct node_iter it = node_iterate(node_get(n, "join")); node_next(&it);)
        room += json_object_size(json_object_get(it.item.json, "select"));
    rule->scope.fields = doc_zero(n.doc, room, sizeof *rule->scope.fields);
    rule->grouped = group.json != NULL;
    if (rule->grouped && !key_read(group, own, &rule->each.key))
        return false;
    if (!rule->grouped) {
        memcpy(rule->scope.fields, own->fields, own->n * sizeof *own->fields);
        rule->scope.n = own->n;
        return true;
    }
    if (rule->each.key.n > KEY_MAX) {
        node_fault(group, ODP_C04, NULL, "[1 … 16]");
        return false;
    }
    for (uint32_t i = 0; i < rule->each.key.n; i++) {
        const struct odp_field *f = &own->fields[rule->each.key.fields[i]];
        if (!is_plain(f)) {
            field_misfit(group, f, "string, number, integer, boolean, date, time, datetime, year, yearmonth");
            return false;
        }
        rule->scope.fields[rule->scope.n++] = *f;
    }
    return true;
}

static bool joins_read(const struct reading *x, struct node n, struct odp_cross_rule *rule)
{
    if (n.json == NULL)
        return true;
    if (!list_fits(n, 0, JOINS_MAX))
        return false;
    rule->joins = doc_zero(n.doc, json_array_size(n.json), sizeof *rule->joins);
    bool good = true;
    for (struct node_iter it = node_iterate(n); node_next(&it);)
        good = join_read(x, it.item, rule) && good;
    return good;
}

/* The first dataset among its tables: faults are its. NULL: code lists alone. */
static const struct odp_dataset *owner_of(const struct odp_cross_rule *rule)
{
    const struct odp_dataset *d = rule->each.resource->dataset;
    for (size_t i = 0; d->reference && i < rule->njoins; i++)
        d = rule->joins[i].resource->dataset;
    return d->reference ? NULL : d;
}

/* Everything but the code: which tables, which fields. False: reported. */
static bool tables_read(const struct reading *x, struct node n, struct odp_cross_rule *rule)
{
    struct node select = node_get(n, "select");
    rule->each.resource = table_read(x, node_get(n, "each"));
    if (rule->each.resource == NULL || !scope_begin(n, rule))
        return false;
    (void)text_read(node_get(n, "where"), &rule->each.where);
    if (!rule->grouped && select.json != NULL) {
        node_fault(n, ODP_C03, "group", "[…]");
        return false;
    }
    if (!selects_read(select, rule, &rule->each) || !joins_read(x, node_get(n, "join"), rule))
        return false;
    rule->each.geometry = !rule->grouped && has_geometry(rule->each.resource) ? "geometry" : NULL;
    rule->owner = owner_of(rule);
    if ((rule->njoins == 0 && !rule->grouped) || rule->owner == NULL) {
        node_fault(n, ODP_C35, rule->code, NULL);
        return false;
    }
    return true;
}

static void rule_read(const struct reading *x, struct node n)
{
    static const struct key keys[] = {
        {"code", KEY_NAME, .at = AT(odp_cross_rule, code), .need = "string"},
        {"message", KEY_TEXT, .at = AT(odp_cross_rule, message), .need = "{\"id\", \"en\"}"},
        KNOWN("severity"),
        {"each", .need = "slug, slug/…"},
        KNOWN("where"),
        KNOWN("group"),
        KNOWN("select"),
        KNOWN("join"),
        {"expr", KEY_READ, .need = "CQL2", .read = expr_read},
        KNOWN("odp:note"),
    };
    struct odp_catalog *c = x->catalog;
    struct odp_cross_rule *rule = &c->cross[c->ncross];
    *rule = (struct odp_cross_rule){.file = n.doc->file, .where = node_where(n), .text = node_literal(n)};
    if (!object_read(n, &TABLE(keys), rule))
        return;
    int severity = node_choice(node_get(n, "severity"), severity_words);
    rule->severity_said = severity >= 0;
    rule->severity = severity >= 0 ? (enum odp_severity)severity : ODP_SEVERITY_OFF;
    bool good = rule->code != NULL && !odp_text_is_empty(&rule->message) && rule->expr.text.ptr != NULL;
    for (size_t i = 0; rule->code != NULL && i < c->ncross; i++)
        if (strcmp(c->cross[i].code, rule->code) == 0) {
            node_fault(node_get(n, "code"), ODP_C08, rule->code, NULL);
            good = false;
        }
    c->ncross += tables_read(x, n, rule) && good;
}

void cross_read(struct doc *d, struct odp_catalog *c, const struct entry *entries, size_t n)
{
    static const struct key keys[] = {KNOWN("$schema"), {"rules", .need = "[…]"}, KNOWN("odp:note")};
    const struct reading x = {c, entries, n};
    struct node root = doc_root(d), rules = node_get(root, "rules");
    if (!object_read(root, &TABLE(keys), NULL) || !list_fits(rules, 0, RULES_MAX))
        return;
    c->cross = doc_zero(d, json_array_size(rules.json), sizeof *c->cross);
    for (struct node_iter it = node_iterate(rules); node_next(&it);)
        rule_read(&x, it.item);
}
