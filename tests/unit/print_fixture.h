/* For the tests of tools/odp-build/write/pdf's sections: a dataset made by hand, documents of some of its
 * parts, and what another program (poppler) reads in them. */
#pragma once
#include "run.h"

#include <unistd.h>

#include "write/pdf/pdf_internal.h"

#define PF_FIELDS 10
#define PF_WORDS  60000

struct pf_word {
    unsigned page;
    double left, top, right, bottom;
    char text[80];
};

struct pf {
    struct odp_catalog catalog;
    struct odp_dataset dataset;
    struct odp_resource resource;
    struct odp_field fields[PF_FIELDS];
    struct odp_foreign_key foreign;
    uint32_t key, heading[2];
    struct odp_print_job job;
    struct odp_slice *cells;
    struct odp_chart_data *charts[4];
    json_t *json;
    struct odp_arena arena;
    struct odp_fonts *fonts;
    struct odp_paper paper;
    struct odp_buffer out; /* the document */
    char dir[FRESH_FOLDER];
    struct pf_word *words;
    size_t nwords;
};

static inline uint32_t pf_field(struct pf *f, const char *name, enum odp_type type, const char *title)
{
    uint32_t i = f->resource.schema.n++;
    assert_true(i < PF_FIELDS);
    f->fields[i] =
        (struct odp_field){.name = name, .type = type, .title = {{title, NULL}}, .is_public = true};
    return i;
}

static inline void pf_init(struct pf *f)
{
    memset(f, 0, sizeof *f);
    fresh_folder(f->dir, "print");
    odp_arena_init(&f->arena);
    odp_buffer_init(&f->out);
    must(odp_fonts_open(&f->fonts));
    f->json = json_pack("{s:s, s:{s:s,s:s}}", "sdi:produsenData", "Biro Hukum", "sdi:walidata", "id",
                        "Pusat Data", "en", "Data Centre");
    f->catalog.portal = (struct odp_portal){
        .title = {{"Portal Data", "Data Portal"}},
        .publisher = {{"Kementerian Pekerjaan Umum", "Ministry of Public Works"}},
        .legal_basis = {{"Peraturan Presiden Nomor 39 Tahun 2019", "Presidential Regulation No. 39 of 2019"}},
        .license_title = {{"Atribusi 4.0", "Attribution 4.0"}},
        .license_name = "CC-BY-4.0",
        .license_path = "https://creativecommons.org/licenses/by/4.0/"};
    f->dataset = (struct odp_dataset){
        .slug = "aturan",
        .title = {{"Aturan dan kebijakan", "Rules and policy"}},
        .description = {{"Semua aturan.", "All rules."}},
        .frequency = "MONTHLY",
        .resources = &f->resource,
        .nresources = 1,
        .json = f->json,
    };
    f->resource = (struct odp_resource){.dataset = &f->dataset, .name = "aturan", .primary = true};
    f->resource.schema.fields = f->fields;
    f->resource.print = (struct odp_print_spec){
        .layout = ODP_PRINT_ENTRIES, .title = -1, .status = -1, .group = -1, .records = 10000};
    f->job = (struct odp_print_job){
        .catalog = &f->catalog,
        .resource = &f->resource,
        .version = "2024-03-15",
        .date = "2024-03-15",
        .page = "https://data.example.go.id/katalog/aturan.html#versi-2024-03-15",
        .url = "https://data.example.go.id/data/aturan/2024-03-15/",
        .digest = "sha256:0123456789abcdef0011223344556677889900aabbccddeeff00112233445566",
        .base = "https://data.example.go.id/data/aturan/2024-03-15/"};
}

/* Room for ROWS records. */
static inline void pf_rows(struct pf *f, uint64_t rows)
{
    f->job.columns = f->resource.schema.n;
    f->cells = odp_arena_zero(&f->arena, (size_t)(rows * f->job.columns) + 1, sizeof *f->cells);
    assert_non_null(f->cells);
    f->job.cells = f->cells;
    f->job.rows = f->job.total = rows;
}

static inline void pf_set(struct pf *f, uint64_t row, uint32_t field, const char *text)
{
    f->cells[row * f->job.columns + field] = odp_slice_of(text);
}

static inline void pf_release(struct pf *f)
{
    char path[100];
    for (size_t i = 0; i < f->job.ncharts; i++)
        odp_chart_data_free(f->charts[i]);
    odp_paper_release(&f->paper);
    odp_fonts_close(f->fonts);
    odp_buffer_release(&f->out);
    odp_arena_release(&f->arena);
    json_decref(f->json);
    free(f->words);
    snprintf(path, sizeof path, "%s/a.pdf", f->dir);
    (void)unlink(path);
    (void)rmdir(f->dir);
}
#define PF(v) OWNED(pf, v, pf, &v)

/* One setting after the other, as odp_print_pdf does, until no page changes; then it is drawn. Returns how
 * many settings it took. */
static inline int pf_print(struct pf *f, void (*parts)(struct pf *f, void *ctx), void *ctx)
{
    struct odp_paper *p = &f->paper;
    bool settled = false;
    int n = 0;
    odp_buffer_clear(&f->out);
    p->known = NULL;
    p->nknown = 0;
    p->pages = 0;
    for (bool draw = false; n < 10; n++, draw = settled) {
        odp_paper_begin(p, f->fonts, &f->arena, draw ? &f->out : NULL);
        p->running = NULL;
        odp_paper_page(p, false);
        odp_paper_tag(p, "Document", NULL);
        parts(f, ctx);
        odp_paper_untag(p, "Document");
        must(odp_paper_end(p));
        if (draw)
            return n;
        settled = p->pages == p->page && p->nknown == p->nheadings;
        for (size_t i = 0; settled && i < p->nknown; i++)
            settled = p->known[i].page == p->headings[i].page;
        struct odp_heading *known = odp_arena_array(&f->arena, p->nheadings + 1, sizeof *known);
        assert_non_null(known);
        if (p->nheadings > 0)
            memcpy(known, p->headings, p->nheadings * sizeof *known);
        p->known = known;
        p->nknown = p->nheadings;
        p->pages = p->page;
    }
    fail_msg("the pages do not settle");
    return n;
}

/* ---- what poppler reads ---- */

/* What PROGRAM (with its options) says about the file, written TO, to be freed; skips the test where there is
 * no such program.
 */
static inline char *pf_ask(struct pf *f, const char *program, const char *to)
{
    char path[100], line[400];
    size_t n = 0, cap = 1 << 16;
    snprintf(path, sizeof path, "%s/a.pdf", f->dir);
    put_bytes(path, f->out.ptr, f->out.len);
    snprintf(line, sizeof line, "%s %s %s 2>/dev/null", program, path, to);
    FILE *pipe = popen(line, "r");
    assert_non_null(pipe);
    char *text = malloc(cap);
    assert_non_null(text);
    for (size_t got; (got = fread(text + n, 1, cap - n - 1, pipe)) > 0;) {
        n += got;
        if (n + 1 == cap) {
            cap *= 2;
            text = realloc(text, cap);
            assert_non_null(text);
        }
    }
    text[n] = '\0';
    int status = pclose(pipe);
    if (status != 0) {
        free(text);
        print_message("skipped: poppler's tools are not there (%s)\n", line);
        pf_release(f);
        skip();
    }
    return text;
}

/* The words of the document with their boxes. */
static inline void pf_read_words(struct pf *f)
{
    char *text = pf_ask(f, "pdftotext -bbox", "-"), *save = NULL;
    unsigned page = 0;
    free(f->words);
    f->words = calloc(PF_WORDS, sizeof *f->words);
    f->nwords = 0;
    assert_non_null(f->words);
    for (char *line = strtok_r(text, "\n", &save); line != NULL; line = strtok_r(NULL, "\n", &save)) {
        struct pf_word *w = &f->words[f->nwords];
        page += strstr(line, "<page ") != NULL;
        if (sscanf(line, " <word xMin=\"%lf\" yMin=\"%lf\" xMax=\"%lf\" yMax=\"%lf\">%79[^<]", &w->left,
                   &w->top, &w->right, &w->bottom, w->text) != 5)
            continue;
        w->page = page;
        assert_true(++f->nwords < PF_WORDS);
    }
    free(text);
}

/* No word outside of the margins, none on another. */
static inline void pf_check_boxes(struct pf *f)
{
    const struct odp_paper *p = &f->paper;
    pf_read_words(f);
    for (size_t i = 0; i < f->nwords; i++) {
        const struct pf_word *a = &f->words[i];
        if (a->left < p->left - 1 || a->right > p->right + 1 || a->top < 30 || a->bottom > p->height - 25)
            fail_msg("\"%s\" on page %u stands outside: %.1f %.1f %.1f %.1f", a->text, a->page, a->left,
                     a->top, a->right, a->bottom);
        for (size_t k = i + 1; k < f->nwords && f->words[k].page == a->page; k++) {
            const struct pf_word *b = &f->words[k];
            double right = a->right < b->right ? a->right : b->right,
                   left = a->left > b->left ? a->left : b->left;
            double bottom = a->bottom < b->bottom ? a->bottom : b->bottom,
                   top = a->top > b->top ? a->top : b->top;
            double high = a->bottom - a->top < b->bottom - b->top ? a->bottom - a->top : b->bottom - b->top;
            if (right - left > 0.6 && bottom - top > high * 0.4)
                fail_msg("\"%s\" and \"%s\" overlap on page %u", a->text, b->text, a->page);
        }
    }
}

/* The words from FIRST on (a sequence, parted by spaces) on one page, in reading order; NULL: not there. */
static inline const struct pf_word *pf_find(const struct pf *f, const char *words)
{
    char copy[400], *list[40], *save = NULL;
    size_t n = 0;
    snprintf(copy, sizeof copy, "%s", words);
    for (char *w = strtok_r(copy, " ", &save); w != NULL && n < 40; w = strtok_r(NULL, " ", &save))
        list[n++] = w;
    for (size_t i = 0; i + n <= f->nwords; i++) {
        size_t k = 0;
        while (k < n && strcmp(f->words[i + k].text, list[k]) == 0 &&
               f->words[i + k].page == f->words[i].page)
            k++;
        if (k == n)
            return &f->words[i];
    }
    return NULL;
}

static inline const struct pf_word *pf_need(const struct pf *f, const char *words)
{
    const struct pf_word *w = pf_find(f, words);
    if (w == NULL)
        fail_msg("not in the document: %s", words);
    return w;
}

/* WORDS numbered words: "kata1 kata2 …"; in the arena. */
static inline const char *pf_many(struct pf *f, const char *word, unsigned words)
{
    struct odp_buffer b = {0};
    for (unsigned i = 1; i <= words; i++)
        odp_buffer_printf(&b, "%s%s%u", i > 1 ? " " : "", word, i);
    const char *s = odp_arena_str(&f->arena, odp_buffer_cstr(&b));
    assert_non_null(s);
    odp_buffer_release(&b);
    return s;
}

static inline void pf_need_many(const struct pf *f, const char *word, unsigned words)
{
    char one[40];
    for (unsigned i = 1; i <= words; i++) {
        snprintf(one, sizeof one, "%s%u", word, i);
        pf_need(f, one);
    }
}
