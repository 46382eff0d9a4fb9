/* Personal identifiers in any text. (Which are found: answers/identifiers.txt.) */
#include "run.h"

#include "base/privacy.h"

/* No text, however odd, makes it read outside or find an empty place. */
TEST(any_text)
{
    static const char letters[] = "0812634@.+-( ),ab";
    uint32_t seed = 12345;
    for (int i = 0; i < 300000; i++) {
        char *text = malloc(24); /* exactly as long as the text, for AddressSanitizer */
        size_t n = 0, at = 0, start, len;
        for (; n < 24; n++) {
            seed = seed * 1664525 + 1013904223;
            text[n] = letters[(seed >> 16) % (sizeof letters - 1)];
        }
        while (odp_privacy_find((struct odp_slice){text, n}, at, &start, &len) != ODP_PRIVACY_NONE) {
            assert_true(start >= at && len > 0 && start + len <= n);
            at = start + len;
        }
        free(text);
    }
}
