/* csv-spectrum, read as its authors say. (DuckDB's and Frictionless's suites, and real Indonesian files:
 * tests/e2e.) */
#include "csv_fixture.h"

#include <dirent.h>
#include <jansson.h>

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
    {"location_coordinates",
     "its JSON is not what the file says (an object with another telephone number): wrong upstream"},
};

static void spectrum_file(const char *name)
{
    char path[512], names[512] = "";
    json_error_t error;
    snprintf(path, sizeof(path), "%s/csv/csv-spectrum/json/%s.json", ODP_SHARED_DATA, name);
    json_t *want = json_load_file(path, 0, &error), *cell;
    assert_non_null(want);
    const char *key;
    json_object_foreach(json_array_get(want, 0), key, cell)
        snprintf(names + strlen(names), sizeof(names) - strlen(names), " %s", key);
    FIXTURE(x, names);
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
    json_decref(want);
}

TEST(spectrum)
{
    size_t done = 0, left_out = 0;
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
