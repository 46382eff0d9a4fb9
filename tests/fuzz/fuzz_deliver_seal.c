/* A first byte 1: the rest is a key file. 2: the rest is a sealed value as it lies in the store. Else: any
 * bytes are sealed, and opened again. Nothing opens but what was sealed; no reason quotes the key file. */
#include <stdio.h>

#include "fuzz.h"
#include "service/webhooks/deliver/seal_internal.h"

static struct odp_seal *the_seal(void)
{
    static struct odp_seal *s;
    char why[ODP_SEAL_WHY];
    if (s == NULL)
        NEED(odp_seal_new(&s, fuzz_path("key"), true, why) == ODP_OK);
    return s;
}

static void key_file(struct odp_slice text)
{
    struct seal_keys keys = {.n = 0};
    char why[ODP_SEAL_WHY] = "";
    enum odp_status status = seal_keys_parse(&keys, text, "webhook.key", why);
    NEED(status == ODP_OK ? keys.n >= 1 && keys.n <= ODP_SEAL_KEYS && why[0] == '\0'
                          : status == ODP_BAD && why[0] != '\0');
    for (size_t i = 0; status == ODP_OK && i < keys.n; i++)
        for (size_t k = 0; k < i; k++)
            NEED(memcmp(keys.items[i].bytes, keys.items[k].bytes, SEAL_KEY) != 0);
    for (size_t i = 0; status == ODP_BAD && text.len >= 24 && i <= text.len - 24; i++) {
        bool word = true; /* of a key; the reasons have no word so long */
        for (size_t k = 0; k < 24; k++)
            word = word && text.ptr[i + k] > ' ';
        NEED(!word || memmem(why, strlen(why), text.ptr + i, 24) == NULL);
    }
}

static void sealed_value(struct odp_slice value)
{
    struct odp_buffer clear;
    odp_buffer_init(&clear);
    NEED(odp_seal_unwrap(the_seal(), "secret wh_x", value, &clear) ==
         ODP_BAD); /* nobody can make one without the key */
    NEED(clear.len == 0);
    (void)odp_seal_is_current(the_seal(), value);
    odp_buffer_release(&clear);
}

static void round_trip(struct odp_slice text)
{
    struct odp_buffer sealed, clear;
    odp_buffer_init(&sealed);
    odp_buffer_init(&clear);
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
    switch (fuzz_choice(&in, 2)) {
    case 1:
        key_file(in);
        break;
    case 2:
        sealed_value(in);
        break;
    default:
        round_trip(in);
    }
}
