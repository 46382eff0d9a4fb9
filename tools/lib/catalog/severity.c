/* odp:severity: what becomes of a diagnostic. */
#include "catalog/catalog_internal.h"

const char *const severity_words[] = {"off", "note", "warning", "error", NULL}; /* by enum odp_severity */

/* odp:severity of a package or a resource: {code or name: severity}. A resource's entries override its
 * package's. */
const signed char *severity_read(struct node n, const signed char *inherited)
{
    struct node map = node_get(n, "odp:severity");
    if (!node_is_object(map))
        return inherited;
    signed char *table = doc_zero(n.doc, ODP_CODE_COUNT, sizeof *table);
    if (inherited != NULL)
        memcpy(table, inherited, ODP_CODE_COUNT * sizeof *table);
    else
        memset(table, -1, ODP_CODE_COUNT * sizeof *table);
    for (struct node_iter it = node_iterate(map); node_next(&it);) {
        int code = odp_code_find(it.item.key);
        int severity = node_choice(it.item, severity_words);
        if (code < 0 || code >= ODP_CODE_COUNT) {
            struct odp_slice names[ODP_CODE_COUNT];
            for (int i = 0; i < ODP_CODE_COUNT; i++)
                names[i] = odp_slice_of(odp_code_info((enum odp_code)i)->name);
            int near = odp_meant(odp_slice_of(it.item.key), names, ODP_CODE_COUNT);
            node_fault_key(it.item, ODP_C05, it.item.key,
                           near >= 0 ? names[near].ptr : "ODP-T01 … (odp-build explain)");
        } else if (severity >= 0 && severity < ODP_SEVERITY_ERROR && odp_code_is_firm((enum odp_code)code)) {
            node_fault(it.item, ODP_C38, it.item.key, "\"error\"");
        } else if (severity >= 0) {
            table[code] = (signed char)severity;
        }
    }
    return table;
}

bool odp_resource_refuses(const struct odp_resource *r, enum odp_code code)
{
    signed char own = r->severity != NULL ? r->severity[code] : (signed char)-1;
    return (own >= 0 ? (enum odp_severity)own : odp_code_info(code)->severity) == ODP_SEVERITY_ERROR;
}
