#include "write/chart_set.h"

void odp_chart_set_init(struct odp_chart_set *s, const struct odp_resource *r, struct odp_arena *a)
{
    *s = (struct odp_chart_set){0};
    s->data = odp_arena_zero(a, r->ncharts + 1, sizeof(struct odp_chart_data *));
    for (; s->n < r->ncharts; s->n++)
        s->data[s->n] = odp_chart_data_new(&r->charts[s->n], r);
}

void odp_chart_set_release(struct odp_chart_set *s)
{
    for (size_t i = 0; i < s->n; i++)
        odp_chart_data_free(s->data[i]);
    s->n = 0;
}

void odp_chart_set_add(struct odp_chart_set *s, const struct odp_cells *cells)
{
    for (size_t i = 0; i < s->n; i++)
        odp_chart_data_add(s->data[i], cells->field, cells->has_geometry ? cells->at : NULL);
}

enum odp_status odp_chart_set_finish(struct odp_chart_set *s, const struct odp_code_lists *codes)
{
    enum odp_status status = ODP_OK;
    size_t kept = 0;
    for (size_t i = 0; i < s->n && status == ODP_OK; i++)
        status = odp_chart_data_finish(s->data[i], codes);
    for (size_t i = 0; i < s->n && status == ODP_OK; i++) { /* nobody asked for these */
        if (odp_chart_data_is_idle(s->data[i]))
            odp_chart_data_free(s->data[i]);
        else
            s->data[kept++] = s->data[i];
    }
    s->n = status == ODP_OK ? kept : s->n;
    return status;
}
