/* published/doc: what is printed is what jansson prints. */
#include "run.h"

#include "base/json_load.h"
#include "published/doc.h"

TEST(prints_like_jansson)
{
    static const char text[] =
        "{\"a\":[],\"b\":{},\"c\":[1,-1,0,9223372036854775807,1.5,1e300,0.1,true,false,null,[[\"\"]]],"
        "\"quote\\\"\":\"\\\"\\\\/\\n\\u0001\\u007f\\u2028\\u00e9 Jalan panjang tanpa "
        "tanda\",\"\":{\"d\":{\"e\":[{}]}}}";
    static const size_t flags[] = {ODP_DOC_LINE,   ODP_DOC_PRETTY,
                                   ODP_DOC_NARROW, 0,
                                   JSON_COMPACT,   JSON_COMPACT | JSON_REAL_PRECISION(17)};
    json_t *value = odp_json_load(text, sizeof text - 1, 0, NULL);
    assert_non_null(value);
    for (size_t i = 0; i < ODP_COUNT(flags); i++) {
        struct odp_buffer out = {0};
        char *right = json_dumps(value, flags[i]);
        must(odp_doc_print(&out, value, flags[i]));
        assert_string_equal(odp_buffer_cstr(&out), right);
        odp_json_free_text(right);
        odp_buffer_release(&out);
    }
    json_decref(value);
}
