/* Turns a file into tokens, in one pass: text, and tags with their names. A tag alone on its line takes the
 * line with it. The sections of the tokens are balanced, even where the file's are not (a fault), so that the
 * rest of its faults can be found. */
#include "base/template/template_internal.h"

struct reader {
    struct odp_templates *t;
    struct template_file *f;
    const char *p;
    size_t len, at, from; /* at: looked at; from: text not yet made a token */
    struct template_token *tokens;
    size_t n;
    size_t open[TEMPLATE_DEPTH]; /* tokens of sections not yet closed */
    size_t nopen, ignored;       /* ignored: sections deeper than that */
    struct odp_slice
        crossed[TEMPLATE_DEPTH]; /* closed with an outer one, so that their own end is no further fault */
    size_t ncrossed;
};

static void add_token(struct reader *r, struct template_token token)
{
    r->tokens = odp_arena_more(&r->t->arena, r->tokens, r->n, sizeof *r->tokens);
    r->tokens[r->n++] = token;
}

static void add_text(struct reader *r, size_t to)
{
    if (to > r->from)
        add_token(r, (struct template_token){.kind = TOKEN_TEXT,
                                             .line = r->from == 0 || r->p[r->from - 1] == '\n',
                                             .at = (uint32_t)r->from,
                                             .end = (uint32_t)to});
}

static void fault(struct reader *r, size_t at, size_t end, enum template_fault which, const char *a,
                  const char *b)
{
    r->f->bad = true;
    template_fault(r->t, r->f, at, end - at, which, &(struct fault_more){.a = a, .b = b});
}

/* "{{#name}}" as a text, for messages. */
static const char *tag_text(struct reader *r, const struct template_token *k)
{
    size_t len = k->end - k->at;
    return odp_arena_copy(&r->t->arena, (struct odp_slice){r->p + k->at, len < 100 ? len : 100}).ptr;
}

/* ---- names ---- */

static bool is_name_byte(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

static bool check_name(struct reader *r, const struct template_token *k)
{
    struct odp_slice arg;
    if (k->filter.ptr != NULL &&
        (k->kind != TOKEN_VALUE || template_filter_find(k->filter, &arg) == FILTERS)) {
        fault(r, k->at, k->end, TEMPLATE_TAG_FILTER, template_filter_list(r->t), NULL);
        return false;
    }
    struct odp_slice s = k->name;
    size_t member = 0, members = 1;
    bool right = s.len > 0, fits = true;
    if (odp_slice_is(s, ".") && k->kind != TOKEN_PART)
        return true;
    for (size_t i = 0; i < s.len && right; i++) {
        if (s.ptr[i] == '.' && k->kind != TOKEN_PART) {
            right = member > 0 && i + 1 < s.len;
            member = 0;
            members++;
        } else {
            right = is_name_byte(s.ptr[i]);
            member++;
        }
        fits = fits && member <= TEMPLATE_NAME_MAX && members <= TEMPLATE_STEPS;
    }
    if (!right)
        fault(r, k->at, k->end, TEMPLATE_TAG_NAME, k->kind == TOKEN_PART ? "{{> head}}" : "{{site.title}}",
              NULL);
    else if (!fits)
        fault(r, k->at, k->end, TEMPLATE_TAG_LONG, "64 byte, 8 × “.”", NULL);
    return right && fits;
}

/* ---- sections ---- */

static void add_open(struct reader *r, struct template_token k)
{
    if (r->nopen == TEMPLATE_DEPTH) {
        if (r->ignored++ == 0)
            fault(r, k.at, k.end, TEMPLATE_SECTION_DEEP, "32", NULL);
        return;
    }
    r->open[r->nopen++] = r->n;
    add_token(r, k);
}

static void close_one(struct reader *r, const struct template_token *by)
{
    const struct template_token *open = &r->tokens[r->open[--r->nopen]];
    struct template_token k = {.kind = TOKEN_CLOSE, .at = by->at, .end = by->end, .name = open->name};
    add_token(r, k);
}

static bool was_crossed(struct reader *r, struct odp_slice name)
{
    for (size_t i = r->ncrossed; i > 0; i--)
        if (odp_slice_eq(r->crossed[i - 1], name)) {
            r->crossed[i - 1] = r->crossed[--r->ncrossed];
            return true;
        }
    return false;
}

static void add_close(struct reader *r, const struct template_token *k)
{
    size_t i = r->nopen;
    if (r->ignored > 0) {
        r->ignored--;
        return;
    }
    while (i > 0 && !odp_slice_eq(r->tokens[r->open[i - 1]].name, k->name))
        i--;
    if (i == 0) {
        if (!was_crossed(r, k->name))
            fault(r, k->at, k->end, TEMPLATE_SECTION_CLOSE, tag_text(r, k), NULL);
        return;
    }
    for (size_t j = i; j < r->nopen && r->ncrossed < TEMPLATE_DEPTH; j++)
        r->crossed[r->ncrossed++] = r->tokens[r->open[j]].name;
    if (i < r->nopen)
        fault(r, k->at, k->end, TEMPLATE_SECTION_CROSS, tag_text(r, k),
              tag_text(r, &r->tokens[r->open[r->nopen - 1]]));
    while (r->nopen >= i)
        close_one(r, k);
}

static void close_all(struct reader *r)
{
    while (r->nopen > 0) {
        struct template_token open = r->tokens[r->open[r->nopen - 1]];
        const char *closing = odp_arena_printf(&r->t->arena, "{{/%.*s}}", (int)open.name.len, open.name.ptr);
        fault(r, open.at, open.end, TEMPLATE_SECTION_OPEN, tag_text(r, &open), closing);
        close_one(r, &(struct template_token){.at = (uint32_t)r->len, .end = (uint32_t)r->len});
    }
}

/* ---- tags ---- */

static size_t skip_blank(const struct reader *r, size_t i)
{
    while (i < r->len && (r->p[i] == ' ' || r->p[i] == '\t'))
        i++;
    return i;
}

/* Whether the tag is alone on its line; then *BEGIN is where the line begins and *NEXT where the next one
 * does. */
static bool is_alone(const struct reader *r, size_t at, size_t end, size_t *begin, size_t *next)
{
    size_t b = at, e = skip_blank(r, end);
    while (b > 0 && (r->p[b - 1] == ' ' || r->p[b - 1] == '\t'))
        b--;
    if (b > 0 && r->p[b - 1] != '\n')
        return false;
    if (e < r->len && r->p[e] == '\r')
        e++;
    if (e < r->len && r->p[e] != '\n')
        return false;
    *begin = b;
    *next = e < r->len ? e + 1 : e;
    return true;
}

static void add_tag(struct reader *r, struct template_token k)
{
    if (!check_name(r, &k))
        return;
    if (k.kind == TOKEN_OPEN || k.kind == TOKEN_NOT)
        add_open(r, k);
    else if (k.kind == TOKEN_CLOSE)
        add_close(r, &k);
    else
        add_token(r, k);
}

/* The tag at AT, which ends before END; SIGIL as it is written, 0 for none. */
static void take_tag(struct reader *r, size_t at, size_t end, char sigil, struct odp_slice name)
{
    static const char sigils[] = "#^/>!&{";
    static const uint8_t kinds[] = {TOKEN_OPEN, TOKEN_NOT, TOKEN_CLOSE, TOKEN_PART, 0, TOKEN_RAW, TOKEN_RAW};
    const char *which = sigil != '\0' ? strchr(sigils, sigil) : NULL;
    struct template_token k = {.kind = which != NULL ? kinds[which - sigils] : TOKEN_VALUE,
                               .at = (uint32_t)at,
                               .end = (uint32_t)end,
                               .name = name};
    const char *bar = k.kind != 0 || which == NULL ? memchr(name.ptr, '|', name.len) : NULL;
    if (bar != NULL) {
        k.filter = odp_slice_trim((struct odp_slice){bar + 1, name.len - (size_t)(bar + 1 - name.ptr)});
        k.name = odp_slice_trim((struct odp_slice){name.ptr, (size_t)(bar - name.ptr)});
    }
    size_t begin = at, next = end;
    bool alone = which != NULL && sigil != '&' && sigil != '{' && is_alone(r, at, end, &begin, &next);
    add_text(r, alone ? begin : at);
    k.line = !alone && (at == 0 || r->p[at - 1] == '\n');
    if (alone && sigil == '>')
        k.indent =
            (struct odp_slice){r->p + begin, at - begin < TEMPLATE_INDENT ? at - begin : TEMPLATE_INDENT};
    if (sigil != '!')
        add_tag(r, k);
    r->from = r->at = alone ? next : end;
}

enum { TAG_MAX = 1024 }; /* bytes; all but comments are on one line */

/* Where the tag whose name begins at START may end. */
static size_t limit_of(const struct reader *r, size_t start)
{
    size_t most = r->len - start > TAG_MAX ? TAG_MAX : r->len - start;
    const char *line = memchr(r->p + start, '\n', most);
    return line != NULL ? (size_t)(line - r->p) : start + most;
}

/* The tag that begins at AT with "{{". */
static void read_tag(struct reader *r)
{
    size_t at = r->at, i = at + 2;
    char sigil = i < r->len && r->p[i] != '\0' && strchr("#^/>!&{=", r->p[i]) != NULL ? r->p[i] : '\0';
    const char *close = sigil == '{' ? "}}}" : "}}", *open = "{{";
    if (sigil == '{')
        open = "{{{";
    else if (sigil == '!')
        open = "{{!";
    size_t nclose = strlen(close), start = i + (sigil != '\0'),
           limit = sigil == '!' ? r->len : limit_of(r, start);
    const char *end = memmem(r->p + start, limit - start, close, nclose);
    if (end == NULL) {
        fault(r, at, sigil == '!' ? start : limit, TEMPLATE_TAG_OPEN, open, close);
        add_text(r, at);
        r->from = r->at = limit;
        return;
    }
    size_t stop = (size_t)(end - r->p), after = stop + nclose, tail = after;
    struct odp_slice name = odp_slice_trim((struct odp_slice){r->p + start, stop - start});
    while (sigil != '!' && tail < r->len && r->p[tail] == '}')
        tail++;
    bool braces = tail > after || (sigil != '!' && name.len > 0 && memchr(name.ptr, '{', name.len) != NULL);
    if (braces || sigil == '=') {
        fault(r, at, tail, braces ? TEMPLATE_TAG_BRACES : TEMPLATE_TAG_DELIMITER, open, close);
        add_text(r, at);
        r->from = r->at = tail;
        return;
    }
    take_tag(r, at, after, sigil, name);
}

/* "{name}}": a tag that lacks a brace. ("}}" after anything else is text: JSON in an example.) */
static void check_stray(struct reader *r, size_t at)
{
    size_t i = at;
    while (i > r->from && (r->p[i - 1] == ' ' || is_name_byte(r->p[i - 1]) || r->p[i - 1] == '.'))
        i--;
    if (i > r->from && i > 1 && strchr("#^/>&", r->p[i - 1]) != NULL)
        i--;
    if (i > r->from && i < at && r->p[i - 1] == '{')
        fault(r, i - 1, at + 2, TEMPLATE_TAG_BRACES, "{{", "}}");
}

/* The next PAIR at or after AT; else the length. */
static size_t find(const struct reader *r, const char *pair)
{
    const char *p = r->at < r->len ? memmem(r->p + r->at, r->len - r->at, pair, 2) : NULL;
    return p != NULL ? (size_t)(p - r->p) : r->len;
}

static void read_all(struct reader *r)
{
    size_t open = find(r, "{{"), close = find(r, "}}"); /* searched again only once passed: one pass */
    while (open < r->len || close < r->len) {
        if (close < open) {
            check_stray(r, close);
            r->at = close + 2;
        } else {
            r->at = open;
            read_tag(r);
        }
        open = open < r->at ? find(r, "{{") : open;
        close = close < r->at ? find(r, "}}") : close;
    }
    add_text(r, r->len);
    close_all(r);
}

void template_tokens(struct odp_templates *t, struct template_file *f)
{
    struct reader r = {.t = t, .f = f, .p = f->text.ptr, .len = f->text.len};
    read_all(&r);
    f->n = r.n;
    f->tokens = r.tokens;
}
