/* Versions of a dataset as they are read: what an older program wrote is understood. */
#include "run.h"

#include "published/history.h"

TEST(rows_are_the_main_table_s)
{
    ARENA(arena);
    struct odp_history h = {.slug = "proyek", .json = json_array()};
    json_t *entry =
        json_pack("{s:s, s:s, s:s, s:s, s:i, s:[{s:s, s:i}, {s:s, s:i}]}", "version", "2024-03-15", "date",
                  "2024-03-15", "state", "published", "digest",
                  "sha256:0000000000000000000000000000000000000000000000000000000000000000", "rows", 2400,
                  "resources", "name", "proyek", "rows", 400, "name", "timeline", "rows", 2000);
    assert_non_null(entry);
    must(odp_history_add_take(&h, entry, &arena));
    assert_int_equal(json_integer_value(json_object_get(h.versions[0].json, "rows")), 400);
    odp_version_thin(&h.versions[0], NULL);
    assert_null(json_object_get(h.versions[0].json, "rows"));
    odp_history_release(&h);
}
