/* odp:charts, odp:print, odp:document: what is read, and every fault in its place. */
#include "catalog_folder.h"

#define HEAD "{'name': 'a', 'title': 'A', 'odp:formats': ['CSV'], 'odp:lastUpdate': '2024-03-15'"
#define FIELDS                                                                                               \
    "{'name': 'x', 'type': 'string'}, {'name': 'n', 'type': 'number'}, {'name': 'i', 'type': 'integer'}, "   \
    "{'name': 't', 'type': 'yearmonth'}, {'name': 'o', 'type': 'string', 'categories': ['a', 'b'], "         \
    "'categoriesOrdered': "                                                                                  \
    "true}, {'name': 's', 'type': 'integer', 'sdi:aksesPublik': false}, {'name': 'l', 'type': 'list'}"
/* Members of the dataset on line 2, of a chart on line 3, of a table on line 4. */
/* The field d is on line 3. */

/* The same fault is not told twice where a field's type is wrong itself. */
TEST(a_wrong_type_is_one_fault)
{
    FOLDER(f);
    folder_write(&f, "portal.json", PORTAL);
    folder_json(&f, "a/dataset.json",
                HEAD ",\n'odp:charts': [{'name': 'c', 'title': 'C', 'type': 'bar', 'category': 'x', 'value': "
                     "'n'}], 'resources': [{'name': 'a', 'path': 'a.csv', 'schema': {'fields': [{'name': "
                     "'x', 'type': 'string'},\n{'name': 'n', 'type': 'desimal'}]}}]}");
    must_refuse(folder_open(&f));
    assert_string_equal(folder_faults(&f),
                        "C05 a/a.n 3:23 type|string, number, integer, boolean, date, time, datetime, year, "
                        "yearmonth, duration, list, geopoint, geojson, object, array, any\n");
}

/* Charts and slices of all tables of the dataset: names are unique and the number is bounded. */
TEST(charts_of_all_tables)
{
#define SMALL  "'path': 'a.csv', 'schema': {'fields': [{'name': 'x', 'type': 'string'}]}"
#define BAR(n) "{'name': '" n "', 'title': 'T', 'type': 'bar', 'category': 'x'}"
    BUFFER(text);
    FOLDER(f);
    folder_write(&f, "portal.json", PORTAL);
    folder_json(&f, "a/dataset.json",
                HEAD ", 'odp:charts': [" BAR("p") ", " BAR(
                    "q") "], 'resources': [{'name': 'a', " SMALL "}, {'name': 'b', " SMALL
                         "},\n{'name': 'c', " SMALL ", 'odp:charts': [" BAR("r") ", " BAR("q") "]}]}");
    must_refuse(folder_open(&f));
    assert_string_equal(folder_faults(&f), "C08 a/c 2:174 q|\n");
    for (int most = 200; most <= 201; most++) {
        odp_buffer_clear(&text);
        odp_buffer_add_str(&text, HEAD ", 'resources': [{'name': 'a', " SMALL ", 'odp:charts': [" BAR(
                                      "p") "]},\n{'name': 'b', " SMALL ", 'odp:charts': [");
        for (int i = 1; i < most; i++)
            odp_buffer_printf(&text, "%s{'name': 'b%d', 'title': 'T', 'type': 'bar', 'category': 'x'}",
                              i > 1 ? "," : "", i);
        odp_buffer_add_str(&text, "]}]}");
        folder_json(&f, "a/dataset.json", odp_buffer_cstr(&text));
        assert_int_equal(folder_open(&f), most == 200 ? ODP_OK : ODP_BAD);
        assert_string_equal(folder_faults(&f), most == 200 ? "" : "C04 a/b 2:103 odp:charts|[…] ≤ 200\n");
    }
}

TEST(what_is_read)
{
    FOLDER(f);
    folder_write(&f, "portal.json", PORTAL);
    folder_json(
        &f, "a/dataset.json",
        HEAD
        ", 'odp:charts': [\n"
        "{'name': 'satu', 'title': {'id': 'Judul', 'en': 'Title'}, 'description': 'D', 'type': 'bar', "
        "'category': 'x', 'value': 'n'},\n"
        "{'name': 'dua', 'title': 'T', 'type': 'line', 'category': 't', 'series': 'x', 'value': 'n', "
        "'aggregate': 'mean'},\n"
        "{'name': 'tiga', 'title': 'T', 'type': 'stacked', 'category': 't', 'series': 'o', 'top': 0, 'sort': "
        "'category'},\n"
        "{'name': 'empat', 'title': 'T', 'type': 'map', 'value': 'i'}], 'odp:print': {'records': 5},\n"
        "'resources': [{'name': 'a', 'path': 'a.csv', 'odp:geometry': {'lon': 'n', 'lat': 'n'}, 'schema': "
        "{'fields': [" FIELDS "], 'primaryKey': 'x'}},\n"
        "{'name': 'b', 'path': 'b.csv', 'odp:print': {'layout': 'entries', 'heading': ['i', 'x'], 'title': "
        "'o', 'status': 't', 'group': 'n', 'records': 7}, 'odp:charts': [{'name': 'lima', 'title': 'T', "
        "'type': 'map'}], 'odp:geometry': {'lon': 'n', 'lat': 'n'}, 'schema': {'fields': [" FIELDS
        ", {'name': 'd', 'type': 'string', 'odp:document': {'folder': 'a/dok', 'pages': 'i'}}, {'name': 'e', "
        "'type': 'string', 'odp:document': 'dok'}]}},\n"
        "{'name': 'c', 'path': 'c.csv', 'schema': {'fields': [{'name': 'x', 'type': 'string'}]}}]}");
    if (folder_open(&f) != ODP_OK)
        fail_msg("%s", folder_faults(&f));
    const struct odp_resource *r = odp_catalog_find(f.catalog, "a")->resources;
    assert_int_equal(r[0].ncharts, 4);
    assert_int_equal(r[1].ncharts, 1);
    assert_int_equal(r[2].ncharts, 0);
    const struct odp_chart *c = r[0].charts;
    assert_string_equal(c[0].name, "satu");
    assert_string_equal(odp_text_get(&c[0].title, ODP_LANG_EN), "Title");
    assert_string_equal(odp_text_get(&c[0].description, ODP_LANG_ID), "D");
    assert_string_equal(c[0].where, "dataset.json:2");
    assert_true(c[0].type == ODP_CHART_BAR && c[0].category == 0 && c[0].series == -1 && c[0].value == 1);
    assert_true(c[0].aggregate == ODP_CHART_SUM && c[0].top == 12 && c[0].by_value);
    assert_true(c[1].type == ODP_CHART_LINE && c[1].category == 3 && c[1].series == 0 && c[1].value == 1);
    assert_true(c[1].aggregate == ODP_CHART_MEAN && c[1].top == 0 && !c[1].by_value);
    assert_true(*odp_text_get(&c[1].description, ODP_LANG_ID) == 0);
    assert_true(c[2].type == ODP_CHART_STACKED && c[2].category == 3 && c[2].series == 4 && c[2].value == -1);
    assert_true(c[2].aggregate == ODP_CHART_COUNT && c[2].top == 0 && !c[2].by_value);
    assert_true(c[3].type == ODP_CHART_MAP && c[3].category == -1 && c[3].series == -1 && c[3].value == 2 &&
                !c[3].by_value);
    assert_string_equal(r[1].charts[0].name, "lima");
    assert_true(r[1].charts[0].category == -1 && r[1].charts[0].value == -1);
    const struct odp_print_spec *p = &r[0].print;
    assert_true(p->layout == ODP_PRINT_TABLE && p->heading.n == 0 && p->title == -1 && p->status == -1 &&
                p->group == -1);
    assert_int_equal(p->records, 5);
    p = &r[1].print;
    assert_true(p->layout == ODP_PRINT_ENTRIES && p->heading.n == 2 && p->heading.fields[0] == 2 &&
                p->heading.fields[1] == 0);
    assert_true(p->title == 4 && p->status == 3 && p->group == 1 && p->records == 7);
    p = &r[2].print; /* the dataset's is of its first table alone */
    assert_true(p->layout == ODP_PRINT_TABLE && p->title == -1 && p->status == -1 && p->group == -1 &&
                p->records == 10000);
    const struct odp_field *fields = r[1].schema.fields;
    assert_null(fields[0].document);
    assert_string_equal(fields[7].document->folder, "a/dok");
    assert_int_equal(fields[7].document->pages, 2);
    assert_string_equal(fields[8].document->folder, "dok");
    assert_int_equal(fields[8].document->pages, -1);
}

/* A table's own stands instead of the dataset's. */
TEST(own_before_the_datasets)
{
    FOLDER(f);
    folder_write(&f, "portal.json", PORTAL);
    folder_json(
        &f, "a/dataset.json",
        HEAD ", 'odp:charts': [" BAR("p") "], 'odp:print': {'records': 5}, 'resources': [{'name': 'a', " SMALL
                                          ", 'odp:charts': [" BAR("q") "], 'odp:print': {'records': 6}}]}");
    if (folder_open(&f) != ODP_OK)
        fail_msg("%s", folder_faults(&f));
    const struct odp_resource *r = odp_catalog_find(f.catalog, "a")->resources;
    assert_int_equal(r->ncharts, 1);
    assert_string_equal(r->charts[0].name, "q");
    assert_int_equal(r->print.records, 6);
}
