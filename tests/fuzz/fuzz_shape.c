/* Any bytes as a shapefile: the first two bytes (little-endian) give the size of the .shp, the rest is the .dbf; no .shx. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2)
        return -1;
    size_t shp = (size_t)data[0] | (size_t)data[1] << 8;
    if (shp > size - 2)
        shp = size - 2;
    const char *dbf = fuzz_path("in.dbf");
    fuzz_write(dbf, data + 2 + shp, size - 2 - shp);
    const char *path = fuzz_path("in.shp");
    fuzz_write(path, data + 2, shp);
    fuzz_check("shape", path);
    return 0;
}
