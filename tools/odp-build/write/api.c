/* The API's pages: v1/<slug>.json and v1/<slug>/v/<version>/p/<n>.json.
 *
 * Each page says how many records and pages there are, which is known only at the end. So the emitter notes
 * where pages end while records come, and cuts the pages at the end: out of the JSON download if it has the
 * same records with the same geometries. Otherwise it keeps the records: in memory while they are few, then
 * in a scratch file. A page takes another record while it has fewer than page_records, and its records (with
 * their commas and line feeds) stay within page_bytes; a larger record gets a page to itself. Without records
 * there is one empty page. */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "write/emitters.h"
#include "write/json.h"

#include "base/json.h"
#include "base/room.h"

enum { HOLD = 8 << 20 }; /* bytes kept in memory before the scratch file is used */

struct api_emit {
    struct odp_emit base;
    struct odp_json_plan plan;
    uint64_t page_records, page_bytes;
    struct odp_buffer held; /* all while there is no scratch file; then nothing */
    struct odp_file *scratch;
    const char *scratch_path; /* not NULL: the file exists */
    const char *download;     /* on the disk: has the records; NULL: they are held */
    uint64_t total;
    struct api_end {
        uint64_t at, records; /* where a page ends in the stream of records; how many it has */
    } * ends;
    size_t npages, cap;
    uint64_t size, start, records; /* of the stream; where the open page starts; records in it */
};

static void api_release(struct odp_emit *emit)
{
    struct api_emit *e = (struct api_emit *)emit;
    odp_file_discard(e->scratch);
    if (e->scratch_path != NULL && e->scratch == NULL)
        (void)unlink(e->scratch_path);
    odp_buffer_release(&e->held);
    free(e->ends);
}

static const char *api_form(const struct odp_emit_job *job)
{
    return odp_json_form(job, job->resource->geometry.api, false);
}

static const struct odp_emitter *api_reads(const struct odp_emit_job *job)
{
    bool same =
        job->output->place != NULL && strcmp(api_form(job), odp_json_form(job, ODP_GEOMETRY_FULL, true)) == 0;
    return same && odp_emit_offers(job, &odp_emitter_json) ? &odp_emitter_json : NULL;
}

/* Path of the JSON download, if its records are those of the pages. */
static enum odp_status find_download(struct api_emit *e)
{
    struct odp_output *output = e->base.job->output;
    if (api_reads(e->base.job) == NULL)
        return ODP_OK;
    const char *path = odp_emit_data_path(e->base.job, odp_emitter_json.file->extension, &e->base.arena);
    e->download = output->place(output->ctx, path, &e->base.arena);
    return e->download != NULL ? ODP_OK : ODP_FAIL;
}

static enum odp_status api_begin(struct odp_emit *emit)
{
    struct api_emit *e = (struct api_emit *)emit;
    const struct odp_emit_job *job = emit->job;
    const struct odp_portal *portal = &job->catalog->portal;
    e->page_records = portal->page_records > 0 ? (uint64_t)portal->page_records : 1000;
    e->page_bytes = portal->page_bytes > 0 ? (uint64_t)portal->page_bytes : 1 << 20;
    odp_json_plan_init(&e->plan, job, job->resource->geometry.api, NULL, ",\n", &emit->arena);
    return find_download(e);
}

static enum odp_status api_format(const struct odp_emit *e, const struct odp_batch *b, struct odp_chunk *out)
{
    return odp_json_format(&((const struct api_emit *)e)->plan, b, out);
}

static enum odp_status end_page(struct api_emit *e)
{
    if (!odp_room(e->ends, e->npages, e->cap))
        return ODP_FAIL;
    e->ends[e->npages++] = (struct api_end){e->size, e->records};
    e->start = e->size;
    e->records = 0;
    return ODP_OK;
}

/* BYTES at the end of what is held: in memory, or where they are too many in the scratch file. */
static enum odp_status hold(struct api_emit *e, struct odp_slice bytes)
{
    struct odp_output *output = e->base.job->output;
    if (e->scratch == NULL &&
        (e->held.len + bytes.len <= HOLD || output->scratch == NULL)) { /* or nowhere to put it */
        odp_buffer_add_slice(&e->held, bytes);
        return odp_buffer_status(&e->held);
    }
    if (e->scratch == NULL) {
        const char *path = output->scratch(output->ctx, &e->base.arena);
        if (odp_file_create_scratch(&e->scratch, path) != ODP_OK)
            return ODP_FAIL;
        e->scratch_path = path;
        if (odp_file_write(e->scratch, e->held.ptr, e->held.len) != ODP_OK)
            return ODP_FAIL;
        odp_buffer_release(&e->held);
    }
    return odp_file_write(e->scratch, bytes.ptr, bytes.len);
}

static enum odp_status api_append(struct odp_emit *emit, const struct odp_chunk *c)
{
    struct api_emit *e = (struct api_emit *)emit;
    uint32_t from = 0;
    for (uint32_t i = 0; i < c->n; i++) {
        uint64_t len = c->ends[i] - from;
        from = c->ends[i];
        bool full =
            e->records > 0 && (e->records >= e->page_records || e->size - e->start + len > e->page_bytes);
        if (full && end_page(e) != ODP_OK)
            return ODP_FAIL;
        e->size += len;
        e->records++;
    }
    e->total += c->n;
    return e->download != NULL ? ODP_OK : hold(e, odp_buffer_slice(&c->bytes));
}

/* The stream of records, read once from its start, a page at a time. */
struct stream {
    struct odp_reader *reader; /* NULL: all is in memory */
    struct odp_slice rest;
    const char *path;
};

/* The next LEN bytes, at the end of OUT. */
static enum odp_status stream_read(struct stream *s, uint64_t len, struct odp_buffer *out)
{
    if (s->reader == NULL) {
        odp_buffer_add(out, s->rest.ptr, (size_t)len);
        s->rest.ptr += len;
        return odp_buffer_status(out);
    }
    char *to = odp_buffer_reserve(out, (size_t)len + 1);
    for (size_t got = 0; to != NULL && len > 0; len -= got) {
        if (odp_reader_read(s->reader, out->ptr + out->len, (size_t)len, &got) == ODP_FAIL)
            return ODP_FAIL;
        if (got == 0)
            return odp_failure_set("read", s->path, EIO);
        out->len += got;
    }
    return to != NULL ? ODP_OK : ODP_FAIL;
}

static enum odp_status open_file(struct stream *s, const char *path)
{
    int errnum = 0;
    s->path = path;
    enum odp_status status = odp_reader_open(&s->reader, path, &errnum);
    return status == ODP_BAD ? odp_failure_set("open", path, errnum) : status;
}

/* The last byte before the records is where their first comma would be, which no page needs. */
static enum odp_status open_download(struct stream *s, const char *path)
{
    struct odp_buffer head;
    odp_buffer_init(&head);
    enum odp_status status = open_file(s, path);
    if (status == ODP_OK)
        status = stream_read(s, sizeof ODP_JSON_HEAD - 2, &head);
    odp_buffer_release(&head);
    return status;
}

static enum odp_status stream_open(struct stream *s, struct api_emit *e)
{
    *s = (struct stream){NULL, odp_buffer_slice(&e->held), NULL};
    if (e->download != NULL)
        return open_download(s, e->download);
    if (e->scratch == NULL)
        return ODP_OK;
    struct odp_file *scratch = e->scratch;
    e->scratch = NULL;
    return odp_file_close(scratch, NULL) == ODP_OK ? open_file(s, e->scratch_path) : ODP_FAIL;
}

/* The address of page TO, relative to page FROM. 0: no such page. */
static void add_link(struct odp_buffer *out, struct api_emit *e, const char *rel, uint64_t from, uint64_t to)
{
    const struct odp_resource *r = e->base.job->resource;
    const char *name = r->primary ? r->dataset->slug : r->name, *url;
    unsigned long long n = to;
    odp_buffer_printf(out, "\"%s\":", rel);
    if (to == 0) {
        odp_buffer_add_str(out, "null");
        return;
    }
    if (to == 1)
        url = odp_arena_printf(&e->base.arena, "%s%s.json", from == 1 ? "" : "../../../../", name);
    else if (from == 1)
        url = odp_arena_printf(&e->base.arena, "%s/v/%s/p/%llu.json", name, e->base.job->version, n);
    else
        url = odp_arena_printf(&e->base.arena, "%llu.json", n);
    odp_json_add_string(out, odp_slice_of(url));
}

static void add_links(struct odp_buffer *out, struct api_emit *e, uint64_t page)
{
    odp_buffer_add_str(out, ",\"links\":{");
    add_link(out, e, "self", page, page);
    odp_buffer_add_char(out, ',');
    add_link(out, e, "next", page, page < e->npages ? page + 1 : 0);
    odp_buffer_add_char(out, ',');
    add_link(out, e, "prev", page, page - 1);
    odp_buffer_add_char(out, ',');
    add_link(out, e, "first", page, 1);
    odp_buffer_add_char(out, ',');
    add_link(out, e, "last", page, e->npages);
    odp_buffer_add_str(out, "}}\n");
}

/* A thousand pages need as long as the query index, which is made at the same time. */
static enum odp_status press_page(const struct odp_output *output, const char *path)
{
    return output->press != NULL ? output->press(output->ctx, path) : ODP_OK;
}

/* TEXT: of the page, made here. */
static enum odp_status write_page(struct api_emit *e, struct stream *s, uint64_t page,
                                  struct odp_buffer *text)
{
    static const char head[] = ODP_JSON_HEAD;
    const struct odp_emit_job *job = e->base.job;
    const struct odp_emit_page meta = {e->ends[page - 1].records, e->page_records, page, e->npages};
    uint64_t len = e->ends[page - 1].at - (page > 1 ? e->ends[page - 2].at : 0);
    const char *path = page == 1 ? odp_emit_api_path(job->resource, &e->base.arena)
                                 : odp_emit_page_path(job->resource, job->version, page, &e->base.arena);
    odp_buffer_clear(text);
    odp_buffer_add_str(text, head);
    if (len > 0) { /* the last byte of the head takes the place of the first record's comma */
        text->len--;
        if (stream_read(s, len, text) != ODP_OK)
            return ODP_FAIL;
        text->ptr[sizeof head - 2] = head[sizeof head - 2];
    }
    odp_buffer_add_str(text, len > 0 ? "\n]" : "]");
    odp_emit_add_meta(text, job, e->total, &meta);
    add_links(text, e, page);
    enum odp_status status = odp_emit_put(job, path, odp_emitter_api.file->media_type, ODP_CLASS_KEYED, text);
    return status == ODP_OK ? press_page(job->output, path) : status;
}

static enum odp_status api_end(struct odp_emit *emit)
{
    struct api_emit *e = (struct api_emit *)emit;
    struct odp_buffer text;
    struct stream s = {0};
    odp_buffer_init(&text);
    enum odp_status status = e->records > 0 || e->npages == 0 ? end_page(e) : ODP_OK;
    if (status == ODP_OK)
        status = stream_open(&s, e);
    for (uint64_t page = 1; page <= e->npages && status == ODP_OK; page++)
        status = write_page(e, &s, page, &text);
    odp_reader_close(s.reader);
    odp_buffer_release(&text);
    return status;
}

const struct odp_emitter odp_emitter_api = {
    .file = &(
        const struct odp_format_file){.name = "api", .extension = ".json", .media_type = "application/json"},
    .form = api_form,
    .size = sizeof(struct api_emit),
    .begin = api_begin,
    .format_batch = api_format,
    .append = api_append,
    .end = api_end,
    .reads = api_reads,
    .release = api_release,
};
