#include "command/messages.h"
#include "base/refusal.h"
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

int machine_failed(const struct invocation *inv)
{
    char words[ODP_FAILURE_WORDS];
    if (odp_failure_text()[0] == '\0')
        (void)odp_failure_memory();
    return complain(EXIT_MACHINE, "%s", odp_failure_words(inv->line.lang, words));
}

int printed(const struct invocation *inv)
{
    return odp_memory_status() == ODP_OK ? EXIT_CLEAN : machine_failed(inv);
}

const char *reason_of(const struct invocation *inv, int errnum)
{
    return odp_refusal_text(errnum).in[inv->line.lang];
}
