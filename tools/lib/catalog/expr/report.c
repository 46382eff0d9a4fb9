#include "catalog/expr/report.h"

enum odp_status odp_expr_report(struct odp_diag d, const struct odp_expr_fault *fault,
                                struct odp_diags *diags)
{
    d.code = ODP_C09;
    d.column += fault->at;
    d.value = d.source;
    d.mark_start = (uint32_t)(fault->at < d.source.len ? fault->at : d.source.len);
    d.mark_len =
        (uint32_t)(fault->len < d.source.len - d.mark_start ? fault->len : d.source.len - d.mark_start);
    d.args[0] = odp_slice_of(d.rule);
    d.args[1] = odp_slice_of("");
    d.message = &fault->message;
    return odp_diags_refuse(diags, &d);
}
