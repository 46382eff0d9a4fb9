/* Calls at the query door and what they are answered: answers/calls.txt, byte for byte but for cursors and
 * tags, which depend on an index's digest. And what a call is understood as, before it is run:
 * answers/addresses.txt.
 *
 *   language en                               of the calls that follow
 *   type text/plain                           content type of bodies
 *   > GET /v1/kumuh?limit=1  ·  > POST /v1/kumuh/search {…}
 *   address RAW                               its parts
 *   accept [ogc] [geometry] TEXT              the form of the answer
 *   tags LIST                                 whether If-None-Match has "abc" */
#include "answers_fixture.h"
#include "core/condition.h"
#include "gateway_query_fixture.h"
#include "service/queries/address.h"

/* TEXT without carriage returns, cursors and tags. */
static void add_masked(struct odp_buffer *out, const char *text)
{
    static const char *const masks[] = {"cursor=", "ETag: "};
    for (; *text != '\0'; text++) {
        if (*text != '\r')
            odp_buffer_add_char(out, *text);
        for (size_t k = 0; k < 2; k++) {
            size_t n = strlen(masks[k]);
            if (out->len >= n && memcmp(out->ptr + out->len - n, masks[k], n) == 0)
                text +=
                    strspn(text + 1, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_\"");
        }
    }
}

static void call(struct fixture *f, char *line, struct odp_buffer *out)
{
    const char *method = strsep(&line, " "), *target = strsep(&line, " ");
    int status = ask(f, method, target, line);
    odp_buffer_printf(out, "%d %s\n", status, f->a.content_type);
    add_masked(out, odp_buffer_cstr(&f->a.headers));
    odp_buffer_add_char(out, '\n');
    add_masked(out, odp_buffer_cstr(&f->a.body));
    if (out->ptr[out->len - 1] != '\n')
        odp_buffer_add_char(out, '\n');
}

static void add_part(struct odp_buffer *out, const char *name, struct odp_slice s)
{
    if (s.len > 0)
        odp_buffer_printf(out, " %s=%.*s", name, (int)s.len, s.ptr);
}

static void read_address(const char *raw, struct odp_buffer *out)
{
    static const char *const statuses[] = {[ODP_OK] = "ok", [ODP_DONE] = "none", [ODP_BAD] = "bad"};
    static const char *const forms[] = {"", " envelope", " geojson", " csv", " html"};
    struct odp_query_address d;
    struct odp_arena arena = {0};
    enum odp_status status = odp_query_address_read(&d, odp_slice_of(raw), &arena);
    odp_buffer_add_str(out, statuses[status]);
    if (status == ODP_OK) {
        add_part(out, "slug", d.slug);
        add_part(out, "resource", d.resource);
        add_part(out, "collection", d.collection);
        add_part(out, "key", d.key);
        add_part(out, "text", d.key_text);
        add_part(out, "last", odp_slice_of(d.last));
        odp_buffer_printf(out, "%s%s%s%s", forms[d.form + 1], d.search ? " search" : "", d.ogc ? " ogc" : "",
                          d.kind == ODP_QUERY_ITEM ? " item" : "");
    }
    odp_buffer_add_char(out, '\n');
    odp_arena_release(&arena);
}

static bool take(char **line, const char *word)
{
    size_t n = strlen(word);
    bool is = strncmp(*line, word, n) == 0;
    *line += is ? n : 0;
    return is;
}

static void accept(char *line, struct odp_buffer *out)
{
    static const char *const forms[] = {"none", "envelope", "geojson", "csv", "html"};
    bool ogc = take(&line, "ogc "), geometry = take(&line, "geometry ");
    odp_buffer_printf(out, "%s\n", forms[odp_query_form_accepted(odp_slice_of(line), ogc, geometry) + 1]);
}

/* False: LINE is an answer. */
static bool read_line(struct fixture *f, char *line, struct odp_buffer *out)
{
    if (take(&line, "language "))
        f->call.accept_language = odp_slice_of(line);
    else if (take(&line, "type "))
        f->call.content_type = odp_slice_of(line);
    else if (take(&line, "> "))
        call(f, line, out);
    else if (take(&line, "address "))
        read_address(line, out);
    else if (take(&line, "accept "))
        accept(line, out);
    else if (take(&line, "tags "))
        odp_buffer_add_str(out, odp_condition_check((struct odp_slice){NULL, 0}, odp_slice_of(line),
                                                    ODP_LIT("\"abc\"")) == ODP_CONDITION_NOT_MODIFIED
                                    ? "yes\n"
                                    : "no\n");
    else
        return false;
    return true;
}

static void check(struct fixture *f, const char *name)
{
    struct odp_buffer text, out = {0};
    answers_read(name, &text);
    char *copy = strdup(odp_buffer_cstr(&text)), *rest = copy, *line;
    while ((line = strsep(&rest, "\n")) != NULL) {
        size_t before = out.len;
        odp_buffer_printf(&out, rest != NULL ? "%s\n" : "%s", line);
        if (!read_line(f, line, &out))
            out.len = before;
    }
    free(copy);
    answers_check(name, &text, &out);
}

TEST(calls)
{
    check(*state, "queries/answers/calls.txt");
}

TEST(addresses)
{
    check(*state, "queries/answers/addresses.txt");
}

EACH(query_setup, fixture_teardown)
