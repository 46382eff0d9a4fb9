/* Values of a descriptor (bounds, enum, categories) as canonical text of their field's type. A JSON number
 * keeps its literal; a string is read as a cell of the field (Table Schema v2). */
#include "base/json.h"
#include "catalog/catalog_internal.h"

static bool refuse(struct node n, const struct odp_field *f, const char *format)
{
    const char *type = odp_type_name(f->type);
    node_fault(n, ODP_C04, NULL, format != NULL ? doc_printf(n.doc, "%s (%s)", type, format) : type);
    return false;
}

static bool canonical_number(struct node n, const struct odp_field *f, struct odp_slice *out)
{
    char text[ODP_DECIMAL_SIZE];
    size_t len;
    bool unchanged, zero;
    struct odp_decimal_form plain = {.decimal = '.', .bare = true, .integer = odp_type_is_whole(f->type)};
    struct odp_slice s = json_is_number(n.json) ? node_literal(n) : odp_slice_of(json_string_value(n.json));
    if (!json_is_number(n.json) && !json_is_string(n.json))
        return refuse(n, f, NULL);
    if (odp_decimal_parse(s, json_is_number(n.json) ? &plain : &f->decimal, text, &len, &unchanged, &zero) !=
        ODP_DECIMAL_OK) {
        const char example[] = {'1', json_is_number(n.json) ? '.' : f->decimal.decimal, '5', '\0'};
        return refuse(n, f, odp_type_is_decimal(f->type) ? example : NULL);
    }
    *out = doc_copy(n.doc, (struct odp_slice){text, len});
    return true;
}

static bool canonical_boolean(struct node n, const struct odp_field *f, struct odp_slice *out)
{
    int truth = json_is_boolean(n.json) ? json_is_true(n.json) : -1;
    if (json_is_string(n.json)) {
        struct odp_slice s = odp_slice_of(json_string_value(n.json));
        for (size_t i = 0; i < f->true_values.n; i++)
            truth = odp_slice_eq(s, f->true_values.item[i]) ? 1 : truth;
        for (size_t i = 0; i < f->false_values.n; i++)
            truth = odp_slice_eq(s, f->false_values.item[i]) ? 0 : truth;
    }
    if (truth < 0)
        return refuse(n, f, NULL);
    *out = truth != 0 ? ODP_LIT("true") : ODP_LIT("false");
    return true;
}

/* In the field's own pattern, or in ISO form, which no pattern of practice is confused with. */
static bool canonical_date(struct node n, const struct odp_field *f, struct odp_slice *out)
{
    struct odp_slice s = {0};
    if (json_is_string(n.json))
        s = odp_slice_of(json_string_value(n.json));
    else if (f->type == ODP_TYPE_YEAR && json_is_integer(n.json))
        s = node_literal(n);
    struct odp_datetime date;
    char text[ODP_DATETIME_SIZE];
    enum odp_date_kind kind = odp_field_type(f->type)->date;
    bool ok =
        s.ptr != NULL && (odp_date_parse(s, kind, f->date_pattern, f->time_zone, &date) == ODP_DATE_OK ||
                          odp_date_parse(s, kind, NULL, f->time_zone, &date) == ODP_DATE_OK);
    if (!ok)
        return refuse(n, f, f->date_pattern);
    *out = doc_copy(n.doc, (struct odp_slice){text, odp_date_format(&date, kind, text)});
    return true;
}

/* JSON without white space between its tokens. */
static struct odp_slice compact(struct doc *d, struct odp_slice s)
{
    char *out = doc_zero(d, s.len, 1);
    size_t n = 0;
    bool text = false;
    for (size_t i = 0; i < s.len; i++) {
        char c = s.ptr[i];
        if (!text && (c == ' ' || c == '\t' || c == '\n' || c == '\r'))
            continue;
        out[n++] = c;
        if (c == '"')
            text = !text;
        else if (c == '\\' && text && i + 1 < s.len)
            out[n++] = s.ptr[++i];
    }
    return (struct odp_slice){out, n};
}

static bool canonical_json(struct node n, const struct odp_field *f, struct odp_slice *out)
{
    struct odp_slice s = json_is_string(n.json) ? odp_slice_of(json_string_value(n.json)) : node_literal(n);
    bool array = f->type == ODP_TYPE_ARRAY || f->type == ODP_TYPE_LIST || f->type == ODP_TYPE_GEOPOINT;
    char first = '\0';
    if (!odp_json_valid(s, &first) || first != (array ? '[' : '{'))
        return refuse(n, f, array ? "[…]" : "{…}");
    *out = compact(n.doc, s);
    return true;
}

static bool canonical_text(struct node n, const struct odp_field *f, struct odp_slice *out)
{
    if (!json_is_string(n.json))
        return refuse(n, f, NULL);
    *out = odp_slice_of(json_string_value(n.json));
    return true;
}

static bool canonical_duration(struct node n, const struct odp_field *f, struct odp_slice *out)
{
    return canonical_text(n, f, out) && (odp_duration_ok(*out) || refuse(n, f, NULL));
}

bool value_canonical(struct node n, const struct odp_field *f, struct odp_slice *out)
{
    static bool (*const forms[ODP_FAMILIES])(struct node n, const struct odp_field *f,
                                             struct odp_slice *out) = {
        [ODP_FAMILY_TEXT] = canonical_text,         [ODP_FAMILY_NUMBER] = canonical_number,
        [ODP_FAMILY_TRUTH] = canonical_boolean,     [ODP_FAMILY_DATE] = canonical_date,
        [ODP_FAMILY_DURATION] = canonical_duration, [ODP_FAMILY_LIST] = canonical_json,
        [ODP_FAMILY_POINT] = canonical_json,        [ODP_FAMILY_GEOJSON] = canonical_json,
        [ODP_FAMILY_JSON] = canonical_json,         [ODP_FAMILY_ANY] = canonical_text,
    };
    return forms[odp_type_family(f->type)](n, f, out);
}
