/* The reports: layout, cleanliness, bounds, languages, and that every code has its words. */
#include "answers_fixture.h"

#include <ctype.h>
#include <jansson.h>

#include "base/utf8.h"
#include "report/report.h"

static const struct odp_report_style indonesian = {.lang = ODP_LANG_ID, .width = 80};
static const struct odp_report_style english = {.lang = ODP_LANG_EN, .width = 80};

static struct odp_diag cell_fault(const char *source, const char *cell)
{
    const char *at = strstr(source, cell);
    return (struct odp_diag){
        .code = ODP_T03,
        .dataset = "kumuh",
        .resource = "kumuh",
        .file = "sumber/kumuh.csv",
        .line = 1832,
        .column = 23,
        .table_column = 3,
        .label = "luas_ha",
        .row = 1831,
        .field = "luas_ha",
        .value = ODP_LIT("12,5 ha"),
        .source = odp_slice_of(source),
        .mark_start = (uint32_t)(at - source),
        .mark_len = (uint32_t)strlen(cell),
        .args = {ODP_LIT("1.234,5")},
        .proposal = ODP_LIT("12,5"),
        .where = "dataset.json:58",
    };
}

static struct odp_diags *collector(void)
{
    struct odp_diags *d = NULL;
    must(odp_diags_new(&d, 10));
    return d;
}

static char *render(const char *format, const struct odp_diags *d, const struct odp_summary *s,
                    const struct odp_report_style *style)
{
    struct odp_buffer b = {0};
    const struct odp_report *r = odp_report_find(format);
    assert_non_null(r);
    must(odp_report_render(r, d, s, style, &b));
    char *text = strdup(odp_buffer_cstr(&b));
    assert_non_null(text);
    odp_buffer_release(&b);
    return text;
}

/* Adds a report to ALL, of the page what it says. */
static void tell(struct odp_buffer *all, const char *format, const struct odp_diags *d,
                 const struct odp_summary *s, const struct odp_report_style *style)
{
    char *text = render(format, d, s, style);
    const char *from = strstr(text, "<main");
    odp_buffer_printf(all, "# %s%s\n%s\n", format, style->lang == ODP_LANG_ID ? "" : " in English",
                      from != NULL ? from : text);
    free(text);
}

/* The reports are those of the file NAME. */
static void expect_told(const char *name, struct odp_buffer *reports)
{
    char path[64];
    struct odp_buffer was;
    snprintf(path, sizeof path, "report/%s.txt", name);
    answers_read(path, &was);
    answers_check(path, &was, reports);
}

TEST(layout)
{
    struct odp_buffer told = {0};
    const struct odp_summary_dataset row = {
        .slug = "kumuh",
        .version = "2024-03-15",
        .rows = 12345,
        .errors = 1205,
        .outcome = ODP_OUTCOME_REJECTED,
        .formats = "CSV PDF",
    };
    const struct odp_summary s = {
        .build = true, .datasets = &row, .ndatasets = 1, .rows = 12345, .seconds = 0.2099};
    struct odp_report_style style = indonesian;
    struct odp_diags *d = collector();
    struct odp_diag warning = {
        .code = ODP_V02, .dataset = "kumuh", .resource = "kumuh", .args = {ODP_LIT("kontraktor")}};
    struct odp_diag fault = cell_fault("31.71.04,Kel. Menteng,\"12,5 ha\",Ringan,2023-08-17", "\"12,5 ha\"");
    style.examples = 2;
    must(odp_diags_add(d, &warning)); /* first, but errors come before warnings */
    for (uint64_t i = 0; i < 1205; i++) {
        fault.line = 1832 + i;
        fault.value = i == 1 ? ODP_LIT("13 ha") : i == 1204 ? ODP_LIT("14 ha") : ODP_LIT("12,5 ha");
        must_refuse(odp_diags_add(d, &fault));
    }
    tell(&told, "human", d, &s, &style);
    style.lang = ODP_LANG_EN;
    tell(&told, "human", d, &s, &style);
    style.quiet = true;
    tell(&told, "human", d, &s, &style);
    expect_told("layout", &told);
    odp_diags_free(d);
}

/* Every report for people names a column as its reader sees it; without such a name, by its place in the
 * text. */
TEST(columns)
{
    static const struct {
        uint32_t column;
        const char *label;
    } want[] = {
        {17, "Luas (Ha)"},
        {28, NULL},
        {1, "jumlah pelajar putus sekolah menurut kecamatan é dan umur"},
        {0, NULL},
    };
    static const char *const formats[] = {"human", "html", "junit", "json"};
    struct odp_buffer told = {0};
    const struct odp_summary s = {.version = "0.1.0"};
    const struct odp_report_style style = {.lang = ODP_LANG_EN};
    for (size_t i = 0; i < ODP_COUNT(want); i++) {
        struct odp_diags *d = collector();
        struct odp_diag fault =
            cell_fault("31.71.04,Kel. Menteng,\"12,5 ha\",Ringan,2023-08-17", "\"12,5 ha\"");
        fault.table_column = want[i].column;
        fault.label = want[i].label;
        must_refuse(odp_diags_add(d, &fault));
        for (size_t k = 0; k < 4; k++)
            tell(&told, formats[k], d, &s, &style);
        odp_diags_free(d);
    }
    expect_told("columns", &told);
}

/* On the page what is not seen has a label that is no part of the text, every line is named, and each
 * rejected dataset has its steps. */
TEST(page)
{
    struct odp_buffer told = {0};
    const struct odp_summary s = {.version = "0.1.0"};
    const struct odp_report_style style = {.lang = ODP_LANG_EN};
    struct odp_diags *d = collector();
    struct odp_diag fault = cell_fault("31.71,  Kota\xC2\xA0"
                                       "A,Menteng",
                                       "  Kota\xC2\xA0"
                                       "A");
    fault.value = ODP_LIT("  Kota\xC2\xA0"
                          "A");
    fault.proposal = ODP_LIT("Kota A");
    for (uint64_t line = 10; line < 40; line = line == 11 ? 20 : line + 1) {
        fault.line = line;
        must_refuse(odp_diags_add(d, &fault));
    }
    fault.line = 2;
    must_refuse(odp_diags_add(d, &fault));
    fault.dataset = fault.resource = "rusun";
    must_refuse(odp_diags_add(d, &fault));
    tell(&told, "html", d, &s, &style);
    expect_told("page", &told);
    odp_diags_free(d);
}

TEST(published)
{
    struct odp_buffer told = {0};
    const struct odp_summary_dataset rows[] = {
        {.slug = "kumuh",
         .version = "2024-03-15",
         .rows = 1204,
         .outcome = ODP_OUTCOME_PUBLISHED,
         .formats = "GeoJSON CSV"},
        {.slug = "naskah", .rows = 3, .outcome = ODP_OUTCOME_DRAFT, .formats = "CSV"}};
    const struct odp_summary s = {
        .build = true,
        .datasets = rows,
        .ndatasets = 2,
        .rows = 1207,
        .site_files = 1234,
        .site_bytes = 3400000,
        .release = "2.5.0",
        .out = "build/site",
        .site = "build/site.builds/9f31",
    };
    struct odp_diags *d = collector();
    tell(&told, "human", d, &s, &indonesian);
    expect_told("published", &told);
    odp_diags_free(d);
}

/* The line after the one that begins with PREFIX. */
static const char *line_after(const char *text, const char *prefix)
{
    const char *at = strstr(text, prefix);
    assert_non_null(at);
    at = strchr(at, '\n');
    assert_non_null(at);
    return at + 1;
}

/* Marks stand under the cell by columns, not bytes or characters. */
TEST(mark_width)
{
    static const char *const sources[] = {"日本,é,X5", "e\xCC\x81\tb,X5", "\x1B[31m,X5",
                                          "\xF0\x9F\x98\x80,X5", "X5"};
    for (size_t i = 0; i < ODP_COUNT(sources); i++) {
        struct odp_diags *d = collector();
        struct odp_diag fault = cell_fault(sources[i], "X5");
        fault.value = ODP_LIT("X5");
        must_refuse(odp_diags_add(d, &fault));
        char *text = render("human", d, &(struct odp_summary){0}, &indonesian);
        const char *line = strstr(text, "1832 │ "), *mark = line_after(text, "1832 │ ");
        const char *cell = strstr(line, "X5"), *caret = strchr(mark, '^');
        assert_true(cell < mark && caret != NULL);
        size_t columns = odp_utf8_width((struct odp_slice){line, (size_t)(cell - line)});
        assert_int_equal(columns, odp_utf8_width((struct odp_slice){mark, (size_t)(caret - mark)}));
        assert_int_equal(strspn(caret, "^"), 2);
        assert_null(strchr(text, '\x1B'));
        assert_null(strchr(text, '\t'));
        free(text);
        odp_diags_free(d);
    }
}

TEST(long_line)
{
    char source[2000];
    for (size_t place = 0; place < 1900; place += 190) {
        struct odp_diags *d = collector();
        memset(source, 'x', sizeof source);
        source[sizeof source - 1] = '\0';
        memcpy(source + place, ",NILAI,", 7);
        struct odp_diag fault = cell_fault(source, "NILAI");
        fault.value = (struct odp_slice){0};
        must_refuse(odp_diags_add(d, &fault));
        char *text = render("human", d, &(struct odp_summary){0}, &indonesian);
        const char *line = strstr(text, "1832 │"), *mark = line_after(text, "1832 │");
        const char *cell = strstr(line, "NILAI");
        assert_true(cell != NULL && cell < mark);
        assert_true(odp_utf8_width((struct odp_slice){line, (size_t)(mark - line - 1)}) <= 80);
        assert_int_equal(odp_utf8_width((struct odp_slice){line, (size_t)(cell - line)}),
                         odp_utf8_width((struct odp_slice){mark, (size_t)(strchr(mark, '^') - mark)}));
        free(text);
        odp_diags_free(d);
    }
}

static size_t count_lines(const char *text)
{
    size_t n = 0;
    for (; *text != '\0'; text++)
        n += *text == '\n';
    return n;
}

TEST(bounded)
{
    enum { DATASETS = 120, FIELDS = 40 };
    static char slugs[DATASETS][16], names[FIELDS][16];
    static struct odp_summary_dataset rows[DATASETS];
    struct odp_diags *d = collector();
    for (int f = 0; f < FIELDS; f++)
        snprintf(names[f], sizeof names[f], "bidang_%d", f);
    for (int i = 0; i < DATASETS; i++) {
        snprintf(slugs[i], sizeof slugs[i], "dataset-%d", i);
        rows[i] = (struct odp_summary_dataset){
            .slug = slugs[i],
            .version = "2024-01-01",
            .rows = 1000,
            .outcome = ODP_OUTCOME_REJECTED,
            .formats = "CSV",
        };
        for (int f = 0; f < FIELDS; f++)
            for (int k = 0; k < 20; k++) {
                struct odp_diag fault = cell_fault("31.71.04,Kel. Menteng,\"12,5 ha\"", "\"12,5 ha\"");
                fault.dataset = slugs[i];
                fault.field = names[f];
                must_refuse(odp_diags_add(d, &fault));
            }
    }
    const struct odp_summary s = {.build = true, .datasets = rows, .ndatasets = DATASETS, .rows = 120000};
    char *text = render("human", d, &s, &english);
    assert_in_range(count_lines(text), 100, 199);
    EXPECT(text, "more kinds of faults", "96,000 errors");
    free(text);
    odp_diags_free(d);
}

TEST(color)
{
    struct odp_report_style style = indonesian;
    struct odp_diags *d = collector();
    struct odp_diag fault = cell_fault("a,12,5 ha", "12,5 ha");
    must_refuse(odp_diags_add(d, &fault));
    char *plain = render("human", d, &(struct odp_summary){0}, &style);
    style.color = true;
    char *colored = render("human", d, &(struct odp_summary){0}, &style), *to = colored;
    EXPECT(colored, "\x1B[1;31mgalat\x1B[0m");
    for (char *from = colored; *from != '\0';) { /* without the colours it is the same text */
        if (*from == '\x1B')
            from = strchr(from, 'm') + 1;
        else
            *to++ = *from++;
    }
    *to = '\0';
    assert_string_equal(plain, colored);
    free(plain);
    free(colored);
    odp_diags_free(d);
}

TEST(json)
{
    struct odp_buffer told = {0};
    const struct odp_summary s = {.ndatasets = 2, .nresources = 3, .rows = 99};
    struct odp_text message = {{"luas \"salah\"", "wrong area"}};
    struct odp_diags *d = collector();
    struct odp_diag fault = cell_fault("a,12,5 ha", "12,5 ha");
    struct odp_diag rule = {
        .code = ODP_L01,
        .dataset = "kumuh",
        .resource = "kumuh",
        .file = "k\xFF.csv",
        .line = 3,
        .row = 2,
        .rule = "kumuh-luas",
        .message = &message,
        .args = {ODP_LIT("kumuh-luas"), ODP_LIT("a <= b")},
    };
    struct odp_diag catalogue = {.code = ODP_C14, .args = {ODP_LIT("kumu")}};
    for (int i = 0; i < 25; i++)
        must_refuse(odp_diags_add(d, &fault));
    must_refuse(odp_diags_add(d, &rule));
    must_refuse(odp_diags_add(d, &catalogue));
    tell(&told, "json", d, &s, &indonesian);
    expect_told("json", &told);
    odp_diags_free(d);
}

/* A column that is written another way is one diagnostic in every report, with the one step that mends it; so
 * is another of the table, although fewer of its cells are wrong. What has another cause is told by value. */
TEST(one_cause)
{
    static const char *const formats[] = {"human", "json", "sarif", "github", "junit", "html"};
    struct odp_buffer told = {0};
    const struct odp_summary s = {.version = "0.1.0"};
    struct odp_diags *d = collector();
    for (unsigned i = 0; i < 65; i++) {
        char value[16];
        struct odp_diag fault = cell_fault("a,12,5 ha", "12,5 ha");
        bool other = i == 39;
        snprintf(value, sizeof value, "%u,5", i % 40 + 2);
        fault.args[0] = ODP_LIT("1234.5");
        fault.field = i < 40 ? "luas_ha" : "panjang";
        fault.line = i % 40 + 2;
        fault.value = odp_slice_of(other ? "x" : value);
        fault.cause = other ? ODP_CAUSE_OTHER : ODP_CAUSE_SIGNS;
        must_refuse(odp_diags_add(d, &fault));
    }
    struct odp_diag_group field = {.dataset = "kumuh", .resource = "kumuh", .field = "luas_ha"};
    odp_diags_tell_cells(d, &field, 40, 60);
    field.field = "panjang";
    odp_diags_tell_cells(d, &field, 60, 60);
    for (size_t i = 0; i < ODP_COUNT(formats); i++)
        tell(&told, formats[i], d, &s, &indonesian);
    expect_told("one_cause", &told);
    field.field = "luas_ha";
    odp_diags_tell_cells(d, &field, 60, 60); /* that is not most of them */
    char *have = render("json", d, &s, &indonesian);
    EXPECT(have, "!", "\"of\":");
    free(have);
    odp_diags_free(d);
}

/* That both languages are there, with the same arguments, is seen when words are compiled in
 * (tools/cmake/words.c). */
static void check_pair(const char *code, const struct odp_text *t)
{
    for (int lang = 0; lang < ODP_LANGS; lang++) {
        const char *text = odp_text_get(t, (enum odp_lang)lang);
        size_t n = strlen(text);
        if (n > 0 && (text[n - 1] == '.' || text[n - 1] == ' ' || *text == ' '))
            fail_msg("%s: “%s” ends in a period or has a space at its end", code, text);
    }
}

TEST(codes)
{
    for (int c = 0; c < ODP_CODE_COUNT; c++) {
        const struct odp_code_info *info = odp_code_info((enum odp_code)c);
        check_pair(info->code, &info->words.title);
        check_pair(info->code, &info->words.expected);
        check_pair(info->code, &info->words.help);
        assert_true(!odp_text_is_empty(&info->words.title) && !odp_text_is_empty(&info->words.why) &&
                    !odp_text_is_empty(&info->words.mend));
        for (const char *p = info->name; *p != '\0'; p++)
            assert_true(islower((unsigned char)*p) || *p == '-');
        for (int lang = 0; lang < ODP_LANGS; lang++) {
            const char *title = info->words.title.in[lang]; /* lower case, or an abbreviation */
            if (isupper((unsigned char)title[0]) && islower((unsigned char)title[1]) &&
                !isupper((unsigned char)title[2]))
                fail_msg("%s: the title begins with a capital: %s", info->code, title);
        }
        for (int k = 0; k < c; k++) {
            assert_string_not_equal(info->code, odp_code_info((enum odp_code)k)->code);
            assert_string_not_equal(info->name, odp_code_info((enum odp_code)k)->name);
        }
    }
}

TEST(explain)
{
    for (int c = 0; c < ODP_CODE_COUNT; c++) {
        char *text[ODP_LANGS];
        for (int lang = 0; lang < ODP_LANGS; lang++) {
            struct odp_buffer b = {0};
            const struct odp_report_style style = {.lang = (enum odp_lang)lang, .width = 76};
            must(odp_report_explain(&b, (enum odp_code)c, &style));
            if (odp_utf8_valid(odp_buffer_slice(&b)) != b.len)
                fail_msg("%s: not UTF-8", odp_code_info((enum odp_code)c)->code);
            text[lang] = strdup(odp_buffer_cstr(&b));
            odp_buffer_release(&b);
            assert_non_null(text[lang]);
            assert_non_null(strstr(text[lang], odp_code_info((enum odp_code)c)->code));
            EXPECT(text[lang], "!", "{0}");
            assert_non_null(
                strstr(text[lang], lang == ODP_LANG_ID ? "Cara memperbaiki\n    " : "How to fix it\n    "));
            assert_true(count_lines(text[lang]) >= 5);
        }
        assert_string_not_equal(text[ODP_LANG_ID], text[ODP_LANG_EN]);
        free(text[ODP_LANG_ID]);
        free(text[ODP_LANG_EN]);
    }
}

/* Reports say the action in words, the json report as a code. */
TEST(actions)
{
    static const struct {
        enum odp_action action;
        uint64_t line;
        uint32_t lines;
        const char *proposal, *file;
    } cases[] = {
        {ODP_ACTION_REPLACE, 4, 0, "12,5", "a.csv"},         {ODP_ACTION_REPLACE, 4, 0, "", "a.csv"},
        {ODP_ACTION_DELETE_RECORD, 4, 0, NULL, "a.csv"},     {ODP_ACTION_DELETE_RECORD, 4, 0, NULL, "a.shp"},
        {ODP_ACTION_DELETE_LINES, 4, 1, NULL, "a.csv"},      {ODP_ACTION_DELETE_LINES, 1, 3, NULL, "a.csv"},
        {ODP_ACTION_RENAME_LABEL, 1, 0, "luas_ha", "a.csv"},
    };
    struct odp_buffer told = {0};
    for (size_t i = 0; i < ODP_COUNT(cases); i++) {
        struct odp_diags *d = collector();
        struct odp_diag fault = {
            .code = ODP_R08,
            .dataset = "kumuh",
            .resource = "kumuh",
            .file = cases[i].file,
            .line = cases[i].line,
            .action = cases[i].action,
            .lines = cases[i].lines,
            .proposal = odp_slice_of(cases[i].proposal),
        };
        (void)odp_diags_add(d, &fault);
        tell(&told, "human", d, &(struct odp_summary){0}, &indonesian);
        tell(&told, "human", d, &(struct odp_summary){0}, &english);
        tell(&told, "json", d, &(struct odp_summary){0}, &indonesian);
        odp_diags_free(d);
    }
    expect_told("actions", &told);
}

/* What the headline counts is what is there: fields of one dataset are no datasets; and it has the number
 * that all of them share. */
TEST(headline)
{
    static const char *const fields[] = {"a", "b", "c", "d"};
    static const struct odp_text added[] = {
        {{"kolom a", "field a"}},
        {{"kolom b", "field b"}},
        {{"kolom c", "field c"}},
        {{"kolom d", "field d"}},
    };
    const struct odp_report_style style = {.lang = ODP_LANG_EN};
    struct odp_buffer told = {0};
    for (size_t others = 0; others <= 1; others++) {
        struct odp_diags *d = collector();
        for (size_t i = 0; i < 4; i++)
            (void)odp_diags_add(d, &(struct odp_diag){
                                       .code = ODP_V20,
                                       .dataset = i < others ? "rusun" : "kumuh",
                                       .resource = "t",
                                       .field = fields[i],
                                       .rule = "field-added",
                                       .args = {ODP_LIT("1.1.0"), ODP_LIT("minor")},
                                       .message = &added[i],
                                   });
        tell(&told, "human", d, &(struct odp_summary){0}, &style);
        odp_diags_free(d);
    }
    expect_told("headline", &told);
}

/* Every format takes whatever a collector may hold: nothing kept, no places, bytes that are no text. */
TEST(every_format)
{
    size_t n;
    const struct odp_report *const *all = odp_reports(&n);
    static const char hostile[] = "\xff\x01</script>\r\n::error::%0A]]>\"'&\xe2\x80\xae";
    for (size_t limit = 0; limit <= 5; limit += 5) {
        struct odp_diags *d = NULL;
        must(odp_diags_new(&d, limit));
        for (int code = 0; code < ODP_CODE_COUNT; code++) {
            struct odp_slice h = odp_slice_of(hostile);
            (void)odp_diags_add(d, &(struct odp_diag){
                                       .code = (enum odp_code)code,
                                       .dataset = code % 3 ? "a" : NULL,
                                       .resource = code % 2 ? hostile : NULL,
                                       .file = code % 5 ? hostile : NULL,
                                       .line = (uint64_t)code % 4,
                                       .column = (uint64_t)code % 3,
                                       .field = code % 7 ? hostile : NULL,
                                       .value = h,
                                       .source = h,
                                       .mark_start = 3,
                                       .mark_len = 9,
                                       .args = {h, h, h, h},
                                       .proposal = ODP_LIT("x"),
                                       .rule = code % 11 ? NULL : hostile,
                                       .action = (enum odp_action)(code % 4),
                                       .lines = 2,
                                       .sheet = code % 6 ? NULL : hostile,
                                   });
        }
        for (size_t i = 0; i < n; i++) {
            if (all[i]->render == NULL)
                continue;
            char *text = render(all[i]->name, d, &(struct odp_summary){0}, &english);
            assert_int_equal(odp_utf8_valid(odp_slice_of(text)), strlen(text));
            assert_null(strchr(text, '\x01'));
            assert_null(strchr(text, '\r'));
            if (strcmp(all[i]->name, "human") == 0 || strcmp(all[i]->name, "github") == 0)
                assert_null(strstr(text, "\n::error::%0A")); /* a cell forges no line */
            bool json = strcmp(all[i]->name, "json") == 0 || strcmp(all[i]->name, "sarif") == 0;
            if (!json) /* which escapes nothing but what it must */
                EXPECT(text, "!", "\xe2\x80\xae");
            if (json) {
                json_error_t error;
                json_t *document = json_loads(text, 0, &error);
                assert_non_null(document);
                json_decref(document);
            }
            free(text);
        }
        odp_diags_free(d);
    }
}

TEST(registry)
{
    size_t n;
    const struct odp_report *const *all = odp_reports(&n);
    assert_int_equal(n, 7);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(all[i]->workbook, all[i]->render == NULL);
    for (size_t i = 0; i < n; i++)
        assert_ptr_equal(odp_report_find(all[i]->name), all[i]);
    assert_null(odp_report_find("xml"));
}
