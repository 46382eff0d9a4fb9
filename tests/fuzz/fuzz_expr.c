/* Any bytes as an expression of a row rule. */
#include <stdlib.h>

#include "expr/expr.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct odp_field fields[] = {{.name = "a", .source_name = "a", .type = ODP_TYPE_NUMBER}, {.name = "b", .source_name = "b", .type = ODP_TYPE_STRING},
                                 {.name = "d", .source_name = "d", .type = ODP_TYPE_DATE}, {.name = "t", .source_name = "t", .type = ODP_TYPE_DATETIME}};
    struct odp_schema schema = {.fields = fields, .n = 4};
    struct odp_arena arena;
    const struct odp_expr *expr = NULL;
    struct odp_expr_fault fault = {0};

    odp_arena_init(&arena);
    enum odp_status status = odp_expr_compile(&arena, (struct odp_slice){(const char *)data, size}, &schema, &expr, &fault);
    if (status == ODP_FAIL || (status == ODP_BAD && (fault.at > size || fault.len > size - fault.at || fault.message.in[0] == NULL)))
        abort();
    odp_arena_release(&arena);
    return 0;
}
