/* Names of fields in a descriptor: one, or the list of a key, as indices into the schema. */
#include <strings.h>

#include "catalog/catalog_internal.h"

#define LONGEST_KEY 64

void node_unknown(struct node n, struct odp_slice name, const char *const *names, size_t count)
{
    enum { SHOWN = 40 };
    struct odp_slice *among = doc_zero(n.doc, count, sizeof *among);
    for (size_t i = 0; i < count; i++)
        among[i] = odp_slice_of(names[i]);
    int near = odp_meant(name, among, count);
    node_fault_near(n, ODP_C07, name.ptr, doc_join(n.doc, names, count < SHOWN ? count : SHOWN),
                    near >= 0 ? names[near] : NULL);
}

void schema_unknown_field(struct node n, const struct odp_schema *s, struct odp_slice name)
{
    const uint32_t count = s->n < NODE_SEARCHED ? s->n : NODE_SEARCHED;
    const char **names = doc_zero(n.doc, count, sizeof *names);
    for (uint32_t i = 0; i < count; i++)
        names[i] = s->fields[i].name;
    node_unknown(n, name, names, count);
}

/* The field that N's string names, once. */
static bool add_field(struct node n, const struct odp_schema *s, struct odp_key *key)
{
    struct odp_slice name = odp_slice_of(json_string_value(n.json));
    int field = odp_schema_find(s, name);
    if (field < 0) {
        schema_unknown_field(n, s, name);
        return false;
    }
    for (uint32_t j = 0; j < key->n; j++)
        if (key->fields[j] == (uint32_t)field) {
            node_fault(n, ODP_C08, name.ptr, NULL);
            return false;
        }
    key->fields[key->n++] = (uint32_t)field;
    return true;
}

bool key_read(struct node n, const struct odp_schema *s, struct odp_key *key)
{
    struct odp_strings names = node_strings(n, true);
    key->where = node_where(n);
    key->n = 0;
    key->fields = doc_zero(n.doc, names.n, sizeof *key->fields);
    if (names.item == NULL)
        return false;
    if (names.n == 0) {
        if (json_array_size(n.json) == 0)
            list_of_size(n, "[…] ≥ 1");
        return false;
    }
    if (names.n > LONGEST_KEY) {
        list_of_size(n, "[…] ≤ 64");
        return false;
    }
    bool ok = json_is_string(n.json) ||
              names.n == json_array_size(n.json); /* else an item was no string: reported */
    if (json_is_string(n.json))
        return add_field(n, s, key);
    for (struct node_iter it = node_iterate(n); node_next(&it);)
        ok = (!json_is_string(it.item.json) || add_field(it.item, s, key)) && ok;
    return ok;
}

bool key_is_public(const struct odp_schema *s, const struct odp_key *key)
{
    for (uint32_t i = 0; i < key->n; i++)
        if (!s->fields[key->fields[i]].is_public)
            return false;
    return true;
}

const char *key_names(struct doc *d, const struct odp_schema *s, const struct odp_key *key)
{
    const char **names = doc_zero(d, key->n, sizeof *names);
    for (uint32_t i = 0; i < key->n; i++)
        names[i] = s->fields[key->fields[i]].name;
    return doc_join(d, names, key->n);
}

struct field_iter fields_iterate(struct node fields, const struct odp_schema *s)
{
    return (struct field_iter){node_iterate(fields), s, 0};
}

struct odp_field *field_next(struct field_iter *it)
{
    struct odp_field *f = NULL;
    while (f == NULL && it->next < it->schema->n && node_next(&it->at))
        if (it->at.item.json == it->schema->fields[it->next].json)
            f = &it->schema->fields[it->next++];
    it->at.item.doc->field = f != NULL ? f->name : NULL;
    return f;
}

bool type_is_word(enum odp_type t)
{
    return odp_type_repr(t) != ODP_REPR_JSON;
}

int public_field_read(struct node n, const struct odp_schema *s)
{
    const char *name = node_string(n);
    int field = name != NULL ? odp_schema_find(s, odp_slice_of(name)) : -1;
    if (name == NULL)
        return -1;
    if (field < 0)
        schema_unknown_field(n, s, odp_slice_of(name));
    else if (!s->fields[field].is_public) {
        node_fault(n, ODP_C16, n.key, "sdi:aksesPublik");
        return -1;
    }
    return field;
}

void field_misfit(struct node n, const struct odp_field *f, const char *types)
{
    if (f->type == ODP_TYPE_ANY && n.doc->bad)
        return; /* a wrong type, reported there */
    node_fault(n, ODP_C17, doc_printf(n.doc, "%s (%s)", f->name, odp_type_name(f->type)), types);
}

bool odp_name_has(const char *name, const char *words)
{
    for (size_t len; *words != '\0'; words += len + (words[len] == ' ')) {
        len = strcspn(words, " ");
        for (const char *p = name; *p != '\0';) {
            size_t n = strcspn(p, "_-. /()");
            if (n == len && strncasecmp(p, words, len) == 0)
                return true;
            p += n + (p[n] != '\0');
        }
    }
    return false;
}
