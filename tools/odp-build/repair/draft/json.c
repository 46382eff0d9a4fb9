/* The draft as a dataset.json that a person can go on with: a field in a few lines, what is still to be said as empty texts.
 *
 * odp:status is draft: checked and not published, so empty texts cannot get out. odp:lastUpdate is the
 * newest value of a date that is called an update, else the day of the file. */
#include <math.h>
#include <strings.h>

#include "base/json.h"
#include "base/privacy.h"
#include "repair/draft/draft_internal.h"

static void key_text(struct odp_buffer *b, const char *indent, const char *key, struct odp_slice value)
{
    odp_buffer_printf(b, "%s\"%s\": ", indent, key);
    odp_json_add_string(b, value);
}

static void bilingual(struct odp_buffer *b, const char *indent, const char *key, struct odp_slice id, const char *en)
{
    odp_buffer_printf(b, "%s\"%s\": {\"id\": ", indent, key);
    odp_json_add_string(b, id);
    odp_buffer_add_str(b, ", \"en\": ");
    odp_json_add_string(b, odp_slice_of(en));
    odp_buffer_add_str(b, "}");
}

static void character(struct odp_buffer *b, const char *key, char c, bool *first)
{
    odp_buffer_add_str(b, *first ? "" : ", ");
    *first = false;
    odp_buffer_printf(b, "\"%s\": ", key);
    odp_json_add_string(b, (struct odp_slice){&c, 1});
}

static void rows(struct odp_buffer *b, const char *key, const uint32_t *row, uint32_t n)
{
    odp_buffer_printf(b, ", \"%s\": [", key);
    for (uint32_t i = 0; i < n; i++)
        odp_buffer_printf(b, i > 0 ? ", %u" : "%u", row[i]);
    odp_buffer_add_char(b, ']');
}

static void dialect(const struct odp_draft *d, struct odp_buffer *b)
{
    bool first = true;
    odp_buffer_add_str(b, "      \"dialect\": {");
    character(b, "delimiter", d->delimiter, &first);
    if (d->quote != '"')
        character(b, "quoteChar", d->quote, &first);
    if (d->escape != 0) {
        character(b, "escapeChar", d->escape, &first);
        odp_buffer_add_str(b, ", \"doubleQuote\": false");
    }
    if (d->comment != 0)
        character(b, "commentChar", d->comment, &first);
    if (d->skip_space)
        odp_buffer_add_str(b, ", \"skipInitialSpace\": true");
    if (!d->header)
        odp_buffer_add_str(b, ", \"header\": false");
    else if (d->nheader_rows != 1 || d->header_rows[0] != 1)
        rows(b, "headerRows", d->header_rows, d->nheader_rows);
    if (d->ncomment_rows > 0)
        rows(b, "commentRows", d->comment_rows, d->ncomment_rows);
    odp_buffer_add_str(b, "},\n");
}

static void geometry(const struct odp_draft *d, struct odp_buffer *b)
{
    static const char *const names[] = {"Point", "MultiPoint", "LineString", "MultiLineString", "Polygon", "MultiPolygon"};
    const struct odp_catalog *c = d->options.catalog;
    bool first = true;
    odp_buffer_add_str(b, "      \"odp:geometry\": {\"types\": [");
    for (int i = 0; i < 6; i++)
        if ((d->geometry_types >> i & 1U) != 0) {
            odp_buffer_printf(b, first ? "\"%s\"" : ", \"%s\"", names[i]);
            first = false;
        }
    odp_buffer_add_char(b, ']');
    if (d->geometry_null > 0)
        odp_buffer_add_str(b, ", \"required\": false");
    if (d->crs_assumed) {
        odp_buffer_add_str(b, ", ");
        key_text(b, "", "crs", odp_slice_of(d->crs));
    }
    bool has = c != NULL && c->portal.has_bbox && d->has_box;
    const double *box = d->box, *permitted = has ? c->portal.bbox : d->box;
    bool degrees = box[0] >= -180.01 && box[1] >= -90.01 && box[2] <= 180.01 && box[3] <= 90.01; /* a rounding error beyond is one of the file's */
    if (has && degrees && (box[0] < permitted[0] || box[1] < permitted[1] || box[2] > permitted[2] || box[3] > permitted[3]))
        odp_buffer_printf(b, ", \"bbox\": [%d, %d, %d, %d]", (int)fmax(floor(box[0]), -180), (int)fmax(floor(box[1]), -90), (int)fmin(ceil(box[2]), 180),
                          (int)fmin(ceil(box[3]), 90));
    odp_buffer_add_str(b, "},\n");
}

static void word_list(struct odp_buffer *b, const struct column *c, const char *key, struct odp_slice like)
{
    bool first = true;
    odp_buffer_printf(b, ", \"%s\": [", key);
    for (uint32_t i = 0; i < c->nsmall; i++) {
        struct odp_slice s = {c->small[i].text, c->small[i].len};
        if (s.len != like.len || strncasecmp(s.ptr, like.ptr, s.len) != 0)
            continue;
        odp_buffer_add_str(b, first ? "" : ", ");
        odp_json_add_string(b, s);
        first = false;
    }
    odp_buffer_add_char(b, ']');
}

static void type(struct odp_buffer *b, const struct column *c)
{
    bool first = false;
    odp_buffer_printf(b, "            \"type\": \"%s\"", odp_type_name(c->type));
    bool number = odp_type_is_number(c->type);
    if (c->format != NULL && !number)
        key_text(b, ", ", "format", odp_slice_of(c->format));
    if (c->zone && c->type == ODP_TYPE_DATETIME)
        odp_buffer_add_str(b, ", \"odp:timeZone\": \"Asia/Jakarta\"");
    if (c->type == ODP_TYPE_NUMBER && c->decimal == ',')
        character(b, "decimalChar", ',', &first);
    if (number && c->group != 0)
        character(b, "groupChar", c->group, &first);
    if (number && c->bare_false)
        odp_buffer_add_str(b, ", \"bareNumber\": false");
    if (c->type == ODP_TYPE_BOOLEAN && c->yes.ptr != NULL) {
        word_list(b, c, "trueValues", c->yes);
        word_list(b, c, "falseValues", c->no);
    }
}

static bool is_null_spelling(const struct column *c, struct odp_slice s)
{
    return s.len > 0 && column_null(c, s);
}

/* The words as the file writes them: each spelling; those beyond what is kept as text, in their plain form. */
static void missing(struct odp_buffer *b, const struct column *c)
{
    bool any = c->missing_word.ptr != NULL;
    uint64_t left = c->missing;
    for (int t = 0; t < TOKENS; t++)
        any = any || ((c->missing >> t & 1U) != 0 && c->token[t] > 0);
    if (!any)
        return;
    odp_buffer_add_str(b, ",\n            \"missingValues\": [\"\"");
    for (uint32_t i = 0; i < c->nspellings; i++) {
        struct odp_slice s = {c->spelling[i].text, c->spelling[i].len};
        int t = draft_token(s);
        if (!is_null_spelling(c, s))
            continue;
        odp_buffer_add_str(b, ", ");
        odp_json_add_string(b, s);
        if (t >= 0)
            left &= ~(UINT64_C(1) << t);
    }
    for (int t = 0; t < TOKENS; t++)
        if ((left >> t & 1U) != 0 && c->token[t] > 0) {
            odp_buffer_add_str(b, ", ");
            odp_json_add_string(b, odp_slice_of(draft_tokens[t]));
        }
    if (c->missing_word.ptr != NULL) {
        odp_buffer_add_str(b, ", ");
        odp_json_add_string(b, c->missing_word);
    }
    odp_buffer_add_char(b, ']');
}

/* "Ha" of "Luas (Ha)". */
static struct odp_slice unit_of(const struct column *c)
{
    const char *open = memrchr(c->title.ptr, '(', c->title.len);
    if (open == NULL || c->title.ptr[c->title.len - 1] != ')')
        return (struct odp_slice){"", 0};
    return odp_slice_trim((struct odp_slice){open + 1, (size_t)(c->title.ptr + c->title.len - open) - 2});
}

static void constraints(struct odp_buffer *b, const struct column *c)
{
    const char *comma = "";
    if (!c->required && !c->pattern)
        return;
    odp_buffer_add_str(b, ",\n            \"constraints\": {");
    if (c->required) {
        odp_buffer_add_str(b, "\"required\": true");
        comma = ", ";
    }
    if (c->pattern) {
        struct odp_buffer pattern;
        odp_buffer_init(&pattern);
        shape_pattern(&c->shape, &pattern);
        key_text(b, comma, "pattern", odp_buffer_slice(&pattern));
        b->failed = b->failed || odp_buffer_status(&pattern) != ODP_OK;
        odp_buffer_release(&pattern);
    }
    odp_buffer_add_char(b, '}');
}

static void categories(struct odp_buffer *b, const struct column *c)
{
    bool first = true;
    if (!c->categories)
        return;
    odp_buffer_add_str(b, ",\n            \"categories\": [");
    for (uint32_t i = 0; i < c->nsmall; i++) {
        struct odp_slice s = {c->small[i].text, c->small[i].len};
        if (column_null(c, s))
            continue;
        odp_buffer_add_str(b, first ? "" : ", ");
        odp_json_add_string(b, s);
        first = false;
    }
    odp_buffer_add_char(b, ']');
}

static void privacy(struct odp_buffer *b, const struct column *c)
{
    static const char *const names[ODP_PRIVACY_EMAIL + 1] = {"", "nik", "npwp", "phone", "email"};
    bool first = true;
    if (c->secret)
        odp_buffer_add_str(b, ",\n            \"sdi:aksesPublik\": false");
    if (c->secret || c->private_cells == 0)
        return;
    odp_buffer_add_str(b, ",\n            \"odp:privacy\": [");
    for (int k = 1; k <= ODP_PRIVACY_EMAIL; k++)
        if (c->privacy[k] > 0) {
            odp_buffer_printf(b, first ? "\"%s\"" : ", \"%s\"", names[k]);
            first = false;
        }
    odp_buffer_add_char(b, ']');
}

/* A label as a title: "JML_RUMAH" and "jumlah_rumah" are names of columns, "Luas (Ha)" is a title. */
static void title_of(const struct column *c, struct odp_buffer *out)
{
    struct odp_slice s = c->title.len > 0 ? c->title : odp_slice_of(c->name);
    bool words = memchr(s.ptr, ' ', s.len) != NULL;
    for (size_t i = 0; i < s.len; i++) {
        char ch = s.ptr[i];
        if ((unsigned char)ch < ' ' || (!words && ch == '_'))
            ch = ' ';
        if (i == 0 && ch >= 'a' && ch <= 'z')
            ch = (char)(ch - 'a' + 'A');
        odp_buffer_add_char(out, ch);
    }
}

static void field(const struct odp_draft *d, struct odp_buffer *b, const struct column *c)
{
    bool number = odp_type_is_number(c->type);
    struct odp_buffer text;
    odp_buffer_init(&text);
    title_of(c, &text);
    struct odp_slice title = odp_buffer_slice(&text);
    odp_buffer_add_str(b, "          {\n");
    key_text(b, "            ", "name", odp_slice_of(c->name));
    odp_buffer_add_str(b, ",\n");
    if (d->header_names && (d->shared_labels || !odp_slice_is(c->label, c->name))) {
        key_text(b, "            ", "odp:sourceName", c->label);
        odp_buffer_add_str(b, ",\n");
    }
    type(b, c);
    odp_buffer_add_str(b, ",\n");
    key_text(b, "            ", "title", title);
    odp_buffer_add_str(b, ",\n");
    bilingual(b, "            ", "odp:title", title, "");
    b->failed = b->failed || odp_buffer_status(&text) != ODP_OK;
    odp_buffer_release(&text);
    odp_buffer_add_str(b, ",\n            \"description\": \"\",\n            \"sdi:konsep\": \"\",\n            \"sdi:definisi\": \"\"");
    if (number)
        key_text(b, ",\n            ", "sdi:satuan", unit_of(c));
    privacy(b, c);
    if (column_trims(c))
        odp_buffer_add_str(b, ",\n            \"odp:trim\": true");
    missing(b, c);
    constraints(b, c);
    categories(b, c);
    odp_buffer_add_str(b, "\n          }");
}

static void foreign_keys(const struct odp_draft *d, struct odp_buffer *b)
{
    bool first = true;
    for (uint32_t i = 0; i < d->n; i++) {
        const struct column *c = &d->columns[i];
        if (c->reference == NULL)
            continue;
        odp_buffer_add_str(b, first ? ",\n      \"odp:foreignKeys\": [\n        " : ",\n        ");
        first = false;
        odp_buffer_add_str(b, "{\"fields\": [");
        odp_json_add_string(b, odp_slice_of(c->name));
        key_text(b, "], \"reference\": {", "dataset", odp_slice_of(c->reference->label));
        odp_buffer_add_str(b, ", \"fields\": [");
        odp_json_add_string(b, odp_slice_of(c->reference->resource->schema.fields[c->reference->field].name));
        odp_buffer_add_str(b, "]}}");
    }
    if (!first)
        odp_buffer_add_str(b, "\n      ]");
}

static void resource(const struct odp_draft *d, struct odp_buffer *b)
{
    odp_buffer_add_str(b, "    {\n");
    key_text(b, "      ", "name", odp_slice_of(d->slug));
    odp_buffer_add_str(b, ",\n      \"type\": \"table\",\n");
    key_text(b, "      ", "path", odp_slice_of(d->basename));
    odp_buffer_add_str(b, ",\n");
    key_text(b, "      ", "format", odp_slice_of(d->resource.format));
    odp_buffer_add_str(b, ",\n");
    key_text(b, "      ", "encoding", odp_slice_of(d->encoding));
    odp_buffer_add_str(b, ",\n");
    if (d->kind == ODP_DRAFT_CSV)
        dialect(d, b);
    else
        geometry(d, b);
    odp_buffer_add_str(b, "      \"schema\": {\n");
    if (d->trailing)
        odp_buffer_add_str(b, "        \"fieldsMatch\": [\"subset\"],\n");
    odp_buffer_add_str(b, "        \"fields\": [\n");
    for (uint32_t i = 0; i < d->n; i++) {
        field(d, b, &d->columns[i]);
        odp_buffer_add_str(b, i + 1 < d->n ? ",\n" : "\n");
    }
    odp_buffer_add_str(b, "        ]");
    if (d->primary.n > 0) {
        odp_buffer_add_str(b, ",\n        \"primaryKey\": [");
        for (uint32_t i = 0; i < d->primary.n; i++) {
            odp_buffer_add_str(b, i > 0 ? ", " : "");
            odp_json_add_string(b, odp_slice_of(d->columns[d->primary.fields[i]].name));
        }
        odp_buffer_add_char(b, ']');
    }
    odp_buffer_add_str(b, "\n      }");
    foreign_keys(d, b);
    odp_buffer_add_str(b, "\n    }\n");
}

enum odp_status odp_draft_json(const struct odp_draft *d, struct odp_buffer *out)
{
    struct odp_slice title = odp_slice_of(d->title.in[ODP_LANG_ID]);
    odp_buffer_add_str(out, "{\n  \"$schema\": \"https://datapackage.org/profiles/2.0/datapackage.json\",\n");
    key_text(out, "  ", "name", odp_slice_of(d->slug));
    odp_buffer_add_str(out, ",\n");
    key_text(out, "  ", "title", title);
    odp_buffer_add_str(out, ",\n");
    bilingual(out, "  ", "odp:title", title, d->title.in[ODP_LANG_EN]);
    odp_buffer_add_str(out, ",\n  \"description\": \"\",\n  \"odp:description\": {\"id\": \"\", \"en\": \"\"},\n  \"odp:status\": \"draft\",\n  \"odp:formats\": ");
    odp_buffer_add_str(out, d->kind == ODP_DRAFT_SHAPEFILE ? "[\"GeoJSON\", \"CSV\"],\n" : "[\"CSV\", \"JSON\"],\n");
    if (d->last_update >= 0) {
        odp_buffer_add_str(out, "  \"odp:lastUpdate\": {\"field\": ");
        odp_json_add_string(out, odp_slice_of(d->columns[d->last_update].name));
        odp_buffer_add_str(out, "},\n");
    } else {
        key_text(out, "  ", "odp:lastUpdate", odp_slice_of(d->modified));
        odp_buffer_add_str(out, ",\n");
    }
    odp_buffer_add_str(out, "  \"odp:frequency\": \"UNKNOWN\",\n  \"sdi:produsenData\": {\"id\": \"\", \"en\": \"\"},\n  \"sdi:walidata\": {\"id\": \"\", \"en\": \"\"},\n"
                            "  \"sdi:pembina\": {\"id\": \"\", \"en\": \"\"},\n  \"resources\": [\n");
    resource(d, out);
    odp_buffer_add_str(out, "  ]\n}\n");
    return odp_buffer_status(out);
}
