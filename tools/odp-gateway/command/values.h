/* How words of the command line become values. Each returns false when the word does not fit. A word that
 * passes is safe in nginx's configuration. */
#pragma once

#include "command/invocation.h"

bool value_number(const char *s, int64_t max, int64_t *out);
bool value_size(const char *s, int64_t *out); /* "64m", "512k", "8g", "1048576" */
bool value_span(const char *s, int64_t *out); /* seconds of "7" (days), "7d", "12h", "30m", "90s" */
bool value_is_url(const char *s);             /* https, http, file */
bool value_is_host(const char *s);            /* a name or an address, and perhaps a port */
bool value_is_cidr(const char *s);
bool value_is_prefix(
    const char *s); /* a prefix of addresses without bits beyond it: "10.0.0.0/8", "fd00::/8" */
bool value_is_parameter(const char *s); /* a name that nginx's $arg_NAME can read */
bool value_is_loopback(const char *s);  /* ADDRESS:PORT of this machine */
bool value_content(const char *s, struct content *c);

/* True if "[ADDRESS][:PORT]" or "unix:/PATH" can be listened at; *UNIX_PATH gets the path or NULL. HOST has
 * 256 bytes; *PORT is 8080 when none is given. "[::1]:80", "*:80", "80" and "127.0.0.1" are all allowed. */
bool value_address(const char *text, char host[256], unsigned *port, const char **unix_path);
