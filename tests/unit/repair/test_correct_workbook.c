/* tools/odp-build/repair/workbook/format.c, records.c: what the correction workbook and its reader agree on.
 */
#include "run.h"

#include "repair/workbook/records.h"

static void shows(const char *ptr, size_t len, const char *want, bool cut)
{
    BUFFER(b);
    bool was;
    correct_shown(&b, (struct odp_slice){ptr, len}, &was);
    assert_string_equal(odp_buffer_cstr(&b), want);
    assert_int_equal(was, cut);
}

TEST(shown)
{
    shows("", 0, "", false);
    shows("=1+2", 4, "=1+2", false);
    shows(" a\t", 3, " a\t", false);
    shows("a\r\nb\rc\nd\r", 9, "a\nb\nc\nd\n", false);
    shows("a\0b\x01", 4,
          "a\xEF\xBF\xBD"
          "b\xEF\xBF\xBD",
          false);
    shows("\xFF", 1, "\xEF\xBF\xBD", false);
    shows("\xE2\x82", 2, "\xEF\xBF\xBD\xEF\xBF\xBD", false); /* a character that was broken off */
    shows("\xEF\xBF\xBE", 3, "\xEF\xBF\xBD", false);         /* U+FFFE, which XML has not */
    shows("\xF0\x9F\x98\x80", 4, "\xF0\x9F\x98\x80", false);
}

TEST(shown_is_cut_and_stays_so)
{
    struct odp_buffer once = {0}, twice = {0};
    bool cut;
    size_t n = CORRECT_UNITS + 5;
    char *text = malloc(n);
    assert_non_null(text);
    memset(text, 'x', n);
    memcpy(text + CORRECT_UNITS - 1, "\xF0\x9F\x98\x80", 4); /* two units where one is left */
    correct_shown(&once, (struct odp_slice){text, n}, &cut);
    assert_true(cut);
    assert_int_equal(once.len, CORRECT_UNITS - 1 + 3);
    correct_shown(&twice, odp_buffer_slice(&once), &cut); /* as it is compared when it comes back */
    assert_true(odp_slice_eq(odp_buffer_slice(&once), odp_buffer_slice(&twice)));
    odp_buffer_clear(&once);
    correct_shown(&once, (struct odp_slice){text, CORRECT_UNITS - 1}, &cut);
    assert_false(cut);
    odp_buffer_release(&once);
    odp_buffer_release(&twice);
    free(text);
}

TEST(actions)
{
    assert_int_equal(correct_action_of(ODP_LIT("")), CORRECT_NOTHING);
    assert_int_equal(correct_action_of(ODP_LIT("  ")), CORRECT_NOTHING);
    assert_int_equal(correct_action_of(ODP_LIT(" Terima Usul ")), CORRECT_ACCEPT);
    assert_int_equal(correct_action_of(ODP_LIT("ACCEPT")), CORRECT_ACCEPT);
    assert_int_equal(correct_action_of(ODP_LIT("hapus")), CORRECT_DELETE);
    assert_int_equal(correct_action_of(ODP_LIT("delete")), CORRECT_DELETE);
    assert_int_equal(correct_action_of(ODP_LIT("hapus saja")), CORRECT_UNKNOWN);
    assert_int_equal(correct_action_of(ODP_LIT("a word that is longer than any that has a meaning here")),
                     CORRECT_UNKNOWN);
}

TEST(ids)
{
    const struct odp_slice cells[] = {ODP_LIT("31.71"), ODP_LIT(""), ODP_LIT("12,5 ha")};
    const struct odp_slice moved[] = {ODP_LIT("31.71"), ODP_LIT("12,5 ha"), ODP_LIT("")};
    struct odp_buffer text = {0}, scratch = {0};
    struct correct_id id = {.row = 18446744073709551615u / 10,
                            .flags = CORRECT_FLAG_DELETE | CORRECT_FLAG_BROKEN},
                      back;
    char digest[CORRECT_ID_DIGEST], marks[6];
    correct_digest(cells, 3, &scratch, id.digest);
    correct_digest(moved, 3, &scratch, digest); /* where a cell ends is part of it */
    assert_memory_not_equal(id.digest, digest, sizeof digest);
    for (int i = 0; i < 3; i++)
        correct_mark(cells[i], marks + 2 * i);
    id.marks = (struct odp_slice){marks, sizeof marks};
    correct_id_write(&text, &id);
    assert_true(correct_id_read(odp_buffer_slice(&text), &back));
    assert_true(back.row == id.row && back.flags == id.flags);
    assert_memory_equal(back.digest, id.digest, sizeof id.digest);
    assert_true(odp_slice_eq(back.marks, id.marks));
    for (size_t n = 0; n < text.len - sizeof marks; n++) /* the rest is not a workbook */
        assert_false(correct_id_read((struct odp_slice){text.ptr, n}, &back));
    odp_buffer_release(&text);
    odp_buffer_release(&scratch);
}

TEST(ids_that_are_none)
{
    static const char *const texts[] = {
        "",
        "r",
        "17",
        "r..",
        "r0..AAAAAAAAAAAAAAAA.",
        "rx..AAAAAAAAAAAAAAAA.",
        "r1.z.AAAAAAAAAAAAAAAA.AA",
        "r1..AAAAAAAAAAAAAAA.AA",
        "r1..AAAAAAAAAAAAAAAA",
        "r1..AAAAAAAA AAAAAAA.AA",
        "r1..AAAAAAAAAAAAAAAA.A!",
        "1899-12-30",
        "r99999999999999999999999..AAAAAAAAAAAAAAAA.",
    };
    struct correct_id id;
    for (size_t i = 0; i < ODP_COUNT(texts); i++)
        assert_false(correct_id_read(odp_slice_of(texts[i]), &id));
    assert_true(correct_id_read(ODP_LIT(" r1..AAAAAAAAAAAAAAAA. "), &id));
    assert_int_equal(id.marks.len, 0);
}
