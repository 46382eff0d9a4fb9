#include "command/table.h"

#include <inttypes.h>
#include <string.h>

#include "base/json_load.h"
#include "base/text.h"
#include "base/utf8.h"

enum { COLUMNS_MAX = 24 };

static void add_members(struct odp_buffer *b, const json_t *value, enum odp_lang lang);

void table_cell(struct odp_buffer *b, const json_t *value, enum odp_lang lang)
{
    char number[40];
    if (json_is_string(value)) {
        const char *s = json_string_value(value);
        for (size_t i = 0; i < json_string_length(value); i++)
            odp_buffer_add_char(b, (unsigned char)s[i] < ' ' || s[i] == 0x7f ? '?' : s[i]);
    } else if (json_is_integer(value)) {
        (void)snprintf(number, sizeof number, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
        odp_buffer_add_str(b, number);
    } else if (json_is_real(value)) {
        (void)snprintf(number, sizeof number, "%.6g", json_real_value(value));
        odp_buffer_add_str(b, number);
    } else if (json_is_boolean(value)) {
        if (json_is_true(value))
            odp_buffer_add_str(b, lang == ODP_LANG_EN ? "yes" : "ya");
        else
            odp_buffer_add_str(b, lang == ODP_LANG_EN ? "no" : "tidak");
    } else if (value == NULL || json_is_null(value)) {
        odp_buffer_add_char(b, '-');
    } else {
        add_members(b, value, lang);
    }
}

/* "active 3, revoked 1": of an object with names, of a list the values alone. */
static void add_members(struct odp_buffer *b, const json_t *value, enum odp_lang lang)
{
    const char *name, *between = "";
    json_t *member;
    size_t i;
    json_object_foreach((json_t *)(uintptr_t)value, name, member)
    {
        odp_buffer_add_str(b, between);
        odp_buffer_add_str(b, name);
        odp_buffer_add_char(b, ' ');
        table_cell(b, member, lang);
        between = ", ";
    }
    json_array_foreach((json_t *)(uintptr_t)value, i, member)
    {
        odp_buffer_add_str(b, between);
        table_cell(b, member, lang);
        between = ", ";
    }
}

static size_t cell_width(const json_t *value, enum odp_lang lang, struct odp_buffer *scratch)
{
    odp_buffer_clear(scratch);
    table_cell(scratch, value, lang);
    return odp_utf8_width(odp_buffer_slice(scratch));
}

static void print_cell(FILE *out, struct odp_slice text, size_t width, bool right, bool last)
{
    size_t w = odp_utf8_width(text);
    int pad = (int)(w < width ? width - w : 0);
    if (right)
        fprintf(out, "%*s", pad, "");
    fwrite(text.ptr, 1, text.len, out);
    if (!right && !last)
        fprintf(out, "%*s", pad, "");
    fputs(last ? "\n" : "  ", out);
}

void table_print(FILE *out, const json_t *rows, const struct table_column *columns, size_t n,
                 enum odp_lang lang)
{
    const struct table_column *shown[COLUMNS_MAX];
    size_t widths[COLUMNS_MAX], count = 0, i;
    struct odp_buffer text = {0};
    json_t *row;
    for (size_t c = 0; c < n && count < COLUMNS_MAX; c++) {
        size_t width = 0;
        bool there = false;
        json_array_foreach((json_t *)(uintptr_t)rows, i, row)
        {
            const json_t *value = json_object_get(row, columns[c].name);
            size_t w = value != NULL ? cell_width(value, lang, &text) : 1;
            there = there || value != NULL;
            width = w > width ? w : width;
        }
        size_t title = odp_utf8_width(odp_slice_of(odp_text_get(&columns[c].title, lang)));
        widths[count] = width > title ? width : title;
        if (there)
            shown[count++] = &columns[c];
    }
    for (size_t c = 0; c < count; c++)
        print_cell(out, odp_slice_of(odp_text_get(&shown[c]->title, lang)), widths[c], shown[c]->number,
                   c + 1 == count);
    json_array_foreach((json_t *)(uintptr_t)rows, i, row) for (size_t c = 0; c < count; c++)
    {
        odp_buffer_clear(&text);
        table_cell(&text, json_object_get(row, shown[c]->name), lang);
        print_cell(out, odp_buffer_slice(&text), widths[c], shown[c]->number, c + 1 == count);
    }
    odp_buffer_release(&text);
}

static const char *title_of(const char *name, const struct table_column *columns, size_t n,
                            enum odp_lang lang)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(columns[i].name, name) == 0)
            return odp_text_get(&columns[i].title, lang);
    return name;
}

/* Rows, or none; a list of texts is a cell. */
static bool is_table(const json_t *value)
{
    return json_is_array(value) && !json_is_string(json_array_get(value, 0));
}

/* Each member of the first row is a column. */
static size_t columns_of(const json_t *rows, const struct table_column *known, size_t nknown,
                         struct table_column *out)
{
    size_t n = 0;
    const char *name;
    json_t *value;
    json_object_foreach(json_array_get(rows, 0), name, value)
    {
        if (n == COLUMNS_MAX)
            break;
        const char *id = title_of(name, known, nknown, ODP_LANG_ID),
                   *en = title_of(name, known, nknown, ODP_LANG_EN);
        out[n++] = (struct table_column){name, {{id, en}}, json_is_number(value)};
    }
    return n;
}

void table_record(FILE *out, const json_t *row, const struct table_column *columns, size_t n,
                  enum odp_lang lang)
{
    size_t width = 0;
    const char *name;
    json_t *value;
    struct odp_buffer text = {0};
    json_object_foreach((json_t *)(uintptr_t)row, name, value)
    {
        size_t w = odp_utf8_width(odp_slice_of(title_of(name, columns, n, lang)));
        width = !is_table(value) && w > width ? w : width;
    }
    json_object_foreach((json_t *)(uintptr_t)row, name, value)
    {
        if (is_table(value))
            continue;
        const char *title = title_of(name, columns, n, lang);
        odp_buffer_clear(&text);
        table_cell(&text, value, lang);
        fprintf(out, "%s%*s  %.*s\n", title, (int)(width - odp_utf8_width(odp_slice_of(title))), "",
                (int)text.len, text.len > 0 ? text.ptr : "");
    }
    json_object_foreach((json_t *)(uintptr_t)row, name, value)
    {
        struct table_column inner[COLUMNS_MAX];
        if (is_table(value) && json_array_size(value) > 0) {
            fprintf(out, "\n%s\n", title_of(name, columns, n, lang));
            size_t count = columns_of(value, columns, n, inner);
            table_print(out, value, inner, count, lang);
        }
    }
    odp_buffer_release(&text);
}

/* What a spreadsheet would take for a formula begins with an apostrophe. */
static void csv_cell(struct odp_buffer *line, const json_t *value)
{
    struct odp_buffer text = {0};
    if (json_is_string(value) && strchr("=+-@", *json_string_value(value)) != NULL &&
        json_string_length(value) > 0)
        odp_buffer_add_char(&text, '\'');
    if (value != NULL && !json_is_null(value))
        table_cell(&text, value, ODP_LANG_EN);
    if (text.len > 0)
        odp_text_csv(line, odp_buffer_slice(&text));
    odp_buffer_release(&text);
}

void table_csv(FILE *out, const json_t *rows, const char *const *columns, size_t n)
{
    const char *own[COLUMNS_MAX], *name;
    json_t *row, *value;
    size_t i;
    struct odp_buffer line = {0};
    if (columns == NULL) {
        n = 0;
        json_object_foreach(json_array_get(rows, 0), name, value)
        {
            if (n < COLUMNS_MAX && !json_is_array(value) && !json_is_object(value))
                own[n++] = name;
        }
        columns = own;
    }
    for (size_t c = 0; c < n; c++)
        fprintf(out, "%s%s", columns[c], c + 1 < n ? "," : "\r\n");
    json_array_foreach((json_t *)(uintptr_t)rows, i, row) for (size_t c = 0; c < n; c++)
    {
        csv_cell(&line, json_object_get(row, columns[c]));
        odp_buffer_add_str(&line, c + 1 < n ? "," : "\r\n");
    }
    if (line.len > 0) /* without rows there is no text at all */
        fwrite(line.ptr, 1, line.len, out);
    odp_buffer_release(&line);
}

void table_json(FILE *out, const json_t *rows)
{
    if (json_dumpf(rows, out, JSON_INDENT(2)) == 0)
        fputc('\n', out);
}
