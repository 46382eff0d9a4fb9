/* Any bytes as a receiver's answer to a challenge. It passes only if it contains the challenge, and always
 * if it is the challenge alone. */
#include "fuzz.h"
#include "service/webhooks/deliver/standard.h"

#define CHALLENGE "Ab3dE6gH9jK2mN5pQ8sT1vW4yZ7bD0fG"

void fuzz_one(struct odp_slice in)
{
    char id[ODP_WEBHOOK_SIGNATURE + 1];
    const struct odp_slice alone = odp_slice_trim(in), key = {in.ptr, in.len < 64 ? in.len : 64};
    bool met = odp_webhook_challenge_met(CHALLENGE, in);
    NEED(met || !odp_slice_is(alone, CHALLENGE));
    /* JSON may write it with escapes; only then is it not there as it is. */
    NEED(!met || memmem(in.ptr, in.len, CHALLENGE, strlen(CHALLENGE)) != NULL ||
         memchr(in.ptr, '\\', in.len) != NULL);
    NEED(!odp_webhook_challenge_met("", in));
    NEED(!met || !odp_webhook_challenge_met("Bb3dE6gH9jK2mN5pQ8sT1vW4yZ7bD0fG", in));
    NEED(odp_webhook_sign(id, "msg_x", 1614265330, in, &key, 1) == (in.len > 0 ? ODP_OK : ODP_BAD));
}
