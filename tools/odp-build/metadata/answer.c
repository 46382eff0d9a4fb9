/* What a person writes for a member: taken, or refused with the reason next to it. */
#include "base/datetime.h"
#include "base/utf8.h"
#include "catalog/frequency.h"
#include "metadata/metadata_internal.h"

enum { LINE_MAX_BYTES = 500, LONG_MAX_BYTES = 8000 };

#define FAULT(name, word) static const struct odp_text name = {{word}}
FAULT(not_one_line, W_metadata_not_one_line);
FAULT(too_long, W_metadata_too_long);
FAULT(not_text, W_metadata_not_text);
FAULT(not_frequency, W_metadata_not_frequency);
FAULT(not_subject, W_metadata_not_subject);
FAULT(not_day, W_metadata_not_day);
FAULT(not_status, W_metadata_not_status);
FAULT(not_email, W_metadata_not_email);
FAULT(not_address, W_metadata_not_address);
FAULT(must_be_there, W_metadata_must_be_there);

static bool is_email(const char *s)
{
    const char *at = strchr(s, '@');
    return at != NULL && at != s && at[1] != '\0' && strchr(at + 1, '@') == NULL &&
           strpbrk(s, " \t,;<>") == NULL && strchr(at, '.') != NULL;
}

static bool is_address(const char *s)
{
    return (strncmp(s, "https://", 8) == 0 || strncmp(s, "http://", 7) == 0) &&
           strpbrk(s, " \t\"<>") == NULL && strlen(s) > 8;
}

static bool is_frequency(const char *s)
{
    for (const char *const *code = odp_frequency_codes(); *code != NULL; code++)
        if (strcmp(*code, s) == 0)
            return true;
    return false;
}

static bool are_subjects(const struct odp_portal *p, const char *s)
{
    struct odp_slice word;
    bool all = true;
    while (all && metadata_word(&s, &word)) {
        bool known = false;
        for (size_t i = 0; i < p->nsubjects; i++)
            known = known || odp_slice_is(word, p->subjects[i].name);
        all = known;
    }
    return all;
}

static bool is_day(const char *s)
{
    struct odp_datetime day;
    return odp_date_parse(odp_slice_of(s), ODP_DATE, NULL, NULL, &day) == ODP_DATE_OK ||
           odp_date_parse(odp_slice_of(s), ODP_DATETIME, NULL, NULL, &day) == ODP_DATE_OK;
}

static const struct odp_text *refusal(const struct entries *l, const struct entry *e, const char *s)
{
    const size_t most = e->member->kind == MEMBER_LONG ? LONG_MAX_BYTES : LINE_MAX_BYTES;
    if (strlen(s) > most)
        return &too_long;
    if (strchr(s, '\n') != NULL && e->member->kind != MEMBER_LONG)
        return &not_one_line;
    if (*s == '\0')
        return NULL; /* what must be there is asked once all languages are known */
    switch (e->member->kind) {
    case MEMBER_CODE:
        return is_frequency(s) ? NULL : &not_frequency;
    case MEMBER_STATUS:
        return strcmp(s, "draft") == 0 ? NULL : &not_status;
    case MEMBER_SUBJECTS:
        return are_subjects(&l->catalog->portal, s) ? NULL : &not_subject;
    case MEMBER_DAY:
        return is_day(s) ? NULL : &not_day;
    case MEMBER_EMAIL:
        return is_email(s) ? NULL : &not_email;
    case MEMBER_URL:
        return is_address(s) ? NULL : &not_address;
    default:
        return NULL;
    }
}

/* TEXT with line feeds alone, without the white space around it; NULL: it has what no text has. */
static const char *cleaned(const struct entries *l, struct odp_slice text)
{
    struct odp_buffer b = {0};
    bool good = odp_utf8_valid(text) == text.len;
    for (size_t i = 0; i < text.len && good; i++) {
        unsigned char c = (unsigned char)text.ptr[i];
        good = c >= ' ' ? c != 0x7f : c == '\n' || c == '\r' || c == '\t';
        if (c != '\r')
            odp_buffer_add_char(&b, c == '\t' ? ' ' : (char)c);
    }
    struct odp_slice s = odp_slice_trim(odp_buffer_slice(&b));
    const char *out = good ? odp_arena_copy(l->arena, s).ptr : NULL;
    odp_buffer_release(&b);
    return out;
}

void entry_answer(const struct entries *l, struct entry *e, int lang, struct odp_slice text)
{
    const char *s = cleaned(l, text);
    e->fault[lang] = s == NULL ? &not_text : NULL;
    e->fresh[lang] = s;
    if (s != NULL && strcmp(s, e->value[lang]) != 0)
        e->fault[lang] = refusal(l, e, s);
    if (s != NULL && lang == ODP_LANGS - 1 && e->member->must && *s == '\0' &&
        *(e->fresh[0] != NULL ? e->fresh[0] : e->value[0]) == '\0')
        e->fault[0] = &must_be_there;
}
