/* The registry of the forms that a body can have. */
#include "service/queries/engine/write_internal.h"

const struct query_writer *query_writer_of(enum odp_query_form form)
{
    static const struct query_writer *const writers[] = {&query_write_envelope, &query_write_geojson,
                                                         &query_write_csv, &query_write_html};
    for (size_t k = 0; k < sizeof writers / sizeof *writers; k++)
        if (writers[k]->form == form)
            return writers[k];
    return NULL;
}
