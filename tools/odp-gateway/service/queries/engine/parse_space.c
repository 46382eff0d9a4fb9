/* bbox, and the names of coordinate systems. There is one: CRS84 (WGS 84, longitude before latitude). */
#include <math.h>
#include <stdlib.h>

#include "service/queries/engine/engine_internal.h"
#include "words/queries.h"

static bool is_crs84(struct odp_slice s)
{
    static const char *const all[] = {"http://www.opengis.net/def/crs/OGC/1.3/CRS84",
                                      "https://www.opengis.net/def/crs/OGC/1.3/CRS84",
                                      "http://www.opengis.net/def/crs/OGC/0/CRS84h",
                                      "urn:ogc:def:crs:OGC:1.3:CRS84",
                                      "[OGC:CRS84]",
                                      "OGC:CRS84",
                                      "CRS84"};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (odp_slice_is(s, all[i]))
            return true;
    return false;
}

static enum odp_status check_crs(struct query_parsing *p, enum query_parameter parameter)
{
    struct odp_slice value = p->given[parameter];
    if (value.ptr == NULL || is_crs84(value))
        return ODP_OK;
    return query_fault_in(p, parameter, value, W_queries_there_no_coordinate_system_here,
                          ODP_LIT("http://www.opengis.net/def/crs/OGC/1.3/CRS84"));
}

static enum odp_status fault_number(struct query_parsing *p, struct odp_slice item, const char *id,
                                    const char *en)
{
    return query_fault_in(p, QUERY_P_BBOX, item, id, en, QUERY_NOTHING);
}

/* 4 or 6 numbers; of 6, the third and sixth are heights, which are not looked at. */
static enum odp_status read_numbers(struct query_parsing *p, struct odp_slice items[7], double numbers[7],
                                    size_t *n)
{
    struct odp_decimal_form form = {.decimal = '.', .bare = true};
    struct odp_slice value = p->given[QUERY_P_BBOX], item;
    char text[ODP_DECIMAL_SIZE + 1];
    size_t at = 0, len;
    bool same, zero;
    for (*n = 0; *n < 7 && query_next_item(value, &at, &item); ++*n) {
        items[*n] = item;
        if (odp_decimal_parse(item, &form, text, &len, &same, &zero) != ODP_DECIMAL_OK)
            return fault_number(p, item, W_queries_no_number_four_numbers_expected);
        text[len] = '\0';
        numbers[*n] = strtod(text, NULL);
        if (!isfinite(numbers[*n]))
            numbers[*n] = numbers[*n] < 0 ? -1e300 : 1e300;
    }
    if (*n == 4 || *n == 6)
        return ODP_OK;
    return fault_number(p, value, W_queries_four_numbers_west_south_east);
}

/* Takes what lies outside of the world away from BOX; across 180° (west > east) both must lie in it. */
static enum odp_status check_box(struct query_parsing *p, const struct odp_slice items[4], double box[4])
{
    if (box[1] > box[3])
        return fault_number(p, items[1], W_queries_south_greater_than_north_order);
    if (box[3] < -90 || box[1] > 90)
        return fault_number(p, items[1], W_queries_latitude_not_within_90_90);
    if (box[0] > box[2])
        for (int i = 0; i < 3; i += 2)
            if (box[i] < -180 || box[i] > 180)
                return fault_number(p, items[i], W_queries_longitude_not_within_180_180);
    if (box[2] < -180 || box[0] > 180)
        return fault_number(p, items[0], W_queries_longitude_not_within_180_180_2);
    for (int i = 0; i < 4; i++) {
        double most = i % 2 == 0 ? 180 : 90;
        box[i] = box[i] < -most ? -most : box[i] > most ? most : box[i];
    }
    return ODP_OK;
}

/* V without loss, as short as it goes. */
static void add_double(struct odp_buffer *b, double v)
{
    char text[48];
    for (int places = 0; places <= 15; places++) {
        size_t n = odp_decimal_fixed(v, places, text);
        text[n] = '\0';
        if (n > 0 && strtod(text, NULL) == v) {
            odp_buffer_add(b, text, n);
            return;
        }
    }
    odp_buffer_printf(b, "%.17g", v);
}

enum odp_status query_parse_bbox(struct query_parsing *p)
{
    static const enum query_parameter systems[] = {QUERY_P_FILTER_CRS, QUERY_P_BBOX_CRS, QUERY_P_CRS};
    struct odp_query *q = p->q;
    struct odp_slice items[7];
    double numbers[7];
    size_t n;
    enum odp_status status = ODP_OK;
    for (size_t i = 0; i < sizeof systems / sizeof *systems && status == ODP_OK; i++)
        status = check_crs(p, systems[i]);
    if (status != ODP_OK || p->given[QUERY_P_BBOX].ptr == NULL)
        return status;
    if ((status = read_numbers(p, items, numbers, &n)) != ODP_OK)
        return status;
    size_t east = n == 6 ? 3 : 2;
    struct odp_slice corners[4] = {items[0], items[1], items[east], items[east + 1]};
    double box[4] = {numbers[0], numbers[1], numbers[east], numbers[east + 1]};
    if (n == 6 && numbers[2] > numbers[5])
        return fault_number(p, items[2], W_queries_lowest_height_greater_than_highest);
    if ((status = check_box(p, corners, box)) != ODP_OK || !q->info->has_geometry)
        return status; /* without geometry all records match */
    struct odp_expr_scope scope = {.schema = &q->info->schema, .geometry = q->info->geometry_name};
    if ((status = odp_expr_box(q->arena, &scope, box, &q->box)) == ODP_BAD)
        return fault_number(p, p->given[QUERY_P_BBOX], W_queries_no_box_west_south_east);
    if (status != ODP_OK)
        return status;
    memcpy(q->bounds, box, sizeof box);
    for (int i = 0; i < 4; i++) {
        odp_buffer_add_str(&p->scratch, i > 0 ? "," : "");
        add_double(&p->scratch, box[i]);
    }
    query_add_pair(p, query_parameter_name(QUERY_P_BBOX), QUERY_PAIR_CONDITION);
    return ODP_OK;
}
