/* Random CSV, built of what may matter to framing and slicing, read every way there is
 * (tests/fuzz/csv_ways.h). The fuzzer fuzz_csv_ways does the same with what it finds itself. */
#include "run.h"
#include "random.h"

#include "../fuzz/csv_ways.h"

static bool one_in(unsigned n)
{
    return dice(n) == 0;
}

/* How wild the text is: 0 as libcsv and we read it alike, 1 with faults, 2 with anything. */
static void add_letters(struct odp_buffer *out, const struct ways_dialect *d, unsigned wild)
{
    static const char *const words[] = {
        "a",
        "Jl. Melati 7",
        "12.5",
        "2024-01-31",
        "\xC3\xA9t\xC3\xA9",
        "\xE2\x82\xAC",
        "\xF0\x9F\x98\x80",
        " ",
        "",
        "NA",
        "-",
        "1E+5",
        "=A1",
        "x@y",
        "#",
        "Surabaya",
        "kelurahan yang panjang namanya",
        "satu",
        "Total",
        "Sumber: BPS",
        "(1)",
    };
    unsigned trouble = 4, known = ODP_COUNT(words) - (wild == 0 ? trouble : 0);
    unsigned n = one_in(40) ? dice(300) : dice(3);
    for (unsigned i = 0; i < n; i++)
        odp_buffer_add_str(out, words[dice(known)]);
    if (d->encoding != NULL && one_in(10))
        odp_buffer_add_char(out, (char)(0xA0 + dice(0x60)));
    if (wild == 2 && one_in(30))
        odp_buffer_add_char(out, (char)dice(256));
    if (wild >= 1 && d->quote != '\0' && one_in(30)) {
        odp_buffer_add_char(out, d->quote);
        odp_buffer_add_str(out, one_in(2) ? "x" : "");
    }
}

static void add_line_end(struct odp_buffer *out, unsigned style)
{
    static const char *const ends[] = {"\n", "\r\n", "\r"};
    odp_buffer_add_str(out, ends[style < 3 ? style : dice(3)]);
}

static void add_cell(struct odp_buffer *out, const struct ways_dialect *d, unsigned wild, unsigned style)
{
    if (d->skip_space && one_in(2))
        odp_buffer_add_char(out, ' ');
    if (d->quote == '\0' || !one_in(4)) {
        add_letters(out, d, wild);
        if (d->escape != '\0' && one_in(6)) {
            odp_buffer_add_char(out, d->escape);
            odp_buffer_add_char(out, "n,\"\\\n"[dice(5)]);
        }
        return;
    }
    odp_buffer_add_char(out, d->quote);
    for (unsigned i = dice(4); i > 0; i--) {
        add_letters(out, d, 0);
        switch (dice(6)) {
        case 0:
            odp_buffer_add_char(out, d->delimiter);
            break;
        case 1:
            if (!d->single_quotes)
                odp_buffer_add_char(out, d->quote);
            odp_buffer_add_char(out, d->quote);
            break;
        case 2:
            add_line_end(out, style);
            break;
        case 3:
            if (d->escape != '\0') {
                odp_buffer_add_char(out, d->escape);
                odp_buffer_add_char(out, d->quote);
            }
            break;
        default:
            break;
        }
    }
    if (wild == 0 || !one_in(40)) /* else never closed */
        odp_buffer_add_char(out, d->quote);
    if (wild == 2 && one_in(40))
        odp_buffer_add_str(out, "x");
}

static void add_row(struct odp_buffer *out, const struct ways_dialect *d, unsigned wild, unsigned style)
{
    uint32_t cells = d->columns;
    if (wild >= 1 && one_in(40))
        cells += dice(3);
    if (wild >= 1 && one_in(40))
        cells -= 1;
    if (one_in(60))
        odp_buffer_add_str(out, one_in(2) ? "" : "  "); /* and a blank row, if nothing follows */
    else if (wild >= 1 && one_in(80))
        odp_buffer_add(out, d->header, strcspn(d->header, "\r\n"));
    else if (wild >= 1 && one_in(80))
        odp_buffer_add_str(out, "\xEF\xBB\xBF"), odp_buffer_add(out, d->header, strcspn(d->header, "\r\n"));
    else if (d->comment != '\0' && one_in(15))
        odp_buffer_printf(out, "%c remark \"with\" %s", d->comment, one_in(2) ? "a, quote\"" : "");
    else
        for (uint32_t c = 0; c < cells; c++) {
            if (c > 0)
                odp_buffer_add_char(out, d->delimiter);
            add_cell(out, d, wild, style);
        }
    add_line_end(out, style);
}

static unsigned compare(unsigned rounds, size_t bytes, unsigned calm)
{
    struct odp_buffer text = {0};
    unsigned asked = 0;
    for (unsigned round = 0; round < rounds; round++) {
        const struct ways_dialect *d = &ways_dialects[dice(WAYS_DIALECTS)];
        unsigned wild = one_in(calm) ? 1 + dice(2) : 0, style = dice(5);
        size_t want = dice(bytes);
        odp_buffer_clear(&text);
        while (text.len < want) {
            add_row(&text, d, wild, style);
            /* Blank rows and comments in such numbers that they go out of the window. */
            for (unsigned k = bytes > 100000 && one_in(4000) ? dice(60000) : 0; k > 0; k--) {
                odp_buffer_add_str(&text, d->comment != '\0' && one_in(2) ? "# \"\xC3" : "  ");
                add_line_end(&text, style);
            }
        }
        if (one_in(3) && text.len > 0)
            text.len -=
                1 + dice(text.len > 3 ? 3 : 1); /* the last line end, or some of the last row, is missing */
        must(odp_buffer_status(&text));
        asked += ways_compare(d, text.ptr, text.len);
    }
    odp_buffer_release(&text);
    return asked;
}

TEST(small)
{
    random_seed = 11;
    /* libcsv alone reads texts without faults in its dialects, too. */
    assert_in_range(compare(1500, 600, 2), 200, 1500);
}

/* Over many pieces of masks, windows and batches. */
TEST(large)
{
    random_seed = 13;
    assert_in_range(compare(25, 400000, 3), 3, 25);
}

/* Records that end, or have their delimiters and quotes, at every place of a vector and of a piece of masks.
 */
TEST(places)
{
    char text[2 * ODP_BYTES_CHUNK];
    for (size_t at = ODP_BYTES_CHUNK - 200; at < ODP_BYTES_CHUNK; at++) {
        static const char *const tails[] = {"\r\nb,,\r\n", "\",\"\",\"\"\"\"\n\"c\nd\",,\n",
                                            ",\"e\",f\rg,h,\"i\"\r", "\n"};
        size_t n = strlen(tails[at % 4]);
        memset(text, 'x', at);
        memcpy(text,
               at % 4 == 1   ? "a,\""
               : at % 4 == 2 ? "\""
                             : "a,b,",
               at % 4 == 1   ? 3
               : at % 4 == 2 ? 1
                             : 4);
        if (at % 4 == 2)
            text[at - 1] = '"';
        memcpy(text + at, tails[at % 4], n);
        (void)ways_compare(&ways_dialects[0], text, at + n);
    }
}
