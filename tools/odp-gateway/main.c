/* odp-gateway: the program. Parse the command line, run the command, report; the exit code says how it went.
 */
#include <locale.h>
#include <signal.h>
#include <stdlib.h>

#include <openssl/crypto.h>

#include "base/crash.h"
#include "base/json_load.h"
#include "command/messages.h"
#include "service/state/state.h"
#include "words/gateway_command.h"

/* The message of a crash, chosen early because a crash cannot allocate. */
static const char *crash_message;

static void crashed(int number, const void *address)
{
    odp_crash_say(crash_message);
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
    odp_json_start();
    signal(SIGXFSZ, SIG_IGN); /* a limit of file sizes becomes an error of write, here and in all children */
    int code = options_parse(&inv, argc, argv, words, stderr);
    odp_state_speak(inv.line.lang);
    crash_message = say(&inv, W_gwc_crashed);
    odp_crash_watch(crashed);
    /* libcrypto goes on where it got no memory to begin with, and crashes at the first digest. */
    if (code == EXIT_CLEAN && inv.line.command != NULL && !inv.line.help && !inv.line.version &&
        OSSL_LIB_CTX_get0_global_default() == NULL)
        code = complain(EXIT_MACHINE, "%s", say(&inv, W_gwc_no_openssl));
    code = odp_options_run(&inv.line, &inv, code);
    free(words);
    return odp_options_end(&inv.line, code);
}
