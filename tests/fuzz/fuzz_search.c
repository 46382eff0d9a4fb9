/* Any bytes as what a query index says of itself, or, where they are no object, as a decimal and a date-time.
 *
 * Beside the sanitizers: what was understood writes the same JSON again, every number in it points to a
 * column, and no two columns share a name in SQL; a decimal's double is the one that the C library reads, an
 * instant is canonical, and back again. */
#include "fuzz.h"

#include <stdio.h>

#include "base/decimal.h"
#include "catalog/index/search.h"

static void check_places(const struct odp_search_info *i)
{
    const int places[] = {i->datetime[0], i->datetime[1], i->project, i->milestone,
                          i->planned,     i->actual,      i->date,    i->delay};
    for (size_t k = 0; k < ODP_COUNT(places); k++)
        NEED(places[k] >= -1 && places[k] < (int)i->ncolumns);
    for (uint32_t k = 0; k < i->nkey; k++)
        NEED(i->key[k] < i->nfields);
    for (uint32_t k = 0; k < i->ncolumns; k++) {
        NEED(odp_search_find(i, odp_slice_of(i->columns[k].name)) == (int)k);
        for (uint32_t j = 0; j < k && k < 50; j++)
            NEED(strcmp(i->columns[j].sql, i->columns[k].sql) != 0);
        NEED(i->columns[k].of_record == (k < i->nfields) && i->columns[k].type < ODP_TYPE_COUNT);
    }
    NEED(i->schema.n == i->ncolumns && i->nfields <= i->ncolumns);
    NEED(i->has_geometry == (i->geometry_name != NULL) && i->slug != NULL && i->version != NULL);
}

static void info(struct odp_slice text)
{
    struct odp_arena arena;
    struct odp_search_info i, back;
    struct odp_buffer once = {0}, twice = {0};
    odp_arena_init(&arena);
    enum odp_status status = odp_search_info_read(&i, text, &arena);
    NEED(status == ODP_OK || status == ODP_BAD);
    if (status == ODP_OK) {
        check_places(&i);
        NEED(odp_search_info_write(&i, &once) == ODP_OK);
        NEED(odp_search_info_read(&back, odp_buffer_slice(&once), &arena) == ODP_OK);
        NEED(odp_search_info_write(&back, &twice) == ODP_OK);
        NEED(odp_slice_eq(odp_buffer_slice(&once), odp_buffer_slice(&twice)));
    }
    odp_buffer_release(&once);
    odp_buffer_release(&twice);
    odp_arena_release(&arena);
}

static void values(struct odp_slice s)
{
    static const struct odp_decimal_form form = {.decimal = '.'};
    char canonical[ODP_DECIMAL_SIZE + 1], out[ODP_DATETIME_SIZE];
    size_t len;
    bool same, zero;
    double value;
    int scale;
    (void)odp_search_real(s, &value, &scale);
    if (odp_decimal_parse(s, &form, canonical, &len, &same, &zero) == ODP_DECIMAL_OK) {
        canonical[len] = '\0';
        if (odp_search_real((struct odp_slice){canonical, len}, &value, &scale))
            NEED(value == strtod(canonical, NULL) && scale >= 0);
    }
    len = odp_search_instant(s, out);
    NEED(len < sizeof out);
    NEED((odp_search_instant_text((struct odp_slice){out, len}, canonical) > 0) == (len > 0));
}

void fuzz_one(struct odp_slice in)
{
    if (in.len > 0 && *in.ptr == '{')
        info(in);
    else if (in.len > 0)
        values(in);
}
