/* odp-build: the program. Parse the command line, run the command, report; the exit code says how it went. */
#include <locale.h>
#include <stdlib.h>

#include "options.h"

const struct command *const commands[] = {
#define COMMAND(name) &command_##name,
#include "commands.def"
#undef COMMAND
    NULL};

int main(int argc, char **argv)
{
    struct invocation inv;
    int code = EXIT_MACHINE;
    const char **words = malloc((size_t)(argc > 0 ? argc : 1) * sizeof *words);
    if (words == NULL) {
        fputs("odp-build: no memory\n", stderr);
        return EXIT_MACHINE;
    }
    setlocale(LC_ALL, "C");
    code = options_parse(&inv, argc, argv, words, stderr);
    if (code == EXIT_CLEAN && inv.version)
        puts("odp-build " ODP_VERSION);
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
        fprintf(stderr, "odp-build: %s\n",
                say(&inv, "keluaran standar tidak dapat ditulis", "standard output cannot be written"));
        return EXIT_MACHINE;
    }
    return code;
}
