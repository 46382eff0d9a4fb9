/* The tables of commands and options, and what options together must be. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buffer.h"
#include "command/commands.h"
#include "command/values.h"
#include "service/cluster/redis.h"
#include "service/http/http.h"
#include "words/gateway_command.h"

#define AT(member) offsetof(struct invocation, member)

enum { NUMBER_MAX = 1000000, KEEP_LEAST = 7 * 86400, KEEP_MOST = 3650 * 86400 }; /* seconds */

/* ---- commands ---- */

#define NO_MORE NULL, NULL

static const struct entry {
    const struct command *command;
    size_t least, most; /* words that follow */
    struct odp_text more;
} entries[] = {
#define COMMAND(name, least, most, more) {&command_##name, least, most, {{more}}},
#include "command/commands.def"
#undef COMMAND
};

static const struct command *const commands[] = {
#define COMMAND(name, least, most, more) &command_##name,
#include "command/commands.def"
#undef COMMAND
    NULL};

static const struct entry *entry_of(const struct command *command)
{
    const struct entry *e = entries;
    while (e->command != command)
        e++;
    return e;
}

static const struct odp_text *more_of(const struct command *command)
{
    return &entry_of(command)->more;
}

/* ---- options ---- */

static bool take_number(void *at, char *value)
{
    return value_number(value, NUMBER_MAX, at);
}

/* A number that may be very large. */
static bool take_count(void *at, char *value)
{
    return value_number(value, INT64_C(1000000000000), at) && *(int64_t *)at > 0;
}

static bool take_size(void *at, char *value)
{
    return value_size(value, at);
}

static bool take_query_cache(void *at, char *value)
{
    *(int64_t *)at = -1;
    return strcmp(value, "0") == 0 || value_size(value, at);
}

/* A text, checked. */
static bool set_text(void *at, const char *value, bool fits)
{
    *(const char **)at = value;
    return fits;
}

static bool take_unless_off(void *at, char *value)
{
    return set_text(at, strcmp(value, "off") == 0 ? NULL : value, true);
}

/* As nginx's module reads it, which knows no more than megabytes. */
static bool take_cache(void *at, char *value)
{
    int64_t size;
    return set_text(at, value,
                    value_size(value, &size) && strchr("mMkK0123456789", value[strlen(value) - 1]) != NULL);
}

static bool take_span(void *at, char *value)
{
    return value_span(value, at);
}

static bool take_listen(void *at, char *value)
{
    char host[256];
    unsigned port;
    const char *path;
    return value_address(value, host, &port, &path) && odp_option_list(at, value);
}

static bool take_host(void *at, char *value)
{
    return value_is_host(value) && odp_option_list(at, value);
}

static bool take_cidr(void *at, char *value)
{
    return value_is_cidr(value) && odp_option_list(at, value);
}

static bool take_prefix(void *at, char *value)
{
    return value_is_prefix(value) && odp_option_list(at, value);
}

static bool take_content(void *at, char *value)
{
    return value_content(value, at);
}

static bool take_metrics(void *at, char *value)
{
    char host[256];
    unsigned port;
    const char *path;
    return take_unless_off(at, value) &&
           (strcmp(value, "off") == 0 ||
            (strchr(value, ':') != NULL && value_address(value, host, &port, &path) && path == NULL));
}

static bool take_loopback(void *at, char *value)
{
    return set_text(at, value, value_is_loopback(value));
}

static bool take_url(void *at, char *value)
{
    return set_text(at, value, value_is_url(value));
}

static bool take_parameter(void *at, char *value)
{
    return take_unless_off(at, value) && value_is_parameter(value);
}

static bool take_part(void *at, char *value)
{
    return set_text(at, value, strcmp(value, "full") == 0 || strcmp(value, "http") == 0);
}

#define CONFIG         " config "
#define KEYS           " keys "
#define USAGE          " usage "
#define WEBHOOKS       " webhooks "
#define SERVE_WEBHOOKS " serve config check webhooks "
#define SECRETS        " secrets "
#define YES            " keys webhooks "
#define PULL           " pull "
#define TABLE          " keys usage webhooks check audit secrets status "
#define STATE          " serve config keys usage webhooks check backup restore promote audit secrets status "

static const struct option_row option_rows[] = {
#include "command/options.def"
};
#define OPTION_ROWS (ODP_COUNT(option_rows))
static_assert(OPTION_ROWS <= MAX_OPTIONS, "raise MAX_OPTIONS");

static const struct odp_program program = {.name = "odp-gateway",
                                           .version = ODP_VERSION,
                                           .commands = commands,
                                           .options = option_rows,
                                           .noptions = OPTION_ROWS,
                                           .usage = {{W_gwc_program}},
                                           .exit_codes = {{W_gwc_exit_codes}},
                                           .column = 38,
                                           .strict = true,
                                           .more = more_of};

/* ---- parsing ---- */

/* /var/lib/odp where the package has made it and we may write there; root may write everywhere, and means it
 * when it is there. */
static const char *default_state(void)
{
    const char *named = getenv("ODP_STATE");
    if (named != NULL && *named != '\0')
        return named;
    return access("/var/lib/odp", R_OK | W_OK | X_OK) == 0 ? "/var/lib/odp" : "odp-state";
}

static int check_words(const struct odp_command_line *line, FILE *err)
{
    const struct entry *e = entry_of(line->command);
    if (line->nwords >= e->least && line->nwords <= e->most)
        return EXIT_CLEAN;
    struct odp_buffer words = {0};
    odp_option_arguments(&words, e->command->words, line->lang);
    fprintf(err, "odp-gateway %s: %s odp-gateway %s %s\n", e->command->name,
            line->nwords < e->least ? odp_word(line->lang, W_gwc_something_missing)
                                    : odp_word(line->lang, W_gwc_too_many_words),
            e->command->name, odp_buffer_cstr(&words));
    odp_buffer_release(&words);
    return EXIT_USAGE;
}

static bool outside(int64_t n, int64_t least, int64_t most)
{
    return n < least || n > most;
}

static bool no_redis(const char *text)
{
    struct odp_redis_address address;
    bool wrong = text != NULL && !odp_redis_address(text, &address);
    explicit_bzero(&address, sizeof address);
    return wrong;
}

/* Rules between options, and one for a value that may have a password in it: it is not repeated. */
static int check_together(const struct odp_command_line *line, const struct serve_options *s, FILE *err)
{
    const struct odp_service_options *o = &s->service;
    const struct {
        bool wrong;
        struct odp_text rule;
    } rules[] = {
        {(s->tls_cert == NULL) != (s->tls_key == NULL), {{W_gwc_rule_tls}}},
        {o->confirm_email && o->sendmail == NULL, {{W_gwc_rule_confirm_email}}},
        {o->sendmail != NULL && o->mail_from == NULL, {{W_gwc_rule_sendmail}}},
        {outside(o->query_time, 10, 60000), {{W_gwc_rule_query_time}}},
        {o->attempts < 1, {{W_gwc_rule_attempts}}},
        {outside(o->header_size, 4096, 65536) || o->header_size % 1024 != 0, {{W_gwc_rule_header_size}}},
        {outside(o->query_size, 4096, ODP_QUERY_BODY_MOST) || o->query_size % 1024 != 0,
         {{W_gwc_rule_query_size}}},
        {o->query_threads > 1024, {{W_gwc_rule_query_threads}}},
        {outside(o->webhook_connections, 1, 1024), {{W_gwc_rule_webhook_connections}}},
        {outside(o->webhook_keep, KEEP_LEAST, KEEP_MOST), {{W_gwc_rule_webhook_keep}}},
        {o->redis_secret != NULL && o->redis == NULL, {{W_gwc_rule_redis_secret}}},
        {no_redis(o->redis), {{W_gwc_rule_redis}}},
        {o->writer != NULL && strncmp(o->writer, "file:", 5) == 0, {{W_gwc_rule_writer}}},
        {o->writer != NULL && o->redis == NULL, {{W_gwc_rule_writer_redis}}},
    };
    for (size_t i = 0; i < ODP_COUNT(rules); i++)
        if (rules[i].wrong) {
            fprintf(err, "odp-gateway: %s\n", odp_text_get(&rules[i].rule, line->lang));
            return EXIT_USAGE;
        }
    return EXIT_CLEAN;
}

int options_parse(struct invocation *inv, int argc, char **argv, const char **words, FILE *err)
{
    *inv = (struct invocation){.line = {.program = &program, .words = words},
                               .state = default_state(),
                               .part = "full",
                               .by = "dataset",
                               .after = -1,
                               .secret_grace = -1,
                               .jobs = 8,
                               .keep = 5,
                               .max_file = 8LL << 30,
                               .max_site = 200LL << 30,
                               .serve = {.cache = "64m",
                                         .content = {CONTENT_LOCAL, "local"},
                                         .service = {.metrics_listen = "127.0.0.1:9145",
                                                     .registrations = 20,
                                                     .attempts = 100,
                                                     .header_size = 8192,
                                                     .query_size = ODP_QUERY_BODY_MAX,
                                                     .query_time = 2000,
                                                     .query_rows = 5000000,
                                                     .query_cache = 32 << 20,
                                                     .webhook_connections = 64,
                                                     .webhook_keep = 30 * 86400,
                                                     .grace = 7 * 86400}}};
    struct odp_command_line *line = &inv->line;
    int code = odp_options_parse(line, inv, argc, argv, err);
    if (code != EXIT_CLEAN || line->help || line->version || line->command == NULL)
        return code;
    code = check_words(line, err);
    return code == EXIT_CLEAN ? check_together(line, &inv->serve, err) : code;
}
