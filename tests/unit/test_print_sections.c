/* Cover, contents, entries and charts of a printed document, as another program reads them. */
#include "print_fixture.h"

static void cover(struct pf *f, void *ctx)
{
    (void)ctx;
    odp_print_cover(&f->paper, &f->job);
}

/* ---- cover
 * ---------------------------------------------------------------------------------------------------------------------- */

static void test_cover(void **state)
{
    struct pf f;
    (void)state;
    pf_init(&f);
    uint32_t province = pf_field(&f, "kode_provinsi", ODP_TYPE_STRING, "Provinsi");
    struct odp_category jakarta = {ODP_LIT("31"), {{"DKI Jakarta", "Jakarta"}}};
    f.fields[province].categories = &jakarta;
    f.fields[province].ncategories = 1;
    f.job.slice_field = "kode_provinsi";
    f.job.slice_value = ODP_LIT("31");
    f.job.rows = f.job.total = 1234567;
    pf_print(&f, cover, NULL);
    assert_int_equal(f.paper.page, 1);
    pf_check_boxes(&f);
    static const char *const there[] = {"Kementerian Pekerjaan Umum",
                                        "Ministry of Public Works",
                                        "Aturan dan kebijakan",
                                        "Rules and policy",
                                        "Provinsi: 31 — DKI Jakarta",
                                        "Semua aturan.",
                                        "All rules.",
                                        "15 Maret 2024",
                                        "15 March 2024",
                                        "1.234.567",
                                        "Setiap bulan",
                                        "Every month",
                                        "Biro Hukum",
                                        "Pusat Data Data Centre",
                                        "Atribusi 4.0",
                                        "https://creativecommons.org/licenses/by/4.0/",
                                        "Peraturan Presiden Nomor 39 Tahun 2019",
                                        "https://data.example.go.id/data/aturan/2024-03-15/",
                                        "01234567 89abcdef 00112233 44556677 88990",
                                        "00112233 44556677 88990"};
    for (size_t i = 0; i + 2 < sizeof there / sizeof *there; i++)
        pf_need(&f, there[i]);
    pf_need(&f, "01234567 89abcdef 00112233 44556677");
    pf_need(&f, "88990"
                "0aa bbccddee ff001122 33445566");
    assert_null(pf_find(&f, "Dokumen ini memuat"));
    assert_null(pf_find(&f, "(null)"));
    assert_int_equal(f.paper.nfigures, 1);
    assert_string_equal(f.paper.figures[0].alternative,
                        "Kode QR / QR code: https://data.example.go.id/data/aturan/2024-03-15/");
    char *urls = pf_ask(&f, "pdfinfo -url", "");
    assert_int_equal(pf_count(urls, "https://data.example.go.id/data/aturan/2024-03-15/"), 1);
    assert_int_equal(pf_count(urls, "https://creativecommons.org/licenses/by/4.0/"), 1);
    free(urls);
    char *structure = pf_ask(&f, "pdfinfo -struct-text", "");
    assert_non_null(strstr(structure, "H1 (block)\n    \"Aturan dan kebijakan\""));
    assert_non_null(strstr(structure, "\"Tanggal Date\"")); /* not "TanggalDate" */
    assert_non_null(strstr(structure, "Figure"));
    free(structure);
    pf_release(&f);
}

/* Nothing but what must be there. */
static void test_cover_bare(void **state)
{
    struct pf f;
    (void)state;
    pf_init(&f);
    f.dataset.title = (struct odp_text){{"Aturan", NULL}};
    f.dataset.description = (struct odp_text){{NULL, NULL}};
    f.dataset.frequency = NULL;
    f.dataset.json = NULL;
    f.catalog.portal = (struct odp_portal){.publisher = {{"Kementerian", NULL}}};
    pf_print(&f, cover, NULL);
    assert_int_equal(f.paper.page, 1);
    pf_check_boxes(&f);
    pf_need(&f, "Aturan");
    pf_need(&f, "Jumlah catatan Records 0");
    assert_null(pf_find(&f, "Lisensi"));
    assert_null(pf_find(&f, "Walidata"));
    assert_null(pf_find(&f, "Pemutakhiran"));
    assert_null(pf_find(&f, "(null)"));
    pf_release(&f);
}

/* WORDS numbered words: "kata1 kata2 …"; in the arena. */
static const char *many_words(struct pf *f, const char *word, unsigned words)
{
    struct odp_buffer b;
    odp_buffer_init(&b);
    for (unsigned i = 1; i <= words; i++)
        odp_buffer_printf(&b, "%s%s%u", i > 1 ? " " : "", word, i);
    const char *s = odp_arena_str(&f->arena, odp_buffer_cstr(&b));
    assert_non_null(s);
    odp_buffer_release(&b);
    return s;
}

static void need_words(const struct pf *f, const char *word, unsigned words)
{
    char one[40];
    for (unsigned i = 1; i <= words; i++) {
        (void)snprintf(one, sizeof one, "%s%u", word, i);
        pf_need(f, one);
    }
}

/* Everything at its longest: all of it is there, nothing lies on anything, and the facts stand on one page with the QR code. */
static void test_cover_long(void **state)
{
    struct pf f;
    char wide[301] = "", url[700];
    (void)state;
    pf_init(&f);
    for (size_t i = 0; i < 300; i++)
        wide[i] = 'W';
    f.dataset.title = (struct odp_text){{many_words(&f, "judul", 45), many_words(&f, "title", 45)}};
    f.dataset.description = (struct odp_text){{many_words(&f, "uraian", 450), many_words(&f, "explain", 400)}};
    f.catalog.portal.publisher.in[ODP_LANG_ID] = wide; /* a word wider than the page */
    (void)snprintf(url, sizeof url, "https://data.example.go.id/%s/%s/", wide, wide);
    f.job.url = url;
    f.job.rows = 10000;
    f.job.total = 250000;
    pf_print(&f, cover, NULL);
    assert_in_range(f.paper.page, 2, 4);
    pf_check_boxes(&f);
    need_words(&f, "judul", 45);
    need_words(&f, "title", 45);
    need_words(&f, "uraian", 450);
    need_words(&f, "explain", 400);
    unsigned facts = pf_need(&f, "Versi Version 2024-03-15")->page;
    assert_int_equal(pf_need(&f, "Dasar hukum Legal basis")->page, facts);
    assert_int_equal(pf_need(&f, "Alamat tetap versi ini")->page, facts);
    pf_release(&f);
}

/* Facts that take more than a page. */
static void test_cover_facts(void **state)
{
    struct pf f;
    (void)state;
    pf_init(&f);
    f.catalog.portal.legal_basis = (struct odp_text){{many_words(&f, "dasar", 700), many_words(&f, "basis", 500)}};
    f.catalog.portal.license_title = (struct odp_text){{many_words(&f, "lisensi", 30), many_words(&f, "licence", 30)}};
    json_object_set_new(f.json, "sdi:produsenData", json_string(many_words(&f, "produsen", 60)));
    f.dataset.description.in[ODP_LANG_ID] = many_words(&f, "uraian", 420);
    json_object_set_new(f.json, "sdi:pembina", json_string(many_words(&f, "pembina", 60)));
    pf_print(&f, cover, NULL);
    pf_check_boxes(&f);
    need_words(&f, "dasar", 700);
    need_words(&f, "basis", 500);
    need_words(&f, "lisensi", 30);
    need_words(&f, "licence", 30);
    need_words(&f, "produsen", 60);
    need_words(&f, "pembina", 60);
    pf_release(&f);
}

static void test_excerpt(void **state)
{
    struct pf f;
    (void)state;
    pf_init(&f);
    f.job.rows = 10000;
    f.job.total = 250000;
    pf_print(&f, cover, NULL);
    pf_check_boxes(&f);
    pf_need(&f, "Dokumen ini memuat 10.000 dari 250.000 catatan; semuanya ada di alamat di bawah ini.");
    pf_need(&f, "This document holds 10,000 of 250,000 records; all of them are at the address below.");
    char *urls = pf_ask(&f, "pdfinfo -url", "");
    assert_int_equal(pf_count(urls, "https://data.example.go.id/data/aturan/2024-03-15/"), 2);
    free(urls);
    pf_release(&f);
}

/* ---- contents
 * ------------------------------------------------------------------------------------------------------------------- */

struct chapters {
    unsigned sections, entries;
    const char *long_title;
    bool growing; /* titles of sections: each is longer than the one before */
};

/* Contents, then a page for the chapter; sections and entries stand ten to a page. */
static void contents(struct pf *f, void *ctx)
{
    const struct chapters *c = ctx;
    struct odp_paper *p = &f->paper;
    char text[180], dest[40], letters[121];
    memset(letters, 'r', 120);
    letters[120] = '\0';
    p->running = "Aturan";
    odp_print_contents(p, &f->job);
    odp_paper_page(p, false);
    odp_paper_heading(p, 1, c->long_title, "bab", 0);
    for (unsigned i = 1; i <= c->sections; i++) {
        (void)snprintf(text, sizeof text, "Bagian-%u%.*s", i, c->growing ? (int)i : 0, letters);
        (void)snprintf(dest, sizeof dest, "bagian-%u", i);
        odp_paper_heading(p, 2, text, dest, 40);
    }
    for (unsigned i = 1; i <= c->entries; i++) {
        (void)snprintf(text, sizeof text, "Butir-%u", i);
        (void)snprintf(dest, sizeof dest, "butir-%u", i);
        odp_paper_heading(p, 3, text, dest, 40);
    }
}

static void test_contents(void **state)
{
    struct pf f;
    char line[60];
    (void)state;
    pf_init(&f);
    struct chapters c = {.sections = 60, .entries = 80, .long_title = many_words(&f, "bab", 40)};
    assert_int_equal(pf_print(&f, contents, &c), 3);
    pf_check_boxes(&f);
    assert_int_equal(f.paper.headings[1].page, 4); /* three pages of contents */
    for (size_t i = 2; i < f.paper.nheadings; i++) {
        const struct odp_heading *h = &f.paper.headings[i];
        (void)snprintf(line, sizeof line, "%s %u", h->text, h->page);
        const struct pf_word *w = pf_need(&f, line);
        assert_true(w->page < 4);
        assert_true(w[1].right > f.paper.right - 3 && w[1].right < f.paper.right + 1); /* numbers end at the edge */
        double indent = h->level == 2 ? 16 : 32;
        assert_true(w->left > f.paper.left + indent - 1 && w->left < f.paper.left + indent + 3);
    }
    /* The long title is wrapped, its number stands in its last line, and lines after the first hang. */
    const struct pf_word *first = pf_need(&f, "bab1"), *last = pf_need(&f, "bab40 4");
    assert_true(last->top > first->top + 10);
    assert_true(last[1].bottom - last->bottom < 1 && last->bottom - last[1].bottom < 1);
    size_t hanging = 0;
    for (const struct pf_word *w = first; w <= last; w++)
        hanging += w->left > f.paper.left + 11 && w->left < f.paper.left + 14;
    assert_true(hanging >= 2);
    assert_null(pf_find(&f, "Daftar isi / Contents 1"));
    char *structure = pf_ask(&f, "pdfinfo -struct-text", "");
    assert_int_equal(pf_count(structure, "TOCI"), 141);
    assert_non_null(strstr(structure, "\"Bagian-7 4\""));
    free(structure);
    char *dests = pf_ask(&f, "pdfinfo -dests", "");
    assert_int_equal(pf_count(dests, "butir-"), 80);
    free(dests);
    pf_release(&f);
}

/* A section's line is not the last one on a page when entries of it follow, wherever the page ends. */
static void test_contents_company(void **state)
{
    char words[40];
    (void)state;
    for (unsigned n = 34; n < 46; n++) {
        struct pf f;
        pf_init(&f);
        struct chapters c = {.sections = n, .entries = 3, .long_title = "Bab"};
        pf_print(&f, contents, &c);
        pf_read_words(&f);
        (void)snprintf(words, sizeof words, "Bagian-%u", n);
        assert_int_equal(pf_need(&f, words)->page, pf_need(&f, "Butir-1")->page);
        pf_release(&f);
    }
}

/* Where there are too many entries, chapters and sections only. */
static void test_contents_many(void **state)
{
    struct pf f;
    (void)state;
    pf_init(&f);
    struct chapters c = {.sections = 120, .entries = 501, .long_title = "Bab", .growing = true};
    pf_print(&f, contents, &c);
    assert_int_equal(f.paper.headings[1].page, 5);
    pf_check_boxes(&f);
    for (size_t i = 0; i < f.nwords && f.words[i].page < 5; i++)
        assert_int_not_equal(strncmp(f.words[i].text, "Butir", 5), 0);
    assert_int_equal(pf_need(&f, "Bagian-2rr 5")->page, 1);
    pf_release(&f);
}

/* ---- entries
 * -------------------------------------------------------------------------------------------------------------------- */

enum { F_ID, F_KIND, F_NUMBER, F_DATE, F_TITLE, F_STATUS, F_PAGES, F_HEIR, F_LINK, F_FILE };

static const struct odp_document_spec document = {"dokumen", -1};

/* ROWS regulations; every third of subject "B", every seventh of none. */
static void regulations(struct pf *f, unsigned rows)
{
    static struct odp_category kinds[] = {{ODP_LIT("B"), {{"Bangunan", NULL}}}, {ODP_LIT("A"), {{NULL, NULL}}}};
    static const char *const names[] = {"id",     "bidang",  "nomor",     "tanggal", "judul",
                                        "status", "halaman", "pengganti", "tautan",  "berkas"};
    static const char *const titles[] = {"ID",      "Bidang", "Nomor", "Tanggal penetapan", "Judul", "Status", "Jumlah halaman",
                                         "Diganti", "Alamat", "Berkas"};
    static const enum odp_type types[] = {ODP_TYPE_STRING, ODP_TYPE_STRING,  ODP_TYPE_STRING, ODP_TYPE_DATE,   ODP_TYPE_STRING,
                                          ODP_TYPE_STRING, ODP_TYPE_INTEGER, ODP_TYPE_STRING, ODP_TYPE_STRING, ODP_TYPE_STRING};
    for (unsigned i = 0; i < 10; i++)
        pf_field(f, names[i], types[i], titles[i]);
    f->fields[F_KIND].categories = kinds;
    f->fields[F_KIND].ncategories = 2;
    f->fields[F_PAGES].unit = (struct odp_text){{"halaman", "pages"}};
    f->fields[F_LINK].string_format = ODP_STRING_URI;
    f->fields[F_FILE].document = &document;
    f->heading[0] = F_NUMBER;
    f->resource.print = (struct odp_print_spec){ODP_PRINT_ENTRIES, {f->heading, 1, ""}, F_TITLE, F_STATUS, F_KIND, 10000};
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
            pf_set(f, i, F_FILE, odp_arena_printf(&f->arena, "dokumen/0123456789abcdef/P%u~2E1~20a.pdf", i + 1));
    }
}

static void entries(struct pf *f, void *ctx)
{
    struct odp_paper *p = &f->paper;
    p->running = "Aturan";
    odp_paper_heading(p, 1, "Catatan / Records", "catatan", 120);
    odp_print_entries_set(*(struct odp_print_entries **)ctx, p);
}

static struct odp_print_entries *print_entries(struct pf *f)
{
    struct odp_print_entries *e;
    assert_int_equal(odp_print_entries_new(&e, &f->job, f->fonts, &f->arena), ODP_OK);
    pf_print(f, entries, &e);
    return e;
}

/* The text between entry I's title and the next entry's; to be freed. */
static char *entry_text(const char *text, unsigned i)
{
    char title[40];
    (void)snprintf(title, sizeof title, "Tentang-%u\n", i);
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

static void test_entries(void **state)
{
    struct pf f;
    (void)state;
    pf_init(&f);
    regulations(&f, 44);
    struct odp_print_entries *e = print_entries(&f);
    pf_check_boxes(&f);
    /* Groups: categories in their order, then what is none of them, then records without; with their numbers. */
    static const char *const groups[] = {"Bangunan (13 catatan)", "A (13 catatan)", "Lama (12 catatan)", "Lainnya (6 catatan)"};
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
    assert_string_equal(f.paper.headings[2].dest, "catatan-1");
    assert_string_equal(f.paper.headings[3].text, "4/PRT/M/2019");
    /* What the entries say. */
    char *text = pf_ask(&f, "pdftotext -layout", "-"), *one = entry_text(text, 2);
    static const char *const second[] = {"ID",
                                         "R0002",
                                         "Bidang",
                                         "A",
                                         "Tanggal penetapan",
                                         "17 Agustus 2019",
                                         "1.234 halaman",
                                         "Alamat",
                                         "https://jdih.example.go.id/dokumen/2"};
    for (size_t i = 0; i < sizeof second / sizeof *second; i++)
        assert_non_null(strstr(one, second[i]));
    assert_null(strstr(one, "Diganti")); /* wide, and null */
    assert_null(strstr(one, "Berkas"));
    assert_null(strstr(one, "–"));
    free(one);
    one = entry_text(text, 1);
    assert_non_null(strstr(one, "–")); /* narrow, and null */
    assert_non_null(strstr(one, "B — Bangunan"));
    assert_non_null(strstr(one, "P1.1 a.pdf\n"));
    assert_non_null(strstr(one, "https://data.example.go.id/data/aturan/2024-03-15/dokumen/0123456789abcdef/P1~2E1~20a.pdf"));
    free(one);
    /* The sixth is replaced by the 39th: by name, and the page where that stands. */
    const struct odp_heading *heir = NULL;
    for (size_t i = 0; i < f.paper.nheadings; i++)
        if (strcmp(f.paper.headings[i].dest, "catatan-39") == 0)
            heir = &f.paper.headings[i];
    assert_non_null(heir);
    char line[80];
    (void)snprintf(line, sizeof line, "R0039 — 39/PRT/M/2019, hlm. %u\n", heir->page);
    assert_non_null(strstr(text, line));
    free(text);
    char *urls = pf_ask(&f, "pdfinfo -url", "");
    assert_int_equal(pf_count(urls, "https://jdih.example.go.id/dokumen/"), 44);
    assert_int_equal(pf_count(urls, "dokumen/0123456789abcdef/P"), 8);
    free(urls);
    odp_print_entries_free(e);
    pf_release(&f);
}

/* An entry stands on one page; the first of a group stands below its heading. */
static void test_entries_together(void **state)
{
    struct pf f;
    char words[60];
    (void)state;
    pf_init(&f);
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
        (void)snprintf(words, sizeof words, "https://jdih.example.go.id/dokumen/%u", n);
        assert_int_equal(pf_need(&f, words)->page, h->page);
        (void)snprintf(words, sizeof words, "Tentang-%u", n);
        assert_int_equal(pf_need(&f, words)->page, h->page);
    }
    odp_print_entries_free(e);
    pf_release(&f);
}

/* Values of every kind of length: over pages, without a space, with line ends; long names, titles and states. */
static void test_entries_long(void **state)
{
    struct pf f;
    char solid[3001];
    (void)state;
    pf_init(&f);
    regulations(&f, 8);
    memset(solid, 'x', 3000);
    solid[3000] = '\0';
    pf_set(&f, 1, F_ID, many_words(&f, "panjang", 1500));
    pf_set(&f, 2, F_ID, solid);
    pf_set(&f, 3, F_ID, "<b>satu</b> &amp; $(dua)\nbaris\ttab \x01\x7f");
    pf_set(&f, 4, F_NUMBER, many_words(&f, "nomor", 30));
    pf_set(&f, 4, F_TITLE, many_words(&f, "judul", 200));
    pf_set(&f, 4, F_STATUS, "Berlaku dengan perubahan kedua puluh tujuh yang diuraikan di bawah ini");
    pf_set(&f, 5, F_LINK, odp_arena_printf(&f.arena, "https://example.go.id/%.900s", solid));
    struct odp_print_entries *e = print_entries(&f);
    pf_check_boxes(&f);
    need_words(&f, "panjang", 1500);
    need_words(&f, "judul", 200);
    need_words(&f, "nomor", 30);
    pf_need(&f, "Berlaku dengan perubahan kedua puluh tujuh");
    pf_need(&f, "&lt;b&gt;satu&lt;/b&gt; &amp;amp; $(dua)");
    size_t xs = 0;
    for (size_t i = 0; i < f.nwords; i++)
        xs += strspn(f.words[i].text, "x");
    assert_true(xs >= 3000);
    odp_print_entries_free(e);
    pf_release(&f);
}

/* A name, a title or a status that no heading, line or badge can hold is a fact, whole. */
static void test_entries_names(void **state)
{
    struct pf f;
    (void)state;
    pf_init(&f);
    regulations(&f, 3);
    pf_set(&f, 0, F_NUMBER, many_words(&f, "nomor", 400));
    pf_set(&f, 1, F_TITLE, many_words(&f, "judul", 900));
    pf_set(&f, 2, F_STATUS, many_words(&f, "status", 40));
    pf_set(&f, 2, F_NUMBER, "");
    struct odp_print_entries *e = print_entries(&f);
    pf_check_boxes(&f);
    need_words(&f, "nomor", 400);
    need_words(&f, "judul", 900);
    need_words(&f, "status", 40);
    size_t n = 0;
    for (size_t i = 0; i < f.paper.nheadings; i++) {
        assert_true(strlen(f.paper.headings[i].text) <= 403);
        n += strcmp(f.paper.headings[i].text, "Catatan 3") == 0;
    }
    assert_int_equal(n, 1);
    odp_print_entries_free(e);
    pf_release(&f);
}

/* Few entries are tagged label by label, many by entry; what is seen is the same, and no text is outside of the structure. */
static void test_entries_tags(void **state)
{
    static const unsigned rows[] = {20, 1001};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct pf f;
        pf_init(&f);
        regulations(&f, rows[i]);
        pf_set(&f, 10, F_LINK, "ftp://jdih.example.go.id/dokumen/11"); /* no link, but text */
        struct odp_print_entries *e = print_entries(&f);
        char *s = pf_ask(&f, "pdfinfo -struct-text", "");
        assert_int_equal(pf_count(s, " H3 (block)"), rows[i]);
        assert_int_equal(pf_count(s, " H2 (block)"), 4);
        assert_int_equal(pf_count(s, "Lbl (block)") > 0, i == 0);
        assert_int_equal(pf_count(s, "1.234 halaman"), rows[i] - (rows[i] + 3) / 4);
        assert_int_equal(pf_count(s, "https://jdih.example.go.id/dokumen/"), rows[i] - 1);
        assert_int_equal(pf_count(s, "ftp://jdih.example.go.id/dokumen/11"), 1);
        assert_int_equal(pf_count(s, "Tentang-"), rows[i]);
        assert_int_equal(pf_count(s, "Berlaku") + pf_count(s, "Dicabut"), rows[i]);
        if (i == 1) { /* words of one element are parted */
            assert_non_null(strstr(s,
                                   "\"Berlaku Tentang-1 ID R0001 Bidang B — Bangunan Tanggal penetapan 17 Agustus 2019 Jumlah "
                                   "halaman – \""));
            assert_non_null(strstr(s, "\"Alamat https://jdih.example.go.id/dokumen/1\""));
            assert_non_null(strstr(s, "Alamat ftp://jdih.example.go.id/dokumen/11"));
        }
        free(s);
        odp_print_entries_free(e);
        pf_release(&f);
    }
}

static void measure_only(struct pf *f, struct odp_print_entries *e)
{
    assert_int_equal(odp_paper_begin(&f->paper, f->fonts, &f->arena, NULL), ODP_OK);
    odp_paper_page(&f->paper, false);
    odp_print_entries_set(e, &f->paper);
    assert_int_equal(odp_paper_end(&f->paper), ODP_OK);
}

/* Bookmarks of entries up to 10,000; without groups, and without anything that names a record. */
static void test_entries_bookmarks(void **state)
{
    static const unsigned rows[] = {10000, 10001};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct pf f;
        struct odp_print_entries *e;
        pf_init(&f);
        pf_field(&f, "nilai", ODP_TYPE_INTEGER, "Nilai");
        pf_rows(&f, rows[i]);
        assert_int_equal(odp_print_entries_new(&e, &f.job, f.fonts, &f.arena), ODP_OK);
        measure_only(&f, e);
        assert_int_equal(f.paper.nheadings, i == 0 ? 10000 : 0);
        if (i == 0) {
            assert_string_equal(f.paper.headings[9999].text, "Catatan 10000");
            assert_int_equal(f.paper.headings[9999].level, 3);
        }
        odp_print_entries_free(e);
        pf_release(&f);
    }
}

static void test_entries_none(void **state)
{
    struct pf f;
    (void)state;
    pf_init(&f);
    pf_field(&f, "nilai", ODP_TYPE_INTEGER, "Nilai");
    f.resource.print.group = 0;
    pf_rows(&f, 0);
    struct odp_print_entries *e = print_entries(&f);
    pf_read_words(&f);
    pf_need(&f, "Tidak ada catatan.");
    odp_print_entries_free(e);
    pf_release(&f);
}

/* A place is printed as in CSV; a field that is not public nowhere, whatever its cell says. */
static void test_entries_places(void **state)
{
    struct pf f;
    static struct odp_slice cells[] = {ODP_LIT("1"), ODP_LIT("rahasia"), ODP_LIT("106.8451234"), ODP_LIT("-6.5"),
                                       ODP_LIT("Polygon")};
    (void)state;
    pf_init(&f);
    pf_field(&f, "kode", ODP_TYPE_INTEGER, "Kode");
    f.fields[pf_field(&f, "nik", ODP_TYPE_STRING, "NIK")].is_public = false;
    f.resource.print.title = f.resource.print.status = f.resource.print.group = 1;
    f.job.has_geometry = true;
    f.job.cells = cells;
    f.job.columns = 5;
    f.job.rows = f.job.total = 1;
    struct odp_print_entries *e = print_entries(&f);
    pf_check_boxes(&f);
    pf_need(&f, "Bujur titik 106,8451234");
    pf_need(&f, "Lintang titik -6,5");
    pf_need(&f, "Jenis geometri Polygon");
    assert_null(pf_find(&f, "rahasia"));
    assert_null(pf_find(&f, "NIK"));
    odp_print_entries_free(e);
    pf_release(&f);
}

static void test_same_bytes(void **state)
{
    struct odp_buffer first;
    (void)state;
    odp_buffer_init(&first);
    for (int i = 0; i < 2; i++) {
        struct pf f;
        pf_init(&f);
        regulations(&f, 30);
        struct odp_print_entries *e = print_entries(&f);
        if (i == 0) {
            odp_buffer_add_slice(&first, odp_buffer_slice(&f.out));
        } else {
            assert_int_equal(first.len, f.out.len);
            assert_memory_equal(first.ptr, f.out.ptr, first.len);
        }
        odp_print_entries_free(e);
        pf_release(&f);
    }
    odp_buffer_release(&first);
}

/* ---- charts
 * --------------------------------------------------------------------------------------------------------------------- */

static void charts(struct pf *f, void *ctx)
{
    (void)ctx;
    f->paper.running = "Aturan";
    odp_print_charts(&f->paper, &f->job);
}

/* A chart of the number of records by field 0, over N values. */
static void add_chart(struct pf *f, struct odp_chart *c, const char *const *values, size_t n)
{
    struct odp_chart_data **d = &f->charts[f->job.ncharts++];
    assert_int_equal(odp_chart_data_new(d, c, &f->resource), ODP_OK);
    for (size_t i = 0; i < n; i++) {
        struct odp_slice cell = odp_slice_of(values[i]);
        assert_int_equal(odp_chart_data_add(*d, &cell, NULL), ODP_OK);
    }
    assert_int_equal(odp_chart_data_finish(*d, NULL), ODP_OK);
    f->job.charts = f->charts;
}

static void test_charts(void **state)
{
    static const char *const values[] = {"Jalan", "Jalan", "Air", "Rumah", "Jalan"};
    struct odp_chart one = {.name = "per-bidang",
                            .title = {{"Aturan per bidang", "Rules by subject"}},
                            .category = 0,
                            .series = -1,
                            .value = -1,
                            .top = 12,
                            .by_value = true},
                     none = one, two = one;
    struct pf f;
    (void)state;
    pf_init(&f);
    pf_field(&f, "bidang", ODP_TYPE_STRING, "Bidang");
    none.title = (struct odp_text){{"Gambar kosong", "Empty"}};
    none.name = "kosong";
    two.name = "kedua";
    two.title = (struct odp_text){{"Gambar kedua", NULL}};
    two.description = (struct odp_text){{"Uraian gambar kedua.", NULL}};
    add_chart(&f, &one, values, 5);
    add_chart(&f, &none, NULL, 0);
    add_chart(&f, &two, values, 5);
    pf_print(&f, charts, NULL);
    pf_read_words(&f);
    assert_int_equal(f.paper.nheadings, 3);
    assert_string_equal(f.paper.headings[0].dest, "gambar");
    assert_string_equal(f.paper.headings[1].text, "Aturan per bidang");
    assert_string_equal(f.paper.headings[1].dest, "gambar-per-bidang");
    assert_string_equal(f.paper.headings[2].text, "Gambar kedua");
    assert_int_equal(f.paper.nfigures, 2);
    assert_non_null(strstr(f.paper.figures[0].alternative, "Jalan"));
    pf_need(&f, "Rules by subject");
    pf_need(&f, "Uraian gambar kedua.");
    pf_need(&f, "draw: “Gambar kosong”.");
    char *structure = pf_ask(&f, "pdfinfo -struct-text", "");
    assert_int_equal(pf_count(structure, "Figure"), 2);
    assert_int_equal(pf_count(structure, "Caption"), 2);
    free(structure);
    pf_release(&f);
}

static void test_charts_none(void **state)
{
    struct pf f;
    (void)state;
    pf_init(&f);
    pf_print(&f, charts, NULL);
    assert_int_equal(f.paper.nheadings, 0);
    pf_read_words(&f);
    assert_int_equal(f.nwords, 0);
    pf_release(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_cover),
                                       cmocka_unit_test(test_cover_bare),
                                       cmocka_unit_test(test_cover_long),
                                       cmocka_unit_test(test_cover_facts),
                                       cmocka_unit_test(test_excerpt),
                                       cmocka_unit_test(test_contents),
                                       cmocka_unit_test(test_contents_company),
                                       cmocka_unit_test(test_contents_many),
                                       cmocka_unit_test(test_entries),
                                       cmocka_unit_test(test_entries_together),
                                       cmocka_unit_test(test_entries_long),
                                       cmocka_unit_test(test_entries_names),
                                       cmocka_unit_test(test_entries_tags),
                                       cmocka_unit_test(test_entries_bookmarks),
                                       cmocka_unit_test(test_entries_none),
                                       cmocka_unit_test(test_entries_places),
                                       cmocka_unit_test(test_same_bytes),
                                       cmocka_unit_test(test_charts),
                                       cmocka_unit_test(test_charts_none)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
