/* Digests of cells, as they are written and as they are read back. */
#include "repair/rewrite/proof.h"

#include "read/source.h"
#include "repair/rewrite/csv_cell.h"

enum { GATHERED = 64 * 1024 };

enum odp_status odp_proof_begin(struct odp_proof *p)
{
    return odp_digest_new(&p->digest);
}

void odp_proof_cell(struct odp_proof *p, struct odp_slice text)
{
    uint32_t len = (uint32_t)text.len;
    if (p->digest == NULL)
        return;
    odp_buffer_add(&p->gathered, &len, sizeof len);
    odp_buffer_add(&p->gathered, text.ptr, text.len);
}

static enum odp_status pass_on(struct odp_proof *p)
{
    if (odp_buffer_status(&p->gathered) != ODP_OK)
        return ODP_FAIL;
    enum odp_status status = odp_digest_add(p->digest, p->gathered.ptr, p->gathered.len);
    odp_buffer_clear(&p->gathered);
    return status;
}

enum odp_status odp_proof_record(struct odp_proof *p)
{
    static const uint32_t end = UINT32_MAX;
    p->records++;
    if (p->digest == NULL)
        return ODP_OK;
    odp_buffer_add(&p->gathered, &end, sizeof end);
    return p->gathered.len < GATHERED ? odp_buffer_status(&p->gathered) : pass_on(p);
}

enum odp_status odp_proof_end(struct odp_proof *p, uint8_t sha256[ODP_SHA256_SIZE])
{
    return pass_on(p) == ODP_OK ? odp_digest_end(p->digest, sha256) : ODP_FAIL;
}

void odp_proof_release(struct odp_proof *p)
{
    odp_digest_free(p->digest);
    odp_buffer_release(&p->gathered);
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

/* ---- reading back ---- */

struct reading {
    struct odp_proof proof;
    struct odp_buffer room;
    bool sound;
};

static enum odp_status take_record(struct reading *x, const struct csv_rules *rules, struct odp_slice text)
{
    struct csv_cursor cursor = {.rules = rules, .p = text.ptr, .n = text.len};
    struct csv_raw raw;
    x->sound = x->sound && odp_proof_is_sound(rules, text);
    while (csv_cursor_next(&cursor, &raw))
        odp_proof_cell(&x->proof, odp_cell_text(rules, text.ptr, &raw, &x->room));
    return odp_buffer_status(&x->room) == ODP_OK ? odp_proof_record(&x->proof) : ODP_FAIL;
}

static enum odp_status read_records(struct reading *x, struct odp_source *source,
                                    const struct odp_resource *r)
{
    const struct csv_rules *rules = &((const struct csv_source *)(const void *)source)->rules;
    struct odp_batch b;
    enum odp_status status = odp_batch_init(&b, 0);
    while (status == ODP_OK) {
        odp_batch_reset(&b, r);
        status = odp_source_read(source, &b);
        for (uint32_t i = 0; i < b.nrecords && status == ODP_OK; i++)
            status = take_record(x, rules, b.records[i].source);
    }
    odp_batch_release(&b);
    return status == ODP_DONE ? ODP_OK : status;
}

enum odp_status odp_proof_read(const struct odp_resource *r, const char *path, const char *file,
                               uint64_t records, const uint8_t sha256[ODP_SHA256_SIZE])
{
    struct odp_diags *own = NULL;
    struct odp_source *source = NULL;
    struct reading x = {.sound = true};
    uint8_t found[ODP_SHA256_SIZE];
    enum odp_status status = odp_diags_new(&own, 0);
    if (status == ODP_OK)
        status = odp_proof_begin(&x.proof);
    if (status == ODP_OK)
        status = odp_source_open(&source, r, path, file, 1, own);
    if (status == ODP_OK)
        status = read_records(&x, source, r);
    if (status == ODP_OK)
        status = odp_proof_end(&x.proof, found);
    if (status == ODP_OK &&
        (!x.sound || x.proof.records != records || memcmp(found, sha256, sizeof found) != 0))
        status = ODP_BAD;
    odp_source_close(source);
    odp_proof_release(&x.proof);
    odp_buffer_release(&x.room);
    odp_diags_free(own);
    return status;
}
