/* Two schemas side by side. Fields are paired by name first, then by the former names of new fields
 * (odp:formerNames); the rest was removed or added. A pair is compared member by member; a difference that
 * no other kind covers is wording. */
#include "published/schema_change.h"

#include "base/json_load.h"

struct kind_row {
    const char *name;
    enum odp_level level;
    struct odp_text text;
};

static const struct kind_row kinds[] = {
#define ODP_SCHEMA_CHANGE(symbol, name, level, id, en)                                                       \
    [ODP_SCHEMA_##symbol] = {name, ODP_LEVEL_##level, {{id, en}}},
#include "published/schema_change.def"
#undef ODP_SCHEMA_CHANGE
};

const char *odp_level_name(enum odp_level l)
{
    static const char *const names[] = {"none", "patch", "minor", "major"};
    return names[l];
}

const char *odp_schema_change_name(enum odp_schema_change_kind k)
{
    return kinds[k].name;
}

enum odp_level odp_schema_change_level(enum odp_schema_change_kind k)
{
    return kinds[k].level;
}

void odp_schema_change_text(struct odp_buffer *out, const struct odp_schema_change *c, enum odp_lang lang)
{
    const char *args[] = {c->to != NULL ? c->to : c->from, c->before, c->after};
    if (c->kind == ODP_SCHEMA_FIELD_RENAMED) {
        args[1] = c->from;
        args[2] = c->to;
    }
    for (const char *p = odp_text_get(&kinds[c->kind].text, lang); *p != '\0'; p++) {
        if (p[0] == '{' && p[1] >= '0' && p[1] <= '2' && p[2] == '}') {
            const char *arg = args[p[1] - '0'];
            odp_buffer_add_str(out, arg != NULL && *arg != '\0' ? arg : "—");
            p += 2;
        } else {
            odp_buffer_add_char(out, *p);
        }
    }
}

/* ---- building the list ---- */

struct compare {
    struct odp_schema_changes *out;
    const struct odp_layout *old, *now;
    struct odp_arena *a;
};

static void add(struct compare *c, enum odp_schema_change_kind kind, const char *from, const char *to,
                const char *before, const char *after)
{
    struct odp_schema_changes *out = c->out;
    out->items = odp_arena_more(c->a, out->items, out->n, sizeof *out->items);
    out->items[out->n++] = (struct odp_schema_change){kind, from, to, before, after};
    if (kinds[kind].level > out->level)
        out->level = kinds[kind].level;
}

/* LIST with ITEM after a comma. */
static const char *listed(struct compare *c, const char *list, const char *item)
{
    return odp_arena_printf(c->a, "%s%s%s", list, *list != '\0' ? ", " : "", item);
}

/* ---- pairing ---- */

static void pair_fields(struct compare *c)
{
    int *old_of = odp_arena_array(c->a, (size_t)c->now->n + 1, sizeof *old_of);
    int *new_of = odp_arena_array(c->a, (size_t)c->old->n + 1, sizeof *new_of);
    for (uint32_t k = 0; k < c->now->n; k++)
        old_of[k] = -1;
    for (uint32_t k = 0; k < c->old->n; k++) {
        new_of[k] = odp_layout_find(c->now, c->old->fields[k].name);
        if (new_of[k] >= 0)
            old_of[new_of[k]] = (int)k;
    }
    for (uint32_t k = 0; k < c->now->n; k++) {
        const struct odp_layout_field *f = &c->now->fields[k];
        for (size_t i = 0; i < f->nformer && old_of[k] < 0; i++) {
            int was = odp_layout_find(c->old, f->former[i]);
            if (was >= 0 && new_of[was] < 0) {
                old_of[k] = was;
                new_of[was] = (int)k;
            }
        }
    }
    c->out->old_of = old_of;
    c->out->new_of = new_of;
}

/* ---- one field ---- */

/* The values that a field may have: its enum, else its categories; NULL: any. */
static const json_t *choices_of(const json_t *field)
{
    const json_t *list = json_object_get(json_object_get(field, "constraints"), "enum");
    list = list != NULL ? list : json_object_get(field, "categories");
    return json_is_array(list) ? list : NULL;
}

/* A category is its value, or an object with a value and a label. */
static const json_t *choice_at(const json_t *list, size_t i)
{
    const json_t *item = json_array_get(list, i), *value = json_object_get(item, "value");
    return value != NULL ? value : item;
}

static bool has_choice(const json_t *list, const json_t *value)
{
    for (size_t i = 0; i < json_array_size(list); i++)
        if (json_equal(choice_at(list, i), value))
            return true;
    return false;
}

/* Those of LIST that OTHER has not, as text. */
static const char *choices_only_in(struct compare *c, const json_t *list, const json_t *other)
{
    const char *text = "";
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *value = choice_at(list, i);
        if (has_choice(other, value))
            continue;
        char *dumped = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(15));
        text = listed(c, text, json_is_string(value) ? json_string_value(value) : dumped);
        odp_json_free_text(dumped);
    }
    return text;
}

/* Whether the list closed. If only one side has a list, it opened or closed. */
static bool compare_choices(struct compare *c, const struct odp_layout_field *was,
                            const struct odp_layout_field *is)
{
    const json_t *old = choices_of(was->json), *now = choices_of(is->json);
    if (old == NULL || now == NULL) {
        if (old != NULL)
            add(c, ODP_SCHEMA_CATEGORY_ADDED, was->name, is->name, "", "*");
        return now != NULL && old == NULL;
    }
    if (json_equal(old, now)) /* the loops below are slow for long lists */
        return false;
    const char *gone = choices_only_in(c, old, now), *fresh = choices_only_in(c, now, old);
    if (*fresh != '\0')
        add(c, ODP_SCHEMA_CATEGORY_ADDED, was->name, is->name, "", fresh);
    if (*gone != '\0')
        add(c, ODP_SCHEMA_CATEGORY_REMOVED, was->name, is->name, gone, "");
    return false;
}

/* The same values in the same order. */
static bool same_order(const json_t *a, const json_t *b)
{
    if (json_array_size(a) != json_array_size(b))
        return true; /* reported as values that came or went */
    for (size_t i = 0; i < json_array_size(a); i++)
        if (!has_choice(b, choice_at(a, i)))
            return true;
    for (size_t i = 0; i < json_array_size(a); i++)
        if (!json_equal(choice_at(a, i), choice_at(b, i)))
            return false;
    return true;
}

/* OBJECT without the members KEYS. */
static json_t *without(const json_t *object, const char *const *keys)
{
    json_t *copy =
        json_is_object(object) ? json_copy((json_t *)(uintptr_t)object) : json_object(); /* reads only */
    for (; *keys != NULL; keys++)
        (void)json_object_del(copy, *keys); /* a missing key is fine */
    return copy;
}

static bool equal_without(const json_t *a, const json_t *b, const char *const *keys)
{
    json_t *x = without(a, keys), *y = without(b, keys);
    bool equal = json_equal(x, y);
    json_decref(x);
    json_decref(y);
    return equal;
}

static bool same_member(const json_t *a, const json_t *b, const char *key)
{
    const json_t *x = json_object_get(a, key), *y = json_object_get(b, key);
    return x == y || (x != NULL && y != NULL && json_equal(x, y));
}

static void compare_constraints(struct compare *c, const struct odp_layout_field *was,
                                const struct odp_layout_field *is)
{
    static const char *const elsewhere[] = {"required", "enum", NULL};
    const json_t *old = json_object_get(was->json, "constraints"),
                 *now = json_object_get(is->json, "constraints");
    bool needed = json_is_true(json_object_get(old, "required")),
         needs = json_is_true(json_object_get(now, "required"));
    if (needed && !needs)
        add(c, ODP_SCHEMA_OPTIONAL, was->name, is->name, "", "");
    bool changed = compare_choices(c, was, is) || (needs && !needed) || !equal_without(old, now, elsewhere);
    bool ordered = json_is_true(json_object_get(was->json, "categoriesOrdered"));
    changed = changed || ordered != json_is_true(json_object_get(is->json, "categoriesOrdered"));
    changed = changed || (ordered && !same_order(choices_of(was->json), choices_of(is->json)));
    /* Another format of text (email, uri) narrows or widens its values; of GeoJSON it is another type. */
    changed = changed || (is->type != ODP_TYPE_GEOJSON && was->type == is->type &&
                          !same_member(was->json, is->json, "format"));
    if (changed)
        add(c, ODP_SCHEMA_CONSTRAINT, was->name, is->name, "", "");
}

/* The type as text. A field of documents (odp:document) has addresses of files as values: another type. */
static const char *type_text(struct compare *c, const struct odp_layout_field *f)
{
    if (json_object_get(f->json, "odp:document") != NULL)
        return odp_arena_printf(c->a, "%s (odp:document)", odp_type_name(f->type));
    const char *format = f->type == ODP_TYPE_GEOJSON ? odp_json_text(f->json, "format") : NULL;
    return format != NULL ? odp_arena_printf(c->a, "%s (%s)", odp_type_name(f->type), format)
                          : odp_type_name(f->type);
}

static void compare_units(struct compare *c, const struct odp_layout_field *was,
                          const struct odp_layout_field *is)
{
    for (int l = 0; l < ODP_LANGS; l++) {
        const char *before = odp_text_get(&was->unit, (enum odp_lang)l),
                   *after = odp_text_get(&is->unit, (enum odp_lang)l);
        if (strcmp(before, after) != 0) {
            add(c, ODP_SCHEMA_UNIT, was->name, is->name, before, after);
            return;
        }
    }
}

static const char *sunset_of(const struct odp_layout_field *f)
{
    const char *sunset = odp_json_text(f->json, "odp:sunset");
    return sunset != NULL ? sunset : odp_json_text(f->json, "odp:deprecated");
}

static bool compare_deprecation(struct compare *c, const struct odp_layout_field *was,
                                const struct odp_layout_field *is)
{
    const char *old = sunset_of(was), *now = sunset_of(is);
    if (now == NULL || (old != NULL && strcmp(old, now) == 0))
        return false;
    add(c, ODP_SCHEMA_DEPRECATED, was->name, is->name, old != NULL ? old : "", now);
    return true;
}

/* Whether values in both lists have the same labels. */
static bool same_labels(const json_t *a, const json_t *b)
{
    if (json_equal(a, b))
        return true;
    for (size_t i = 0; i < json_array_size(a); i++)
        for (size_t k = 0; k < json_array_size(b); k++) {
            const json_t *x = json_array_get(a, i), *y = json_array_get(b, k);
            if (json_equal(choice_at(a, i), choice_at(b, k)) &&
                (!same_member(x, y, "label") || !same_member(x, y, "odp:label")))
                return false;
        }
    return true;
}

static void compare_wording(struct compare *c, const struct odp_layout_field *was,
                            const struct odp_layout_field *is, bool deprecated)
{
    static const char *const elsewhere[] = {
        "name",       "type",        "odp:type",          "format",          "odp:unit",   "sdi:satuan",
        "categories", "constraints", "categoriesOrdered", "odp:formerNames", "odp:sunset", "odp:document",
        NULL};
    static const char *const with_deprecation[] = {"odp:deprecated", "odp:replacedBy", "odp:note", NULL};
    json_t *old = without(was->json, elsewhere), *now = without(is->json, elsewhere);
    bool same = equal_without(old, now, deprecated ? with_deprecation : with_deprecation + 3);
    json_decref(old);
    json_decref(now);
    if (!same ||
        !same_labels(json_object_get(was->json, "categories"), json_object_get(is->json, "categories")))
        add(c, ODP_SCHEMA_WORDING, was->name, is->name, "", "");
}

static void compare_field(struct compare *c, const struct odp_layout_field *was,
                          const struct odp_layout_field *is)
{
    const char *before = type_text(c, was), *after = type_text(c, is);
    if (strcmp(before, after) != 0)
        add(c, ODP_SCHEMA_TYPE, was->name, is->name, before, after);
    compare_units(c, was, is);
    compare_constraints(c, was, is);
    /* The new name fulfils what was announced of the old one. */
    bool renamed = strcmp(was->name, is->name) != 0, deprecated = compare_deprecation(c, was, is);
    compare_wording(c, was, is, renamed || deprecated);
}

/* ---- the resource as a whole ---- */

/* Names of fields F, "a, b". */
static const char *names_of(struct compare *c, const struct odp_layout *l, const uint32_t *f, uint32_t n)
{
    const char *text = "";
    for (uint32_t k = 0; k < n; k++)
        text = listed(c, text, l->fields[f[k]].name);
    return text;
}

static bool same_fields(const struct compare *c, const uint32_t *old, uint32_t nold, const uint32_t *now,
                        uint32_t nnow)
{
    if (nold != nnow)
        return false;
    for (uint32_t k = 0; k < nold; k++)
        if (c->out->old_of[now[k]] != (int)old[k])
            return false;
    return true;
}

/* Whether both have the same unique keys, in any order. */
static bool same_unique(const struct compare *c)
{
    if (c->old->nunique != c->now->nunique)
        return false;
    for (size_t i = 0; i < c->old->nunique; i++) {
        const struct odp_key *key = &c->old->unique[i];
        bool found = false;
        for (size_t k = 0; k < c->now->nunique && !found; k++)
            found = same_fields(c, key->fields, key->n, c->now->unique[k].fields, c->now->unique[k].n);
        if (!found)
            return false;
    }
    return true;
}

static const char *unique_text(struct compare *c, const struct odp_layout *l)
{
    const char *text = "";
    for (size_t i = 0; i < l->nunique; i++)
        text = listed(c, text,
                      odp_arena_printf(c->a, "(%s)", names_of(c, l, l->unique[i].fields, l->unique[i].n)));
    return text;
}

static const char *geometry_types(struct compare *c, const struct odp_layout *l)
{
    const json_t *types = json_object_get(json_object_get(l->json, "odp:geometry"), "types");
    const char *text = "";
    for (size_t i = 0; i < json_array_size(types); i++) {
        const char *name = json_string_value(json_array_get(types, i));
        if (name != NULL)
            text = listed(c, text, name);
    }
    return text;
}

static void compare_geometry(struct compare *c)
{
    if (c->old->has_geometry && !c->now->has_geometry)
        add(c, ODP_SCHEMA_GEOMETRY_REMOVED, NULL, NULL, "", "");
    if (!c->old->has_geometry && c->now->has_geometry)
        add(c, ODP_SCHEMA_GEOMETRY_ADDED, NULL, NULL, "", "");
    if (!c->old->has_geometry || !c->now->has_geometry)
        return;
    const char *before = geometry_types(c, c->old), *after = geometry_types(c, c->now);
    if (strcmp(before, after) != 0)
        add(c, ODP_SCHEMA_GEOMETRY_TYPES, NULL, NULL, before, after);
}

static void compare_order(struct compare *c)
{
    int last = -1;
    for (uint32_t k = 0; k < c->now->n; k++) {
        int was = c->out->old_of[k];
        if (was >= 0 && was < last) {
            add(c, ODP_SCHEMA_ORDER, NULL, NULL, "", "");
            return;
        }
        last = was >= 0 ? was : last;
    }
}

static void compare_whole(struct compare *c)
{
    const struct odp_layout *old = c->old, *now = c->now;
    if (!same_fields(c, old->key, old->nkey, now->key, now->nkey))
        add(c, ODP_SCHEMA_KEY, NULL, NULL, names_of(c, old, old->key, old->nkey),
            names_of(c, now, now->key, now->nkey));
    if (!same_unique(c))
        add(c, ODP_SCHEMA_UNIQUE, NULL, NULL, unique_text(c, old), unique_text(c, now));
    compare_geometry(c);
    compare_order(c);
    c->out->comparable = now->nkey > 0;
    for (uint32_t k = 0; k < now->nkey; k++)
        c->out->comparable = c->out->comparable && c->out->old_of[now->key[k]] >= 0;
}

enum odp_status odp_schema_compare(struct odp_schema_changes *out, const struct odp_layout *old,
                                   const struct odp_layout *now, struct odp_arena *a)
{
    struct compare c = {.out = out, .old = old, .now = now, .a = a};
    *out = (struct odp_schema_changes){.level = ODP_LEVEL_NONE};
    pair_fields(&c);
    for (uint32_t k = 0; k < old->n; k++)
        if (out->new_of[k] < 0)
            add(&c, ODP_SCHEMA_FIELD_REMOVED, old->fields[k].name, NULL, "", "");
    for (uint32_t k = 0; k < now->n; k++) {
        int was = out->old_of[k];
        if (was >= 0 && strcmp(old->fields[was].name, now->fields[k].name) != 0)
            add(&c, ODP_SCHEMA_FIELD_RENAMED, old->fields[was].name, now->fields[k].name, "", "");
    }
    for (uint32_t k = 0; k < now->n; k++)
        if (out->old_of[k] >= 0)
            compare_field(&c, &old->fields[out->old_of[k]], &now->fields[k]);
    for (uint32_t k = 0; k < now->n; k++)
        if (out->old_of[k] < 0)
            add(&c, ODP_SCHEMA_FIELD_ADDED, NULL, now->fields[k].name, "", "");
    compare_whole(&c);
    return odp_arena_status(a);
}
