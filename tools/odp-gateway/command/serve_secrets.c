/* Files of secrets at the start: a file open to others is reported in the operator's language, and nothing
 * starts. The users of the files check again. */
#include <string.h>

#include "base/file.h"
#include "command/serve_secrets.h"
#include "command/messages.h"
#include "core/secrets/secret.h"
#include "words/gateway_command.h"

enum { FILE_LEN = 4096 };

struct file_check {
    const char *path; /* NULL: not used */
    size_t least;     /* of a secret in it; 0: only whose it is, and who may read it */
    bool group_reads, may_lack;
};

static int check_file(const struct gateway *g, const struct file_check *f)
{
    char why[ODP_SECRET_WHY] = "";
    size_t len = 0;
    struct odp_secrets secrets = {0};
    const struct odp_secret_owner owner = {.user = g->uid, .group_reads = f->group_reads};
    enum odp_status st = odp_secret_file_bytes(f->path, owner, NULL, &len, g->inv->line.lang, why);
    if (st == ODP_OK && f->least > 0)
        st = odp_secrets_read(&secrets, f->path, owner, f->least, g->inv->line.lang, why);
    odp_secrets_wipe(&secrets);
    if (st == ODP_OK || (st == ODP_DONE && f->may_lack))
        return EXIT_CLEAN;
    if (st == ODP_DONE)
        return complain(EXIT_USAGE, say(g->inv, W_gwc_there_cannot_read), f->path);
    return st == ODP_BAD ? complain(EXIT_USAGE, "%s", why) : machine_failed(g->inv);
}

/* FILE of "redirect=KIND,URL,FILE,ttl=60s": the word that is not an option. NULL: missing, which nginx
 * reports. */
static const char *redirect_file(const struct gateway *g, char out[FILE_LEN])
{
    static const char *const options[] = {"ttl=", "region=", "access_key="};
    const char *at = strchr(g->inv->serve.content.text, ',');
    at = at != NULL ? strchr(at + 1, ',') : NULL;
    while (at != NULL) {
        size_t n = strcspn(++at, ",");
        bool option = false;
        for (size_t i = 0; i < ODP_COUNT(options); i++)
            option = option || strncmp(at, options[i], strlen(options[i])) == 0;
        if (!option && n < FILE_LEN) { /* nginx takes a relative path from the folder of its configuration */
            (void)snprintf(out, FILE_LEN, "%s%s%.*s", *at == '/' ? "" : g->state, *at == '/' ? "" : "/",
                           (int)n, at);
            return out;
        }
        at = at[n] != '\0' ? at + n : NULL;
    }
    return NULL;
}

int serve_check_secrets(struct gateway *g)
{
    const struct serve_options *serve = &g->inv->serve;
    const struct odp_service_options *o = &serve->service;
    char redirect[FILE_LEN];
    const char *key = odp_path_join(&g->arena, g->state, "webhook.key"),
               *cursor = odp_path_join(&g->arena, g->state, "cursor.key");
    const struct file_check files[] = {
        {.path = serve->tls_key, .group_reads = true},
        {.path = o->redis_secret, .least = 1},
        {.path = o->cursor_secret, .least = ODP_SECRET_BYTES},
        {.path = o->cursor_secret == NULL ? cursor : NULL, .may_lack = true},
        {.path = o->webhook_key},
        {.path = o->webhook_key == NULL ? key : NULL, .may_lack = true},
        {.path = serve->content.mode == CONTENT_REDIRECT ? redirect_file(g, redirect) : NULL, .least = 1},
    };
    int code = EXIT_CLEAN;
    for (size_t i = 0; i < ODP_COUNT(files) && code == EXIT_CLEAN; i++)
        if (files[i].path != NULL)
            code = check_file(g, &files[i]);
    return code;
}
