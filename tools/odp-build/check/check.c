/* What a rule is given: faults to note, and room for texts. The faults of a batch are handed on at its end
 * (flush.c). */
#include <stdarg.h>
#include <stdio.h>

#include "check/check_internal.h"

#include <errno.h>

#define ROOM 4096u /* bytes taken from the arena at a time for canonical texts */

char *odp_check_more_bytes(struct odp_check *c, size_t n)
{
    size_t size = n < ROOM ? ROOM : n;
    c->room = odp_arena_alloc(&c->b->arena, size);
    c->room_left = size;
    return c->room;
}

static struct odp_fault *note(struct odp_check *c, uint32_t i, int field, enum odp_code code)
{
    struct odp_worker *w = c->w;
    if (c->trial) {
        c->refused = true;
        return &w->sink;
    }
    if (w->nfaults == w->faults_cap) {
        size_t cap = w->faults_cap > 0 ? 2 * w->faults_cap : 64;
        struct odp_fault *faults =
            cap < UINT32_MAX ? odp_realloc_array(w->faults, cap, sizeof *faults) : NULL;
        if (faults == NULL) {
            c->failed = true;
            return &w->sink;
        }
        w->faults = faults;
        w->faults_cap = cap;
    }
    struct odp_fault *f = &w->faults[w->nfaults];
    *f = (struct odp_fault){.record = i,
                            .seq = (uint32_t)w->nfaults,
                            .field = field,
                            .code = code,
                            .where = field >= 0 ? c->v->schema->fields[field].where : NULL};
    w->nfaults++;
    return f;
}

struct odp_fault *odp_check_fault(struct odp_check *c, uint32_t i, int field, enum odp_code code)
{
    if (field >= 0 && !c->v->waived[code])
        c->b->columns[field].state[i] = ODP_VALUE_BAD;
    return note(c, i, field, code);
}

struct odp_fault *odp_check_untyped(struct odp_check *c, uint32_t i, int field, enum odp_code code)
{
    struct odp_fault *f = note(c, i, field, code);
    c->b->columns[field].state[i] = ODP_VALUE_BAD;
    c->b->columns[field].text[i] = (struct odp_slice){NULL, 0};
    return f;
}

struct odp_fault *odp_check_note(struct odp_check *c, uint32_t i, int field, enum odp_code code)
{
    return note(c, i, field, code);
}

struct odp_slice odp_check_copy(struct odp_check *c, struct odp_slice s)
{
    return odp_arena_copy(&c->b->arena, s);
}

struct odp_slice odp_check_printf(struct odp_check *c, const char *fmt, ...)
{
    char buf[256];
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(buf, sizeof buf, fmt, ap);
    va_end(ap);
    size_t len = n < 0 ? 0 : (size_t)n < sizeof buf ? (size_t)n : sizeof buf - 1;
    return odp_check_copy(c, (struct odp_slice){buf, len});
}

struct odp_slice odp_check_join(struct odp_check *c, const struct odp_slice *item, size_t n)
{
    struct odp_buffer *out = &c->w->buffer;
    odp_buffer_clear(out);
    for (size_t i = 0; i < n; i++) {
        if (i > 0)
            odp_buffer_add_str(out, ", ");
        if (out->len > 200) {
            odp_buffer_add_str(out, "…");
            break;
        }
        odp_buffer_add_slice(out, item[i]);
    }
    if (odp_buffer_status(out) != ODP_OK) {
        c->failed = true;
        return ODP_LIT("");
    }
    return odp_check_copy(c, odp_buffer_slice(out));
}

void odp_merge_diag(const struct odp_validator *v, const struct odp_batch *b, uint32_t i, int field,
                    enum odp_code code, struct odp_diag *d)
{
    const struct odp_validated *own = b->validated;
    *d = (struct odp_diag){0};
    odp_batch_diag(b, (struct odp_batch_place){i, field, field >= 0 ? v->info->column_of_field[field] : -1},
                   v->info->file, own->secret[i] != 0, d);
    d->code = code;
}

enum odp_status odp_merge_add(struct odp_batch *b, uint32_t i, struct odp_diag *d)
{
    enum odp_status status = odp_diags_add(b->diags, d);
    if (status == ODP_BAD)
        b->record_bad[i] = 1;
    return status == ODP_FAIL ? ODP_FAIL : ODP_OK;
}

int odp_check_pattern(struct odp_check *c, const struct odp_field *f, struct odp_slice s)
{
    int r = pcre2_match(f->constraints.pattern_code, (PCRE2_SPTR)s.ptr, s.len, 0, PCRE2_NO_UTF_CHECK,
                        c->w->match_data, c->w->match_context);
    if (r == PCRE2_ERROR_NOMEMORY) {
        (void)odp_failure_set("pcre2", NULL, ENOMEM);
        c->failed = true;
    }
    return r >= 0 ? 1 : r == PCRE2_ERROR_NOMATCH ? 0 : -1;
}
