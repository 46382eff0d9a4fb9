/* Numbers and sizes as people read them; texts as parts of an address. */

#include "answer_lines.h"

#include "base/buffer.h"
#include "base/text.h"

/* "number [TEXT]", "amount [TEXT]" or "bound  [TEXT]" */
static void answer_number(void *ctx, struct odp_slice question, struct odp_buffer *out)
{
    const struct odp_slice text = {question.ptr + strlen("number ["), question.len - strlen("number []")};
    assert_null(ctx);
    for (int lang = 0; lang < ODP_LANGS; lang++) {
        odp_buffer_add_str(out, lang == ODP_LANG_ID ? "id " : "\nen ");
        if (*question.ptr == 'n')
            odp_text_decimal(out, text, (enum odp_lang)lang);
        else if (*question.ptr == 'b')
            odp_text_bound(out, text, (enum odp_lang)lang);
        else
            odp_text_amount(out, text, (enum odp_lang)lang);
    }
}

TEST(numbers)
{
    answer_lines("base/answers/numbers.txt", answer_number, NULL);
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

TEST(percent)
{
    BUFFER(out);
    odp_text_percent(&out, odp_slice_of("a b/\xc3\xbc'\"~-._"));
    assert_string_equal(odp_buffer_cstr(&out), "a%20b%2F%C3%BC%27%22~-._");
}

TEST(number_read)
{
    static const struct {
        const char *text;
        uint64_t n;
        bool is;
    } cases[] = {
        {"0", 0, true},    {"007", 7, true},  {"18446744073709551615", UINT64_MAX, true},
        {"", 0, false},    {"-1", 0, false},  {"99999999999999999999999", UINT64_MAX, true},
        {"12 ", 0, false}, {"1.5", 0, false}, {"18446744073709551614", UINT64_MAX - 1, true},
    };
    for (size_t i = 0; i < ODP_COUNT(cases); i++) {
        uint64_t n = 1;
        assert_int_equal(odp_number_read(odp_slice_of(cases[i].text), &n), cases[i].is);
        if (cases[i].is)
            assert_int_equal(n, cases[i].n);
    }
}
