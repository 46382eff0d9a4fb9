/* Faults of a shapefile as a whole, in words. */
#include <stdarg.h>
#include <stdio.h>

#include "read/shapefile/reader.h"

const char *shape_arg(struct shape_source *s, const char *fmt, ...)
{
    char text[512];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    for (char *c = text; *c != '\0'; c++)
        if (*c < ' ' || *c > '~')
            *c = '?';
    return odp_arena_str(&s->arena, text);
}

void shape_message(struct odp_arena *a, const struct odp_text *template, const struct odp_slice *args,
                   struct odp_text *out)
{
    for (int lang = 0; lang < ODP_LANGS; lang++) {
        char text[512];
        size_t n = 0;
        for (const char *c = template->in[lang]; *c != '\0' && n + 1 < sizeof text; c++) {
            struct odp_slice piece = {c, 1};
            if (c[0] == '{' && c[1] >= '0' && c[1] <= '2' && c[2] == '}') {
                piece = args[c[1] - '0'];
                c += 2;
            }
            if (piece.len > sizeof text - 1 - n)
                piece.len = sizeof text - 1 - n;
            if (piece.len > 0)
                memcpy(text + n, piece.ptr, piece.len);
            n += piece.len;
        }
        text[n] = '\0';
        out->in[lang] = odp_arena_str(a, text);
    }
}

static enum odp_status say(struct shape_source *s, struct odp_diag *d, const struct odp_text *message)
{
    const struct odp_resource *r = s->base.resource;
    d->dataset = r->dataset != NULL ? r->dataset->slug : NULL;
    d->resource = r->name;
    if (shape_mends(s) && (d->code == ODP_G10 || d->code == ODP_G11 || d->code == ODP_G24))
        d->action = ODP_ACTION_MEND_SHAPE;
    if (message != NULL) {
        struct odp_text *full = odp_arena_zero(&s->arena, 1, sizeof *full);
        shape_message(&s->arena, message, d->args, full);
        d->message = full;
    }
    return odp_diags_add(s->diags, d);
}

enum odp_status shape_refuse(struct shape_source *s, struct odp_diag *d, const struct odp_text *message)
{
    d->severity = ODP_SEVERITY_ERROR;
    return say(s, d, message) == ODP_FAIL ? ODP_FAIL : ODP_BAD;
}

enum odp_status shape_fault(struct shape_source *s, enum odp_code code, const char *file, const char *arg)
{
    struct odp_diag d = {.code = code, .file = file, .args = {odp_slice_of(arg)}};
    return shape_refuse(s, &d, NULL);
}

enum odp_status shape_warn(struct shape_source *s, enum odp_code code, const char *file, const char *a0,
                           const char *a1)
{
    struct odp_diag d = {.code = code, .file = file, .args = {odp_slice_of(a0), odp_slice_of(a1)}};
    return say(s, &d, NULL) == ODP_FAIL ? ODP_FAIL : ODP_OK;
}
