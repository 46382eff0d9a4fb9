#include "command/options.h"

#include <ctype.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/nearest.h"
#include "base/utf8.h"
#include "command/messages.h"
#include "command/options_table.h"
#include "command/values.h"
#include "service/http/http.h"

enum { KEEP_LEAST = 7 * 86400, KEEP_MOST = 3650 * 86400 }; /* seconds */

/* The option NAME of the command; of any command when there is none of that name in this one (to say where it belongs). */
static const struct option_row *find_option(const char *name, size_t len, unsigned groups)
{
    const struct option_row *other = NULL;
    for (size_t i = 0; i < option_row_count; i++)
        if (strlen(option_rows[i].name) == len && memcmp(option_rows[i].name, name, len) == 0) {
            if ((option_rows[i].group & groups) != 0)
                return &option_rows[i];
            other = &option_rows[i];
        }
    return other;
}

static bool add_to_list(struct option_list *l, const char *value)
{
    if (l->n == MAX_REPEATS)
        return false;
    l->items[l->n++] = value;
    return true;
}

/* False: VALUE does not fit the option. */
static bool set_option(struct invocation *inv, const struct option_row *row, const char *value)
{
    void *at = (char *)inv + row->offset;
    char host[256];
    unsigned port;
    const char *path;
    if (row->kind == OPTION_FLAG) {
        *(bool *)at = true;
        return true;
    }
    switch (row->kind) {
    case OPTION_NUMBER:
        return value_number(value, 1000000, at);
    case OPTION_COUNT:
        return value_number(value, INT64_C(1000000000000), at) && *(int64_t *)at > 0;
    case OPTION_SIZE:
        if (row->offset == AT(serve.query_cache) && strcmp(value, "0") == 0) {
            *(int64_t *)at = 0;
            return true;
        }
        if (row->offset != AT(serve.cache))
            return value_size(value, at);
        *(const char **)at = value;
        return value_size(value, &(int64_t){0}) && strchr("mMkK0123456789", value[strlen(value) - 1]) != NULL;
    case OPTION_SPAN:
        return value_span(value, at);
    case OPTION_LISTEN:
        return value_address(value, host, &port, &path) && add_to_list(at, value);
    case OPTION_HOST:
        return value_is_host(value) && add_to_list(at, value);
    case OPTION_CIDR:
        return value_is_cidr(value) && add_to_list(at, value);
    case OPTION_PREFIX:
        return value_is_prefix(value) && add_to_list(at, value);
    case OPTION_LIST:
        return *value != '\0' && add_to_list(at, value);
    case OPTION_LANG:
        inv->lang = strcmp(value, "en") == 0 ? ODP_LANG_EN : ODP_LANG_ID;
        return strcmp(value, "en") == 0 || strcmp(value, "id") == 0;
    case OPTION_CONTENT:
        return value_content(value, at);
    default:
        break;
    }
    *(const char **)at = value;
    switch (row->kind) {
    case OPTION_DATE:
        return value_is_date(value);
    case OPTION_LOOPBACK:
        return value_is_loopback(value);
    case OPTION_URL:
        return value_is_url(value);
    case OPTION_PARAMETER:
        return value_is_parameter(value);
    case OPTION_PART:
        return strcmp(value, "full") == 0 || strcmp(value, "http") == 0;
    default:
        return *value != '\0';
    }
}

static const char *nearest_option(const char *name, unsigned groups)
{
    const char *names[256];
    size_t n = 0;
    for (size_t i = 0; i < option_row_count && n < sizeof names / sizeof *names; i++)
        if ((option_rows[i].group & groups) != 0)
            names[n++] = option_rows[i].name;
    return odp_word_nearest((struct odp_slice){name, strcspn(name, "=")}, names, n);
}

/* Takes argv[*i], which begins with --, and its argument where it has one. */
static bool take_option(struct invocation *inv, int argc, char **argv, int *i, FILE *err)
{
    char *name = argv[*i] + 2;
    char *equals = strchr(name, '=');
    unsigned groups = inv->command != NULL ? inv->command->groups | GROUP_ALL : GROUP_ALL;
    const struct option_row *row = find_option(name, equals != NULL ? (size_t)(equals - name) : strlen(name), groups);
    if (row == NULL || (row->group & groups) == 0) {
        const char *text = row == NULL            ? say(inv, "opsi tidak dikenal", "unknown option")
                           : inv->command == NULL ? say(inv, "tulis perintahnya dahulu, baru opsi ini",
                                                        "write the command first, then this option")
                                                  : say(inv, "perintah ini tidak mempunyai opsi", "this command has no option");
        const char *near = row == NULL ? nearest_option(name, groups) : NULL;
        fprintf(err, "odp-gateway: %s: %s%s%s (%s)\n", text, argv[*i], near == NULL ? "" : say(inv, "; mungkin: --", "; perhaps: --"),
                near == NULL ? "" : near, say(inv, "lihat --help", "see --help"));
        return false;
    }
    char *value = equals != NULL ? equals + 1 : NULL;
    if (row->argument == NULL && value != NULL) {
        fprintf(err, say(inv, "odp-gateway: --%s tidak memakai nilai\n", "odp-gateway: --%s takes no value\n"), row->name);
        return false;
    }
    if (row->argument != NULL && value == NULL) {
        if (*i + 1 >= argc) {
            fprintf(err, say(inv, "odp-gateway: --%s memerlukan %s\n", "odp-gateway: --%s needs %s\n"), row->name,
                    row->argument);
            return false;
        }
        value = argv[++*i];
    }
    if (!set_option(inv, row, value)) {
        fprintf(err,
                say(inv, "odp-gateway: nilai --%s tidak sah: “%s”; diharapkan %s\n",
                    "odp-gateway: bad value for --%s: “%s”; expected %s\n"),
                row->name, value, row->argument);
        return false;
    }
    return true;
}

static bool take_command(struct invocation *inv, const char *word, FILE *err)
{
    const char *names[64], *near;
    size_t n = 0;
    for (size_t i = 0; inv->commands[i] != NULL; i++)
        if (strcmp(inv->commands[i]->name, word) == 0) {
            inv->command = inv->commands[i];
            return true;
        } else if (n < sizeof names / sizeof *names)
            names[n++] = inv->commands[i]->name;
    near = odp_word_nearest(odp_slice_of(word), names, n);
    fprintf(err,
            say(inv, "odp-gateway: perintah tidak dikenal: %s%s%s (lihat odp-gateway --help)\n",
                "odp-gateway: unknown command: %s%s%s (see odp-gateway --help)\n"),
            word, near == NULL ? "" : say(inv, "; mungkin: ", "; perhaps: "), near == NULL ? "" : near);
    return false;
}

/* /var/lib/odp where the package has made it and we may write there; root may write everywhere, and means it when it is there.
 */
static const char *default_state(void)
{
    const char *named = getenv("ODP_STATE");
    if (named != NULL && *named != '\0')
        return named;
    return access("/var/lib/odp", R_OK | W_OK | X_OK) == 0 ? "/var/lib/odp" : "odp-state";
}

/* What options together must be. */
static int check_together(const struct invocation *inv, FILE *err)
{
    const struct serve_options *s = &inv->serve;
    const char *wrong = NULL;
    if (inv->help || inv->version || inv->command == NULL)
        return EXIT_CLEAN;
    if (inv->nwords < inv->command->min_words || inv->nwords > inv->command->max_words)
        wrong = inv->nwords < inv->command->min_words
                    ? say(inv, "ada yang kurang; bentuknya:", "something is missing; the form is:")
                    : say(inv, "terlalu banyak kata; bentuknya:", "too many words; the form is:");
    if (wrong != NULL) {
        fprintf(err, "odp-gateway %s: %s odp-gateway %s %s\n", inv->command->name, wrong, inv->command->name,
                inv->command->words);
        return EXIT_USAGE;
    }
    if ((s->tls_cert == NULL) != (s->tls_key == NULL))
        wrong = say(inv, "--tls-cert dan --tls-key harus bersama", "--tls-cert and --tls-key go together");
    else if (s->confirm_email && s->sendmail == NULL)
        wrong = say(inv, "--confirm-email memerlukan --sendmail", "--confirm-email needs --sendmail");
    else if (s->sendmail != NULL && s->mail_from == NULL)
        wrong = say(inv, "--sendmail memerlukan --mail-from", "--sendmail needs --mail-from");
    else if (s->query_time < 10 || s->query_time > 60000)
        wrong = say(inv, "--query-time antara 10 dan 60000 milidetik", "--query-time is between 10 and 60000 milliseconds");
    else if (s->attempts < 1)
        wrong = say(inv, "--attempts paling sedikit 1", "--attempts is at least 1");
    else if (s->header_size < 4096 || s->header_size > 65536 || s->header_size % 1024 != 0)
        wrong = say(inv, "--header-size antara 4k dan 64k, kelipatan 1k", "--header-size is between 4k and 64k, a multiple of 1k");
    else if (s->query_size < 4096 || s->query_size > ODP_QUERY_BODY_MOST || s->query_size % 1024 != 0)
        wrong = say(inv, "--query-size antara 4k dan 1m, kelipatan 1k", "--query-size is between 4k and 1m, a multiple of 1k");
    else if (s->query_threads > 1024)
        wrong = say(inv, "--query-threads paling banyak 1024", "--query-threads is at most 1024");
    else if (s->webhook_connections < 1 || s->webhook_connections > 1024)
        wrong = say(inv, "--webhook-connections antara 1 dan 1024", "--webhook-connections is between 1 and 1024");
    else if (s->webhook_keep < KEEP_LEAST || s->webhook_keep > KEEP_MOST)
        wrong = say(inv, "--webhook-keep antara 7 dan 3650 hari (percobaan ulang berlangsung 4 hari)",
                    "--webhook-keep is between 7 and 3650 days (attempts go on for 4)");
    else if (s->redis_secret != NULL && s->redis == NULL)
        wrong = say(inv, "--redis-secret memerlukan --redis", "--redis-secret needs --redis");
    else if (s->writer != NULL && strncmp(s->writer, "file:", 5) == 0)
        wrong = say(inv, "--writer memerlukan http:// atau https://", "--writer needs http:// or https://");
    if (wrong == NULL)
        return EXIT_CLEAN;
    fprintf(err, "odp-gateway: %s\n", wrong);
    return EXIT_USAGE;
}

int options_parse(struct invocation *inv, const struct command *const *commands, int argc, char **argv, const char **words, FILE *err)
{
    const char *lang = getenv("ODP_LANG");
    bool only_words = false;
    *inv = (struct invocation){.commands = commands,
                               .words = words,
                               .lang = lang != NULL && strncmp(lang, "en", 2) == 0 ? ODP_LANG_EN : ODP_LANG_ID,
                               .state = default_state(),
                               .part = "full",
                               .by = "dataset",
                               .after = -1,
                               .secret_grace = -1,
                               .jobs = 8,
                               .keep = 5,
                               .max_file = 8LL << 30,
                               .max_site = 200LL << 30,
                               .serve = {.metrics = "127.0.0.1:9145",
                                         .query_key = "off",
                                         .cache = "64m",
                                         .content = {CONTENT_LOCAL, "local"},
                                         .registrations = 20,
                                         .attempts = 100,
                                         .header_size = 8192,
                                         .query_size = ODP_QUERY_BODY_MAX,
                                         .query_time = 2000,
                                         .query_rows = 5000000,
                                         .query_cache = 32 << 20,
                                         .webhook_connections = 64,
                                         .webhook_keep = 30 * 86400,
                                         .grace = 7 * 86400}};
    /* The language first, so that messages about the other options are in it. */
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--lang=en") == 0 ||
            (strcmp(argv[i], "--lang") == 0 && i + 1 < argc && strcmp(argv[i + 1], "en") == 0))
            inv->lang = ODP_LANG_EN;
    for (int i = 1; i < argc; i++) {
        if (!only_words && strcmp(argv[i], "--") == 0)
            only_words = true;
        else if (!only_words && strcmp(argv[i], "-h") == 0)
            inv->help = true;
        else if (!only_words && strncmp(argv[i], "--", 2) == 0) {
            if (!take_option(inv, argc, argv, &i, err))
                return EXIT_USAGE;
        } else if (!only_words && argv[i][0] == '-' && argv[i][1] != '\0') {
            fprintf(err,
                    say(inv, "odp-gateway: opsi tidak dikenal: %s (lihat --help)\n",
                        "odp-gateway: unknown option: %s (see --help)\n"),
                    argv[i]);
            return EXIT_USAGE;
        } else if (inv->command == NULL) {
            if (!take_command(inv, argv[i], err))
                return EXIT_USAGE;
        } else
            words[inv->nwords++] = argv[i];
    }
    return check_together(inv, err);
}

/* S padded to WIDTH columns. */
static void print_padded(FILE *out, const char *s, size_t width)
{
    size_t w = odp_utf8_width(odp_slice_of(s));
    fprintf(out, "%s%*s", s, (int)(w < width ? width - w : 1), "");
}

static void print_option(const struct invocation *inv, const struct option_row *row, FILE *out)
{
    char left[80];
    (void)snprintf(left, sizeof left, "  --%s%s%s", row->name, row->argument != NULL ? " " : "",
                   row->argument != NULL ? row->argument : "");
    print_padded(out, left, 30);
    fprintf(out, "%s\n", odp_text_get(&row->summary, inv->lang));
}

void options_help(const struct invocation *inv, FILE *out)
{
    char left[120];
    unsigned groups = inv->command != NULL ? inv->command->groups | GROUP_ALL : GROUP_ALL;
    if (inv->command != NULL) {
        fprintf(out, "odp-gateway %s %s\n    %s\n", inv->command->name, inv->command->words,
                odp_text_get(&inv->command->summary, inv->lang));
        const char *more = odp_text_get(&inv->command->more, inv->lang);
        fprintf(out, "%s%s\n", *more != '\0' ? "\n" : "", more);
    } else {
        fprintf(out, "%s\n\n",
                say(inv, "odp-gateway: gerbang data terbuka. Pemakaian: odp-gateway PERINTAH [OPSI]",
                    "odp-gateway: the gateway of the open data. Usage: odp-gateway COMMAND [OPTIONS]"));
        for (size_t i = 0; inv->commands[i] != NULL; i++) {
            (void)snprintf(left, sizeof left, "  %s %s", inv->commands[i]->name, inv->commands[i]->words);
            print_padded(out, left, 38);
            fprintf(out, "%s\n", odp_text_get(&inv->commands[i]->summary, inv->lang));
        }
        fputc('\n', out);
    }
    for (size_t i = 0; i < option_row_count; i++)
        if ((option_rows[i].group & groups) != 0)
            print_option(inv, &option_rows[i], out);
    fprintf(
        out, "\n%s\n",
        say(inv,
            "kode keluar: 0 baik · 1 ditolak, tidak ada, atau ada masalah · 2 salah pakai atau konfigurasi · 3 mesin gagal",
            "exit codes: 0 well · 1 refused, not found, or a problem · 2 wrong usage or configuration · 3 the machine failed"));
}
