/* Cell formats: of each, whether its number format shows a date or a time (ECMA-376 part 1, 18.8.30
 * and 18.8.31). */
#include <stdlib.h>

#include "base/ascii.h"
#include "read/xlsx/workbook/workbook_internal.h"
#include "words/read.h"

/* Number formats that every program knows by number; 27 to 36 and 50 to 58 are dates of East Asian ones. */
static unsigned builtin_class(unsigned long id)
{
    if ((id >= 14 && id <= 17) || (id >= 27 && id <= 31) || id == 36 || (id >= 50 && id <= 54) || id == 57 ||
        id == 58)
        return WB_HAS_DATE;
    if ((id >= 18 && id <= 21) || (id >= 32 && id <= 35) || id == 45 || id == 47 || id == 55 || id == 56)
        return WB_HAS_TIME;
    if (id == 46)
        return WB_HAS_TIME | WB_ELAPSED;
    if (id == 9 || id == 10)
        return WB_PERCENT;
    return id == 22 ? WB_HAS_DATE | WB_HAS_TIME : 0;
}

static bool begins(const char *p, const char *word)
{
    while (*word != '\0')
        if (odp_lower(*p++) != *word++)
            return false;
    return true;
}

/* Behind "[...]"; elapsed time, [h], counts. */
static const char *bracket(const char *p, unsigned *class)
{
    const char *end = strchr(p, ']');
    if (end == NULL)
        return p + strlen(p);
    size_t n = (size_t)(end - p) - 1, same = 0;
    char first = odp_lower(p[1]);
    while (same < n && odp_lower(p[1 + same]) == first)
        same++;
    if (n > 0 && same == n && (first == 'h' || first == 'm' || first == 's'))
        *class |= WB_HAS_TIME | WB_ELAPSED;
    return end + 1;
}

static unsigned format_class(const char *code)
{
    unsigned class = 0;
    bool minutes = false, percent = false, general = begins(code, "general");
    for (const char *p = code + (general ? 7 : 0); *p != '\0' && *p != ';';) {
        char c = odp_lower(*p);
        if (*p == '"') {
            const char *end = strchr(p + 1, '"');
            p = end != NULL ? end + 1 : p + strlen(p);
        } else if (*p == '\\' || *p == '_' || *p == '*') {
            p += p[1] != '\0' ? 2 : 1;
        } else if (*p == '[') {
            p = bracket(p, &class);
        } else if (begins(p, "am/pm") || begins(p, "a/p")) {
            class |= WB_HAS_TIME;
            p += c == 'a' && p[1] == '/' ? 3 : 5;
        } else if (c == 'e' && (p[1] == '+' || p[1] == '-')) {
            p += 2;
        } else {
            if (c == 'y' || c == 'd' || *p == 'e' || *p == 'g' || *p == 'b')
                class |= WB_HAS_DATE;
            else if (c == 'h' || c == 's')
                class |= WB_HAS_TIME;
            else if (c == 'm')
                minutes = true;
            else if (c == '%')
                percent = true;
            p++;
        }
    }
    if (minutes && class == 0)
        class = WB_HAS_DATE; /* months */
    return class == 0 && percent ? WB_PERCENT : class;
}

struct own_format {
    unsigned long id;
    unsigned class;
};

struct loading {
    struct own_format *own;
    size_t nown;
    uint32_t *ids; /* number format of cell format i */
    size_t n;
    bool in_cells;
};

static void add_own(struct wb_xml *x, struct loading *l, const char *id, const char *code)
{
    if (l->nown >= WB_STYLES_MAX) {
        wb_xml_stop(x, ODP_WORKBOOK_TOO_LARGE, W_read_too_many_number_formats);
        return;
    }
    l->own = odp_arena_more(&x->in.w->arena, l->own, l->nown, sizeof(*l->own));
    l->own[l->nown++] = (struct own_format){strtoul(id, NULL, 10), format_class(code)};
}

static void add_cell_format(struct wb_xml *x, struct loading *l, const char *id)
{
    if (l->n >= WB_STYLES_MAX) {
        wb_xml_stop(x, ODP_WORKBOOK_TOO_LARGE, W_read_too_many_cell_formats);
        return;
    }
    l->ids = odp_arena_more(&x->in.w->arena, l->ids, l->n, sizeof(*l->ids));
    unsigned long v = id != NULL ? strtoul(id, NULL, 10) : 0;
    l->ids[l->n++] = v > UINT32_MAX ? 0 : (uint32_t)v;
}

static void styles_start(struct wb_xml *x, const char *name, const char **attributes)
{
    struct loading *l = x->ctx;
    if (strcmp(name, "numFmt") == 0) {
        const char *id = wb_attribute(attributes, "numFmtId"), *code = wb_attribute(attributes, "formatCode");
        if (id != NULL && code != NULL && x->depth == 3)
            add_own(x, l, id, code);
    } else if (strcmp(name, "cellXfs") == 0) {
        l->in_cells = true;
    } else if (l->in_cells && strcmp(name, "xf") == 0) {
        add_cell_format(x, l, wb_attribute(attributes, "numFmtId"));
    }
}

static void styles_end(struct wb_xml *x, const char *name)
{
    struct loading *l = x->ctx;
    if (strcmp(name, "cellXfs") == 0)
        l->in_cells = false;
}

static int by_id(const void *a, const void *b)
{
    unsigned long x = ((const struct own_format *)a)->id, y = ((const struct own_format *)b)->id;
    return (x > y) - (x < y);
}

static void settle(struct odp_workbook *w, struct loading *l)
{
    w->styles = odp_arena_zero(&w->arena, l->n + 1, 1);
    if (l->nown > 0)
        qsort(l->own, l->nown, sizeof(*l->own), by_id);
    for (size_t i = 0; i < l->n; i++) {
        struct own_format key = {l->ids[i], 0};
        const struct own_format *own =
            l->nown > 0 ? bsearch(&key, l->own, l->nown, sizeof(key), by_id) : NULL;
        w->styles[i] = (uint8_t)(own != NULL ? own->class : builtin_class(l->ids[i]));
    }
    w->nstyles = l->n;
}

enum odp_status wb_styles_load(struct odp_workbook *w, struct odp_workbook_fault *fault)
{
    static const struct wb_events events = {styles_start, styles_end, NULL};
    struct loading l = {0};
    if (w->styles_loaded || w->styles_part == NULL)
        return ODP_OK;
    enum odp_status status = wb_xml_run(w, w->styles_part, &events, &l, false, fault);
    if (status != ODP_OK)
        return status;
    settle(w, &l);
    w->styles_loaded = true;
    return odp_arena_status(&w->arena);
}
