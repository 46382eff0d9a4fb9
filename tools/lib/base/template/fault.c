/* Faults of templates: the place, the line shown, and the sentence in both languages. */
#include "base/template/template_internal.h"

#include "base/diag_text.h"
#include "base/utf8.h"

static const struct {
    struct odp_text text; /* {0}, {1}: what it names. What is wrong, then what to do. */
} words[] = {
#define WORDS(name, ...) {__VA_ARGS__},
#include "words/templates.h"
#undef WORDS
};

enum { ARG_MAX_ = 200 }; /* bytes of a name from a template */

static void fill(struct odp_buffer *out, enum odp_lang lang, const char *text, const struct fault_more *more)
{
    for (const char *p = text; *p != '\0'; p++) {
        bool first = strncmp(p, "{0}", 3) == 0;
        if (!first && strncmp(p, "{1}", 3) != 0) {
            odp_buffer_add_char(out, *p);
            continue;
        }
        const char *arg = more == NULL ? NULL : first ? more->a : more->b;
        if (first && more != NULL && more->said != NULL)
            arg = more->said->in[lang];
        const struct odp_slice s = odp_slice_of(arg != NULL ? arg : ""), part = odp_utf8_cut(s, ARG_MAX_);
        odp_buffer_add_slice(out, part);
        odp_buffer_add_str(out, part.len < s.len ? "…" : "");
        p += 2;
    }
}

/* Line, column and the text of the line around AT. */
static void show_place(const struct template_file *f, size_t at, size_t len, struct odp_diag *d)
{
    const char *t = f->text.ptr;
    size_t start = 0;
    d->line = 1;
    for (const char *p; start < at && (p = memchr(t + start, '\n', at - start)) != NULL;
         start = (size_t)(p - t) + 1)
        d->line++;
    d->column = odp_utf8_count((struct odp_slice){t + start, at - start}) + 1;
    d->offset = at;
    odp_diag_show_line(d, f->text, at, at + len);
}

static bool was_reported(struct template_file *f, size_t at, enum template_fault which)
{
    for (size_t i = 0; i < f->nfaults; i++)
        if (f->reported[i].at == at && f->reported[i].fault == which)
            return true;
    if (f->nfaults == TEMPLATE_FAULTS)
        return true;
    f->reported[f->nfaults].at = (uint32_t)at;
    f->reported[f->nfaults++].fault = (uint8_t)which;
    return false;
}

void template_fault(struct odp_templates *t, struct template_file *file, size_t at, size_t len,
                    enum template_fault which, const struct fault_more *more)
{
    struct odp_buffer in[ODP_LANGS];
    struct odp_text message;
    if (t->diags == NULL || odp_memory_status() != ODP_OK) {
        /* A proven set, whose files have changed since; or what is missed may be what was refused. */
        t->failed = true;
        return;
    }
    t->bad =
        t->bad || more == NULL || more->severity == ODP_SEVERITY_OFF || more->severity == ODP_SEVERITY_ERROR;
    if (was_reported(file, at, which))
        return;
    for (int lang = 0; lang < ODP_LANGS; lang++) {
        odp_buffer_init(&in[lang]);
        fill(&in[lang], (enum odp_lang)lang, words[which].text.in[lang], more);
        message.in[lang] = odp_buffer_cstr(&in[lang]);
        t->failed = t->failed || in[lang].failed;
    }
    struct odp_diag d = {.code = ODP_C25, .file = file->path, .message = &message};
    if (file->text.ptr != NULL && len > 0)
        show_place(file, at, len, &d);
    if (more != NULL) {
        d.severity = more->severity;
        d.args[0] = odp_slice_of(more->expected != NULL ? more->expected : "");
        if (more->proposal != NULL)
            d.proposal = odp_slice_of(more->proposal);
    }
    if (!t->failed && odp_diags_add(t->diags, &d) == ODP_FAIL)
        t->failed = true;
    for (int lang = 0; lang < ODP_LANGS; lang++)
        odp_buffer_release(&in[lang]);
}

/* ---- names that exist ---- */

void template_names_add(struct template_names *names, const char *name)
{
    if (names->n < TEMPLATE_NAMES_MAX)
        names->list[names->n++] = name;
}

void template_names_suggest(struct odp_templates *t, const struct template_names *names, size_t most,
                            struct odp_slice meant, struct fault_more *more)
{
    struct odp_buffer out = {0};
    for (size_t i = 0; i < names->n && i < most; i++)
        odp_buffer_printf(&out, "%s%s", i > 0 ? ", " : "", names->list[i]);
    if (names->n > most)
        odp_buffer_add_str(&out, ", …");
    more->expected = odp_buffer_keep(&out, &t->arena);
    more->proposal = odp_word_nearest(meant, names->list, names->n);
}
