/* The model of the draft's dataset.json (templates/draft/pages/dataset.txt): a field in a few lines, empty
 * texts where a person must add. Values are JSON text already.
 *
 * odp:status is draft: checked and not published, so empty texts cannot get out. odp:lastUpdate is the
 * newest value of a date called an update, else the day of the file. */
#include <math.h>

#include "base/json.h"
#include "base/privacy.h"
#include "repair/draft/draft_internal.h"

/* The text in B, which is emptied. */
static json_t *taken(struct odp_buffer *b)
{
    json_t *text = draft_json_text(odp_buffer_slice(b));
    odp_buffer_clear(b);
    return text;
}

/* Adds a string to a list. */
static void add(struct odp_buffer *b, struct odp_slice s)
{
    odp_json_add_slice(b, b->len > 0 ? ", " : "", s);
}

static json_t *quoted(struct odp_buffer *b, struct odp_slice s)
{
    add(b, s);
    return taken(b);
}

static json_t *quoted_str(struct odp_buffer *b, const char *s)
{
    return quoted(b, odp_slice_of(s));
}

/* Sets member KEY to the list in B, unless it is empty. */
static void set_list(json_t *o, const char *key, struct odp_buffer *b)
{
    if (b->len > 0)
        json_object_set_new(o, key, taken(b));
}

static void set_char(json_t *o, const char *key, struct odp_buffer *b, char c, char usual)
{
    if (c != usual)
        json_object_set_new(o, key, quoted(b, (struct odp_slice){&c, 1}));
}

/* ---- the file ---- */

static void set_rows(json_t *o, const char *key, struct odp_buffer *b, const uint32_t *row, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        odp_buffer_printf(b, i > 0 ? ", %u" : "%u", row[i]);
    set_list(o, key, b);
}

static json_t *dialect(const struct odp_draft *d, struct odp_buffer *b)
{
    json_t *o = json_pack("{s:b, s:b}", "skip_space", d->skip_space, "headless", !d->header);
    if (d->sheet != NULL)
        json_object_set_new(o, "sheet", quoted_str(b, d->sheet));
    else
        set_char(o, "delimiter", b, d->delimiter, '\0');
    set_char(o, "quote", b, d->quote, '"');
    set_char(o, "escape", b, d->escape, '\0');
    set_char(o, "comment", b, d->comment, '\0');
    if (d->header && (d->nheader_rows != 1 || d->header_rows[0] != 1))
        set_rows(o, "header_rows", b, d->header_rows, d->nheader_rows);
    set_rows(o, "comment_rows", b, d->comment_rows, d->ncomment_rows);
    return o;
}

static json_t *geometry(const struct odp_draft *d, struct odp_buffer *b)
{
    static const char *const names[] = {"Point",           "MultiPoint", "LineString",
                                        "MultiLineString", "Polygon",    "MultiPolygon"};
    const struct odp_catalog *c = d->options.catalog;
    const double *box = d->box, *permitted = c != NULL ? c->portal.bbox : box;
    json_t *types = json_array(),
           *o = json_pack("{s:o, s:b}", "types", types, "optional", d->geometry_null > 0);
    for (int i = 0; i < 6; i++)
        if ((d->geometry_types >> i & 1U) != 0)
            json_array_append_new(types, json_string(names[i]));
    if (d->crs_assumed)
        json_object_set_new(o, "crs", quoted_str(b, d->crs));
    bool degrees = box[0] >= -180.01 && box[1] >= -90.01 && box[2] <= 180.01 &&
                   box[3] <= 90.01; /* the file's own rounding errors */
    if (c != NULL && c->portal.has_bbox && d->has_box && degrees &&
        (box[0] < permitted[0] || box[1] < permitted[1] || box[2] > permitted[2] || box[3] > permitted[3]))
        json_object_set_new(o, "bbox",
                            json_sprintf("%d, %d, %d, %d", (int)fmax(floor(box[0]), -180),
                                         (int)fmax(floor(box[1]), -90), (int)fmin(ceil(box[2]), 180),
                                         (int)fmin(ceil(box[3]), 90)));
    return o;
}

/* ---- a field ---- */

/* Sets the spellings of a word in the file. */
static void set_spellings(json_t *o, const char *key, struct odp_buffer *b, const struct column *c,
                          struct odp_slice like)
{
    for (uint32_t i = 0; i < c->nsmall; i++)
        if (odp_slice_alike((struct odp_slice){c->small[i].text, c->small[i].len}, like))
            add(b, (struct odp_slice){c->small[i].text, c->small[i].len});
    json_object_set_new(o, key, taken(b));
}

static void set_type(json_t *o, struct odp_buffer *b, const struct column *c)
{
    bool number = odp_type_is_number(c->type), truth = c->type == ODP_TYPE_BOOLEAN && c->yes.ptr != NULL;
    json_object_set_new(o, "zone", json_boolean(c->zone && c->type == ODP_TYPE_DATETIME));
    json_object_set_new(o, "comma", json_boolean(c->type == ODP_TYPE_NUMBER && c->decimal == ','));
    json_object_set_new(o, "affixed", json_boolean(number && c->bare_false));
    json_object_set_new(o, "truth", json_boolean(truth));
    if (c->format != NULL && !number)
        json_object_set_new(o, "format", quoted_str(b, c->format));
    if (number)
        set_char(o, "group", b, c->group, '\0');
    if (truth) {
        set_spellings(o, "yes", b, c, c->yes);
        set_spellings(o, "no", b, c, c->no);
    }
}

/* Sets the words as the file writes them: each kept spelling, the others in their plain form. */
static void set_missing(json_t *o, struct odp_buffer *b, const struct column *c)
{
    uint64_t left = 0;
    for (int t = 0; t < TOKENS; t++)
        left |= c->token[t] > 0 ? c->missing & UINT64_C(1) << t : 0;
    if (left == 0 && c->missing_word.ptr == NULL)
        return;
    add(b, ODP_LIT(""));
    for (uint32_t i = 0; i < c->nspellings; i++) {
        struct odp_slice s = {c->spelling[i].text, c->spelling[i].len};
        int t = draft_token(s);
        if (s.len == 0 || !column_null(c, s))
            continue;
        add(b, s);
        left &= t >= 0 ? ~(UINT64_C(1) << t) : left;
    }
    for (int t = 0; t < TOKENS; t++)
        if ((left >> t & 1U) != 0)
            add(b, odp_slice_of(draft_tokens[t]));
    if (c->missing_word.ptr != NULL)
        add(b, c->missing_word);
    set_list(o, "missing", b);
}

/* "Ha" of "Luas (Ha)"; "" of "Nilai (akhir)". */
static struct odp_slice unit_in_title(const struct column *c)
{
    const char *open = memrchr(c->title.ptr, '(', c->title.len);
    if (open == NULL || c->title.ptr[c->title.len - 1] != ')')
        return ODP_LIT("");
    struct odp_slice s = {open + 1, (size_t)(c->title.ptr + c->title.len - open) - 2};
    return draft_is_unit(odp_slice_trim(s)) ? odp_slice_trim(s) : ODP_LIT("");
}

static void set_constraints(json_t *o, struct odp_buffer *b, const struct column *c)
{
    struct odp_buffer pattern = {0};
    if (c->required)
        odp_buffer_add_str(b, c->pattern ? "{\"required\": true, " : "{\"required\": true");
    if (c->pattern) {
        shape_pattern(&c->shape, &pattern);
        odp_json_add_slice(b, c->required ? "\"pattern\": " : "{\"pattern\": ", odp_buffer_slice(&pattern));
    }
    odp_buffer_add_str(b, c->required || c->pattern ? "}" : "");
    b->failed = b->failed || pattern.failed;
    odp_buffer_release(&pattern);
    set_list(o, "constraints", b);
}

static void set_categories(json_t *o, struct odp_buffer *b, const struct column *c)
{
    for (uint32_t i = 0; i < c->nsmall && c->categories; i++)
        if (!column_null(c, (struct odp_slice){c->small[i].text, c->small[i].len}))
            add(b, (struct odp_slice){c->small[i].text, c->small[i].len});
    set_list(o, "categories", b);
}

static void set_privacy(json_t *o, struct odp_buffer *b, const struct column *c)
{
    static const char *const names[ODP_PRIVACY_EMAIL + 1] = {"", "nik", "npwp", "phone", "email"};
    for (int k = 1; k <= ODP_PRIVACY_EMAIL && !c->secret && c->private_cells > 0; k++)
        if (c->privacy[k] > 0)
            add(b, odp_slice_of(names[k]));
    set_list(o, "privacy", b);
}

/* A label as a title: "Jml rumah" of the name JML_RUMAH; "Luas" of "Luas (Ha)", whose unit is sdi:satuan. */
static json_t *title_of(struct odp_buffer *b, const struct column *c)
{
    struct odp_slice s = c->title.len > 0 ? c->title : odp_slice_of(c->name);
    const char *open = memrchr(s.ptr, '(', s.len);
    if (odp_type_is_number(c->type) && unit_in_title(c).len > 0 && open > s.ptr)
        s = odp_slice_trim((struct odp_slice){s.ptr, (size_t)(open - s.ptr)});
    bool words = memchr(s.ptr, ' ', s.len) != NULL;
    struct odp_buffer title = {0};
    for (size_t i = 0; i < s.len; i++) {
        char ch = s.ptr[i];
        if ((unsigned char)ch < ' ' || (!words && ch == '_'))
            ch = ' ';
        if (i == 0 && ch >= 'a' && ch <= 'z')
            ch = (char)(ch - 'a' + 'A');
        odp_buffer_add_char(&title, ch);
    }
    json_t *text = quoted(b, odp_buffer_slice(&title));
    b->failed = b->failed || title.failed;
    odp_buffer_release(&title);
    return text;
}

static json_t *field(const struct odp_draft *d, struct odp_buffer *b, const struct column *c)
{
    json_t *name = quoted_str(b, c->name);
    json_t *o = json_pack("{s:o, s:s, s:o, s:b, s:b}", "name", name, "type", odp_type_name(c->type), "title",
                          title_of(b, c), "secret", c->secret, "trim", column_trims(c));
    if (d->header_names && (d->shared_labels || !odp_slice_is(c->label, c->name)))
        json_object_set_new(o, "source_name", quoted(b, c->label));
    set_type(o, b, c);
    if (odp_type_is_number(c->type))
        json_object_set_new(o, "unit", quoted(b, unit_in_title(c).len > 0 ? unit_in_title(c) : c->unit));
    set_privacy(o, b, c);
    set_missing(o, b, c);
    set_constraints(o, b, c);
    set_categories(o, b, c);
    return o;
}

/* ---- keys ---- */

static json_t *references(const struct odp_draft *d, struct odp_buffer *b)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < d->n; i++) {
        const struct column *c = &d->columns[i];
        if (c->reference == NULL)
            continue;
        json_t *name = quoted_str(b, c->name), *label = quoted_str(b, c->reference->label);
        json_array_append_new(
            list, json_pack("{s:o, s:o, s:o}", "field", name, "dataset", label, "remote",
                            quoted_str(b, c->reference->resource->schema.fields[c->reference->field].name)));
    }
    return list;
}

static json_t *update(const struct odp_draft *d, struct odp_buffer *b)
{
    if (d->last_update < 0)
        return quoted_str(b, d->modified);
    odp_json_add_str(b, "{\"field\": ", d->columns[d->last_update].name);
    odp_buffer_add_str(b, "}");
    return taken(b);
}

enum odp_status odp_draft_json(const struct odp_draft *d, struct odp_buffer *out)
{
    struct odp_buffer buffer, *b = &buffer;
    json_t *fields = json_array(), *m = json_pack("{s:b, s:o, s:s, s:s}", "trailing", d->trailing, "fields",
                                                  fields, "open", "{", "end", "}");
    const struct {
        const char *key, *text;
    } texts[] = {{"slug", d->slug},
                 {"title", d->title.in[ODP_LANG_ID]},
                 {"title_en", d->title.in[ODP_LANG_EN]},
                 {"path", d->basename},
                 {"format", d->resource.format}};
    odp_buffer_init(b);
    for (size_t i = 0; i < ODP_COUNT(texts); i++)
        json_object_set_new(m, texts[i].key, quoted_str(b, texts[i].text));
    if (d->kind != ODP_DRAFT_WORKBOOK)
        json_object_set_new(m, "encoding", quoted_str(b, d->encoding));
    json_object_set_new(m, "update", update(d, b));
    if (d->kind != ODP_DRAFT_SHAPEFILE)
        json_object_set_new(m, "dialect", dialect(d, b));
    else
        json_object_set_new(m, "geometry", geometry(d, b));
    if (d->lon != NULL)
        json_object_set_new(m, "points",
                            json_pack("{s:o, s:o, s:b}", "lon", quoted_str(b, d->lon->name), "lat",
                                      quoted_str(b, d->lat->name), "optional",
                                      !d->lon->required || !d->lat->required));
    for (uint32_t i = 0; i < d->n; i++)
        json_array_append_new(fields, field(d, b, &d->columns[i]));
    for (uint32_t i = 0; i < d->primary.n; i++)
        add(b, odp_slice_of(d->columns[d->primary.fields[i]].name));
    set_list(m, "key", b);
    json_t *list = references(d, b);
    json_object_set_new(m, "has_references", json_boolean(json_array_size(list) > 0));
    json_object_set_new(m, "references", list);
    enum odp_status status = odp_buffer_status(b);
    odp_buffer_release(b);
    enum odp_status written =
        odp_templates_write(odp_draft_templates, odp_draft_model_json, "dataset", ODP_LANG_ID, m, out);
    return status == ODP_OK ? written : status;
}
