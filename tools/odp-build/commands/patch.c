/* odp-build patch DELTA OLD NEW: makes the new file of a delta and tells what was proved. */
#include "base/file.h"
#include "commands/failure.h"
#include "commands/options.h"
#include "site/differences/delta.h"

static void print_side(const struct invocation *inv, const char *label, const char *path, const char *version,
                       const struct odp_file_info *info)
{
    char hex[ODP_SHA256_HEX];
    odp_digest_hex(info->sha256, hex);
    printf("%-5s %s%s%s%s  %llu %s  sha256:%s\n", label, path, version != NULL ? " (" : "", version != NULL ? version : "",
           version != NULL ? ")" : "", (unsigned long long)info->size, say(inv, "byte", "bytes"), hex);
}

static int run_patch(struct invocation *inv)
{
    struct odp_delta_header header;
    struct odp_arena arena;
    struct odp_text why;
    bool named = inv->output != NULL;
    if (inv->nwords != (named ? 2 : 3)) {
        fputs(say(inv, "odp-build: pemakaian: odp-build patch DELTA LAMA BARU\n",
                  "odp-build: usage: odp-build patch DELTA OLD NEW\n"),
              stderr);
        return EXIT_USAGE;
    }
    const char *delta = inv->words[0], *old = inv->words[1], *fresh = named ? inv->output : inv->words[2];
    int code = EXIT_CLEAN;
    odp_arena_init(&arena);
    enum odp_status status = odp_delta_apply_text(delta, old, fresh, &header, &arena, &why);
    if (status == ODP_OK) {
        print_side(inv, say(inv, "lama", "old"), old, header.from_version, &header.from);
        print_side(inv, say(inv, "baru", "new"), fresh, header.to_version, &header.to);
        puts(say(inv, "Ukuran dan SHA-256 kedua berkas cocok dengan yang tertulis dalam delta.",
                 "Size and SHA-256 of both files are those that the delta names."));
    } else {
        if (status == ODP_FAIL)
            failure_say(inv, NULL);
        else
            fprintf(stderr, "odp-build: %s\n", odp_text_get(&why, inv->style.lang));
        if (status == ODP_BAD)
            fprintf(stderr, say(inv, "odp-build: %s tidak ditulis\n", "odp-build: %s was not written\n"), fresh);
        code = status == ODP_FAIL ? EXIT_MACHINE : EXIT_REJECTED;
    }
    odp_arena_release(&arena);
    return code;
}

const struct command command_patch = {
    "patch",
    "DELTA OLD NEW",
    {{"membuat berkas baru dari yang lama dan sebuah delta", "make the new file out of the old one and a delta"}},
    run_patch};
