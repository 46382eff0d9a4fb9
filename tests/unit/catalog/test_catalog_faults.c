/* Every fault of a catalogue has its code and its place, one fault one report, and hostile JSON is only
 * refused. */
#include "catalog_folder.h"

#define HEAD                                                                                                 \
    "{\"name\": \"a\", \"title\": \"A\", \"odp:formats\": [\"CSV\"], \"odp:lastUpdate\": \"2024-03-15\",\n"
#define TABLE(more) "\"resources\": [{\"name\": \"t\", \"path\": \"t.csv\"" more "\n"
#define FIELD       "{\"name\": \"x\", \"type\": \"string\"}"
#define SCHEMA      ", \"schema\": {\"fields\": [" FIELD "]}"
#define END         "}]}"
/* A dataset whose only field has the members MORE; the field stands on line 3. */
#define ONE(more) HEAD TABLE(", \"schema\": {\"fields\": [") "{\"name\": \"x\"" more "}]}" END

TEST(a_bad_target_gives_no_second_report)
{
    static const char child[] =
        "{\"name\": \"b\", \"title\": \"B\", \"odp:formats\": [\"CSV\"], \"odp:lastUpdate\": \"2024-03-15\", "
        "\"resources\": [{\"name\": \"t\",\n"
        "\"path\": \"t.csv\"" SCHEMA ", \"odp:foreignKeys\": [{\"fields\": \"x\", \"reference\": "
        "{\"dataset\": \"a\", \"fields\": \"x\"}}]}]}";
    FOLDER(f);
    folder_write(&f, "portal.json", PORTAL);
    folder_write(&f, "b/dataset.json", child);
    folder_write(&f, "a/dataset.json", "{");
    must_refuse(folder_open(&f));
    assert_int_equal(odp_diags_count(f.diags, ODP_SEVERITY_ERROR), 1);
    assert_int_equal(f.catalog->ndatasets, 1);
    assert_int_equal(f.catalog->datasets[0].resources[0].nforeign, 0);
    /* Types that cannot be equal, and a name nearly right. */
    folder_write(&f, "a/dataset.json", ONE(", \"type\": \"integer\""));
    must_refuse(folder_open(&f));
    assert_string_equal(folder_faults(&f), "C15 b/t 2:95 x (string) → x (integer)|integer\n");
}

TEST(files_that_are_missing_or_wrong)
{
    FOLDER(f);
    must_refuse(folder_open(&f));
    assert_string_equal(folder_faults(&f), "C02 0:0 ENOENT|\n");
    assert_non_null(f.catalog);
    folder_write(&f, "portal.json", "\xef\xbb\xbf" PORTAL); /* a byte order mark is no fault */
    must(folder_open(&f));
    folder_write(&f, "changes.json",
                 "{\"releases\": [{\"version\": \"2.1\", \"date\": \"x\", \"changes\": []}]}");
    folder_write(&f, "portal.json",
                 "{\"title\": \"P\", \"publisher\": \"K\", \"baseUrl\": \"data.example.go.id\", \"tiers\": "
                 "[{\"name\": \"public\"}]}");
    must_refuse(folder_open(&f));
    assert_string_equal(folder_faults(&f), "C05 1:45 baseUrl|https://…/\nC03 1:77 daily|integer, null\nC03 "
                                           "1:77 burst|integer\nC03 1:77 concurrent|integer\n"
                                           "C04 1:42 date|YYYY-MM-DD\nC04 1:27 version|x.y.z: 2.5.0\n");
    folder_write(&f, "references", "a file where a folder should be");
    folder_write(&f, "portal.json", PORTAL);
    folder_write(&f, "changes.json", "{\"releases\": []}");
    must_refuse(folder_open(&f));
    assert_int_equal(odp_diags_code_count(f.diags, ODP_C02), 1);
    folder_close(&f);
    struct folder none = {.dir = "/nonexistent/catalog"};
    must_refuse(folder_open(&none));
    assert_int_equal(odp_diags_code_count(none.diags, ODP_I06), 1);
    folder_close(&none);
    odp_buffer_release(&none.faults);
}

TEST(subjects_without_a_portal)
{
    FOLDER(f);
    folder_json(&f, "a/dataset.json", "{'name': 'a', 'odp:subjects': ['air']}");
    must_refuse(folder_open(&f));
    assert_int_equal(odp_diags_code_count(f.diags, ODP_C02), 1);
    assert_int_equal(odp_diags_code_count(f.diags, ODP_C27), 0);
    folder_write(&f, "portal.json", PORTAL);
    must_refuse(folder_open(&f));
    assert_int_equal(odp_diags_code_count(f.diags, ODP_C27), 1);
}

/* Every file of a suite of valid, invalid and doubtful JSON, as dataset.json: refused or reported, never
 * worse. */
TEST(hostile_json)
{
    static const char suite[] = ODP_SHARED_DATA "/json/JSONTestSuite/test_parsing";
    ARENA(a);
    BUFFER(text);
    const char **names;
    size_t n;
    if (odp_file_kind_of(suite) != ODP_FILE_FOLDER) {
        print_message("third-party data json/JSONTestSuite is not on this machine\n");
        skip();
    }
    FOLDER(f);
    folder_write(&f, "portal.json", PORTAL);
    must(odp_dir_list(suite, &a, &names, &n));
    assert_true(n > 100);
    for (size_t i = 0; i < n; i++) {
        odp_buffer_clear(&text);
        must(odp_file_read(odp_path_join(&a, suite, names[i]), 1U << 24, &text, NULL));
        folder_put(&f, "a/dataset.json", text.ptr != NULL ? text.ptr : "", text.len);
        must_refuse(folder_open(&f));
        assert_int_equal(f.catalog->ndatasets, 0);
        if (strncmp(names[i], "n_", 2) == 0 && odp_diags_code_count(f.diags, ODP_C01) != 1)
            print_error("%s\n%s", names[i], folder_faults(&f));
        if (strncmp(names[i], "n_", 2) == 0)
            assert_int_equal(odp_diags_code_count(f.diags, ODP_C01), 1);
    }
}

/* A right descriptor with each value in turn replaced by every kind of wrong value. */
TEST(wrong_types_everywhere)
{
    static const char *const wrong[] = {
        "null",          "true", "-1", "1e308",    "9223372036854775807",   "\"\"",
        "\"\\u0007é\"",  "[]",   "{}", "[[[[]]]]", "{\"id\": {\"id\": 1}}", "\"references/@\"",
        "[\"x\", \"x\"]"};
    BUFFER(file);
    BUFFER(text);
    FOLDER(f);
    must(odp_file_read(ODP_TESTS_DIR "/unit/catalog/every_member.json", 1 << 16, &file, NULL));
    const char *right = odp_buffer_cstr(&file);
    folder_write(&f, "portal.json", PORTAL);
    folder_write(&f, "a/dataset.json", right);
    if (folder_open(&f) != ODP_OK)
        fail_msg("%s", folder_faults(&f));
    size_t tried = 0;
    for (const char *p = strchr(right, ':'); p != NULL; p = strchr(p + 1, ':')) {
        const char *start = p + 2, *end = start;
        if (p[-1] != '"' || p[1] != ' ')
            continue;
        int depth = 0;
        bool quoted = false;
        for (; depth > 0 || quoted || strchr(",]}", *end) == NULL; end++) {
            quoted = *end == '"' ? !quoted : quoted;
            if (!quoted)
                depth += (*end == '[' || *end == '{') - (*end == ']' || *end == '}');
        }
        for (size_t i = 0; i < ODP_COUNT(wrong); i++, tried++) {
            odp_buffer_clear(&text);
            odp_buffer_add(&text, right, (size_t)(start - right));
            odp_buffer_add_str(&text, wrong[i]);
            odp_buffer_add_str(&text, end);
            folder_put(&f, "a/dataset.json", text.ptr, text.len);
            enum odp_status status = folder_open(&f);
            assert_true(status == ODP_OK || status == ODP_BAD);
            assert_true((status == ODP_BAD) == (odp_diags_count(f.diags, ODP_SEVERITY_ERROR) > 0));
            assert_int_equal(odp_diags_code_count(f.diags, ODP_C01), 0);
        }
    }
    assert_true(tried > 500);
}
