/* What is wrong with a file that is read back, and where. */
#include "published/reading_internal.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/utf8.h"

enum odp_status odp_reading_reject(struct odp_reading *r, const char *fmt, ...)
{
    va_list args;
    char what[256];
    va_start(args, fmt);
    (void)vsnprintf(what, sizeof what, fmt, args); /* a long name is cut */
    va_end(args);
    odp_buffer_clear(&r->fault);
    if (r->form == ODP_FORM_PAGES)
        odp_buffer_printf(&r->fault, "page %zu of %zu, ", r->at + 1, r->npaths);
    if (r->place == ODP_PLACE_RECORDS)
        odp_buffer_printf(&r->fault, "record %llu, ", (unsigned long long)r->row + 1);
    size_t cut = odp_utf8_valid(odp_slice_of(what)); /* within a character, perhaps; or the name is no text */
    odp_buffer_printf(&r->fault, "byte %llu: %.*s", (unsigned long long)r->record_at, (int)cut, what);
    (void)odp_buffer_cstr(&r->fault);
    r->ended = odp_buffer_status(&r->fault) == ODP_OK ? ODP_BAD : ODP_FAIL;
    return r->ended;
}

const char *odp_reading_fault(const struct odp_reading *r)
{
    return r->ended == ODP_BAD ? r->fault.ptr : "";
}
