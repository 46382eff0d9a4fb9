/* Inside of the type rule: text of a cell to the canonical text of its field's type. One function a family of
 * types. */
#pragma once

#include "check/check_internal.h"

/* Each works on column FIELD of c: replaces text by canonical text (in the batch's arena where it differs) or
 * notes a fault. */
void odp_type_string(struct odp_check *c, uint32_t field);
void odp_type_number(struct odp_check *c, uint32_t field);
void odp_type_boolean(struct odp_check *c, uint32_t field);
void odp_type_date(struct odp_check *c, uint32_t field); /* date, time, datetime, year, yearmonth */
void odp_type_duration(struct odp_check *c, uint32_t field);
void odp_type_geopoint(struct odp_check *c, uint32_t field);
void odp_type_json(struct odp_check *c, uint32_t field); /* object, array */
void odp_type_geojson(struct odp_check *c, uint32_t field);
void odp_type_list(struct odp_check *c, uint32_t field);

/* Room for the column's numbers, which stay with the batch. False: nobody asks for them (a trial), or there
 * is no memory. */
bool odp_type_make_numbers(struct odp_check *c, uint32_t field);

/* The compact form of valid JSON text: white space between its tokens left out; numbers stay as written. */
struct odp_slice odp_json_compact(struct odp_check *c, struct odp_slice s);

static inline bool odp_check_native(const struct odp_check *c, uint32_t i, uint32_t field)
{
    const struct odp_cell *cell = odp_check_cell(c, i, field);
    return cell != NULL && (cell->flags & ODP_CELL_NATIVE) != 0;
}
