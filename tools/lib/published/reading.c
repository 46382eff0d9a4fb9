/* Files one after the other, and the digest of what is read. */
#include "published/reading_internal.h"

#include <errno.h>
#include <stdlib.h>

#include "base/json_load.h"
#include "published/logical.h"

enum { PIECE = 128 << 10, DIGEST_PIECE = 64 << 10 };

enum odp_form odp_form_find(const char *name)
{
    const struct odp_format_file *f = name != NULL ? odp_format_file_find(odp_slice_of(name)) : NULL;
    if (f != NULL)
        return f->form;
    return name != NULL && strcmp(name, "api") == 0 ? ODP_FORM_PAGES : ODP_FORM_NONE;
}

static void close_file(struct odp_reading *r)
{
    odp_reader_close(r->window.reader);
    r->window.reader = NULL;
    r->window.from = r->window.to = 0;
    r->window.offset = 0;
    r->window.ended = false;
}

static enum odp_status open_file(struct odp_reading *r)
{
    int errnum;
    r->place = ODP_PLACE_HEAD;
    r->record_at = 0;
    enum odp_status status = odp_file_look(r->paths[r->at], &errnum); /* a fifo would hang */
    if (status == ODP_OK)
        status = odp_reader_open(&r->window.reader, r->paths[r->at], &errnum);
    return status == ODP_BAD ? odp_reading_reject(r, "the file cannot be opened: %s", strerror(errnum))
                             : status;
}

/* ---- opening, reading, closing ---- */

static enum odp_value_kind kind_of(enum odp_type type)
{
    if (type == ODP_TYPE_BOOLEAN)
        return ODP_VALUE_TRUTH;
    switch (odp_type_repr(type)) {
    case ODP_REPR_LITERAL:
        return ODP_VALUE_NUMBER;
    case ODP_REPR_JSON:
        return ODP_VALUE_JSON;
    case ODP_REPR_STRING:
        break;
    }
    return ODP_VALUE_TEXT;
}

static enum odp_geometry_form geometry_form(const struct odp_layout *l, enum odp_form form)
{
    if (!l->has_geometry)
        return ODP_GEOMETRY_FORM_NONE;
    const char *api = odp_json_text(json_object_get(l->json, "odp:geometry"), "api");
    if (form != ODP_FORM_PAGES || api == NULL)
        return ODP_GEOMETRY_FORM_WHOLE;
    return strcmp(api, "none") == 0         ? ODP_GEOMETRY_FORM_LEFT_OUT
           : strcmp(api, "simplified") == 0 ? ODP_GEOMETRY_FORM_SIMPLE
                                            : ODP_GEOMETRY_FORM_WHOLE;
}

static enum odp_status init(struct odp_reading *r)
{
    uint32_t n = r->layout->n;
    r->plan = odp_arena_zero(&r->arena, (size_t)n + 1, sizeof *r->plan);
    r->text = odp_arena_zero(&r->arena, (size_t)n + 1, sizeof *r->text);
    if (odp_window_grow(&r->window, PIECE) != ODP_OK)
        return ODP_FAIL;
    for (uint32_t k = 0; k < n; k++)
        r->plan[k].kind = kind_of(r->layout->fields[k].type);
    r->geometry_form = geometry_form(r->layout, r->form);
    r->flat = json_is_false(json_object_get(json_object_get(r->layout->json, "odp:geometry"), "heights"));
    if (r->form == ODP_FORM_CSV)
        odp_reading_csv_init(r);
    else
        odp_reading_json_init(r);
    return odp_buffer_status(&r->id);
}

enum odp_status odp_reading_open(struct odp_reading **out, enum odp_form form, const struct odp_layout *l,
                                 const char *const *paths, size_t npaths)
{
    struct odp_reading *r = calloc(1, sizeof *r);
    *out = NULL;
    if (r == NULL)
        return odp_failure_set("read back", npaths > 0 ? paths[0] : NULL, ENOMEM);
    r->form = form;
    r->layout = l;
    r->paths = paths;
    r->npaths = npaths;
    r->total = -1;
    r->store.arena = &r->arena;
    if (init(r) != ODP_OK) {
        odp_reading_close(r);
        return ODP_FAIL;
    }
    *out = r;
    return ODP_OK;
}

/* At the end: are there as many records as the files and the schema say? */
static enum odp_status check_whole(struct odp_reading *r)
{
    const json_t *rows = json_object_get(r->layout->json, "odp:rows");
    r->at = r->npaths - 1;
    if (r->total >= 0 && (uint64_t)r->total != r->row)
        return odp_reading_reject(r, "there are %llu records, meta.total says %lld",
                                  (unsigned long long)r->row, (long long)r->total);
    if (json_is_integer(rows) && (uint64_t)json_integer_value(rows) != r->row)
        return odp_reading_reject(r, "there are %llu records, the schema says %lld",
                                  (unsigned long long)r->row, (long long)json_integer_value(rows));
    return ODP_DONE;
}

static enum odp_status next(struct odp_reading *r, struct odp_reading_record *rec)
{
    if (r->npaths == 0 || (r->form != ODP_FORM_PAGES && r->npaths > 1))
        return odp_reading_reject(r,
                                  r->npaths == 0 ? "there is no file" : "this form is one file, not several");
    while (r->at < r->npaths) {
        enum odp_status status = r->window.reader == NULL ? open_file(r) : ODP_OK;
        if (status == ODP_OK)
            status = r->form == ODP_FORM_CSV ? odp_reading_csv_next(r, rec) : odp_reading_json_next(r, rec);
        if (status != ODP_DONE)
            return status;
        close_file(r);
        r->at++;
    }
    return check_whole(r);
}

enum odp_status odp_reading_next(struct odp_reading *r, struct odp_reading_record *rec)
{
    if (r->ended != ODP_OK)
        return r->ended;
    rec->text = r->text;
    rec->geometry = NULL;
    rec->geometry_whole =
        r->geometry_form == ODP_GEOMETRY_FORM_NONE || r->geometry_form == ODP_GEOMETRY_FORM_WHOLE;
    enum odp_status status = next(r, rec);
    if (status == ODP_OK)
        rec->row = ++r->row;
    else
        r->ended = status;
    return status;
}

void odp_reading_close(struct odp_reading *r)
{
    if (r == NULL)
        return;
    odp_reader_close(r->window.reader);
    free(r->window.bytes);
    odp_buffer_release(&r->id);
    odp_buffer_release(&r->fault);
    odp_arena_release(&r->arena);
    free(r);
}

/* ---- the digest ---- */

/* Two digests over one content: with geometry and without. If the resource has no geometry they are one. */
struct digester {
    const struct odp_layout *layout;
    const char *marks;
    struct odp_digest *logical, *attributes;
    struct odp_buffer all, plain;
    bool whole;
};

static void add_keys(struct odp_buffer *out, const struct odp_layout *l, char mark, const uint32_t *fields,
                     uint32_t n)
{
    for (uint32_t k = 0; k < n; k++)
        odp_logical_key_name(out, mark, k == 0, l->fields[fields[k]].name);
    if (n > 0)
        odp_logical_key_end(out);
}

static void add_header(struct odp_buffer *out, const struct odp_layout *l)
{
    odp_logical_begin(out);
    for (uint32_t k = 0; k < l->n; k++)
        odp_logical_field(out, l->fields[k].name, l->fields[k].type, &l->fields[k].unit);
    add_keys(out, l, 'P', l->key, l->nkey);
    for (size_t k = 0; k < l->nunique; k++)
        add_keys(out, l, 'U', l->unique[k].fields, l->unique[k].n);
    odp_logical_end(out, l->has_geometry);
}

/* Feeds gathered bytes to the digests. */
static enum odp_status drain(struct digester *d, size_t least)
{
    enum odp_status status = ODP_OK;
    if (odp_buffer_status(&d->all) != ODP_OK || odp_buffer_status(&d->plain) != ODP_OK)
        return ODP_FAIL;
    if (d->plain.len >= least) {
        status = odp_digest_add(d->attributes, d->plain.ptr, d->plain.len);
        odp_buffer_clear(&d->plain);
    }
    if (status == ODP_OK && d->all.len >= least) {
        status = odp_digest_add(d->logical, d->all.ptr, d->all.len);
        odp_buffer_clear(&d->all);
    }
    return status;
}

static enum odp_status digest_record(struct digester *d, const struct odp_reading_record *rec)
{
    size_t before = d->plain.len;
    odp_logical_record(&d->plain, d->marks, rec->text, d->layout->n);
    d->whole = d->whole && rec->geometry_whole;
    if (d->layout->has_geometry && d->whole && odp_buffer_status(&d->plain) == ODP_OK) {
        odp_buffer_add(&d->all, d->plain.ptr + before, d->plain.len - before);
        odp_logical_geometry(&d->all, rec->geometry, true);
    }
    return drain(d, DIGEST_PIECE);
}

static enum odp_status digest_end(struct digester *d, struct odp_reading_digest *out)
{
    if (drain(d, 1) != ODP_OK || odp_digest_end(d->attributes, out->attributes) != ODP_OK)
        return ODP_FAIL;
    out->whole = d->whole;
    if (!d->layout->has_geometry)
        memcpy(out->logical, out->attributes, sizeof out->logical);
    else if (d->whole)
        return odp_digest_end(d->logical, out->logical);
    return ODP_OK;
}

static char *make_marks(const struct odp_layout *l, struct odp_arena *a)
{
    char *marks = odp_arena_alloc(a, (size_t)l->n + 1);
    for (uint32_t k = 0; k < l->n; k++)
        marks[k] = odp_logical_mark(l->fields[k].type);
    return marks;
}

enum odp_status odp_reading_digest(struct odp_reading *r, struct odp_reading_digest *out)
{
    struct digester d = {.layout = r->layout, .whole = true, .marks = make_marks(r->layout, &r->arena)};
    struct odp_reading_record rec;
    *out = (struct odp_reading_digest){0};
    enum odp_status status = ODP_FAIL;
    if (odp_digest_new(&d.logical) != ODP_OK || odp_digest_new(&d.attributes) != ODP_OK)
        goto done;
    add_header(&d.plain, r->layout);
    if (r->layout->has_geometry)
        add_header(&d.all, r->layout);
    while ((status = odp_reading_next(r, &rec)) == ODP_OK) {
        out->rows++;
        if (digest_record(&d, &rec) != ODP_OK) {
            status = ODP_FAIL;
            goto done;
        }
    }
    if (status == ODP_DONE)
        status = digest_end(&d, out);
done:
    odp_digest_free(d.logical);
    odp_digest_free(d.attributes);
    odp_buffer_release(&d.all);
    odp_buffer_release(&d.plain);
    return status;
}
