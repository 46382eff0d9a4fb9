#include "command/options.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/utf8.h"
#include "command/values.h"

/* How an option's argument is taken. */
enum option_kind {
    OPTION_TEXT,
    OPTION_FLAG,
    OPTION_NUMBER,
    OPTION_COUNT, /* a number that may be very large */
    OPTION_SIZE,
    OPTION_LIST,
    OPTION_LISTEN,
    OPTION_CIDR,
    OPTION_LANG,
    OPTION_DATE,
    OPTION_CONTENT,
    OPTION_LOOPBACK,
    OPTION_URL,
    OPTION_PARAMETER,
    OPTION_PART,
    OPTION_SPAN
};

struct option_row {
    const char *name;     /* without -- */
    const char *argument; /* shown in the help, or NULL */
    unsigned group;
    enum option_kind kind;
    size_t offset; /* into struct invocation */
    struct odp_text summary;
};

#define AT(member) offsetof(struct invocation, member)

static const struct option_row option_rows[] = {
    {"state",
     "DIR",
     GROUP_STATE,
     OPTION_TEXT,
     AT(state),
     {{"folder keadaan ($ODP_STATE, /var/lib/odp bila boleh ditulis, atau ./odp-state)",
       "state folder ($ODP_STATE, /var/lib/odp where it may be written, else ./odp-state)"}}},
    {"listen",
     "ADDR[:PORT]",
     GROUP_SERVE,
     OPTION_LISTEN,
     AT(serve.listen),
     {{"alamat layanan, boleh diulang; unix:/PATH boleh (127.0.0.1:8080)",
       "address to serve at, repeatable; unix:/PATH works too (127.0.0.1:8080)"}}},
    {"tls-cert",
     "FILE",
     GROUP_SERVE,
     OPTION_TEXT,
     AT(serve.tls_cert),
     {{"sertifikat TLS dengan rantainya (PEM)", "TLS certificate with its chain (PEM)"}}},
    {"tls-key",
     "FILE",
     GROUP_SERVE,
     OPTION_TEXT,
     AT(serve.tls_key),
     {{"kunci privat sertifikat itu", "that certificate's private key"}}},
    {"trusted-proxy",
     "CIDR",
     GROUP_SERVE,
     OPTION_CIDR,
     AT(serve.trusted),
     {{"percaya X-Forwarded-For dari alamat ini, boleh diulang", "believe X-Forwarded-For from these addresses, repeatable"}}},
    {"workers",
     "N",
     GROUP_SERVE,
     OPTION_NUMBER,
     AT(serve.workers),
     {{"proses pekerja nginx (satu per inti)", "nginx worker processes (one a core)"}}},
    {"metrics",
     "ADDR:PORT|off",
     GROUP_SERVE,
     OPTION_TEXT,
     AT(serve.metrics),
     {{"/metrics dan /healthz (127.0.0.1:9145)", "/metrics and /healthz (127.0.0.1:9145)"}}},
    {"auth-listen",
     "ADDR:PORT",
     GROUP_SERVE,
     OPTION_LOOPBACK,
     AT(serve.auth_listen),
     {{"forward-auth untuk nginx biasa dan Caddy, hanya loopback (tidak ada)",
       "forward-auth for stock nginx and Caddy, loopback only (none)"}}},
    {"sendmail",
     "COMMAND",
     GROUP_SERVE,
     OPTION_TEXT,
     AT(serve.sendmail),
     {{"perintah pengirim surel, mis. \"/usr/sbin/sendmail -t -i\" (tidak ada)",
       "command that sends mail, e.g. \"/usr/sbin/sendmail -t -i\" (none)"}}},
    {"mail-from", "ADDRESS", GROUP_SERVE, OPTION_TEXT, AT(serve.mail_from), {{"pengirim surel", "sender of mail"}}},
    {"confirm-email",
     NULL,
     GROUP_SERVE,
     OPTION_FLAG,
     AT(serve.confirm_email),
     {{"kunci baru habis dalam 24 jam bila surelnya tidak dikonfirmasi",
       "a new key runs out after 24 hours unless its address is confirmed"}}},
    {"registrations",
     "N",
     GROUP_SERVE,
     OPTION_NUMBER,
     AT(serve.registrations),
     {{"pendaftaran per alamat per jam (20)", "registrations an address and hour (20)"}}},
    {"grace",
     "DAYS",
     GROUP_SERVE,
     OPTION_SPAN,
     AT(serve.grace),
     {{"masa berlaku kunci lama setelah diganti; juga 12h, 30m, 90s (7)",
       "how long a replaced key stays valid; also 12h, 30m, 90s (7)"}}},
    {"key-term",
     "DAYS",
     GROUP_SERVE,
     OPTION_SPAN,
     AT(serve.key_term),
     {{"masa berlaku kunci baru; 0: selamanya (0)", "term of new keys; 0: for ever (0)"}}},
    {"writer",
     "URL",
     GROUP_SERVE,
     OPTION_URL,
     AT(serve.writer),
     {{"mesin ini replika; pendaftaran diteruskan ke penulis itu",
       "this machine is a replica; registration goes to that writer"}}},
    {"redis",
     "ADDR",
     GROUP_SERVE,
     OPTION_TEXT,
     AT(serve.redis),
     {{"Redis tempat mesin bertukar kunci dan hitungan", "the Redis by which machines exchange keys and counts"}}},
    {"redis-secret",
     "FILE",
     GROUP_SERVE,
     OPTION_TEXT,
     AT(serve.redis_secret),
     {{"berkas berisi sandi Redis", "file with its password"}}},
    {"machine",
     "NAME",
     GROUP_SERVE,
     OPTION_TEXT,
     AT(serve.machine),
     {{"nama mesin ini (nama host)", "this machine's name (host name)"}}},
    {"content",
     "MODE",
     GROUP_SERVE,
     OPTION_CONTENT,
     AT(serve.content),
     {{"local, proxy=URL, redirect=secure_link,URL,FILE[,ttl=300s], redirect=s3,URL,region=…,access_key=…,FILE (local)",
       "local, proxy=URL, redirect=secure_link,URL,FILE[,ttl=300s], redirect=s3,URL,region=…,access_key=…,FILE (local)"}}},
    {"query-key",
     "NAME|off",
     GROUP_SERVE,
     OPTION_PARAMETER,
     AT(serve.query_key),
     {{"terima kunci di parameter ini, untuk perangkat lunak GIS (off)",
       "accept a key in this parameter, for GIS software (off)"}}},
    {"access-log",
     "FILE|off",
     GROUP_SERVE,
     OPTION_TEXT,
     AT(serve.access_log),
     {{"log akses JSON (STATE/nginx/access.log)", "the JSON access log (STATE/nginx/access.log)"}}},
    {"user",
     "NAME",
     GROUP_SERVE,
     OPTION_TEXT,
     AT(serve.user),
     {{"bila dijalankan root: bekerja sebagai NAME", "when started by root: work as NAME"}}},
    {"nginx", "PATH", GROUP_SERVE, OPTION_TEXT, AT(serve.nginx), {{"program nginx (dicari)", "the nginx program (searched)"}}},
    {"module",
     "PATH",
     GROUP_SERVE,
     OPTION_TEXT,
     AT(serve.module),
     {{"modul nginx odp (dicari); \"off\": selalu auth_request",
       "odp's nginx module (searched); \"off\": always auth_request"}}},
    {"cache",
     "SIZE",
     GROUP_SERVE,
     OPTION_SIZE,
     AT(serve.cache),
     {{"memori berkas kecil per pekerja (64m)", "memory for small files, per worker (64m)"}}},
    {"query-threads",
     "N",
     GROUP_SERVE,
     OPTION_NUMBER,
     AT(serve.query_threads),
     {{"kueri yang berjalan bersamaan (satu per inti)", "queries that run at once (one a core)"}}},
    {"query-time",
     "MS",
     GROUP_SERVE,
     OPTION_NUMBER,
     AT(serve.query_time),
     {{"waktu paling lama satu kueri, dalam milidetik (2000)", "how long a query may take, in milliseconds (2000)"}}},
    {"query-rows",
     "N",
     GROUP_SERVE,
     OPTION_COUNT,
     AT(serve.query_rows),
     {{"rekaman yang boleh dilihat satu kueri (5000000)", "records that a query may look at (5000000)"}}},
    {"query-cache",
     "SIZE",
     GROUP_SERVE,
     OPTION_SIZE,
     AT(serve.query_cache),
     {{"memori untuk jawaban kueri; 0: tidak ada (32m)", "memory for answers of queries; 0: none (32m)"}}},
    {"cursor-secret",
     "FILE",
     GROUP_SERVE,
     OPTION_TEXT,
     AT(serve.cursor_secret),
     {{"berkas rahasia cursor, sama di semua mesin (STATE/cursor.key)",
       "file with the secret of cursors, the same on all machines (STATE/cursor.key)"}}},
    {"part",
     "full|http",
     GROUP_CONFIG,
     OPTION_PART,
     AT(part),
     {{"seluruh nginx.conf, atau yang disertakan di dalam http { } (full)",
       "the whole nginx.conf, or what goes inside http { } (full)"}}},
    {"tier", "NAME", GROUP_KEYS, OPTION_TEXT, AT(tier), {{"list, create: tingkat", "list, create: the tier"}}},
    {"only",
     "STATE",
     GROUP_KEYS,
     OPTION_TEXT,
     AT(key_state),
     {{"list: hanya active, rotated, suspended, revoked, expired", "list: only active, rotated, suspended, revoked, expired"}}},
    {"name", "TEXT", GROUP_KEYS, OPTION_TEXT, AT(name), {{"create: nama pemegang", "create: the holder's name"}}},
    {"email", "ADDRESS", GROUP_KEYS, OPTION_TEXT, AT(email), {{"create: surel pemegang", "create: the holder's e-mail"}}},
    {"organisation", "TEXT", GROUP_KEYS, OPTION_TEXT, AT(organisation), {{"create: instansi", "create: organisation"}}},
    {"purpose", "TEXT", GROUP_KEYS, OPTION_TEXT, AT(purpose), {{"create: tujuan", "create: purpose"}}},
    {"until",
     "DATE",
     GROUP_KEYS,
     OPTION_DATE,
     AT(until),
     {{"create: berlaku sampai akhir DATE (YYYY-MM-DD)", "create: valid to the end of DATE (YYYY-MM-DD)"}}},
    {"by",
     "WORDS",
     GROUP_USAGE,
     OPTION_TEXT,
     AT(by),
     {{"dataset,format,tier,day, dalam urutan apa pun (dataset)", "dataset,format,tier,day, in any order (dataset)"}}},
    {"from", "DATE", GROUP_USAGE, OPTION_DATE, AT(from), {{"hari pertama (YYYY-MM-DD)", "the first day (YYYY-MM-DD)"}}},
    {"to", "DATE", GROUP_USAGE, OPTION_DATE, AT(to), {{"hari terakhir (YYYY-MM-DD)", "the last day (YYYY-MM-DD)"}}},
    {"csv", NULL, GROUP_USAGE, OPTION_FLAG, AT(csv), {{"keluaran CSV", "CSV output"}}},
    {"json", NULL, GROUP_TABLE, OPTION_FLAG, AT(json), {{"keluaran JSON", "JSON output"}}},
    {"yes", NULL, GROUP_YES, OPTION_FLAG, AT(yes), {{"jangan bertanya", "do not ask"}}},
    {"to",
     "DIR",
     GROUP_PULL,
     OPTION_TEXT,
     AT(to),
     {{"tautan situs yang diganti (wajib)", "the site's link to switch (required)"}}},
    {"internal",
     "URL",
     GROUP_PULL,
     OPTION_URL,
     AT(internal_url),
     {{"dari mana berkas internal (control, gateway.json, search/)",
       "where internal files come from (control, gateway.json, search/)"}}},
    {"jobs", "N", GROUP_PULL, OPTION_NUMBER, AT(jobs), {{"unduhan bersamaan (8)", "downloads at once (8)"}}},
    {"keep", "N", GROUP_PULL, OPTION_NUMBER, AT(keep), {{"bangunan yang disimpan (5)", "builds kept (5)"}}},
    {"max-file", "SIZE", GROUP_PULL, OPTION_SIZE, AT(max_file), {{"berkas terbesar (8g)", "largest file (8g)"}}},
    {"max-site", "SIZE", GROUP_PULL, OPTION_SIZE, AT(max_site), {{"situs terbesar (200g)", "largest site (200g)"}}},
    {"lang",
     "id|en",
     GROUP_ALL,
     OPTION_LANG,
     0,
     {{"bahasa pesan ($ODP_LANG, atau id)", "language of messages ($ODP_LANG, or id)"}}},
    {"version", NULL, GROUP_ALL, OPTION_FLAG, AT(version), {{"versi program", "the program's version"}}},
    {"help", NULL, GROUP_ALL, OPTION_FLAG, AT(help), {{"bantuan ini", "this help"}}},
};
#define OPTION_ROWS (sizeof option_rows / sizeof *option_rows)

const char *say(const struct invocation *inv, const char *id, const char *en)
{
    return inv->lang == ODP_LANG_EN ? en : id;
}

int complain(int code, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    fputs("odp-gateway: ", stderr);
    vfprintf(stderr, fmt, args);
    fputc('\n', stderr);
    va_end(args);
    return code;
}

/* The option NAME of the command; of any command when there is none of that name in this one (to say where it belongs). */
static const struct option_row *find_option(const char *name, size_t len, unsigned groups)
{
    const struct option_row *other = NULL;
    for (size_t i = 0; i < OPTION_ROWS; i++)
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
        return options_address(value, host, &port, &path) && add_to_list(at, value);
    case OPTION_CIDR:
        return value_is_cidr(value) && add_to_list(at, value);
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
        fprintf(err, "odp-gateway: %s: %s (%s)\n", text, argv[*i], say(inv, "lihat --help", "see --help"));
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
    for (size_t i = 0; commands[i] != NULL; i++)
        if (strcmp(commands[i]->name, word) == 0) {
            inv->command = commands[i];
            return true;
        }
    fprintf(err,
            say(inv, "odp-gateway: perintah tidak dikenal: %s (lihat odp-gateway --help)\n",
                "odp-gateway: unknown command: %s (see odp-gateway --help)\n"),
            word);
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
    else if (s->query_threads > 1024)
        wrong = say(inv, "--query-threads paling banyak 1024", "--query-threads is at most 1024");
    else if (s->redis_secret != NULL && s->redis == NULL)
        wrong = say(inv, "--redis-secret memerlukan --redis", "--redis-secret needs --redis");
    else if (s->writer != NULL && strncmp(s->writer, "file:", 5) == 0)
        wrong = say(inv, "--writer memerlukan http:// atau https://", "--writer needs http:// or https://");
    if (wrong == NULL)
        return EXIT_CLEAN;
    fprintf(err, "odp-gateway: %s\n", wrong);
    return EXIT_USAGE;
}

int options_parse(struct invocation *inv, int argc, char **argv, const char **words, FILE *err)
{
    const char *lang = getenv("ODP_LANG");
    bool only_words = false;
    *inv = (struct invocation){.words = words,
                               .lang = lang != NULL && strncmp(lang, "en", 2) == 0 ? ODP_LANG_EN : ODP_LANG_ID,
                               .state = default_state(),
                               .part = "full",
                               .by = "dataset",
                               .jobs = 8,
                               .keep = 5,
                               .max_file = 8LL << 30,
                               .max_site = 200LL << 30,
                               .serve = {.metrics = "127.0.0.1:9145",
                                         .query_key = "off",
                                         .cache = "64m",
                                         .content = {CONTENT_LOCAL, "local"},
                                         .registrations = 20,
                                         .query_time = 2000,
                                         .query_rows = 5000000,
                                         .query_cache = 32 << 20,
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
        for (size_t i = 0; commands[i] != NULL; i++) {
            (void)snprintf(left, sizeof left, "  %s %s", commands[i]->name, commands[i]->words);
            print_padded(out, left, 38);
            fprintf(out, "%s\n", odp_text_get(&commands[i]->summary, inv->lang));
        }
        fputc('\n', out);
    }
    for (size_t i = 0; i < OPTION_ROWS; i++)
        if ((option_rows[i].group & groups) != 0)
            print_option(inv, &option_rows[i], out);
    fprintf(
        out, "\n%s\n",
        say(inv,
            "kode keluar: 0 baik · 1 ditolak, tidak ada, atau ada masalah · 2 salah pakai atau konfigurasi · 3 mesin gagal",
            "exit codes: 0 well · 1 refused, not found, or a problem · 2 wrong usage or configuration · 3 the machine failed"));
}
