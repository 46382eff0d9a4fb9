/* Any bytes as a CSV source. A first byte from 1 to 3 chooses another resource than the first and is taken
 * off. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const slugs[] = {"csv", "types", "dialect", "texts"};
    size_t which = size > 0 && data[0] >= 1 && data[0] <= 3 ? data[0] : 0;
    const char *path = fuzz_path("in.csv");
    fuzz_write(path, data + (which > 0), size - (which > 0));
    fuzz_resource(slugs[which], path);
    return 0;
}
