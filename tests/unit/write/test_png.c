/* Drawings as PNG: what is read back (by libpng, through cairo) is what was drawn. */
#include "run.h"

#include "write/typesetting/png.h"

enum { SIDE = 100 };

struct reading {
    const struct odp_buffer *bytes;
    size_t at;
};

static cairo_status_t give(void *ctx, unsigned char *to, unsigned n)
{
    struct reading *r = ctx;
    if (r->bytes->len - r->at < n)
        return CAIRO_STATUS_READ_ERROR;
    memcpy(to, r->bytes->ptr + r->at, n);
    r->at += n;
    return CAIRO_STATUS_SUCCESS;
}

/* A picture whose pixel number I has the colour I * STEP, of COLORS. *WORST: the largest difference of a
 * channel after writing and reading; returns the bytes written. */
static size_t write_and_read(uint32_t colors, uint32_t step, int *worst)
{
    struct odp_buffer bytes = {0};
    cairo_surface_t *drawn = cairo_image_surface_create(CAIRO_FORMAT_RGB24, SIDE, SIDE);
    const int stride = cairo_image_surface_get_stride(drawn);
    cairo_surface_flush(drawn);
    unsigned char *pixels = cairo_image_surface_get_data(drawn);
    for (uint32_t i = 0; i < SIDE * SIDE; i++) {
        const uint32_t color = i % colors * step;
        memcpy(pixels + i / SIDE * (uint32_t)stride + i % SIDE * 4, &color, 4);
    }
    cairo_surface_mark_dirty(drawn);
    odp_png_put(drawn, &bytes);
    assert_false(bytes.failed);
    struct reading from = {&bytes, 0};
    cairo_surface_t *read = cairo_image_surface_create_from_png_stream(give, &from);
    assert_int_equal(cairo_surface_status(read), CAIRO_STATUS_SUCCESS);
    assert_int_equal(from.at, bytes.len);
    assert_int_equal(cairo_image_surface_get_width(read), SIDE);
    assert_int_equal(cairo_image_surface_get_height(read), SIDE);
    const unsigned char *again = cairo_image_surface_get_data(read);
    *worst = 0;
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE * 4; x++)
            if (x % 4 != 3) {
                int by = abs(again[y * cairo_image_surface_get_stride(read) + x] - pixels[y * stride + x]);
                *worst = by > *worst ? by : *worst;
            }
    const size_t len = bytes.len;
    cairo_surface_destroy(read);
    cairo_surface_destroy(drawn);
    odp_buffer_release(&bytes);
    return len;
}

/* Few shades keep their colour; of many the rare ones take a near one; too many are written as they are. */
TEST(palettes)
{
    int worst;
    write_and_read(1, 0, &worst);
    assert_int_equal(worst, 0);
    write_and_read(256, 0x010101, &worst);
    assert_int_equal(worst, 0);
    write_and_read(300, 1, &worst); /* 256 of blue, and 44 with a little green */
    assert_int_equal(worst, 1);
    write_and_read(4097, 0x000811, &worst);
    assert_int_equal(worst, 0);
}

TEST(chunks)
{
    BUFFER(out);
    odp_png_chunk(&out, "IEND", (struct odp_slice){"", 0});
    assert_int_equal(out.len, 12);
    assert_memory_equal(out.ptr, "\0\0\0\0IEND\xae\x42\x60\x82", 12);
}
