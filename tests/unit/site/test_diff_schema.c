/* Changes between two schemas. */
#include "answer_lines.h"
#include "json_holds.h"

#include "published/schema_change.h"

static const char *or_dash(const char *s)
{
    return s != NULL ? s : "-";
}

/* Questions of changes.txt: "old SCHEMA" for those that follow, "now SCHEMA": its answer is
 * "kind:from:to:before:after" for each change, then the level and whether rows can be matched. */
static void compare(void *ctx, struct odp_slice question, struct odp_buffer *out)
{
    json_t **old_json = ctx;
    json_t *json = parsed(question.ptr + 4);
    if (strncmp(question.ptr, "old ", 4) == 0) {
        json_decref(*old_json);
        *old_json = json;
        return;
    }
    ARENA(a);
    struct odp_layout *old, *now;
    struct odp_schema_changes changes;
    const char *why = "";
    must(odp_layout_read(&old, *old_json, &a, &why));
    must(odp_layout_read(&now, json, &a, &why));
    must(odp_schema_compare(&changes, old, now, &a));
    for (size_t i = 0; i < changes.n; i++) {
        const struct odp_schema_change *c = &changes.items[i];
        odp_buffer_printf(out, "%s:%s:%s:%s:%s | ", odp_schema_change_name(c->kind), or_dash(c->from),
                          or_dash(c->to), c->before, c->after);
    }
    odp_buffer_printf(out, "%s %s", odp_level_name(changes.level), changes.comparable ? "keyed" : "whole");
    json_decref(json);
}

TEST(changes)
{
    json_t *old = NULL;
    answer_lines("site/changes.txt", compare, &old);
    json_decref(old);
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
        BUFFER(out);
        odp_schema_change_text(&out, &rows[i].change, ODP_LANG_ID);
        assert_string_equal(odp_buffer_cstr(&out), rows[i].id);
        odp_buffer_clear(&out);
        odp_schema_change_text(&out, &rows[i].change, ODP_LANG_EN);
        assert_string_equal(odp_buffer_cstr(&out), rows[i].en);
    }
}
