#include "core/random.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

const char odp_base62[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

enum odp_status odp_random(void *out, size_t n)
{
    return getentropy(out, n) == 0 ? ODP_OK : odp_failure_set("read random bytes", NULL, errno);
}

enum odp_status odp_random_base62(char *out, size_t n)
{
    uint8_t bytes[64];
    size_t made = 0;
    enum odp_status st = ODP_OK;
    while (made < n && (st = odp_random(bytes, sizeof bytes)) == ODP_OK)
        for (size_t i = 0; i < sizeof bytes && made < n; i++)
            if (bytes[i] < 4 * 62) /* the rest of a byte's range would favour the first eight characters */
                out[made++] = odp_base62[bytes[i] % 62];
    explicit_bzero(bytes, sizeof bytes);
    out[made] = '\0';
    return st;
}

enum odp_status odp_random_hex(char *out, size_t n)
{
    static const char digits[] = "0123456789abcdef";
    uint8_t bytes[256];
    enum odp_status st = odp_random(bytes, n / 2);
    for (size_t i = 0; i < n && st == ODP_OK; i++)
        out[i] = digits[i % 2 == 0 ? bytes[i / 2] >> 4 : bytes[i / 2] & 15];
    out[n] = '\0';
    return st;
}
