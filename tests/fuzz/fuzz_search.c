/* Any bytes as what a query index says of itself, or, where they are no object, as a decimal and a date-time.
 *
 * Beside the sanitizers: what was understood writes the same JSON again, every number in it points to a
 * column, and no two columns share a name in SQL; a decimal's double is the one that the C library reads, an
 * instant is canonical, and back again. */
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "catalog/index/search.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool ok, const char *what)
{
    if (ok)
        return;
    fprintf(stderr, "fuzz: %s (%s)\n", what, odp_failure_text());
    abort();
}

static void check_places(const struct odp_search_info *i)
{
    const int places[] = {i->datetime[0], i->datetime[1], i->project, i->milestone,
                          i->planned,     i->actual,      i->date,    i->delay};
    for (size_t k = 0; k < sizeof places / sizeof *places; k++)
        must(places[k] >= -1 && places[k] < (int)i->ncolumns, "a column that is none");
    for (uint32_t k = 0; k < i->nkey; k++)
        must(i->key[k] < i->nfields, "a key that is no field");
    for (uint32_t k = 0; k < i->ncolumns; k++) {
        must(odp_search_find(i, odp_slice_of(i->columns[k].name)) == (int)k,
             "a column is not found by its name");
        for (uint32_t j = 0; j < k && k < 50; j++)
            must(strcmp(i->columns[j].sql, i->columns[k].sql) != 0, "a name in SQL");
        must(i->columns[k].of_record == (k < i->nfields) && i->columns[k].type < ODP_TYPE_COUNT, "a column");
    }
    must(i->schema.n == i->ncolumns && i->nfields <= i->ncolumns, "the schema");
    must(i->has_geometry == (i->geometry_name != NULL) && i->slug != NULL && i->version != NULL, "a text");
}

static void info(const uint8_t *data, size_t size)
{
    struct odp_arena arena;
    struct odp_search_info i, back;
    struct odp_buffer once, twice;
    odp_arena_init(&arena);
    odp_buffer_init(&once);
    odp_buffer_init(&twice);
    enum odp_status status = odp_search_info_read(&i, (struct odp_slice){(const char *)data, size}, &arena);
    must(status == ODP_OK || status == ODP_BAD, "reading");
    if (status == ODP_OK) {
        check_places(&i);
        must(odp_search_info_write(&i, &once) == ODP_OK, "writing");
        must(odp_search_info_read(&back, odp_buffer_slice(&once), &arena) == ODP_OK,
             "reading what was written");
        must(odp_search_info_write(&back, &twice) == ODP_OK, "writing again");
        must(odp_slice_eq(odp_buffer_slice(&once), odp_buffer_slice(&twice)), "written twice");
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
            must(value == strtod(canonical, NULL) && scale >= 0, "a double");
    }
    len = odp_search_instant(s, out);
    must(len < sizeof out, "an instant");
    must((odp_search_instant_text((struct odp_slice){out, len}, canonical) > 0) == (len > 0),
         "an instant's text");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    if (data[0] == '{')
        info(data, size);
    else
        values((struct odp_slice){(const char *)data, size});
    return 0;
}
