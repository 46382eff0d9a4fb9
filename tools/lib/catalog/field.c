/* One field of a schema: type, format, the forms of its values, what it means. */
#include "catalog/catalog_internal.h"

static const char *const properties[] = {"name",
                                         "type",
                                         "format",
                                         "title",
                                         "description",
                                         "example",
                                         "constraints",
                                         "categories",
                                         "categoriesOrdered",
                                         "missingValues",
                                         "rdfType",
                                         "decimalChar",
                                         "groupChar",
                                         "bareNumber",
                                         "trueValues",
                                         "falseValues",
                                         "delimiter",
                                         "itemType",
                                         "odp:title",
                                         "odp:description",
                                         "odp:sourceName",
                                         "odp:timeZone",
                                         "odp:trim",
                                         "odp:privacy",
                                         "odp:document",
                                         "odp:note",
                                         "odp:deprecated",
                                         "odp:sunset",
                                         "odp:replacedBy",
                                         "odp:formerNames",
                                         "odp:drift",
                                         "sdi:konsep",
                                         "sdi:definisi",
                                         "sdi:satuan",
                                         "sdi:ukuran",
                                         "sdi:klasifikasi",
                                         "sdi:kodeSDSN",
                                         "sdi:alias",
                                         "sdi:referensiWaktu",
                                         "sdi:referensiPemilihan",
                                         "sdi:kalimatPertanyaan",
                                         "sdi:aksesPublik",
                                         NULL};

/* Texts that are only published: their form is checked. */
static const char *const texts[] = {"odp:note",
                                    "sdi:konsep",
                                    "sdi:definisi",
                                    "sdi:ukuran",
                                    "sdi:klasifikasi",
                                    "sdi:kodeSDSN",
                                    "sdi:alias",
                                    "sdi:referensiWaktu",
                                    "sdi:referensiPemilihan",
                                    "sdi:kalimatPertanyaan",
                                    NULL};

static void read_type(struct node n, struct odp_field *f)
{
    const char *names[ODP_TYPE_COUNT + 1] = {0};
    for (int t = 0; t < ODP_TYPE_COUNT; t++)
        names[t] = odp_type_name((enum odp_type)t);
    int type = node_choice(node_get(n, "type"), names);
    f->type = type >= 0 ? (enum odp_type)type : ODP_TYPE_ANY;
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

/* C11 where the property KEY stands at a field of a type it says nothing about. */
static struct node only_for(struct node n, const char *key, bool applies, const char *types)
{
    struct node p = node_get(n, key);
    if (p.json != NULL && !applies) {
        node_fault_key(p, ODP_C11, key, types);
        p.json = NULL;
    }
    return p;
}

static void read_number(struct node n, struct odp_field *f)
{
    bool number = f->type == ODP_TYPE_NUMBER, integer = f->type == ODP_TYPE_INTEGER;
    f->decimal = (struct odp_decimal_form){.decimal = '.', .bare = true, .integer = integer};
    struct node decimal = only_for(n, "decimalChar", number, "number");
    struct node group = only_for(n, "groupChar", number || integer, "number, integer");
    char c = node_char(decimal, false);
    if (c != '\0')
        f->decimal.decimal = c;
    if (json_is_string(group.json) &&
        (strcmp(json_string_value(group.json), "\u00a0") == 0 || strcmp(json_string_value(group.json), "\u202f") == 0))
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
    for (size_t i = 0; out.item != NULL && i < n; i++)
        out.item[out.n++] = odp_slice_of(words[i]);
    return out;
}

static void read_boolean(struct node n, struct odp_field *f)
{
    static const char *const yes[] = {"true", "True", "TRUE", "1"}, *const no[] = {"false", "False", "FALSE", "0"};
    bool boolean = f->type == ODP_TYPE_BOOLEAN;
    struct node t = only_for(n, "trueValues", boolean, "boolean"), u = only_for(n, "falseValues", boolean, "boolean");
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
    static const char *const kinds[] = {"none", "nik", "npwp", "phone", "email", NULL}; /* by enum odp_privacy_kind */
    _Static_assert(sizeof kinds / sizeof *kinds == ODP_PRIVACY_KINDS + 1, "every kind has its name");
    f->is_public = node_bool(node_get(n, "sdi:aksesPublik"), true);
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
    static const char *const known[] = {"value", "label", "odp:label", NULL};
    struct odp_strings out = {0};
    if (!node_is_array(n))
        return out;
    out.item = doc_zero(n.doc, json_array_size(n.json), sizeof *out.item);
    if (out.item == NULL)
        return out;
    for (struct node_iter it = node_iterate(n); node_next(&it);) {
        struct node value = it.item;
        if (json_is_object(value.json)) {
            struct odp_text label = {{0}};
            node_known(value, known, true);
            node_bilingual(value, "label", "odp:label", &label);
            value = node_need(value, "value", "string");
        }
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

void field_read(struct node n, const struct odp_strings *missing, struct odp_field *f)
{
    f->where = node_where(n);
    f->json = n.json;
    f->source_name = f->name;
    node_known(n, properties, false);
    read_type(n, f);
    read_format(n, f);
    node_bilingual(n, "title", "odp:title", &f->title);
    node_bilingual(n, "description", "odp:description", &f->description);
    node_text(node_get(n, "sdi:satuan"), &f->unit);
    struct odp_text ignored;
    for (size_t i = 0; texts[i] != NULL; i++)
        node_text(node_get(n, texts[i]), &ignored);
    const char *name = node_string(node_get(n, "odp:sourceName"));
    f->unlabelled = name != NULL && *name == '\0';
    if (name != NULL && !f->unlabelled)
        f->source_name = name;
    read_number(n, f);
    read_boolean(n, f);
    read_list(n, f);
    read_zone(n, f);
    f->trim = node_bool(node_get(n, "odp:trim"), false);
    read_privacy(n, f);
    struct node own = node_get(n, "missingValues");
    f->missing = own.json != NULL ? missing_values_read(own) : *missing;
    constraints_misplaced(n);
    constraints_read(node_get(n, "constraints"), f);
    categories_read(node_get(n, "categories"), f);
    f->categories_ordered = node_bool(node_get(n, "categoriesOrdered"), false);
    node_string(node_get(n, "rdfType"));
    field_lifecycle_read(n, f);
}
