/* The first records for the portal's page: how many, how large, what is never in it. */
#include "emit_fixture.h"

static void start(struct fixture *fx)
{
    fx_init(fx);
    (void)fx_field(fx, "kode", ODP_TYPE_STRING);
    fx_field(fx, "rahasia", ODP_TYPE_STRING)->is_public = false;
    (void)fx_field(fx, "jumlah", ODP_TYPE_INTEGER);
    fx_key(fx, 0, -1);
}

TEST(values_and_nulls)
{
    struct fixture fx;
    const struct odp_slice cells[] = {S("a\"b"), S("X1"), S("12"), S(""), S("X2"), NUL};
    start(&fx);
    fx_emit(&fx, cells, 2, 1, NULL);
    fx_expect(&fx, "data/uji/2024-03-15/uji.preview.json",
              "{\"fields\":[\"kode\",\"jumlah\"],\"rows\":[\n[\"a\\\"b\",\"12\"],\n[\"\",null]\n],\"total\":"
              "2,\"shown\":2}\n");
    fx_release(&fx);
    start(&fx);
    fx_emit(&fx, cells, 0, 1, NULL);
    fx_expect(&fx, "data/uji/2024-03-15/uji.preview.json",
              "{\"fields\":[\"kode\",\"jumlah\"],\"rows\":[],\"total\":0,\"shown\":0}\n");
    fx_release(&fx);
}

/* The same 50 records whatever the batches are, and the right total. */
TEST(fifty_at_most)
{
    enum { N = 1234 };
    static const uint32_t steps[] = {N, 50, 49, 7, 1};
    static char texts[N][8];
    struct odp_slice *cells = calloc((size_t)N * 3, sizeof *cells);
    char *first = NULL;
    assert_non_null(cells);
    for (size_t i = 0; i < N; i++) {
        cells[3 * i] = (struct odp_slice){texts[i], (size_t)snprintf(texts[i], sizeof texts[i], "k%zu", i)};
        cells[3 * i + 1] = S("rahasia sekali");
        cells[3 * i + 2] = S("7");
    }
    for (size_t k = 0; k < ODP_COUNT(steps); k++) {
        struct fixture fx;
        start(&fx);
        fx_emit(&fx, cells, N, steps[k], NULL);
        char *got = fx_read(&fx, "data/uji/2024-03-15/uji.preview.json", NULL);
        EXPECT(got, "[\"k49\",\"7\"]\n],\"total\":1234,\"shown\":50}\n", "!", "rahasia");
        if (first != NULL)
            assert_string_equal(got, first);
        free(first);
        first = got;
        fx_release(&fx);
    }
    free(first);
    free(cells);
}

/* No more than 256 KiB, and never a part of a record. */
TEST(large_records)
{
    static char large[100 * 1024], huge[300 * 1024];
    struct fixture fx;
    size_t len;
    memset(large, 'x', sizeof large);
    memset(huge, 'y', sizeof huge);
    const struct odp_slice big = {large, sizeof large}, more = {huge, sizeof huge};
    const struct odp_slice cells[] = {big, S("r"), S("1"), big,        S("r"), S("2"),
                                      big, S("r"), S("3"), S("kecil"), S("r"), S("4")};
    for (uint32_t step = 1; step <= 4; step++) {
        start(&fx);
        fx_emit(&fx, cells, 4, step, NULL);
        char *got = fx_read(&fx, "data/uji/2024-03-15/uji.preview.json", &len);
        assert_true(len <= 256 * 1024);
        EXPECT(got, "\"total\":4,\"shown\":2}");
        assert_null(strstr(got, "kecil")); /* the first ones, not those that fit */
        free(got);
        fx_release(&fx);
    }
    const struct odp_slice one[] = {more, S("r"), S("1")};
    start(&fx);
    fx_emit(&fx, one, 1, 1, NULL);
    fx_expect(&fx, "data/uji/2024-03-15/uji.preview.json",
              "{\"fields\":[\"kode\",\"jumlah\"],\"rows\":[],\"total\":1,\"shown\":0}\n");
    fx_release(&fx);
}
