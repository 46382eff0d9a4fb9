/* odp-build patch DELTA OLD NEW: makes the new file of a delta and prints what was proved. */
#include "base/file.h"
#include "commands/outcome.h"
#include "site/differences/delta.h"
#include "words/commands.h"

static void print_side(const struct invocation *inv, const char *label, const char *path, const char *version,
                       const struct odp_file_info *info)
{
    char hex[ODP_SHA256_HEX];
    odp_digest_hex(info->sha256, hex);
    printf("%-5s %s", label, path);
    if (version != NULL)
        printf(" (%s)", version);
    printf("  %llu %s  sha256:%s\n", (unsigned long long)info->size, say(inv, W_cmd_bytes), hex);
}

static int run_patch(struct invocation *inv)
{
    struct odp_delta_header header;
    struct odp_text why;
    bool named = inv->output != NULL;
    if (inv->nwords != (named ? 2 : 3))
        return outcome_usage(inv, W_cmd_usage_patch);
    const char *delta = inv->words[0], *old = inv->words[1], *fresh = named ? inv->output : inv->words[2];
    int code = EXIT_CLEAN;
    odp_arena_init(&inv->run.arena);
    enum odp_status status = odp_delta_apply(delta, old, fresh, &header, &inv->run.arena, &why);
    if (status == ODP_OK) {
        print_side(inv, say(inv, W_cmd_old), old, header.from_version, &header.from);
        print_side(inv, say(inv, W_cmd_new), fresh, header.to_version, &header.to);
        puts(say(inv, W_cmd_size_sha_256_both_files));
    } else {
        code = outcome_code(inv, status, &why);
        if (status == ODP_BAD)
            fprintf(stderr, say(inv, W_cmd_not_written), fresh);
    }
    return code;
}

const struct command command_patch = {"patch", "DELTA OLD NEW", {{W_cmd_make_new_file_out_old}}, run_patch};
