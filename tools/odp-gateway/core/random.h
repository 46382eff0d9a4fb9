/* Random bytes of the system, and texts of them. FAIL: there are none. */
#pragma once

#include <stddef.h>

#include "base/status.h"

/* N bytes, at most 256. */
enum odp_status odp_random(void *out, size_t n) ODP_MUST_USE;
/* N characters of 0-9, A-Z and a-z, each equally likely, and a terminator. */
enum odp_status odp_random_base62(char *out, size_t n) ODP_MUST_USE;
/* N (even, at most 512) lower-case hex digits, and a terminator. */
enum odp_status odp_random_hex(char *out, size_t n) ODP_MUST_USE;
extern const char odp_base62[];
