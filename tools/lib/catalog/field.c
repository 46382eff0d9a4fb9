/* One field of a schema: type, format, the forms of its values, what it means. */
#include "catalog/catalog_internal.h"

/* False: the type is wrong, which was reported, and what goes with it is not known. */
static bool read_type(struct node n, struct odp_field *f)
{
    const char *names[ODP_TYPE_COUNT + 1] = {0};
    for (int t = 0; t < ODP_TYPE_COUNT; t++)
        names[t] = odp_type_name((enum odp_type)t);
    struct node said = node_get(n, "type");
    int type = node_choice(said, names);
    f->type = type >= 0 ? (enum odp_type)type : ODP_TYPE_ANY;
    return type >= 0 || said.json == NULL;
}

static void read_pattern(struct node format, struct odp_field *f)
{
    const char *pattern = node_string(format);
    if (pattern != NULL && !odp_date_pattern_ok(pattern, odp_field_type(f->type)->date))
        node_fault(format, ODP_C05, NULL, "default, any, %d %m %Y %H %M %S …");
    else if (pattern != NULL && strcmp(pattern, "default") != 0)
        f->date_pattern = pattern;
}

static void read_format(struct node n, struct odp_field *f)
{
    static const char *const none[] = {"default", NULL};
    static const char *const string[] = {"default", "email", "uri", "binary", "uuid", NULL};
    static const char *const point[] = {"default", "array", "object", NULL};
    static const char *const json[] = {"default", "topojson", NULL};
    static const char *const *const choices[ODP_FAMILIES] = {
        [ODP_FAMILY_TEXT] = string, [ODP_FAMILY_POINT] = point, [ODP_FAMILY_GEOJSON] = json};
    enum odp_family family = odp_type_family(f->type);
    struct node format = node_get(n, "format");
    if (odp_field_type(f->type)->patterned) {
        read_pattern(format, f);
        return;
    }
    int choice = node_choice(format, choices[family] != NULL ? choices[family] : none);
    if (family == ODP_FAMILY_TEXT && choice > 0)
        f->string_format = (enum odp_string_format)choice;
    else if (family == ODP_FAMILY_POINT && choice > 0)
        f->geopoint_format = (enum odp_geopoint_format)choice;
    else if (family == ODP_FAMILY_GEOJSON)
        f->topojson = choice == 1;
}

/* KEY of N; at a field of a type that it does not apply to: C11, and absent. */
static struct node only_for(struct node n, const char *key, bool applies, const char *types)
{
    struct node p = node_get(n, key);
    if (!applies && node_misplaced(p, types))
        p.json = NULL;
    return p;
}

static void read_number(struct node n, struct odp_field *f)
{
    bool number = odp_type_is_decimal(f->type), integer = odp_type_is_whole(f->type);
    f->decimal = (struct odp_decimal_form){.decimal = '.', .bare = true, .integer = integer};
    struct node decimal = only_for(n, "decimalChar", number, "number");
    struct node group = only_for(n, "groupChar", number || integer, "number, integer");
    char c = node_char(decimal, false);
    if (c != '\0')
        f->decimal.decimal = c;
    if (json_is_string(group.json) && (strcmp(json_string_value(group.json), "\u00a0") == 0 ||
                                       strcmp(json_string_value(group.json), "\u202f") == 0))
        f->decimal.group = ' '; /* stands for all three spaces */
    else
        f->decimal.group = node_char(group, true);
    f->decimal.bare = node_bool(only_for(n, "bareNumber", number || integer, "number, integer"), true);
    const struct {
        const struct node *at;
        char c;
    } marks[] = {{&decimal, f->decimal.decimal}, {&group, f->decimal.group}};
    for (size_t i = 0; i < 2; i++)
        if (marks[i].c != '\0' && strchr("0123456789+-eE", marks[i].c) != NULL)
            node_fault(*marks[i].at, ODP_C05, NULL, ". , ' _");
    if (number && f->decimal.group == f->decimal.decimal)
        node_fault(group.json != NULL ? group : decimal, ODP_C16, "groupChar", "decimalChar");
}

static struct odp_strings literal_list(struct doc *d, const char *const *words, size_t n)
{
    struct odp_strings out = {.item = doc_zero(d, n, sizeof *out.item)};
    for (size_t i = 0; i < n; i++)
        out.item[out.n++] = odp_slice_of(words[i]);
    return out;
}

static void read_boolean(struct node n, struct odp_field *f)
{
    static const char *const yes[] = {"true", "True", "TRUE", "1"}, *const no[] = {"false", "False", "FALSE",
                                                                                   "0"};
    bool boolean = f->type == ODP_TYPE_BOOLEAN;
    struct node t = only_for(n, "trueValues", boolean, "boolean"),
                u = only_for(n, "falseValues", boolean, "boolean");
    if (!boolean)
        return;
    f->true_values = t.json != NULL ? node_strings(t, false) : literal_list(n.doc, yes, 4);
    f->false_values = u.json != NULL ? node_strings(u, false) : literal_list(n.doc, no, 4);
    for (size_t i = 0; i < f->true_values.n; i++)
        for (size_t j = 0; j < f->false_values.n && j < 1000; j++)
            if (odp_slice_eq(f->true_values.item[i], f->false_values.item[j])) {
                node_fault(u.json != NULL ? u : t, ODP_C16, "trueValues", "falseValues");
                return;
            }
}

static void read_list(struct node n, struct odp_field *f)
{
    const char *items[ODP_TYPE_COUNT + 1] = {NULL};
    size_t n_items = 0;
    for (int t = 0; t < ODP_TYPE_COUNT; t++)
        if (odp_field_type((enum odp_type)t)->item)
            items[n_items++] = odp_type_name((enum odp_type)t);
    bool list = f->type == ODP_TYPE_LIST;
    char c = node_char(only_for(n, "delimiter", list, "list"), false);
    int item = node_choice(only_for(n, "itemType", list, "list"), items);
    f->list_delimiter = c != '\0' ? c : ',';
    f->list_item = item >= 0 ? odp_type_of(odp_slice_of(items[item])) : ODP_TYPE_STRING;
}

static void read_privacy(struct node n, struct odp_field *f)
{
    static const char *const kinds[] = {"none",  "nik",   "npwp",
                                        "phone", "email", NULL}; /* by enum odp_privacy_kind */
    _Static_assert(ODP_COUNT(kinds) == ODP_PRIVACY_KINDS + 1, "every kind has its name");
    struct node privacy = node_get(n, "odp:privacy");
    if (!node_is_array(privacy))
        return;
    for (struct node_iter it = node_iterate(privacy); node_next(&it);) {
        int kind = node_choice(it.item, kinds);
        if (kind > 0)
            f->privacy_allowed[kind] = true;
    }
}

struct odp_strings missing_values_read(struct node n)
{
    static const struct key keys[] = {{"value", .need = "string"},
                                      {"label", KEY_TEXT, .at = NOWHERE},
                                      {"odp:label", KEY_TEXT, .at = NOWHERE}};
    struct odp_strings out = {0};
    if (!node_is_array(n))
        return out;
    out.item = doc_zero(n.doc, json_array_size(n.json), sizeof *out.item);
    for (struct node_iter it = node_iterate(n); node_next(&it);) {
        struct node value = it.item;
        if (json_is_object(value.json) && object_read(value, &TABLE(keys), NULL))
            value = node_get(value, "value");
        const char *s = node_string(value);
        if (s != NULL)
            out.item[out.n++] = odp_slice_of(s);
    }
    return out;
}

static void read_zone(struct node n, struct odp_field *f)
{
    struct node zone = only_for(n, "odp:timeZone", f->type == ODP_TYPE_DATETIME, "datetime");
    const char *s = node_string(zone);
    int16_t minutes;
    if (s != NULL && !odp_zone_offset(s, &minutes))
        node_fault(zone, ODP_C05, NULL,
                   "Asia/Jakarta, Asia/Pontianak, Asia/Makassar, Asia/Jayapura, WIB, WITA, WIT, UTC, +07:00");
    else
        f->time_zone = s;
}

/* ---- the whole ---- */

static bool source_name_read(struct node n, void *into)
{
    struct odp_field *f = into;
    const char *name = node_string(n);
    f->unlabelled = name != NULL && *name == '\0';
    if (name != NULL && !f->unlabelled)
        f->source_name = name;
    return name != NULL;
}

/* Texts that are only published: their form is checked. */
static const struct key keys[] = {
    KNOWN("name"),
    KNOWN("type"),
    KNOWN("format"),
    KNOWN("example"),
    KNOWN("constraints"),
    KNOWN("categories"),
    KNOWN("missingValues"),
    KNOWN("decimalChar"),
    KNOWN("groupChar"),
    KNOWN("bareNumber"),
    KNOWN("trueValues"),
    KNOWN("falseValues"),
    KNOWN("delimiter"),
    KNOWN("itemType"),
    KNOWN("odp:timeZone"),
    KNOWN("odp:privacy"),
    KNOWN("odp:document"),
    KNOWN("odp:deprecated"),
    KNOWN("odp:sunset"),
    KNOWN("odp:replacedBy"),
    KNOWN("odp:formerNames"),
    KNOWN("odp:drift"),
    KNOWN("odp:labels"),
    {"odp:aggregate", KEY_CHOICE, .at = AT(odp_field, aggregate), .choices = odp_aggregate_names},
    {"title", KEY_TEXT, .at = AT(odp_field, title)},
    {"odp:title", KEY_TEXT, .at = AT(odp_field, title)},
    {"description", KEY_TEXT, .at = AT(odp_field, description)},
    {"odp:description", KEY_TEXT, .at = AT(odp_field, description)},
    {"categoriesOrdered", KEY_BOOL, .at = AT(odp_field, categories_ordered)},
    {"rdfType", KEY_STRING, .at = NOWHERE},
    {"odp:sourceName", KEY_READ, .read = source_name_read},
    {"odp:trim", KEY_BOOL, .at = AT(odp_field, trim)},
    {"odp:note", KEY_TEXT, .at = NOWHERE},
    {"sdi:satuan", KEY_TEXT, .at = AT(odp_field, unit)},
    {"sdi:aksesPublik", KEY_BOOL, .at = AT(odp_field, is_public)},
    {"sdi:konsep", KEY_TEXT, .at = NOWHERE},
    {"sdi:definisi", KEY_TEXT, .at = NOWHERE},
    {"sdi:ukuran", KEY_TEXT, .at = NOWHERE},
    {"sdi:klasifikasi", KEY_TEXT, .at = NOWHERE},
    {"sdi:kodeSDSN", KEY_TEXT, .at = NOWHERE},
    {"sdi:alias", KEY_TEXT, .at = NOWHERE},
    {"sdi:referensiWaktu", KEY_TEXT, .at = NOWHERE},
    {"sdi:referensiPemilihan", KEY_TEXT, .at = NOWHERE},
    {"sdi:kalimatPertanyaan", KEY_TEXT, .at = NOWHERE},
};

void field_read(struct node n, const struct odp_strings *missing, struct odp_field *f)
{
    f->where = node_where(n);
    f->json = n.json;
    f->source_name = f->name;
    f->is_public = true;
    f->aggregate = ODP_AGGREGATE_UNSAID;
    (void)object_read(n, &OPEN_TABLE(keys), f);
    if (!read_type(n, f))
        return;
    read_format(n, f);
    read_number(n, f);
    read_boolean(n, f);
    read_list(n, f);
    read_zone(n, f);
    read_privacy(n, f);
    struct node own = node_get(n, "missingValues");
    f->missing = own.json != NULL ? missing_values_read(own) : *missing;
    constraints_misplaced(n);
    constraints_read(node_get(n, "constraints"), f);
    categories_read(node_get(n, "categories"), f);
    field_lifecycle_read(n, f);
}
