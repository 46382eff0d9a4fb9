/* A geometry literal of a filter; behind a NUL a byte for the function, and a shape of the query index. A
 * literal that is taken says its text, which is taken again as the same; a shape that can be read prints;
 * whatever the geometry, the function has an answer, and by way of the shape's box the same. */
#include "catalog/expr/spatial.h"
#include "catalog/index/gpb.h"
#include "fuzz.h"

static struct odp_spatial *parse(struct odp_slice text, enum odp_spatial_op op, bool flipped,
                                 struct odp_arena *a)
{
    struct odp_spatial *s = NULL;
    struct odp_text why = {{NULL, NULL}};
    size_t at = 0;
    enum odp_status st = odp_spatial_parse(&s, flipped ? odp_spatial_flipped(op) : op, text, &at, a, &why);
    NEED(st == ODP_OK || st == ODP_BAD);
    NEED(at <= text.len && (st == ODP_OK) == (s != NULL));
    if (st == ODP_BAD)
        NEED(why.in[ODP_LANG_ID] != NULL && *why.in[ODP_LANG_ID] != '\0' && why.in[ODP_LANG_EN] != NULL &&
             *why.in[ODP_LANG_EN] != '\0');
    return s;
}

static void again(const struct odp_spatial *s, enum odp_spatial_op op, bool flipped, struct odp_arena *a)
{
    struct odp_buffer once = {0}, twice = {0};
    odp_spatial_add_text(s, &once);
    struct odp_spatial *other = parse(odp_buffer_slice(&once), op, flipped, a);
    NEED(other != NULL);
    odp_spatial_add_text(other, &twice);
    NEED(once.len == twice.len && memcmp(once.ptr, twice.ptr, once.len) == 0);
    odp_spatial_free(other);
    odp_buffer_release(&once);
    odp_buffer_release(&twice);
}

static bool head_is_right(struct odp_slice shape, const struct odp_geom *g)
{
    double box[4];
    if (!odp_gpb_box(shape, box))
        return true;
    for (int k = 0; k < 4; k++)
        if (box[k] != g->bbox[k])
            return false;
    return true;
}

static void test(const struct odp_spatial *s, struct odp_slice shape, const struct odp_geom *g,
                 struct odp_arena *a)
{
    uint8_t truth = 9, of_shape = 9;
    NEED(odp_spatial_test(s, g, &truth) == ODP_OK && truth <= 2);
    NEED(odp_spatial_test_shape(s, shape, a, &of_shape) == ODP_OK && of_shape <= 2);
    NEED(truth == of_shape || !head_is_right(shape, g));
}

/* Every geometry that was read prints as valid JSON. */
static void print(const struct odp_geom *g)
{
    struct odp_buffer text = {0};
    odp_geom_add_geojson(&text, g);
    json_decref(fuzz_json(&text));
    odp_geom_add_wkt(&text, g);
    odp_buffer_release(&text);
}

void fuzz_one(struct odp_slice in)
{
    struct odp_slice text = fuzz_cut(&in, ODP_LIT("\0"));
    unsigned choice = in.len > 0 ? (unsigned char)*in.ptr : 0;
    struct odp_slice shape = in.len > 0 ? (struct odp_slice){in.ptr + 1, in.len - 1} : in;
    enum odp_spatial_op op = (enum odp_spatial_op)(choice % ODP_S_COUNT);
    bool flipped = (choice & 8) != 0;
    struct odp_arena a;
    struct odp_geom g;
    odp_arena_init(&a);
    enum odp_status read = shape.len > 0 ? odp_gpb_read(shape, &g, &a) : ODP_BAD;
    NEED(read != ODP_FAIL);
    if (read == ODP_OK)
        print(&g);
    struct odp_spatial *s = parse(text, op, flipped, &a);
    if (s != NULL)
        again(s, op, flipped, &a);
    if (s != NULL && read == ODP_OK)
        test(s, shape, &g, &a);
    odp_spatial_free(s);
    odp_arena_release(&a);
}
