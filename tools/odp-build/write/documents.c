/* The PDF files that records name (odp:document): copied next to the other files of the version, each once,
 * and listed with their properties in documents[-<resource>].json.
 *
 * validate has read every file and left its findings in the batch. Here the bytes are read a second time, to
 * be copied: they must still have the digest in the records. A chunk is, for each file of each record: struct
 * piece, then the texts whose lengths it holds. */
#include <stdlib.h>

#include "write/emitters.h"
#include "write/feature.h"

#include "base/json.h"
#include "base/room.h"

#define PIECES (1 << 16) /* bytes copied at once */

struct piece {
    uint64_t bytes, pages;
    uint8_t sha256[ODP_SHA256_SIZE];
    uint32_t value, source, folder,
        id; /* lengths; FOLDER: that of the part of SOURCE that is the folder, with its '/' */
};

struct document {
    struct piece piece;
    const char *value, *source;
    struct odp_buffer records; /* "id","id" */
};

struct documents_emit {
    struct odp_emit base;
    const struct odp_key *key;
    struct document *documents; /* in order of first appearance */
    size_t n, cap;
    json_t *known; /* by value: its place among them */
};

static bool is_wanted(const struct odp_emit_job *job)
{
    const struct odp_schema *s = &job->resource->schema;
    for (uint32_t f = 0; f < s->n && job->slice == NULL && job->source_dir != NULL; f++)
        if (s->fields[f].document != NULL && s->fields[f].is_public)
            return true;
    return false;
}

static void documents_release(struct odp_emit *emit)
{
    struct documents_emit *e = (struct documents_emit *)emit;
    for (size_t i = 0; i < e->n; i++)
        odp_buffer_release(&e->documents[i].records);
    json_decref(e->known);
    free(e->documents);
}

static enum odp_status documents_begin(struct odp_emit *emit)
{
    struct documents_emit *e = (struct documents_emit *)emit;
    e->key = odp_feature_key(&emit->job->resource->schema);
    e->known = json_object();
    return ODP_OK;
}

static enum odp_status documents_format(const struct odp_emit *emit, const struct odp_batch *b,
                                        struct odp_chunk *out)
{
    const struct documents_emit *e = (const struct documents_emit *)emit;
    const struct odp_field *fields = e->base.job->resource->schema.fields;
    struct odp_buffer id;
    odp_buffer_init(&id);
    for (uint32_t k = 0; k < b->ndocuments; k++) {
        const struct odp_batch_document *d = &b->documents[k];
        const struct odp_column *column = &b->columns[d->field];
        if (b->record_bad[d->record] || column->state[d->record] != ODP_VALUE_OK ||
            !fields[d->field].is_public)
            continue;
        struct odp_slice value = column->text[d->record];
        odp_buffer_clear(&id);
        odp_feature_add_id(e->key, &id, b, d->record);
        struct piece p = {.bytes = d->bytes,
                          .pages = d->pages,
                          .value = (uint32_t)value.len,
                          .source = (uint32_t)strlen(d->source),
                          .folder = (uint32_t)strlen(fields[d->field].document->folder) + 1,
                          .id = (uint32_t)id.len};
        memcpy(p.sha256, d->sha256, sizeof p.sha256);
        odp_buffer_add(&out->bytes, &p, sizeof p);
        odp_buffer_add_slice(&out->bytes, value);
        odp_buffer_add_str(&out->bytes, d->source);
        odp_buffer_add_slice(&out->bytes, odp_buffer_slice(&id));
    }
    enum odp_status status = odp_buffer_status(&id);
    odp_buffer_release(&id);
    return status == ODP_OK ? odp_buffer_status(&out->bytes) : status;
}

/* ---- which files there are ---- */

/* The file that the piece at TEXT names, entered where it is new. */
static enum odp_status take_piece(struct documents_emit *e, const struct piece *p, const char *text)
{
    struct odp_arena *a = &e->base.arena;
    const char *value = odp_arena_copy(a, (struct odp_slice){text, p->value}).ptr;
    json_t *known = json_object_get(e->known, value);
    size_t at = known != NULL ? (size_t)json_integer_value(known) : e->n;
    if (!odp_room(e->documents, e->n, e->cap))
        return ODP_FAIL;
    struct document *d = &e->documents[at];
    if (known == NULL) {
        const char *source = odp_arena_copy(a, (struct odp_slice){text + p->value, p->source}).ptr;
        *d = (struct document){.piece = *p, .value = value, .source = source};
        odp_buffer_init(&d->records);
        json_object_set_new_nocheck(e->known, value, json_integer((json_int_t)e->n++));
    } else {
        odp_buffer_add_char(&d->records, ',');
    }
    odp_buffer_add(&d->records, text + p->value + p->source, p->id);
    return odp_buffer_status(&d->records);
}

static enum odp_status documents_append(struct odp_emit *emit, const struct odp_chunk *c)
{
    struct documents_emit *e = (struct documents_emit *)emit;
    enum odp_status status = ODP_OK;
    for (size_t at = 0; at < c->bytes.len && status == ODP_OK;) {
        struct piece p;
        memcpy(&p, c->bytes.ptr + at, sizeof p);
        status = take_piece(e, &p, c->bytes.ptr + at + sizeof p);
        at += sizeof p + p.value + p.source + p.id;
    }
    return status;
}

/* ---- copying ---- */

static enum odp_status changed(const char *path)
{
    return odp_failure_set("the file has changed since it was checked; build again:", path, ODP_FAILURE_TOLD);
}

/* All of R into TO; its digest in SHA256. */
static enum odp_status copy_bytes(struct odp_reader *r, struct odp_file *to, struct odp_digest *digest,
                                  uint8_t sha256[ODP_SHA256_SIZE])
{
    char piece[PIECES];
    enum odp_status status = ODP_OK;
    while (status == ODP_OK) {
        size_t got = 0;
        status = odp_reader_read(r, piece, PIECES, &got);
        if (status != ODP_OK)
            break;
        status = odp_file_write(to, piece, got);
        if (status == ODP_OK)
            status = odp_digest_add(digest, piece, got);
    }
    return status == ODP_DONE ? odp_digest_end(digest, sha256) : status;
}

static enum odp_status copy_file(const struct odp_output *output, const char *from, const char *to,
                                 const uint8_t expected[ODP_SHA256_SIZE])
{
    struct odp_reader *r = NULL;
    struct odp_digest *digest = NULL;
    struct odp_file *f = NULL;
    uint8_t sha256[ODP_SHA256_SIZE];
    enum odp_status status = odp_reader_open(&r, from, NULL);
    if (status == ODP_BAD)
        return changed(from);
    if (status == ODP_OK)
        status = odp_digest_new(&digest);
    if (status == ODP_OK)
        status = output->create(output->ctx, to, &f);
    if (status == ODP_OK)
        status = copy_bytes(r, f, digest, sha256);
    if (status == ODP_OK && memcmp(sha256, expected, sizeof sha256) != 0)
        status = changed(from);
    if (status == ODP_OK)
        status = output->close(output->ctx, f, to, "application/pdf", ODP_CLASS_PUBLIC);
    else
        odp_file_discard(f);
    odp_digest_free(digest);
    odp_reader_close(r);
    return status;
}

/* Another resource of the dataset may have named the same file: then it is there already. */
static enum odp_status put_file(const struct odp_emit_job *job, const struct document *d, struct odp_arena *a)
{
    const struct odp_output *output = job->output;
    struct odp_file_info there;
    const char *from = odp_path_join(a, job->source_dir, d->source);
    const char *to =
        odp_arena_printf(a, "data/%s/%s/%s", job->resource->dataset->slug, job->version, d->value);
    const char *place = output->place != NULL ? output->place(output->ctx, to, a) : to;
    if (place == NULL)
        return ODP_FAIL;
    if (output->place == NULL || odp_file_kind_of(place) == ODP_FILE_NONE)
        return copy_file(output, from, to, d->piece.sha256);
    enum odp_status status = odp_file_digest(place, &there);
    return status == ODP_OK && memcmp(there.sha256, d->piece.sha256, sizeof there.sha256) == 0
               ? ODP_OK
               : changed(from);
}

static void describe(const struct document *d, bool first, struct odp_buffer *out)
{
    char hex[ODP_SHA256_HEX];
    odp_digest_hex(d->piece.sha256, hex);
    odp_json_add_str(out, first ? "\n{\"path\":" : ",\n{\"path\":", d->value);
    odp_json_add_u64(out, ",\"bytes\":", d->piece.bytes);
    odp_buffer_printf(out, ",\"sha256\":\"sha256:%s\",\"pages\":", hex);
    odp_buffer_add_u64(out, d->piece.pages);
    odp_json_add_str(out, ",\"source\":", d->source + d->piece.folder);
    odp_buffer_add_str(out, ",\"records\":[");
    odp_buffer_add_slice(out, odp_buffer_slice(&d->records));
    odp_buffer_add_str(out, "]}");
}

static enum odp_status put_list(struct documents_emit *e)
{
    const struct odp_emit_job *job = e->base.job;
    const struct odp_resource *r = job->resource;
    struct odp_buffer text;
    const char *path = odp_arena_printf(&e->base.arena, "data/%s/%s/documents%s%s.json", r->dataset->slug,
                                        job->version, r->primary ? "" : "-", r->primary ? "" : r->name);
    odp_buffer_init(&text);
    odp_buffer_add_str(&text, "{\"data\":[");
    for (size_t i = 0; i < e->n; i++)
        describe(&e->documents[i], i == 0, &text);
    odp_buffer_add_str(&text, "\n],\"status\":\"success\"}\n");
    enum odp_status status = odp_emit_put(job, path, "application/json", ODP_CLASS_PUBLIC, &text);
    odp_buffer_release(&text);
    return status;
}

/* Only now: a resource that was rejected must leave nothing. */
static enum odp_status documents_end(struct odp_emit *emit)
{
    struct documents_emit *e = (struct documents_emit *)emit;
    struct odp_arena a;
    enum odp_status status = ODP_OK;
    odp_arena_init(&a);
    for (size_t i = 0; i < e->n && status == ODP_OK; i++) {
        status = put_file(e->base.job, &e->documents[i], &a);
        odp_arena_reset(&a);
    }
    if (status == ODP_OK && e->n > 0)
        status = put_list(e);
    odp_arena_release(&a);
    return status;
}

const struct odp_emitter odp_emitter_documents = {
    .file = &(const struct odp_format_file){.name = "documents",
                                            .extension = ".pdf",
                                            .media_type = "application/pdf"},
    .wanted = is_wanted,
    .size = sizeof(struct documents_emit),
    .begin = documents_begin,
    .format_batch = documents_format,
    .append = documents_append,
    .end = documents_end,
    .release = documents_release,
};
