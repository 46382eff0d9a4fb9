/* published/doc: what is printed is what jansson prints. */
#include "run.h"

#include "published/doc.h"

TEST(prints_like_jansson)
{
    static const size_t flags[] = {ODP_DOC_LINE, ODP_DOC_NARROW, 0};
    json_t *value = json_loads(
        "{\"a\\\"\":[],\"b\":[1,-1,1e300,0.1,true,[null]],\"c\":{\"d\":{\"\":\"\\n\\u0001\\u007f\\u2028\"}}}",
        0, NULL);
    for (size_t i = 0; i < ODP_COUNT(flags); i++) {
        struct odp_buffer out = {0};
        char *right = json_dumps(value, flags[i]);
        must(odp_doc_print(&out, value, flags[i]));
        assert_string_equal(odp_buffer_cstr(&out), right);
        free(right);
        odp_buffer_release(&out);
    }
    json_decref(value);
}
