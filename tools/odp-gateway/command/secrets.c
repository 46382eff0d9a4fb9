/* odp-gateway secrets list|replace|show NAME: what signs and seals, and how one takes the place of another.
 * It works on files alone: a running gateway sees another cursor secret within a second, reads Redis's
 * password at each connection, and the secret of redirects at a reload. */
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/datetime.h"
#include "base/file.h"
#include "command/gateway.h"
#include "command/messages.h"
#include "command/table.h"
#include "core/secrets/secret.h"
#include "service/queries/queries.h"
#include "service/webhooks/deliver/seal.h"
#include "words/gateway_command.h"

enum { DAY = 86400, HOUR = 3600 };

/* The kinds of secrets. FILE: in the state folder; NULL: --file names it. */
struct kind {
    const char *name, *file, *comment;
    size_t least;
    int64_t grace, after; /* the default, in seconds */
    bool plain;           /* lines without times */
    struct odp_text next; /* the operator's next step */
};

static const struct kind kinds[] = {
    {"cursor",
     "cursor.key",
     ODP_CURSOR_COMMENT,
     ODP_SECRET_BYTES,
     DAY,
     0,
     false,
     {{W_gwc_running_service_uses_within}}},
    {"redirect",
     NULL,
     "Signs addresses of redirects (odp-gateway secrets replace redirect). The other end must know each of "
     "them.",
     1,
     7 * DAY,
     HOUR,
     false,
     {{W_gwc_tell_cdn_new_secret_secrets}}},
    {"redis",
     NULL,
     "Passwords of Redis, tried in this order (odp-gateway secrets replace redis).",
     1,
     DAY,
     0,
     false,
     {{W_gwc_give_redis_password_before}}},
    {"webhook",
     "webhook.key",
     ODP_SEAL_COMMENT,
     ODP_SECRET_NEW - 1,
     0,
     0,
     true,
     {{W_gwc_restart_everything_sealed_anew}}},
};

struct job {
    struct invocation *inv;
    struct gateway g;
    const struct kind *kind;
    const char *path;
    struct odp_secret_owner owner;
    struct odp_secrets secrets;
    char why[ODP_SECRET_WHY];
};

static int exit_code_of(const struct job *j, enum odp_status st)
{
    if (st == ODP_OK)
        return EXIT_CLEAN;
    return st == ODP_BAD ? complain(EXIT_REFUSED, "%s", j->why) : machine_failed(j->inv);
}

static int find(struct job *j)
{
    const char *name = j->inv->line.nwords > 1 ? j->inv->line.words[1] : "";
    for (size_t i = 0; i < ODP_COUNT(kinds) && j->kind == NULL; i++)
        if (strcmp(kinds[i].name, name) == 0)
            j->kind = &kinds[i];
    if (j->kind == NULL)
        return complain(EXIT_USAGE, say(j->inv, W_gwc_secret_cursor_redirect_redis), name);
    j->path = j->inv->file != NULL    ? j->inv->file
              : j->kind->file != NULL ? odp_path_join(&j->g.arena, j->g.state, j->kind->file)
                                      : NULL;
    if (j->path == NULL)
        return complain(EXIT_USAGE, say(j->inv, W_gwc_name_file_secret_file_file), name);
    j->owner = (struct odp_secret_owner){.user = j->g.uid};
    return EXIT_CLEAN;
}

static int read_file(struct job *j)
{
    return exit_code_of(
        j, odp_secrets_read(&j->secrets, j->path, j->owner, j->kind->least, j->inv->line.lang, j->why));
}

/* ---- list ---- */

static const struct table_column columns[] = {
    {"secret", {{W_gwc_secret}}, false}, {"id", {{W_gwc_id}}, false},       {"state", {{W_gwc_state}}, false},
    {"since", {{W_gwc_since}}, false},   {"until", {{W_gwc_until}}, false}, {"file", {{W_gwc_file}}, false},
};

static json_t *moment(int64_t t)
{
    char text[ODP_DATETIME_SIZE];
    return t == 0 ? json_null() : json_string(odp_moment_utc(t, text));
}

static const char *state_of(const struct odp_secrets *s, const struct odp_secret *k, int64_t now)
{
    if (odp_secret_ended(k, now))
        return "ended";
    if (k == odp_secrets_signs(s, now))
        return "signs";
    return k->since > now ? "waits" : "accepted";
}

static int list(struct job *j)
{
    const int64_t now = odp_now();
    json_t *rows = json_array();
    int code = read_file(j);
    for (size_t i = 0; code == EXIT_CLEAN && i < j->secrets.n; i++) {
        const struct odp_secret *k = &j->secrets.items[i];
        if (json_array_append_new(rows,
                                  json_pack("{s:s,s:s,s:s,s:o,s:o,s:s}", "secret", j->kind->name, "id", k->id,
                                            "state", state_of(&j->secrets, k, now), "since", moment(k->since),
                                            "until", moment(k->until), "file", j->path)) != 0)
            code = complain(EXIT_MACHINE, "%s", reason_of(j->inv, ENOMEM));
    }
    if (code == EXIT_CLEAN && j->inv->json)
        table_json(stdout, rows);
    else if (code == EXIT_CLEAN)
        table_print(stdout, rows, columns, ODP_COUNT(columns), j->inv->line.lang);
    json_decref(rows);
    return code == EXIT_CLEAN ? printed(j->inv) : code;
}

/* ---- replace, show ---- */

/* The first line of --new FILE, "-": of the standard input. */
static int take_word(struct job *j, char word[ODP_SECRET_WORD])
{
    const char *from = j->inv->new_secret;
    bool given = strcmp(from, "-") == 0;
    FILE *f = given ? stdin : fopen(from, "re");
    bool got = f != NULL && fgets(word, ODP_SECRET_WORD, f) != NULL;
    if (f != NULL && !given)
        fclose(f);
    size_t n = got ? strcspn(word, "\r\n") : 0;
    bool whole = got && (word[n] != '\0' || n < ODP_SECRET_WORD - 1);
    word[n] = '\0';
    if (!whole || n < j->kind->least || strcspn(word, " \t#") != n)
        return complain(EXIT_USAGE, say(j->inv, W_gwc_holds_no_secret_one_line), from, j->kind->least,
                        ODP_SECRET_WORD - 1);
    return EXIT_CLEAN;
}

static int put(struct job *j, const struct odp_secret_change *change)
{
    char text[ODP_SECRET_FILE];
    size_t len = 0;
    enum odp_status st = odp_secrets_replace(&j->secrets, change, j->path, j->inv->line.lang, j->why);
    if (st == ODP_OK)
        st = odp_secrets_compose(&j->secrets, change, text, &len);
    if (st == ODP_OK) { /* what we are about to write can be read again, by the same rules */
        struct odp_secrets again;
        st = odp_secrets_parse(&again, (struct odp_slice){text, len}, j->kind->least, j->path,
                               j->inv->line.lang, j->why);
        odp_secrets_wipe(&again);
    }
    if (st == ODP_OK)
        st = odp_secret_file_write(j->path, (struct odp_slice){text, len}, true, j->owner, j->inv->line.lang,
                                   j->why);
    explicit_bzero(text, sizeof text);
    return exit_code_of(j, st);
}

static int replace(struct job *j)
{
    char word[ODP_SECRET_WORD] = "";
    struct stat s;
    const struct kind *k = j->kind;
    const bool first = lstat(j->path, &s) != 0; /* nothing to wait for */
    const int64_t grace = j->inv->secret_grace >= 0 ? j->inv->secret_grace : k->grace;
    int64_t after = j->inv->after >= 0 ? j->inv->after : k->after;
    if (k->plain || first)
        after = 0;
    const struct odp_secret_change change = {.comment = k->comment,
                                             .now = odp_now(),
                                             .word = j->inv->new_secret != NULL ? word : NULL,
                                             .after = after,
                                             .grace = grace,
                                             .plain = k->plain};
    if (k->plain && (j->inv->after > 0 || j->inv->secret_grace > 0))
        return complain(EXIT_USAGE, "%s", say(j->inv, W_gwc_key_webhooks_does_end_time_old));
    int code = first ? EXIT_CLEAN : read_file(j);
    if (code == EXIT_CLEAN && change.word != NULL)
        code = take_word(j, word);
    if (code == EXIT_CLEAN)
        code = put(j, &change);
    explicit_bzero(word, sizeof word);
    if (code != EXIT_CLEAN)
        return code;
    code = list(j);
    complain(0, "%s", odp_text_get(&k->next, j->inv->line.lang));
    return code;
}

/* The newest, alone: for a pipe to the other end. */
static int show(struct job *j)
{
    int code = read_file(j);
    if (code == EXIT_CLEAN && (strcmp(j->kind->name, "cursor") == 0 || strcmp(j->kind->name, "webhook") == 0))
        code = complain(EXIT_USAGE, say(j->inv, W_gwc_nobody_outside_needs_secret), j->kind->name);
    if (code == EXIT_CLEAN)
        puts(j->secrets.items[0].word);
    return code;
}

static int act_on(struct job *j, const char *act)
{
    if (strcmp(act, "list") == 0)
        return list(j);
    if (strcmp(act, "replace") == 0)
        return replace(j);
    if (strcmp(act, "show") == 0)
        return show(j);
    return complain(EXIT_USAGE, "%s odp-gateway secrets list|replace|show NAME",
                    say(j->inv, W_gwc_wrong_words));
}

static int run_secrets(struct invocation *inv)
{
    struct job j = {.inv = inv};
    int code = gateway_init(&j.g, inv);
    if (code == EXIT_CLEAN)
        code = find(&j);
    if (code == EXIT_CLEAN)
        code = act_on(&j, inv->line.words[0]);
    odp_secrets_wipe(&j.secrets);
    gateway_release(&j.g);
    return code;
}

const struct command command_secrets = {"secrets",
                                        "list|replace|show cursor|redirect|redis|webhook",
                                        {{W_gwc_what_signs_seals_ids_validity}},
                                        run_secrets};
