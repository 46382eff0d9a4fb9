#include "command/messages.h"
#include "words/gateway_command.h"

#include <stdarg.h>

const char *say(const struct invocation *inv, const char *id, const char *en)
{
    return inv->line.lang == ODP_LANG_EN ? en : id;
}

const char *curl_words(const struct invocation *inv)
{
    return say(inv, W_gwc_libcurl_cannot_start_most);
}

int complain(int code, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    fputs("odp-gateway: ", stderr);
    vfprintf(stderr, fmt, args);
    fputc('\n', stderr);
    va_end(args);
    return code;
}
