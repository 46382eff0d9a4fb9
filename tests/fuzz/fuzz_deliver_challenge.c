/* Any bytes as a receiver's answer to a challenge. It is met only where the challenge stands in it, and
 * always where it stands alone. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "service/webhooks/deliver/standard.h"

#define CHALLENGE "Ab3dE6gH9jK2mN5pQ8sT1vW4yZ7bD0fG"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool ok)
{
    if (!ok)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *exact = malloc(size > 0 ? size : 1);
    must(exact != NULL);
    if (size > 0)
        memcpy(exact, data, size);
    struct odp_slice answer = {exact, size}, alone = odp_slice_trim(answer);
    bool met = odp_webhook_challenge_met(CHALLENGE, answer);
    must(met || !odp_slice_is(alone, CHALLENGE));
    /* JSON may write it with escapes, and only then does it not stand there as it is */
    must(!met || memmem(exact, size, CHALLENGE, strlen(CHALLENGE)) != NULL ||
         memchr(exact, '\\', size) != NULL);
    must(!odp_webhook_challenge_met("", answer));
    must(!met || !odp_webhook_challenge_met("Bb3dE6gH9jK2mN5pQ8sT1vW4yZ7bD0fG", answer));
    char id[ODP_WEBHOOK_SIGNATURE + 1];
    const struct odp_slice key = {exact, size < 64 ? size : 64};
    must(odp_webhook_sign(id, "msg_x", 1614265330, answer, &key, 1) == (size > 0 ? ODP_OK : ODP_BAD));
    free(exact);
    return 0;
}
