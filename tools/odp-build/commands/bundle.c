/* odp-build bundle FILE: the public site of --out as one archive. */
#include "commands/outcome.h"
#include "publish/publish.h"
#include "words/commands.h"

static int run_bundle(struct invocation *inv)
{
    struct odp_file_info info;
    char hex[ODP_SHA256_HEX];
    bool zip;
    const char *file = inv->nwords == 1 ? inv->words[0] : inv->nwords == 0 ? inv->output : NULL;
    if (file == NULL || (inv->nwords == 1 && inv->output != NULL) || !odp_bundle_form(file, &zip))
        return outcome_usage(inv, W_cmd_usage_bundle);
    enum odp_status status = outcome_begin(inv);
    if (status == ODP_OK)
        status = odp_bundle(inv->options.out, file, &info, inv->run.diags);
    int code = outcome_end(inv, status);
    if (code == EXIT_CLEAN && outcome_prints(inv)) {
        odp_digest_hex(info.sha256, hex);
        printf("%s   %llu %s   sha256:%s\n", file, (unsigned long long)info.size, say(inv, W_cmd_bytes), hex);
    }
    return code;
}

const struct command command_bundle = {"bundle", "FILE", {{W_cmd_public_site_one_tar_zst}}, run_bundle};
