/* What was written is read back: the same reader must find the cells that were meant, all of them and nothing
 * else.
 *
 * Without its proof nothing is replaced. There is none where the source has a broken record (how reading
 * goes on after it may depend on its neighbours) or could not be read before (title rows): there the check
 * that follows is the proof. */
#include <stdlib.h>

#include "read/source.h"
#include "repair/rewrite/csv_cell.h"
#include "repair/rewrite/csv_internal.h"

enum { GATHERED = 64 * 1024 };

void odp_proof_cell(struct odp_buffer *b, struct odp_slice text)
{
    uint32_t len = (uint32_t)text.len;
    odp_buffer_add(b, &len, sizeof len);
    odp_buffer_add(b, text.ptr, text.len);
}

enum odp_status odp_proof_record(struct odp_buffer *b, struct odp_digest *digest, bool last)
{
    static const uint32_t end = UINT32_MAX;
    if (!last)
        odp_buffer_add(b, &end, sizeof end);
    if (odp_buffer_status(b) != ODP_OK)
        return ODP_FAIL;
    if (!last && b->len < GATHERED)
        return ODP_OK;
    enum odp_status status = odp_digest_add(digest, b->ptr, b->len);
    odp_buffer_clear(b);
    return status;
}

bool odp_proof_is_sound(const struct csv_rules *rules, struct odp_slice source)
{
    struct csv_frame f;
    if (source.len == 0) /* a line too long for any record */
        return false;
    if (memchr(source.ptr, rules->quote, source.len) == NULL && rules->escape == '\0')
        return true;
    csv_frame_quoted(rules, &(struct csv_piece){.p = source.ptr, .n = source.len, .eof = true}, &f);
    return f.fault == CSV_FINE && f.len == source.len;
}

struct reading {
    struct odp_buffer gathered, room;
    struct odp_digest *digest;
    uint64_t records;
    bool sound;
};

static enum odp_status read_records(struct odp_source *source, const struct csv_rules *rules,
                                    struct odp_batch *b, const struct odp_resource *r, struct reading *out)
{
    enum odp_status status;
    for (;;) {
        odp_batch_reset(b, r);
        status = odp_source_read(source, b);
        if (status != ODP_OK)
            break;
        for (uint32_t i = 0; i < b->nrecords; i++) {
            struct odp_slice text = b->records[i].source;
            struct csv_cursor cursor = {.rules = rules, .p = text.ptr, .n = text.len};
            struct csv_raw raw;
            out->sound = out->sound && odp_proof_is_sound(rules, text);
            while (csv_cursor_next(&cursor, &raw))
                odp_proof_cell(&out->gathered, odp_cell_text(rules, text.ptr, &raw, &out->room));
            out->records++;
            if (odp_buffer_status(&out->room) != ODP_OK ||
                odp_proof_record(&out->gathered, out->digest, false) != ODP_OK)
                return ODP_FAIL;
        }
    }
    return status == ODP_DONE ? odp_proof_record(&out->gathered, out->digest, true) : status;
}

/* Another table would be there: nothing is replaced. */
static enum odp_status refute(const struct plan *p)
{
    struct odp_diag d = {.code = ODP_A07, .file = p->file};
    d.dataset = p->edits->resource->dataset != NULL ? p->edits->resource->dataset->slug : NULL;
    d.resource = p->edits->resource->name;
    return odp_diags_add(p->diags, &d) == ODP_FAIL ? ODP_FAIL : ODP_BAD;
}

enum odp_status odp_prove(const struct plan *p, const char *temporary)
{
    const struct odp_resource *r = p->edits->resource;
    struct odp_diags *own = NULL;
    struct odp_source *source = NULL;
    struct odp_batch b;
    struct reading reading = {.sound = true};
    uint8_t sha256[ODP_SHA256_SIZE];
    if (!p->proved)
        return ODP_OK;
    if (odp_diags_new(&own, 0) != ODP_OK)
        return ODP_FAIL;
    if (odp_batch_init(&b, 0) != ODP_OK) {
        odp_diags_free(own);
        return ODP_FAIL;
    }
    enum odp_status status = odp_digest_new(&reading.digest);
    if (status == ODP_OK)
        status = odp_source_open(&source, r, temporary, p->file, 1, own);
    if (status == ODP_OK)
        status =
            read_records(source, &((const struct csv_source *)(const void *)source)->rules, &b, r, &reading);
    if (status == ODP_OK)
        status = odp_digest_end(reading.digest, sha256);
    if (status == ODP_OK &&
        (!reading.sound || reading.records != p->records || memcmp(sha256, p->expected, sizeof sha256) != 0))
        status = ODP_BAD;
    if (status == ODP_BAD)
        status = refute(p);
    odp_source_close(source);
    odp_digest_free(reading.digest);
    odp_buffer_release(&reading.gathered);
    odp_buffer_release(&reading.room);
    odp_batch_release(&b);
    odp_diags_free(own);
    return status;
}
