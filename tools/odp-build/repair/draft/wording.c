/* Texts in both languages: with values filled in, facts, doubts, faults. */
#include <stdio.h>
#include <stdlib.h>

#include "base/utf8.h"
#include "repair/draft/draft_internal.h"

struct odp_text draft_text(struct odp_draft *d, const char *id, const char *en, const struct arg *args)
{
    struct odp_text out = {{"", ""}};
    for (int lang = 0; lang < ODP_LANGS; lang++) {
        struct odp_buffer b;
        odp_buffer_init(&b);
        for (const char *p = lang == ODP_LANG_ID ? id : en; *p != '\0'; p++) {
            if (*p != '{' || p[1] < '0' || p[1] > '9' || p[2] != '}') {
                odp_buffer_add_char(&b, *p);
                continue;
            }
            const struct arg *a = &args[p[1] - '0'];
            if (a->text.ptr != NULL)
                odp_buffer_add_slice(&b, a->text);
            else
                odp_text_number(&b, a->number, (enum odp_lang)lang);
            p += 2;
        }
        struct odp_slice copy = odp_arena_copy(&d->arena, odp_buffer_slice(&b));
        if (odp_buffer_status(&b) != ODP_OK || copy.ptr == NULL)
            d->failed = true;
        else
            out.in[lang] = copy.ptr;
        odp_buffer_release(&b);
    }
    return out;
}

struct odp_text draft_join(struct odp_draft *d, struct odp_text a, struct odp_text b)
{
    for (int lang = 0; lang < ODP_LANGS; lang++) {
        a.in[lang] = odp_arena_printf(&d->arena, "%s%s", a.in[lang], b.in[lang]);
    }
    return a;
}

void draft_fact(struct odp_draft *d, const char *id, const char *en, const struct arg *args)
{
    struct fact *f = odp_arena_zero(&d->arena, 1, sizeof *f);
    f->text = draft_text(d, id, en, args);
    *d->facts_end = f;
    d->facts_end = &f->next;
}

struct odp_doubt *draft_doubt(struct odp_draft *d, enum doubt_kind kind, int column, struct odp_text title, struct odp_text evidence,
                              const char *const (*options)[2], unsigned noptions)
{
    if (d->ndoubts == d->doubts_cap) {
        size_t cap = d->doubts_cap == 0 ? 32 : d->doubts_cap * 2;
        struct odp_doubt *grown = odp_realloc_array(d->doubts, cap, sizeof *grown);
        if (grown == NULL) {
            d->failed = true;
            return NULL;
        }
        d->doubts = grown;
        d->doubts_cap = cap;
    }
    struct odp_doubt *q = &d->doubts[d->ndoubts++];
    *q = (struct odp_doubt){.kind = (int)kind, .column = column, .title = title, .evidence = evidence, .noptions = noptions};
    for (unsigned i = 0; i < noptions; i++)
        q->option[i] = (struct odp_text){{options[i][0], options[i][1]}};
    return q;
}

struct odp_slice draft_shown(struct odp_draft *d, struct odp_slice s)
{
    enum { MOST = 60 };
    struct odp_buffer b;
    odp_buffer_init(&b);
    size_t len = s.len > MOST ? odp_utf8_valid((struct odp_slice){s.ptr, MOST}) : odp_utf8_valid(s);
    odp_privacy_mask((struct odp_slice){s.ptr, len}, &b);
    for (size_t i = 0; i < b.len; i++)
        if ((unsigned char)b.ptr[i] < ' ' || b.ptr[i] == 0x7f || b.ptr[i] == '`')
            b.ptr[i] = ' ';
    if (len < s.len)
        odp_buffer_add_str(&b, "…");
    struct odp_slice copy = odp_arena_copy(&d->arena, odp_buffer_slice(&b));
    if (odp_buffer_status(&b) != ODP_OK || copy.ptr == NULL) {
        d->failed = true;
        copy = ODP_LIT("");
    }
    odp_buffer_release(&b);
    return copy;
}

enum odp_status draft_fault(struct odp_draft *d, struct odp_diags *diags, enum odp_code code, const char *a0, const char *a1)
{
    struct odp_diag q = {.code = code, .file = d->options.file};
    q.args[0] = odp_slice_of(a0 != NULL ? a0 : "");
    q.args[1] = odp_slice_of(a1 != NULL ? a1 : "");
    return odp_diags_add(diags, &q) == ODP_FAIL ? ODP_FAIL : ODP_BAD;
}

struct odp_text column_title(struct odp_draft *d, const struct column *c, const char *id, const char *en)
{
    return draft_text(d, id, en, ARGS(C(c->name)));
}
