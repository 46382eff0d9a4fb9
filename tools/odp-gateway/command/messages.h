/* The program's words to the operator. */
#pragma once

#include <stdio.h>

#include "command/invocation.h"

/* The text in the invocation's language. Where both are formats their arguments must be the same. */
const char *say(const struct invocation *inv, const char *id, const char *en)
    __attribute__((format_arg(2), format_arg(3)));
/* "odp-gateway: …" and a newline, to stderr. Returns CODE. */
int complain(int code, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The failure of this thread, and what to do about it. Returns EXIT_MACHINE. */
int machine_failed(const struct invocation *inv);
/* The end of what printed rows: the same failure where memory was refused, since cells may be empty then. */
int printed(const struct invocation *inv);
/* Why the system refused. */
const char *reason_of(const struct invocation *inv, int errnum);
/* Why libcurl gives no handle. */
const char *curl_words(const struct invocation *inv);
