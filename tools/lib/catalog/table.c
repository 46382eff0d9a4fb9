/* Objects and lists of the catalogue, each read by its table. */
#include <strings.h>

#include "base/nearest.h"
#include "base/utf8.h"
#include "catalog/doc_internal.h"
#include "words/catalog.h"

/* Properties that check or withhold data. A misspelt or misplaced one would let faults pass: an error, never
 * only an unknown property. */
static const struct {
    const char *name, *place;
} checking[] = {{"required", "constraints.required"},
                {"unique", "constraints.unique"},
                {"minLength", "constraints.minLength"},
                {"maxLength", "constraints.maxLength"},
                {"minimum", "constraints.minimum"},
                {"maximum", "constraints.maximum"},
                {"exclusiveMinimum", "constraints.exclusiveMinimum"},
                {"exclusiveMaximum", "constraints.exclusiveMaximum"},
                {"pattern", "constraints.pattern"},
                {"enum", "constraints.enum"},
                {"jsonSchema", "constraints.jsonSchema"},
                {"constraints", "fields[].constraints"},
                {"categories", "fields[].categories"},
                {"type", "type"},
                {"format", "format"},
                {"itemType", "fields[].itemType"},
                {"decimalChar", "fields[].decimalChar"},
                {"groupChar", "fields[].groupChar"},
                {"trueValues", "fields[].trueValues"},
                {"falseValues", "fields[].falseValues"},
                {"missingValues", "schema.missingValues"},
                {"primaryKey", "schema.primaryKey"},
                {"uniqueKeys", "schema.uniqueKeys"},
                {"foreignKeys", "schema.foreignKeys"},
                {"fieldsMatch", "schema.fieldsMatch"},
                {"encoding", "resources[].encoding"},
                {"bytes", "resources[].bytes"},
                {"hash", "resources[].hash"},
                {"odp:foreignKeys", "resources[].odp:foreignKeys"},
                {"odp:rules", "resources[].odp:rules"},
                {"odp:geometry", "resources[].odp:geometry"},
                {"types", "odp:geometry.types"},
                {"bbox", "odp:geometry.bbox"},
                {"odp:document", "fields[].odp:document"},
                {"sdi:aksesPublik", "fields[].sdi:aksesPublik"},
                {"odp:status", "odp:status"}};

/* ---- keys that are not known ---- */

static bool is_ours(const char *key)
{
    return strncmp(key, "odp:", 4) == 0 || strncmp(key, "sdi:", 4) == 0;
}

/* The place of the checking property NAME, or NULL. */
static const char *place_of(const char *name)
{
    for (size_t i = 0; name != NULL && i < ODP_COUNT(checking); i++)
        if (strcmp(checking[i].name, name) == 0)
            return checking[i].place;
    return NULL;
}

static size_t find_key(const struct table *t, const char *name)
{
    size_t i = 0;
    while (i < t->n && strcmp(t->keys[i].name, name) != 0)
        i++;
    return i;
}

/* The one of T that KEY is meant for, or NULL. */
static const char *meant(struct doc *d, const char *key, const struct table *t)
{
    struct odp_slice *among = doc_zero(d, t->n, sizeof *among);
    for (size_t i = 0; i < t->n; i++) {
        if (strcasecmp(t->keys[i].name, key) == 0)
            return t->keys[i].name;
        among[i] = odp_slice_of(t->keys[i].name);
    }
    int i =
        odp_nearest(odp_slice_of(key), among, t->n, odp_nearest_limit(strlen(is_ours(key) ? key + 4 : key)));
    return i >= 0 ? t->keys[i].name : NULL;
}

/* MEMBER is not in T. */
static void unknown_key(struct node member, const struct table *t)
{
    const char *key = member.key, *place = NULL, *near = meant(member.doc, key, t);
    bool always = !t->open || is_ours(key);
    if (!always && strchr(key, ':') != NULL &&
        (near == NULL || strcasecmp(near, key) != 0)) /* another namespace */
        return;
    if (place_of(near) != NULL)
        place = near;
    else if (near == NULL)
        place = place_of(key);
    if (place != NULL && near == NULL && strncmp(place, "constraints.", 12) == 0 &&
        find_key(t, "constraints") < t->n)
        return; /* of a field: constraints_misplaced reports it */
    if (place != NULL)
        node_fault_key(member, ODP_C37, key, place);
    else if (always || near != NULL)
        node_fault_key(member, ODP_C12, key, near != NULL ? near : "—");
}

/* ---- texts ---- */

bool node_text(struct node n, struct odp_text *out)
{
    static const struct key keys[] = {{"id", KEY_STRING, .at = AT(odp_text, in[ODP_LANG_ID])},
                                      {"en", KEY_STRING, .at = AT(odp_text, in[ODP_LANG_EN])}};
    if (n.json == NULL)
        return false;
    if (json_is_string(n.json)) {
        out->in[ODP_LANG_ID] = out->in[ODP_LANG_EN] = json_string_value(n.json);
        return true;
    }
    if (!json_is_object(n.json)) {
        node_fault(n, ODP_C04, NULL, "string, {\"id\", \"en\"}");
        return false;
    }
    (void)object_read(n, &TABLE(keys), out);
    if (node_get(n, "id").json != NULL || node_get(n, "en").json != NULL)
        return out->in[ODP_LANG_ID] != NULL || out->in[ODP_LANG_EN] != NULL;
    node_fault(n, ODP_C03, "id", "string");
    return false;
}

/* Text that is drawn: control characters have no picture, and XML cannot hold most of them. */
void node_line(struct node n, size_t most, struct odp_text *out)
{
    if (!node_text(n, out))
        return;
    for (int lang = 0; lang < ODP_LANGS; lang++)
        if (out->in[lang] != NULL && !odp_utf8_is_line(odp_slice_of(out->in[lang]), most)) {
            node_fault(n, ODP_C18, NULL, doc_printf(n.doc, "%zu", most));
            return;
        }
}

/* ---- values ---- */

static void read_choice(struct node n, const struct key *k, void *at)
{
    int choice = node_choice(n, k->choices);
    if (choice >= 0)
        memcpy(at, &choice, sizeof choice); /* enums are ints */
}

static void read_text(struct node n, const struct key *k, void *at)
{
    struct odp_text text = {{0}};
    if (k->kind == KEY_LINE)
        node_line(n, (size_t)k->most, &text);
    else
        (void)node_text(n, &text);
    if (text.in[ODP_LANG_ID] != NULL || text.in[ODP_LANG_EN] != NULL)
        memcpy(at, &text, sizeof text);
}

/* A pointer that stays as it is where there is nothing to point to. */
static void set_pointer(void *at, const char *s)
{
    if (s != NULL)
        memcpy(at, &s, sizeof s);
}

static void read_list(struct node n, const struct key *k, void *into)
{
    void *items = list_read(n, k->list, (size_t *)(void *)((char *)into + k->list->count));
    memcpy((char *)into + k->at, &items, sizeof items);
}

static void read_int(struct node n, const struct key *k, void *at)
{
    if (k->or_null && json_is_null(n.json))
        *(int64_t *)at = -1;
    else
        (void)node_int(n, k->least, k->most, at);
}

static void read_char(struct node n, const struct key *k, char *at)
{
    char c = node_char(n, k->most == 0);
    if (c != '\0' || k->most == 0)
        *at = c;
}

static void read_value(struct node n, const struct key *k, void *into)
{
    union {
        char bytes[sizeof(struct odp_text)];
        const char *pointer;
        int64_t number;
    } ignored;
    void *at = into == NULL || k->at == NOWHERE ? (void *)&ignored : (char *)into + k->at;
    switch (k->kind) {
    case KEY_KNOWN:
        return;
    case KEY_STRING:
        set_pointer(at, node_string(n));
        return;
    case KEY_NAME: {
        const char *name = node_string(n);
        set_pointer(at, name != NULL && name_check(n, name, k->most > 0) ? name : NULL);
        return;
    }
    case KEY_BOOL:
        *(bool *)at = node_bool(n, *(bool *)at);
        return;
    case KEY_INT:
        read_int(n, k, at);
        return;
    case KEY_CHAR:
        read_char(n, k, at);
        return;
    case KEY_CHOICE:
        read_choice(n, k, at);
        return;
    case KEY_DATE:
    case KEY_STAMP:
        set_pointer(at, node_date(n, k->kind == KEY_STAMP));
        return;
    case KEY_TEXT:
    case KEY_LINE:
        read_text(n, k, at);
        return;
    case KEY_LIST:
        read_list(n, k, into);
        return;
    case KEY_READ:
        (void)k->read(n, into);
        return;
    }
}

/* ---- objects, lists ---- */

bool object_read(struct node n, const struct table *t, void *into)
{
    if (!node_is_object(n))
        return false;
    struct node *members = doc_zero(n.doc, t->n + 1, sizeof *members);
    for (struct node_iter it = node_iterate(n); node_next(&it);) {
        size_t k = find_key(t, it.item.key);
        if (k < t->n)
            members[k] = it.item;
        else
            unknown_key(it.item, t);
    }
    for (size_t k = 0; k < t->n; k++)
        if (members[k].json != NULL)
            read_value(members[k], &t->keys[k], into);
        else if (t->keys[k].need != NULL)
            node_fault(n, ODP_C03, t->keys[k].name, t->keys[k].need);
    return true;
}

void list_of_size(struct node n, const char *form)
{
    node_say(n, ODP_C04, form,
             json_array_size(n.json) == 0 ? doc_text(n.doc, W_catalog_empty, n.key)
                                          : doc_text(n.doc, W_catalog_too_many, n.key));
}

bool list_fits(struct node n, size_t least, size_t most)
{
    size_t size = json_array_size(n.json);
    if (!node_is_array(n))
        return false;
    if (size >= least && (size <= most || most == 0))
        return true;
    if (least > 0 && most > 0)
        list_of_size(n, doc_printf(n.doc, "[%zu … %zu]", least, most));
    else
        list_of_size(n, doc_printf(n.doc, least > 0 ? "[…] ≥ %zu" : "[…] ≤ %zu", least > 0 ? least : most));
    return false;
}

/* Whether ITEM's name, which comes first in it, is that of an earlier one: reported. */
static bool is_twice(struct node n, const struct list *l, const char *items, size_t count)
{
    const char *name, *other;
    memcpy(&name, items + count * l->size, sizeof name);
    for (size_t i = 0; l->unique != NULL && i < count; i++) {
        memcpy(&other, items + i * l->size, sizeof other);
        if (strcmp(name, other) == 0) {
            node_fault(*l->unique != '\0' ? node_get(n, l->unique) : n, ODP_C08, name, NULL);
            return true;
        }
    }
    return false;
}

void *list_read(struct node n, const struct list *l, size_t *count)
{
    *count = 0;
    if (!list_fits(n, l->least, l->most))
        return NULL;
    char *items = doc_zero(n.doc, json_array_size(n.json), l->size);
    for (struct node_iter it = node_iterate(n); node_next(&it);) {
        char *item = items + *count * l->size;
        if (l->start != NULL)
            memcpy(item, l->start, l->size);
        else
            memset(item, 0, l->size);
        *count += l->read(it.item, item) && !is_twice(it.item, l, items, *count);
    }
    return items;
}
