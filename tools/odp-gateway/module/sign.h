/* Signed addresses for a CDN or object store after the gateway. Pure: no clock, no nginx. Nothing is kept;
 * OUT is appended to. */
#pragma once

#include <stdint.h>

#include "base/buffer.h"

/* URL/PATH?md5=M&expires=E&key=KEY, as nginx's secure_link module checks it there:
 *     secure_link $arg_md5,$arg_expires;  secure_link_md5 "$secure_link_expires$uri SECRET";
 * M is base64url without padding of MD5("E" URI " " SECRET); URI is the path part of URL and "/" PATH, not
 * percent-encoded. KEY is the id of SECRET, with which the other end chooses among several. URL has no slash
 * at its end. FAIL: out of memory, or no MD5 in this OpenSSL. */
enum odp_status odp_sign_secure_link(struct odp_buffer *out, struct odp_slice url, struct odp_slice path,
                                     struct odp_slice secret, const char *key, int64_t expires) ODP_MUST_USE;

struct odp_sign_s3 {
    struct odp_slice
        url; /* https://bucket.s3.region.amazonaws.com or https://store:9000/bucket, no slash at its end */
    struct odp_slice region;
    struct odp_slice access_key;
    struct odp_slice secret;
};

/* A presigned GET by AWS Signature Version 4 with query parameters, payload UNSIGNED-PAYLOAD, signed header
 * host. NOW: Unix seconds; TTL: seconds, at most 604800. FAIL: out of memory, or OpenSSL failed. */
enum odp_status odp_sign_s3(struct odp_buffer *out, const struct odp_sign_s3 *s, struct odp_slice path,
                            int64_t now, unsigned ttl) ODP_MUST_USE;
