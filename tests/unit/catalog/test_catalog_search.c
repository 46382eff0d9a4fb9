/* odp:index, odp:datetime, odp:queryables, odp:timeline: what is read, and every fault in its place. */
#include "catalog_folder.h"

#define HEAD "{'name': 'a', 'title': 'A', 'odp:formats': ['CSV'], 'odp:lastUpdate': '2024-03-15'"
#define FIELDS                                                                                               \
    "{'name': 'x', 'type': 'string', 'title': 'X'}, {'name': 'n', 'type': 'number'}, {'name': 'd', 'type': " \
    "'date'}, {'name': "                                                                                     \
    "'e', 'type': 'date'}, {'name': 't', 'type': 'datetime', 'odp:timeZone': 'Asia/Jakarta'}, {'name': "     \
    "'s', 'type': 'date', "                                                                                  \
    "'sdi:aksesPublik': false}, {'name': 'l', 'type': 'list'}, {'name': 'q1', 'type': 'string', "            \
    "'odp:document': 'dok'}"
#define FIRST "{'name': 'a', 'path': 'a.csv', 'schema': {'fields': [" FIELDS "], 'primaryKey': 'x'}}"
/* Line 2 has the members of the one table; of the second of two; of the dataset. */

/* A key without a target is reported once, at its place. */
TEST(a_bad_key_is_one_fault)
{
    FOLDER(f);
    folder_write(&f, "portal.json", PORTAL);
    folder_json(&f, "a/dataset.json",
                HEAD ", 'resources': [" FIRST
                     ", {'name': 'b', 'path': 'b.csv', 'odp:queryables': [{'key': 'x', 'take': 'n'}], "
                     "'schema': {'fields': [{'name': 'x', 'type': 'string'}],\n'foreignKeys': [{'fields': "
                     "'x', 'reference': {'resource': 'aa', 'fields': 'x'}}]}}]}");
    must_refuse(folder_open(&f));
    assert_string_equal(folder_faults(&f), "C07 a/b 2:59 aa|a, b\n");
}

TEST(what_is_read)
{
    FOLDER(f);
    folder_write(&f, "portal.json", PORTAL);
    folder_json(&f, "a/dataset.json",
                HEAD
                ", 'odp:index': ['n', ['x', 'd']], 'odp:datetime': ['d', 'e'], 'odp:queryables': [{'name': "
                "'p', 'field': 'x', 'prefix': 2}], 'resources': [" FIRST
                ",\n{'name': 'b', 'path': 'b.csv', 'odp:datetime': 'm', 'odp:queryables': [\n"
                "{'key': ['k'], 'take': 'x'},\n"
                "{'key': ['k'], 'take': 'n', 'name': 'nilai', 'title': {'id': 'Nilai', 'en': 'Value'}},\n"
                "{'name': 'kode', 'title': 'Kode', 'field': 'x', 'prefix': 5}, {'name': 'awal', 'field': "
                "'kode', 'prefix': 2}],\n"
                "'odp:timeline': {'project': 'k', 'milestone': 'u', 'planned': 'r', 'actual': 'b', 'date': "
                "'tanggal', 'delay': 'lambat'}, 'schema': {'fields': [{'name': 'k', 'type': 'string'}, "
                "{'name': 'u', 'type': 'integer'}, {'name': 'r', 'type': 'date'}, {'name': 'b', 'type': "
                "'date'}, {'name': 'm', 'type': 'datetime', 'odp:timeZone': 'Asia/Jakarta'}], 'foreignKeys': "
                "[{'fields': 'k', 'reference': {'resource': 'a', 'fields': 'x'}}]}},\n"
                "{'name': 'c', 'path': 'c.csv', 'odp:index': false, 'schema': {'fields': [{'name': 'd', "
                "'type': 'date'}]}}]}");
    if (folder_open(&f) != ODP_OK)
        fail_msg("%s", folder_faults(&f));
    const struct odp_resource *r = odp_catalog_find(f.catalog, "a")->resources;
    assert_true(!r[0].no_search && !r[1].no_search && r[2].no_search);
    assert_int_equal(r[0].nindexes, 2);
    assert_true(r[0].indexes[0].n == 1 && r[0].indexes[0].fields[0] == 1);
    assert_true(r[0].indexes[1].n == 2 && r[0].indexes[1].fields[0] == 0 && r[0].indexes[1].fields[1] == 2);
    assert_true(r[0].datetime[0] == 2 && r[0].datetime[1] == 3);
    assert_true(r[0].timeline == NULL && r[0].nqueryables == 1);
    const struct odp_queryable *q = r[0].queryables;
    assert_string_equal(q->name, "p");
    assert_true(q->kind == ODP_QUERYABLE_PREFIX && q->type == ODP_TYPE_STRING && q->field == 0 &&
                q->queryable == -1 && q->prefix == 2);
    assert_true(q->key == NULL && q->take == -1);

    assert_true(r[1].nindexes == 0 && r[1].datetime[0] == 4 && r[1].datetime[1] == 4);
    assert_int_equal(r[1].nqueryables, 4);
    q = r[1].queryables;
    assert_string_equal(q[0].name, "x");
    assert_string_equal(odp_text_get(&q[0].title, ODP_LANG_EN), "X"); /* the field's own */
    assert_true(q[0].kind == ODP_QUERYABLE_TAKEN && q[0].type == ODP_TYPE_STRING && q[0].take == 0 &&
                q[0].field == -1);
    assert_ptr_equal(q[0].key, &r[1].foreign[0]);
    assert_ptr_equal(q[0].key->target, &r[0]);
    assert_string_equal(q[0].where, "dataset.json:3");
    assert_string_equal(q[1].name, "nilai");
    assert_string_equal(odp_text_get(&q[1].title, ODP_LANG_EN), "Value");
    assert_true(q[1].type == ODP_TYPE_NUMBER && q[1].take == 1);
    assert_string_equal(q[2].name, "kode");
    assert_true(q[2].kind == ODP_QUERYABLE_PREFIX && q[2].field == -1 && q[2].queryable == 0 &&
                q[2].prefix == 5);
    assert_true(q[3].queryable == 2 && q[3].prefix == 2);
    const struct odp_timeline *t = r[1].timeline;
    assert_non_null(t);
    assert_true(t->project == 0 && t->milestone == 1 && t->planned == 2 && t->actual == 3);
    assert_string_equal(t->date, "tanggal");
    assert_string_equal(t->delay, "lambat");
    assert_true(r[2].datetime[0] == -1 && r[2].datetime[1] == -1 && r[2].nqueryables == 0 &&
                r[2].timeline == NULL);
}

/* So many lists and columns, no more. */
TEST(bounds)
{
    BUFFER(text);
    FOLDER(f);
    folder_write(&f, "portal.json", PORTAL);
    for (int most = 50; most <= 51; most++) {
        odp_buffer_clear(&text);
        odp_buffer_add_str(
            &text,
            HEAD ", 'resources': [" FIRST
                 ", {'name': 'b', 'path': 'b.csv', 'schema': {'fields': [{'name': 'x', 'type': 'string'}]},\n"
                 "'odp:queryables': [");
        for (int i = 0; i < most; i++)
            odp_buffer_printf(&text, "%s{'name': 'q%d', 'field': 'x', 'prefix': 1}", i > 0 ? "," : "", i);
        odp_buffer_add_str(&text, "]}]}");
        folder_json(&f, "a/dataset.json", odp_buffer_cstr(&text));
        assert_int_equal(folder_open(&f), most == 50 ? ODP_OK : ODP_BAD);
        assert_string_equal(folder_faults(&f), most == 50 ? "" : "C04 a/b 2:19 odp:queryables|[…] ≤ 50\n");
    }
}
