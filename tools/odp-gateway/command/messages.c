#include "command/messages.h"

#include <stdarg.h>

const char *say(const struct invocation *inv, const char *id, const char *en)
{
    return inv->lang == ODP_LANG_EN ? en : id;
}

const char *curl_words(const struct invocation *inv)
{
    return say(inv, "libcurl tidak dapat dimulai, biasanya karena memori habis; tutup program lain atau tambah memori, lalu coba lagi",
               "libcurl cannot start, most often because memory ran out; close other programs or add memory, then try again");
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
