/* Cover, contents and charts of a printed document, as another program reads them. */
#include "print_fixture.h"

static void cover(struct pf *f, void *ctx)
{
    odp_print_cover(&f->paper, &f->job);
}

/* ---- cover ---- */

TEST(cover)
{
    PF(f);
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
    static const char *const there[] = {
        "Kementerian Pekerjaan Umum",
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
        "00112233 44556677 88990",
    };
    for (size_t i = 0; i + 2 < ODP_COUNT(there); i++)
        pf_need(&f, there[i]);
    pf_need(&f, "01234567 89abcdef 00112233 44556677");
    pf_need(&f, "889900aa bbccddee ff001122 33445566");
    assert_null(pf_find(&f, "Dokumen ini memuat"));
    assert_null(pf_find(&f, "(null)"));
    assert_int_equal(f.paper.nfigures, 1);
    assert_string_equal(f.paper.figures[0].alternative,
                        "Kode QR / QR code: https://data.example.go.id/katalog/aturan.html#versi-2024-03-15");
    char *urls = pf_ask(&f, "pdfinfo -url", "");
    assert_int_equal(times_in(urls, "https://data.example.go.id/data/aturan/2024-03-15/"), 1);
    assert_int_equal(times_in(urls, "https://data.example.go.id/katalog/aturan.html#versi-2024-03-15"), 1);
    assert_int_equal(times_in(urls, "https://creativecommons.org/licenses/by/4.0/"), 1);
    free(urls);
    char *structure = pf_ask(&f, "pdfinfo -struct-text", "");
    EXPECT(structure, "H1 (block)\n    \"Aturan dan kebijakan\"");
    assert_non_null(strstr(structure, "\"Versi Version\"")); /* not "VersiVersion" */
    EXPECT(structure, "Figure");
    free(structure);
}

/* Nothing but what must be there. */
TEST(cover_bare)
{
    PF(f);
    f.dataset.title = (struct odp_text){{"Aturan", NULL}};
    f.dataset.description = (struct odp_text){{NULL, NULL}};
    f.dataset.frequency = NULL;
    f.dataset.json = NULL;
    f.catalog.portal = (struct odp_portal){.publisher = {{"Kementerian", NULL}}};
    pf_print(&f, cover, NULL);
    assert_int_equal(f.paper.page, 1);
    pf_check_boxes(&f);
    pf_need(&f, "Aturan");
    pf_need(&f, "Jumlah rekaman Records 0");
    assert_null(pf_find(&f, "Lisensi"));
    assert_null(pf_find(&f, "Walidata"));
    assert_null(pf_find(&f, "Pembaruan"));
    assert_null(pf_find(&f, "(null)"));
}

/* Everything at its longest: all of it is there, nothing lies on anything, and the facts stand on one page
 * with the QR code. */
TEST(cover_long)
{
    char wide[301] = "", url[700];
    PF(f);
    for (size_t i = 0; i < 300; i++)
        wide[i] = 'W';
    f.dataset.title = (struct odp_text){{pf_many(&f, "judul", 45), pf_many(&f, "title", 45)}};
    f.dataset.description = (struct odp_text){{pf_many(&f, "uraian", 450), pf_many(&f, "explain", 400)}};
    f.catalog.portal.publisher.in[ODP_LANG_ID] = wide; /* a word wider than the page */
    snprintf(url, sizeof url, "https://data.example.go.id/%s/%s/", wide, wide);
    f.job.page = f.job.url = url;
    f.job.rows = 10000;
    f.job.total = 250000;
    pf_print(&f, cover, NULL);
    assert_in_range(f.paper.page, 2, 4);
    pf_check_boxes(&f);
    pf_need_many(&f, "judul", 45);
    pf_need_many(&f, "title", 45);
    pf_need_many(&f, "uraian", 450);
    pf_need_many(&f, "explain", 400);
    unsigned facts = pf_need(&f, "Versi Version 2024-03-15")->page;
    assert_int_equal(pf_need(&f, "Dasar hukum Legal basis")->page, facts);
    assert_int_equal(pf_need(&f, "Alamat tetap versi ini")->page, facts);
}

/* Facts that take more than a page. */
TEST(cover_facts)
{
    PF(f);
    f.catalog.portal.legal_basis = (struct odp_text){{pf_many(&f, "dasar", 700), pf_many(&f, "basis", 500)}};
    f.catalog.portal.license_title =
        (struct odp_text){{pf_many(&f, "lisensi", 30), pf_many(&f, "licence", 30)}};
    json_object_set_new(f.json, "sdi:produsenData", json_string(pf_many(&f, "produsen", 60)));
    f.dataset.description.in[ODP_LANG_ID] = pf_many(&f, "uraian", 420);
    json_object_set_new(f.json, "sdi:pembina", json_string(pf_many(&f, "pembina", 60)));
    pf_print(&f, cover, NULL);
    pf_check_boxes(&f);
    pf_need_many(&f, "dasar", 700);
    pf_need_many(&f, "basis", 500);
    pf_need_many(&f, "lisensi", 30);
    pf_need_many(&f, "licence", 30);
    pf_need_many(&f, "produsen", 60);
    pf_need_many(&f, "pembina", 60);
}

/* ---- contents ---- */

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
        snprintf(text, sizeof text, "Bagian-%u%.*s", i, c->growing ? (int)i : 0, letters);
        snprintf(dest, sizeof dest, "bagian-%u", i);
        odp_paper_heading(p, 2, text, dest, 40);
    }
    for (unsigned i = 1; i <= c->entries; i++) {
        snprintf(text, sizeof text, "Butir-%u", i);
        snprintf(dest, sizeof dest, "butir-%u", i);
        odp_paper_heading(p, 3, text, dest, 40);
    }
}

TEST(contents)
{
    char line[60];
    PF(f);
    struct chapters c = {.sections = 60, .entries = 80, .long_title = pf_many(&f, "bab", 40)};
    assert_int_equal(pf_print(&f, contents, &c), 3);
    pf_check_boxes(&f);
    assert_int_equal(f.paper.headings[1].page, 4); /* three pages of contents */
    for (size_t i = 2; i < f.paper.nheadings; i++) {
        const struct odp_heading *h = &f.paper.headings[i];
        snprintf(line, sizeof line, "%s %u", h->text, h->page);
        const struct pf_word *w = pf_need(&f, line);
        assert_true(w->page < 4);
        assert_true(w[1].right > f.paper.right - 3 &&
                    w[1].right < f.paper.right + 1); /* numbers end at the edge */
        double indent = h->level == 2 ? 16 : 32;
        assert_true(w->left > f.paper.left + indent - 1 && w->left < f.paper.left + indent + 3);
    }
    /* The long title is wrapped, its number is in its last line, and lines after the first are indented. */
    const struct pf_word *first = pf_need(&f, "bab1"), *last = pf_need(&f, "bab40 4");
    assert_true(last->top > first->top + 10);
    assert_true(last[1].bottom - last->bottom < 1 && last->bottom - last[1].bottom < 1);
    size_t hanging = 0;
    for (const struct pf_word *w = first; w <= last; w++)
        hanging += w->left > f.paper.left + 11 && w->left < f.paper.left + 14;
    assert_true(hanging >= 2);
    assert_null(pf_find(&f, "Daftar isi / Contents 1"));
    char *structure = pf_ask(&f, "pdfinfo -struct-text", "");
    assert_int_equal(times_in(structure, "TOCI"), 141);
    EXPECT(structure, "\"Bagian-7 4\"");
    free(structure);
    char *dests = pf_ask(&f, "pdfinfo -dests", "");
    assert_int_equal(times_in(dests, "butir-"), 80);
    free(dests);
}

/* A section's line is not the last one on a page when entries of it follow, wherever the page ends. */
TEST(contents_company)
{
    char words[40];
    for (unsigned n = 34; n < 46; n++) {
        PF(f);
        struct chapters c = {.sections = n, .entries = 3, .long_title = "Bab"};
        pf_print(&f, contents, &c);
        pf_read_words(&f);
        snprintf(words, sizeof words, "Bagian-%u", n);
        assert_int_equal(pf_need(&f, words)->page, pf_need(&f, "Butir-1")->page);
    }
}

/* Where there are too many entries, chapters and sections only. */
TEST(contents_many)
{
    PF(f);
    struct chapters c = {.sections = 120, .entries = 501, .long_title = "Bab", .growing = true};
    pf_print(&f, contents, &c);
    assert_int_equal(f.paper.headings[1].page, 5);
    pf_check_boxes(&f);
    for (size_t i = 0; i < f.nwords && f.words[i].page < 5; i++)
        assert_int_not_equal(strncmp(f.words[i].text, "Butir", 5), 0);
    assert_int_equal(pf_need(&f, "Bagian-2rr 5")->page, 1);
}

/* ---- charts ---- */

static void charts(struct pf *f, void *ctx)
{
    f->paper.running = "Aturan";
    assert_int_equal(odp_print_charts(&f->paper, &f->job, 0, 0), f->job.ncharts);
}

/* A chart of the number of records by field 0, over N values. */
static void add_chart(struct pf *f, struct odp_chart *c, const char *const *values, size_t n)
{
    struct odp_chart_data **d = &f->charts[f->job.ncharts++];
    *d = odp_chart_data_new(c, &f->resource);
    for (size_t i = 0; i < n; i++) {
        struct odp_slice cell = odp_slice_of(values[i]);
        odp_chart_data_add(*d, &cell, NULL);
    }
    must(odp_chart_data_finish(*d, NULL));
    f->job.charts = f->charts;
}

TEST(charts)
{
    static const char *const values[] = {"Jalan", "Jalan", "Air", "Rumah", "Jalan"};
    struct odp_chart one =
                         {
                             .name = "per-bidang",
                             .title = {{"Aturan per bidang", "Rules by subject"}},
                             .category = 0,
                             .series = -1,
                             .value = -1,
                             .top = 12,
                             .by_value = true,
                         },
                     none = one, two = one;
    PF(f);
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
    EXPECT(f.paper.figures[0].alternative, "Jalan");
    pf_need(&f, "Rules by subject");
    pf_need(&f, "Uraian gambar kedua.");
    pf_need(&f, "shown: “Gambar kosong”.");
    char *structure = pf_ask(&f, "pdfinfo -struct-text", "");
    assert_int_equal(times_in(structure, "Figure"), 2);
    assert_int_equal(times_in(structure, "Caption"), 2);
    free(structure);
}

/* ---- the brief ---- */

static void brief(struct pf *f, void *ctx)
{
    const bool *told = ctx;
    f->paper.running = "Aturan";
    struct odp_print_brief *b = odp_print_brief_new(&f->job, f->paper.fonts, f->paper.arena);
    assert_int_equal(odp_print_brief_set(b, &f->paper), *told);
    odp_print_brief_free(b);
}

/* COUNT and SIZE are highlights, the score is none. */
#define SUMMARY(count, size, places)                                                                         \
    "{\"records\":" count ",\"place\":{\"field\":\"kode\",\"list\":\"kabkota\"},\"measures\":["              \
    "{\"name\":\"count\",\"aggregate\":\"count\",\"title\":{\"id\":\"Jumlah kawasan\"},\"decimals\":0,"      \
    "\"highlight\":true},"                                                                                   \
    "{\"name\":\"luas\",\"aggregate\":\"sum\",\"title\":{\"id\":\"Luas "                                     \
    "kumuh\"},\"unit\":{\"id\":\"hektare\"},"                                                                \
    "\"decimals\":2,\"highlight\":true},"                                                                    \
    "{\"name\":\"skor\",\"aggregate\":\"mean\",\"title\":{\"id\":\"Skor\"},\"decimals\":1}],"                \
    "\"all\":{\"total\":[" count "," size ",4.5]},\"places\":{\"kabkota\":{" places "}}}"

static const char three_places[] = SUMMARY("1204", "8412.35",
                                           "\"32.01\":{\"total\":[204,412.35,4]},\"32.73\":{\"total\":[700,"
                                           "8000,5]},\"32.74\":{\"total\":[300,null,5]}"),
                  two_places[] =
                      SUMMARY("1192", "9000",
                              "\"32.01\":{\"total\":[204,412.35,4]},\"32.73\":{\"total\":[700,8000,5]}");

/* Figures with their units, what has changed, the places by the first figure with their shares. */
TEST(brief)
{
    bool told = true;
    PF(f);
    pf_field(&f, "kode", ODP_TYPE_STRING, "Kode");
    f.job.summary = three_places;
    f.job.before = two_places;
    f.job.before_version = "2023-09-15";
    pf_print(&f, brief, &told);
    pf_read_words(&f);
    pf_check_boxes(&f);
    pf_need(&f, "1.204 8.412,35");
    pf_need(&f, "Luas kumuh (hektare)");
    pf_need(&f, "Sejak versi 2023-09-15");
    pf_need(&f, "+12 (+1,0 %)");
    pf_need(&f, "−587,65 (−6,5 %)");
    assert_true(pf_need(&f, "32.73")->top < pf_need(&f, "32.74")->top);
    assert_true(pf_need(&f, "32.74")->top < pf_need(&f, "32.01")->top);
    pf_need(&f, "58,1 %");
    pf_need(&f, "24,9 %");
    pf_need(&f, "16,9 %");
    assert_null(pf_find(&f, "Skor")); /* no highlight */
}

/* Two places are no ranking; nothing before, nothing changed; no summary, no brief. */
TEST(brief_bare)
{
    static const char *const summaries[] = {two_places, "{\"records\":0,\"measures\":[]}", NULL};
    for (size_t i = 0; i < 3; i++) {
        bool told = i == 0;
        PF(f);
        pf_field(&f, "kode", ODP_TYPE_STRING, "Kode");
        f.job.summary = summaries[i];
        pf_print(&f, brief, &told);
        pf_read_words(&f);
        assert_int_equal(f.paper.nheadings, told);
        assert_null(pf_find(&f, "32.73"));
    }
}
