/* jsonSchema of objects and arrays (ODP-B12). */

#include "base/json_load.h"
#include "check/check_internal.h"
#include "check/json_schema.h"

static bool applies(const struct odp_validator *v, uint32_t field)
{
    const struct odp_field *f = &v->schema->fields[field];
    return f->constraints.json_schema != NULL &&
           (f->type == ODP_TYPE_OBJECT || f->type == ODP_TYPE_ARRAY || f->type == ODP_TYPE_GEOJSON);
}

static void check_column(struct odp_check *c, uint32_t field)
{
    const struct odp_field *f = odp_check_field(c, field);
    for (uint32_t i = 0; i < c->n; i++) {
        json_error_t error;
        if (c->state[i] != ODP_VALUE_OK)
            continue;
        json_t *value = odp_json_load(c->text[i].ptr, c->text[i].len, 0, &error);
        if (value == NULL) {
            /* The text is JSON; what jansson cannot hold is a number beyond its range, or \u0000 in a name.
             */
            if (json_error_code(&error) == json_error_out_of_memory) {
                (void)odp_failure_memory();
                c->failed = true;
            } else {
                odp_check_fault(c, i, (int)field, ODP_B12)->args[0] = ODP_LIT("number");
            }
            continue;
        }
        enum odp_status status = odp_json_schema_check(f->constraints.json_schema, value, &c->w->buffer);
        json_decref(value);
        c->failed = c->failed || status == ODP_FAIL;
        if (status == ODP_BAD) {
            struct odp_slice why = odp_check_copy(c, odp_buffer_slice(&c->w->buffer));
            odp_check_fault(c, i, (int)field, ODP_B12)->args[0] = why;
        }
    }
}

const struct odp_rule_kind odp_rule_json_schema = {
    .name = "json-schema", .applies = applies, .column = check_column};
