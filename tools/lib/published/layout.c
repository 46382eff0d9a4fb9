/* Reads what tools/odp-build/site/versions/schema.c writes. Unknown members are ignored: a newer compiler
 * may have added them. */
#include "published/layout.h"

#include <stdlib.h>

#include "base/json_load.h"

struct reading_schema {
    struct odp_layout *layout;
    struct odp_arena *arena;
    const char **why;
};

/* Always BAD. */
static enum odp_status reject(const struct reading_schema *s, const char *what, const char *name)
{
    *s->why = odp_arena_printf(s->arena, "schema: %s%s%s", what, name[0] != '\0' ? ": " : "", name);
    return ODP_BAD;
}

/* "x" is both languages; {"id", "en"} each its own. As the catalogue reads such a member, because the
 * logical digest has units as they were written. */
static struct odp_text read_text(const json_t *value)
{
    if (json_is_string(value))
        return (struct odp_text){{json_string_value(value), json_string_value(value)}};
    return (struct odp_text){{odp_json_text(value, "id"), odp_json_text(value, "en")}};
}

/* The first of two members that exists. */
static const json_t *either(const json_t *object, const char *first, const char *second)
{
    const json_t *value = json_object_get(object, first);
    return value != NULL ? value : json_object_get(object, second);
}

static bool find_type(const json_t *field, enum odp_type *type)
{
    const char *name = odp_json_text(field, "type");
    const char *own = odp_json_text(field, "odp:type");
    if (name == NULL)
        return false;
    if (own != NULL && strcmp(own, "list") == 0 && strcmp(name, "array") == 0)
        name = own; /* a list is an array to everybody else */
    *type = odp_type_of(odp_slice_of(name));
    return *type != ODP_TYPE_COUNT;
}

static enum odp_status read_former(const struct reading_schema *s, struct odp_layout_field *f)
{
    const json_t *list = json_object_get(f->json, "odp:formerNames");
    size_t n = json_array_size(list);
    const char **names = odp_arena_array(s->arena, n, sizeof *names);
    for (size_t i = 0; i < n; i++) {
        names[i] = json_string_value(json_array_get(list, i));
        if (names[i] == NULL)
            return reject(s, "odp:formerNames has what is no name", f->name);
    }
    f->former = names;
    f->nformer = n;
    return ODP_OK;
}

static enum odp_status read_field(const struct reading_schema *s, const json_t *json,
                                  struct odp_layout_field *f)
{
    f->json = json;
    f->name = odp_json_text(json, "name");
    if (f->name == NULL)
        return reject(s, "a field has no name", "");
    if (!find_type(json, &f->type))
        return reject(s, "the type of a field is not known", f->name);
    f->title = read_text(either(json, "odp:title", "title"));
    f->unit = read_text(either(json, "sdi:satuan", "odp:unit"));
    return read_former(s, f);
}

static enum odp_status check_names(const struct reading_schema *s)
{
    const struct odp_layout *l = s->layout;
    const char **names = odp_arena_array(s->arena, (size_t)l->n + 1, sizeof *names);
    for (uint32_t k = 0; k < l->n; k++)
        names[k] = l->fields[k].name;
    qsort(names, l->n, sizeof *names, odp_by_string);
    for (uint32_t k = 1; k < l->n; k++)
        if (strcmp(names[k - 1], names[k]) == 0)
            return reject(s, "two fields have one name", names[k]);
    return ODP_OK;
}

static enum odp_status read_fields(const struct reading_schema *s)
{
    struct odp_layout *l = s->layout;
    const json_t *list = json_object_get(l->json, "fields");
    size_t n = json_array_size(list);
    if (!json_is_array(list))
        return reject(s, "there is no list of fields", "");
    if (n > UINT32_MAX / 64)
        return reject(s, "there are too many fields", "");
    l->n = (uint32_t)n;
    l->fields = odp_arena_zero(s->arena, n + 1, sizeof *l->fields);
    for (size_t k = 0; k < n; k++) {
        enum odp_status status = read_field(s, json_array_get(list, k), &l->fields[k]);
        if (status != ODP_OK)
            return status;
    }
    return check_names(s);
}

/* A key is a name or a list of names. */
static enum odp_status read_key(const struct reading_schema *s, const json_t *json, uint32_t **fields,
                                uint32_t *count)
{
    size_t n = json_is_string(json) ? 1 : json_array_size(json);
    *count = 0;
    *fields = odp_arena_zero(s->arena, n + 1, sizeof **fields);
    if (n > s->layout->n)
        return reject(s, "a key has more fields than the table", "");
    for (size_t i = 0; i < n; i++) {
        const char *name = json_string_value(json_is_string(json) ? json : json_array_get(json, i));
        int k = name != NULL ? odp_layout_find(s->layout, name) : -1;
        if (k < 0)
            return reject(s, "a key has a field that the table has not", name != NULL ? name : "");
        (*fields)[(*count)++] = (uint32_t)k;
    }
    return ODP_OK;
}

static enum odp_status read_keys(const struct reading_schema *s)
{
    struct odp_layout *l = s->layout;
    const json_t *list = json_object_get(l->json, "uniqueKeys");
    size_t n = json_array_size(list);
    enum odp_status status = read_key(s, json_object_get(l->json, "primaryKey"), &l->key, &l->nkey);
    l->unique = odp_arena_zero(s->arena, n + 1, sizeof *l->unique);
    for (size_t i = 0; i < n && status == ODP_OK; i++) {
        struct odp_key *key = &l->unique[l->nunique++];
        status = read_key(s, json_array_get(list, i), &key->fields, &key->n);
    }
    return status;
}

enum odp_status odp_layout_read(struct odp_layout **out, const json_t *json, struct odp_arena *a,
                                const char **why)
{
    struct odp_layout *l = odp_arena_zero(a, 1, sizeof *l);
    const struct reading_schema s = {l, a, why};
    *out = NULL;
    *why = "";
    l->json = json;
    const json_t *geometry = json_object_get(json, "odp:geometry");
    l->has_geometry = json_is_object(geometry) || json_is_true(geometry);
    enum odp_status status = json_is_object(json) ? read_fields(&s) : reject(&s, "it is no JSON object", "");
    if (status == ODP_OK)
        status = read_keys(&s);
    if (status == ODP_OK)
        *out = l;
    return status;
}

int odp_layout_find(const struct odp_layout *l, const char *name)
{
    for (uint32_t k = 0; k < l->n; k++)
        if (strcmp(l->fields[k].name, name) == 0)
            return (int)k;
    return -1;
}

char *odp_labels_path(const char *list, const char *edition, struct odp_arena *a)
{
    const char *slash = strrchr(list, '/');
    return odp_arena_printf(a, "data/%s/labels-%s.json", slash != NULL ? slash + 1 : list, edition);
}

bool odp_layout_is_label(const struct odp_layout_field *f, struct odp_slice name)
{
    size_t n = strlen(f->name);
    bool is = false;
    for (int lang = 0; lang < ODP_LANGS && name.len > n && memcmp(name.ptr, f->name, n) == 0; lang++)
        is = is || odp_slice_is((struct odp_slice){name.ptr + n, name.len - n}, odp_label_suffix[lang]);
    return is;
}
