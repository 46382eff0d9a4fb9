/* Numbers and sizes as people read them; texts as parts of an address. */

#include "run.h"

#include "base/buffer.h"
#include "base/text.h"

TEST(numbers)
{
    static const struct {
        const char *text, *id, *en;
    } cases[] = {
        {"0", "0", "0"},
        {"1204", "1.204", "1,204"},
        {"-1204567.50", "-1.204.567,50", "-1,204,567.50"},
        {"999", "999", "999"},
        {"0.000001", "0,000001", "0.000001"},
        {"18446744073709551615", "18.446.744.073.709.551.615", "18,446,744,073,709,551,615"},
        {"1e5", "1e5", "1e5"},
        {"INF", "INF", "INF"},
        {"", "", ""},
        {"-", "-", "-"},
        {"1.", "1.", "1."},
        {".5", ".5", ".5"},
        {"1.2.3", "1.2.3", "1.2.3"},
    };
    for (size_t i = 0; i < ODP_COUNT(cases); i++)
        for (int lang = 0; lang < ODP_LANGS; lang++) {
            BUFFER(out);
            odp_text_decimal(&out, odp_slice_of(cases[i].text), (enum odp_lang)lang);
            assert_string_equal(odp_buffer_cstr(&out), lang == ODP_LANG_ID ? cases[i].id : cases[i].en);
        }
}

TEST(sizes)
{
    static const struct {
        uint64_t n;
        const char *in[ODP_LANGS];
    } cases[] = {
        {0, {"0 bita", "0 bytes"}},     {999, {"999 bita", "999 bytes"}},
        {1000, {"1,0 KB", "1.0 kB"}},   {984512, {"984,5 KB", "984.5 kB"}},
        {999999, {"1,0 MB", "1.0 MB"}}, {UINT64_MAX, {"18.446.744,1 TB", "18,446,744.1 TB"}},
    };
    for (size_t i = 0; i < ODP_COUNT(cases); i++)
        for (int lang = 0; lang < ODP_LANGS; lang++) {
            BUFFER(out);
            odp_text_size(&out, cases[i].n, (enum odp_lang)lang);
            assert_string_equal(odp_buffer_cstr(&out), cases[i].in[lang]);
        }
}

/* tests/portal_js/format.test.mjs holds lib/format.js against this very table. */
TEST(amounts)
{
    static const struct {
        const char *text, *id, *en;
    } cases[] = {
        {"0", "0", "0"},
        {"48112", "48.112", "48,112"},
        {"8412.3456", "8.412", "8,412"},
        {"1000.5", "1.001", "1,001"},
        {"24.94", "24,9", "24.9"},
        {"96.0", "96", "96"},
        {"3.14159", "3,14", "3.14"},
        {"0.374", "0,37", "0.37"},
        {"0.00371", "0,0037", "0.0037"},
        {"-0.5", "-0,5", "-0.5"},
        {"999999", "999.999", "999,999"},
        {"999999.7", "1 juta", "1 million"},
        {"1234567.8", "1,2 juta", "1.2 million"},
        {"-12345678", "-12,3 juta", "-12.3 million"},
        {"312400000", "312,4 juta", "312.4 million"},
        {"999950000", "1 miliar", "1 billion"},
        {"3400000000000", "3,4 triliun", "3.4 trillion"},
        {"1234000000000000", "1.234 triliun", "1,234 trillion"},
        {"", "", ""},
        {"INF", "INF", "INF"},
        {"1e7", "1e7", "1e7"},
    };
    for (size_t i = 0; i < ODP_COUNT(cases); i++)
        for (int lang = 0; lang < ODP_LANGS; lang++) {
            BUFFER(out);
            odp_text_amount(&out, odp_slice_of(cases[i].text), (enum odp_lang)lang);
            assert_string_equal(odp_buffer_cstr(&out), lang == ODP_LANG_ID ? cases[i].id : cases[i].en);
        }
}

TEST(percent)
{
    BUFFER(out);
    odp_text_percent(&out, odp_slice_of("a b/\xc3\xbc'\"~-._"));
    assert_string_equal(odp_buffer_cstr(&out), "a%20b%2F%C3%BC%27%22~-._");
}
