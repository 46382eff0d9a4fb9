/* Keys of the records that differ: read out of changes.json as lines, and joined when two events become one.
 *
 * changes.json has one change a line (docs/versions.md), the key before what else is told. Only the beginning of a line is kept,
 * so a record may be as large as it likes; and the file is not read at all where versions.json already counts more changes than
 * may be told. */
#include "service/webhooks/events/events_internal.h"

#include "base/json.h"
#include "published/doc.h"

const char *const events_ops[EVENTS_OPS] = {"added", "removed", "changed"};

json_t *events_keys_new(void)
{
    return json_pack("{s:[], s:[], s:[]}", events_ops[EVENTS_ADDED], events_ops[EVENTS_REMOVED], events_ops[EVENTS_CHANGED]);
}

size_t events_keys_count(const json_t *keys)
{
    size_t n = 0;
    for (int op = 0; op < EVENTS_OPS; op++)
        n += json_array_size(json_object_get(keys, events_ops[op]));
    return n;
}

/* ---- joining ---- */

/* What happened to a record of which BEFORE was known, then NOW. What went and came back may be the same as before or not. */
static enum events_op join(enum events_op before, enum events_op now)
{
    if (before == now || (before == EVENTS_ADDED && now == EVENTS_CHANGED))
        return before;
    return before == EVENTS_CHANGED && now == EVENTS_REMOVED ? EVENTS_REMOVED : EVENTS_CHANGED;
}

enum odp_status events_keys_put(json_t *keys, enum events_op op, const char *key)
{
    enum events_op now = op;
    for (int k = 0; k < EVENTS_OPS; k++) {
        json_t *list = json_object_get(keys, events_ops[k]);
        for (size_t i = 0; i < json_array_size(list); i++) {
            const char *other = json_string_value(json_array_get(list, i));
            if (other == NULL || strcmp(other, key) != 0)
                continue;
            now = join((enum events_op)k, op);
            if ((int)now == k)
                return ODP_OK;
            (void)json_array_remove(list, i--);
            if (k == EVENTS_ADDED && op == EVENTS_REMOVED) /* it came and went: neither end has it */
                return ODP_OK;
        }
    }
    return json_array_append_new(json_object_get(keys, events_ops[now]), json_string(key)) == 0
               ? ODP_OK
               : odp_failure_set("write JSON", "event", 0);
}

/* ---- reading ---- */

enum { LINE_KEPT = 64 << 10, CHUNK = 16 << 10 };

struct lines {
    const struct events_changes *want;
    size_t limit;
    enum { BEFORE, ROWS, BEHIND } where;
    bool untold; /* there is no key, or it is not told: nothing is wrong */
    bool many, damaged;
    struct odp_buffer line;      /* the beginning of it */
    struct odp_buffer key, text; /* of one record */
    json_t *keys;
    uint64_t rows[EVENTS_OPS];
};

static bool fits(const struct events_changes *c, size_t limit)
{
    for (int op = 0; op < EVENTS_OPS; op++) {
        if (c->rows[op] > limit)
            return false;
        limit -= (size_t)c->rows[op];
    }
    return true;
}

static bool take(struct odp_slice *s, const char *literal)
{
    size_t n = strlen(literal);
    if (s->len < n || memcmp(s->ptr, literal, n) != 0)
        return false;
    s->ptr += n;
    s->len -= n;
    return true;
}

/* Past the string at S, with its quotes in OUT. */
static bool take_string(struct odp_slice *s, struct odp_slice *out)
{
    size_t i = 1;
    if (s->len == 0 || s->ptr[0] != '"')
        return false;
    while (i < s->len && s->ptr[i] != '"')
        i += s->ptr[i] == '\\' ? 2 : 1;
    if (i >= s->len)
        return false;
    *out = (struct odp_slice){s->ptr, i + 1};
    s->ptr += i + 1;
    s->len -= i + 1;
    return true;
}

/* Past the value at S: a string, or up to the comma or bracket behind it. */
static bool take_value(struct odp_slice *s, struct odp_slice *out)
{
    struct odp_slice part;
    size_t depth = 0;
    const char *from = s->ptr;
    while (s->len > 0) {
        char c = s->ptr[0];
        if (depth == 0 && (c == ',' || c == '}' || c == ']'))
            break;
        if (c == '"') {
            if (!take_string(s, &part))
                return false;
            continue;
        }
        depth += c == '{' || c == '[';
        depth -= depth > 0 && (c == '}' || c == ']');
        s->ptr++;
        s->len--;
    }
    *out = (struct odp_slice){from, (size_t)(s->ptr - from)};
    return s->len > 0 && out->len > 0;
}

/* A value's canonical text: what stands in the string, a literal as it is written, nothing for null. */
static bool text_of_value(struct lines *l, struct odp_slice value, struct odp_slice *text)
{
    size_t len = 0;
    *text = value;
    if (odp_slice_is(value, "null"))
        *text = (struct odp_slice){"", 0};
    if (value.ptr[0] != '"')
        return true;
    odp_buffer_clear(&l->text);
    char *plain = odp_buffer_reserve(&l->text, value.len);
    if (plain == NULL || !odp_json_unescape((struct odp_slice){value.ptr + 1, value.len - 2}, plain, &len))
        return false;
    *text = (struct odp_slice){plain, len};
    return true;
}

/* {"op":"added","key":{"kode":"31.71","tahun":2024},… */
static bool read_row(struct lines *l, struct odp_slice s, enum events_op *op)
{
    struct odp_slice name, value, text;
    char quoted[16];
    odp_buffer_clear(&l->key);
    if (!take(&s, "{\"op\":"))
        return false;
    for (*op = 0; *op < EVENTS_OPS; (*op)++) {
        quoted[0] = '"';
        (void)stpcpy(stpcpy(quoted + 1, events_ops[*op]), "\"");
        if (take(&s, quoted))
            break;
    }
    if (*op == EVENTS_OPS || !take(&s, ",\"key\":{"))
        return false;
    for (bool first = true; first || take(&s, ","); first = false) {
        if (!take_string(&s, &name) || !take(&s, ":") || !take_value(&s, &value) || !text_of_value(l, value, &text))
            return false;
        events_key_add(&l->key, text, first);
    }
    return take(&s, "}");
}

static enum odp_status end_row(struct lines *l, struct odp_slice s)
{
    enum events_op op = EVENTS_ADDED;
    if (!read_row(l, s, &op)) {
        l->untold = s.len == LINE_KEPT; /* a key that nobody would put into an address */
        l->damaged = !l->untold;
        return odp_buffer_status(&l->text);
    }
    l->rows[op]++;
    if (events_keys_count(l->keys) == l->limit) { /* versions.json counts less: told below */
        l->damaged = true;
        return ODP_OK;
    }
    if (odp_buffer_status(&l->key) != ODP_OK)
        return ODP_FAIL;
    return events_keys_put(l->keys, op, odp_buffer_cstr(&l->key));
}

static void end_head(struct lines *l, struct odp_slice s)
{
    if (take(&s, "\"key\":null") || take(&s, "\"note\":"))
        l->untold = true;
    else if (take(&s, "\"changes\":["))
        l->where = s.len == 0 ? ROWS : BEHIND;
    else if (take(&s, "\"key\":[") && !fits(l->want, l->limit))
        l->many = true;
}

static enum odp_status end_line(struct lines *l)
{
    const struct odp_slice s = odp_buffer_slice(&l->line);
    enum odp_status status = odp_buffer_status(&l->line);
    if (status == ODP_OK && l->where == BEFORE)
        end_head(l, s);
    else if (status == ODP_OK && s.len > 0 && s.ptr[0] == ']')
        l->where = BEHIND;
    else if (status == ODP_OK && l->where == ROWS)
        status = end_row(l, s);
    odp_buffer_clear(&l->line);
    return status;
}

/* No more of the file is of use. */
static bool is_done(const struct lines *l)
{
    return l->untold || l->many || l->damaged || l->where == BEHIND;
}

static enum odp_status add_bytes(struct lines *l, struct odp_slice s)
{
    enum odp_status status = ODP_OK;
    while (s.len > 0 && status == ODP_OK && !is_done(l)) {
        const char *end = memchr(s.ptr, '\n', s.len);
        size_t n = end != NULL ? (size_t)(end - s.ptr) : s.len, room = (size_t)LINE_KEPT - l->line.len;
        odp_buffer_add(&l->line, s.ptr, n < room ? n : room);
        if (end != NULL)
            status = end_line(l);
        s.ptr += n + (end != NULL);
        s.len -= n + (end != NULL);
    }
    return status;
}

static enum odp_status read_lines(struct lines *l, const char *path)
{
    struct odp_reader *reader = NULL;
    char bytes[CHUNK];
    size_t got = 0;
    enum odp_status status = odp_reader_open(&reader, path, NULL);
    while (status == ODP_OK && !is_done(l)) {
        status = odp_reader_read(reader, bytes, sizeof bytes, &got);
        if (status == ODP_OK)
            status = add_bytes(l, (struct odp_slice){bytes, got});
    }
    odp_reader_close(reader);
    return status == ODP_DONE ? ODP_OK : status;
}

/* What versions.json counts, and the list closed. */
static bool is_whole(const struct lines *l)
{
    bool whole = l->where == BEHIND && !l->damaged;
    for (int op = 0; op < EVENTS_OPS; op++)
        whole = whole && l->rows[op] == l->want->rows[op];
    return whole;
}

static enum odp_status read_file(struct lines *l, const struct odp_site *site, const struct odp_site_file *f,
                                 struct odp_arena *a, struct odp_diags *diags)
{
    const char *path = NULL;
    enum odp_status status = odp_site_local(site, f, a, &path, diags);
    if (status != ODP_OK)
        return status;
    if (fits(l->want, l->limit)) /* else only whether there is a key is of use, and nothing of it is told */
        status = odp_site_intact(site, f, path);
    if (status == ODP_OK)
        status = read_lines(l, path);
    if (status == ODP_FAIL || (status == ODP_OK && (l->untold || l->many || is_whole(l))))
        return status;
    return odp_site_complain(diags, odp_site_shown(site), f->path, "manifest.json, versions.json");
}

enum odp_status events_keys_read(json_t **keys, bool *many, const struct events_changes *c, size_t limit,
                                 const struct odp_site *site, struct odp_arena *a, struct odp_diags *diags)
{
    const struct odp_site_file *f = c->path != NULL ? odp_site_find(site, c->path) : NULL;
    *keys = NULL;
    if (f == NULL || !odp_site_has(site, f)) /* nothing is fetched to tell of it */
        return ODP_DONE;
    struct lines l = {.want = c, .limit = limit, .keys = events_keys_new()};
    odp_buffer_init(&l.line);
    odp_buffer_init(&l.key);
    odp_buffer_init(&l.text);
    enum odp_status status = l.keys != NULL ? read_file(&l, site, f, a, diags) : odp_failure_set("write JSON", "event", 0);
    *many = *many || (status == ODP_OK && l.many);
    if (status == ODP_OK && (l.untold || l.many))
        status = ODP_DONE;
    if (status == ODP_OK)
        *keys = l.keys;
    else
        json_decref(l.keys);
    odp_buffer_release(&l.line);
    odp_buffer_release(&l.key);
    odp_buffer_release(&l.text);
    return status;
}
