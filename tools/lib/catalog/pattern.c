/* Patterns are XML Schema regular expressions (XSD part 2, appendix F), run by PCRE2. */
#define PCRE2_CODE_UNIT_WIDTH 8
#include "catalog/catalog_internal.h"

#include <errno.h>
#include <pcre2.h>

#include "base/utf8.h"
#include "words/catalog.h"

#define CLASS_DEPTH 8

/* XSD name characters; inside a class the brackets fall away. */
static const char *name_class(char c)
{
    switch (c) {
    case 'i':
        return "[_:\\p{L}]";
    case 'I':
        return "[^_:\\p{L}]";
    case 'c':
        return "[-._:\\p{L}\\p{N}\\p{M}]";
    case 'C':
        return "[^-._:\\p{L}\\p{N}\\p{M}]";
    default:
        return NULL;
    }
}

struct translation {
    struct odp_slice in;
    size_t at;
    const char *message;
};

static bool translate_escape(struct translation *t, struct odp_buffer *out, bool in_class)
{
    char c = t->at + 1 < t->in.len ? t->in.ptr[t->at + 1] : '\0';
    const char *class = name_class(c);
    if (class != NULL && in_class && class[1] == '^') {
        t->message = "\\I, \\C in [ ]";
        return false;
    }
    if (class == NULL)
        odp_buffer_add(out, t->in.ptr + t->at, c != '\0' ? 2 : 1);
    else if (in_class)
        odp_buffer_add(out, class + 1, strlen(class) - 2);
    else
        odp_buffer_add_str(out, class);
    t->at += c != '\0' ? 2 : 1;
    return true;
}

/* At '['. A subtraction becomes a look-ahead: [a-z-[aeiou]] is (?:(?![aeiou])[a-z]). */
static bool translate_class(struct translation *t, struct odp_buffer *out, int depth)
{
    struct odp_buffer class = {0}, minus = {0};
    bool ok = depth < CLASS_DEPTH, closed = false;
    t->message = ok ? NULL : "[ [ [";
    odp_buffer_add_char(&class, '[');
    t->at++;
    if (t->at < t->in.len && t->in.ptr[t->at] == '^') {
        odp_buffer_add_char(&class, '^');
        t->at++;
    }
    size_t first = t->at;
    while (ok && !closed && t->at < t->in.len) {
        char c = t->in.ptr[t->at];
        if (c == '\\') {
            ok = translate_escape(t, &class, true);
        } else if (c == '-' && t->at > first && t->at + 1 < t->in.len && t->in.ptr[t->at + 1] == '[') {
            t->at++;
            odp_buffer_add_str(&minus, "(?!");
            ok = translate_class(t, &minus, depth + 1);
            odp_buffer_add_char(&minus, ')');
        } else if (c == '[' && t->at + 1 < t->in.len && strchr(":.=", t->in.ptr[t->at + 1]) == NULL) {
            odp_buffer_add_str(&class, "\\[");
            t->at++;
        } else {
            closed = c == ']' && t->at > first;
            odp_buffer_add_char(&class, c);
            t->at++;
        }
    }
    bool group = minus.len > 0;
    odp_buffer_add_str(out, group ? "(?:" : "");
    odp_buffer_add_slice(out, odp_buffer_slice(&minus));
    odp_buffer_add_slice(out, odp_buffer_slice(&class));
    odp_buffer_add_str(out, group ? ")" : "");
    if (odp_buffer_status(&class) != ODP_OK || odp_buffer_status(&minus) != ODP_OK)
        out->failed = true;
    odp_buffer_release(&class);
    odp_buffer_release(&minus);
    return ok;
}

enum odp_status pattern_translate(struct odp_slice xsd, struct odp_buffer *out, size_t *at,
                                  const char **message)
{
    struct translation t = {.in = xsd};
    bool ok = true;
    while (ok && t.at < t.in.len) {
        char c = t.in.ptr[t.at];
        if (c == '\\') {
            ok = translate_escape(&t, out, false);
        } else if (c == '[') {
            ok = translate_class(&t, out, 0);
        } else {
            odp_buffer_add_char(out, c);
            t.at++;
        }
    }
    *at = t.at;
    *message = t.message;
    enum odp_status status = odp_buffer_status(out);
    return status != ODP_OK ? status : ok ? ODP_OK : ODP_BAD;
}

static pcre2_code *compile(struct odp_slice pattern, int *error, size_t *at)
{
    pcre2_compile_context *context = pcre2_compile_context_create(NULL);
    if (context == NULL) {
        *error = PCRE2_ERROR_HEAP_FAILED;
        return NULL;
    }
    pcre2_set_newline(context, PCRE2_NEWLINE_ANYCRLF); /* XSD: '.' is neither CR nor LF */
    uint32_t options = PCRE2_UTF | PCRE2_UCP | PCRE2_ANCHORED | PCRE2_ENDANCHORED | PCRE2_DOLLAR_ENDONLY |
                       PCRE2_NEVER_BACKSLASH_C;
    pcre2_code *code = pcre2_compile((PCRE2_SPTR)(pattern.len > 0 ? pattern.ptr : ""), pattern.len, options,
                                     error, at, context);
    pcre2_compile_context_free(context);
    if (code != NULL)
        (void)pcre2_jit_compile(code, PCRE2_JIT_COMPLETE); /* without JIT the interpreter does it */
    return code;
}

static const char *reason_of(struct node n, int error)
{
    PCRE2_UCHAR reason[256] = "";
    pcre2_get_error_message(error, reason, sizeof reason);
    return doc_printf(n.doc, "%s", (const char *)reason);
}

/* AT is a byte of TRANSLATED, and of N's text as far as both are the same. */
static void say_fault(struct node n, struct odp_slice translated, size_t at, const char *reason)
{
    const struct odp_slice text = odp_slice_of(json_string_value(n.json));
    const char *more = doc_printf(n.doc, " (%s)", reason);
    struct odp_text words;
    if (at > text.len || at > translated.len || (at > 0 && memcmp(text.ptr, translated.ptr, at) != 0)) {
        words = doc_text(n.doc, W_catalog_pattern, more);
    } else if (at == text.len) {
        words = doc_text(n.doc, W_catalog_pattern_end, more);
    } else {
        uint32_t cp;
        const size_t count = odp_utf8_count((struct odp_slice){text.ptr, at});
        const int len = (int)odp_utf8_decode(text.ptr + at, text.len - at, &cp);
        words = doc_text(n.doc, W_catalog_pattern_at, count + 1, len, text.ptr + at, more);
    }
    node_say(n, ODP_C10, NULL, words);
}

void *pattern_compile(struct node n)
{
    const char *text = node_string(n);
    if (text == NULL)
        return NULL;
    struct odp_buffer translated = {0};
    size_t at = 0;
    int error = 0;
    const char *message = NULL;
    pcre2_code *code = NULL;
    enum odp_status status = pattern_translate(odp_slice_of(text), &translated, &at, &message);
    if (status == ODP_OK) {
        code = compile(odp_buffer_slice(&translated), &error, &at);
        if (code == NULL && error == PCRE2_ERROR_HEAP_FAILED)
            status = odp_failure_set("compile pattern", n.doc->file, ENOMEM);
    }
    if (status == ODP_FAIL) {
        n.doc->failed = true;
    } else if (code == NULL) {
        say_fault(n, odp_buffer_slice(&translated), at, message != NULL ? message : reason_of(n, error));
    } else {
        own_add(n.doc->own, &n.doc->own->patterns, code);
    }
    odp_buffer_release(&translated);
    return code;
}

void own_patterns_free(struct catalog_own *own)
{
    for (struct own_item *i = own->patterns; i != NULL; i = i->next)
        pcre2_code_free(i->p);
}
