#include "commands/fix_text.h"

#include "base/privacy.h"
#include "base/utf8.h"
#include "repair/shapes/mend.h"
#include "words/commands.h"

enum { SHOWN_MAX = 60 }; /* columns of a text that is cut */

/* Characters that a terminal does not show or would obey. */
static bool is_odd(uint32_t cp)
{
    return cp < 0x20 || (cp >= 0x7F && cp <= 0xA0) || cp == 0xAD || cp == 0x61C ||
           (cp >= 0x200B && cp <= 0x200F) || (cp >= 0x2028 && cp <= 0x202F) ||
           (cp >= 0x2060 && cp <= 0x206F) || cp == 0xFEFF || odp_utf8_is_noncharacter(cp);
}

static void add_char(struct odp_buffer *b, const char *p, size_t n, uint32_t cp)
{
    if (cp == '\n' || cp == '\r')
        odp_buffer_add_str(b, cp == '\n' ? "⏎" : "␍");
    else if (cp == '\t')
        odp_buffer_add_str(b, "⇥");
    else if (is_odd(cp))
        odp_buffer_printf(b, "⟨U+%04X⟩", (unsigned)cp);
    else
        odp_buffer_add(b, p, n);
}

/* S made visible, in quotes so that white space at its ends shows. */
static void add_text(const struct fix_text *t, struct odp_buffer *b, struct odp_slice s, bool secret)
{
    struct odp_buffer masked = {0};
    odp_privacy_mask(s, &masked);
    struct odp_slice m = odp_buffer_status(&masked) == ODP_OK ? odp_buffer_slice(&masked) : ODP_LIT("***");
    odp_buffer_add_str(b, "“");
    size_t width = 0;
    for (size_t i = 0; i < m.len && !secret;) {
        uint32_t cp;
        size_t n = odp_utf8_decode(m.ptr + i, m.len - i, &cp);
        if (n == 1 && (unsigned char)m.ptr[i] >= 0x80)
            odp_buffer_add_str(b, "\xEF\xBF\xBD");
        else
            add_char(b, m.ptr + i, n, cp);
        i += n;
        if (++width >= SHOWN_MAX && !t->whole && i < m.len) {
            odp_buffer_add_str(b, "…");
            break;
        }
    }
    if (secret && s.len > 0)
        odp_buffer_add_str(b, "***");
    odp_buffer_add_str(b, "”");
    odp_buffer_release(&masked);
}

static void add_colored(const struct fix_text *t, struct odp_buffer *b, const char *color, struct odp_slice s,
                        bool secret)
{
    if (t->color)
        odp_buffer_add_str(b, color);
    add_text(t, b, s, secret);
    if (t->color)
        odp_buffer_add_str(b, "\033[0m");
}

static bool is_private(const struct fix_text *t, const char *field)
{
    for (uint32_t i = 0; field != NULL && i < t->resource->schema.n; i++)
        if (strcmp(t->resource->schema.fields[i].name, field) == 0)
            return !t->resource->schema.fields[i].is_public;
    return false;
}

#define RED   "\033[31m"
#define GREEN "\033[32m"

/* "5 → 6 points, 1 → 2 rings, 12.3 ha → 6.1 ha (-50 %)" */
static void add_shape(const struct fix_text *t, struct odp_buffer *b, const struct odp_shape_change *c)
{
    const struct invocation *inv = t->inv;
    odp_buffer_printf(b, say(inv, W_cmd_shape_change), c->points[0], c->points[1], c->parts[0], c->parts[1]);
    if (c->hectares[1] > 0) {
        odp_buffer_add_str(b, ", ");
        odp_shape_change_area(c, inv->style.lang, b);
    }
}

static void add_edit(const struct fix_text *t, struct odp_buffer *b, const struct odp_edit_shown *e)
{
    const struct invocation *inv = t->inv;
    bool hidden = t->resource->has_private; /* a whole record or line holds every field */
    struct odp_slice before = e->before;
    while (e->kind == ODP_EDIT_LINES && before.len > 0 &&
           (before.ptr[before.len - 1] == '\n' || before.ptr[before.len - 1] == '\r'))
        before.len--;
    switch (e->kind) {
    case ODP_EDIT_CELL:
        odp_buffer_printf(b, "%-20s ", e->field != NULL ? e->field : "");
        add_colored(t, b, RED, before, is_private(t, e->field));
        odp_buffer_add_str(b, " → ");
        add_colored(t, b, GREEN, e->after, is_private(t, e->field));
        break;
    case ODP_EDIT_LABEL:
        odp_buffer_printf(b, "%-20s ", say(inv, W_cmd_column_label));
        add_colored(t, b, RED, before, false);
        odp_buffer_add_str(b, " → ");
        add_colored(t, b, GREEN, e->after, false);
        break;
    case ODP_EDIT_DELETE:
    case ODP_EDIT_LINES:
        odp_buffer_printf(b, "− %s ",
                          e->kind == ODP_EDIT_LINES ? say(inv, W_cmd_line_file_goes)
                                                    : say(inv, W_cmd_record_goes));
        add_colored(t, b, RED, before, hidden);
        break;
    case ODP_EDIT_SHAPE:
        add_shape(t, b, e->shape);
        break;
    case ODP_EDIT_PART:
        odp_buffer_printf(b, say(inv, W_cmd_part_written), e->field);
        break;
    case ODP_EDIT_APPEND:
        odp_buffer_printf(b, "+ %s ", say(inv, W_cmd_record_added));
        add_colored(t, b, GREEN, e->after, hidden);
        break;
    }
}

enum odp_status fix_text_show(void *ctx, const struct odp_edit_shown *e)
{
    struct fix_text *t = ctx;
    struct odp_buffer b = {0};
    if (e->line > 0)
        odp_buffer_printf(&b, "    %s %-7llu ", say(t->inv, W_cmd_line), (unsigned long long)e->line);
    else
        odp_buffer_add_str(&b, "    ");
    add_edit(t, &b, e);
    if (e->cells > 1)
        odp_buffer_printf(&b, say(t->inv, W_cmd_cells_lines), (unsigned long long)e->cells, e->rows);
    enum odp_status status = odp_buffer_status(&b);
    if (status == ODP_OK)
        fprintf(stdout, "%s\n", odp_buffer_cstr(&b));
    odp_buffer_release(&b);
    t->shown++;
    return status;
}
