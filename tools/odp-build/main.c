/* odp-build: the program. Parse the command line, run the command, report; the exit code says how it went. */
#include <locale.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <jansson.h>

#include "base/arena.h"
#include "base/crash.h"
#include "base/mapped.h"
#include "commands/options.h"

static const struct command *const commands[] = {
#define COMMAND(name) &command_##name,
#include "commands/commands.def"
#undef COMMAND
    NULL};

/* What is said where there is no way back to main: chosen when the language is known. */
static struct {
    const char *no_memory, *cut_before, *cut_after, *ended_before, *ended_after, *crashed;
} said = {"odp-build: no memory; close other programs or add memory, then run this command again\n",
          "odp-build: the machine failed: read ",
          ": it was cut short while it was read; build the site again\n",
          "odp-build: the machine failed: ",
          "; close other programs or raise the limit of processes (ulimit -u), then run this command again\n",
          "odp-build: this program or a library of it crashed, most often because memory ran out; what is published is whole. "
          "Close other programs or add memory, then run this command again; if it crashes once more, report it\n"};

static void choose_words(const struct invocation *inv)
{
    said.no_memory =
        say(inv, "odp-build: memori habis; tutup program lain atau tambah memori, lalu jalankan perintah ini lagi\n",
            said.no_memory);
    said.cut_before = say(inv, "odp-build: mesin gagal: membaca ", said.cut_before);
    said.ended_before = say(inv, "odp-build: mesin gagal: ", said.ended_before);
    said.ended_after = say(inv, "; tutup program lain atau naikkan batas proses (ulimit -u), lalu jalankan perintah ini lagi\n",
                           said.ended_after);
    said.crashed =
        say(inv,
            "odp-build: program ini atau pustakanya terhenti mendadak, biasanya karena memori habis; yang terbit tetap utuh. "
            "Tutup program lain atau tambah memori, lalu jalankan perintah ini lagi; kalau terhenti lagi, laporkan\n",
            said.crashed);
    said.cut_after = say(inv, ": berkas ini terpotong selagi dibaca; bangun situs itu lagi\n", said.cut_after);
}

/* Async-signal-safe. */
static _Noreturn void leave(const char *a, const char *b, const char *c)
{
    const char *const parts[] = {a, b, c};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (write(STDERR_FILENO, parts[i], strlen(parts[i])) < 0)
            break;
    _exit(EXIT_MACHINE);
}

/* Memory for jansson. Where it gets none while it reads, it leaves out a byte of a text and goes on (strbuffer_append_byte's
 * result is not looked at): what would be published is not what was read. So there is no way on; a site that is being made is
 * not seen by anyone, and the next run clears it away like a killed one's. By reallocarray, so that tests can tell these calls
 * from the program's own. */
static void *json_memory(size_t size)
{
    void *p = reallocarray(NULL, 1, size);
    if (p == NULL)
        leave(said.no_memory, "", "");
    return p;
}

static void ended(const char *why)
{
    leave(said.ended_before, why, said.ended_after);
}

/* SIGBUS: a published file that was mapped and that somebody has cut short (base/mapped.h). Else something is broken. */
static void crashed(int number, const void *address)
{
    const char *path = number == SIGBUS ? odp_mapped_at(address) : NULL;
    if (path != NULL)
        leave(said.cut_before, path, said.cut_after);
    odp_crash_say(said.crashed);
}

int main(int argc, char **argv)
{
    struct invocation inv;
    int code = EXIT_MACHINE;
    const char **words = malloc((size_t)(argc > 0 ? argc : 1) * sizeof *words);
    if (words == NULL) {
        fputs(said.no_memory, stderr);
        return EXIT_MACHINE;
    }
    setlocale(LC_ALL, "C");
    json_set_alloc_funcs(json_memory, free);
    odp_failure_on_end(ended);
    code = options_parse(&inv, commands, argc, argv, words, stderr);
    choose_words(&inv);
    odp_crash_watch(crashed);
    (void)signal(SIGXFSZ, SIG_IGN); /* a limit of file sizes is an error of write, which is told */
    if (code == EXIT_CLEAN && inv.version)
        puts("odp-build " ODP_VERSION);
    else if (code == EXIT_CLEAN && inv.help)
        options_help(&inv, stdout);
    else if (code == EXIT_CLEAN && inv.command == NULL) {
        options_help(&inv, stderr);
        code = EXIT_USAGE;
    } else if (code == EXIT_CLEAN)
        code = inv.command->run(&inv);
    if (code == EXIT_CLEAN && odp_arena_status_of_all() != ODP_OK)
        code = EXIT_MACHINE;
    free(words);
    /* A full disk or a closed pipe behind standard output is a failure like any other. */
    if (fflush(stdout) != 0 || ferror(stdout)) {
        fprintf(stderr, "odp-build: %s\n",
                say(&inv, "keluaran standar tidak dapat ditulis", "standard output cannot be written"));
        return EXIT_MACHINE;
    }
    return code;
}
