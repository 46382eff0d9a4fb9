/* UTF-8, arena, buffer, status, JSON strings and places. */
#include "run.h"

#include <sys/resource.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/json.h"
#include "base/odd_sign.h"
#include "base/text.h"
#include "base/utf8.h"

TEST(utf8_valid)
{
    static const struct {
        const char *text;
        size_t good;
    } cases[] = {
        {"", 0},
        {"abcdefghijk", 11},
        {"caf\xC3\xA9", 5},
        {"\xE2\x82\xAC uro and more", 16},
        {"\xF0\x9F\x98\x80", 4},
        {"\xC0\xAF", 0},
        {"abc\xC1\x80", 3},
        {"\xE0\x9F\xBF", 0},
        {"\xED\xA0\x80", 0},
        {"\xED\x9F\xBF", 3},
        {"\xF0\x8F\xBF\xBF", 0},
        {"\xF4\x8F\xBF\xBF", 4},
        {"\xF4\x90\x80\x80", 0},
        {"\xF5\x80\x80\x80", 0},
        {"a\xE2\x82", 1},
        {"12345678\x80", 8},
        {"1234567\xFFxxxxxxxxxxx", 7},
    };
    for (size_t i = 0; i < ODP_COUNT(cases); i++)
        assert_int_equal(odp_utf8_valid(odp_slice_of(cases[i].text)), cases[i].good);
}

TEST(utf8_every_code_point)
{
    for (uint32_t cp = 0; cp < 0x110000; cp++) {
        char bytes[4];
        uint32_t back;
        if (cp >= 0xD800 && cp < 0xE000)
            continue;
        size_t n = odp_utf8_encode(cp, bytes);
        assert_int_equal(odp_utf8_valid((struct odp_slice){bytes, n}), n);
        assert_int_equal(odp_utf8_decode(bytes, n, &back), n);
        assert_int_equal(back, cp);
    }
}

TEST(utf8_count_and_width)
{
    assert_int_equal(odp_utf8_count(ODP_LIT("Ternate caf\xC3\xA9 \xE2\x82\xAC\xF0\x9F\x98\x80 dan lain")),
                     24);
    assert_int_equal(odp_utf8_width(ODP_LIT("abc")), 3);
    assert_int_equal(odp_utf8_width(ODP_LIT("e\xCC\x81")), 1);
    assert_int_equal(odp_utf8_width(ODP_LIT("\xE6\xBC\xA2\xE5\xAD\x97")), 4);
    assert_int_equal(odp_utf8_width(ODP_LIT("\xF0\x9F\x98\x80")), 2);
    assert_int_equal(odp_utf8_width(ODP_LIT("\xE2\x80\x8B\xEF\xBB\xBF")), 0);
    assert_int_equal(odp_utf8_width(ODP_LIT("\xE2\x80\xA6\xE2\x94\x80")), 2);
}

TEST(utf8_cut)
{
    static const struct {
        const char *text;
        size_t most, kept;
    } rows[] = {{"Ternate", 9, 7},     {"Ternate", 3, 3},      {"caf\xC3\xA9", 5, 5},
                {"caf\xC3\xA9", 4, 3}, {"\xE2\x82\xAC", 2, 0}, {"a\xF0\x9F\x98\x80", 4, 1}};
    for (size_t i = 0; i < ODP_COUNT(rows); i++)
        assert_int_equal(odp_utf8_cut(odp_slice_of(rows[i].text), rows[i].most).len, rows[i].kept);
}

TEST(arena_blocks)
{
    ARENA(a);
    for (int round = 0; round < 3; round++) {
        for (size_t size = 0; size < 3000; size += 7) {
            char *p = odp_arena_alloc(&a, size);
            assert_non_null(p);
            assert_int_equal((uintptr_t)p % 16, 0);
            memset(p, 0x5A, size);
        }
        char *big = odp_arena_alloc(&a, 3 << 20);
        assert_non_null(big);
        memset(big, 1, 3 << 20);
        odp_arena_reset(&a);
    }
    int *zeros = odp_arena_zero(&a, 1000, sizeof *zeros);
    for (int i = 0; i < 1000; i++)
        assert_int_equal(zeros[i], 0);
    assert_string_equal(odp_arena_printf(&a, "%s-%d", "x", 42), "x-42");
    assert_string_equal(odp_arena_str(&a, "text"), "text");
    struct odp_slice s = odp_arena_copy(&a, ODP_LIT("slice"));
    assert_string_equal(s.ptr, "slice");
    assert_null(odp_realloc_array(NULL, SIZE_MAX / 2, 3));
    odp_failure_clear();
}

/* Memory refused by the system: arenas live on the reserve, say so, and give it back. */
TEST(arena_latches)
{
    struct odp_arena a;
    struct rlimit before;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    skip(); /* a sanitizer's allocator ends the program where it is refused memory */
#endif
    odp_arena_init(&a);
    assert_int_equal(getrlimit(RLIMIT_AS, &before), 0);
    const struct rlimit none = {0, before.rlim_max};
    for (int round = 0; round < 3; round++) {
        assert_int_equal(setrlimit(RLIMIT_AS, &none), 0);
        char *big = odp_arena_alloc(&a, ODP_ARENA_RESERVE / 2);
        assert_int_equal(setrlimit(RLIMIT_AS, &before), 0);
        memset(big, 1, ODP_ARENA_RESERVE / 2);
        assert_int_equal(odp_arena_status_of_all(), ODP_FAIL);
        assert_string_equal(odp_failure_text(), "allocate memory: Cannot allocate memory");
        odp_failure_clear();
        odp_arena_release(&a);
        must(odp_arena_status(&a));
        must(odp_arena_status_of_all());
    }
}

TEST(failure_first_wins)
{
    odp_failure_clear();
    assert_string_equal(odp_failure_text(), "");
    assert_int_equal(odp_failure_set("write", "build/x.json", 28), ODP_FAIL);
    (void)odp_failure_set("close", "other", 5);
    assert_string_equal(odp_failure_text(), "write build/x.json: No space left on device");
    odp_failure_clear();
}

TEST(buffer_appends)
{
    BUFFER(b);
    assert_string_equal(odp_buffer_cstr(&b), "");
    odp_buffer_add_str(&b, "a");
    odp_buffer_add_u64(&b, 0);
    odp_buffer_add_u64(&b, UINT64_MAX);
    odp_buffer_printf(&b, "[%d]", 7);
    odp_buffer_add(&b, NULL, 0);
    assert_string_equal(odp_buffer_cstr(&b), "a018446744073709551615[7]");
    odp_buffer_clear(&b);
    for (int i = 0; i < 100000; i++)
        odp_buffer_add_char(&b, (char)('a' + i % 26));
    assert_int_equal(b.len, 100000);
    must(odp_buffer_status(&b));
    assert_null(odp_buffer_reserve(&b, SIZE_MAX - 5));
    odp_buffer_add_char(&b, 'x');
    assert_int_equal(b.len, 100000);
    assert_int_equal(odp_buffer_status(&b), ODP_FAIL);
    assert_string_equal(odp_buffer_cstr(&b), "");
    odp_buffer_clear(&b); /* the next text of many: what looks once, at the end, still learns of it */
    odp_buffer_add_str(&b, "next");
    assert_int_equal(odp_buffer_status(&b), ODP_FAIL);
    odp_buffer_reset(&b);
    odp_buffer_add_str(&b, "anew");
    must(odp_buffer_status(&b));
    assert_string_equal(odp_buffer_cstr(&b), "anew");
    odp_failure_clear();
}

TEST(json_strings)
{
    static const struct {
        struct odp_slice in;
        const char *out;
    } cases[] = {
        {{NULL, 0}, "\"\""},
        {ODP_LIT("plain text that is long enough"), "\"plain text that is long enough\""},
        {ODP_LIT("a\"b\\c/d"), "\"a\\\"b\\\\c/d\""},
        {ODP_LIT("\b\f\n\r\t\x01\x1F\x7F"), "\"\\b\\f\\n\\r\\t\\u0001\\u001f\\u007f\""},
        {{"nul\0end", 7}, "\"nul\\u0000end\""},
        {ODP_LIT("\xE2\x80\xA8 \xE2\x80\xA9 \xE2\x80\xA6 \xE2\x82\xAC"),
         "\"\\u2028 \\u2029 \xE2\x80\xA6 \xE2\x82\xAC\""},
        {ODP_LIT("0123456\"89abcdef01234567\n"), "\"0123456\\\"89abcdef01234567\\n\""},
        {ODP_LIT("caf\xC3\xA9 \xF0\x9F\x98\x80 \xC2\xA0\xEF\xBF\xBD"),
         "\"caf\xC3\xA9 \xF0\x9F\x98\x80 \xC2\xA0\xEF\xBF\xBD\""},
    };
    BUFFER(b);
    for (size_t i = 0; i < ODP_COUNT(cases); i++) {
        odp_buffer_clear(&b);
        odp_json_add_string(&b, cases[i].in);
        assert_string_equal(odp_buffer_cstr(&b), cases[i].out);
    }
    /* every byte at every place of a word */
    for (int c = 1; c < 128; c++) {
        for (size_t place = 0; place < 17; place++) {
            char text[17], first;
            memset(text, 'x', sizeof text);
            text[place] = (char)c;
            odp_buffer_clear(&b);
            odp_json_add_string(&b, (struct odp_slice){text, sizeof text});
            assert_true(odp_json_valid(odp_buffer_slice(&b), &first));
            bool plain = c >= 0x20 && c != '"' && c != '\\' && c != 0x7F;
            assert_true(plain == (b.len == sizeof text + 2));
        }
    }
}

TEST(json_places)
{
    static const char text[] = "{\n"
                               "  \"name\": \"caf\xC3\xA9\", \"list\": [1, {\"a/b\": true}, [\n"
                               "    \"x]}\", {\"d\\u0065ep\": null}]],\n"
                               "  \"caf\xC3\xA9\": { \"k\": -1.5e3 }, \"\": 1, \"m~n\": []\n"
                               "}\n";
    static const struct {
        const char *pointer;
        uint32_t line, column;
    } cases[] = {
        {"", 1, 1},
        {"/name", 2, 11},
        {"key:/name", 2, 3},
        {"/list", 2, 27},
        {"/list/0", 2, 28},
        {"/list/1/a~1b", 2, 39},
        {"key:/list/1/a~1b", 2, 32},
        {"/list/2/0", 3, 5},
        {"/list/2/1/deep", 3, 26},
        {"/caf\xC3\xA9/k", 4, 18},
        {"/", 4, 32},
        {"/m~0n", 4, 42},
        {"key:/list/1", 2, 31},
    };
    static const char *const missing[] = {"/nam",    "/list/3", "/list/x", "/list/01x",
                                          "/name/x", "/names",  "/m~0n/0", "/list/0/1"};
    uint32_t line, column;
    for (size_t i = 0; i < ODP_COUNT(cases); i++) {
        assert_true(odp_json_locate(odp_slice_of(text), cases[i].pointer, &line, &column));
        assert_int_equal(line, cases[i].line);
        assert_int_equal(column, cases[i].column);
    }
    for (size_t i = 0; i < ODP_COUNT(missing); i++) {
        assert_false(odp_json_locate(odp_slice_of(text), missing[i], &line, &column));
        assert_int_equal(line, 1);
        assert_int_equal(column, 1);
    }
}

TEST(json_validity)
{
    static const char *const good[] = {
        "1",        " {} ",  "[]",   "[[],{}]",      "{\"a\":[1,2,{\"b\":null}],\"c\":\"\\ud83d\\ude00\"}",
        "-0.5e+10", "\"x\"", "true", "[\n1\t,\r2 ]", "0",
        "{\"\":{}}"};
    static const char *const bad[] = {
        "",
        " ",
        "{",
        "[",
        "]",
        "[1,]",
        "[,1]",
        "{\"a\"}",
        "{\"a\":}",
        "{\"a\":1,}",
        "{a:1}",
        "01",
        "1.",
        ".5",
        "-",
        "+1",
        "1e",
        "tru",
        "nul",
        "\"",
        "\"\\x\"",
        "\"\\ud800\"",
        "\"\\udc00\"",
        "\"a\nb\"",
        "[1 2]",
        "1 2",
        "[}",
        "{]",
        "[1}",
        "\"\xFF\"",
        "NaN",
        "[1]]",
        "{\"a\":1 \"b\":2}",
        "'a'",
        "[\"\\u12\"]",
        "{}{}",
        "\"\\",
    };
    char first, deep[402];
    for (size_t i = 0; i < ODP_COUNT(good); i++)
        assert_true(odp_json_valid(odp_slice_of(good[i]), &first));
    for (size_t i = 0; i < ODP_COUNT(bad); i++)
        assert_false(odp_json_valid(odp_slice_of(bad[i]), &first));
    assert_true(odp_json_valid(ODP_LIT(" [1]"), &first));
    assert_int_equal(first, '[');
    memset(deep, '[', 201);
    memset(deep + 200, ']', 200);
    assert_true(odp_json_valid((struct odp_slice){deep, 400}, &first));
    memset(deep, '[', 201);
    memset(deep + 201, ']', 201);
    assert_false(odp_json_valid((struct odp_slice){deep, 402}, &first));
}

TEST(json_escapes)
{
    static const struct {
        struct odp_slice raw, want;
    } good[] = {
        {ODP_LIT(""), ODP_LIT("")},
        {ODP_LIT("a\\\"b\\\\\\/"), ODP_LIT("a\"b\\/")},
        {ODP_LIT("\\u0000\\b\\f\\n\\r\\t"), ODP_LIT("\0\b\f\n\r\t")},
        {ODP_LIT("\\u00e9\\u2028\\ud83d\\ude00x"), ODP_LIT("\xC3\xA9\xE2\x80\xA8\xF0\x9F\x98\x80x")},
    };
    static const char *const bad[] = {"\\",       "a\\x",           "\\u12",   "\\u12g4",       "\\ud800",
                                      "\\ud800x", "\\ud800\\u0041", "\\udc00", "b\\ud83d\\ude0"};
    char text[64];
    size_t len;
    for (size_t i = 0; i < ODP_COUNT(good); i++) {
        memcpy(text, good[i].raw.ptr, good[i].raw.len);
        assert_true(odp_json_unescape((struct odp_slice){text, good[i].raw.len}, text, &len)); /* in place */
        assert_true(odp_slice_eq((struct odp_slice){text, len}, good[i].want));
    }
    for (size_t i = 0; i < ODP_COUNT(bad); i++)
        assert_false(odp_json_unescape(odp_slice_of(bad[i]), text, &len));
}

/* The note names the first odd sign and counts the others. */
TEST(odd_signs)
{
    static const struct {
        const char *text, *id, *en;
    } want[] = {
        {"Kota Bogor", NULL, NULL},
        {"", NULL, NULL},
        {"caf\xC3\xA9 \xE2\x82\xAC", NULL, NULL},
        {"Kota\xC2\xA0"
         "Bogor",
         "spasi tak terputus (U+00A0) setelah ‘Kota’", "a no-break space (U+00A0) after ‘Kota’"},
        {"Kota  Bogor", "spasi ganda setelah ‘Kota’", "more than one space after ‘Kota’"},
        {" Kota ", "spasi di awal, dan 1 lagi", "a space at the start, and 1 more"},
        {"Kota\t", "tab (U+0009) di akhir", "a tab (U+0009) at the end"},
        {"Kota \xE2\x80\x8B"
         "Bogor",
         "spasi tanpa lebar (U+200B) setelah ‘Kota’", "a zero-width space (U+200B) after ‘Kota’"},
        {"\xEF\xBB\xBF"
         "Kota",
         "tanda urutan byte tanpa lebar (U+FEFF) di awal", "a byte order mark (U+FEFF) at the start"},
        {"Kab. B\xD0\xBE"
         "gor",
         "huruf Kiril (U+043E) yang serupa ‘o’, dalam ‘Bоgor’",
         "a Cyrillic letter (U+043E) that looks like ‘o’, in ‘Bоgor’"},
        {"\xD0\x9C\xD0\xBE\xD1\x81\xD0\xBA\xD0\xB2\xD0\xB0", NULL,
         NULL}, /* Москва: a word wholly in another script */
        {"cafe\xCC\x81", "aksen yang terpisah dari hurufnya (U+0301) dalam ‘cafe\xCC\x81’",
         "an accent apart from its letter (U+0301) in ‘cafe\xCC\x81’"},
        {"31\xE2\x80\x93"
         "71",
         "tanda pisah (U+2013) yang serupa ‘-’, dalam ‘31–71’",
         "a dash (U+2013) that looks like ‘-’, in ‘31–71’"},
        {"\xEF\xBC\x91"
         "2",
         "huruf lebar penuh (U+FF11) yang serupa ‘1’, dalam ‘１2’",
         "a full-width letter (U+FF11) that looks like ‘1’, in ‘１2’"},
    };
    for (size_t i = 0; i < ODP_COUNT(want); i++)
        for (int lang = 0; lang < ODP_LANGS; lang++) {
            BUFFER(b);
            const char *text = lang == ODP_LANG_ID ? want[i].id : want[i].en;
            assert_int_equal(odp_odd_say(&b, odp_slice_of(want[i].text), (enum odp_lang)lang), text != NULL);
            assert_string_equal(odp_buffer_cstr(&b), text != NULL ? text : "");
        }
}

TEST(column_names)
{
    static const struct {
        uint32_t column;
        const char *name;
    } want[] = {{0, "A"}, {25, "Z"}, {26, "AA"}, {701, "ZZ"}, {702, "AAA"}, {16383, "XFD"}};
    for (size_t i = 0; i < ODP_COUNT(want); i++) {
        char name[8];
        assert_string_equal(odp_column_name(want[i].column, name), want[i].name);
    }
}
