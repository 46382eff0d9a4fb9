/* Where the records of a .shp are, whatever its header and the index say of it.
 *
 * There are two witnesses: the index, and the records themselves, each of which states its length, so that
 * the next one follows it. A third one, the .dbf, says how many there should be. The index is believed
 * where all its entries lie in the file and each finds a record of the length it states (shapes may be in
 * another order than the rows, or be left behind by a program that moved them), or where its entries are
 * the whole file, in order; else the records, if they follow each other to the end; else, if the .shp is
 * shorter than its header states, those that are whole, and the rest are lost. */
#include "repair/shapes/mend_internal.h"

struct witness {
    struct odp_buffer list; /* of struct mend_record */
    uint32_t n;
    bool whole; /* all of the file is in its records */
    bool cut;   /* the last record reaches beyond the file's end */
};

static void take(struct witness *w, uint64_t offset, uint64_t content)
{
    const struct mend_record r = {offset, (uint32_t)content, MEND_NONE};
    odp_buffer_add(&w->list, &r, sizeof r);
    w->n++;
}

static bool is_type(const struct mend *m, uint32_t type)
{
    return type == SHPT_NULL || type == m->source.type;
}

/* The record whose header is at POS; its content in *CONTENT. *CUT: it has one, beyond the end. */
static bool is_record(const struct mend *m, struct shape_stream *shp, uint64_t pos, uint64_t *content,
                      bool *cut)
{
    const uint8_t *p = shape_at(shp, pos, 12);
    *cut = p == NULL && pos < shp->part->size;
    if (p == NULL)
        return false;
    *content = (uint64_t)shape_be32(p + 4) * 2;
    if (*content < 4 || *content > INT32_MAX || !is_type(m, shape_le32(p + 8)))
        return false;
    *cut = *content > shp->part->size - pos - 8;
    return !*cut;
}

/* By the index: every entry must find a record as long as it says. */
static bool by_index(const struct mend *m, struct shape_stream *shp, struct witness *w, uint64_t bytes)
{
    struct shape_stream shx = {.part = &m->source.parts[SHAPE_SHX]};
    uint64_t covered = 0, n = shx.part->present && bytes >= MEND_HEADER ? (bytes - MEND_HEADER) / 8 : 0;
    bool fits = shx.part->present && n < INT32_MAX / 8, agrees = true, tiles = true, cut;
    for (uint64_t i = 0; i < n && fits; i++) {
        const uint8_t *e = shape_at(&shx, MEND_HEADER + 8 * i, 8);
        uint64_t content = 0, offset = e != NULL ? (uint64_t)shape_be32(e) * 2 : 0;
        uint64_t stated = e != NULL ? (uint64_t)shape_be32(e + 4) * 2 : 0;
        fits = e != NULL && offset >= MEND_HEADER && stated >= 4 && offset + 8 + stated <= shp->part->size;
        agrees = agrees && fits && is_record(m, shp, offset, &content, &cut) && content == stated;
        const uint8_t *p = fits ? shape_at(shp, offset + 8, 4) : NULL;
        fits = p != NULL && is_type(m, shape_le32(p));
        tiles = tiles && offset == MEND_HEADER + covered;
        covered += stated + 8;
        if (fits)
            take(w, offset + 8, stated);
    }
    w->whole = fits && covered == shp->part->size - MEND_HEADER;
    shape_stream_release(&shx);
    return fits && (agrees || (w->whole && tiles));
}

static void by_walking(const struct mend *m, struct shape_stream *shp, struct witness *w)
{
    uint64_t pos = MEND_HEADER, content = 0;
    while (w->n < INT32_MAX / 8 && is_record(m, shp, pos, &content, &w->cut)) {
        take(w, pos + 8, content);
        pos += 8 + content;
    }
    w->whole = pos == shp->part->size;
}

static enum odp_status settle(struct mend *m, struct witness *w, uint32_t rows)
{
    while (rows != UINT32_MAX && w->n < rows) /* lost */
        take(w, 0, 0);
    struct odp_buffer none = m->list;
    m->list = w->list;
    w->list = none;
    m->records = (void *)m->list.ptr;
    m->n = w->n;
    return odp_buffer_status(&m->list);
}

enum odp_status mend_find_records(struct mend *m, uint32_t rows)
{
    struct shape_stream shp = {.part = &m->source.parts[SHAPE_SHP]};
    const struct shape_part *shx = &m->source.parts[SHAPE_SHX];
    struct witness found[3] = {0}; /* the index as its header has it, as the file has it; the records */
    const uint8_t *h = shape_at(&shp, 0, MEND_HEADER);
    enum odp_status status = ODP_BAD;
    if (h == NULL)
        return shp.failed ? ODP_FAIL : ODP_BAD;
    m->source.type = shape_le32(h + 32);
    const uint64_t length = (uint64_t)shape_be32(h + 24) * 2;
    struct shape_stream own = {.part = shx};
    const uint8_t *head = shx->present ? shape_at(&own, 0, MEND_HEADER) : NULL;
    uint64_t stated = head != NULL ? (uint64_t)shape_be32(head + 24) * 2 : 0;
    shape_stream_release(&own);
    bool fit[3] = {by_index(m, &shp, &found[0], stated < shx->size ? stated : shx->size),
                   by_index(m, &shp, &found[1], shx->size), true};
    by_walking(m, &shp, &found[2]);
    for (int i = 0; i < 3 && status == ODP_BAD && !shp.failed; i++)
        if (fit[i] && (rows == UINT32_MAX ? found[i].whole : found[i].n == rows))
            status = settle(m, &found[i], rows);
    if (status == ODP_BAD && found[2].cut && length > shp.part->size && found[2].n > 0 &&
        rows != UINT32_MAX && found[2].n < rows)
        status = settle(m, &found[2], rows);
    for (int i = 0; i < 3; i++)
        odp_buffer_release(&found[i].list);
    shape_stream_release(&shp);
    return shp.failed ? ODP_FAIL : status;
}
