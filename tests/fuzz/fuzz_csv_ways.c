/* Any bytes as the records of a CSV file, read every way there is (csv_ways.h): equal, or an abort. The first
 * byte chooses the dialect. */
#include "csv_ways.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > 0)
        (void)ways_compare(&ways_dialects[data[0] % WAYS_DIALECTS], data + 1, size - 1);
    return 0;
}
