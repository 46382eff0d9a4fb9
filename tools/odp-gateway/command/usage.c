/* odp-gateway usage: counts of requests, as a table with bars, or as CSV. */
#include <stdlib.h>
#include <unistd.h>

#include "command/control_client.h"
#include "command/messages.h"
#include "command/table.h"
#include "words/gateway_command.h"

enum { WORDS_MAX = 6, BAR_MAX = 60, BAR_MIN = 8, PLAIN_BAR = 30 };

static const struct table_column usage_columns[] = {
    {"dataset", {{W_gwc_dataset}}, false}, {"format", {{W_gwc_format}}, false},
    {"tier", {{W_gwc_tier}}, false},       {"day", {{W_gwc_day}}, false},
    {"machine", {{W_gwc_machine}}, false}, {"key", {{W_gwc_key}}, false},
};

struct usage {
    const struct table_column *columns[WORDS_MAX];
    const char *names[WORDS_MAX + 1]; /* and the count's, for CSV */
    size_t n;
    const char *count; /* member that holds the number */
};

static const struct table_column *find_column(const char *name, size_t len)
{
    for (size_t i = 0; i < ODP_COUNT(usage_columns); i++)
        if (strlen(usage_columns[i].name) == len && memcmp(usage_columns[i].name, name, len) == 0)
            return &usage_columns[i];
    return NULL;
}

static bool parse_by(struct usage *u, const char *by)
{
    for (const char *p = by; p != NULL; p = strchr(p, ',') != NULL ? strchr(p, ',') + 1 : NULL) {
        const struct table_column *c = find_column(p, strcspn(p, ","));
        if (c == NULL || u->n == WORDS_MAX)
            return false;
        for (size_t i = 0; i < u->n; i++)
            if (u->columns[i] == c)
                return false;
        u->names[u->n] = c->name;
        u->columns[u->n++] = c;
    }
    return u->n > 0;
}

static double count_of(const struct usage *u, const json_t *row)
{
    return (double)json_integer_value(json_object_get(row, u->count));
}

static size_t cell(struct odp_buffer *b, const json_t *row, const char *name, enum odp_lang lang)
{
    odp_buffer_clear(b);
    table_cell(b, json_object_get(row, name), lang);
    return odp_buffer_slice(b).len;
}

static void print_text(const struct invocation *inv, const struct usage *u, const json_t *rows)
{
    bool tty = isatty(STDOUT_FILENO);
    size_t widths[WORDS_MAX] = {0}, used = 14, i;
    double largest = 0, total = 0;
    struct odp_buffer text = {0};
    json_t *row;
    json_array_foreach((json_t *)(uintptr_t)rows, i, row)
    {
        largest = count_of(u, row) > largest ? count_of(u, row) : largest;
        total += count_of(u, row);
        for (size_t c = 0; c < u->n; c++) {
            size_t w = cell(&text, row, u->names[c], inv->line.lang);
            widths[c] = w > widths[c] ? w : widths[c];
        }
    }
    for (size_t c = 0; c < u->n; c++) {
        const char *title = odp_text_get(&u->columns[c]->title, inv->line.lang);
        widths[c] = strlen(title) > widths[c] ? strlen(title) : widths[c];
        used += widths[c] + 2;
        printf("%-*s  ", (int)widths[c], title);
    }
    printf("%12s\n", say(inv, W_gwc_requests));
    size_t room = tty ? plot_width(STDOUT_FILENO) : used + PLAIN_BAR;
    size_t width = room > used + BAR_MIN ? room - used - 1 : BAR_MIN;
    width = width > BAR_MAX ? BAR_MAX : width;
    json_array_foreach((json_t *)(uintptr_t)rows, i, row)
    {
        for (size_t c = 0; c < u->n; c++) {
            (void)cell(&text, row, u->names[c], inv->line.lang);
            printf("%-*s  ", (int)widths[c], odp_buffer_cstr(&text));
        }
        odp_buffer_clear(&text);
        plot_bar(&text, count_of(u, row), largest, width, tty);
        printf("%12.0f  %s\n", count_of(u, row), odp_buffer_cstr(&text));
    }
    printf("%*s%12.0f\n", (int)(used - 14), "", total);
    odp_buffer_release(&text);
}

static int run_usage(struct invocation *inv)
{
    struct usage u = {.count = "count"};
    json_t *rows;
    if (!parse_by(&u, inv->by))
        return complain(EXIT_USAGE, say(inv, W_gwc_write_dataset_format_tier_day), inv->by);
    if (inv->from != NULL && inv->to != NULL && strcmp(inv->from, inv->to) > 0)
        return complain(EXIT_USAGE, "%s", say(inv, W_gwc_after));
    json_t *request = json_pack("{s:s, s:s}", "command", "usage", "by", inv->by);
    if (inv->from != NULL)
        json_object_set_new(request, "from", json_string(inv->from));
    if (inv->to != NULL)
        json_object_set_new(request, "to", json_string(inv->to));
    int code = admin_once(inv, request, &rows);
    if (code != EXIT_CLEAN)
        return code;
    if (json_object_get(json_array_get(rows, 0), "requests") != NULL)
        u.count = "requests";
    u.names[u.n] = u.count;
    if (inv->json)
        table_json(stdout, rows);
    else if (inv->csv)
        table_csv(stdout, rows, u.names, u.n + 1);
    else if (json_array_size(rows) > 0)
        print_text(inv, &u, rows);
    else
        complain(0, "%s", say(inv, W_gwc_no_requests_counted_time));
    json_decref(rows);
    return printed(inv);
}

const struct command command_usage = {"usage", "", {{W_gwc_requests_dataset_format_tier}}, run_usage};
