/* Any bytes as a CSV source. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *path = fuzz_path("in.csv");
    fuzz_write(path, data, size);
    fuzz_check("csv", path);
    return 0;
}
