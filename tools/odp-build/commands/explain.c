/* odp-build explain CODE: what a diagnostic means, an example, how to fix it. Without a code: all of them in
 * a line each. */
#include <unistd.h>

#include "commands/failure.h"
#include "commands/options.h"
#include "words/commands.h"

static void list_codes(const struct invocation *inv)
{
    for (int code = 0; code < ODP_CODE_COUNT; code++) {
        const struct odp_code_info *info = odp_code_info((enum odp_code)code);
        printf("%s  %-26s %s\n", info->code, info->name, odp_text_get(&info->words.title, inv->style.lang));
    }
}

/* The name of a diagnostic that WORD was meant to be, or NULL. */
static const char *nearest(const char *word)
{
    const char *names[ODP_CODE_COUNT];
    for (int i = 0; i < ODP_CODE_COUNT; i++)
        names[i] = odp_code_info((enum odp_code)i)->name;
    return odp_word_nearest(odp_slice_of(word), names, ODP_CODE_COUNT);
}

static int run_explain(struct invocation *inv)
{
    struct odp_buffer text = {0};
    int result = EXIT_CLEAN;
    if (inv->nwords == 0) {
        list_codes(inv);
        return EXIT_CLEAN;
    }
    inv->style.color = !inv->no_color && isatty(STDOUT_FILENO);
    for (size_t i = 0; i < inv->nwords && result == EXIT_CLEAN; i++) {
        int code = odp_code_find(inv->words[i]);
        if (code < 0) {
            const char *near = nearest(inv->words[i]);
            fprintf(stderr, say(inv, W_cmd_unknown_code_list_them_odp), inv->words[i],
                    near != NULL ? say(inv, W_cmd_perhaps) : "", near != NULL ? near : "");
            result = EXIT_USAGE;
        } else if (odp_report_explain(&text, (enum odp_code)code, &inv->style) == ODP_FAIL) {
            failure_say(inv, NULL);
            result = EXIT_MACHINE;
        }
    }
    if (result == EXIT_CLEAN)
        fwrite(text.ptr, 1, text.len, stdout);
    odp_buffer_release(&text);
    return result;
}

const struct command command_explain = {
    "explain", "[CODE…]", {{W_cmd_what_code_means_example_how}}, run_explain};
