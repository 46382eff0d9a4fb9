/* Third-party CSV suites and real Indonesian files: read in full, with the facts that their authors state. */
#include "csv_fixture.h"

#include <dirent.h>
#include <jansson.h>
#include <sys/stat.h>

static bool have(const char *folder)
{
    char path[512];
    struct stat st;
    snprintf(path, sizeof(path), "%s/%s", ODP_SHARED_DATA, folder);
    if (stat(path, &st) == 0)
        return true;
    print_message("third-party data is not here: %s\n", folder);
    return false;
}

/* csv-spectrum: each file beside its expected JSON. */
static const struct {
    const char *name, *reason;
} spectrum_differences[] = {
    {"location_coordinates", "its JSON is not what the file says (an object with another telephone number): wrong upstream"},
};

static void spectrum_file(const char *name)
{
    char path[512], names[512] = "";
    json_error_t error;
    struct fixture x;
    snprintf(path, sizeof(path), "%s/csv/csv-spectrum/json/%s.json", ODP_SHARED_DATA, name);
    json_t *want = json_load_file(path, 0, &error), *cell;
    assert_non_null(want);
    const char *key;
    json_object_foreach(json_array_get(want, 0), key, cell)
        snprintf(names + strlen(names), sizeof(names) - strlen(names), " %s", key);
    fixture_init(&x, names);
    snprintf(path, sizeof(path), "%s/csv/csv-spectrum/csvs/%s.csv", ODP_SHARED_DATA, name);
    fixture_read(&x, path, true);
    assert_int_equal(odp_diags_count(x.diags, ODP_SEVERITY_ERROR), 0);
    assert_int_equal(x.nrows, json_array_size(want));
    for (size_t i = 0; i < x.nrows; i++) {
        assert_int_equal(x.rows[i].rec.count, json_object_size(json_array_get(want, i)));
        for (uint32_t f = 0; f < x.resource.schema.n; f++) {
            const struct odp_cell *c = &x.rows[i].cells[x.info.column_of_field[f]];
            const char *text = json_string_value(json_object_get(json_array_get(want, i), x.fields[f].name));
            assert_non_null(text);
            assert_int_equal(c->len, strlen(text));
            assert_memory_equal(c->ptr, text, c->len);
        }
    }
    fixture_release(&x);
    json_decref(want);
}

static void test_spectrum(void **state)
{
    size_t done = 0, left_out = 0;
    (void)state;
    if (!have("csv/csv-spectrum/csvs"))
        skip();
    DIR *dir = opendir(ODP_SHARED_DATA "/csv/csv-spectrum/csvs");
    assert_non_null(dir);
    for (struct dirent *e; (e = readdir(dir)) != NULL;) {
        char name[256];
        const char *dot = strrchr(e->d_name, '.');
        if (dot == NULL || strcmp(dot, ".csv") != 0)
            continue;
        snprintf(name, sizeof(name), "%.*s", (int)(dot - e->d_name), e->d_name);
        if (strcmp(name, spectrum_differences[0].name) == 0) {
            print_message("left out: %s: %s\n", name, spectrum_differences[0].reason);
            left_out++;
            continue;
        }
        spectrum_file(name);
        done++;
    }
    closedir(dir);
    assert_int_equal(done, 11);
    assert_int_equal(left_out, 1);
}

/* DuckDB: what the folder and the file say about framing. Rows include the header: all are read with header false. */
struct fact {
    const char *file;
    char delimiter;
    uint32_t columns;
    const char *encoding; /* NULL: not declared */
    char comment, escape, quote;
    size_t rows, skipped;
    const char *faults;
    size_t at;        /* this row ... */
    const char *text; /* ... reads so */
};
static const struct fact facts[] = {
    {"decimal_separators/decimal_separators.csv", ';', 2, NULL, 0, 0, '"', 6, 0, "", 3, "1,53e4|1.53e4"},
    {"decimal_separators/decimal_separators_csv.csv", ',', 2, NULL, 0, 0, '"', 2, 0, "", 1, "1,2345|1.2345"},
    {"thousands_separator/multi_column.csv", ';', 3, NULL, 0, 0, '"', 6, 0, "", 3, "lorry|300,000,000.40|amsterdam"},
    {"thousands_separator/multi_column_quote.csv", ',', 3, NULL, 0, 0, '"', 6, 0, "", 3, "lorry|300,000,000.40|amsterdam"},
    {"thousands_separator/simple_quoted.csv", ',', 1, NULL, 0, 0, '"', 5, 0, "", 4, "9999999999.20"},
    {"encodings/latin1.csv", ',', 2, "latin1", 0, 0, '"', 13, 0, "", 1, "José Álvarez|30"},
    {"encodings/latin1.csv", ',', 2, NULL, 0, 0, '"', 13, 12, /* declared wrongly: every line that is not ASCII, where */
     "E01 2:4 E01 3:2 E01 4:5 E01 5:3 E01 6:2 E01 7:5 E01 8:1 E01 9:2 E01 10:6 E01 11:3 E01 12:5 E01 13:2", 0, "name|age"},
    {"encodings/utf16.csv", ',', 2, "utf-16", 0, 0, '"', 21, 0, "", 1, "José Álvarez|30"},
    {"encodings/utf16.csv", ',', 2, NULL, 0, 0, '"', 21, 0, "", 2, "Müller|25"},
    {"encodings/only_utf16.csv", ',', 2, "utf-16le", 0, 0, '"', 6, 0, "", 2, "ŁŁ ŁŁŁŁŁ|Ł"},
    {"encodings/all_utf16.csv", ',', 1, "utf-16", 0, 0, '"', 63485, 0, "R01 9:1 R01 34:1 R09 10:1 R09 14:1", 62, "A"},
    {"encodings/all_latin1.csv", ',', 1, "iso-8859-1", 0, 0, '"', 190, 0, "", 189, "ÿ"},
    {"encodings/shift_jis.csv", ',', 2, "shift_jis", 0, 0, '"', 21, 0, "", 0, "名前|年齢"},
    {"comments/simple.csv", ';', 2, NULL, '#', 0, '"', 3, 0, "", 2, "6|7"},
    {"comments/simple_comma.csv", ';', 2, NULL, ',', 0, '"', 3, 0, "", 2, "6|7"},
    {"comments/17226.csv", ',', 3, NULL, '#', 0, '"', 3, 0, "", 2, "4|5|6"},
    {"comments/empty_space.csv", ';', 2, NULL, '#', 0, '"', 6, 2, "R02 1:24 R02 3:24", 1, "1|3"}, /* " #" is no comment */
    {"null/multiple_quoted_nulls.csv", ',', 3, NULL, 0, 0, '"', 4, 0, "", 2, "Mark|null|"},
    {"headers/empty_1.csv", ',', 5, NULL, 0, 0, '"', 3, 0, "", 0, "a|b|c|  |e"},
    {"rejects/incorrect_columns/small_mix.csv", ',', 4, NULL, 0, 0, '"', 5, 2, "R03 3:9 R02 4:6", 4, "1|2|3|4"},
    {"rejects/incorrect_columns/few_columns.csv", ',', 4, NULL, 0, 0, '"', 2773, 4,
     "R02 1814:6 R02 1823:2 R02 2378:2 R02 2762:4", 1, "1|2|3|4"},
    {"rejects/incorrect_columns/many_columns.csv", ',', 4, NULL, 0, 0, '"', 2773, 4,
     "R03 1096:9 R03 1159:9 R03 1206:9 R03 2769:9", 1, "1|2|3|4"},
    {"rejects/frankstein/nightmare.csv", ',', 3, NULL, 0, 0, '"', 48, 4, "R05 22:12 R02 10:4 R03 14:13 E01 38:11", 1,
     "1|2|pedro"},
    {"rejects/unquoted/basic.csv", ',', 2, NULL, 0, 0, '"', 8, 1, "R05 5:19", 5, "bla|1"},
    {"rejects/unquoted/unquoted_last_value.csv", ',', 1, NULL, 0, 0, '"', 5, 1, "R06 5:1", 3, "bla"},
    {"rejects/unquoted/unquoted_new_line.csv", ',', 2, NULL, 0, 0, '"', 8, 1, "R05 6:2", 5, "bla|1"},
    {"rejects/multiple_errors/multiple_errors.csv", ',', 4, NULL, 0, 0, '"', 6, 3, "R05 6:15 R03 4:33 R03 5:26", 2,
     "oogie boogie|3| 2023-01-02| 5"},
    {"rejects/multiple_errors/invalid_utf_more.csv", ',', 4, NULL, 0, 0, '"', 3, 1, "E01 3:9", 2, "-"},
    {"unescaped_quotes/end_quote_2.csv", ',', 1, NULL, 0, 0, '"', 3, 3, "R05 1:9 R05 2:9 R05 3:9", 0, "-"},
    {"unescaped_quotes/unescaped_quote.csv", ';', 2, NULL, 0, 0, '"', 6, 6,
     "R05 1:11 R05 2:11 R05 3:11 R05 4:11 R05 5:11 R05 6:11", 0, "-"},
    {"unescaped_quotes/stops.csv", ',', 4, NULL, 0, 0, '"', 10, 2, "R05 9:39 R05 10:39", 0,
     "stop_id|stop_name|stop_lat|stop_lon"},
    {"unquoted_escape/plain.csv", ',', 2, NULL, 0, '\\', '"', 10, 0, "", 1, "1|,"},
    {"unquoted_escape/mixed.csv", ',', 4, NULL, 0, '\\', '"', 5, 0, "R09 5:1 R09 6:2", 2, ",|,\",|1|\"a\""},
    {"unquoted_escape/identical.csv", ',', 2, NULL, 0, 0, '"', 6, 0, "R04 2:5 R04 3:2 R04 6:3", 3, "ef,\"gh\"|"},
    {"error/mid_null.csv", ';', 3, NULL, 0, 0, '"', 4, 1, "R03 3:4", 3, "1|2|3"},
    {"multidelimiter/windows_newline.csv", ',', 1, NULL, 0, 0, '"', 2, 0, "", 1, "ABAC"},
    {"multidelimiter/simple_unterminated_quote.csv", ',', 1, NULL, 0, 0, '"', 1, 1, "R06 1:1", 0, "-"},
    {"multidelimiter/unterminated_quote_escape.csv", ',', 1, NULL, 0, 0, '"', 1, 1, "R06 1:1", 0, "-"},
    {"multidelimiter/file_ends_in_quoted_value.csv", ',', 1, NULL, 0, 0, '"', 1, 0, "", 0, ""},
};

static void make_columns(struct fixture *x, uint32_t columns)
{
    static char names[64][16];
    fixture_init(x, "c");
    for (uint32_t i = 0; i < columns; i++) {
        snprintf(names[i], sizeof(names[i]), "c%u", i);
        x->fields[i] = x->fields[0];
        x->fields[i].name = x->fields[i].source_name = names[i];
    }
    x->resource.schema.n = columns;
    x->resource.dialect.header = false;
}

static void test_duckdb_facts(void **state)
{
    (void)state;
    if (!have("csv/duckdb"))
        skip();
    for (size_t i = 0; i < sizeof(facts) / sizeof(*facts); i++) {
        const struct fact *f = &facts[i];
        struct fixture x;
        char path[512];
        size_t skipped = 0;
        make_columns(&x, f->columns);
        x.resource.dialect.delimiter = f->delimiter;
        x.resource.dialect.comment = f->comment;
        x.resource.dialect.escape = f->escape;
        x.resource.dialect.quote = f->quote;
        if (f->encoding != NULL) {
            x.resource.encoding = f->encoding;
            x.resource.encoding_declared = true;
        }
        snprintf(path, sizeof(path), "%s/csv/duckdb/%s", ODP_SHARED_DATA, f->file);
        fixture_read(&x, path, true);
        for (size_t k = 0; k < x.nrows; k++)
            skipped += (x.rows[k].rec.flags & ODP_RECORD_SKIP) != 0;
        if (x.nrows != f->rows || skipped != f->skipped || strcmp(faults(&x), f->faults) != 0 ||
            strcmp(row_text(&x, f->at), f->text) != 0)
            fail_msg("%s: %zu rows, %zu skipped, faults [%s], row %zu [%s]", f->file, x.nrows, skipped, faults(&x), f->at,
                     row_text(&x, f->at));
        fixture_release(&x);
    }
}

/* Every file under PATH in every way: nothing crashes, every record is accounted for in order. */
static size_t read_folder(const char *path)
{
    size_t files = 0;
    DIR *dir = opendir(path);
    assert_non_null(dir);
    for (struct dirent *e; (e = readdir(dir)) != NULL;) {
        char name[1024];
        struct stat st;
        if (e->d_name[0] == '.')
            continue;
        snprintf(name, sizeof(name), "%s/%s", path, e->d_name);
        assert_int_equal(stat(name, &st), 0);
        if (S_ISDIR(st.st_mode)) {
            files += read_folder(name);
            continue;
        }
        files++;
        for (int way = 0; way < 6; way++) {
            static const char delimiters[] = ",;\t,,|";
            struct fixture x;
            make_columns(&x, way == 4 ? 1 : 4);
            x.resource.dialect.delimiter = delimiters[way];
            x.resource.dialect.header = way == 3;
            x.resource.schema.match = ODP_MATCH_PARTIAL;
            x.resource.dialect.escape = way == 5 ? '\\' : '\0';
            fixture_read(&x, name, true);
            uint64_t line = 0, offset = 0;
            for (size_t i = 0; i < x.nrows; i++) {
                assert_int_equal(x.rows[i].rec.row, i + 1);
                assert_true(x.rows[i].rec.line > line);
                assert_true(i == 0 || x.rows[i].rec.offset > offset);
                line = x.rows[i].rec.line;
                offset = x.rows[i].rec.offset;
                if ((x.rows[i].rec.flags & ODP_RECORD_SKIP) == 0)
                    assert_int_equal(x.rows[i].rec.count, x.info.ncolumns);
            }
            if (x.opened == ODP_OK && x.batches > 0)
                assert_int_equal(x.source_bytes, x.file_bytes);
            else
                assert_true(x.opened == ODP_BAD || st.st_size < 4096);
            fixture_release(&x);
        }
    }
    closedir(dir);
    return files;
}

static void test_duckdb_all(void **state)
{
    (void)state;
    if (!have("csv/duckdb"))
        skip();
    assert_true(read_folder(ODP_SHARED_DATA "/csv/duckdb") >= 130);
}

static void test_frictionless_all(void **state)
{
    (void)state;
    if (!have("csv/frictionless/data"))
        skip();
    assert_true(read_folder(ODP_SHARED_DATA "/csv/frictionless/data") >= 300);
}

/* Real Indonesian files. */
static void test_islands(void **state)
{
    struct fixture x;
    (void)state;
    if (!have("id/wilayah_idn_area_data"))
        skip();
    fixture_init(&x, "code regency_code coordinate is_populated is_outermost_small name");
    fixture_read(&x, ODP_SHARED_DATA "/id/wilayah_idn_area_data/islands.csv", true);
    assert_int_equal(x.nrows, 16995);
    assert_int_equal(odp_diags_count(x.diags, ODP_SEVERITY_ERROR), 0);
    assert_int_equal(odp_diags_code_count(x.diags, ODP_R04), 16995); /* a bare quote in each row: text, and a warning */
    assert_string_equal(row_text(&x, 0), "11.01.40001|11.01|03°19'03.44\" N 097°07'41.73\" E|0|0|Pulau Batukapal");
    assert_int_equal(x.rows[0].cells[2].flags, 0);
    const struct odp_diag *d = first_fault(&x);
    assert_string_equal(d->field, "coordinate");
    assert_int_equal(d->line, 2);
    assert_int_equal(d->column, 30);
    assert_memory_equal(d->source.ptr + d->mark_start, "\"", 1);
    fixture_release(&x);
}

static void test_third_party_writers(void **state)
{
    static const struct {
        const char *file, *encoding;
        char delimiter;
    } files[] = {{"desa_ngada_cp1252_semicolon_crlf.csv", "windows-1252", ';'},
                 {"desa_ngada_utf16le_tab.txt", "utf-16", '\t'},
                 {"desa_ngada_utf8bom_crlf.csv", "utf-8", ','}};
    struct fixture x[3];
    (void)state;
    if (!have("id/derived_third_party_writers"))
        skip();
    for (int i = 0; i < 3; i++) { /* three writers, one content */
        char path[512];
        fixture_init(&x[i], "code district_code name");
        x[i].resource.encoding = files[i].encoding;
        x[i].resource.encoding_declared = true;
        x[i].resource.dialect.delimiter = files[i].delimiter;
        x[i].resource.dialect.declared = true;
        snprintf(path, sizeof(path), "%s/id/derived_third_party_writers/%s", ODP_SHARED_DATA, files[i].file);
        fixture_read(&x[i], path, true);
        assert_string_equal(faults(&x[i]), "");
        assert_int_equal(x[i].nrows, 194);
        for (size_t k = 0; k < x[i].nrows; k++) {
            char first[4096]; /* as large as the text of a row */
            snprintf(first, sizeof(first), "%s", row_text(&x[0], k));
            assert_string_equal(row_text(&x[i], k), first);
        }
    }
    for (int i = 0; i < 3; i++)
        fixture_release(&x[i]);
}

static void test_preamble(void **state)
{
    static uint32_t header_row[] = {5};
    struct fixture x;
    (void)state;
    if (!have("id/wdi_excerpt"))
        skip();
    const char *path = ODP_SHARED_DATA "/id/wdi_excerpt/wdi_sanitation_preamble.excerpt.csv";
    for (int declared = 0; declared < 2; declared++) {
        fixture_init(&x, "name code year");
        x.fields[0].source_name = "Country Name";
        x.fields[1].source_name = "Country Code";
        x.fields[2].source_name = "2015";
        x.resource.schema.match = ODP_MATCH_SUBSET;
        if (declared)
            x.resource.dialect.header_rows = header_row;
        fixture_read(&x, path, true);
        if (declared) {
            assert_string_equal(faults(&x), "");
            assert_int_equal(x.nrows, 3);
        } else { /* one sentence, with the row to declare */
            assert_string_equal(faults(&x), "H08 1:1");
            assert_true(odp_slice_is(first_fault(&x)->args[1], "5"));
        }
        fixture_release(&x);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_spectrum),   cmocka_unit_test(test_duckdb_facts),
        cmocka_unit_test(test_duckdb_all), cmocka_unit_test(test_frictionless_all),
        cmocka_unit_test(test_islands),    cmocka_unit_test(test_third_party_writers),
        cmocka_unit_test(test_preamble),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
