/* Any bytes as a DEFLATE stream (the first byte lies behind it, where nothing may depend on it): its blocks end where zlib says (deflate_ends.h), and left open
 * it goes on. */
#include "deflate_ends.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    bool whole;
    if (size == 0)
        return 0;
    (void)ends_compare(data + 1, size - 1, data[0], &whole, NULL);
    size_t open = ends_leave_open(data + 1, size - 1, 1 << 18);
    if (whole)
        NEED(open > 0);
    return 0;
}
