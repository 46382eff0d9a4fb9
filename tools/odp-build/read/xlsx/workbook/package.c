/* The package (ECMA-376, part 2): paths of parts, relationships. */

#include "base/ascii.h"
#include "read/xlsx/workbook/workbook_internal.h"
#include "words/read.h"

/* One segment of a path on top of OUT, which has N bytes; false: above the package. */
static bool add_segment(char *out, size_t *n, const char *s, size_t len)
{
    if (len == 0 || (len == 1 && s[0] == '.'))
        return true;
    if (len == 2 && s[0] == '.' && s[1] == '.') {
        if (*n == 0)
            return false;
        while (*n > 0 && out[*n - 1] != '/')
            (*n)--;
        if (*n > 0)
            (*n)--;
        return true;
    }
    if (*n > 0)
        out[(*n)++] = '/';
    memcpy(out + *n, s, len);
    *n += len;
    return true;
}

static bool add_path(char *out, size_t *n, const char *path, size_t len)
{
    for (size_t i = 0; i < len;) {
        size_t end = i;
        while (end < len && path[end] != '/')
            end++;
        if (!add_segment(out, n, path + i, end - i))
            return false;
        i = end + 1;
    }
    return true;
}

/* Where TARGET of a relationship of part BASE leads; NULL: out of the package. */
static char *resolve(struct odp_arena *a, const char *base, const char *target)
{
    if (strlen(target) > 1000 || strlen(base) > 1000)
        return NULL;
    size_t room = strlen(base) + strlen(target) + 3, n = 0, plain = 0;
    char *out = odp_arena_alloc(a, room), *path = odp_arena_alloc(a, room);
    for (const char *p = target; *p != '\0' && *p != '#'; p++) {
        int high = *p == '%' ? odp_hex_value(p[1]) : -1, low = high >= 0 ? odp_hex_value(p[2]) : -1;
        if (low >= 0) {
            path[plain++] = (char)(high * 16 + low);
            p += 2;
        } else {
            path[plain++] = *p == '\\' ? '/' : *p;
        }
    }
    const char *slash = strrchr(base, '/');
    if (path[0] != '/' && slash != NULL)
        add_path(out, &n, base, (size_t)(slash - base));
    bool bad = memchr(path, '\0', plain) != NULL || !add_path(out, &n, path, plain) || n == 0;
    out[n] = '\0';
    return bad ? NULL : out;
}

/* The path of PART's relationships. */
static char *rels_of(struct odp_arena *a, const char *part)
{
    const char *slash = strrchr(part, '/');
    int folder = slash != NULL ? (int)(slash - part + 1) : 0;
    return odp_arena_printf(a, "%.*s_rels/%s.rels", folder, part, part + folder);
}

struct rels {
    const char *base;
    struct wb_rel *first, **tail;
    size_t n;
};

static void rels_start(struct wb_xml *x, const char *name, const char **attributes)
{
    struct rels *r = x->ctx;
    if (strcmp(name, "Relationship") != 0)
        return;
    const char *id = wb_attribute(attributes, "Id"), *type = wb_attribute(attributes, "Type"),
               *target = wb_attribute(attributes, "Target");
    const char *mode = wb_attribute(attributes, "TargetMode");
    if (id == NULL || type == NULL || target == NULL)
        return;
    if (++r->n > WB_SHEETS_MAX) {
        wb_xml_stop(x, ODP_WORKBOOK_TOO_LARGE, W_read_too_many_relationships);
        return;
    }
    const char *slash = strrchr(type, '/');
    struct wb_rel *rel = odp_arena_zero(&x->in.w->arena, 1, sizeof(*rel));
    *rel = (struct wb_rel){.id = odp_arena_str(&x->in.w->arena, id),
                           .type = odp_arena_str(&x->in.w->arena, slash != NULL ? slash + 1 : type),
                           .external = mode != NULL && strcmp(mode, "External") == 0};
    if (!rel->external && (rel->part = resolve(&x->in.w->arena, r->base, target)) == NULL) {
        wb_xml_stop(x, ODP_WORKBOOK_DAMAGED, W_read_relationship_leads_out_file);
        return;
    }
    *r->tail = rel;
    r->tail = &rel->next;
}

enum odp_status wb_rels(struct odp_workbook *w, const char *part, struct wb_rel **out,
                        struct odp_workbook_fault *fault)
{
    static const struct wb_events events = {.start = rels_start};
    *out = NULL;
    struct rels r = {.base = part};
    r.tail = &r.first;
    char *path = rels_of(&w->arena, part);
    if (wb_find(w, path) == NULL)
        return ODP_OK;
    enum odp_status status = wb_xml_run(w, path, &events, &r, true, fault);
    if (status == ODP_OK)
        *out = r.first;
    return status;
}
