/* The envelope, its pages, lines of records, and GeoJSON: one record a line, exactly as
 * tools/odp-build/write writes them (write/json.c, api.c, geojson.c; lines have neither head nor tail nor
 * commas). After a field with codes there may be members with their names (odp:labels), which are no content
 * and left out. Anything else is damaged: a member out of place, missing or doubled. A scanner of our own,
 * because a JSON library would lose the literals of numbers. */
#include "published/reading_internal.h"

#include "base/json.h"
#include "base/json_load.h"
#include "base/utf8.h"

enum { TAIL_MAX = 1 << 20 };

/* ---- plan ---- */

/* {"name":  or  ,"name":  in the arena. */
static struct odp_slice make_prefix(struct odp_reading *r, char before, const char *name)
{
    odp_buffer_clear(&r->id);
    odp_buffer_add_char(&r->id, before);
    odp_json_add_string(&r->id, odp_slice_of(name));
    odp_buffer_add_char(&r->id, ':');
    return odp_arena_copy(&r->arena, odp_buffer_slice(&r->id));
}

void odp_reading_json_init(struct odp_reading *r)
{
    const struct odp_layout *l = r->layout;
    for (uint32_t k = 0; k < l->n; k++)
        r->plan[k].prefix = make_prefix(r, k == 0 ? '{' : ',', l->fields[k].name);
    for (uint32_t k = 0; k < l->n; k++)
        for (int lang = 0; lang < ODP_LANGS && r->form != ODP_FORM_PAGES; lang++) {
            const char *name = odp_arena_printf(&r->arena, "%s%s", l->fields[k].name, odp_label_suffix[lang]);
            if (odp_layout_find(l, name) < 0)
                r->plan[k].label[lang] = make_prefix(r, ',', name);
        }
    r->geometry_prefix =
        make_prefix(r, l->n == 0 ? '{' : ',', odp_reading_free_name(l, "geometry", &r->arena));
}

/* ---- strings ---- */

/* The first '"', '\\' or control character from P on. There is one: a line ends with its LF. */
static char *find_special(char *p)
{
    while (*p != '"' && *p != '\\' && (unsigned char)*p >= 0x20)
        p++;
    return p;
}

/* Takes the string whose quote is at P, removing escapes in place. Returns its end; NULL: no string. */
static char *take_string(char *p, struct odp_slice *out)
{
    if (*p != '"')
        return NULL;
    char *start = ++p;
    bool escaped = false;
    for (p = find_special(p); *p == '\\'; p = find_special(p + 2)) {
        escaped = true;
        if (p[1] == '\n')
            return NULL;
    }
    if (*p != '"')
        return NULL;
    *out = (struct odp_slice){start, (size_t)(p - start)};
    if (escaped && !odp_json_unescape(*out, start, &out->len))
        return NULL;
    return p + 1;
}

/* ---- values ---- */

/* The end of the object or array at P; NULL: it does not end in this line. The caller checks its form. */
static char *skip_nested(char *p, const char *end)
{
    size_t depth = 0;
    for (; p < end; p++) {
        if (*p == '"') { /* skips the string with its escapes */
            for (p = find_special(p + 1); *p == '\\' && p[1] != '\n';)
                p = find_special(p + 2);
            if (*p != '"')
                return NULL;
        } else if (*p == '{' || *p == '[') {
            depth++;
        } else if ((*p == '}' || *p == ']') && (depth == 0 || --depth == 0)) {
            return p + 1;
        }
    }
    return NULL;
}

static bool is_null(const char *p, const char *end)
{
    return end - p >= 4 && memcmp(p, "null", 4) == 0;
}

/* Takes the value at P into OUT; returns its end, or NULL. */
static char *take_value(enum odp_value_kind kind, char *p, const char *end, struct odp_slice *out)
{
    char *stop = NULL;
    if (kind == ODP_VALUE_TEXT && *p == '"')
        return take_string(p, out);
    if (*p == 'n' && is_null(p, end)) {
        *out = (struct odp_slice){NULL, 0};
        return p + 4;
    }
    switch (kind) {
    case ODP_VALUE_TEXT:
        return NULL;
    case ODP_VALUE_NUMBER: {
        const char *after = odp_value_number_end(p, end);
        stop = after != NULL ? p + (after - p) : NULL;
        break;
    }
    case ODP_VALUE_TRUTH:
        stop = end - p >= 5 ? p + (*p == 't' ? 4 : 5) : NULL;
        break;
    case ODP_VALUE_JSON:
        stop = skip_nested(p, end);
        break;
    }
    if (stop == NULL)
        return NULL;
    *out = (struct odp_slice){p, (size_t)(stop - p)};
    return kind == ODP_VALUE_NUMBER || odp_value_is(kind, *out) ? stop : NULL;
}

static bool starts(const char *p, const char *end, struct odp_slice with)
{
    return (size_t)(end - p) >= with.len && memcmp(p, with.ptr, with.len) == 0;
}

/* The end of TEXT at P; NULL: another text is there. */
static char *take_text(char *p, const char *end, struct odp_slice text)
{
    return starts(p, end, text) ? p + text.len : NULL;
}

/* The end of the names of a code, in any language, at P; NULL: damaged. */
static char *skip_labels(const struct odp_value_plan *plan, char *p, const char *end)
{
    struct odp_slice name;
    for (int lang = 0; lang < ODP_LANGS && p != NULL; lang++) {
        char *value = plan->label[lang].len > 0 ? take_text(p, end, plan->label[lang]) : NULL;
        if (value != NULL)
            p = value < end ? take_value(ODP_VALUE_TEXT, value, end, &name) : NULL;
    }
    return p;
}

/* Takes the members of all fields, beginning with '{'. Returns the end of the last; NULL: *WRONG is the
 * field at fault. */
static char *take_fields(struct odp_reading *r, char *p, const char *end, const char **wrong)
{
    const struct odp_layout *l = r->layout;
    for (uint32_t k = 0; k < l->n; k++) {
        const struct odp_value_plan *plan = &r->plan[k];
        char *value = take_text(p, end, plan->prefix);
        p = value != NULL && value < end ? take_value(plan->kind, value, end, &r->text[k]) : NULL;
        p = p != NULL ? skip_labels(plan, p, end) : NULL;
        if (p == NULL) {
            *wrong = l->fields[k].name;
            return NULL;
        }
    }
    if (l->n > 0)
        return p;
    *wrong = "{}";
    return p < end && *p == '{' ? p + 1 : NULL;
}

/* Takes null or a geometry. *P moves on. */
static enum odp_status take_geometry(struct odp_reading *r, char **p, const char *end,
                                     struct odp_reading_record *rec)
{
    if (is_null(*p, end)) {
        *p += 4;
        rec->geometry_whole = true;
        return ODP_OK;
    }
    const char *after = odp_geometry_read_json(&r->store, *p, end);
    if (after == NULL)
        return odp_reading_reject(r, "its geometry is damaged");
    *p += after - *p;
    rec->geometry = &r->store.g;
    rec->geometry_whole = r->geometry_form == ODP_GEOMETRY_FORM_WHOLE;
    return ODP_OK;
}

/* ---- records ---- */

/* Takes the envelope's record at P, to its end. */
static enum odp_status take_record(struct odp_reading *r, char **p, const char *end,
                                   struct odp_reading_record *rec)
{
    const char *wrong = "";
    char *q = take_fields(r, *p, end, &wrong);
    if (q == NULL)
        return odp_reading_reject(r, "the value of %s is damaged, missing, or not where it should be", wrong);
    if (r->geometry_form == ODP_GEOMETRY_FORM_WHOLE || r->geometry_form == ODP_GEOMETRY_FORM_SIMPLE) {
        q -= r->layout->n == 0; /* the brace belongs to the prefix then */
        if (!starts(q, end, r->geometry_prefix))
            return odp_reading_reject(r, "its geometry is missing");
        q += r->geometry_prefix.len;
        enum odp_status status = take_geometry(r, &q, end, rec);
        if (status != ODP_OK)
            return status;
    }
    if (q == end || *q != '}')
        return odp_reading_reject(r, "there is more than its fields");
    *p = q + 1;
    return ODP_OK;
}

/* Whether ID is the one that write/feature.c makes. */
static bool id_fits(struct odp_reading *r, struct odp_slice id, bool number)
{
    const struct odp_layout *l = r->layout;
    if (l->nkey == 0 || number)
        return l->nkey == 0 && number;
    if (l->nkey == 1)
        return odp_slice_eq(id, r->text[l->key[0]]);
    odp_buffer_clear(&r->id);
    for (uint32_t k = 0; k < l->nkey; k++) {
        struct odp_slice part = r->text[l->key[k]];
        if (k > 0)
            odp_buffer_add_char(&r->id, ',');
        for (size_t i = 0; i < part.len; i++) {
            if (part.ptr[i] == ',' || part.ptr[i] == '%')
                odp_buffer_add_str(&r->id, part.ptr[i] == ',' ? "%2C" : "%25");
            else
                odp_buffer_add_char(&r->id, part.ptr[i]);
        }
    }
    return odp_slice_eq(
        id, odp_buffer_slice(&r->id)); /* out of memory it does not fit, and the buffer has failed */
}

static enum odp_status take_feature(struct odp_reading *r, char **p, const char *end,
                                    struct odp_reading_record *rec)
{
    static const struct odp_slice head = ODP_LIT("{\"type\":\"Feature\",\"id\":"),
                                  geometry = ODP_LIT(",\"geometry\":"),
                                  properties = ODP_LIT(",\"properties\":");
    struct odp_slice id = {NULL, 0};
    const char *wrong = "";
    char *q = *p;
    if (!starts(q, end, head))
        return odp_reading_reject(r, "it is no feature");
    q += head.len;
    bool number = *q >= '0' && *q <= '9';
    const char *after = number ? odp_value_number_end(q, end) : take_string(q, &id);
    if (after == NULL || !starts(after, end, geometry))
        return odp_reading_reject(r, "its id is damaged");
    q += (after - q) + (ptrdiff_t)geometry.len;
    enum odp_status status = take_geometry(r, &q, end, rec);
    if (status != ODP_OK)
        return status;
    if (!starts(q, end, properties))
        return odp_reading_reject(r, "its properties are missing");
    q = take_fields(r, q + properties.len, end, &wrong);
    if (q == NULL)
        return odp_reading_reject(r, "the value of %s is damaged, missing, or not where it should be", wrong);
    if (end - q < 2 || q[0] != '}' || q[1] != '}')
        return odp_reading_reject(r, "there is more than its fields");
    if (!id_fits(r, id, number))
        return r->id.failed ? ODP_FAIL : odp_reading_reject(r, "its id is not its key");
    *p = q + 2;
    return ODP_OK;
}

static enum odp_status read_record(struct odp_reading *r, struct odp_reading_record *rec)
{
    struct odp_slice line;
    enum odp_status status = odp_window_line(r, &line);
    if (status == ODP_DONE && r->form != ODP_FORM_LINES)
        return odp_reading_reject(r, "the file ends where a record should begin");
    if (status != ODP_OK)
        return status;
    if (odp_utf8_valid(line) != line.len)
        return odp_reading_reject(r, "it is not UTF-8");
    char *p = r->window.bytes + (line.ptr - r->window.bytes), *end = p + line.len;
    status = r->form == ODP_FORM_GEOJSON ? take_feature(r, &p, end, rec) : take_record(r, &p, end, rec);
    if (status != ODP_OK)
        return status;
    if (p == end && r->form == ODP_FORM_LINES)
        return ODP_OK;
    if (p == end)
        r->place = ODP_PLACE_TAIL; /* without a comma it is the last */
    else if (r->form == ODP_FORM_LINES || end - p != 1 || *p != ',')
        return odp_reading_reject(r, "there is more in its line");
    return ODP_OK;
}

/* ---- head and tail ---- */

/* Checks that the pages agree: their numbers, version and total. */
static enum odp_status check_page(struct odp_reading *r, const json_t *meta, const char *version)
{
    json_int_t page = json_integer_value(json_object_get(meta, "page")),
               pages = json_integer_value(json_object_get(meta, "pages"));
    if (page != (json_int_t)r->at + 1)
        return odp_reading_reject(r, "it says that it is page %lld", (long long)page);
    if (pages != (json_int_t)r->npaths)
        return odp_reading_reject(r, "it says that there are %lld pages", (long long)pages);
    if (version == NULL)
        return odp_reading_reject(r, "it does not say of which version it is");
    if (r->page_version == NULL)
        r->page_version = odp_arena_str(&r->arena, version);
    if (strcmp(r->page_version, version) != 0)
        return odp_reading_reject(r, "it is of another version than the first page");
    return ODP_OK;
}

static enum odp_status check_meta(struct odp_reading *r, const json_t *tail)
{
    const json_t *meta = json_object_get(tail, "meta"), *total = json_object_get(meta, "total");
    const char *state = odp_json_text(tail, "status");
    if (state == NULL || strcmp(state, "success") != 0)
        return odp_reading_reject(r, "its status is not success");
    if (!json_is_integer(total) || json_integer_value(total) < 0)
        return odp_reading_reject(r, "meta.total is missing");
    if (r->total >= 0 && r->total != json_integer_value(total))
        return odp_reading_reject(r, "meta.total is another than on the first page");
    r->total = json_integer_value(total);
    if (r->form == ODP_FORM_PAGES)
        return check_page(r, meta, odp_json_text(meta, "version"));
    return ODP_OK;
}

/* {"bbox": [w,s,e,n], "license": "…"}, either or both. */
static bool collection_fits(const json_t *tail)
{
    const json_t *bbox = json_object_get(tail, "bbox"), *license = json_object_get(tail, "license");
    bool fits = json_object_size(tail) == (size_t)(bbox != NULL) + (license != NULL) &&
                (license == NULL || json_is_string(license));
    if (bbox == NULL)
        return fits;
    fits = fits && json_array_size(bbox) == 4;
    for (size_t i = 0; i < 4 && fits; i++)
        fits = json_is_number(json_array_get(bbox, i));
    return fits;
}

/* The rest after the records, from the list's ']' to the end of the file. */
static enum odp_status read_tail(struct odp_reading *r, struct odp_slice rest)
{
    enum odp_status status = ODP_OK;
    r->place = ODP_PLACE_END;
    if (rest.len < 2 || rest.len > TAIL_MAX || rest.ptr[0] != ']')
        return odp_reading_reject(r, "the list of records does not end here as it should");
    if (r->form == ODP_FORM_GEOJSON && odp_slice_is(rest, "]}"))
        return ODP_OK;
    char *text = r->window.bytes + (rest.ptr - r->window.bytes) + 1;
    if (*text != ',')
        return odp_reading_reject(r, "the list of records does not end here as it should");
    *text = '{'; /* the other members make an object of their own */
    json_t *tail = odp_json_load(text, rest.len - 1, JSON_REJECT_DUPLICATES, NULL);
    if (tail == NULL)
        status = odp_reading_reject(r, "what follows the records is damaged");
    else if (r->form != ODP_FORM_GEOJSON)
        status = check_meta(r, tail);
    else if (!collection_fits(tail))
        status = odp_reading_reject(r, "its bbox or license is damaged");
    json_decref(tail);
    return status;
}

/* The first line, up to the list's '['; an empty list ends in it. */
static enum odp_status read_head(struct odp_reading *r)
{
    static const struct odp_slice envelope = ODP_LIT("{\"data\":["),
                                  collection = ODP_LIT("{\"type\":\"FeatureCollection\",\"name\":"),
                                  features = ODP_LIT(",\"features\":[");
    struct odp_slice line, name;
    bool geojson = r->form == ODP_FORM_GEOJSON;
    enum odp_status status = odp_window_line(r, &line);
    if (status == ODP_DONE)
        return odp_reading_reject(r, "the file is empty");
    if (status != ODP_OK)
        return status;
    char *p = r->window.bytes + (line.ptr - r->window.bytes), *end = p + line.len;
    p = odp_utf8_valid(line) == line.len ? take_text(p, end, geojson ? collection : envelope) : NULL;
    if (p != NULL && geojson)
        p = take_string(p, &name);
    if (p != NULL && geojson)
        p = take_text(p, end, features);
    if (p == NULL)
        return odp_reading_reject(r, geojson ? "it does not begin as a feature collection of ours"
                                             : "it does not begin as an envelope");
    r->place = ODP_PLACE_RECORDS;
    return p == end ? ODP_OK : read_tail(r, (struct odp_slice){p, (size_t)(end - p)});
}

static enum odp_status read_end(struct odp_reading *r)
{
    struct odp_slice line;
    enum odp_status status = odp_window_line(r, &line);
    return status == ODP_OK ? odp_reading_reject(r, "there is more after its end") : status;
}

enum odp_status odp_reading_json_next(struct odp_reading *r, struct odp_reading_record *rec)
{
    struct odp_slice line;
    enum odp_status status = ODP_OK;
    if (r->form == ODP_FORM_LINES)
        return read_record(r, rec);
    if (r->place == ODP_PLACE_HEAD)
        status = read_head(r);
    if (status == ODP_OK && r->place == ODP_PLACE_RECORDS)
        return read_record(r, rec);
    if (status == ODP_OK && r->place == ODP_PLACE_TAIL) {
        status = odp_window_line(r, &line);
        if (status == ODP_DONE)
            return odp_reading_reject(r, "the file ends behind its records");
        if (status == ODP_OK)
            status = read_tail(r, line);
    }
    return status == ODP_OK ? read_end(r) : status;
}
