/* Tables on paper: measures against pango, widths, pages read back with poppler's tools, hostile cells; the
 * appendix. */
#include <math.h>

#include "catalog_folder.h"
#include "random.h"

#include "write/pdf/table_internal.h"

/* ---- fixtures ---- */

struct sheet {
    struct odp_fonts *fonts;
    struct odp_arena arena;
    struct odp_print_table *table;
    struct odp_buffer pdf, text, scratch;
    unsigned pages;
    char path[FRESH_FOLDER];
    struct odp_slice (*made)(struct sheet *s, uint64_t i, uint32_t k);
};

static struct odp_slice cell(void *ctx, uint64_t i, uint32_t k, const char **uri)
{
    struct sheet *s = ctx;
    *uri = NULL;
    odp_buffer_clear(&s->scratch);
    return s->made(s, i, k);
}

/* "r12k3": each cell of a table has another text. */
static struct odp_slice token(struct sheet *s, uint64_t i, uint32_t k)
{
    odp_buffer_printf(&s->scratch, "r%uk%u", (unsigned)i, k);
    return odp_buffer_slice(&s->scratch);
}

static void sheet_init(struct sheet *s, struct odp_slice (*made)(struct sheet *, uint64_t, uint32_t))
{
    *s = (struct sheet){.made = made};
    snprintf(s->path, sizeof s->path, "%s/odp-table-XXXXXX", odp_temporary_place());
    odp_arena_init(&s->arena);
    odp_buffer_init(&s->pdf);
    odp_buffer_init(&s->text);
    odp_buffer_init(&s->scratch);
    must(odp_fonts_open(&s->fonts));
    int fd = mkstemp(s->path);
    assert_true(fd >= 0);
    close(fd);
}

static void sheet_release(struct sheet *s)
{
    odp_print_table_free(s->table);
    odp_fonts_close(s->fonts);
    odp_buffer_release(&s->pdf);
    odp_buffer_release(&s->text);
    odp_buffer_release(&s->scratch);
    odp_arena_release(&s->arena);
    unlink(s->path);
}
#define SHEET(v, ...) OWNED(sheet, v, sheet, &v, __VA_ARGS__)

static void sheet_plan(struct sheet *s, const struct odp_print_column *columns, uint32_t n, uint64_t rows)
{
    odp_print_table_free(s->table);
    const struct odp_print_records records = {
        .columns = columns, .n = n, .rows = rows, .cell = cell, .ctx = s};
    s->table = odp_print_table_new(s->fonts, &records);
}

/* Sets the table behind BEFORE points of nothing; a second time with ink. Both take the same pages. */
static void sheet_draw(struct sheet *s, double before)
{
    struct odp_paper p = {.running = "Tabel"};
    odp_buffer_clear(&s->pdf);
    for (int draw = 0; draw < 2; draw++) {
        odp_paper_begin(&p, s->fonts, &s->arena, draw ? &s->pdf : NULL);
        odp_paper_page(&p, odp_print_table_is_wide(s->table));
        odp_paper_tag(&p, "Document", NULL);
        p.y += before;
        odp_print_table_set(s->table, &p);
        odp_paper_untag(&p, "Document");
        if (odp_paper_end(&p) != ODP_OK)
            fail_msg("%s", odp_failure_text());
        if (draw)
            assert_int_equal(p.page, s->pages);
        s->pages = p.page;
    }
    odp_paper_release(&p);
    put_bytes(s->path, s->pdf.ptr, s->pdf.len);
}

/* What a tool of poppler says about the PDF, in s->text. */
static const char *sheet_tool(struct sheet *s, const char *tool, const char *behind)
{
    char command[200], part[4096];
    snprintf(command, sizeof command, "%s %s %s 2>&1", tool, s->path, behind);
    FILE *f = popen(command, "r");
    assert_non_null(f);
    odp_buffer_clear(&s->text);
    for (size_t n; (n = fread(part, 1, sizeof part, f)) > 0;)
        odp_buffer_add(&s->text, part, n);
    if (pclose(f) != 0) {
        print_message("%s is not there (poppler-utils)\n", tool);
        skip();
    }
    return odp_buffer_cstr(&s->text);
}

static const char *sheet_page(struct sheet *s, unsigned page)
{
    char tool[80];
    snprintf(tool, sizeof tool, "pdftotext -layout -f %u -l %u", page, page);
    return sheet_tool(s, tool, "-");
}

/* How often TEXT contains WORD as a whole word. */
static unsigned count(const char *text, const char *word)
{
    unsigned n = 0;
    size_t len = strlen(word);
    for (const char *at = text; (at = strstr(at, word)) != NULL; at += len) {
        char after = at[len], before = at == text ? ' ' : at[-1];
        bool inside = (after >= '0' && after <= '9') || (before >= '0' && before <= '9') ||
                      (before >= 'a' && before <= 'z');
        n += !inside;
    }
    return n;
}

static void assert_near(double a, double b, double most)
{
    if (fabs(a - b) > most)
        fail_msg("%f is not %f", a, b);
}

/* ---- measures ---- */

static void extent_of(struct odp_table_text *t, const char *text, bool figure, struct odp_table_extent *e)
{
    odp_table_text_extent(t, odp_slice_of(text), figure, e);
}

TEST(extents)
{
    struct odp_table_text t = {0};
    struct odp_table_extent e, other;
    SHEET(s, token);
    odp_table_text_init(&t, s.fonts, 7.5);
    extent_of(&t, "1.234,50", true, &e);
    extent_of(&t, ",50", true, &other);
    assert_int_equal(e.tail, other.natural);
    extent_of(&t, "1.234", true, &e);
    assert_int_equal(e.tail, 0);
    extent_of(&t, "1,5 x", true, &e);
    assert_int_equal(e.tail, -1);
    extent_of(&t, "", true, &e);
    assert_int_equal(e.natural, 0);
    assert_int_equal(e.tail, -1);
    for (char c = '0'; c <= '9'; c++) { /* figures of one width */
        odp_table_text_extent(&t, (struct odp_slice){&c, 1}, true, &e);
        extent_of(&t, "0", true, &other);
        assert_int_equal(e.natural, other.natural);
    }
    assert_true(odp_slice_is(odp_table_text_longest_word(ODP_LIT("satu duabelas tiga")), "duabelas"));
    assert_int_equal(odp_table_text_longest_word(ODP_LIT(" ")).len, 0);
    extent_of(&t, "satu\ndua belas", false, &e);
    extent_of(&t, "dua belas", false, &other);
    assert_int_equal(e.natural, other.natural);
    assert_false(e.one_line);
    assert_false(e.one_line);
    odp_table_text_release(&t);
}

/* A column as wide as WIDEST is, and what TEXT becomes in it: lines with '|' between them. */
static void assert_lines(struct odp_table_text *t, const char *widest, const char *text, const char *expected)
{
    struct odp_table_extent e;
    char got[400] = "";
    size_t at = 0, len = strlen(text);
    extent_of(t, widest, false, &e);
    double width = (double)e.natural / PANGO_SCALE + 0.01;
    while (at <= len) {
        size_t from = at;
        assert_true(
            odp_table_text_lines(t, odp_slice_of(text), (struct odp_box){.width = width}, NULL, &at, 1) > 1);
        assert_true(at > from);
        size_t to = at > len ? len : at;
        while (to > from && (text[to - 1] == ' ' || text[to - 1] == '\n'))
            to--;
        size_t n = strlen(got);
        snprintf(got + n, sizeof got - n, "%s%.*s", from > 0 ? "|" : "", (int)(to - from), text + from);
    }
    assert_string_equal(got, expected);
}

TEST(lines)
{
    struct odp_table_text t = {0};
    SHEET(s, token);
    odp_table_text_init(&t, s.fonts, 7.5);
    assert_lines(&t, "dua puluh", "dua puluh satu", "dua puluh|satu");
    assert_lines(&t, "dua puluh", "dua puluh", "dua puluh");
    assert_lines(&t, "dua puluh", "dua\npuluh\n\nsatu", "dua|puluh||satu");
    assert_lines(&t, "PRJ-0000", "PRJ-00001 PRJ-00002",
                 "PRJ-0000|1|PRJ-0000|2"); /* wider than the column: broken inside */
    assert_lines(&t, "PRJ-00001", "PRJ-00001 PRJ-00002", "PRJ-00001|PRJ-00002");
    assert_lines(&t, "anak laki-", "anak laki-laki", "anak laki-|laki");
    assert_lines(&t, "kabupaten/", "kabupaten/kota", "kabupaten/|kota");
    assert_lines(&t, "Bandung\xE2\x80\x93Me", "Bandung\xE2\x80\x93Sumedang", "Bandung\xE2\x80\x93|Sumedang");
    assert_lines(&t, "xxxxx", "xxxxxxxxxxxx", "xxxxx|xxxxx|xx");
    assert_lines(&t, "12/2024", "Nomor 12/2024", "Nomor|12/2024");
    assert_lines(&t, "", "xyz", "x|y|z"); /* no room at all: a character a line */
    assert_lines(&t, "x", "", "");
    odp_table_text_release(&t);
}

/* Every kind of text comes to its end, in lines that fit, however it is cut by pages. */
TEST(lines_of_anything)
{
    static const char *const pieces[] = {
        "a",
        " ",
        "\n",
        "-",
        "/",
        "panjang",
        "\xD9\x85\xD8\xB1",
        "\xE6\x97\xA5\xE6\x9C\xAC",
        "\xCC\x81",
        "\xE2\x80\x8D",
        "1.000,5",
        "\t",
        "\xF0\x9F\x98\x80",
    };
    struct odp_table_text t = {0};
    SHEET(s, token);
    odp_table_text_init(&t, s.fonts, 7.5);
    for (int i = 0; i < 120; i++) {
        odp_buffer_clear(&s.scratch);
        uint32_t kinds = 1 + dice(ODP_COUNT(pieces));
        for (uint32_t n = i % 40 == 0 ? 3000 : dice(60); n > 0; n--)
            odp_buffer_add_str(&s.scratch, pieces[dice(kinds)]);
        struct odp_slice text = odp_table_text_clean(&t, odp_buffer_slice(&s.scratch));
        double width = 5 + dice(120), whole = odp_table_text_set(&t, odp_buffer_slice(&s.scratch),
                                                                 (struct odp_box){.width = width}, NULL);
        struct odp_slice again = odp_table_text_clean(&t, odp_buffer_slice(&s.scratch));
        double parts = 0;
        size_t at = 0, steps = 0;
        assert_int_equal(again.len, text.len);
        while (at <= again.len) {
            size_t from = at;
            parts += odp_table_text_lines(&t, again, (struct odp_box){.width = width}, NULL, &at, 400);
            assert_true(at > from);
            assert_true(++steps <= again.len + 1);
        }
        assert_true(parts > whole * 0.95 - 20 && parts < whole * 1.05 + 20);
    }
    odp_table_text_release(&t);
}

/* ---- widths ---- */

TEST(widths)
{
    const double least[] = {20, 40, 30}, most[] = {20, 400, 200};
    const double sample[] = {20, 400, 100, 20, 380, 110, 20, 10, 200}, weight[] = {1, 1, 1};
    double width[3];
    struct odp_table_widths w = {
        .n = 3, .rows = 3, .least = least, .most = most, .sample = sample, .weight = weight, .room = 1000};
    assert_true(odp_table_widths_solve(&w, width)); /* all that is wanted */
    assert_true(width[0] == 20 && width[1] == 400 && width[2] == 200);
    w.room = 89;
    assert_false(odp_table_widths_solve(&w, width));
    w.room = 90;
    assert_true(odp_table_widths_solve(&w, width));
    for (int k = 0; k < 3; k++)
        assert_near(width[k], least[k], 0.02);
    w.room = 300;
    assert_true(odp_table_widths_solve(&w, width));
    assert_near(width[0] + width[1] + width[2], 300, 0.1);
    /* As low as the best of all ways to divide the room. */
    double best = 1e9, got = 0;
    for (double second = 40; second <= 250; second += 1) {
        double all = 0;
        for (int row = 0; row < 3; row++)
            all += fmax(odp_table_widths_lines(sample[row * 3 + 1], second),
                        odp_table_widths_lines(sample[row * 3 + 2], 280 - second));
        best = fmin(best, all);
    }
    for (int row = 0; row < 3; row++)
        got += fmax(odp_table_widths_lines(sample[row * 3 + 1], width[1]),
                    odp_table_widths_lines(sample[row * 3 + 2], width[2]));
    assert_near(got, best, 0.001);
}

/* ---- plans ---- */

static struct odp_slice sentences(struct sheet *s, uint64_t i, uint32_t k)
{
    odp_buffer_printf(&s->scratch, "r%uk%u ", (unsigned)i, k);
    for (uint64_t n = 0; k > 0 && n < 4 + (i * 7 + k * 3) % 9; n++)
        odp_buffer_add_str(&s->scratch, n % 2 == 0 ? "pembangunan " : "jalan ");
    return odp_buffer_slice(&s->scratch);
}

static void fill_columns(struct odp_print_column *c, uint32_t n, uint32_t keys)
{
    static const char *const heads[] = {"Kode", "Uraian kegiatan", "Wilayah", "Keterangan lain"};
    for (uint32_t k = 0; k < n; k++)
        c[k] = (struct odp_print_column){.head = heads[k % 4], .key = k < keys};
}

static void assert_bands_fit(const struct odp_print_table *t)
{
    for (uint32_t i = 0; i < t->nbands; i++) {
        const struct odp_table_band *b = &t->bands[i];
        assert_true(b->all <= t->width[t->wide] + 0.05);
        for (uint32_t k = 0; k < b->n; k++) {
            assert_true(b->width[k] > 3);
            if (k > 0) /* no column reaches into the next one */
                assert_true(b->x[k] >= b->x[k - 1] + b->width[k - 1] + 2 * ODP_TABLE_PAD_X - 0.01);
        }
    }
}

TEST(plans)
{
    struct odp_print_column c[64];
    SHEET(s, sentences);
    fill_columns(c, 64, 1);
    sheet_plan(&s, c, 4, 50);
    assert_false(odp_print_table_is_wide(s.table));
    assert_int_equal(s.table->nbands, 1);
    sheet_plan(&s, c, 7, 50);
    assert_true(odp_print_table_is_wide(s.table));
    assert_int_equal(s.table->nbands, 1);
    assert_bands_fit(s.table);
    for (uint32_t k = 0; k < 7; k++) { /* no word is broken */
        const struct odp_table_column *column = &s.table->columns[k];
        assert_true(s.table->bands[0].width[k] >=
                    fmax(column->word, column->head_word) * s.table->text.face.size / 7.5);
    }
    fill_columns(c, 64, 2);
    sheet_plan(&s, c, 40, 50);
    assert_true(odp_print_table_is_wide(s.table));
    assert_true(s.table->nbands > 2);
    assert_bands_fit(s.table);
    unsigned seen[40] = {0};
    for (uint32_t i = 0; i < s.table->nbands; i++)
        for (uint32_t k = 0; k < s.table->bands[i].n; k++)
            seen[s.table->bands[i].column[k]]++;
    for (uint32_t k = 0; k < 40; k++)
        assert_int_equal(seen[k], k < 2 ? s.table->nbands : 1);
    assert_int_equal(s.table->bands[0].first, 1);
    for (uint32_t i = 1; i < s.table->nbands; i++)
        assert_int_equal(s.table->bands[i].first, s.table->bands[i - 1].last + 1);
    assert_int_equal(s.table->bands[s.table->nbands - 1].last, 40);
    fill_columns(c, 64, 64); /* all of them keys: some are repeated, none is lost */
    sheet_plan(&s, c, 64, 3);
    assert_bands_fit(s.table);
}

/* Figures, of as many decimals as come. */
static struct odp_slice figures(struct sheet *s, uint64_t i, uint32_t k)
{
    static const char *const all[] = {"13", "63,33", "4,5", "1.000,125"};
    if (k == 0)
        return token(s, i, k);
    return i == 4 ? (struct odp_slice){NULL, 0} : odp_slice_of(all[i % 4]);
}

/* xMax of WORD in the output of pdftotext -bbox. */
static double right_edge(const char *bbox, const char *word)
{
    char pattern[64];
    snprintf(pattern, sizeof pattern, ">%s</word>", word);
    const char *at = strstr(bbox, pattern);
    assert_non_null(at);
    while (strncmp(at, "xMax=\"", 6) != 0)
        at--;
    return strtod(at + 6, NULL);
}

static double width_of(struct sheet *s, const char *text)
{
    struct odp_table_extent e;
    extent_of(&s->table->text, text, true, &e);
    return (double)e.natural / PANGO_SCALE;
}

TEST(commas_stand_below_each_other)
{
    const struct odp_print_column c[] = {{.head = "Kode"}, {.head = "Nilai", .right = true}};
    SHEET(s, figures);
    sheet_plan(&s, c, 2, 5);
    sheet_draw(&s, 0);
    const char *bbox = sheet_tool(&s, "pdftotext -bbox", "-");
    double edge = right_edge(bbox, "1.000,125");
    assert_near(right_edge(bbox, "13"), edge - width_of(&s, ",125"), 0.05);
    assert_near(right_edge(bbox, "63,33"), edge - width_of(&s, "5"), 0.05);
    assert_near(right_edge(bbox, "4,5"), edge - width_of(&s, "25"), 0.05);
    assert_near(right_edge(bbox, "\xE2\x80\x93"), edge, 0.05);
}

/* ---- pages ---- */

/* TEXT of a page has rows from ROW on, each cell once. Returns the first row that it has not. */
static uint64_t assert_page(const char *text, uint64_t row)
{
    char word[32];
    for (;; row++) {
        snprintf(word, sizeof word, "r%uk0", (unsigned)row);
        if (count(text, word) == 0)
            return row;
        for (uint32_t k = 0; k < 5; k++) {
            snprintf(word, sizeof word, "r%uk%u", (unsigned)row, k);
            assert_int_equal(count(text, word), 1);
        }
    }
}

/* All cells are there once, on every page stands the head, no page has a head alone or a last row alone. */
TEST(every_cell_once)
{
    static const uint64_t sizes[] = {1, 2, 3, 49, 50, 51, 52, 53, 54, 180};
    struct odp_print_column c[5];
    SHEET(s, token);
    fill_columns(c, 5, 1);
    for (size_t n = 0; n < ODP_COUNT(sizes); n++) {
        sheet_plan(&s, c, 5, sizes[n]);
        for (double before = 0; before<800; before += n> 6 ? 800 : 170) {
            sheet_draw(&s, before);
            uint64_t row = 0;
            char *text = (char *)(uintptr_t)sheet_tool(&s, "pdftotext -layout", "-"), *end;
            for (unsigned page = 1; page <= s.pages; page++, text = end + 1) {
                end = strchr(text, '\f');
                assert_non_null(end);
                *end = '\0';
                uint64_t from = row;
                row = assert_page(text, row);
                if (page > 1 || row > 0) {
                    assert_true(row - from >= 2 || sizes[n] == 1);
                    assert_int_equal(count(text, "Wilayah"), 1);
                } else {
                    assert_int_equal(count(text, "Wilayah"), 0);
                }
            }
            assert_int_equal(row, sizes[n]);
        }
    }
}

TEST(tags)
{
    struct odp_print_column c[3];
    SHEET(s, token);
    fill_columns(c, 3, 1);
    sheet_plan(&s, c, 3, 120);
    sheet_draw(&s, 0);
    assert_true(s.pages > 2);
    const char *text = sheet_tool(&s, "pdfinfo -struct-text", "");
    assert_int_equal(count(text, "Table"), 1);
    assert_int_equal(count(text, "TH"), 3); /* the repeated heads are no content */
    assert_int_equal(count(text, "TR"), 121);
    assert_int_equal(count(text, "TD"), 360);
    EXPECT(text, "      TD\n        \"r119k2\"\n");
}

static struct odp_slice nothing(struct sheet *s, uint64_t i, uint32_t k)
{
    (void)s, (void)i, (void)k;
    return (struct odp_slice){NULL, 0};
}

TEST(empty_tables)
{
    struct odp_print_column c[300];
    char head[600];
    SHEET(s, nothing);
    fill_columns(c, 300, 1);
    sheet_plan(&s, c, 0, 10); /* no columns: nothing */
    sheet_draw(&s, 0);
    sheet_plan(&s, c, 3, 0);
    sheet_draw(&s, 0);
    EXPECT(sheet_page(&s, 1), "Tidak ada rekaman");
    sheet_plan(&s, c, 3, 10); /* nulls only */
    sheet_draw(&s, 0);
    assert_int_equal(s.pages, 1);
    sheet_plan(&s, c, 300, 2);
    assert_bands_fit(s.table);
    sheet_draw(&s, 0);
    memset(head, 'W', sizeof head - 1);
    head[sizeof head - 1] = '\0';
    for (uint32_t k = 0; k < 300; k++)
        c[k].head = head;
    sheet_plan(&s, c, 9, 30); /* heads that would fill pages leave room for rows */
    assert_bands_fit(s.table);
    sheet_draw(&s, 0);
    assert_true(s.table->bands[0].head_height < 200);
}

/* ---- the appendix ---- */

#define FIELDS                                                                                               \
    "{\"name\": \"kode\", \"type\": \"string\", \"title\": {\"id\": \"Kode satuan\", \"en\": \"Unit "        \
    "code\"},"                                                                                               \
    " \"sdi:definisi\": {\"id\": \"Kode enam angka.\", \"en\": \"Six digits.\"}, \"sdi:konsep\": {\"id\": "  \
    "\"Satuan kerja\", "                                                                                     \
    "\"en\": \"Work unit\"},"                                                                                \
    " \"constraints\": {\"required\": true}},"                                                               \
    "{\"name\": \"jenis\", \"type\": \"string\", \"categories\": [{\"value\": \"51\", \"label\": \"Belanja " \
    "pegawai\","                                                                                             \
    " \"odp:label\": {\"id\": \"Belanja pegawai\", \"en\": \"Personnel\"}}, {\"value\": \"52\", \"label\": " \
    "\"Belanja "                                                                                             \
    "barang\","                                                                                              \
    " \"odp:label\": {\"id\": \"Belanja barang\", \"en\": \"Goods\"}}]},"                                    \
    "{\"name\": \"nilai\", \"type\": \"integer\", \"sdi:satuan\": {\"id\": \"rupiah\", \"en\": "             \
    "\"rupiahs\"}},"                                                                                         \
    "{\"name\": \"rahasia\", \"type\": \"string\", \"sdi:aksesPublik\": false, \"title\": \"Jangan "         \
    "dicetak\"}"

TEST(appendix)
{
    static const char *const wanted[] = {
        "Arti kolom / Meaning of the fields",
        "Kode satuan",
        "Unit code",
        "Kode enam angka.",
        "Six digits.",
        "Ya (kunci)",
        "No",
        "rupiahs",
        "bilangan bulat",
        "whole number",
        "Standar data / Data standard",
        "Work unit",
        "Daftar kode / Code lists",
        "Belanja barang",
        "Goods",
        "Metadata Satu Data",
        "Biro Hukum",
        "SDSN-7",
    };
    struct odp_print_appendix *x;
    struct odp_paper p = {0};
    FOLDER(f);
    folder_write(&f, "portal.json", PORTAL);
    folder_write(&f, "changes.json",
                 "{\"releases\": [{\"version\": \"1.0.0\", \"date\": \"2024-01-01\", \"changes\": [{\"id\": "
                 "\"a\", \"en\": \"a\"}]}]}");
    folder_write(&f, "anggaran/dataset.json",
                 "{\"name\": \"anggaran\", \"title\": \"Anggaran\", \"odp:formats\": [\"CSV\"], "
                 "\"odp:lastUpdate\": \"2024-01-01\", \"sdi:produsenData\": \"Biro Hukum\", "
                 "\"sdi:kodeSDSN\": \"SDSN-7\", \"resources\": [{\"name\": \"anggaran\", \"path\": "
                 "\"a.csv\", \"schema\": {\"primaryKey\": [\"kode\"], \"fields\": [" FIELDS "]}}]}");
    (void)folder_open(&f);
    assert_int_equal(f.catalog->ndatasets, 1);
    SHEET(s, token);
    const struct odp_print_job job = {
        .catalog = f.catalog, .resource = &f.catalog->datasets[0].resources[0], .columns = 4};
    x = odp_print_appendix_new(&job, s.fonts, &s.arena);
    for (int draw = 0; draw < 2; draw++) {
        odp_paper_begin(&p, s.fonts, &s.arena, draw ? &s.pdf : NULL);
        odp_paper_page(&p, false);
        odp_print_appendix_set(x, &p);
        must(odp_paper_end(&p));
    }
    odp_print_appendix_free(x);
    odp_paper_release(&p);
    put_bytes(s.path, s.pdf.ptr, s.pdf.len);
    const char *text = sheet_tool(&s, "pdftotext -layout", "-");
    for (size_t i = 0; i < ODP_COUNT(wanted); i++)
        if (strstr(text, wanted[i]) == NULL)
            fail_msg("'%s' is not in:\n%s", wanted[i], text);
    EXPECT(text, "!", "rahasia", "Jangan dicetak");
}
