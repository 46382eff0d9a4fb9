/* The 256 shades that cover most keep their colour; each other one takes the nearest of them. With more
 * shades than SHADES, which no drawing of ours has, cairo writes the file. */
#include "write/typesetting/png.h"

#include <libdeflate.h>
#include <stdlib.h>
#include <string.h>

enum { SHADES = 4096, SLOT_BITS = 14, COLORS = 256, LEVEL = 6 };

struct shade {
    uint32_t color, count;
    uint8_t index; /* in the palette */
};

struct palette {
    struct shade shades[SHADES];
    size_t n;
    uint16_t slots[1 << SLOT_BITS]; /* a shade's number + 1, by its colour's hash; 0: none */
    struct shade *order[SHADES];    /* those of the palette first */
    size_t ncolors;
};

struct drawing {
    const uint8_t *pixels;
    size_t width, height, stride;
};

/* NULL: COLOR is new, and there is no room for it. */
static struct shade *shade_of(struct palette *p, uint32_t color)
{
    size_t at = (color * 2654435761u) >> (32 - SLOT_BITS);
    while (p->slots[at] != 0 && p->shades[p->slots[at] - 1].color != color)
        at = (at + 1) % ((size_t)1 << SLOT_BITS);
    if (p->slots[at] == 0) {
        if (p->n == SHADES)
            return NULL;
        p->shades[p->n++].color = color;
        p->slots[at] = (uint16_t)p->n;
    }
    return &p->shades[p->slots[at] - 1];
}

static const uint32_t *row_of(const struct drawing *d, size_t y)
{
    return (const void *)(d->pixels + y * d->stride);
}

/* How many rows from Y on are alike: most of a drawing is its ground and its bars. */
static size_t rows_at(const struct drawing *d, size_t y)
{
    size_t end = y + 1;
    while (end < d->height && memcmp(row_of(d, end), row_of(d, y), d->width * sizeof *row_of(d, y)) == 0)
        end++;
    return end - y;
}

/* How many pixels from X on have one colour. */
static size_t run_at(const struct drawing *d, const uint32_t *row, size_t x)
{
    size_t end = x + 1;
    while (end < d->width && row[end] == row[x])
        end++;
    return end - x;
}

static bool count_shades(struct palette *p, const struct drawing *d)
{
    for (size_t y = 0, alike; y < d->height; y += alike) {
        const uint32_t *row = row_of(d, y);
        alike = rows_at(d, y);
        for (size_t x = 0, n; x < d->width; x += n) {
            struct shade *shade = shade_of(p, row[x] & 0xffffff);
            if (shade == NULL)
                return false;
            n = run_at(d, row, x);
            shade->count += (uint32_t)(n * alike);
        }
    }
    return true;
}

static int most_first(const void *a, const void *b)
{
    const struct shade *x = *(struct shade *const *)a, *y = *(struct shade *const *)b;
    return x->count != y->count ? (x->count < y->count) - (x->count > y->count)
                                : (x->color > y->color) - (x->color < y->color);
}

static int distance(uint32_t a, uint32_t b)
{
    int sum = 0;
    for (int shift = 0; shift < 24; shift += 8) {
        const int by = (int)(a >> shift & 0xff) - (int)(b >> shift & 0xff);
        sum += by * by;
    }
    return sum;
}

static void choose(struct palette *p)
{
    for (size_t i = 0; i < p->n; i++)
        p->order[i] = &p->shades[i];
    qsort(p->order, p->n, sizeof *p->order, most_first);
    p->ncolors = p->n < COLORS ? p->n : COLORS;
    for (size_t i = 0; i < p->n; i++) {
        size_t best = i;
        for (size_t k = 0; k < p->ncolors && i >= p->ncolors; k++)
            if (k == 0 || distance(p->order[k]->color, p->order[i]->color) <
                              distance(p->order[best]->color, p->order[i]->color))
                best = k;
        p->order[i]->index = (uint8_t)best;
    }
}

/* ---- the file ---- */

static void add_u32(struct odp_buffer *out, uint32_t v)
{
    const unsigned char b[4] = {(unsigned char)(v >> 24), (unsigned char)(v >> 16), (unsigned char)(v >> 8),
                                (unsigned char)v};
    odp_buffer_add(out, b, 4);
}

void odp_png_chunk(struct odp_buffer *out, const char *type, struct odp_slice bytes)
{
    add_u32(out, (uint32_t)bytes.len);
    odp_buffer_add(out, type, 4);
    odp_buffer_add_slice(out, bytes);
    if (!out->failed)
        add_u32(out, libdeflate_crc32(0, out->ptr + out->len - bytes.len - 4, bytes.len + 4));
}

static void put_head(const struct palette *p, const struct drawing *d, struct odp_buffer *out)
{
    static const char eight_bits_of_a_palette[] = {8, 3, 0, 0, 0};
    struct odp_buffer bytes = {0};
    odp_buffer_add_str(out, "\x89PNG\r\n\x1a\n");
    add_u32(&bytes, (uint32_t)d->width);
    add_u32(&bytes, (uint32_t)d->height);
    odp_buffer_add(&bytes, eight_bits_of_a_palette, sizeof eight_bits_of_a_palette);
    odp_png_chunk(out, "IHDR", odp_buffer_slice(&bytes));
    odp_buffer_clear(&bytes);
    for (size_t i = 0; i < p->ncolors; i++)
        for (int shift = 16; shift >= 0; shift -= 8)
            odp_buffer_add_char(&bytes, (char)(p->order[i]->color >> shift & 0xff));
    odp_png_chunk(out, "PLTE", odp_buffer_slice(&bytes));
    out->failed = out->failed || bytes.failed;
    odp_buffer_release(&bytes);
}

/* Rows without a filter: neighbouring numbers of a palette say nothing of each other. */
static void put_rows(struct palette *p, const struct drawing *d, struct odp_buffer *out)
{
    const size_t len = d->height * (d->width + 1);
    struct odp_buffer rows = {0}, data = {0};
    struct libdeflate_compressor *z = libdeflate_alloc_compressor(LEVEL);
    char *row = odp_buffer_reserve(&rows, len);
    const size_t bound = z != NULL ? libdeflate_zlib_compress_bound(z, len) : 0;
    char *to = odp_buffer_reserve(&data, bound);
    out->failed = out->failed || z == NULL || row == NULL || to == NULL;
    for (size_t y = 0, alike; y < d->height && !out->failed; y += alike) {
        const uint32_t *pixels = row_of(d, y);
        *row++ = 0;
        for (size_t x = 0, n; x < d->width; x += n, row += n) {
            n = run_at(d, pixels, x);
            memset(row, shade_of(p, pixels[x] & 0xffffff)->index, n);
        }
        alike = rows_at(d, y);
        for (size_t i = 1; i < alike; i++, row += d->width + 1)
            memcpy(row, row - d->width - 1, d->width + 1);
    }
    if (!out->failed) {
        data.len = libdeflate_zlib_compress(z, rows.ptr, len, to, bound);
        odp_png_chunk(out, "IDAT", odp_buffer_slice(&data));
    }
    libdeflate_free_compressor(z);
    odp_buffer_release(&data);
    odp_buffer_release(&rows);
}

static cairo_status_t add_bytes(void *out, const unsigned char *bytes, unsigned n)
{
    odp_buffer_add(out, bytes, n);
    return ((struct odp_buffer *)out)->failed ? CAIRO_STATUS_NO_MEMORY : CAIRO_STATUS_SUCCESS;
}

void odp_png_put(cairo_surface_t *surface, struct odp_buffer *out)
{
    struct palette *p = calloc(1, sizeof *p);
    cairo_surface_flush(surface);
    const struct drawing d = {
        cairo_image_surface_get_data(surface), (size_t)cairo_image_surface_get_width(surface),
        (size_t)cairo_image_surface_get_height(surface), (size_t)cairo_image_surface_get_stride(surface)};
    if (p == NULL || d.pixels == NULL) {
        out->failed = true;
    } else if (count_shades(p, &d)) {
        choose(p);
        put_head(p, &d, out);
        put_rows(p, &d, out);
        odp_png_chunk(out, "IEND", (struct odp_slice){"", 0});
    } else if (cairo_surface_write_to_png_stream(surface, add_bytes, out) != CAIRO_STATUS_SUCCESS) {
        out->failed = true;
    }
    free(p);
}
