/* What changed between two schemas: a table of pairs. */
#include "run.h"

#include <stdlib.h>

#include "published/schema_change.h"

/* Single quotes mean double ones. */
static json_t *parse(const char *text)
{
    char *copy = strdup(text);
    json_error_t error;
    assert_non_null(copy);
    for (char *p = copy; *p != '\0'; p++)
        *p = *p == '\'' ? '"' : *p;
    json_t *json = json_loads(copy, 0, &error);
    if (json == NULL)
        fail_msg("%s: %s", text, error.text);
    free(copy);
    return json;
}

static const char *or_dash(const char *s)
{
    return s != NULL ? s : "-";
}

/* "kind:from:to:before:after" for each change, then the level and whether rows can be matched. */
static void check(const char *old_text, const char *now_text, const char *expected)
{
    struct odp_arena a = {0};
    struct odp_layout *old, *now;
    struct odp_schema_changes changes;
    struct odp_buffer out = {0};
    const char *why = "";
    json_t *old_json = parse(old_text), *now_json = parse(now_text);
    must(odp_layout_read(&old, old_json, &a, &why));
    must(odp_layout_read(&now, now_json, &a, &why));
    must(odp_schema_compare(&changes, old, now, &a));
    for (size_t i = 0; i < changes.n; i++) {
        const struct odp_schema_change *c = &changes.items[i];
        odp_buffer_printf(&out, "%s:%s:%s:%s:%s | ", odp_schema_change_name(c->kind), or_dash(c->from),
                          or_dash(c->to), c->before, c->after);
    }
    odp_buffer_printf(&out, "%s %s", odp_level_name(changes.level), changes.comparable ? "keyed" : "whole");
    assert_string_equal(odp_buffer_cstr(&out), expected);
    odp_buffer_release(&out);
    odp_arena_release(&a);
    json_decref(old_json);
    json_decref(now_json);
}

#define F(name, type)        "{'name':'" name "','type':'" type "'}"
#define FX(name, type, more) "{'name':'" name "','type':'" type "'," more "}"
#define S(fields)            "{'fields':[" fields "],'primaryKey':['id']}"
#define ID                   F("id", "string")

TEST(fields)
{
    check(S(ID "," F("a", "number")), S(ID "," F("a", "number")), "none keyed");
    check(S(ID "," F("a", "number")), S(ID), "field-removed:a:-:: | major keyed");
    check(S(ID), S(ID "," F("a", "number")), "field-added:-:a:: | minor keyed");
    check(S(ID "," F("a", "number")), S(ID "," FX("b", "number", "'odp:formerNames':['x','a']")),
          "field-renamed:a:b:: | major keyed");
    /* a former name that is still there, or was taken by another, is no rename */
    check(S(ID "," F("a", "number")),
          S(ID "," F("a", "number") "," FX("b", "number", "'odp:formerNames':['a']")),
          "field-added:-:b:: | minor keyed");
    check(S(ID "," F("a", "number")),
          S(ID "," FX("b", "number", "'odp:formerNames':['a']") "," FX("c", "number",
                                                                       "'odp:formerNames':['a']")),
          "field-renamed:a:b:: | field-added:-:c:: | major keyed");
    /* what was announced of the old name is done with it */
    check(
        S(ID "," FX(
            "a", "number",
            "'odp:deprecated':'2024-01-01','odp:sunset':'2024-06-01','odp:replacedBy':null,'odp:note':'x'")),
        S(ID "," FX("b", "number", "'odp:formerNames':['a']")), "field-renamed:a:b:: | major keyed");
    /* the name's history stays in the schema of later versions */
    check(S(ID "," FX("b", "number", "'odp:formerNames':['a']")),
          S(ID "," FX("b", "number", "'odp:formerNames':['a']")), "none keyed");
    check(S(ID "," F("a", "number")), S(ID "," F("a", "integer")),
          "field-type:a:a:number:integer | major keyed");
    check(S(ID "," F("a", "array")), S(ID "," FX("a", "array", "'odp:type':'list'")),
          "field-type:a:a:array:list | major keyed");
    check(S(ID "," F("a", "geojson")), S(ID "," FX("a", "geojson", "'format':'topojson'")),
          "field-type:a:a:geojson:geojson (topojson) | major keyed");
    check(S(ID "," FX("a", "number", "'odp:unit':{'id':'hektare','en':'hectare'}")),
          S(ID "," FX("a", "number", "'odp:unit':{'id':'meter persegi','en':'square metre'}")),
          "field-unit:a:a:hektare:meter persegi | major keyed");
    check(S(ID "," F("a", "number")), S(ID "," FX("a", "number", "'odp:unit':{'id':'m','en':'m'}")),
          "field-unit:a:a::m | major keyed");
    /* values that became addresses of files, or ceased to be; descriptions are not part of the contract */
#define D "'odp:document':{'mediaType':'application/pdf','description':{'id':'x','en':'y'}}"
    check(S(ID "," F("a", "string")), S(ID "," FX("a", "string", D)),
          "field-type:a:a:string:string (odp:document) | major keyed");
    check(S(ID "," FX("a", "string", D)), S(ID "," F("a", "string")),
          "field-type:a:a:string (odp:document):string | major keyed");
    check(S(ID "," FX("a", "string", D)), S(ID "," FX("a", "string", "'odp:document':{}")), "none keyed");
    check(S(ID), S(ID "," FX("a", "string", D)), "field-added:-:a:: | minor keyed");
#undef D
    /* a rename and all that came with it; removed before renamed before changed before added */
    check(S(ID "," F("z", "string") "," F("a", "number")),
          S(ID "," F("n", "date") "," FX("b", "string", "'odp:formerNames':['a']")),
          "field-removed:z:-:: | field-renamed:a:b:: | field-type:a:b:number:string | field-added:-:n:: | "
          "major keyed");
}

TEST(constraints)
{
#define C(inside) S(ID "," FX("a", "string", "'constraints':{" inside "}"))
    check(C("'required':true"), C("'required':false"), "field-optional:a:a:: | major keyed");
    check(C("'required':true"), S(ID "," F("a", "string")), "field-optional:a:a:: | major keyed");
    check(S(ID "," F("a", "string")), C("'required':true"), "field-constraint:a:a:: | patch keyed");
    check(C("'maxLength':5"), C("'maxLength':6"), "field-constraint:a:a:: | patch keyed");
    check(C("'required':true,'pattern':'a+'"), C("'pattern':'b+'"),
          "field-optional:a:a:: | field-constraint:a:a:: | major keyed");
    check(S(ID "," F("a", "string")), S(ID "," FX("a", "string", "'format':'email'")),
          "field-constraint:a:a:: | patch keyed");
    check(C("'enum':['x','y']"), C("'enum':['y','z','w']"),
          "category-added:a:a::z, w | category-removed:a:a:x: | minor keyed");
    check(C("'enum':[1,2]"), C("'enum':[1]"), "category-removed:a:a:2: | patch keyed");
    check(C("'enum':['x']"), S(ID "," F("a", "string")), "category-added:a:a::* | minor keyed");
    check(S(ID "," F("a", "string")), C("'enum':['x']"), "field-constraint:a:a:: | patch keyed");
#undef C
#define K(list, more) S(ID "," FX("a", "string", "'categories':[" list "]" more))
    check(K("'x','y'", ""), K("'x','y','z'", ""), "category-added:a:a::z | minor keyed");
    check(K("'x','y'", ""), K("{'value':'x','label':'X'},'y'", ""), "field-wording:a:a:: | patch keyed");
    check(K("'x','y'", ""), K("'y','x'", ""), "none keyed");
    check(K("'x','y'", ",'categoriesOrdered':true"), K("'y','x'", ",'categoriesOrdered':true"),
          "field-constraint:a:a:: | patch keyed");
    check(K("'x'", ""), K("'x'", ",'categoriesOrdered':true"), "field-constraint:a:a:: | patch keyed");
#undef K
}

TEST(wording)
{
    check(S(ID "," F("a", "number")), S(ID "," FX("a", "number", "'title':'A'")),
          "field-wording:a:a:: | patch keyed");
    check(S(ID "," FX("a", "number", "'sdi:konsep':'x'")), S(ID "," FX("a", "number", "'sdi:konsep':'y'")),
          "field-wording:a:a:: | patch keyed");
    /* the order of members does not count */
    check(S(ID "," FX("a", "number", "'title':'A','description':'B'")),
          S(ID "," FX("a", "number", "'description':'B','title':'A'")), "none keyed");
    check(S(ID "," F("a", "number")),
          S(ID "," FX("a", "number",
                      "'odp:deprecated':'2024-01-01','odp:sunset':'2025-01-01','odp:replacedBy':'b'")),
          "field-deprecated:a:a::2025-01-01 | patch keyed");
    check(S(ID "," FX("a", "number", "'odp:deprecated':'2024-01-01','odp:sunset':'2025-01-01'")),
          S(ID "," FX("a", "number", "'odp:deprecated':'2024-01-01','odp:sunset':'2026-01-01'")),
          "field-deprecated:a:a:2025-01-01:2026-01-01 | patch keyed");
    check(S(ID "," FX("a", "number", "'odp:deprecated':'2024-01-01','odp:sunset':'2025-01-01'")),
          S(ID "," F("a", "number")), "field-wording:a:a:: | patch keyed");
}

TEST(whole)
{
#define AB F("a", "string") "," F("b", "string")
    check("{'fields':[" AB "],'primaryKey':['a']}", "{'fields':[" AB "],'primaryKey':['a','b']}",
          "key:-:-:a:a, b | major keyed");
    check("{'fields':[" AB "],'primaryKey':['a','b']}", "{'fields':[" AB "],'primaryKey':['b','a']}",
          "key:-:-:a, b:b, a | major keyed");
    check("{'fields':[" AB "]}", "{'fields':[" AB "],'primaryKey':['a']}", "key:-:-::a | major keyed");
    check("{'fields':[" AB "],'primaryKey':'a'}", "{'fields':[" AB "]}", "key:-:-:a: | major whole");
    check("{'fields':[" AB "]}", "{'fields':[" AB "," F("c", "string") "],'primaryKey':['c']}",
          "field-added:-:c:: | key:-:-::c | major whole");
    /* a key whose field was renamed is the same key */
    check("{'fields':[" AB "],'primaryKey':['a']}",
          "{'fields':[" FX("x", "string", "'odp:formerNames':['a']") "," F("b",
                                                                           "string") "],'primaryKey':['x']}",
          "field-renamed:a:x:: | major keyed");
    check("{'fields':[" AB "],'uniqueKeys':[['a'],['b']]}", "{'fields':[" AB "],'uniqueKeys':[['b'],['a']]}",
          "none whole");
    check("{'fields':[" AB "],'uniqueKeys':[['a']]}", "{'fields':[" AB "],'uniqueKeys':[['a'],['a','b']]}",
          "unique-keys:-:-:(a):(a), (a, b) | minor whole");
    check("{'fields':[" AB "]}", "{'fields':[" F("b", "string") "," F("a", "string") "]}",
          "field-order:-:-:: | patch whole");
    /* fields that come or go between others do not change their order */
    check("{'fields':[" AB "]}",
          "{'fields':[" F("n", "string") "," F("a", "string") "," F("m", "string") "," F("b", "string") "]}",
          "field-added:-:n:: | field-added:-:m:: | minor whole");
#define G(geometry) "{'fields':[" AB "]" geometry "}"
    check(G(",'odp:geometry':{'types':['Point']}"), G(""), "geometry-removed:-:-:: | major whole");
    check(G(""), G(",'odp:geometry':{'types':['Point']}"), "geometry-added:-:-:: | minor whole");
    check(G(",'odp:geometry':{'types':['Polygon']}"),
          G(",'odp:geometry':{'types':['Polygon','MultiPolygon']}"),
          "geometry-types:-:-:Polygon:Polygon, MultiPolygon | minor whole");
}

TEST(sentences)
{
    static const struct {
        struct odp_schema_change change;
        const char *id, *en;
    } rows[] = {
        {{ODP_SCHEMA_FIELD_ADDED, NULL, "sumber_air", "", ""},
         "kolom sumber_air ditambahkan",
         "field sumber_air was added"},
        {{ODP_SCHEMA_FIELD_REMOVED, "x", NULL, "", ""}, "kolom x dihapus", "field x was removed"},
        {{ODP_SCHEMA_FIELD_RENAMED, "a", "b", "", ""},
         "kolom a berganti nama menjadi b",
         "field a was renamed b"},
        {{ODP_SCHEMA_UNIT, "a", "a", "", "ha"},
         "satuan kolom a berubah dari — menjadi ha",
         "unit of field a changed from — to ha"},
        {{ODP_SCHEMA_KEY, NULL, NULL, "a", "a, b"},
         "kunci utama berubah dari a menjadi a, b",
         "primary key changed from a to a, b"},
    };
    for (size_t i = 0; i < ODP_COUNT(rows); i++) {
        struct odp_buffer out = {0};
        odp_schema_change_text(&out, &rows[i].change, ODP_LANG_ID);
        assert_string_equal(odp_buffer_cstr(&out), rows[i].id);
        odp_buffer_clear(&out);
        odp_schema_change_text(&out, &rows[i].change, ODP_LANG_EN);
        assert_string_equal(odp_buffer_cstr(&out), rows[i].en);
        odp_buffer_release(&out);
    }
}
