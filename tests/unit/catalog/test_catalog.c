/* The catalogue in whole/ is read: every part of the structures of catalog.h and schema.h. */
#include "catalog_folder.h"

#include <math.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

static int setup(void **state)
{
    static struct folder f = FOLDER_OF("whole");
    odp_buffer_init(&f.faults);
    enum odp_status status = folder_open(&f);
    assert_string_equal(folder_faults(&f), "");
    must(status);
    *state = &f;
    return 0;
}

static int teardown(void **state)
{
    folder_release(*state);
    return 0;
}

static const struct odp_catalog *catalog_of(void **state)
{
    return ((struct folder *)*state)->catalog;
}

static void assert_slice(struct odp_slice s, const char *text)
{
    assert_non_null(s.ptr);
    assert_int_equal(s.len, strlen(text));
    assert_memory_equal(s.ptr, text, s.len);
}

TEST(portal_and_history)
{
    const struct odp_catalog *c = catalog_of(state);
    const struct odp_portal *p = &c->portal;
    assert_string_equal(odp_text_get(&p->title, ODP_LANG_EN), "Data Portal");
    assert_string_equal(odp_text_get(&p->publisher, ODP_LANG_EN), "Kementerian");
    assert_string_equal(p->base_url, "https://data.example.go.id/");
    assert_string_equal(p->time_zone, "Asia/Makassar");
    assert_string_equal(p->license_name, "CC-BY-4.0");
    assert_int_equal(p->page_records, 500);
    assert_int_equal(p->page_bytes, 1048576);
    assert_true(p->has_bbox && fabs(p->bbox[1] + 11.5) < 1e-12);
    assert_int_equal(p->ntiers, 3);
    assert_int_equal(p->tiers[0].daily, 1000);
    assert_int_equal(p->tiers[1].daily, -1);
    assert_int_equal(p->tiers[0].webhooks, ODP_WEBHOOKS_UNSAID);
    assert_int_equal(p->tiers[1].webhooks, ODP_WEBHOOKS_ANY);
    assert_int_equal(p->tiers[2].webhooks, 0);
    assert_int_equal(c->nreleases, 2);
    assert_string_equal(c->releases[0].version, "2.10.0");
    assert_int_equal(c->releases[0].nchanges, 2);
    assert_string_equal(c->releases[0].changes[0].in[ODP_LANG_EN], "c");
}

TEST(datasets_in_order)
{
    const struct odp_catalog *c = catalog_of(state);
    assert_int_equal(c->ndatasets, 3);
    assert_string_equal(c->datasets[0].slug, "proyek");
    const struct odp_dataset *d = &c->datasets[1];
    assert_string_equal(d->slug, "kumuh");
    assert_string_equal(d->title.in[ODP_LANG_ID], "Peta kumuh");
    assert_string_equal(d->title.in[ODP_LANG_EN], "Slum map");
    assert_int_equal(d->formats.n, 2);
    assert_slice(d->formats.item[0], "GeoJSON");
    assert_null(d->last_update);
    assert_int_equal(d->last_update_field, 4);
    assert_int_equal(d->state, ODP_STATE_DEPRECATED);
    assert_string_equal(d->frequency, "ANNUAL_2");
    assert_string_equal(c->datasets[0].last_update, "2024-03-15");
    assert_ptr_equal(odp_catalog_find(c, "references/kabkota"), &c->datasets[2]);
    assert_ptr_equal(odp_catalog_find(c, "kabkota"), &c->datasets[2]);
    assert_null(odp_catalog_find(c, "references/kumuh"));
    assert_string_equal(odp_catalog_nearest(c, "kumhu"), "kumuh");
    assert_null(odp_catalog_nearest(c, "anggaran"));
    assert_ptr_equal(c->resources[0]->dataset, &c->datasets[0]);
}

/* Published like a dataset: the newest edition first, under the list's name. */
TEST(code_list)
{
    const struct odp_catalog *c = catalog_of(state);
    const struct odp_dataset *d = &c->datasets[2];
    assert_int_equal(c->nlists, 1);
    assert_true(d->reference);
    assert_string_equal(d->slug, "kabkota");
    assert_string_equal(d->path, "references/kabkota");
    assert_string_equal(d->title.in[ODP_LANG_EN], "kabkota");
    assert_string_equal(d->last_update, "2025-04-25");
    assert_int_equal(d->formats.n, 2);
    assert_slice(d->formats.item[0], "CSV");
    assert_slice(d->formats.item[1], "JSON");
    assert_string_equal(d->resources[0].name, "kabkota");
    assert_string_equal(d->resources[0].edition, "2025-04-25");
    assert_true(d->resources[0].primary && !d->resources[0].no_search);
    assert_string_equal(d->resources[1].name, "2022");
    assert_string_equal(d->resources[1].edition, "2022");
    assert_false(d->resources[1].primary);
}

TEST(resource_and_dialect)
{
    const struct odp_resource *r = &catalog_of(state)->datasets[1].resources[0];
    assert_string_equal(r->path, "sumber/kumuh.shp");
    assert_string_equal(r->encoding, "windows-1252");
    assert_int_equal(r->bytes, 12);
    assert_true(r->primary && r->has_private);
    assert_string_equal(r->where, "dataset.json:4");
    assert_int_equal(r->dialect.delimiter, ';');
    assert_int_equal(r->dialect.nheader_rows, 2);
    assert_int_equal(r->dialect.header_rows[0], 2);
    assert_int_equal(r->dialect.ncomment_rows, 1);
    assert_string_equal(r->dialect.line_terminator, "\n");
    assert_string_equal(r->dialect.null_sequence, "\\N");
    assert_true(r->geometry.present && !r->geometry.required && r->geometry.check_valid &&
                r->geometry.csv_wkt && r->geometry.has_bbox);
    assert_int_equal(r->geometry.types, ODP_GEOM_BIT_POLYGON | ODP_GEOM_BIT_MULTIPOLYGON);
    assert_int_equal(r->geometry.api, ODP_GEOMETRY_NONE);
    assert_int_equal(r->severity[ODP_W01], ODP_SEVERITY_ERROR);
    assert_int_equal(r->severity[ODP_R09], ODP_SEVERITY_OFF);
    assert_int_equal(r->severity[ODP_T01], -1);
    assert_int_equal(r->nrules, 1);
    assert_slice(r->rules[0].expr, "luas_ha > 0");
    assert_int_equal(r->rules[0].severity, ODP_SEVERITY_WARNING);
    assert_int_equal(r->rules[0].line, 25);
    assert_int_equal(r->rules[0].column, 43);
    const struct odp_resource *plain = &catalog_of(state)->datasets[0].resources[0];
    assert_false(plain->geometry.present || plain->dialect.declared || plain->encoding_declared);
    assert_int_equal(plain->severity[ODP_C39], ODP_SEVERITY_OFF); /* of portal.json */
    assert_int_equal(plain->bytes, -1);
    assert_int_equal(plain->dialect.header_rows[0], 1);
}

TEST(fields_and_constraints)
{
    const struct odp_schema *s = &catalog_of(state)->datasets[1].resources[0].schema;
    assert_int_equal(s->n, 10);
    assert_int_equal(s->match, ODP_MATCH_SUBSET);
    assert_int_equal(s->primary.n, 1);
    assert_int_equal(s->nunique, 1);
    assert_int_equal(s->unique[0].fields[1], 4);
    const struct odp_field *f = &s->fields[2];
    assert_string_equal(f->where, "dataset.json:13");
    assert_int_equal(f->decimal.group, '.');
    assert_slice(f->constraints.minimum, "0.010"); /* the literal, not what a double makes of it */
    assert_slice(f->constraints.maximum, "2000.50");
    assert_slice(f->constraints.enumeration.item[1], "7.5");
    assert_string_equal(f->unit.in[ODP_LANG_EN], "hectare");
    assert_int_equal(f->missing.n, 2);
    assert_slice(f->missing.item[1], "-");
    assert_int_equal(f->constraints.min_length, -1);
    assert_string_equal(s->fields[1].source_name, "KODE_KAB");
    assert_true(s->fields[1].trim);
    assert_int_equal(s->fields[3].ncategories, 2);
    assert_string_equal(s->fields[3].categories[1].label.in[ODP_LANG_EN], "Heavy");
    assert_true(s->fields[3].categories_ordered);
    assert_slice(s->fields[3].missing.item[0], "n/a");
    assert_slice(s->fields[4].constraints.minimum, "1999-12-31");
    assert_slice(s->fields[4].constraints.maximum, "2100-01-01");
    assert_false(s->fields[5].is_public);
    assert_true(s->fields[6].privacy_allowed[3] && !s->fields[6].privacy_allowed[4]);
    assert_slice(s->fields[7].constraints.enumeration.item[1], "false");
    assert_slice(s->fields[8].constraints.minimum, "1945");
    assert_int_equal(s->fields[9].list_delimiter, '|');
    assert_int_equal(s->fields[9].list_item, ODP_TYPE_INTEGER);
    assert_slice(s->fields[9].constraints.enumeration.item[0], "[1,2]");
    assert_int_equal(odp_schema_find(s, ODP_LIT("tahun")), 8);
    assert_int_equal(odp_schema_find(s, ODP_LIT("Tahun")), -1);
}

/* The last name of the list comes first, and each comes twice: room follows from the list. */
TEST(all_formats)
{
    BUFFER(text);
    FOLDER(f);
    for (int round = 0; round < 2; round++) {
        odp_buffer_clear(&text);
        odp_buffer_add_str(&text, "{\"name\": \"a\", \"title\": \"A\", \"odp:lastUpdate\": \"2024-03-15\","
                                  "\"resources\": [{\"name\": \"t\", \"path\": \"t.shp\","
                                  "\"schema\": {\"fields\": [{\"name\": \"x\"}]}}], \"odp:formats\": [");
        for (int k = 0; k <= round; k++)
            for (size_t i = ODP_FORMATS; i-- > 0;)
                odp_buffer_printf(&text, "\"%s\"%s", odp_format_names[i], k < round || i > 0 ? ", " : "]}");
        folder_write(&f, "portal.json", PORTAL);
        folder_put(&f, "a/dataset.json", text.ptr, text.len);
        assert_int_equal(folder_open(&f), round == 0 ? ODP_OK : ODP_BAD);
        if (round == 0) {
            const struct odp_strings *formats = &f.catalog->datasets[0].formats;
            assert_int_equal(formats->n, ODP_FORMATS);
            assert_slice(formats->item[ODP_FORMATS - 1], odp_format_names[0]);
        }
    }
    size_t twice = 0;
    for (const char *p = folder_faults(&f); (p = strstr(p, "C08 a")) != NULL; p++)
        twice++;
    assert_int_equal(twice, ODP_FORMATS);
}

static bool matches(const void *code, const char *text)
{
    pcre2_match_data *data = pcre2_match_data_create_from_pattern(code, NULL);
    assert_non_null(data);
    int n = pcre2_match(code, (PCRE2_SPTR)text, strlen(text), 0, 0, data, NULL);
    pcre2_match_data_free(data);
    return n > 0;
}

TEST(pattern_is_xsd)
{
    const void *code = catalog_of(state)->datasets[1].resources[0].schema.fields[0].constraints.pattern_code;
    assert_non_null(code);
    assert_true(matches(code, "12"));
    assert_true(matches(code, "xyz"));
    assert_false(matches(code, "xaz")); /* subtracted */
    assert_false(matches(code, "123")); /* the whole value */
    assert_false(matches(code, "12\n"));
}

TEST(keys_and_order)
{
    const struct odp_catalog *c = catalog_of(state);
    const struct odp_resource *r = &c->datasets[1].resources[0], *timeline = &c->datasets[0].resources[0];
    assert_int_equal(r->nforeign, 2);
    assert_ptr_equal(r->foreign[0].target, &c->datasets[2].resources[0]);
    assert_ptr_equal(r->foreign[1].target, &c->datasets[2].resources[0]);
    assert_string_equal(r->foreign[0].label, "references/kabkota (2025-04-25)");
    assert_string_equal(r->foreign[0].where, "dataset.json:23");
    assert_int_equal(timeline->nforeign, 2);
    assert_ptr_equal(timeline->foreign[0].target, &c->datasets[0].resources[1]);
    assert_ptr_equal(timeline->foreign[1].target, timeline);
    assert_string_equal(timeline->foreign[0].label, "proyek/proyek");
    /* proyek/timeline, proyek/proyek, kumuh/kawasan, 2025, 2022: targets first, and all editions. */
    static const size_t expected[] = {1, 0, 3, 4, 2};
    assert_int_equal(c->nresources, 5);
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(c->order[i]->index, expected[i]);
}

TEST(sources)
{
    const struct odp_catalog *c = catalog_of(state);
    ARENA(a);
    char own[160];
    snprintf(own, sizeof own, "%s/kumuh/sumber/kumuh.shp", c->dir);
    assert_string_equal(odp_resource_source(&c->datasets[1].resources[0], NULL, &a), own);
    assert_string_equal(odp_resource_source(&c->datasets[1].resources[0], "masuk", &a),
                        "masuk/kumuh/sumber/kumuh.shp");
    snprintf(own, sizeof own, "%s/references/kabkota/2022.csv", c->dir);
    assert_string_equal(odp_resource_source(&c->datasets[2].resources[1], "masuk", &a), own);
}

AROUND(setup, teardown)
