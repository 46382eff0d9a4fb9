/* Any bytes as a CSV source. A first byte from 1 to 3 chooses another resource than the first and is taken
 * off. */
#include "fuzz.h"

void fuzz_one(struct odp_slice in)
{
    static const char *const slugs[] = {"csv", "types", "dialect", "texts"};
    unsigned which = fuzz_choice(&in, 3);
    const char *path = fuzz_path("in.csv");
    fuzz_write(path, in);
    fuzz_resource(slugs[which], path);
}
