/* The expression's text as tokens (OGC 21-065, annex B). */
#include <string.h>

#include "base/utf8.h"
#include "catalog/expr/expr_internal.h"
#include "words/expr.h"

static bool name_start(unsigned char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == ':' || c >= 0x80;
}

static bool digit(unsigned char c)
{
    return c >= '0' && c <= '9';
}

static enum token_kind keyword(struct odp_slice s)
{
    static const struct {
        const char *word;
        enum token_kind kind;
    } words[] = {{"and", TOKEN_AND},   {"or", TOKEN_OR},           {"not", TOKEN_NOT}, {"in", TOKEN_IN},
                 {"like", TOKEN_LIKE}, {"between", TOKEN_BETWEEN}, {"is", TOKEN_IS},   {"null", TOKEN_NULL},
                 {"true", TOKEN_TRUE}, {"false", TOKEN_FALSE}};
    for (size_t i = 0; i < ODP_COUNT(words); i++)
        if (odp_slice_is_nocase(s, words[i].word))
            return words[i].kind;
    return TOKEN_NAME;
}

static size_t number_end(struct odp_slice s, size_t i)
{
    while (i < s.len && digit((unsigned char)s.ptr[i]))
        i++;
    if (i < s.len && s.ptr[i] == '.')
        for (i++; i < s.len && digit((unsigned char)s.ptr[i]);)
            i++;
    if (i < s.len && (s.ptr[i] == 'e' || s.ptr[i] == 'E')) {
        size_t e = i + 1;
        if (e < s.len && (s.ptr[e] == '+' || s.ptr[e] == '-'))
            e++;
        if (e < s.len && digit((unsigned char)s.ptr[e]))
            for (i = e; i < s.len && digit((unsigned char)s.ptr[i]);)
                i++;
    }
    return i;
}

/* Where the quote that opens at I closes, or text.len. Two quotes in a row do not close; nor, in a text, does
 * one after a backslash. */
static size_t closing(struct odp_slice s, size_t i)
{
    char quote = s.ptr[i];
    for (i++; i < s.len; i++) {
        if (s.ptr[i] == '\\' && quote == '\'')
            i++;
        else if (s.ptr[i] == quote && i + 1 < s.len && s.ptr[i + 1] == quote)
            i++;
        else if (s.ptr[i] == quote)
            return i;
    }
    return s.len;
}

/* What a backslash and C mean in a text (/req/cql2-text/escaping); 0: nothing, so both stay, for LIKE '50\%'.
 */
static char escaped(char c)
{
    static const char names[] = "abtnvfr'\\", says[] = "\a\b\t\n\v\f\r'\\";
    const char *at = strchr(names, c);
    return c != '\0' && at != NULL ? says[at - names] : '\0';
}

/* A quoted text or name that begins at START. Returns its end. */
static size_t lex_quoted(struct compiler *c, size_t start, struct token *t)
{
    char quote = c->text.ptr[start], plain;
    size_t stop = closing(c->text, start), len = 0;
    if (stop >= c->text.len) {
        expr_fault(c, start, c->text.len, W_expr_quote_never_closed);
        return c->text.len;
    }
    char *out = odp_arena_alloc(c->arena, stop - start);
    for (size_t i = start + 1; i < stop; i++) {
        char byte = c->text.ptr[i];
        if (byte == quote) {
            i++; /* the first of two */
        } else if (byte == '\\' && quote == '\'' && (plain = escaped(c->text.ptr[i + 1])) != '\0') {
            byte = plain;
            i++;
        }
        out[len++] = byte;
    }
    *t = (struct token){
        quote == '"' ? TOKEN_QUOTED : TOKEN_TEXT, (uint32_t)start, (uint32_t)(stop + 1 - start), {out, len}};
    return stop + 1;
}

/* Signs of one or two characters; 0 bytes: not a sign, or one of other languages that begins like ours. */
static size_t lex_sign(struct odp_slice s, enum token_kind *kind)
{
    static const struct {
        char text[3];
        enum token_kind kind;
    } signs[] = {{"==", TOKEN_END},  {"<=", TOKEN_LE},   {">=", TOKEN_GE},  {"<>", TOKEN_NE},
                 {"<", TOKEN_LT},    {">", TOKEN_GT},    {"=", TOKEN_EQ},   {"(", TOKEN_OPEN},
                 {")", TOKEN_CLOSE}, {",", TOKEN_COMMA}, {"+", TOKEN_PLUS}, {"-", TOKEN_MINUS},
                 {"*", TOKEN_TIMES}, {"/", TOKEN_OVER}};
    for (size_t i = 0; i < ODP_COUNT(signs); i++) {
        size_t n = strlen(signs[i].text);
        if (s.len >= n && memcmp(s.ptr, signs[i].text, n) == 0) {
            *kind = signs[i].kind;
            return *kind == TOKEN_END ? 0 : n;
        }
    }
    return 0;
}

/* A wrong character, with a hint for those who come from other languages. */
static void lex_fault(struct compiler *c, size_t i)
{
    static const struct {
        const char *sign;
        struct odp_text message;
    } foreign[] = {{"!=", {{W_expr_no_sign_here_write}}},
                   {"==", {{W_expr_no_sign_here_write_4}}},
                   {"&&", {{W_expr_no_sign_here_write_2}}},
                   {"||", {{W_expr_no_sign_here_write_3}}}};
    for (size_t k = 0; i + 2 <= c->text.len && k < ODP_COUNT(foreign); k++)
        if (memcmp(c->text.ptr + i, foreign[k].sign, 2) == 0)
            expr_fault(c, i, i + 2, foreign[k].message.in[ODP_LANG_ID], foreign[k].message.in[ODP_LANG_EN]);
    expr_fault(c, i, i + 1, W_expr_character_has_no_meaning_here);
}

/* The token that begins at I. Returns its end. */
static size_t lex_one(struct compiler *c, size_t i, struct token *t)
{
    struct odp_slice s = c->text;
    unsigned char byte = (unsigned char)s.ptr[i];
    enum token_kind kind = TOKEN_END;
    size_t stop = i;
    if (byte == '\'' || byte == '"')
        return lex_quoted(c, i, t);
    if (digit(byte) || (byte == '.' && i + 1 < s.len && digit((unsigned char)s.ptr[i + 1]))) {
        kind = TOKEN_NUMBER;
        stop = number_end(s, i);
        if (stop < s.len && (name_start((unsigned char)s.ptr[stop]) || s.ptr[stop] == '.'))
            expr_fault(c, i, stop + 1, W_expr_not_number_decimal_sign_point);
    } else if (name_start(byte)) {
        while (stop < s.len && (name_start((unsigned char)s.ptr[stop]) || digit((unsigned char)s.ptr[stop]) ||
                                s.ptr[stop] == '.'))
            stop++;
        kind = keyword((struct odp_slice){s.ptr + i, stop - i});
    } else {
        stop = i + lex_sign((struct odp_slice){s.ptr + i, s.len - i}, &kind);
        if (stop == i)
            lex_fault(c, i);
    }
    *t = (struct token){kind, (uint32_t)i, (uint32_t)(stop - i), {s.ptr + i, stop - i}};
    return stop;
}

void expr_lex(struct compiler *c)
{
    size_t n = 0, valid = odp_utf8_valid(c->text);
    if (valid < c->text.len)
        expr_fault(c, valid, valid + 1, W_expr_byte_not_utf_8);
    else if (c->text.len > EXPR_TEXT_MAX)
        expr_fault(c, EXPR_TEXT_MAX, c->text.len, W_expr_expression_longer_than_65_536);
    c->tokens = odp_arena_array(c->arena, c->text.len + 1, sizeof *c->tokens);
    for (size_t i = 0; c->status == ODP_OK && i < c->text.len;) {
        char byte = c->text.ptr[i];
        if (byte == ' ' || (byte >= '\t' && byte <= '\r'))
            i++;
        else
            i = lex_one(c, i, &c->tokens[n++]);
    }
    c->last = n;
    c->tokens[n] = (struct token){.kind = TOKEN_END, .at = (uint32_t)c->text.len};
    c->cap = (uint32_t)n * 2 + 8;
}

bool expr_take(struct compiler *c, enum token_kind kind)
{
    bool there = c->tokens[c->at].kind == kind;
    c->at += there;
    return there;
}
