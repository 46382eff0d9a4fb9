/* odp-gateway webhooks …: subscriptions, and what became of their messages. */
#include <string.h>
#include <unistd.h>

#include "command/control_client.h"
#include "command/messages.h"
#include "command/table.h"

static const struct table_column columns[] = {
    {"id", {{"Webhook", "Webhook"}}, false},
    {"key", {{"Kunci", "Key"}}, false},
    {"address", {{"Alamat", "Address"}}, false},
    {"events", {{"Peristiwa", "Events"}}, false},
    {"state", {{"Keadaan", "State"}}, false},
    {"reason", {{"Alasan", "Reason"}}, false},
    {"pending", {{"Menunggu", "Waiting"}}, true},
    {"delivered", {{"Terkirim", "Delivered"}}, true},
    {"failed", {{"Gagal", "Failed"}}, true},
    {"failing_since", {{"Gagal sejak", "Failing since"}}, false},
    {"delivery", {{"Pengiriman", "Delivery"}}, false},
    {"sends", {{"Mengirim", "Sends"}}, false},
    {"redelivered", {{"Dikirim lagi", "Sent again"}}, true},
    /* of one only */
    {"account", {{"Akun", "Account"}}, true},
    {"place", {{"Host", "Host"}}, false},
    {"url", {{"Alamat", "Address"}}, false},
    {"datasets", {{"Dataset", "Datasets"}}, false},
    {"waits_until", {{"Ditahan sampai", "Held until"}}, false},
    {"created", {{"Dibuat", "Created"}}, false},
    {"changed", {{"Diubah", "Changed"}}, false},
    {"verified", {{"Dikonfirmasi", "Confirmed"}}, false},
    {"previous_secret_valid_until", {{"Rahasia lama sampai", "Old secret until"}}, false},
    {"filter", {{"Saringan", "Filter"}}, false},
    {"description", {{"Keterangan", "Description"}}, false},
    {"name", {{"Nama", "Name"}}, false},
    {"email", {{"Surel", "E-mail"}}, false},
    {"organisation", {{"Instansi", "Organisation"}}, false},
    {"tier", {{"Tingkat", "Tier"}}, false},
    {"deliveries", {{"Pengiriman terakhir", "Last deliveries"}}, false},
    {"type", {{"Jenis", "Type"}}, false},
    {"next_attempt", {{"Percobaan berikut", "Next attempt"}}, false},
    {"ended", {{"Selesai", "Ended"}}, false},
    {"attempts", {{"Percobaan", "Attempts"}}, true},
    {"at", {{"Saat", "At"}}, false},
    {"took_ms", {{"Lama (ms)", "Took (ms)"}}, true},
    {"status", {{"HTTP", "HTTP"}}, true},
    {"meaning", {{"Hasil", "Outcome"}}, false},
};
enum { COLUMNS = sizeof columns / sizeof *columns, LIST_COLUMNS = 13 };

struct verb {
    const char *name, *command;
    bool one;   /* takes an id */
    bool asks;  /* cannot be taken back */
    bool sends; /* something goes out if the service runs */
};

static const struct verb verbs[] = {
    {"list", "webhooks.list", false, false, false},   {"show", "webhooks.show", true, false, false},
    {"test", "webhooks.test", true, false, true},     {"replay", "webhooks.replay", true, false, true},
    {"pause", "webhooks.pause", true, false, false},  {"resume", "webhooks.resume", true, false, true},
    {"delete", "webhooks.delete", true, true, false},
};

/* What an operator can do about it. */
static const struct {
    const char *reason;
    struct odp_text hint;
} hints[] = {
    {"owner", {{"pemiliknya menahan kiriman; hanya ia yang tahu mengapa", "its owner holds it; only the owner knows why"}}},
    {"failing",
     {{"terlalu lama tidak ada kiriman yang diterima; setelah penerima diperbaiki: odp-gateway webhooks resume ID",
       "nothing was accepted for too long; when the receiver is mended: odp-gateway webhooks resume ID"}}},
    {"operator",
     {{"ditahan pengelola; odp-gateway webhooks resume ID", "held by an operator; odp-gateway webhooks resume ID"}}},
    {"sealed",
     {{"berkas kunci tidak membuka alamat atau rahasianya: kembalikan kunci lama (baris setelah yang pertama) dan mulai lagi; "
       "bila "
       "hilang, pemiliknya memanggil rotate-secret dan PATCH url",
       "the key file does not open its address or secret: put the old key back (a line after the first) and start again; where "
       "it is "
       "lost, the owner calls rotate-secret and PATCH url"}}},
    {"gone",
     {{"penerima menjawab 410: ia tidak menginginkan pesan lagi", "the receiver answered 410: it wants no more messages"}}},
    {"key", {{"akunnya tidak mempunyai kunci yang berlaku lagi", "its account has no valid key any more"}}},
};

static int set_text(json_t *request, const char *name, const char *value)
{
    return value != NULL ? json_object_set_new(request, name, json_string(value)) : 0;
}

static int usage(const struct verb *v)
{
    return complain(EXIT_USAGE, "odp-gateway webhooks %s%s", v->name,
                    !v->one                          ? " [--only STATE] [--key KEY]"
                    : strcmp(v->name, "show") == 0   ? " ID [--limit N]"
                    : strcmp(v->name, "replay") == 0 ? " ID --delivery MSG | --since TIME [--failed]"
                                                     : " ID");
}

static int fill_request(const struct invocation *inv, const struct verb *v, json_t *request)
{
    bool list = !v->one, show = strcmp(v->name, "show") == 0, replay = strcmp(v->name, "replay") == 0;
    int e = 0;
    if (inv->nwords != (v->one ? 2u : 1u) || (replay && (inv->delivery == NULL) == (inv->since == NULL)) ||
        (inv->delivery != NULL && inv->only_failed))
        return usage(v);
    if ((!list && (inv->key_state != NULL || inv->key != NULL)) || (!show && inv->limit != 0) ||
        (!replay && (inv->delivery != NULL || inv->since != NULL || inv->only_failed)))
        return usage(v); /* an option of another act: it would be passed over in silence */
    if (v->one)
        e |= set_text(request, "id", inv->words[1]);
    e |= set_text(request, "state", inv->key_state) | set_text(request, "key", inv->key);
    e |= set_text(request, "delivery", inv->delivery) | set_text(request, "since", inv->since);
    if (inv->limit != 0)
        e |= json_object_set_new(request, "limit", json_integer(inv->limit));
    if (inv->only_failed)
        e |= json_object_set_new(request, "only_failed", json_true());
    return e == 0 ? EXIT_CLEAN : complain(EXIT_MACHINE, "%s", say(inv, "memori habis", "out of memory"));
}

static bool confirmed(const struct invocation *inv, const struct verb *v)
{
    char line[16] = "";
    if (!v->asks || inv->yes || !isatty(STDIN_FILENO) || !isatty(STDERR_FILENO))
        return true;
    fprintf(stderr, say(inv, "%s %s tidak dapat dibatalkan. Lanjutkan? [y/T] ", "%s %s cannot be taken back. Go on? [y/N] "),
            v->name, inv->words[1]);
    return fgets(line, sizeof line, stdin) != NULL && (line[0] == 'y' || line[0] == 'Y');
}

/* ---- for people ---- */

/* ["a","b"] as "a, b"; EMPTY for []. */
static int join(json_t *row, const char *name, const char *empty)
{
    const json_t *list = json_object_get(row, name);
    struct odp_buffer b;
    if (!json_is_array(list))
        return 0;
    odp_buffer_init(&b);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *word = json_string_value(json_array_get(list, i));
        odp_buffer_printf(&b, "%s%s", i > 0 ? ", " : "", word != NULL ? word : "?");
    }
    if (b.len == 0)
        odp_buffer_add_str(&b, empty);
    int e = odp_buffer_status(&b) == ODP_OK ? json_object_set_new(row, name, json_stringn(b.ptr, b.len)) : -1;
    odp_buffer_release(&b);
    return e;
}

static int plain_row(const struct invocation *inv, json_t *row)
{
    json_t *url = json_object_get(row, "url");
    int e = join(row, "events", "-") | join(row, "datasets", say(inv, "semua", "all"));
    if (url != NULL)
        e |= json_object_set(row, "address", json_is_string(url) ? url : json_object_get(row, "place"));
    return e;
}

/* A delivery as a line of a table: its attempts go to ALL, their number stays. */
static json_t *plain_delivery(const json_t *delivery, json_t *all)
{
    size_t i;
    json_t *attempt, *id = json_object_get(delivery, "id"), *attempts = json_object_get(delivery, "attempts");
    json_array_foreach(attempts, i, attempt)
    {
        json_t *line = json_pack("{s:O}", "delivery", id);
        int e = line == NULL || json_object_update(line, attempt) != 0 || json_object_del(line, "outcome") != 0 ||
                json_array_append(all, line) != 0;
        json_decref(line);
        if (e)
            return NULL;
    }
    return json_pack("{s:O, s:O, s:O, s:O, s:O, s:O, s:I}", "delivery", id, "type", json_object_get(delivery, "type"), "state",
                     json_object_get(delivery, "state"), "created", json_object_get(delivery, "created"), "next_attempt",
                     json_object_get(delivery, "next_attempt"), "ended", json_object_get(delivery, "ended"), "attempts",
                     (json_int_t)json_array_size(attempts));
}

/* Two tables instead of one in the other. */
static int lift_attempts(json_t *row)
{
    json_t *deliveries = json_array(), *attempts = json_array(), *delivery;
    size_t i;
    int e = 0;
    json_array_foreach(json_object_get(row, "deliveries"), i, delivery)
    {
        if (e == 0)
            e = json_array_append_new(deliveries, plain_delivery(delivery, attempts));
    }
    if (e == 0)
        e = json_object_set(row, "deliveries", deliveries);
    if (e == 0 && json_array_size(attempts) > 0)
        e = json_object_set(row, "attempts", attempts);
    json_decref(deliveries);
    json_decref(attempts);
    return e;
}

static void print_hint(const struct invocation *inv, const json_t *row)
{
    const char *reason = json_string_value(json_object_get(row, "reason")),
               *state = json_string_value(json_object_get(row, "state"));
    if (state != NULL && strcmp(state, "unverified") == 0)
        printf("\n%s\n", say(inv, "alamatnya belum menjawab challenge; kirim lagi dengan: odp-gateway webhooks test ID",
                             "its address has not answered the challenge; ask again with: odp-gateway webhooks test ID"));
    for (size_t i = 0; reason != NULL && i < sizeof hints / sizeof *hints; i++)
        if (strcmp(hints[i].reason, reason) == 0)
            printf("\n%s: %s\n", reason, odp_text_get(&hints[i].hint, inv->lang));
}

static int print_one(const struct invocation *inv, json_t *row)
{
    int e = join(row, "events", "-") | join(row, "datasets", say(inv, "semua", "all")) | lift_attempts(row);
    if (e != 0)
        return complain(EXIT_MACHINE, "%s", say(inv, "memori habis", "out of memory"));
    table_record(stdout, row, columns, COLUMNS, inv->lang);
    print_hint(inv, row);
    return EXIT_CLEAN;
}

static int print_rows(const struct invocation *inv, const struct verb *v, json_t *rows)
{
    size_t i;
    json_t *row;
    if (inv->json) {
        table_json(stdout, rows);
        return EXIT_CLEAN;
    }
    if (strcmp(v->name, "show") == 0)
        return print_one(inv, json_array_get(rows, 0));
    json_array_foreach(rows, i, row) if (plain_row(inv, row) != 0) return complain(EXIT_MACHINE, "%s",
                                                                                   say(inv, "memori habis", "out of memory"));
    if (json_array_size(rows) > 0)
        table_print(stdout, rows, columns, LIST_COLUMNS, inv->lang);
    else
        complain(0, "%s", say(inv, "tidak ada", "there are none"));
    return EXIT_CLEAN;
}

static int run_webhooks(struct invocation *inv)
{
    const struct verb *v = NULL;
    struct admin a = {0};
    json_t *rows = NULL, *request = NULL;
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++)
        if (strcmp(verbs[i].name, inv->words[0]) == 0)
            v = &verbs[i];
    if (v == NULL)
        return complain(EXIT_USAGE,
                        say(inv, "webhooks tidak mengenal %s (lihat odp-gateway webhooks --help)",
                            "webhooks knows no %s (see odp-gateway webhooks --help)"),
                        inv->words[0]);
    request = json_pack("{s:s}", "command", v->command);
    int code = request != NULL ? fill_request(inv, v, request) : EXIT_MACHINE;
    if (code == EXIT_CLEAN && !confirmed(inv, v))
        code = complain(EXIT_REFUSED, "%s", say(inv, "dibatalkan", "left as it was"));
    if (code != EXIT_CLEAN) {
        json_decref(request);
        return code;
    }
    code = admin_begin(&a, inv);
    bool runs = a.socket[0] != '\0';
    if (code == EXIT_CLEAN)
        code = admin_rows(&a, request, &rows);
    else
        json_decref(request);
    admin_end(&a);
    if (code == EXIT_CLEAN)
        code = print_rows(inv, v, rows);
    if (code == EXIT_CLEAN && v->sends && !runs)
        complain(0, "%s",
                 say(inv, "layanan tidak berjalan: yang menunggu dikirim begitu odp-gateway serve dimulai",
                     "the service does not run: what waits is sent once odp-gateway serve is started"));
    json_decref(rows);
    return code;
}

const struct command command_webhooks = {
    "webhooks",
    "list|show|test|replay|…",
    GROUP_STATE | GROUP_WEBHOOKS | GROUP_TABLE | GROUP_YES,
    1,
    2,
    {{"langganan webhook dan kirimannya", "subscriptions of webhooks and their deliveries"}},
    {{"  webhooks list [--only STATE] [--key KEY]      daftar\n"
      "  webhooks show ID [--limit N]                  satu langganan, kiriman terakhirnya, setiap percobaan\n"
      "  webhooks test ID                              kirim webhook.test; challenge lagi bila belum dikonfirmasi (*)\n"
      "  webhooks replay ID --delivery MSG             kirim satu pesan lagi, dengan webhook-id yang sama (*)\n"
      "  webhooks replay ID --since TIME [--failed]    kirim lagi semua yang berakhir, atau hanya yang gagal (*)\n"
      "  webhooks pause|resume ID                      tahan (pesan menunggu), kirim lagi\n"
      "  webhooks delete ID                            hapus beserta kirimannya\n"
      "(*) memerlukan layanan yang berjalan. Rahasia tidak pernah tampil; dari alamat hanya host dan path.\n"
      "Tanpa layanan yang berjalan, kunci penyegel dibaca dari STATE/webhook.key atau --webhook-key.\n",
      "  webhooks list [--only STATE] [--key KEY]      a list\n"
      "  webhooks show ID [--limit N]                  one subscription, its last deliveries, every attempt\n"
      "  webhooks test ID                              send webhook.test; the challenge again to an unconfirmed one (*)\n"
      "  webhooks replay ID --delivery MSG             send one message again, with the webhook-id it has (*)\n"
      "  webhooks replay ID --since TIME [--failed]    send all again that ended, or only what failed (*)\n"
      "  webhooks pause|resume ID                      hold (messages wait), send again\n"
      "  webhooks delete ID                            forget it with its deliveries\n"
      "(*) needs the running service. Secrets are never shown; of addresses host and path only.\n"
      "Where no service runs, the sealing key is read from STATE/webhook.key or --webhook-key.\n"}},
    run_webhooks};
