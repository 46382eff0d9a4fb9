/* The nearest name, and the translation of XSD patterns. */
#include "run.h"

#include "catalog/catalog_internal.h"

static int near(const char *s, const char *a, const char *b, size_t max)
{
    const struct odp_slice among[] = {odp_slice_of(a), odp_slice_of(b)};
    return odp_nearest(odp_slice_of(s), among, 2, max);
}

TEST(distances)
{
    assert_int_equal(near("kumuh", "kumuhh", "kumuh", 3), 1); /* equal wins */
    assert_int_equal(near("kumhu", "kumxx", "kumuh", 2), 1);  /* a swap counts one */
    assert_int_equal(near("ab", "ba", "abc", 1), 0);          /* the first of equally near ones */
    assert_int_equal(near("11.1", "11.10", "12.1", 1), 0);
    assert_int_equal(near("abc", "xyz", "uvw", 2), -1);
    assert_int_equal(near("abc", "xyz", "uvw", 3), 0);
    assert_int_equal(near("desa é", "desa e", "desa xx", 1), 0); /* code points, not bytes */
    assert_int_equal(near("é", "ééé", "x", 1), 1);
    assert_int_equal(near("", "a", "", 1), 1);
    assert_int_equal(near("", "abc", "ab", 1), -1);
    assert_int_equal(near("kota", "kota", "kota", 0), 0);
    assert_int_equal(near("kota", "kata", "kita", 0), -1);
    assert_int_equal(odp_nearest(ODP_LIT("a"), NULL, 0, 3), -1);
    char longest[300];
    memset(longest, 'x', sizeof longest);
    struct odp_slice s = {longest, sizeof longest}, one = {longest, sizeof longest};
    assert_int_equal(odp_nearest(s, &one, 1, 3), -1); /* too long to be suggested, never an overrun */
}

TEST(meant)
{
    static const char *const names[] = {"kode",         "kode_provinsi", "nama_provinsi",
                                        "jumlah_rumah", "luas_ha",       "tahun"};
    static const struct {
        const char *said, *meant;
    } cases[] = {
        {"kdoe", "kode"},
        {"KODE", "kode"},
        {"KodeProvinsi", "kode_provinsi"},
        {"jumlah rumah", "jumlah_rumah"},
        {"jumlah", "jumlah_rumah"},
        {"provinsi", "kode_provinsi"},
        {"luas", "luas_ha"},
        {"tahun_data", "tahun"},
        {"jumlh_rumha", "jumlah_rumah"},
        {"x", NULL},
        {"harga", NULL},
        {"", NULL},
    };
    for (size_t i = 0; i < ODP_COUNT(cases); i++) {
        const char *found = odp_word_nearest(odp_slice_of(cases[i].said), names, ODP_COUNT(names));
        assert_string_equal(found != NULL ? found : "", cases[i].meant != NULL ? cases[i].meant : "");
    }
    assert_int_equal(odp_word_index(ODP_LIT("luas_ha"), names, ODP_COUNT(names)), 4);
    assert_int_equal(odp_word_index(ODP_LIT("luas"), names, ODP_COUNT(names)), -1); /* a beginning is none */
    assert_int_equal(odp_word_index((struct odp_slice){0}, names, ODP_COUNT(names)), -1);
    assert_int_equal(odp_word_index(ODP_LIT("tahun"), names, 5), -1);
    const struct odp_slice slices[] = {ODP_LIT("kode_provinsi"), ODP_LIT("kode")};
    assert_int_equal(odp_meant(ODP_LIT("Kode"), slices, 2),
                     1); /* the very name before one that it is a part of */
    assert_int_equal(odp_meant(ODP_LIT("\xff\xfe"), slices, 2), -1);
}

TEST(translation)
{
    static const struct {
        const char *xsd, *pcre;
    } cases[] = {
        {"[0-9]{2}\\.[0-9]{2}", "[0-9]{2}\\.[0-9]{2}"},
        {"[a-z-[aeiou]]+", "(?:(?![aeiou])[a-z])+"},
        {"[a-z-[b-y-[m]]]", "(?:(?!(?:(?![m])[b-y]))[a-z])"},
        {"\\i\\c*", "[_:\\p{L}][-._:\\p{L}\\p{N}\\p{M}]*"},
        {"[\\i-]", "[_:\\p{L}-]"},
        {"[[]", "[\\[]"},
        {"[]a]", "[]a]"},
        {"a\\", "a\\"},
        {"[a", "[a"},
    };
    BUFFER(out);
    size_t at;
    const char *message;
    for (size_t i = 0; i < ODP_COUNT(cases); i++) {
        odp_buffer_clear(&out);
        must(pattern_translate(odp_slice_of(cases[i].xsd), &out, &at, &message));
        assert_string_equal(odp_buffer_cstr(&out), cases[i].pcre);
    }
    must_refuse(pattern_translate(ODP_LIT("[\\C]"), &out, &at, &message));
    assert_non_null(message);
    must_refuse(pattern_translate(ODP_LIT("[a-[a-[a-[a-[a-[a-[a-[a-[a-[a]]]]]]]]]]"), &out, &at, &message));
}
