/* .shp and .shx against the real files (ESRI Shapefile Technical Description, July 1998). What passes here is
 * safe to hand to shapelib: every index entry lies inside the .shp, and no count is larger than its file. */

#include "read/shapefile/reader.h"
#include "words/read.h"

#define HEADER  100u
#define VERSION 28u /* here and up to the range of Z: version, type, box */
#define TYPE    32u
#define Z_RANGE 68u

static const struct odp_text no_header = {{W_read_shorter_than_header_bytes}};
static const struct odp_text no_magic = {{W_read_not_shapefile_does_not_begin}};
static const struct odp_text truncated = {{W_read_truncated_bytes_header_states}};
static const struct odp_text odd_length = {{W_read_header_states_impossible_length}};
static const struct odp_text bad_entry = {{W_read_record_points_outside_shp}};
static const struct odp_text other_header = {{W_read_type_bounding_box_header_differ}};
static const struct odp_text other_size = {{W_read_points_bytes_records_shp_holds}};
static const struct odp_text bad_walk = {{W_read_record_at_byte_not_whole}};
static const struct odp_text too_many = {{W_read_too_many_records}};

static enum odp_status damaged(struct shape_source *s, const struct shape_part *p,
                               const struct odp_text *message, const char *a1, const char *a2)
{
    struct odp_diag d = {.code = ODP_G13,
                         .file = p->name,
                         .args = {odp_slice_of(p->name), odp_slice_of(a1), odp_slice_of(a2)}};
    /* What is no shapefile is not written anew as one. */
    if (shape_mends(s) && message != &too_many &&
        (p == &s->parts[SHAPE_SHX] || (message != &no_header && message != &no_magic)))
        d.action = ODP_ACTION_MEND_SHAPE;
    return shape_refuse(s, &d, message);
}

/* The stated length in *LEN, at most the real size. */
static enum odp_status check_header(struct shape_source *s, struct shape_stream *st, uint64_t *len,
                                    uint32_t *type)
{
    const struct shape_part *p = st->part;
    const uint8_t *h = shape_at(st, 0, HEADER);
    if (h == NULL)
        return st->failed ? ODP_FAIL : damaged(s, p, &no_header, shape_number(s, p->size), NULL);
    if (shape_be32(h) != 9994)
        return damaged(s, p, &no_magic, NULL, NULL);
    *type = shape_le32(h + TYPE);
    *len = (uint64_t)shape_be32(h + 24) * 2;
    if (*len < HEADER || *len > UINT32_MAX) /* the length is a signed count of 16-bit words */
        return damaged(s, p, &odd_length, shape_number(s, *len), NULL);
    if (*len > p->size)
        return damaged(s, p, &truncated, shape_number(s, p->size), shape_number(s, *len));
    if (*len < p->size)
        return shape_warn(s, ODP_G24, p->name, p->name, shape_number(s, p->size - *len));
    return ODP_OK;
}

static bool type_known(uint32_t t)
{
    static const uint8_t known[] = {0, 1, 3, 5, 8, 11, 13, 15, 18, 21, 23, 25, 28, 31};
    return t < 32 && memchr(known, (int)t, sizeof known) != NULL;
}

/* Every writer puts the same version, type and box into both headers: an index that has others is that of
 * another file. *INDEXED: bytes of the records that it points to. */
static enum odp_status check_index(struct shape_source *s, struct shape_stream *shp, struct shape_stream *shx,
                                   uint64_t shp_len, uint64_t *indexed)
{
    uint64_t len = 0;
    uint32_t type = 0;
    enum odp_status st = check_header(s, shx, &len, &type);
    if (st != ODP_OK)
        return st;
    const uint8_t *theirs = shape_at(shp, 0, HEADER), *ours = shape_at(shx, 0, HEADER);
    if (theirs == NULL || ours == NULL)
        return ODP_FAIL;
    if (memcmp(theirs + VERSION, ours + VERSION, Z_RANGE - VERSION) != 0)
        return damaged(s, shx->part, &other_header, NULL, NULL);
    uint64_t n = (len - HEADER) / 8;
    if ((len - HEADER) % 8 != 0)
        return damaged(s, shx->part, &odd_length, shape_number(s, len), NULL);
    if (n > INT32_MAX / 8)
        return damaged(s, shx->part, &too_many, shape_number(s, n), NULL);
    for (uint64_t i = 0; i < n; i++) {
        const uint8_t *e = shape_at(shx, HEADER + 8 * i, 8);
        if (e == NULL)
            return ODP_FAIL;
        uint64_t offset = (uint64_t)shape_be32(e) * 2, content = (uint64_t)shape_be32(e + 4) * 2;
        if (offset < HEADER || content < 4 || offset + 8 + content > shp_len)
            return damaged(s, shx->part, &bad_entry, shape_number(s, i + 1),
                           shape_arg(s, "%llu + %llu > %llu", (unsigned long long)offset,
                                     (unsigned long long)content + 8, (unsigned long long)shp_len));
        *indexed += 8 + content;
    }
    s->nrecords = (uint32_t)n;
    return ODP_OK;
}

static void put_be32(uint8_t *p, uint32_t v)
{
    p[0] = (uint8_t)(v >> 24), p[1] = (uint8_t)(v >> 16), p[2] = (uint8_t)(v >> 8), p[3] = (uint8_t)v;
}

static enum odp_status index_room(struct shape_part *p, size_t *cap)
{
    if (p->size + 8 <= *cap)
        return ODP_OK;
    size_t want = *cap != 0 ? *cap * 2 : 65536;
    uint8_t *mem = odp_realloc_array(p->mem, want, 1);
    if (mem == NULL)
        return ODP_FAIL;
    p->mem = mem;
    *cap = want;
    return ODP_OK;
}

/* Without .shx the records are found by walking the .shp; every one must be whole and of a known type. */
static enum odp_status rebuild_index(struct shape_source *s, struct shape_stream *shp, uint64_t shp_len)
{
    struct shape_part *p = &s->parts[SHAPE_SHX];
    const uint8_t *h = shape_at(shp, 0, HEADER);
    size_t cap = 0;
    if (h == NULL || index_room(p, &cap) != ODP_OK)
        return ODP_FAIL;
    memcpy(p->mem, h, HEADER);
    p->size = HEADER;
    uint64_t pos = HEADER, n = 0;
    for (; pos < shp_len; n++) {
        const uint8_t *r = shp_len - pos >= 12 ? shape_at(shp, pos, 12) : NULL;
        if (shp->failed)
            return ODP_FAIL;
        uint64_t content = r != NULL ? (uint64_t)shape_be32(r + 4) * 2 : 0;
        if (r == NULL || content < 4 || content > shp_len - pos - 8 || !type_known(shape_le32(r + 8)))
            return damaged(s, shp->part, &bad_walk, shape_number(s, n + 1), shape_number(s, pos));
        if (n >= INT32_MAX / 8)
            return damaged(s, shp->part, &too_many, shape_number(s, n), NULL);
        if (index_room(p, &cap) != ODP_OK)
            return ODP_FAIL;
        put_be32(p->mem + p->size, (uint32_t)(pos / 2));
        put_be32(p->mem + p->size + 4, (uint32_t)(content / 2));
        p->size += 8;
        pos += 8 + content;
    }
    put_be32(p->mem + 24, (uint32_t)(p->size / 2));
    p->name = s->parts[SHAPE_SHP].name;
    p->present = true;
    s->nrecords = (uint32_t)n;
    return shape_warn(s, ODP_G11, s->parts[SHAPE_SHP].name, NULL, NULL);
}

/* MENDS: the index leaves out what is in the .shp, so it may be that which is wrong. */
static enum odp_status count_fault(struct shape_source *s, bool mends)
{
    struct odp_diag d = {
        .code = ODP_G12,
        .file = s->base.info.file,
        .action = mends && shape_mends(s) ? ODP_ACTION_MEND_SHAPE : ODP_ACTION_REPLACE,
        .args = {odp_slice_of(shape_number(s, s->nrecords)), odp_slice_of(shape_number(s, s->dbf.records))}};
    return shape_refuse(s, &d, NULL);
}

enum odp_status shape_check(struct shape_source *s)
{
    struct shape_stream shp = {.part = &s->parts[SHAPE_SHP]}, shx = {.part = &s->parts[SHAPE_SHX]};
    uint64_t len = 0, indexed = 0;
    uint32_t type = 0;
    bool found = shx.part->present;
    enum odp_status st = check_header(s, &shp, &len, &type);
    s->type = type;
    if (st == ODP_OK && !type_known(type))
        st = shape_fault(s, ODP_G17, shp.part->name, shape_number(s, type));
    if (st == ODP_OK)
        st = found ? check_index(s, &shp, &shx, len, &indexed) : rebuild_index(s, &shp, len);
    if (st == ODP_OK && s->parts[SHAPE_DBF].present) {
        st = shape_dbf_check(s);
        if (st == ODP_OK && s->dbf.records != s->nrecords)
            st = count_fault(s, found && indexed != len - HEADER);
    } else if (st == ODP_OK && s->base.resource->schema.n > 0) {
        st = shape_fault(s, ODP_G10, s->base.info.file, NULL);
    }
    if (st == ODP_OK && found &&
        indexed != len - HEADER) /* records that nothing points to would be left out */
        st = damaged(s, shx.part, &other_size, shape_number(s, indexed), shape_number(s, len - HEADER));
    shape_stream_release(&shp);
    shape_stream_release(&shx);
    return st;
}
