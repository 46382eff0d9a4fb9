#include "commands/failure.h"

#include <stdio.h>
#include <string.h>

#include "base/refusal.h"
#include "words/commands.h"

static const struct odp_text otherwise = {{W_cmd_run_command_again_if_fails}};

/* The most frequent acts, longer ones first. */
static const struct odp_text acts[] = {
    {{W_cmd_act_allocate_memory}},
    {{W_cmd_act_open_folder}},
    {{W_cmd_act_read_folder}},
    {{W_cmd_act_make_folder}},
    {{W_cmd_act_remove_folder}},
    {{W_cmd_act_sync_folder}},
    {{W_cmd_act_chmod}},
    {{W_cmd_act_close}},
    {{W_cmd_act_compare}},
    {{W_cmd_act_compress}},
    {{W_cmd_act_copy}},
    {{W_cmd_act_create}},
    {{W_cmd_act_decompress}},
    {{W_cmd_act_examine}},
    {{W_cmd_act_fetch}},
    {{W_cmd_act_link}},
    {{W_cmd_act_load}},
    {{W_cmd_act_lock}},
    {{W_cmd_act_make}},
    {{W_cmd_act_map}},
    {{W_cmd_act_open}},
    {{W_cmd_act_read}},
    {{W_cmd_act_remove}},
    {{W_cmd_act_rename}},
    {{W_cmd_act_sign}},
    {{W_cmd_act_stat}},
    {{W_cmd_act_switch}},
    {{W_cmd_act_sync}},
    {{W_cmd_act_verify}},
    {{W_cmd_act_write}},
};

/* Prints TEXT ("write build/x.json: No space left on device") in Indonesian, as far as its act and reason
 * are known; between them are names. */
static void put_indonesian(const char *text, const char *reason)
{
    const char *tail = reason != NULL ? strrchr(text, ':') : NULL;
    for (size_t i = 0; i < ODP_COUNT(acts); i++) {
        size_t act = strlen(acts[i].in[ODP_LANG_EN]);
        if (strncmp(text, acts[i].in[ODP_LANG_EN], act) == 0 &&
            (text[act] == ' ' || text[act] == ':' || text[act] == '\0')) {
            fputs(acts[i].in[ODP_LANG_ID], stderr);
            text += act;
            break;
        }
    }
    if (tail != NULL && tail >= text)
        fprintf(stderr, "%.*s: %s", (int)(tail - text), text, reason);
    else
        fputs(text, stderr);
}

void failure_say(const struct invocation *inv, const char *what)
{
    int errnum = odp_failure_errno();
    const struct odp_refusal *row = odp_refusal_find(errnum);
    const struct odp_text *advice =
        row != NULL && !odp_text_is_empty(&row->advice) ? &row->advice : &otherwise;
    fprintf(stderr, "odp-build: %s%s", what != NULL ? what : "", what != NULL ? ": " : "");
    if (inv->style.lang == ODP_LANG_ID)
        put_indonesian(odp_failure_text(), row != NULL ? row->reason.in[ODP_LANG_ID] : NULL);
    else
        fputs(odp_failure_text(), stderr);
    if (errnum != ODP_FAILURE_TOLD)
        fprintf(stderr, "; %s", odp_text_get(advice, inv->style.lang));
    fputc('\n', stderr);
}
