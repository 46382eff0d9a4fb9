/* Records as entries of a printed document, as another program reads them. */
#include "print_fixture.h"

/* ---- entries ---- */

enum { F_ID, F_KIND, F_NUMBER, F_DATE, F_TITLE, F_STATUS, F_PAGES, F_HEIR, F_LINK, F_FILE };

static const struct odp_document_spec document = {"dokumen", -1};

/* ROWS regulations; every third of subject "B", every seventh of none. */
static void regulations(struct pf *f, unsigned rows)
{
    static struct odp_category kinds[] = {{ODP_LIT("B"), {{"Bangunan", NULL}}},
                                          {ODP_LIT("A"), {{NULL, NULL}}}};
    static const char *const names[] = {"id",     "bidang",  "nomor",     "tanggal", "judul",
                                        "status", "halaman", "pengganti", "tautan",  "berkas"};
    static const char *const titles[] = {
        "ID",      "Bidang", "Nomor",  "Tanggal penetapan", "Judul", "Status", "Jumlah halaman",
        "Diganti", "Alamat", "Berkas",
    };
    static const enum odp_type types[] = {
        ODP_TYPE_STRING, ODP_TYPE_STRING,  ODP_TYPE_STRING, ODP_TYPE_DATE,   ODP_TYPE_STRING,
        ODP_TYPE_STRING, ODP_TYPE_INTEGER, ODP_TYPE_STRING, ODP_TYPE_STRING, ODP_TYPE_STRING,
    };
    for (unsigned i = 0; i < 10; i++)
        pf_field(f, names[i], types[i], titles[i]);
    f->fields[F_KIND].categories = kinds;
    f->fields[F_KIND].ncategories = 2;
    f->fields[F_PAGES].unit = (struct odp_text){{"halaman", "pages"}};
    f->fields[F_LINK].string_format = ODP_STRING_URI;
    f->fields[F_FILE].document = &document;
    f->heading[0] = F_NUMBER;
    f->resource.print =
        (struct odp_print_spec){ODP_PRINT_ENTRIES, {f->heading, 1, ""}, F_TITLE, F_STATUS, F_KIND, 10000};
    f->key = F_ID;
    f->resource.schema.primary = (struct odp_key){&f->key, 1, ""};
    static uint32_t local = F_HEIR, remote = F_ID;
    f->foreign = (struct odp_foreign_key){{&local, 1, ""}, &f->resource, {&remote, 1, ""}, "aturan", ""};
    f->resource.foreign = &f->foreign;
    f->resource.nforeign = 1;
    pf_rows(f, rows);
    for (unsigned i = 0; i < rows; i++) {
        pf_set(f, i, F_ID, odp_arena_printf(&f->arena, "R%04u", i + 1));
        if (i % 7 != 6)
            pf_set(f, i, F_KIND, i % 3 == 0 ? "B" : i % 3 == 1 ? "A" : "Lama");
        pf_set(f, i, F_NUMBER, odp_arena_printf(&f->arena, "%u/PRT/M/2019", i + 1));
        pf_set(f, i, F_DATE, "2019-08-17");
        pf_set(f, i, F_TITLE, odp_arena_printf(&f->arena, "Tentang-%u", i + 1));
        pf_set(f, i, F_STATUS, i % 2 == 0 ? "Berlaku" : "Dicabut");
        if (i % 4 != 0)
            pf_set(f, i, F_PAGES, "1234");
        if (i % 5 == 0 && i > 0)
            pf_set(f, i, F_HEIR, odp_arena_printf(&f->arena, "R%04u", rows - i));
        pf_set(f, i, F_LINK, odp_arena_printf(&f->arena, "https://jdih.example.go.id/dokumen/%u", i + 1));
        if (i % 6 == 0)
            pf_set(f, i, F_FILE,
                   odp_arena_printf(&f->arena, "dokumen/0123456789abcdef/P%u~2E1~20a.pdf", i + 1));
    }
}

static void entries(struct pf *f, void *ctx)
{
    struct odp_paper *p = &f->paper;
    p->running = "Aturan";
    odp_paper_heading(p, 1, "Rekaman / Records", "rekaman", 120);
    odp_print_entries_set(*(struct odp_print_entries **)ctx, p);
}

static struct odp_print_entries *print_entries(struct pf *f)
{
    struct odp_print_entries *e;
    e = odp_print_entries_new(&f->job, f->fonts, &f->arena);
    pf_print(f, entries, &e);
    return e;
}

/* The text between entry I's title and the next entry's; to be freed. */
static char *entry_text(const char *text, unsigned i)
{
    char title[40];
    snprintf(title, sizeof title, "Tentang-%u\n", i);
    const char *from = strstr(text, title);
    assert_non_null(from);
    const char *to = strstr(from + strlen(title), "/PRT/M/2019");
    size_t n = to != NULL ? (size_t)(to - from) : strlen(from);
    char *copy = malloc(n + 1);
    assert_non_null(copy);
    memcpy(copy, from, n);
    copy[n] = '\0';
    return copy;
}

TEST(entries)
{
    PF(f);
    regulations(&f, 44);
    struct odp_print_entries *e = print_entries(&f);
    pf_check_boxes(&f);
    /* Groups: categories in their order, then other values, then records without one; with their numbers. */
    static const char *const groups[] = {"Bangunan (13 rekaman)", "A (13 rekaman)", "Lama (12 rekaman)",
                                         "Lainnya (6 rekaman)"};
    size_t g = 0, entry = 0;
    for (size_t i = 0; i < f.paper.nheadings; i++) {
        const struct odp_heading *h = &f.paper.headings[i];
        if (h->level == 2)
            assert_string_equal(h->text, groups[g++]);
        entry += h->level == 3;
    }
    assert_int_equal(g, 4);
    assert_int_equal(entry, 44);
    assert_string_equal(f.paper.headings[2].text, "1/PRT/M/2019");
    assert_string_equal(f.paper.headings[2].dest, "rekaman-1");
    assert_string_equal(f.paper.headings[3].text, "4/PRT/M/2019");
    /* What the entries say. */
    char *text = pf_ask(&f, "pdftotext -layout", "-"), *one = entry_text(text, 2);
    static const char *const second[] = {
        "ID",
        "R0002",
        "Bidang",
        "A",
        "Tanggal penetapan",
        "17 Agustus 2019",
        "1.234 halaman",
        "Alamat",
        "https://jdih.example.go.id/dokumen/2",
    };
    for (size_t i = 0; i < ODP_COUNT(second); i++)
        assert_non_null(strstr(one, second[i]));
    assert_null(strstr(one, "Diganti")); /* wide, and null */
    EXPECT(one, "!", "Berkas", "–");
    free(one);
    one = entry_text(text, 1);
    assert_non_null(strstr(one, "–")); /* narrow, and null */
    EXPECT(one, "B — Bangunan", "P1.1 a.pdf\n",
           "https://data.example.go.id/data/aturan/2024-03-15/dokumen/0123456789abcdef/P1~2E1~20a.pdf");
    free(one);
    /* The sixth is replaced by the 39th: by name, and the page where that stands. */
    const struct odp_heading *heir = NULL;
    for (size_t i = 0; i < f.paper.nheadings; i++)
        if (strcmp(f.paper.headings[i].dest, "rekaman-39") == 0)
            heir = &f.paper.headings[i];
    assert_non_null(heir);
    char line[80];
    snprintf(line, sizeof line, "R0039 — 39/PRT/M/2019, hlm. %u\n", heir->page);
    assert_non_null(strstr(text, line));
    free(text);
    char *urls = pf_ask(&f, "pdfinfo -url", "");
    assert_int_equal(times_in(urls, "https://jdih.example.go.id/dokumen/"), 44);
    assert_int_equal(times_in(urls, "dokumen/0123456789abcdef/P"), 8);
    free(urls);
    odp_print_entries_free(e);
}

/* An entry stands on one page; the first of a group stands below its heading. */
TEST(entries_together)
{
    char words[60];
    PF(f);
    regulations(&f, 60);
    struct odp_print_entries *e = print_entries(&f);
    pf_check_boxes(&f);
    assert_true(f.paper.page > 8);
    unsigned group = 0;
    for (size_t i = 1; i < f.paper.nheadings; i++) {
        const struct odp_heading *h = &f.paper.headings[i];
        if (h->level == 2)
            group = h->page;
        if (h->level != 3)
            continue;
        assert_true(group == 0 || group == h->page);
        group = 0;
        unsigned n = (unsigned)strtoul(h->text, NULL, 10);
        snprintf(words, sizeof words, "https://jdih.example.go.id/dokumen/%u", n);
        assert_int_equal(pf_need(&f, words)->page, h->page);
        snprintf(words, sizeof words, "Tentang-%u", n);
        assert_int_equal(pf_need(&f, words)->page, h->page);
    }
    odp_print_entries_free(e);
}

/* Values of every kind of length: over pages, without a space, with line ends; long names, titles and states.
 */
TEST(entries_long)
{
    char solid[3001];
    PF(f);
    regulations(&f, 8);
    memset(solid, 'x', 3000);
    solid[3000] = '\0';
    pf_set(&f, 1, F_ID, pf_many(&f, "panjang", 1500));
    pf_set(&f, 2, F_ID, solid);
    pf_set(&f, 3, F_ID, "<b>satu</b> &amp; $(dua)\nbaris\ttab \x01\x7f");
    pf_set(&f, 4, F_NUMBER, pf_many(&f, "nomor", 30));
    pf_set(&f, 4, F_TITLE, pf_many(&f, "judul", 200));
    pf_set(&f, 4, F_STATUS, "Berlaku dengan perubahan kedua puluh tujuh yang diuraikan di bawah ini");
    pf_set(&f, 5, F_LINK, odp_arena_printf(&f.arena, "https://example.go.id/%.900s", solid));
    struct odp_print_entries *e = print_entries(&f);
    pf_check_boxes(&f);
    pf_need_many(&f, "panjang", 1500);
    pf_need_many(&f, "judul", 200);
    pf_need_many(&f, "nomor", 30);
    pf_need(&f, "Berlaku dengan perubahan kedua puluh tujuh");
    pf_need(&f, "&lt;b&gt;satu&lt;/b&gt; &amp;amp; $(dua)");
    size_t xs = 0;
    for (size_t i = 0; i < f.nwords; i++)
        xs += strspn(f.words[i].text, "x");
    assert_true(xs >= 3000);
    odp_print_entries_free(e);
}

/* A name, a title or a status that no heading, line or badge can hold is a fact, whole. */
TEST(entries_names)
{
    PF(f);
    regulations(&f, 3);
    pf_set(&f, 0, F_NUMBER, pf_many(&f, "nomor", 400));
    pf_set(&f, 1, F_TITLE, pf_many(&f, "judul", 900));
    pf_set(&f, 2, F_STATUS, pf_many(&f, "status", 40));
    pf_set(&f, 2, F_NUMBER, "");
    struct odp_print_entries *e = print_entries(&f);
    pf_check_boxes(&f);
    pf_need_many(&f, "nomor", 400);
    pf_need_many(&f, "judul", 900);
    pf_need_many(&f, "status", 40);
    size_t n = 0;
    for (size_t i = 0; i < f.paper.nheadings; i++) {
        assert_true(strlen(f.paper.headings[i].text) <= 403);
        n += strcmp(f.paper.headings[i].text, "Rekaman 3") == 0;
    }
    assert_int_equal(n, 1);
    odp_print_entries_free(e);
}

static void measure_only(struct pf *f, struct odp_print_entries *e)
{
    odp_paper_begin(&f->paper, f->fonts, &f->arena, NULL);
    odp_paper_page(&f->paper, false);
    odp_print_entries_set(e, &f->paper);
    must(odp_paper_end(&f->paper));
}

/* Bookmarks of entries up to 10,000; without groups, and without anything that names a record. */
TEST(entries_bookmarks)
{
    static const unsigned rows[] = {10000, 10001};
    for (size_t i = 0; i < 2; i++) {
        struct odp_print_entries *e;
        PF(f);
        pf_field(&f, "nilai", ODP_TYPE_INTEGER, "Nilai");
        pf_rows(&f, rows[i]);
        e = odp_print_entries_new(&f.job, f.fonts, &f.arena);
        measure_only(&f, e);
        assert_int_equal(f.paper.nheadings, i == 0 ? 10000 : 0);
        if (i == 0) {
            assert_string_equal(f.paper.headings[9999].text, "Rekaman 10000");
            assert_int_equal(f.paper.headings[9999].level, ODP_HEADING_LONE);
        }
        odp_print_entries_free(e);
    }
}
