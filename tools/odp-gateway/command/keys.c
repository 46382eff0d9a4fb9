/* odp-gateway keys …: registrants and their keys. */
#include <ctype.h>
#include <unistd.h>

#include "command/control_client.h"
#include "command/messages.h"
#include "command/table.h"
#include "core/keys/key.h"

static const struct table_column key_columns[] = {
    {"id", {{"No.", "No."}}, true},
    {"key", {{"Kunci", "Key"}}, false},
    {"tier", {{"Tingkat", "Tier"}}, false},
    {"state", {{"Keadaan", "State"}}, false},
    {"used", {{"Hari ini", "Today"}}, true},
    {"limit", {{"Kuota", "Quota"}}, true},
    {"created", {{"Dibuat", "Created"}}, false},
    {"until", {{"Sampai", "Until"}}, false},
    {"expires", {{"Sampai", "Until"}}, false},
    {"name", {{"Nama", "Name"}}, false},
    {"email", {{"Surel", "E-mail"}}, false},
    {"organisation", {{"Instansi", "Organisation"}}, false},
    {"email_confirmed", {{"Surel terkonfirmasi", "E-mail confirmed"}}, false},
    {"purpose", {{"Tujuan", "Purpose"}}, false},
    {"reason", {{"Alasan", "Reason"}}, false},
    {"holder", {{"Pemegang", "Holder"}}, true},
    {"account", {{"Akun", "Account"}}, true},
    {"chain", {{"Rangkaian kunci", "Chain of keys"}}, false},
    {"requests", {{"Permintaan", "Requests"}}, true},
    {"usage", {{"Pemakaian", "Usage"}}, false},
    {"days", {{"Pemakaian 30 hari", "Usage of 30 days"}}, false},
    {"day", {{"Hari", "Day"}}, false},
    {"count", {{"Permintaan", "Requests"}}, true},
};
enum { KEY_COLUMNS = sizeof key_columns / sizeof *key_columns };

enum verb_kind { VERB_LIST, VERB_SHOW, VERB_ACT, VERB_NEW_KEY, VERB_EXPORT };

struct verb {
    const char *name, *command, *argument, *second; /* of the request; NULL: none */
    enum verb_kind kind;
    bool asks;   /* cannot be taken back */
    bool number; /* the argument is a request's number */
};

static const struct verb verbs[] = {
    {"list", "keys.list", NULL, NULL, VERB_LIST, false, false},
    {"show", "keys.show", "key", NULL, VERB_SHOW, false, false},
    {"create", "keys.create", NULL, NULL, VERB_NEW_KEY, false, false},
    {"tier", "keys.tier", "key", "tier", VERB_ACT, false, false},
    {"suspend", "keys.suspend", "key", NULL, VERB_ACT, false, false},
    {"resume", "keys.resume", "key", NULL, VERB_ACT, false, false},
    {"revoke", "keys.revoke", "key", NULL, VERB_ACT, true, false},
    {"upgrades", "keys.upgrades", NULL, "state", VERB_LIST, false, false},
    {"approve", "keys.approve", "id", NULL, VERB_ACT, false, true},
    {"refuse", "keys.refuse", "id", NULL, VERB_ACT, false, true},
    {"export", "keys.export", NULL, NULL, VERB_EXPORT, false, false},
    {"forget", "keys.forget", "key", NULL, VERB_ACT, true, false},
    {"reissue", "keys.reissue", "key", NULL, VERB_NEW_KEY, true, false},
};

static const struct verb *find_verb(const char *name)
{
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++)
        if (strcmp(verbs[i].name, name) == 0)
            return &verbs[i];
    return NULL;
}

static int set_text(json_t *request, const char *name, const char *value)
{
    return value != NULL ? json_object_set_new(request, name, json_string(value)) : 0;
}

/* "-": a key on standard input, so that it stands in no list of processes. */
static const char *read_key(const char *word, char line[80])
{
    if (strcmp(word, "-") != 0)
        return word;
    if (fgets(line, 80, stdin) == NULL)
        return "";
    line[strcspn(line, "\r\n")] = '\0';
    return line;
}

/* The words that follow the verb, and the options. */
static int fill_request(const struct invocation *inv, const struct verb *v, const char *first, json_t *request)
{
    size_t needed = v->argument == NULL ? 0 : v->second == NULL ? 1 : 2;
    size_t allowed = v->argument == NULL && v->second != NULL ? 1 : needed;
    bool narrows = strcmp(v->name, "list") == 0 || strcmp(v->name, "export") == 0, creates = strcmp(v->name, "create") == 0;
    if (inv->nwords - 1 < needed || inv->nwords - 1 > allowed ||
        (creates && (inv->name == NULL || inv->email == NULL || inv->tier == NULL)))
        return complain(
            EXIT_USAGE, "odp-gateway keys %s%s%s%s%s", v->name,
            v->argument == NULL ? ""
            : v->number         ? " NUMBER"
                                : " KEY",
            v->second == NULL     ? ""
            : v->argument != NULL ? " TIER"
                                  : " [open|approved|refused|all]",
            creates ? " --name TEXT --email ADDRESS --tier NAME [--organisation TEXT] [--purpose TEXT] [--until DATE]" : "",
            narrows ? " [--tier NAME] [--only STATE]" : "");
    if (v->number) {
        char *end;
        long long n = strtoll(first, &end, 10);
        if (!isdigit((unsigned char)*first) || *end != '\0')
            return complain(EXIT_USAGE,
                            say(inv, "%s bukan nomor permohonan; lihat: odp-gateway keys upgrades",
                                "%s is no number of a request; see: odp-gateway keys upgrades"),
                            first);
        return json_object_set_new(request, "id", json_integer(n)) == 0 ? EXIT_CLEAN : EXIT_MACHINE;
    }
    int e = 0;
    if (v->argument != NULL)
        e |= set_text(request, v->argument, first);
    if (v->second != NULL && inv->nwords - 1 >= (v->argument != NULL ? 2u : 1u))
        e |= set_text(request, v->second, inv->words[v->argument != NULL ? 2 : 1]);
    if (narrows)
        e |= set_text(request, "tier", inv->tier) | set_text(request, "state", inv->key_state);
    if (creates)
        e |= set_text(request, "tier", inv->tier) | set_text(request, "name", inv->name) |
             set_text(request, "email", inv->email) | set_text(request, "organisation", inv->organisation) |
             set_text(request, "purpose", inv->purpose) | set_text(request, "until", inv->until);
    return e == 0 ? EXIT_CLEAN : complain(EXIT_MACHINE, "%s", say(inv, "memori habis", "out of memory"));
}

/* On a terminal only: a script means what it says. */
static bool confirmed(const struct invocation *inv, const struct verb *v, const char *subject)
{
    char line[16] = "", shown[ODP_KEY_SHOWN + 1];
    if (!v->asks || inv->yes || !isatty(STDIN_FILENO) || !isatty(STDERR_FILENO))
        return true;
    if (strncmp(subject, ODP_KEY_PREFIX, strlen(ODP_KEY_PREFIX)) == 0) {
        odp_key_shown(odp_slice_of(subject), shown);
        subject = shown[0] != '\0' ? shown : subject;
    }
    fprintf(stderr, say(inv, "%s %s tidak dapat dibatalkan. Lanjutkan? [y/T] ", "%s %s cannot be taken back. Go on? [y/N] "),
            v->name, subject);
    return fgets(line, sizeof line, stdin) != NULL && (line[0] == 'y' || line[0] == 'Y');
}

static void print_new_key(const struct invocation *inv, const json_t *rows)
{
    const json_t *row = json_array_get(rows, 0);
    const char *key = json_string_value(json_object_get(row, "key"));
    if (inv->json)
        table_json(stdout, rows);
    else
        printf("%s\n", key != NULL ? key : "");
    complain(0, "%s",
             say(inv, "kunci ini tampil sekali saja dan tidak disimpan; serahkan lewat jalan yang aman",
                 "this key is shown once and is not kept; hand it over by a safe way"));
}

static void print_rows(const struct invocation *inv, const struct verb *v, const json_t *rows)
{
    if (v->kind == VERB_NEW_KEY)
        print_new_key(inv, rows);
    else if (inv->json)
        table_json(stdout, rows);
    else if (v->kind == VERB_EXPORT)
        table_csv(stdout, rows, NULL, 0);
    else if (v->kind == VERB_SHOW)
        table_record(stdout, json_array_get(rows, 0), key_columns, KEY_COLUMNS, inv->lang);
    else if (json_array_size(rows) > 0)
        table_print(stdout, rows, key_columns, 13 + (strcmp(v->name, "upgrades") == 0 ? 2 : 0), inv->lang);
    else if (v->kind == VERB_LIST)
        complain(0, "%s", say(inv, "tidak ada", "there are none"));
}

static int run_keys(struct invocation *inv)
{
    char line[80];
    const struct verb *v = find_verb(inv->words[0]);
    if (v == NULL)
        return complain(EXIT_USAGE,
                        say(inv, "keys tidak mengenal %s (lihat odp-gateway keys --help)",
                            "keys knows no %s (see odp-gateway keys --help)"),
                        inv->words[0]);
    const char *first = inv->nwords > 1 ? read_key(inv->words[1], line) : "";
    json_t *rows = NULL, *request = json_pack("{s:s}", "command", v->command);
    int code = request != NULL ? fill_request(inv, v, first, request) : EXIT_MACHINE;
    if (code == EXIT_CLEAN && !confirmed(inv, v, first))
        code = complain(EXIT_REFUSED, "%s", say(inv, "dibatalkan", "left as it was"));
    if (code == EXIT_CLEAN)
        code = admin_once(inv, request, &rows);
    else
        json_decref(request);
    if (code == EXIT_CLEAN)
        print_rows(inv, v, rows);
    json_decref(rows);
    explicit_bzero(line, sizeof line);
    return code;
}

const struct command command_keys = {
    "keys",
    "list|show|create|tier|…",
    GROUP_STATE | GROUP_KEYS | GROUP_TABLE | GROUP_YES,
    1,
    3,
    {{"kunci dan pemegangnya", "keys and their holders"}},
    {{"  keys list [--tier NAME] [--only STATE]      daftar\n"
      "  keys show KEY                               satu kunci: pemegang, rangkaian, pemakaian\n"
      "  keys create --name T --email A --tier NAME  kunci baru; dicetak sekali ke keluaran standar\n"
      "  keys tier KEY TIER                          tingkat lain\n"
      "  keys suspend|resume|revoke KEY              tangguhkan, terima lagi, cabut selamanya\n"
      "  keys upgrades [open|approved|refused|all]   permohonan naik tingkat\n"
      "  keys approve|refuse NUMBER                  kabulkan atau tolak\n"
      "  keys reissue KEY                            kunci bocor: kunci baru, yang lama dicabut seketika\n"
      "  keys forget KEY                             hapus data pemegang, cabut kuncinya\n"
      "  keys export [--json]                        semuanya sebagai CSV, tanpa rahasia\n"
      "KEY: nomor, bagian yang tampil, kunci utuh, atau surel pemegang; \"-\" membacanya dari masukan standar.\n",
      "  keys list [--tier NAME] [--only STATE]      a list\n"
      "  keys show KEY                               one key: holder, chain, usage\n"
      "  keys create --name T --email A --tier NAME  a new key; printed once to standard output\n"
      "  keys tier KEY TIER                          another tier\n"
      "  keys suspend|resume|revoke KEY              refuse for now, accept again, refuse for ever\n"
      "  keys upgrades [open|approved|refused|all]   requests for another tier\n"
      "  keys approve|refuse NUMBER                  grant or refuse one\n"
      "  keys reissue KEY                            a leaked key: a new one, the old one revoked at once\n"
      "  keys forget KEY                             erase the holder, revoke the keys\n"
      "  keys export [--json]                        everything as CSV, without secrets\n"
      "KEY: its number, its shown part, the whole key, or the holder's e-mail; \"-\" reads it from standard input.\n"}},
    run_keys};
