/* A first byte 1: the rest is a sealed value as it lies in the store. Else: any bytes are sealed, and opened
 * again. Nothing opens but what was sealed. (The key file: fuzz_gateway_secret.) */
#include "fuzz.h"
#include "service/webhooks/deliver/seal.h"

static struct odp_seal *the_seal(void)
{
    static struct odp_seal *s;
    char why[ODP_SEAL_WHY];
    if (s == NULL)
        NEED(odp_seal_new(&s, fuzz_path("key"), true, ODP_LANG_EN, why) == ODP_OK);
    return s;
}

static void sealed_value(struct odp_slice value)
{
    struct odp_buffer clear = {0};
    NEED(odp_seal_unwrap(the_seal(), "secret wh_x", value, &clear) ==
         ODP_BAD); /* nobody can make one without the key */
    NEED(clear.len == 0);
    (void)odp_seal_is_current(the_seal(), value);
    odp_buffer_release(&clear);
}

static void round_trip(struct odp_slice text)
{
    struct odp_buffer sealed = {0}, clear = {0};
    NEED(odp_seal_wrap(the_seal(), "secret wh_x", text, &sealed) == ODP_OK);
    NEED(sealed.len == text.len + ODP_SEAL_EXTRA &&
         odp_seal_is_current(the_seal(), odp_buffer_slice(&sealed)));
    NEED(odp_seal_unwrap(the_seal(), "secret wh_x", odp_buffer_slice(&sealed), &clear) == ODP_OK);
    NEED(odp_slice_eq(odp_buffer_slice(&clear), text));
    size_t at = text.len > 0 ? (unsigned char)text.ptr[0] % sealed.len : 0;
    sealed.ptr[at] = (char)(sealed.ptr[at] ^ 0x10);
    NEED(odp_seal_unwrap(the_seal(), "secret wh_x", odp_buffer_slice(&sealed), &clear) == ODP_BAD);
    odp_buffer_release(&sealed);
    odp_buffer_release(&clear);
}

void fuzz_one(struct odp_slice in)
{
    if (fuzz_choice(&in, 1) == 1)
        sealed_value(in);
    else
        round_trip(in);
}
