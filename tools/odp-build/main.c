/* odp-build: parse the command line, run the command, report the exit code. */
#include <locale.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "base/crash.h"
#include "base/json_load.h"
#include "base/mapped.h"
#include "commands/failure.h"
#include "words/commands.h"

static const struct command *const commands[] = {
#define COMMAND(name) &command_##name,
#include "commands/commands.def"
#undef COMMAND
    NULL};

/* The language of crash messages, which cannot go back to main. */
static enum odp_lang lang = ODP_LANG_EN;

/* Async-signal-safe. */
static _Noreturn void end_with(const char *a, const char *b, const char *c)
{
    const char *const parts[] = {a, b, c};
    for (size_t i = 0; i < ODP_COUNT(parts); i++)
        if (write(STDERR_FILENO, parts[i], strlen(parts[i])) < 0)
            break;
    _exit(EXIT_MACHINE);
}

/* Uses reallocarray, so that tests can tell these calls from the program's own. */
static void *json_memory(size_t size)
{
    return reallocarray(NULL, 1, size);
}

static void ended(const char *why)
{
    end_with(odp_word(lang, W_cmd_end_ended_before), why, odp_word(lang, W_cmd_end_ended_after));
}

/* SIGBUS: somebody truncated a mapped published file (base/mapped.h). Otherwise the program is broken. */
static void crashed(int number, const void *address)
{
    const char *path = number == SIGBUS ? odp_mapped_at(address) : NULL;
    if (path != NULL)
        end_with(odp_word(lang, W_cmd_end_cut_before), path, odp_word(lang, W_cmd_end_cut_after));
    odp_crash_say(odp_word(lang, W_cmd_end_crashed));
}

int main(int argc, char **argv)
{
    struct invocation inv;
    int code = EXIT_MACHINE;
    const char **words = malloc((size_t)(argc > 0 ? argc : 1) * sizeof *words);
    if (words == NULL) {
        fputs(odp_word(lang, W_cmd_end_no_memory), stderr);
        return EXIT_MACHINE;
    }
    setlocale(LC_ALL, "C");
#ifdef __GLIBC__
    (void)mallopt(M_MXFAST, 0); /* else, for each large piece given back, all small ones are merged: 3 % of a
                                   change among 220 datasets */
#endif
    json_set_alloc_funcs(json_memory, free);
    odp_json_start();
    odp_failure_on_end(ended);
    code = options_parse(&inv, commands, argc, argv, words, stderr);
    lang = inv.style.lang;
    odp_crash_watch(crashed);
    (void)signal(SIGXFSZ, SIG_IGN); /* a file-size limit becomes a write error, which is reported */
    code = odp_options_run(&inv.line, &inv, code);
    if (code != EXIT_MACHINE && odp_memory_status() != ODP_OK) { /* what it said may lack something */
        failure_say(&inv, NULL);
        code = EXIT_MACHINE;
    }
    odp_run_release(&inv.run);
    free(words);
    return odp_options_end(&inv.line, code);
}
