/* odp-gateway: the program. Parse the command line, run the command, report; the exit code says how it went. */
#include <locale.h>
#include <signal.h>
#include <stdlib.h>

#include <openssl/crypto.h>

#include "base/crash.h"
#include "base/libraries/curl.h"
#include "command/commands.h"
#include "command/messages.h"
#include "command/options.h"

/* What is said where there is no way back to main: chosen when the language is known. */
static const char *crash_words;

static void crashed(int number, const void *address)
{
    (void)number;
    (void)address;
    odp_crash_say(crash_words);
}

static void watch_crashes(const struct invocation *inv)
{
    crash_words = say(
        inv,
        "odp-gateway: program ini atau pustakanya terhenti mendadak, biasanya karena memori habis; yang terbit dan yang sudah "
        "diakui tetap ada. Tutup program lain atau tambah memori, lalu jalankan perintah ini lagi; kalau terhenti lagi, "
        "laporkan\n",
        "odp-gateway: this program or a library of it crashed, most often because memory ran out; what is published and what "
        "was acknowledged stays. Close other programs or add memory, then run this command again; if it crashes once more, "
        "report it\n");
    odp_crash_watch(crashed);
}

/* libcrypto goes on where it got no memory to begin with, and crashes at the first digest. */
static int run(struct invocation *inv)
{
    if (OSSL_LIB_CTX_get0_global_default() == NULL)
        return complain(EXIT_MACHINE, "%s",
                        say(inv,
                            "memori habis: OpenSSL tidak dapat dimulai; tutup program lain atau tambah memori, lalu coba lagi",
                            "out of memory: OpenSSL cannot start; close other programs or add memory, then try again"));
    return inv->command->run(inv);
}

int main(int argc, char **argv)
{
    struct invocation inv;
    const char **words = malloc((size_t)(argc > 0 ? argc : 1) * sizeof *words);
    if (words == NULL) {
        fputs("odp-gateway: no memory\n", stderr);
        return EXIT_MACHINE;
    }
    setlocale(LC_ALL, "C");
    signal(SIGXFSZ, SIG_IGN); /* a limit of file sizes is an error of write, which is told, here and in all that is started */
    odp_link_curl();
    int code = options_parse(&inv, commands, argc, argv, words, stderr);
    watch_crashes(&inv);
    if (code == EXIT_CLEAN && inv.version)
        puts("odp-gateway " ODP_VERSION);
    else if (code == EXIT_CLEAN && inv.help)
        options_help(&inv, stdout);
    else if (code == EXIT_CLEAN && inv.command == NULL) {
        options_help(&inv, stderr);
        code = EXIT_USAGE;
    } else if (code == EXIT_CLEAN)
        code = run(&inv);
    free(words);
    /* A full disk or a closed pipe behind standard output is a failure like any other. */
    if (fflush(stdout) != 0 || ferror(stdout)) {
        fprintf(stderr, "odp-gateway: %s\n",
                say(&inv, "keluaran standar tidak dapat ditulis", "standard output cannot be written"));
        return EXIT_MACHINE;
    }
    return code;
}
