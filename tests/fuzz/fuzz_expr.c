/* Any bytes as an expression of a row rule: where a fault points must lie in the text; what compiles is evaluated. */
#include <stdlib.h>

#include "expr/expr.h"
#include "fuzz.h"

enum { FIELDS = 10, ROWS = 4 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void evaluate(const struct odp_expr *expr, const struct odp_schema *schema)
{
    static const char *const values[ROWS][FIELDS] = {
        {"12.5", "Kel. Caf\xc3\xa9", "2024-02-29", "2024-02-29T23:59:60.5+07:00", "7", "true", "24:00:00", "2024-02", "2024", "P1Y2M"},
        {"-99999999999999999999999999999999999999.9", "", "0001-01-01", "0000-12-31T00:00:00Z", "-0", "false", "00:00:00", "0001-01", "-1", "PT0S"},
        {"1e-300", "%_\\", "9999-12-31", "9999-12-31T23:59:59-14:00", "9223372036854775808", "true", "12:00:00.123456789", "9999-12", "9999", "-P1D"},
        {NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL},
    };
    static struct odp_slice text[FIELDS][ROWS];
    static uint8_t state[FIELDS][ROWS];
    struct odp_column columns[FIELDS];
    struct odp_batch b = {.nrecords = ROWS, .columns = columns};
    uint8_t out[ROWS] = {9, 9, 9, 9};
    struct odp_arena scratch;
    size_t n;
    const uint32_t *used = odp_expr_fields(expr, &n);
    for (size_t i = 0; i < n; i++)
        if (used[i] >= schema->n)
            abort();
    for (int f = 0; f < FIELDS; f++) {
        columns[f] = (struct odp_column){text[f], state[f]};
        for (int i = 0; i < ROWS; i++) {
            text[f][i] = odp_slice_of(values[i][f]);
            state[f][i] = values[i][f] == NULL ? ODP_VALUE_NULL : i == 2 && f == 0 ? ODP_VALUE_BAD : ODP_VALUE_OK;
        }
    }
    odp_arena_init(&scratch);
    if (odp_expr_eval(expr, &b, &scratch, out) != ODP_OK)
        abort();
    for (int i = 0; i < ROWS; i++)
        if (out[i] > ODP_UNKNOWN)
            abort();
    odp_arena_release(&scratch);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct {
        const char *name;
        enum odp_type type;
    } names[FIELDS] = {{"a", ODP_TYPE_NUMBER},   {"b", ODP_TYPE_STRING}, {"d", ODP_TYPE_DATE},      {"t", ODP_TYPE_DATETIME}, {"i", ODP_TYPE_INTEGER},
                       {"y", ODP_TYPE_BOOLEAN}, {"j", ODP_TYPE_TIME},   {"m", ODP_TYPE_YEARMONTH}, {"th", ODP_TYPE_YEAR},    {"l", ODP_TYPE_DURATION}};
    struct odp_field fields[FIELDS] = {0};
    struct odp_schema schema = {.fields = fields, .n = FIELDS};
    struct odp_arena arena;
    const struct odp_expr *expr = NULL;
    struct odp_expr_fault fault = {0};

    for (int f = 0; f < FIELDS; f++)
        fields[f] = (struct odp_field){.name = names[f].name, .source_name = names[f].name, .type = names[f].type};
    odp_arena_init(&arena);
    enum odp_status status = odp_expr_compile(&arena, (struct odp_slice){(const char *)data, size}, &schema, &expr, &fault);
    if (status == ODP_FAIL || (status == ODP_BAD && (fault.at > size || fault.len > size - fault.at || fault.message.in[0] == NULL)))
        abort();
    if (status == ODP_OK)
        evaluate(expr, &schema);
    odp_arena_release(&arena);
    odp_failure_clear();
    return 0;
}
