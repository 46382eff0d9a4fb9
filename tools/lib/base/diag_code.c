/* The table of codes: contract/diagnostics.def and their words, templates/words/diagnostics.json. */
#include "base/diag_code.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/refusal.h"
#include "words/text.h"

static const struct odp_code_info infos[ODP_CODE_COUNT] = {
#define ODP_CODE(symbol, code_, name_, severity_)                                                            \
    [ODP_##symbol].code = code_, [ODP_##symbol].name = name_,                                                \
    [ODP_##symbol].severity = ODP_SEVERITY_##severity_,
#include "contract/diagnostics.def"
#undef ODP_CODE
#define WORDS(symbol, ...) [ODP_##symbol].words = {__VA_ARGS__},
#include "words/diagnostics.h"
#undef WORDS
};

#define WORDS(...) +1
_Static_assert(0
#include "words/diagnostics.h"
                   == (int)ODP_CODE_COUNT,
               "every code of contract/diagnostics.def has its words in templates/words/diagnostics.json");
#undef WORDS

const struct odp_code_info *odp_code_info(enum odp_code code)
{
    return &infos[code];
}

static const bool firm[ODP_CODE_COUNT] = {
#define ODP_FIRM(symbol) [ODP_##symbol] = true,
#include "contract/firm.def"
#undef ODP_FIRM
};

bool odp_code_is_of_data(enum odp_code code)
{
    const char letter = infos[code].code[sizeof "ODP-" - 1];
    return strchr("CVAIM", letter) == NULL || code == ODP_V90 ||
           code == ODP_V91; /* these two: values that make no slices */
}

bool odp_code_is_firm(enum odp_code code)
{
    return infos[code].severity == ODP_SEVERITY_ERROR && (firm[code] || !odp_code_is_of_data(code));
}

int odp_code_find(const char *code_or_name)
{
    static const size_t prefix = sizeof "ODP-" - 1;
    for (int i = 0; i < ODP_CODE_COUNT; i++)
        if (strcasecmp(infos[i].code, code_or_name) == 0 ||
            strcasecmp(infos[i].code + prefix, code_or_name) == 0 ||
            strcasecmp(infos[i].name, code_or_name) == 0)
            return i;
    return -1;
}

/* ---- why the system refused, in words ---- */

static const struct odp_refusal rows[] = {
#define WORDS(number, ...) {.errnum = number, .name = #number, __VA_ARGS__},
#include "words/failures.h"
#undef WORDS
};

const struct odp_refusal *odp_refusal_find(int errnum)
{
    for (size_t i = 0; i < ODP_COUNT(rows); i++)
        if (rows[i].errnum == errnum)
            return &rows[i];
    return NULL;
}

const struct odp_refusal *odp_refusal_named(struct odp_slice name)
{
    for (size_t i = 0; i < ODP_COUNT(rows); i++)
        if (odp_slice_is(name, rows[i].name))
            return &rows[i];
    return NULL;
}

struct odp_text odp_refusal_text(int errnum)
{
    const struct odp_refusal *row = odp_refusal_find(errnum);
    const char *name = strerrorname_np(errnum), *words = strerrordesc_np(errnum);
    return row != NULL ? row->reason : (struct odp_text){{name != NULL ? name : "errno", words}};
}

struct odp_text odp_refusal_say(struct odp_arena *a, const char *id, const char *en, ...)
{
    const char *const formats[ODP_LANGS] = {[ODP_LANG_ID] = id, [ODP_LANG_EN] = en};
    struct odp_text said;
    for (int lang = 0; lang < ODP_LANGS; lang++) {
        char *text = NULL;
        va_list args;
        va_start(args, en);
        if (vasprintf(&text, formats[lang], args) < 0) {
            a->failed = true;
            text = NULL;
        }
        va_end(args);
        said.in[lang] = odp_arena_str(a, odp_or_empty(text));
        free(text);
    }
    return said;
}

enum odp_status odp_refusal_add(struct odp_arena *a, struct odp_text *why, int errnum)
{
    const struct odp_text reason = odp_refusal_text(errnum);
    for (int lang = 0; lang < ODP_LANGS; lang++)
        why->in[lang] = odp_arena_printf(a, "%s: %s", why->in[lang], reason.in[lang]);
    return ODP_BAD;
}

/* ---- what failed, and what to do ---- */

static const struct {
    struct odp_text words;
} acts[] = {
/* the most frequent ones, longer ones first */
#define WORDS(name, ...) {__VA_ARGS__},
#include "words/acts.h"
#undef WORDS
};

/* "write build/x.json: No space left on device" in Indonesian; between its act and its reason are names. */
static void put_indonesian(char out[ODP_FAILURE_WORDS], const char *text, const char *reason)
{
    const char *tail = reason != NULL ? strrchr(text, ':') : NULL, *act = "";
    for (size_t i = 0; i < ODP_COUNT(acts) && *act == '\0'; i++) {
        const size_t n = strlen(acts[i].words.in[ODP_LANG_EN]);
        if (strncmp(text, acts[i].words.in[ODP_LANG_EN], n) == 0 && strchr(" :", text[n]) != NULL) {
            act = acts[i].words.in[ODP_LANG_ID];
            text += n;
        }
    }
    if (tail == NULL || tail < text)
        tail = text + strlen(text);
    (void)snprintf(out, ODP_FAILURE_WORDS, "%s%.*s%s%s", act, (int)(tail - text), text,
                   *tail != '\0' ? ": " : "", *tail != '\0' ? reason : "");
}

const char *odp_failure_words(enum odp_lang lang, char out[ODP_FAILURE_WORDS])
{
    static const struct odp_text otherwise = {{W_failure_otherwise}};
    const struct odp_refusal *row = odp_refusal_find(odp_failure_errno());
    const struct odp_text *advice =
        row != NULL && !odp_text_is_empty(&row->advice) ? &row->advice : &otherwise;
    if (lang == ODP_LANG_ID)
        put_indonesian(out, odp_failure_text(), row != NULL ? row->reason.in[ODP_LANG_ID] : NULL);
    else
        (void)snprintf(out, ODP_FAILURE_WORDS, "%s", odp_failure_text());
    const size_t n = strlen(out);
    if (odp_failure_errno() != ODP_FAILURE_TOLD)
        (void)snprintf(out + n, ODP_FAILURE_WORDS - n, "; %s", odp_text_get(advice, lang));
    return out;
}
