/* PNG with a palette: what was given comes out of it again (read by cairo), exactly where there are few colours, nearly where there are many. */
#include <cairo.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "site/metadata/png.h"

enum { W = 300, H = 70 };

struct source {
    const struct odp_buffer *png;
    size_t at;
};

static cairo_status_t read_part(void *closure, unsigned char *data, unsigned int length)
{
    struct source *s = closure;
    if (length > s->png->len - s->at)
        return CAIRO_STATUS_READ_ERROR;
    memcpy(data, s->png->ptr + s->at, length);
    s->at += length;
    return CAIRO_STATUS_SUCCESS;
}

/* The greatest difference of any channel between PIXELS and what is read of their PNG. */
static unsigned round_trip(const uint32_t *pixels, size_t stride, struct odp_buffer *png)
{
    static const char *const texts[] = {"Title", "Peta permukiman – kumuh", "Author", "", NULL};
    unsigned worst = 0;
    odp_buffer_init(png);
    assert_int_equal(odp_png_write(png, pixels, W, H, stride, texts), ODP_OK);
    struct source s = {png, 0};
    cairo_surface_t *surface = cairo_image_surface_create_from_png_stream(read_part, &s);
    assert_int_equal(cairo_surface_status(surface), CAIRO_STATUS_SUCCESS);
    assert_int_equal(cairo_image_surface_get_width(surface), W);
    assert_int_equal(cairo_image_surface_get_height(surface), H);
    for (size_t y = 0; y < H; y++) {
        const uint32_t *got =
            (const uint32_t *)(const void *)(cairo_image_surface_get_data(surface) + y * (size_t)cairo_image_surface_get_stride(surface));
        const uint32_t *given = (const uint32_t *)(const void *)((const char *)pixels + y * stride);
        for (size_t x = 0; x < W; x++)
            for (unsigned shift = 0; shift < 24; shift += 8) {
                unsigned a = (given[x] >> shift) & 0xff, b = (got[x] >> shift) & 0xff, d = a > b ? a - b : b - a;
                worst = d > worst ? d : worst;
            }
    }
    cairo_surface_destroy(surface);
    return worst;
}

static void test_few_colors(void **state)
{
    (void)state;
    uint32_t *pixels = calloc((W + 4) * H, sizeof *pixels); /* rows are longer than the picture is wide */
    struct odp_buffer png, again;
    for (uint32_t y = 0; y < H; y++)
        for (uint32_t x = 0; x < W; x++)
            pixels[y * (W + 4) + x] = 0xff000000U | ((x * y) % 256U) * 0x010203U;
    assert_int_equal(round_trip(pixels, (W + 4) * sizeof *pixels, &png), 0);
    assert_int_equal(round_trip(pixels, (W + 4) * sizeof *pixels, &again), 0);
    assert_int_equal(png.len, again.len);
    assert_memory_equal(png.ptr, again.ptr, png.len);
    assert_non_null(memmem(png.ptr, png.len, "Peta permukiman \xe2\x80\x93 kumuh", 25));
    odp_buffer_release(&png);
    odp_buffer_release(&again);
    free(pixels);
}

static void test_many_colors(void **state)
{
    (void)state;
    uint32_t *pixels = calloc(W * H, sizeof *pixels), seed = 1;
    struct odp_buffer png;
    for (size_t i = 0; i < W * H; i++) {
        seed = seed * 1664525U + 1013904223U;
        pixels[i] = seed >> 8;
    }
    assert_in_range(round_trip(pixels, W * sizeof *pixels, &png), 1, 63);
    odp_buffer_release(&png);
    for (uint32_t i = 0; i < W * H; i++) /* a ramp of 512 colours: one bit is enough */
        pixels[i] = i % 512 < 256 ? i % 256 : 0xff00U | (i % 256);
    assert_in_range(round_trip(pixels, W * sizeof *pixels, &png), 1, 1);
    odp_buffer_release(&png);
    free(pixels);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_few_colors), cmocka_unit_test(test_many_colors)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
