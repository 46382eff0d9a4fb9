/* odp:index, odp:datetime, odp:queryables, odp:timeline: what is read, and every fault in its place. */
#include "catalog_folder.h"

/* Descriptors are written with ' for ". */
static void put(const struct folder *f, const char *path, const char *text)
{
    char *json = strdup(text);
    assert_non_null(json);
    for (char *p = json; *p != '\0'; p++)
        *p = *p == '\'' ? '"' : *p;
    folder_write(f, path, json);
    free(json);
}

#define HEAD "{'name': 'a', 'title': 'A', 'odp:formats': ['CSV'], 'odp:lastUpdate': '2024-03-15'"
#define FIELDS                                                                                                                 \
    "{'name': 'x', 'type': 'string', 'title': 'X'}, {'name': 'n', 'type': 'number'}, {'name': 'd', 'type': 'date'}, {'name': " \
    "'e', 'type': 'date'}, {'name': 't', 'type': 'datetime', 'odp:timeZone': 'Asia/Jakarta'}, {'name': 's', 'type': 'date', "  \
    "'sdi:aksesPublik': false}, {'name': 'l', 'type': 'list'}, {'name': 'q1', 'type': 'string', 'odp:document': 'dok'}"
#define FIRST "{'name': 'a', 'path': 'a.csv', 'schema': {'fields': [" FIELDS "], 'primaryKey': 'x'}}"
/* Line 2 has the members of the one table; of the second of two; of the dataset. */
#define TABLE(more)                                                                                                            \
    HEAD ", 'resources': [{'name': 'a', 'path': 'a.csv', 'schema': {'fields': [" FIELDS "], 'primaryKey': 'x'},\n" more "}]}"
#define SECOND(more)                                                                                                           \
    HEAD ", 'resources': [" FIRST ", {'name': 'b', 'path': 'b.csv', 'schema': {'fields': [{'name': 'x', 'type': 'string'}, "   \
         "{'name': 'p', 'type': 'string', 'sdi:aksesPublik': false}, {'name': 'y', 'type': 'string'}, {'name': 'z', 'type': "  \
         "'number'}], 'primaryKey': 'x', 'foreignKeys': [{'fields': 'x', 'reference': {'resource': 'a', 'fields': 'x'}}, "     \
         "{'fields': 'p', 'reference': {'resource': 'a', 'fields': 'x'}}, {'fields': 'y', 'reference': {'resource': 'c', "     \
         "'fields': 'x'}}, {'fields': ['y', 'z'], 'reference': {'resource': 'a', 'fields': ['x', 'n']}}]},\n" more             \
         "}, {'name': 'c', 'path': 'c.csv', 'schema': {'fields': [{'name': 'x', 'type': 'string'}], 'primaryKey': 'x'}}]}"
#define DATASET(more)  HEAD ",\n" more ", 'resources': [" FIRST "]}"
#define TIMELINE(more) TABLE("'odp:timeline': {" more "}")

static const struct {
    const char *text, *faults;
} cases[] = {
    /* index */
    {TABLE("'odp:index': false"), ""},
    {TABLE("'odp:index': []"), ""},
    {TABLE("'odp:index': ['n', ['x', 'd'], ['x']]"), ""},
    {TABLE("'odp:index': true"), "C04 a/a 2:14 odp:index|[fields.name, [fields.name, …], …] ≤ 50; false\n"},
    {TABLE("'odp:index': 'n'"), "C04 a/a 2:14 odp:index|[fields.name, [fields.name, …], …] ≤ 50; false\n"},
    {TABLE("'odp:index': ['m', [], 5]"),
     "C07 a/a 2:15 m|x, n, d, e, t, s, l, q1\nC04 a/a 2:20 odp:index|[…] ≥ 1\nC04 a/a 2:24 odp:index|[…]\n"},
    {TABLE("'odp:index': ['s', ['x', 's']]"),
     "C16 a/a 2:15 odp:index|sdi:aksesPublik\nC16 a/a 2:20 odp:index|sdi:aksesPublik\n"},
    {TABLE("'odp:index': ['l']"), "C17 a/a 2:15 l (list)|string, number, integer, boolean, date, year …\n"},
    {TABLE("'odp:index': [['x', 'x']]"), "C08 a/a 2:21 x|\n"},
    {TABLE("'odp:index': ['n', ['x', 'd'], ['x', 'd'], ['d', 'x'], ['n']]"), "C08 a/a 2:32 x, d|\nC08 a/a 2:56 n|\n"},
    /* datetime */
    {TABLE("'odp:datetime': 'd'"), ""},
    {TABLE("'odp:datetime': ['d', 'e']"), ""},
    {TABLE("'odp:datetime': ['t', 't']"), ""},
    {TABLE("'odp:datetime': ['d', 't']"), "C15 a/a 2:17 d (date), t (datetime)|date + date, datetime + datetime\n"},
    {TABLE("'odp:datetime': ['d']"), "C04 a/a 2:17 odp:datetime|fields.name, [fields.name, fields.name]\n"},
    {TABLE("'odp:datetime': {}"), "C04 a/a 2:17 odp:datetime|fields.name, [fields.name, fields.name]\n"},
    {TABLE("'odp:datetime': ['d', 1]"), "C04 a/a 2:23 odp:datetime|string\n"},
    {TABLE("'odp:datetime': 's'"), "C16 a/a 2:17 odp:datetime|sdi:aksesPublik\n"},
    {TABLE("'odp:datetime': ['n', 'y']"), "C17 a/a 2:18 n (number)|date, datetime\nC07 a/a 2:23 y|x, n, d, e, t, s, l, q1\n"},
    /* a prefix */
    {TABLE("'odp:queryables': [{'name': 'p', 'field': 'x', 'prefix': 2}]"), ""},
    {TABLE("'odp:queryables': [{'name': 'p', 'field': 'x', 'prefix': 4}, {'name': 'r', 'field': 'p', 'prefix': 2}]"), ""},
    {TABLE("'odp:queryables': {}"), "C04 a/a 2:19 odp:queryables|[…]\n"},
    {TABLE("'odp:queryables': [1]"), "C04 a/a 2:20 odp:queryables|{…}\n"},
    {TABLE("'odp:queryables': [{}]"), "C03 a/a 2:20 name|string\nC03 a/a 2:20 prefix|1 … 64\nC03 a/a 2:20 field|fields.name\n"},
    {TABLE("'odp:queryables': [{'name': 'p', 'field': 'x', 'prefix': 0}]"), "C05 a/a 2:58 prefix|1 … 64\n"},
    {TABLE("'odp:queryables': [{'name': 'p', 'field': 'x', 'prefix': 65}]"), "C05 a/a 2:58 prefix|1 … 64\n"},
    {TABLE("'odp:queryables': [{'name': 'p', 'field': 'y', 'prefix': 2}]"), "C07 a/a 2:43 y|x, n, d, e, t, s, l, q1\n"},
    {TABLE("'odp:queryables': [{'name': 'p', 'field': 'n', 'prefix': 2}]"), "C17 a/a 2:43 n (number)|string\n"},
    {TABLE("'odp:queryables': [{'name': 'p', 'field': 's', 'prefix': 2}]"), "C16 a/a 2:43 field|sdi:aksesPublik\n"},
    {TABLE("'odp:queryables': [{'name': 'p', 'field': 'q1', 'prefix': 2}]"), "C16 a/a 2:43 field|odp:document\n"},
    {TABLE("'odp:queryables': [{'name': 'p', 'field': 'x', 'prefix': 2}, {'name': 'r', 'field': 'p', 'prefix': 2}]"),
     "C16 a/a 2:100 prefix|p\n"},
    {TABLE("'odp:queryables': [{'name': 'r', 'field': 'p', 'prefix': 2}, {'name': 'p', 'field': 'x', 'prefix': 4}]"),
     "C07 a/a 2:43 p|x, n, d, e, t, s, l, q1\n"},
    {TABLE("'odp:queryables': [{'name': 'p', 'field': 'x', 'prefixes': 2}]"),
     "C12 a/a 2:48 prefixes|prefix\nC03 a/a 2:20 prefix|1 … 64\n"},
    {TABLE("'odp:queryables': [{'name': 'p', 'field': 'x', 'prefix': 2, 'title': 'a\\nb'}]"), "C18 a/a 2:70 title|300\n"},
    /* names */
    {TABLE("'odp:queryables': [{'name': 'P', 'field': 'x', 'prefix': 2}]"), "C06 a/a 2:29 P|'_' (≤ 64)\n"},
    {TABLE("'odp:queryables': [{'name': '2p', 'field': 'x', 'prefix': 2}]"), "C06 a/a 2:29 2p|'_' (≤ 64)\n"},
    {TABLE("'odp:queryables': [{'name': 'p-q', 'field': 'x', 'prefix': 2}]"), "C06 a/a 2:29 p-q|'_' (≤ 64)\n"},
    {TABLE("'odp:queryables': [{'name': 'bbox', 'field': 'x', 'prefix': 2}]"), "C06 a/a 2:29 bbox|'_' (≤ 64)\n"},
    {TABLE("'odp:queryables': [{'name': 'geometry', 'field': 'x', 'prefix': 2}]"), "C06 a/a 2:29 geometry|'_' (≤ 64)\n"},
    {TABLE("'odp:queryables': [{'name': 'n', 'field': 'x', 'prefix': 2}]"), "C08 a/a 2:29 n|\n"},
    {TABLE("'odp:queryables': [{'name': 's', 'field': 'x', 'prefix': 2}]"), "C08 a/a 2:29 s|\n"},
    {TABLE("'odp:queryables': [{'name': 'p', 'field': 'x', 'prefix': 2}, {'name': 'p', 'field': 'x', 'prefix': 3}]"),
     "C08 a/a 2:71 p|\n"},
    /* what is taken */
    {SECOND("'odp:queryables': [{'key': 'x', 'take': 'n'}, {'key': ['x'], 'take': 'd', 'name': 'dd', 'title': 'D'}]"), ""},
    {SECOND("'odp:queryables': [{'key': 'x', 'take': 'x'}]"), "C08 a/b 2:41 x|\n"}, /* its own name */
    {SECOND("'odp:queryables': [{'key': 'x', 'take': 's'}]"), "C16 a/b 2:41 take|sdi:aksesPublik\n"},
    {SECOND("'odp:queryables': [{'key': 'x', 'take': 'l'}]"),
     "C17 a/b 2:41 l (list)|string, number, integer, boolean, date, year …\n"},
    {SECOND("'odp:queryables': [{'key': 'x', 'take': 'q1'}]"), "C16 a/b 2:41 take|odp:document\n"},
    {SECOND("'odp:queryables': [{'key': 'x', 'take': 'k'}]"), "C07 a/b 2:41 k|x, n, d, e, t, s, l, q1\n"},
    {SECOND("'odp:queryables': [{'key': 'x'}]"), "C03 a/b 2:20 take|fields.name\n"},
    {SECOND("'odp:queryables': [{'take': 'n'}]"), "C03 a/b 2:20 key|[fields.name]\n"},
    {SECOND("'odp:queryables': [{'key': 'x', 'take': 'n', 'field': 'x'}]"), "C16 a/b 2:46 field|take\n"},
    {SECOND("'odp:queryables': [{'key': 'z', 'take': 'n'}]"), "C19 a/b 2:28 z|\n"},
    {SECOND("'odp:queryables': [{'key': 'w', 'take': 'n'}]"), "C07 a/b 2:28 w|x, p, y, z\n"},
    {SECOND("'odp:queryables': [{'key': 'y', 'take': 'x', 'name': 'k'}]"), "C19 a/b 2:28 y|\n"}, /* of a later table */
    {SECOND("'odp:queryables': [{'key': ['y', 'z'], 'take': 'd'}]"), "C19 a/b 2:28 y, z|\n"},    /* not its primary key */
    {SECOND("'odp:queryables': [{'key': 'p', 'take': 'd'}]"), "C16 a/b 2:28 key|sdi:aksesPublik\n"},
    {SECOND("'odp:queryables': [{'key': 'x', 'take': 'd'}, {'name': 'k', 'field': 'd', 'prefix': 4}]"),
     "C17 a/b 2:70 d (date)|string\n"},
    {SECOND("'odp:index': false, 'odp:queryables': [{'key': 'x', 'take': 'd'}], 'odp:timeline': {}"),
     "C16 a/b 2:21 odp:queryables|odp:index\nC16 a/b 2:68 odp:timeline|odp:index\n"},
    /* the timeline */
    {TIMELINE("'project': 'x', 'milestone': 'n', 'planned': 'd', 'actual': 'e', 'date': 'p', 'delay': 'k'"), ""},
    {TIMELINE("'project': 'x', 'milestone': 'n'"), "C03 a/a 2:17 planned|fields.name\nC03 a/a 2:17 actual|fields.name\nC03 a/a "
                                                   "2:17 delay|string\nC03 a/a 2:17 date|string\n"},
    {TIMELINE("'project': 'l', 'milestone': 'n', 'planned': 't', 'actual': 's', 'date': 'p', 'delay': 'k'"),
     "C17 a/a 2:29 l (list)|string, integer, date, year …\nC17 a/a 2:63 t (datetime)|date\nC16 a/a 2:78 "
     "actual|sdi:aksesPublik\n"},
    {TIMELINE("'project': 'x', 'milestone': 'x', 'planned': 'd', 'actual': 'd', 'date': 'p', 'delay': 'p'"),
     "C16 a/a 2:47 milestone|project\nC16 a/a 2:78 actual|planned\nC08 a/a 2:105 p|\n"},
    {TIMELINE("'project': 'x', 'milestone': 'n', 'planned': 'd', 'actual': 'e', 'date': 'd', 'delay': 'Hari', 'unit': 'day'"),
     "C12 a/a 2:113 unit|—\nC08 a/a 2:91 d|\nC06 a/a 2:105 Hari|'_' (≤ 64)\n"},
    {TABLE("'odp:queryables': [{'name': 'p', 'field': 'x', 'prefix': 2}], 'odp:timeline': {'project': 'x', 'milestone': 'n', "
           "'planned': 'd', 'actual': 'e', 'date': 'p', 'delay': 'k'}"),
     "C08 a/a 2:153 p|\n"},
    {TABLE("'odp:timeline': []"), "C04 a/a 2:17 odp:timeline|{…}\n"},
    /* the dataset's, of its first table */
    {DATASET("'odp:datetime': 'z'"), "C07 a/a 2:17 z|x, n, d, e, t, s, l, q1\n"},
    {DATASET("'odp:queryables': [{'name': 'n', 'field': 'x', 'prefix': 2}]"), "C08 a/a 2:29 n|\n"},
    {DATASET("'odp:indeks': ['x']"), "C12 a 2:1 odp:indeks|odp:index\n"},
};

static void every_fault_has_code_and_place(void **state)
{
    struct folder f;
    size_t wrong = 0;
    (void)state;
    folder_init(&f);
    folder_write(&f, "portal.json", PORTAL);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        put(&f, "a/dataset.json", cases[i].text);
        enum odp_status status = folder_open(&f);
        bool clean =
            *cases[i].faults == '\0' || (strncmp(cases[i].faults, "C12", 3) == 0 && strchr(cases[i].faults, '\n')[1] == '\0');
        if (strcmp(folder_faults(&f), cases[i].faults) != 0 || status != (clean ? ODP_OK : ODP_BAD)) {
            print_error("case %zu: %s\nexpected\n%sfound (%d)\n%s", i, strchr(cases[i].text, '\n'), cases[i].faults,
                        (int)status, folder_faults(&f));
            wrong++;
        }
        folder_close(&f);
    }
    assert_int_equal(wrong, 0);
    folder_release(&f);
}

/* A key that leads nowhere is told where it stands, once. */
static void a_bad_key_is_one_fault(void **state)
{
    struct folder f;
    (void)state;
    folder_init(&f);
    folder_write(&f, "portal.json", PORTAL);
    put(&f, "a/dataset.json",
        HEAD ", 'resources': [" FIRST
             ", {'name': 'b', 'path': 'b.csv', 'odp:queryables': [{'key': 'x', 'take': 'n'}], 'schema': {'fields': "
             "[{'name': 'x', 'type': 'string'}],\n'foreignKeys': [{'fields': 'x', 'reference': {'resource': 'aa', 'fields': "
             "'x'}}]}}]}");
    assert_int_equal(folder_open(&f), ODP_BAD);
    assert_string_equal(folder_faults(&f), "C07 a/b 2:59 aa|a, b\n");
    folder_release(&f);
}

static void code_lists_have_none(void **state)
{
    struct folder f;
    (void)state;
    folder_init(&f);
    folder_write(&f, "portal.json", PORTAL);
    put(&f, "references/d/dataset.json",
        "{'name': 'd', 'resources': [{'name': '2025', 'path': 'd.csv', 'odp:editionDate': '2025-01-01', 'schema': {'fields': "
        "[{'name': 'x', 'type': 'string'}]}}]}");
    if (folder_open(&f) != ODP_OK)
        fail_msg("%s", folder_faults(&f));
    const struct odp_resource *r = odp_catalog_find(f.catalog, "references/d")->resources;
    assert_true(r->no_search && r->nindexes == 0 && r->nqueryables == 0 && r->timeline == NULL);
    assert_true(r->datetime[0] == -1 && r->datetime[1] == -1);
    put(&f, "references/d/dataset.json",
        "{'name': 'd',\n'odp:index': false, 'resources': [{'name': '2025', 'path': 'd.csv', 'odp:editionDate': '2025-01-01', "
        "'odp:datetime': 'x', 'odp:queryables': [], 'odp:timeline': {}, 'schema': {'fields': [{'name': 'x', 'type': "
        "'string'}]}}]}");
    assert_int_equal(folder_open(&f), ODP_BAD);
    assert_string_equal(folder_faults(&f), "C11 references/d/2025 2:1 odp:index|dataset\n"
                                           "C11 references/d/2025 2:102 odp:datetime|dataset\n"
                                           "C11 references/d/2025 2:123 odp:queryables|dataset\n"
                                           "C11 references/d/2025 2:145 odp:timeline|dataset\n");
    folder_release(&f);
}

static void what_is_read(void **state)
{
    struct folder f;
    (void)state;
    folder_init(&f);
    folder_write(&f, "portal.json", PORTAL);
    put(&f, "a/dataset.json",
        HEAD
        ", 'odp:index': ['n', ['x', 'd']], 'odp:datetime': ['d', 'e'], 'odp:queryables': [{'name': 'p', 'field': 'x', "
        "'prefix': 2}], "
        "'resources': [" FIRST ",\n{'name': 'b', 'path': 'b.csv', 'odp:datetime': 'm', 'odp:queryables': [\n"
        "{'key': ['k'], 'take': 'x'},\n"
        "{'key': ['k'], 'take': 'n', 'name': 'nilai', 'title': {'id': 'Nilai', 'en': 'Value'}},\n"
        "{'name': 'kode', 'title': 'Kode', 'field': 'x', 'prefix': 5}, {'name': 'awal', 'field': 'kode', 'prefix': 2}],\n"
        "'odp:timeline': {'project': 'k', 'milestone': 'u', 'planned': 'r', 'actual': 'b', 'date': 'tanggal', 'delay': "
        "'lambat'}, "
        "'schema': {'fields': [{'name': 'k', 'type': 'string'}, {'name': 'u', 'type': 'integer'}, {'name': 'r', 'type': "
        "'date'}, "
        "{'name': 'b', 'type': 'date'}, {'name': 'm', 'type': 'datetime', 'odp:timeZone': 'Asia/Jakarta'}], 'foreignKeys': "
        "[{'fields': 'k', 'reference': {'resource': 'a', 'fields': 'x'}}]}},\n"
        "{'name': 'c', 'path': 'c.csv', 'odp:index': false, 'schema': {'fields': [{'name': 'd', 'type': 'date'}]}}]}");
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
    assert_true(q->kind == ODP_QUERYABLE_PREFIX && q->type == ODP_TYPE_STRING && q->field == 0 && q->queryable == -1 &&
                q->prefix == 2);
    assert_true(q->key == NULL && q->take == -1);

    assert_true(r[1].nindexes == 0 && r[1].datetime[0] == 4 && r[1].datetime[1] == 4);
    assert_int_equal(r[1].nqueryables, 4);
    q = r[1].queryables;
    assert_string_equal(q[0].name, "x");
    assert_string_equal(odp_text_get(&q[0].title, ODP_LANG_EN), "X"); /* the field's own */
    assert_true(q[0].kind == ODP_QUERYABLE_TAKEN && q[0].type == ODP_TYPE_STRING && q[0].take == 0 && q[0].field == -1);
    assert_ptr_equal(q[0].key, &r[1].foreign[0]);
    assert_ptr_equal(q[0].key->target, &r[0]);
    assert_string_equal(q[0].where, "dataset.json:3");
    assert_string_equal(q[1].name, "nilai");
    assert_string_equal(odp_text_get(&q[1].title, ODP_LANG_EN), "Value");
    assert_true(q[1].type == ODP_TYPE_NUMBER && q[1].take == 1);
    assert_string_equal(q[2].name, "kode");
    assert_true(q[2].kind == ODP_QUERYABLE_PREFIX && q[2].field == -1 && q[2].queryable == 0 && q[2].prefix == 5);
    assert_true(q[3].queryable == 2 && q[3].prefix == 2);
    const struct odp_timeline *t = r[1].timeline;
    assert_non_null(t);
    assert_true(t->project == 0 && t->milestone == 1 && t->planned == 2 && t->actual == 3);
    assert_string_equal(t->date, "tanggal");
    assert_string_equal(t->delay, "lambat");
    assert_true(r[2].datetime[0] == -1 && r[2].datetime[1] == -1 && r[2].nqueryables == 0 && r[2].timeline == NULL);
    folder_release(&f);
}

/* So many lists and columns, no more. */
static void bounds(void **state)
{
    struct folder f;
    struct odp_buffer text;
    (void)state;
    folder_init(&f);
    odp_buffer_init(&text);
    folder_write(&f, "portal.json", PORTAL);
    for (int most = 50; most <= 51; most++) {
        odp_buffer_clear(&text);
        odp_buffer_add_str(&text,
                           HEAD ", 'resources': [" FIRST
                                ", {'name': 'b', 'path': 'b.csv', 'schema': {'fields': [{'name': 'x', 'type': 'string'}]},\n"
                                "'odp:queryables': [");
        for (int i = 0; i < most; i++)
            odp_buffer_printf(&text, "%s{'name': 'q%d', 'field': 'x', 'prefix': 1}", i > 0 ? "," : "", i);
        odp_buffer_add_str(&text, "]}]}");
        put(&f, "a/dataset.json", odp_buffer_cstr(&text));
        assert_int_equal(folder_open(&f), most == 50 ? ODP_OK : ODP_BAD);
        assert_string_equal(folder_faults(&f), most == 50 ? "" : "C04 a/b 2:19 odp:queryables|[…] ≤ 50\n");
    }
    odp_buffer_release(&text);
    folder_release(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_fault_has_code_and_place),
        cmocka_unit_test(a_bad_key_is_one_fault),
        cmocka_unit_test(code_lists_have_none),
        cmocka_unit_test(what_is_read),
        cmocka_unit_test(bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
