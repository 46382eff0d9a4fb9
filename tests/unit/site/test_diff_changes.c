/* Differences of two versions: matching, order, cells, the sort on the disk. */
#include "changes_fixture.h"

#define KEYED(fields, key) "{'fields':[" fields "],'primaryKey':[" key "]}"
#define STR(name)          "{'name':'" name "','type':'string'}"
#define INT(name)          "{'name':'" name "','type':'integer'}"
#define NUM(name)          "{'name':'" name "','type':'number'}"

TEST(rows_by_key)
{
    struct cf cf;
    cf_init(&cf);
    cf_csv(&cf, KEYED(STR("id") "," NUM("luas") "," STR("tingkat"), "'id'"),
           "id,luas,tingkat\r\nb,12.9,Sedang\r\na,1,x\r\nc,5,\r\n",
           KEYED(STR("id") "," NUM("luas") "," STR("tingkat"), "'id'"),
           "id,luas,tingkat\r\nd,7,\"\"\r\nb,12.5,Ringan\r\nc,5,\"\"\r\n");
    cf_counts(&cf, 1, 1, 2, 3, 0);
    cf_changes(
        &cf, "\n{'op':'removed','key':{'id':'a'},'record':{'id':'a','luas':1,'tingkat':'x'}},"
             "\n{'op':'changed','key':{'id':'b'},'cells':{'luas':[12.9,12.5],'tingkat':['Sedang','Ringan']}},"
             "\n{'op':'changed','key':{'id':'c'},'cells':{'tingkat':[null,'']}},"
             "\n{'op':'added','key':{'id':'d'},'record':{'id':'d','luas':7,'tingkat':''}}\n");
    assert_string_equal(odp_buffer_cstr(&cf.out[1]),
                        "change,id,field,before,after\r\n"
                        "removed,a,id,a,\r\nremoved,a,luas,1,\r\nremoved,a,tingkat,x,\r\n"
                        "changed,b,luas,12.9,12.5\r\nchanged,b,tingkat,Sedang,Ringan\r\n"
                        "changed,c,tingkat,,\"\"\r\n"
                        "added,d,id,,d\r\nadded,d,luas,,7\r\nadded,d,tingkat,,\"\"\r\n");
    assert_string_equal(odp_buffer_cstr(&cf.out[3]),
                        "uji  2023-09-15 → 2024-03-15     +1 baris   −1 baris   2 baris berubah (3 sel)\n"
                        "− a   luas 1 · tingkat x\n"
                        "  b   luas      12,9 → 12,5\n"
                        "      tingkat   Sedang → Ringan\n"
                        "  c   tingkat   (kosong) → \"\"\n"
                        "+ d   luas 7 · tingkat \"\"\n");
    assert_string_equal(odp_buffer_cstr(&cf.out[4]),
                        "uji  2023-09-15 → 2024-03-15     +1 row   −1 row   2 rows changed (3 cells)\n"
                        "− a   luas 1 · tingkat x\n"
                        "  b   luas      12.9 → 12.5\n"
                        "      tingkat   Sedang → Ringan\n"
                        "  c   tingkat   (null) → \"\"\n"
                        "+ d   luas 7 · tingkat \"\"\n");
    cf_release(&cf);
}

TEST(whole_json)
{
    struct cf cf;
    cf_init(&cf);
    cf_csv(&cf, KEYED(STR("id"), "'id'"), "id\r\na\r\n", KEYED(STR("id") "," STR("air"), "'id'"),
           "id,air\r\na,ya\r\n");
    assert_string_equal(odp_buffer_cstr(&cf.out[0]),
                        "{\"dataset\":\"uji\",\"resource\":\"uji\",\n"
                        "\"from\":{\"version\":\"2023-09-15\",\"digest\":\"sha256:"
                        "0100000000000000000000000000000000000000000000000000000000000000\"},\n"
                        "\"to\":{\"version\":\"2024-03-15\",\"digest\":\"sha256:"
                        "0200000000000000000000000000000000000000000000000000000000000000\"},\n"
                        "\"key\":[\"id\"],\n"
                        "\"schema\":[\n"
                        "{\"change\":\"field-added\",\"level\":\"minor\",\"from\":null,\"to\":\"air\","
                        "\"before\":null,\"after\":null,"
                        "\"text\":{\"id\":\"kolom air ditambahkan\",\"en\":\"field air was added\"}}\n"
                        "],\n"
                        "\"changes\":[],\n"
                        "\"summary\":{\"from_rows\":1,\"to_rows\":1,\"added\":0,\"removed\":0,\"changed\":0,"
                        "\"cells\":0,\"geometry\":0,"
                        "\"geometry_compared\":true}}\n");
    assert_string_equal(
        odp_buffer_cstr(&cf.out[3]),
        "uji  2023-09-15 → 2024-03-15     tidak ada baris yang berubah   skema: + air (minor)\n");
    cf_release(&cf);
}

/* Values of added or removed fields are left out; a renamed field is one change of the schema; order does
 * not count. */
TEST(schema_changes)
{
    struct cf cf;
    cf_init(&cf);
    cf_csv(&cf, KEYED(STR("id") "," NUM("luas") "," STR("lama"), "'id'"),
           "id,luas,lama\r\na,1,x\r\nb,2,y\r\n",
           KEYED("{'name':'baru','type':'string'},{'name':'luas_ha','type':'number','odp:formerNames':['luas'"
                 "]},{'name':'kode',"
                 "'type':'string','odp:formerNames':['id']}",
                 "'kode'"),
           "baru,luas_ha,kode\r\nn,1,a\r\nm,3,b\r\n");
    cf_counts(&cf, 0, 0, 1, 1, 0);
    cf_changes(&cf, "\n{'op':'changed','key':{'kode':'b'},'cells':{'luas_ha':[2,3]}}\n");
    assert_string_equal(odp_buffer_cstr(&cf.out[4]),
                        "uji  2023-09-15 → 2024-03-15     1 row changed (1 cell)   schema: − lama, luas → "
                        "luas_ha, id → kode, + baru, "
                        "order of fields changed (major)\n"
                        "  b   luas_ha   2 → 3\n");
    /* removed rows have the new key's name, their record the old schema */
    cf_csv(&cf, KEYED(STR("id") "," NUM("luas"), "'id'"), "id,luas\r\na,1\r\n",
           KEYED("{'name':'kode','type':'string','odp:formerNames':['id']}", "'kode'"), "kode\r\nz\r\n");
    cf_changes(&cf, "\n{'op':'removed','key':{'kode':'a'},'record':{'id':'a','luas':1}},"
                    "\n{'op':'added','key':{'kode':'z'},'record':{'kode':'z'}}\n");
    cf_release(&cf);
}

TEST(order_of_keys)
{
    struct cf cf;
    cf_init(&cf);
    /* integers by value, negative ones too, whatever their length */
    cf_csv(&cf, KEYED(INT("n"), "'n'"), "n\r\n", KEYED(INT("n"), "'n'"),
           "n\r\n10\r\n9\r\n-1\r\n0\r\n-10\r\n-9\r\n123456789012345678901234567890\r\n100\r\n-"
           "123456789012345678901234567890\r\n");
    cf_changes(&cf, "\n{'op':'added','key':{'n':-123456789012345678901234567890},'record':{'n':-"
                    "123456789012345678901234567890}},"
                    "\n{'op':'added','key':{'n':-10},'record':{'n':-10}},"
                    "\n{'op':'added','key':{'n':-9},'record':{'n':-9}},"
                    "\n{'op':'added','key':{'n':-1},'record':{'n':-1}},"
                    "\n{'op':'added','key':{'n':0},'record':{'n':0}},"
                    "\n{'op':'added','key':{'n':9},'record':{'n':9}},"
                    "\n{'op':'added','key':{'n':10},'record':{'n':10}},"
                    "\n{'op':'added','key':{'n':100},'record':{'n':100}},"
                    "\n{'op':'added','key':{'n':123456789012345678901234567890},'record':{'n':"
                    "123456789012345678901234567890}}\n");
    /* text by bytes, so by code points; a prefix comes first */
    cf_csv(&cf, KEYED(STR("s"), "'s'"), "s\r\n", KEYED(STR("s"), "'s'"),
           "s\r\né\r\nz\r\n𝄞\r\na\r\nab\r\n\"\"\r\nZ\r\n日\r\n");
    static const char *const order[] = {"\"\"",  "\"Z\"", "\"a\"",  "\"ab\"",
                                        "\"z\"", "\"é\"", "\"日\"", "\"𝄞\""};
    const char *at = odp_buffer_cstr(&cf.out[0]);
    for (size_t i = 0; i < ODP_COUNT(order); i++) {
        char key[64];
        snprintf(key, sizeof key, "\"key\":{\"s\":%s}", order[i]);
        at = strstr(at, key);
        assert_non_null(at);
    }
    /* by parts: ("a", "b") before ("a0", "a") although "ab" > "a0a"; a null part comes first */
    cf_csv(&cf, KEYED(STR("p") "," INT("q"), "'p','q'"), "p,q\r\n", KEYED(STR("p") "," INT("q"), "'p','q'"),
           "p,q\r\na0,1\r\na,10\r\na,9\r\na,\r\n");
    cf_changes(&cf, "\n{'op':'added','key':{'p':'a','q':null},'record':{'p':'a','q':null}},"
                    "\n{'op':'added','key':{'p':'a','q':9},'record':{'p':'a','q':9}},"
                    "\n{'op':'added','key':{'p':'a','q':10},'record':{'p':'a','q':10}},"
                    "\n{'op':'added','key':{'p':'a0','q':1},'record':{'p':'a0','q':1}}\n");
    /* the key's order of parts, not the fields' */
    cf_csv(&cf, KEYED(STR("p") "," INT("q"), "'q','p'"), "p,q\r\n", KEYED(STR("p") "," INT("q"), "'q','p'"),
           "p,q\r\na,2\r\nb,1\r\n");
    cf_changes(&cf, "\n{'op':'added','key':{'q':1,'p':'b'},'record':{'p':'b','q':1}},"
                    "\n{'op':'added','key':{'q':2,'p':'a'},'record':{'p':'a','q':2}}\n");
    cf_release(&cf);
}

/* A zero is a character like any other: it neither ends a part of a key nor sorts behind one. */
TEST(text_with_zeros)
{
    static const char schema[] = KEYED(STR("s") "," STR("t"), "'s','t'");
    struct cf cf;
    struct cf_side from = {schema, ODP_FORM_CSV, ODP_LIT("s,t\r\n")};
    struct cf_side to = {schema, ODP_FORM_CSV,
                         ODP_LIT("s,t\r\na\0b,\"\"\r\na,\"\"\r\na\1,\"\"\r\na\0,z\r\na,\0\r\n")};
    cf_init(&cf);
    must(cf_run(&cf, &from, &to));
    cf_counts(&cf, 5, 0, 0, 0, 0);
    const char *at = odp_buffer_cstr(&cf.out[0]);
    static const char *const order[] = {
        "{\"s\":\"a\",\"t\":\"\"}", "{\"s\":\"a\",\"t\":\"\\u0000\"}", "{\"s\":\"a\\u0000\",\"t\":\"z\"}",
        "{\"s\":\"a\\u0000b\",\"t\":\"\"}", "{\"s\":\"a\\u0001\",\"t\":\"\"}"};
    for (size_t i = 0; i < 5; i++)
        assert_non_null(at = strstr(at, order[i]));
    cf_release(&cf);
}

TEST(without_key)
{
    static const char schema[] = "{'fields':[" STR("a") "," INT("n") "]}";
    struct cf cf;
    cf_init(&cf);
    cf_csv(&cf, schema, "a,n\r\nx,1\r\nx,1\r\ny,2\r\nx,1\r\nz,\r\n", schema,
           "a,n\r\ny,2\r\nx,1\r\ny,2\r\nz,\r\n,\r\n");
    cf_counts(&cf, 2, 2, 0, 0, 0);
    cf_changes(&cf, "\n{'op':'added','record':{'a':null,'n':null}},"
                    "\n{'op':'removed','record':{'a':'x','n':1}},"
                    "\n{'op':'removed','record':{'a':'x','n':1}},"
                    "\n{'op':'added','record':{'a':'y','n':2}}\n");
    assert_string_equal(odp_buffer_cstr(&cf.out[1]), "change,row,field,before,after\r\n"
                                                     "added,1,,,\r\n"
                                                     "removed,2,a,x,\r\nremoved,2,n,1,\r\n"
                                                     "removed,3,a,x,\r\nremoved,3,n,1,\r\n"
                                                     "added,4,a,,y\r\nadded,4,n,,2\r\n");
    assert_string_equal(odp_buffer_cstr(&cf.out[4]), "uji  2023-09-15 → 2024-03-15     +2 rows   −2 rows\n"
                                                     "+\n− a x · n 1\n− a x · n 1\n+ a y · n 2\n");
    /* a field that is new does not make every row another */
    cf_csv(&cf, schema, "a,n\r\nx,1\r\nx,1\r\n",
           "{'fields':[" STR("b") "," INT("n") ",{'name':'aa','type':'string','odp:formerNames':['a']}]}",
           "b,n,aa\r\n1,1,x\r\n2,1,x\r\n3,1,x\r\n");
    cf_counts(&cf, 1, 0, 0, 0, 0);
    cf_changes(&cf, "\n{'op':'added','record':{'b':'3','n':1,'aa':'x'}}\n");
    /* the key came with a field that was not there: rows as a whole */
    cf_csv(&cf, schema, "a,n\r\nx,1\r\n",
           "{'fields':[" STR("a") "," INT("n") "," STR("id") "],'primaryKey':['id']}", "a,n,id\r\nx,1,k\r\n");
    cf_counts(&cf, 0, 0, 0, 0, 0);
    assert_non_null(strstr(odp_buffer_cstr(&cf.out[0]), "\"key\":null,"));
    cf_release(&cf);
}

/* Not in published data; but where the key changed, the old rows need not be unique by the new one. */
TEST(duplicate_keys)
{
    static const char schema[] = KEYED(STR("a") "," INT("n"), "'a'");
    struct cf cf;
    cf_init(&cf);
    cf_csv(&cf, KEYED(STR("a") "," INT("n"), "'a','n'"), "a,n\r\nx,1\r\nx,2\r\nx,3\r\n", schema,
           "a,n\r\nx,1\r\ny,5\r\n");
    cf_counts(&cf, 1, 2, 0, 0, 0);
    cf_changes(&cf, "\n{'op':'removed','key':{'a':'x'},'record':{'a':'x','n':2}},"
                    "\n{'op':'removed','key':{'a':'x'},'record':{'a':'x','n':3}},"
                    "\n{'op':'added','key':{'a':'y'},'record':{'a':'y','n':5}}\n");
    cf_release(&cf);
}

TEST(types_changed)
{
    struct cf cf;
    cf_init(&cf);
    /* the same text is the same value; each side as its own type */
    cf_csv(&cf, KEYED(INT("id") "," INT("n"), "'id'"), "id,n\r\n10,1\r\n9,2\r\n",
           KEYED(STR("id") "," STR("n"), "'id'"), "id,n\r\n10,1\r\n9,02\r\n");
    cf_changes(&cf, "\n{'op':'changed','key':{'id':'9'},'cells':{'n':[2,'02']}}\n");
    /* a number is found by its value, and told when written another way */
    cf_csv(&cf, KEYED(NUM("id"), "'id'"), "id\r\n1.5\r\n", KEYED(NUM("id"), "'id'"), "id\r\n1.50\r\n");
    cf_changes(&cf, "\n{'op':'changed','key':{'id':1.50},'cells':{'id':[1.5,1.50]}}\n");
    cf_release(&cf);
}

#define POINTS(key)                                                                                          \
    "{'fields':[" STR("id") "]" key ",'odp:geometry':{'types':['Polygon','Point'],'api':'full'}}"
#define RECORD(id, geometry) "{\"id\":\"" id "\",\"geometry\":" geometry "}"
#define ENVELOPE(records)    "{\"data\":[\n" records "\n],\"status\":\"success\",\"meta\":{\"total\":4}}\n"

TEST(geometry)
{
#define SQUARE "{\"type\":\"Polygon\",\"coordinates\":[[[0,0],[1,0],[1,1],[0,1],[0,0]]]}"
#define MOVED  "{\"type\":\"Polygon\",\"coordinates\":[[[0,0],[1,0],[1,1.0000001],[0,1],[0,0]]]}"
    struct cf cf;
    struct cf_side from = {
        POINTS(",'primaryKey':['id']"), ODP_FORM_JSON,
        ODP_LIT(ENVELOPE(RECORD("a", SQUARE) ",\n" RECORD("b", SQUARE) ",\n" RECORD("c", "null") ",\n" RECORD(
            "d", "{\"type\":\"Point\",\"coordinates\":[106.8,-6.2]}")))};
    struct cf_side to = {
        POINTS(",'primaryKey':['id']"), ODP_FORM_JSON,
        ODP_LIT(ENVELOPE(RECORD("a", SQUARE) ",\n" RECORD("b", MOVED) ",\n" RECORD("c", SQUARE) ",\n" RECORD(
            "e", "{\"type\":\"Point\",\"coordinates\":[106.8,-6.25]}")))};
    cf_init(&cf);
    must(cf_run(&cf, &from, &to));
    assert_true(cf.counts.geometry_compared);
    cf_counts(&cf, 1, 1, 2, 0, 2);
    cf_changes(
        &cf,
        "\n{'op':'changed','key':{'id':'b'},'geometry':{'before':'Polygon, 5 points','after':'Polygon, 5 "
        "points'}},"
        "\n{'op':'changed','key':{'id':'c'},'geometry':{'before':null,'after':'Polygon, 5 points'}},"
        "\n{'op':'removed','key':{'id':'d'},'record':{'id':'d'},'geometry':{'before':'Point 106.8 -6.2'}},"
        "\n{'op':'added','key':{'id':'e'},'record':{'id':'e'},'geometry':{'after':'Point 106.8 -6.25'}}\n");
    assert_string_equal(odp_buffer_cstr(&cf.out[1]),
                        "change,id,field,before,after\r\n"
                        "changed,b,geometry,\"Polygon, 5 points\",\"Polygon, 5 points\"\r\n"
                        "changed,c,geometry,,\"Polygon, 5 points\"\r\n"
                        "removed,d,id,d,\r\nremoved,d,geometry,Point 106.8 -6.2,\r\n"
                        "added,e,id,,e\r\nadded,e,geometry,,Point 106.8 -6.25\r\n");
    assert_string_equal(
        odp_buffer_cstr(&cf.out[3]),
        "uji  2023-09-15 → 2024-03-15     +1 baris   −1 baris   2 baris berubah (2 geometri)\n"
        "  b   (geometri)   Polygon, 5 titik (letak berubah)\n"
        "  c   (geometri)   (kosong) → Polygon, 5 titik\n"
        "− d\n+ e\n");
    /* without a key the geometry is part of the row */
    from.schema = to.schema = POINTS("");
    must(cf_run(&cf, &from, &to));
    cf_counts(&cf, 3, 3, 0, 0, 0);
    /* a side that does not carry it: attributes alone are compared */
    struct cf_side csv = {
        POINTS(",'primaryKey':['id']"), ODP_FORM_CSV,
        ODP_LIT("id,label_lon,label_lat,geometry_type\r\na,0.5,0.5,Polygon\r\nb,0.5,0.5,Polygon\r\nc,,,\r\nd,"
                "106.8,-6.2,Point\r\n")};
    to.schema = csv.schema;
    must(cf_run(&cf, &csv, &to));
    assert_false(cf.counts.geometry_compared);
    cf_counts(&cf, 1, 1, 0, 0, 0);
    csv.schema = to.schema = POINTS("");
    must(cf_run(&cf, &csv, &to));
    cf_counts(&cf, 1, 1, 0, 0, 0);
    /* only one side has any */
    csv = (struct cf_side){KEYED(STR("id"), "'id'"), ODP_FORM_CSV, ODP_LIT("id\r\na\r\nb\r\nc\r\ne\r\n")};
    to.schema = POINTS(",'primaryKey':['id']");
    must(cf_run(&cf, &csv, &to));
    assert_true(cf.counts.geometry_compared);
    cf_counts(&cf, 0, 0, 0, 0, 0);
    cf_release(&cf);
}

TEST(names_that_collide)
{
    static const char schema[] =
        KEYED(STR("field") "," STR("key_field") "," STR("geometry") "," STR("change"), "'field','key_field'");
    struct cf cf;
    cf_init(&cf);
    cf_csv(&cf, schema, "field,key_field,geometry,change\r\na,b,g,c\r\n", schema,
           "field,key_field,geometry,change\r\na,b,h,c\r\n");
    assert_string_equal(odp_buffer_cstr(&cf.out[1]),
                        "change,key_key_field,key_field,field,before,after\r\nchanged,a,b,geometry,g,h\r\n");
    cf_release(&cf);
}

TEST(counts_only)
{
    struct cf cf;
    cf_init(&cf);
    cf.counts_only = true;
    cf_csv(&cf, KEYED(STR("id") "," STR("v"), "'id'"), "id,v\r\na,RAHASIA1\r\nb,RAHASIA2\r\n",
           KEYED(STR("id") "," STR("v"), "'id'"), "id,v\r\na,RAHASIA3\r\nc,RAHASIA4\r\n");
    cf_counts(&cf, 1, 1, 1, 1, 0);
    for (int i = 0; i < CF_FORMS; i++)
        assert_null(strstr(odp_buffer_cstr(&cf.out[i]), "RAHASIA"));
    assert_non_null(strstr(odp_buffer_cstr(&cf.out[0]),
                           "\"note\":{\"id\":\"rahasia\",\"en\":\"secret\"},\n\"changes\":[]"
                           ",\n\"summary\":{\"from_rows\":2,\"to_rows\":2,\"added\":1,"));
    assert_non_null(strstr(odp_buffer_cstr(&cf.out[2]), "rahasia"));
    assert_non_null(
        strstr(odp_buffer_cstr(&cf.out[3]), "+1 baris   −1 baris   1 baris berubah (1 sel)\n  rahasia\n"));
    cf_release(&cf);
}

/* The page and the terminal show hostile values as text. */
TEST(hostile_values)
{
    static const char schema[] = KEYED(STR("id") "," STR("v"), "'id'");
    struct cf cf;
    cf_init(&cf);
    cf_csv(&cf, schema, "id,v\r\n<b>&'x,\"a\"\r\n", schema,
           "id,v\r\n<b>&'x,\"</del><script>alert(1)</script>\033[31m\xE2\x80\xAEzyx\nbaris dua\"\r\n");
    const char *html = odp_buffer_cstr(&cf.out[2]), *text = odp_buffer_cstr(&cf.out[3]);
    assert_null(strstr(html, "<script"));
    assert_non_null(strstr(html, "&lt;script&gt;alert(1)&lt;/script&gt;"));
    assert_non_null(strstr(html, "&lt;b&gt;&amp;&#39;x"));
    assert_non_null(strstr(html, "Uji &lt;coba&gt;"));
    assert_non_null(strstr(html, "Test &amp; try"));
    for (int i = 2; i < CF_FORMS; i++) {
        assert_null(strchr(odp_buffer_cstr(&cf.out[i]), '\033'));
        assert_null(strstr(odp_buffer_cstr(&cf.out[i]), "\xE2\x80\xAE"));
    }
    assert_non_null(strstr(text, "[31m\xEF\xBF\xBDzyx↵baris dua"));
    cf_release(&cf);
}

TEST(many_rows_are_cut)
{
    static const char schema[] = KEYED(INT("id") "," INT("v"), "'id'");
    struct odp_buffer old = {0}, now = {0};
    struct cf cf;
    cf_init(&cf);
    odp_buffer_add_str(&old, "id,v\r\n");
    odp_buffer_add_str(&now, "id,v\r\n");
    for (int i = 0; i < 1500; i++) {
        odp_buffer_printf(&old, "%d,%d\r\n", i, i);
        odp_buffer_printf(&now, "%d,%d\r\n", i, i + 1);
    }
    cf.limit = 3;
    struct cf_side from = {schema, ODP_FORM_CSV, odp_buffer_slice(&old)},
                   to = {schema, ODP_FORM_CSV, odp_buffer_slice(&now)};
    must(cf_run(&cf, &from, &to));
    assert_string_equal(odp_buffer_cstr(&cf.out[3]),
                        "uji  2023-09-15 → 2024-03-15     1.500 baris berubah (1.500 sel)\n"
                        "  0   v   0 → 1\n  1   v   1 → 2\n  2   v   2 → 3\n"
                        "  … 1.497 baris lain tidak ditampilkan\n");
    assert_non_null(strstr(odp_buffer_cstr(&cf.out[4]), "1,500 rows changed (1,500 cells)\n"));
    const char *html = odp_buffer_cstr(&cf.out[2]);
    assert_non_null(strstr(html, "(200 / 1.500)</h2>"));
    assert_non_null(strstr(html, "<p>… 1.300 baris lain"));
    assert_non_null(
        strstr(html, "<a href=\"changes.csv\">changes.csv</a> · <a href=\"changes.json\">changes.json</a>"));
    size_t headings = 0;
    for (const char *p = html; (p = strstr(p, "<h3>")) != NULL; p++)
        headings++;
    assert_int_equal(headings, 200);
    odp_buffer_release(&old);
    odp_buffer_release(&now);
    cf_release(&cf);
}

static uint32_t next_random(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

/* Rows 0..N-1 in a shuffled (or sorted) order, each present or not, with a value, as STEP (old, new) decides.
 */
static void make_csv(struct odp_buffer *out, uint32_t n, int step, bool shuffled)
{
    uint32_t *order = malloc(n * sizeof *order), seed = 7u + (uint32_t)step;
    assert_non_null(order);
    for (uint32_t i = 0; i < n; i++)
        order[i] = i;
    for (uint32_t i = n; shuffled && i > 1; i--) {
        uint32_t k = next_random(&seed) % i, t = order[k];
        order[k] = order[i - 1];
        order[i - 1] = t;
    }
    odp_buffer_clear(out);
    odp_buffer_add_str(out, "id,v,s\r\n");
    for (uint32_t i = 0; i < n; i++) {
        uint32_t id = order[i];
        if ((step == 0 && id % 7 == 3) || (step == 1 && id % 11 == 5))
            continue;
        odp_buffer_printf(out, "%d,%u,teks %u\r\n", (int)id - (int)n / 2,
                          step == 1 && id % 5 == 0 ? id + 1 : id, id % 13);
    }
    free(order);
}

/* The same bytes whatever the memory: all of it, many runs, several passes, one record a run; sorted input or
 * not. */
TEST(memory_does_not_show)
{
    enum { N = 20000 };
    static const char schema[] = KEYED(INT("id") "," INT("v") "," STR("s"), "'id'");
    static const size_t memories[] = {0, 600000, 40000, 2000, 300};
    struct odp_buffer old = {0}, now = {0}, first = {0};
    struct cf cf;
    cf_init(&cf);
    uint64_t added = 0, removed = 0, changed = 0;
    for (uint32_t id = 0; id < N; id++) {
        bool was = id % 7 != 3, is = id % 11 != 5;
        added += is && !was;
        removed += was && !is;
        changed += was && is && id % 5 == 0;
    }
    for (size_t i = 0; i < 2 * ODP_COUNT(memories); i++) {
        cf.memory = memories[i / 2];
        make_csv(&old, cf.memory == 300 ? 2000 : N, 0, i % 2 == 0);
        make_csv(&now, cf.memory == 300 ? 2000 : N, 1, i % 2 == 0);
        struct cf_side from = {schema, ODP_FORM_CSV, odp_buffer_slice(&old)},
                       to = {schema, ODP_FORM_CSV, odp_buffer_slice(&now)};
        must(cf_run(&cf, &from, &to));
        if (cf.memory != 300)
            cf_counts(&cf, added, removed, changed, changed, 0);
        if (i == 0)
            odp_buffer_add_slice(&first, odp_buffer_slice(&cf.out[0]));
        else if (cf.memory != 300)
            assert_true(odp_slice_eq(odp_buffer_slice(&first), odp_buffer_slice(&cf.out[0])));
    }
    /* in the order of the integers */
    const char *at = odp_buffer_cstr(&first);
    long last = -1000000;
    size_t lines = 0;
    while ((at = strstr(at, "\"key\":{\"id\":")) != NULL) {
        long id = strtol(at + 12, NULL, 10);
        assert_true(id > last);
        last = id;
        at++;
        lines++;
    }
    assert_int_equal(lines, added + removed + changed);
    odp_buffer_release(&old);
    odp_buffer_release(&now);
    odp_buffer_release(&first);
    cf_release(&cf);
}

/* Records larger than the memory, without a key. */
TEST(large_records)
{
    static const char schema[] = "{'fields':[" STR("a") "]}";
    struct odp_buffer text = {0};
    struct cf cf;
    cf_init(&cf);
    odp_buffer_add_str(&text, "a\r\n");
    for (int row = 0; row < 20; row++) {
        char *w = odp_buffer_reserve(&text, 30000);
        assert_non_null(w);
        memset(w, 'a' + (row * 7) % 20, 20000 + (size_t)row);
        text.len += 20000 + (size_t)row;
        odp_buffer_add_str(&text, "\r\nk\r\n");
    }
    cf.memory = 1000;
    struct cf_side from = {schema, ODP_FORM_CSV, ODP_LIT("a\r\nk\r\n")},
                   to = {schema, ODP_FORM_CSV, odp_buffer_slice(&text)};
    must(cf_run(&cf, &from, &to));
    cf_counts(&cf, 39, 0, 0, 0, 0);
    odp_buffer_release(&text);
    cf_release(&cf);
}

static enum odp_status refuse_job(void *ctx, const struct odp_changes_job *job)
{
    (void)ctx, (void)job;
    return ODP_OK;
}

static enum odp_status refuse_row(void *ctx, const struct odp_change *c)
{
    unsigned *left = ctx;
    return (*left)-- == 0 ? ODP_FAIL : ODP_OK;
}

static enum odp_status refuse_end(void *ctx, const struct odp_changes_counts *n)
{
    (void)ctx, (void)n;
    return ODP_FAIL;
}

/* Scratch files go whatever happens: cf_run_with looks. */
TEST(failures)
{
    static const char schema[] = KEYED(INT("id") "," INT("v") "," STR("s"), "'id'");
    struct odp_buffer old = {0}, now = {0};
    struct cf cf;
    unsigned left = 5;
    cf_init(&cf);
    make_csv(&old, 3000, 0, true);
    make_csv(&now, 3000, 1, true);
    cf.memory = 20000;
    struct odp_changes_sink sink = {&left, refuse_job, refuse_row, refuse_end};
    struct cf_side from = {schema, ODP_FORM_CSV, odp_buffer_slice(&old)},
                   to = {schema, ODP_FORM_CSV, odp_buffer_slice(&now)};
    assert_int_equal(cf_run_with(&cf, &from, &to, &sink), ODP_FAIL);
    left = 1000000;
    assert_int_equal(cf_run_with(&cf, &from, &to, &sink), ODP_FAIL); /* at the end */
    odp_buffer_add_str(&now, "1,2\r\n"); /* a column is missing in the last line */
    to.bytes = odp_buffer_slice(&now);
    must_refuse(cf_run(&cf, &from, &to));
    assert_int_equal(cf.out[0].len, 0); /* nothing was begun */
    odp_buffer_release(&old);
    odp_buffer_release(&now);
    cf_release(&cf);
}

TEST(scratch_folder_is_missing)
{
    static const char schema[] = KEYED(INT("id") "," INT("v") "," STR("s"), "'id'");
    struct odp_buffer text = {0};
    struct cf cf;
    cf_init(&cf);
    make_csv(&text, 3000, 0, true);
    const char *path = "/nonexistent/nowhere";
    const char *why = "";
    char file[128];
    struct odp_arena a = {0};
    struct odp_layout *l;
    json_t *json = cf_json(schema);
    snprintf(file, sizeof file, "%s/data.csv", cf.dir);
    const char *paths[] = {file};
    must(odp_file_put(file, odp_buffer_slice(&text), 0600, NULL));
    must(odp_layout_read(&l, json, &a, &why));
    static const uint8_t digest[ODP_SHA256_SIZE] = {0};
    struct odp_changes_side sides[2] = {{"a", digest, l, NULL}, {"b", digest, l, NULL}};
    for (int i = 0; i < 2; i++)
        must(odp_reading_open(&sides[i].reading, ODP_FORM_CSV, l, paths, 1));
    struct odp_schema_changes changes;
    must(odp_schema_compare(&changes, l, l, &a));
    struct odp_changes_job job = {
        .dataset = "x",
        .resource = "x",
        .from = &sides[0],
        .to = &sides[1],
        .schema = &changes,
        .keyed = true,
    };
    struct odp_changes_options options = {.scratch = path, .memory = 5000};
    assert_int_equal(odp_changes_run(&job, &options, NULL, 0, &cf.counts), ODP_FAIL);
    assert_non_null(strstr(odp_failure_text(), "/nonexistent/nowhere"));
    odp_failure_clear();
    for (int i = 0; i < 2; i++)
        odp_reading_close(sides[i].reading);
    json_decref(json);
    odp_arena_release(&a);
    odp_buffer_release(&text);
    cf_release(&cf);
}
