/* q: words that must all occur, in any order and in any text column.
 *
 *   q=kampung menteng        both words                    q="kampung kumuh"     these words next to each
 * other q=kamp*                  words that begin so           q=10%20ha             marks and case and
 * diacritics do not matter
 *
 * Nothing else has a meaning: AND, OR, NEAR, column: are words. A prefix has a star and at least two letters
 * or digits; the last word is none by itself. As FTS5 has it: each word and phrase in quotes, side by side,
 * which means all of them; FTS5 drops what has no letter or digit. */
#include "base/utf8.h"
#include "service/queries/engine/engine_internal.h"
#include "words/queries.h"

enum { BYTES_MAX = 1000, WORDS_MAX = 32, PREFIX_MIN = 2 };

/* Whether CP may be part of a token: letters and digits. Beyond ASCII: all but the blocks of punctuation
 * and symbols. */
static bool in_token(uint32_t cp)
{
    if (cp < 0x80)
        return (cp >= '0' && cp <= '9') || ((cp | 0x20) >= 'a' && (cp | 0x20) <= 'z');
    if (cp < 0xc0)
        return cp == 0xaa || cp == 0xb5 || cp == 0xba || cp == 0xb2 || cp == 0xb3 || cp == 0xb9 ||
               (cp >= 0xbc && cp <= 0xbe);
    if (cp == 0xd7 || cp == 0xf7)
        return false;
    return !(cp >= 0x2000 && cp <= 0x2bff) && !(cp >= 0x3000 && cp <= 0x3003) &&
           !(cp >= 0x3008 && cp <= 0x3020) && !(cp >= 0xfe10 && cp <= 0xfe6b) &&
           !(cp >= 0x1f000 && cp <= 0x1faff) && !(cp >= 0xe0000);
}

/* Characters of tokens in S, and how many stand at its end. */
static size_t count_token(struct odp_slice s, size_t *at_end)
{
    size_t all = 0;
    *at_end = 0;
    for (size_t i = 0; i < s.len;) {
        uint32_t cp;
        i += odp_utf8_decode(s.ptr + i, s.len - i, &cp);
        bool in = in_token(cp);
        all += in;
        *at_end = in ? *at_end + 1 : 0;
    }
    return all;
}

static bool blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

struct word {
    struct odp_slice whole, text; /* with and without quotes and star */
    bool phrase, prefix;
};

/* The word that begins at *AT of S, behind blanks. False: there is none. */
static bool next_word(struct odp_slice s, size_t *at, struct word *w)
{
    size_t i = *at;
    while (i < s.len && blank(s.ptr[i]))
        i++;
    if (i == s.len)
        return false;
    size_t begin = i;
    *w = (struct word){.phrase = s.ptr[i] == '"'};
    if (w->phrase) {
        size_t end = i + 1;
        while (end < s.len && s.ptr[end] != '"')
            end++;
        w->text = (struct odp_slice){s.ptr + i + 1, end - i - 1};
        i = end < s.len ? end + 1 : end;
        if (i < s.len && s.ptr[i] == '*')
            w->prefix = true, i++;
    } else {
        while (i < s.len && !blank(s.ptr[i]) && s.ptr[i] != '"')
            i++;
        w->text = (struct odp_slice){s.ptr + begin, i - begin};
        while (w->text.len > 0 && w->text.ptr[w->text.len - 1] == '*')
            w->prefix = true, w->text.len--;
    }
    w->whole = (struct odp_slice){s.ptr + begin, i - begin};
    *at = i;
    return true;
}

/* W as FTS5 has it: in quotes. */
static void add_quoted(struct odp_buffer *b, const struct word *w)
{
    odp_buffer_add_str(b, b->len > 0 ? " \"" : "\"");
    for (size_t i = 0; i < w->text.len; i++) {
        odp_buffer_add_char(b, w->text.ptr[i]);
        if (w->text.ptr[i] == '"')
            odp_buffer_add_char(b, '"');
    }
    odp_buffer_add_str(b, w->prefix ? "\"*" : "\"");
}

static void add_normal(struct odp_buffer *b, const struct word *w)
{
    const char *quote = w->phrase ? "\"" : "";
    odp_buffer_printf(b, "%s%s%.*s%s%s", b->len > 0 ? " " : "", quote, (int)w->text.len, w->text.ptr, quote,
                      w->prefix ? "*" : "");
}

static enum odp_status read_words(struct query_parsing *p, struct odp_buffer *match)
{
    struct odp_slice value = p->given[QUERY_P_Q];
    struct word w;
    size_t n = 0, end;
    for (size_t at = 0; next_word(value, &at, &w);) {
        if (count_token(w.text, &end) == 0)
            continue;
        if (w.prefix && end < PREFIX_MIN)
            return query_fault_in(p, QUERY_P_Q, w.whole, W_queries_prefix_too_short_at_least, QUERY_NOTHING);
        if (++n > WORDS_MAX)
            return query_fault_in(p, QUERY_P_Q, w.whole, W_queries_more_than_32_words, QUERY_NOTHING);
        p->q->prefixes = p->q->prefixes || w.prefix;
        add_quoted(match, &w);
        add_normal(&p->scratch, &w);
    }
    if (n == 0)
        return query_fault_in(p, QUERY_P_Q, value, W_queries_has_no_word_at_least, QUERY_NOTHING);
    query_add_pair(p, query_parameter_name(QUERY_P_Q), QUERY_PAIR_CONDITION);
    return ODP_OK;
}

enum odp_status query_parse_words(struct query_parsing *p)
{
    struct odp_slice value = p->given[QUERY_P_Q];
    bool text = false;
    if (value.ptr == NULL)
        return ODP_OK;
    for (uint32_t k = 0; k < p->q->info->ncolumns; k++)
        text = text || p->q->info->columns[k].text;
    if (!text)
        return query_fault_in(p, QUERY_P_Q, QUERY_NOTHING, W_queries_these_data_have_no_text, QUERY_NOTHING);
    if (value.len > BYTES_MAX)
        return query_fault_in(p, QUERY_P_Q, QUERY_NOTHING, W_queries_more_than_1_000_bytes, QUERY_NOTHING);
    struct odp_buffer match;
    odp_buffer_init(&match);
    enum odp_status status = read_words(p, &match);
    p->q->words = query_text_of(p->q, &match);
    return status;
}
