/* Texts in both languages: filled in, as facts, doubts, faults. */
#include "base/utf8.h"
#include "repair/draft/draft_internal.h"

/* Fills in {0} … of TEXT, into d->words. */
static void fill(struct odp_draft *d, const char *text, enum odp_lang lang, const struct arg *args)
{
    for (const char *p = text; *p != '\0'; p++) {
        if (*p != '{' || p[1] < '0' || p[1] > '9' || p[2] != '}') {
            odp_buffer_add_char(&d->words, *p);
            continue;
        }
        const struct arg *a = &args[p[1] - '0'];
        if (a->text.ptr != NULL)
            odp_buffer_add_slice(&d->words, a->text);
        else
            odp_text_number(&d->words, a->number, lang);
        p += 2;
    }
}

struct odp_text draft_text(struct odp_draft *d, const char *id, const char *en, const struct arg *args)
{
    struct odp_text out;
    for (enum odp_lang lang = 0; lang < ODP_LANGS; lang++) {
        odp_buffer_clear(&d->words);
        fill(d, odp_word(lang, id, en), lang, args);
        out.in[lang] = odp_arena_str(&d->arena, odp_buffer_cstr(&d->words));
    }
    return out;
}

struct odp_text draft_join(struct odp_draft *d, struct odp_text a, struct odp_text b)
{
    for (int lang = 0; lang < ODP_LANGS; lang++)
        a.in[lang] = odp_arena_printf(&d->arena, "%s%s", a.in[lang], b.in[lang]);
    return a;
}

void draft_fact(struct odp_draft *d, const char *id, const char *en, const struct arg *args)
{
    struct fact *f = odp_arena_zero(&d->arena, 1, sizeof *f);
    f->text = draft_text(d, id, en, args);
    *d->facts_end = f;
    d->facts_end = &f->next;
}

struct odp_doubt *draft_doubt(struct odp_draft *d, enum doubt_kind kind, const struct column *c,
                              struct odp_text title, struct odp_text evidence,
                              const struct odp_text options[2])
{
    d->doubts = odp_arena_more(&d->arena, d->doubts, d->ndoubts, sizeof *d->doubts);
    struct odp_doubt *q = &d->doubts[d->ndoubts++];
    *q = (struct odp_doubt){.kind = (int)kind,
                            .column = c != NULL ? (int)(c - d->columns) : -1,
                            .title = title,
                            .evidence = evidence};
    if (options != NULL) {
        q->noptions = 2;
        memcpy(q->option, options, 2 * sizeof *options);
    }
    return q;
}

struct odp_text column_title(struct odp_draft *d, const struct column *c, struct odp_text title)
{
    return draft_text(d, title.in[ODP_LANG_ID], title.in[ODP_LANG_EN], ARGS(C(c != NULL ? c->name : "")));
}

void draft_note(struct odp_draft *d, const struct column *c, struct odp_text title, struct odp_text evidence,
                const struct arg *args)
{
    struct odp_text shown = column_title(d, c, title);
    (void)draft_doubt(d, DOUBT_NOTE, c, shown,
                      draft_text(d, evidence.in[ODP_LANG_ID], evidence.in[ODP_LANG_EN], args), NULL);
}

struct odp_slice draft_shown(struct odp_draft *d, struct odp_slice s)
{
    enum { MOST = 60 };
    struct odp_buffer *b = &d->words;
    size_t len = s.len > MOST ? odp_utf8_valid((struct odp_slice){s.ptr, MOST}) : odp_utf8_valid(s);
    odp_buffer_clear(b);
    odp_privacy_mask((struct odp_slice){s.ptr, len}, b);
    for (size_t i = 0; i < b->len; i++)
        if ((unsigned char)b->ptr[i] < ' ' || b->ptr[i] == 0x7f || b->ptr[i] == '`')
            b->ptr[i] = ' ';
    if (len < s.len)
        odp_buffer_add_str(b, "…");
    return odp_arena_copy(&d->arena, odp_buffer_slice(b));
}

json_t *draft_json_text(struct odp_slice s)
{
    return json_stringn(s.ptr != NULL ? s.ptr : "", odp_utf8_valid(s));
}

enum odp_status draft_fault(struct odp_draft *d, struct odp_diags *diags, enum odp_code code, const char *a0,
                            const char *a1)
{
    struct odp_diag q = {.code = code, .file = d->options.file};
    q.args[0] = odp_slice_of(a0 != NULL ? a0 : "");
    q.args[1] = odp_slice_of(a1 != NULL ? a1 : "");
    return odp_diags_refuse(diags, &q);
}

enum odp_status draft_status(const struct odp_draft *d)
{
    return odp_buffer_status(&d->words) == ODP_OK ? odp_arena_status(&d->arena) : ODP_FAIL;
}
