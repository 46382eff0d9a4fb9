/* A cell's text as written in a CSV file. It is quoted if needed, or if the old one was; so an edit that
 * needed quotes and is undone leaves them. */
#include "repair/rewrite/csv_cell.h"

/* Whether TEXT changes without quotes. */
static bool must_quote(const struct csv_rules *rules, struct odp_slice text, bool first)
{
    if (text.len == 0)
        return false;
    if ((first && rules->comment != '\0' && *text.ptr == rules->comment) ||
        (rules->skip_space && *text.ptr == ' '))
        return true;
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        if (c == rules->delimiter || c == '\n' || c == '\r' || (rules->quote != '\0' && c == rules->quote))
            return true;
    }
    return false;
}

static bool write_quoted(const struct csv_rules *rules, struct odp_slice text, struct odp_buffer *out)
{
    odp_buffer_add_char(out, rules->quote);
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        if (c == rules->quote && !rules->double_quote && rules->escape == '\0')
            return false;
        if (c == rules->quote)
            odp_buffer_add_char(out, rules->double_quote ? rules->quote : rules->escape);
        else if (rules->escape != '\0' && c == rules->escape)
            odp_buffer_add_char(out, rules->escape);
        odp_buffer_add_char(out, c);
    }
    odp_buffer_add_char(out, rules->quote);
    return true;
}

/* Without quotes: escapes what would end the cell. MUST: something needs it. */
static bool write_plain(const struct csv_rules *rules, struct odp_slice text, bool must,
                        struct odp_buffer *out)
{
    if (must && rules->escape == '\0')
        return false;
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        bool marks = c == rules->delimiter || c == '\n' || c == '\r' || c == rules->escape ||
                     (i == 0 && (c == rules->comment || c == ' '));
        if (rules->escape != '\0' && (c == rules->escape || (must && marks)))
            odp_buffer_add_char(out, rules->escape);
        odp_buffer_add_char(out, c);
    }
    return true;
}

bool odp_cell_write(const struct csv_rules *rules, struct odp_slice text, bool quoted, bool first,
                    struct odp_buffer *out)
{
    bool must = must_quote(rules, text, first);
    if (rules->quote != '\0' && (must || quoted))
        return write_quoted(rules, text, out);
    return !(quoted && text.len == 0) && write_plain(rules, text, must, out);
}

struct odp_slice odp_cell_text(const struct csv_rules *rules, const char *p, const struct csv_raw *raw,
                               struct odp_buffer *room)
{
    struct odp_slice text = {p + raw->start, raw->len};
    if (!raw->escaped)
        return text;
    odp_buffer_clear(room);
    char *out = odp_buffer_reserve(room, raw->len + 1);
    if (out == NULL)
        return text; /* the buffer has failed: its owner sees it */
    return (struct odp_slice){out, csv_unescape(rules, text.ptr, raw->len, raw->quoted, out)};
}
