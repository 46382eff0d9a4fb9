/* odp-gateway: the program. Parse the command line, run the command, report; the exit code says how it went. */
#include <locale.h>
#include <signal.h>
#include <stdlib.h>

#include "base/lib/curl.h"
#include "command/options.h"

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
    int code = options_parse(&inv, argc, argv, words, stderr);
    if (code == EXIT_CLEAN && inv.version)
        puts("odp-gateway " ODP_VERSION);
    else if (code == EXIT_CLEAN && inv.help)
        options_help(&inv, stdout);
    else if (code == EXIT_CLEAN && inv.command == NULL) {
        options_help(&inv, stderr);
        code = EXIT_USAGE;
    } else if (code == EXIT_CLEAN)
        code = inv.command->run(&inv);
    free(words);
    /* A full disk or a closed pipe behind standard output is a failure like any other. */
    if (fflush(stdout) != 0 || ferror(stdout)) {
        fprintf(stderr, "odp-gateway: %s\n",
                say(&inv, "keluaran standar tidak dapat ditulis", "standard output cannot be written"));
        return EXIT_MACHINE;
    }
    return code;
}
