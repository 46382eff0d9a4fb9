/* odp-build: the program. Parse the command line, run the command, report; the exit code says how it went. */
#include <locale.h>
#include <stdlib.h>
#include <unistd.h>

#include <jansson.h>

#include "options.h"

const struct command *const commands[] = {
#define COMMAND(name) &command_##name,
#include "commands.def"
#undef COMMAND
    NULL};

/* Memory for jansson. Where it gets none while it reads, it leaves out a byte of a text and goes on (strbuffer_append_byte's result is not looked at):
 * what would be published is not what was read. So there is no way on; a site that is being made is not seen by anyone, and the next run clears it
 * away like a killed one's. By reallocarray, so that tests can tell these calls from the program's own. */
static void *json_memory(size_t size)
{
    static const char text[] = "odp-build: no memory\n";
    void *p = reallocarray(NULL, 1, size);
    if (p != NULL)
        return p;
    if (write(STDERR_FILENO, text, sizeof text - 1) < 0)
        _exit(EXIT_MACHINE);
    _exit(EXIT_MACHINE);
}

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
    json_set_alloc_funcs(json_memory, free);
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
