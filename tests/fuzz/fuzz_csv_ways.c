/* Any bytes as the records of a CSV file, read every way there is (csv_ways.h): equal, or an abort. The first
 * byte chooses the dialect. */
#include "csv_ways.h"
#include "fuzz.h"

void fuzz_one(struct odp_slice in)
{
    if (in.len > 0)
        (void)ways_compare(&ways_dialects[(unsigned char)*in.ptr % WAYS_DIALECTS], in.ptr + 1, in.len - 1);
}
