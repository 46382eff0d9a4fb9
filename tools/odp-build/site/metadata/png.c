/* A PNG of a palette of at most 256 colours. */
#include "site/metadata/png.h"

#include <errno.h>
#include <libdeflate.h>
#include <stdlib.h>

enum { COLORS = 256, SLOTS = 1 << 16 /* of the table of colours; more than fit into a palette are never entered */ };

struct palette {
    uint32_t color[COLORS]; /* in order of appearance */
    uint32_t n;
    uint32_t *slots; /* hash of a colour to its number + 1 */
    uint32_t mask;   /* which bits of a colour count */
};

/* ---- chunks ------------------------------------------------------------------------------------------------------------------- */

static void add_u32(struct odp_buffer *out, uint32_t v)
{
    const unsigned char b[4] = {(unsigned char)(v >> 24), (unsigned char)(v >> 16), (unsigned char)(v >> 8), (unsigned char)v};
    odp_buffer_add(out, b, 4);
}

static void add_chunk(struct odp_buffer *out, const char type[5], struct odp_slice data)
{
    add_u32(out, (uint32_t)data.len);
    size_t at = out->len;
    odp_buffer_add(out, type, 4);
    odp_buffer_add_slice(out, data);
    if (!out->failed)
        add_u32(out, libdeflate_crc32(0, out->ptr + at, out->len - at));
}

static void add_header(struct odp_buffer *out, uint32_t width, uint32_t height)
{
    struct odp_buffer b;
    odp_buffer_init(&b);
    add_u32(&b, width);
    add_u32(&b, height);
    odp_buffer_add(&b, "\x08\x03\0\0", 5); /* 8 bits, a palette, deflate, filters, not interlaced: the literal's own zero ends it */
    out->failed = out->failed || b.failed;
    add_chunk(out, "IHDR", odp_buffer_slice(&b));
    odp_buffer_release(&b);
}

static void add_text(struct odp_buffer *out, const char *keyword, const char *text)
{
    struct odp_buffer b;
    odp_buffer_init(&b);
    odp_buffer_add(&b, keyword, strlen(keyword) + 1);
    odp_buffer_add(&b, "\0\0\0", 4); /* not compressed; no language, no translated keyword */
    odp_buffer_add_str(&b, text);
    out->failed = out->failed || b.failed;
    add_chunk(out, "iTXt", odp_buffer_slice(&b));
    odp_buffer_release(&b);
}

/* ---- colours -------------------------------------------------------------------------------------------------------------------- */

/* The number of COLOR, entered where it is new; -1: there is no room for it. */
static int number_of(struct palette *p, uint32_t color)
{
    uint32_t c = color & p->mask, at = (c * 2654435761U) >> 16;
    for (; p->slots[at] != 0; at = (at + 1) % SLOTS)
        if ((p->color[p->slots[at] - 1] & p->mask) == c)
            return (int)p->slots[at] - 1;
    if (p->n == COLORS)
        return -1;
    p->color[p->n] = color; /* the first of those that look alike stands for them */
    p->slots[at] = ++p->n;
    return (int)p->n - 1;
}

static const uint32_t *row_of(const uint32_t *pixels, size_t stride, uint32_t y)
{
    return (const uint32_t *)(const void *)((const char *)pixels + y * stride);
}

/* RAW: for each row a filter byte (none) and the numbers of its pixels. False: too many colours. */
static bool index_pixels(struct palette *p, const uint32_t *pixels, uint32_t width, uint32_t height, size_t stride, unsigned char *raw)
{
    memset(p->slots, 0, SLOTS * sizeof *p->slots);
    p->n = 0;
    for (uint32_t y = 0; y < height; y++) {
        const uint32_t *row = row_of(pixels, stride, y);
        unsigned char *to = raw + (size_t)y * (width + 1);
        *to++ = 0;
        uint32_t last = 0;
        int number = -1;
        for (uint32_t x = 0; x < width; x++) {
            uint32_t color = row[x] & 0xffffffU;
            if (number < 0 || color != last)
                number = number_of(p, color);
            if (number < 0)
                return false;
            last = color;
            to[x] = (unsigned char)number;
        }
    }
    return true;
}

static void add_palette(struct odp_buffer *out, const struct palette *p)
{
    unsigned char rgb[3 * COLORS];
    for (uint32_t i = 0; i < p->n; i++) {
        rgb[3 * i] = (unsigned char)(p->color[i] >> 16);
        rgb[3 * i + 1] = (unsigned char)(p->color[i] >> 8);
        rgb[3 * i + 2] = (unsigned char)p->color[i];
    }
    add_chunk(out, "PLTE", (struct odp_slice){(const char *)rgb, (size_t)p->n * 3});
}

static enum odp_status add_data(struct odp_buffer *out, const unsigned char *raw, size_t len)
{
    struct libdeflate_compressor *c = libdeflate_alloc_compressor(6);
    size_t bound = c != NULL ? libdeflate_zlib_compress_bound(c, len) : 0;
    char *packed = c != NULL ? malloc(bound) : NULL;
    size_t n = packed != NULL ? libdeflate_zlib_compress(c, raw, len, packed, bound) : 0;
    if (n > 0)
        add_chunk(out, "IDAT", (struct odp_slice){packed, n});
    free(packed);
    libdeflate_free_compressor(c);
    return n > 0 ? ODP_OK : odp_failure_set("compress", "PNG", ENOMEM);
}

enum odp_status odp_png_write(struct odp_buffer *out, const uint32_t *pixels, uint32_t width, uint32_t height, size_t stride,
                              const char *const *texts)
{
    static const uint32_t masks[] = {0xffffffU, 0xfefefeU, 0xfcfcfcU, 0xf8f8f8U,
                                     0xf0f0f0U, 0xe0e0e0U, 0xc0c0c0U}; /* the last has 64 colours: it always does */
    const size_t len = (size_t)height * ((size_t)width + 1);
    struct palette p = {.slots = malloc(SLOTS * sizeof *p.slots)};
    unsigned char *raw = malloc(len);
    bool done = false;
    for (size_t i = 0; raw != NULL && p.slots != NULL && !done && i < sizeof masks / sizeof *masks; i++) {
        p.mask = masks[i];
        done = index_pixels(&p, pixels, width, height, stride, raw);
    }
    enum odp_status status = done ? ODP_OK : odp_failure_set("make", "PNG", ENOMEM);
    if (done) {
        odp_buffer_add(out, "\x89PNG\r\n\x1a\n", 8);
        add_header(out, width, height);
        add_palette(out, &p);
        for (size_t i = 0; texts != NULL && texts[i] != NULL; i += 2)
            add_text(out, texts[i], texts[i + 1]);
        status = add_data(out, raw, len);
        add_chunk(out, "IEND", ODP_LIT(""));
    }
    free(raw);
    free(p.slots);
    return status == ODP_OK ? odp_buffer_status(out) : status;
}
