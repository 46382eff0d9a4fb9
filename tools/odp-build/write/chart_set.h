/* Inside of write: the data of all charts that a resource declares, gathered from chunks of cells. */
#pragma once

#include "write/cells.h"
#include "write/charts/chart.h"

struct odp_chart_set {
    struct odp_chart_data **data; /* n of them, in A */
    size_t n;
};
/* Release it in every case. */
void odp_chart_set_init(struct odp_chart_set *s, const struct odp_resource *r, struct odp_arena *a);
void odp_chart_set_release(struct odp_chart_set *s);
void odp_chart_set_add(struct odp_chart_set *s, const struct odp_cells *cells);
/* What is derived and shows nothing is left out. */
enum odp_status odp_chart_set_finish(struct odp_chart_set *s,
                                     const struct odp_code_lists *codes) ODP_MUST_USE;
