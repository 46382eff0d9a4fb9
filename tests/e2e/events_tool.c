/* For tests: what tools/odp-gateway/service/webhooks/events makes of a site.
 *   events_tool lines SITE BASE_URL       a JSON object a line: {"n","digest"} of each line of the log, then
 *                                         its events
 * {"type","key","dataset","version","data"}; last {"faults":n} events_tool join                      data a
 *   line in, all joined
 * into the first, out events_tool message TYPE TIME         data and match (or null), a line each, in; the
 *                                                           message out Exit 1:
 * refused (said). */
#include <stdio.h>
#include <stdlib.h>

#include "published/release_log.h"
#include "service/webhooks/events/events.h"

static enum odp_status refuse(const char *why)
{
    fprintf(stderr, "%s%s\n", why, odp_failure_text());
    return ODP_BAD;
}

static json_t *text_or_null(const char *s)
{
    return s != NULL ? json_string(s) : json_null();
}

static void print_take(json_t *o)
{
    char *text = json_dumps(o, JSON_COMPACT);
    puts(text != NULL ? text : "");
    free(text);
    json_decref(o);
}

static enum odp_status tell(const struct odp_site *site, const struct odp_event_line *line,
                            const char *base_url, struct odp_arena *a, struct odp_diags *diags)
{
    struct odp_event_list list;
    char hex[ODP_SHA256_HEX];
    enum odp_status status = odp_events_of_line(site, line, base_url, &list, a, diags);
    odp_digest_hex(line->digest, hex);
    print_take(json_pack("{s:I, s:s}", "n", (json_int_t)line->n, "digest", hex));
    for (size_t i = 0; i < list.n; i++) {
        const struct odp_event *e = &list.items[i];
        print_take(json_pack("{s:s, s:s, s:o, s:o, s:O}", "type", odp_event_info(e->type)->name, "key",
                             e->key, "dataset", text_or_null(e->dataset), "version", text_or_null(e->version),
                             "data", e->data));
    }
    odp_events_release(&list);
    return status == ODP_OK ? ODP_OK : refuse("the line is not told: ");
}

static enum odp_status tell_lines(const char *address, const char *base_url)
{
    struct odp_diags *diags = NULL;
    struct odp_site *site = NULL;
    struct odp_event_line *lines = NULL;
    struct odp_buffer log;
    struct odp_arena a;
    const char *why = "";
    size_t n = 0;
    odp_arena_init(&a);
    odp_buffer_init(&log);
    enum odp_status status = odp_diags_new(&diags, 5);
    if (status == ODP_OK)
        status = odp_site_open(&site, address, diags);
    if (status == ODP_OK)
        status = odp_log_read(site, &log, diags);
    if (status == ODP_OK)
        status = odp_events_lines(odp_buffer_slice(&log), &lines, &n, &a, &why);
    if (status != ODP_OK)
        status = refuse(why);
    for (size_t i = 0; i < n && status == ODP_OK; i++)
        status = tell(site, &lines[i], base_url, &a, diags);
    if (status == ODP_OK)
        print_take(json_pack("{s:I}", "faults", (json_int_t)odp_diags_count(diags, ODP_SEVERITY_ERROR)));
    odp_site_close(site);
    odp_diags_free(diags);
    odp_buffer_release(&log);
    odp_arena_release(&a);
    return status;
}

static json_t *read_one(void)
{
    return json_loadf(stdin, JSON_DISABLE_EOF_CHECK | JSON_DECODE_ANY, NULL);
}

static enum odp_status join(void)
{
    enum odp_status status = ODP_OK;
    json_t *data = read_one(), *later = NULL;
    while (status == ODP_OK && (later = read_one()) != NULL) {
        status = odp_event_merge(data, later);
        json_decref(later);
    }
    if (status == ODP_OK)
        print_take(data);
    else
        json_decref(data);
    return status == ODP_OK ? ODP_OK : refuse("");
}

static enum odp_status message(const char *type, const char *time)
{
    struct odp_buffer out;
    json_t *data = read_one(), *match = read_one();
    int t = odp_event_find(odp_slice_of(type));
    odp_buffer_init(&out);
    enum odp_status status = t >= 0 ? odp_event_message(&out, (enum odp_event_type)t, strtoll(time, NULL, 10),
                                                        data, json_is_object(match) ? match : NULL)
                                    : ODP_BAD;
    if (status == ODP_OK)
        (void)fwrite(out.ptr, 1, out.len, stdout);
    odp_buffer_release(&out);
    json_decref(match);
    json_decref(data);
    return status == ODP_OK ? ODP_OK : refuse("");
}

int main(int argc, char **argv)
{
    if (argc == 4 && strcmp(argv[1], "lines") == 0)
        return tell_lines(argv[2], argv[3]) != ODP_OK;
    if (argc == 2 && strcmp(argv[1], "join") == 0)
        return join() != ODP_OK;
    if (argc == 4 && strcmp(argv[1], "message") == 0)
        return message(argv[2], argv[3]) != ODP_OK;
    return refuse("events_tool lines SITE BASE_URL | join | message TYPE TIME") != ODP_OK;
}
