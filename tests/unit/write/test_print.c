/* The print library's ground: words for values, fonts, paper. */
#include "answer_lines.h"

#include "write/typesetting/paper.h"
#include "write/typesetting/words.h"

/* ---- words ---- */

static void number_is(struct odp_slice in, enum odp_lang lang, bool group, const char *expected)
{
    BUFFER(b);
    odp_words_number(&b, in, lang, group);
    assert_string_equal(odp_buffer_cstr(&b), expected);
}

TEST(numbers)
{
    number_is(ODP_LIT("1234567.89"), ODP_LANG_ID, false, "1234567,89");
    number_is(ODP_LIT("1.5e6"), ODP_LANG_EN, false, "1500000");
    number_is((struct odp_slice){"1234", 3}, ODP_LANG_ID, true, "123");
}

/* Questions of words.txt: "number TEXT", "date TEXT". */
static void answer(void *ctx, struct odp_slice question, struct odp_buffer *out)
{
    const size_t verb = strcspn(question.ptr, " ") + 1;
    const struct odp_slice text = {question.ptr + verb, question.len - verb};
    for (enum odp_lang lang = 0; lang < ODP_LANGS; lang++) {
        odp_buffer_add_str(out, lang == ODP_LANG_ID ? "" : " | ");
        if (*question.ptr == 'n')
            odp_words_number(out, text, lang, true);
        else
            odp_words_date(out, text, lang);
    }
}

TEST(words)
{
    answer_lines("write/words.txt", answer, NULL);
}

/* Every placing of the point in every number of digits, against a walk over the characters written another
 * way round: the separators taken out of the result and the point moved back must give the digits. */
TEST(exponents)
{
    for (int digits = 1; digits <= 12; digits++) {
        for (int point = 1; point <= digits; point++) {
            for (int power = -20; power <= 20; power++) {
                char in[80], all[16] = "", expected[120] = "";
                for (int i = 0; i < digits; i++)
                    all[i] = (char)('1' + i % 9);
                snprintf(in, sizeof in, "%.*s%s%.*se%d", point, all, point < digits ? "." : "",
                         digits - point, all + point, power);
                int at = point + power; /* digits before the point */
                size_t n = 0;
                for (int i = at < 1 ? at - 1 : 0; i < (at > digits ? at : digits); i++) {
                    if (i == at)
                        expected[n++] = ',';
                    if (i < at && i > 0 && (at - i) % 3 == 0)
                        expected[n++] = '.';
                    expected[n++] = i < 0 || i >= digits ? '0' : all[i];
                }
                number_is(odp_slice_of(in), ODP_LANG_ID, true, expected);
            }
        }
    }
}

enum { KEY, YEAR, BUILT, COST, AREA, OPEN, NAME, SERIAL, PAIR, BORN, AGE, FIELDS };

static void make_schema(struct odp_schema *s, struct odp_field fields[FIELDS], uint32_t key[1],
                        uint32_t pair[1], struct odp_key unique[1])
{
    static const char *const names[] = {"id",   "tahun", "tahun_bangun", "pagu",  "luas_ha",   "buka",
                                        "nama", "seri",  "urut",         "lahir", "umur_tahun"};
    static const enum odp_type types[] = {
        ODP_TYPE_INTEGER, ODP_TYPE_YEAR,    ODP_TYPE_INTEGER, ODP_TYPE_INTEGER,
        ODP_TYPE_NUMBER,  ODP_TYPE_BOOLEAN, ODP_TYPE_STRING,  ODP_TYPE_INTEGER,
        ODP_TYPE_INTEGER, ODP_TYPE_INTEGER, ODP_TYPE_INTEGER,
    };
    memset(fields, 0, FIELDS * sizeof *fields);
    for (size_t i = 0; i < FIELDS; i++) {
        fields[i].name = names[i];
        fields[i].type = types[i];
    }
    fields[COST].title = (struct odp_text){{"Pagu awal", "Initial budget"}};
    fields[COST].unit = (struct odp_text){{"rupiah", ""}};
    fields[SERIAL].constraints.unique = true;
    fields[BORN].constraints.minimum = ODP_LIT("1900");
    fields[BORN].constraints.maximum = ODP_LIT("2030");
    key[0] = KEY;
    pair[0] = PAIR;
    unique[0] = (struct odp_key){pair, 1, NULL};
    *s = (struct odp_schema){
        .fields = fields, .n = FIELDS, .primary = {key, 1, NULL}, .unique = unique, .nunique = 1};
}

static void cell_is(const struct odp_schema *s, uint32_t field, const char *text, const char *id,
                    const char *en)
{
    BUFFER(b);
    odp_words_cell(&b, s, field, odp_slice_of(text), ODP_LANG_ID);
    assert_string_equal(odp_buffer_cstr(&b), id);
    odp_buffer_clear(&b);
    odp_words_cell(&b, s, field, odp_slice_of(text), ODP_LANG_EN);
    assert_string_equal(odp_buffer_cstr(&b), en);
}

TEST(cells)
{
    struct odp_schema s;
    struct odp_field fields[FIELDS];
    uint32_t key[1], pair[1];
    struct odp_key unique[1];
    make_schema(&s, fields, key, pair, unique);
    static const bool figures[FIELDS] = {[COST] = true, [AREA] = true, [AGE] = true};
    for (uint32_t i = 0; i < FIELDS; i++)
        assert_int_equal(odp_schema_is_figure(&s, i), figures[i]);
    cell_is(&s, KEY, "12345", "12345", "12345");
    cell_is(&s, YEAR, "2024", "2024", "2024");
    cell_is(&s, BUILT, "1998", "1998", "1998");
    cell_is(&s, COST, "1500000000", "1.500.000.000", "1,500,000,000");
    cell_is(&s, AREA, "1234.50", "1.234,50", "1,234.50");
    cell_is(&s, OPEN, "true", "Ya", "Yes");
    cell_is(&s, OPEN, "false", "Tidak", "No");
    cell_is(&s, NAME, "1234567.89", "1234567.89", "1234567.89");
    cell_is(&s, NAME, "", "", "");

    BUFFER(b);
    odp_words_title(&b, &fields[COST], ODP_LANG_ID, true);
    odp_buffer_add_char(&b, '|');
    odp_words_title(&b, &fields[COST], ODP_LANG_EN, true);
    odp_buffer_add_char(&b, '|');
    odp_words_title(&b, &fields[COST], ODP_LANG_EN, false);
    odp_buffer_add_char(&b, '|');
    odp_words_title(&b, &fields[AREA], ODP_LANG_ID, true);
    assert_string_equal(odp_buffer_cstr(&b),
                        "Pagu awal (rupiah)|Initial budget (rupiah)|Initial budget|luas_ha");
}
