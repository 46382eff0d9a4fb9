/* The place of a byte in a document, as HTML's tokenizer knows it (HTML standard, section 13.2.5), as far as
 * values are concerned. XML is the same without elements whose content is text, and with CDATA. Of elements
 * it knows nothing but the one whose tag is open. */
#include "base/template/template_internal.h"

enum state {
    TEXT,
    LESS,
    LESS_SLASH,
    LESS_BANG,
    LESS_BANG_DASH,
    TAG_NAME,
    END_TAG,
    IN_TAG,
    ATTRIBUTE,
    AFTER_ATTRIBUTE,
    BEFORE_VALUE,
    IN_DOUBLE,
    IN_SINGLE,
    UNQUOTED,
    AFTER_VALUE,
    JOINED, /* in a tag, after a section: a name may have just ended */
    COMMENT,
    DECLARATION,
    INSTRUCTION,
    CDATA,
    RAW,   /* script, style: text up to the end tag, not even character references */
    RCDATA /* title, textarea */
};
enum attribute { PLAIN, URL, FORBIDDEN, TYPE };
enum { RAW_EMPTY, RAW_STATIC, RAW_VALUE, RAW_MIXED }; /* what a script that is JSON has so far */

static bool is_space(unsigned char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f';
}

static bool is_letter(unsigned char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static char lower(unsigned char c)
{
    return (char)(c >= 'A' && c <= 'Z' ? c | 0x20 : c);
}

static bool is_one_of(const char *text, size_t n, const char *const *list)
{
    for (; *list != NULL; list++)
        if (strlen(*list) == n && memcmp(*list, text, n) == 0)
            return true;
    return false;
}

static bool is_text(const char *text, size_t n, const char *s)
{
    return strlen(s) == n && memcmp(text, s, n) == 0;
}

/* A text that is too long keeps a length that is no name's. */
static void add(char *text, uint8_t *n, size_t cap, unsigned char c)
{
    if (*n < cap)
        text[*n] = lower(c);
    if (*n <= cap)
        ++*n;
}

void markup_init(struct markup *m, enum template_form form)
{
    memset(m, 0, sizeof *m);
    m->form = (uint8_t)form;
}

static void forget_name(struct markup *m)
{
    m->nname = 0;
    m->attribute = PLAIN;
    memset(m->name, 0, sizeof m->name);
}

static void to_text(struct markup *m)
{
    markup_init(m, (enum template_form)m->form);
}

static void begin_element(struct markup *m, unsigned char c)
{
    to_text(m);
    m->state = TAG_NAME;
    add(m->element, &m->nelement, sizeof m->element, c);
}

static void begin_attribute(struct markup *m, unsigned char c)
{
    forget_name(m);
    m->state = ATTRIBUTE;
    add(m->name, &m->nname, sizeof m->name, c);
}

static enum attribute classify(const struct markup *m)
{
    static const char *const urls[] = {"href",     "src",  "action",     "formaction", "poster",
                                       "cite",     "data", "xlink:href", "background", "longdesc",
                                       "manifest", "ping", "srcset",     NULL};
    static const char *const forbidden[] = {"style", "imagesrcset", "srcdoc", NULL};
    if (m->form == TEMPLATE_XML)
        return PLAIN;
    if (is_one_of(m->name, m->nname, urls))
        return URL;
    if (is_one_of(m->name, m->nname, forbidden) ||
        (m->nname > 2 && memcmp(m->name, "on", 2) == 0)) /* on…: what a browser runs */
        return FORBIDDEN;
    return is_text(m->name, m->nname, "type") && is_text(m->element, m->nelement, "script") ? TYPE : PLAIN;
}

/* The '>' of a start tag. */
static void end_start_tag(struct markup *m)
{
    static const char *const raw[] = {"script", "style", NULL}, *const rcdata[] = {"title", "textarea", NULL},
                             *const types[] = {"application/ld+json", "application/json", NULL};
    bool html = m->form == TEMPLATE_HTML, script = is_text(m->element, m->nelement, "script");
    bool is_raw = html && is_one_of(m->element, m->nelement, raw),
         is_rcdata = html && is_one_of(m->element, m->nelement, rcdata);
    if (!is_raw && !is_rcdata) {
        to_text(m);
        return;
    }
    m->json = script && is_one_of(m->type, m->ntype, types);
    m->state = is_raw ? RAW : RCDATA;
    m->match = 0;
    m->ntype = 0;
    memset(m->type, 0, sizeof m->type);
    forget_name(m);
}

/* In a tag where a name may begin; true: taken. */
static bool feed_tag(struct markup *m, unsigned char c)
{
    if (c == '>')
        end_start_tag(m);
    else if (is_space(c) || c == '/')
        m->state = IN_TAG;
    else
        return false;
    if (m->state == IN_TAG)
        forget_name(m);
    return true;
}

static enum markup_event begin_value(struct markup *m, unsigned char c)
{
    if (is_space(c))
        return MARKUP_NOTHING;
    if (c == '>') {
        end_start_tag(m);
        return MARKUP_NOTHING;
    }
    m->attribute = (uint8_t)classify(m);
    m->state = c == '"' ? IN_DOUBLE : c == '\'' ? IN_SINGLE : UNQUOTED;
    if (m->attribute == TYPE) {
        m->ntype = 0;
        memset(m->type, 0, sizeof m->type);
    }
    if (m->state == UNQUOTED && m->attribute == TYPE)
        add(m->type, &m->ntype, sizeof m->type, c);
    return m->state != UNQUOTED && m->attribute == URL ? MARKUP_URL_BEGIN : MARKUP_NOTHING;
}

static enum markup_event feed_value(struct markup *m, unsigned char c)
{
    if (m->state == UNQUOTED && (is_space(c) || c == '>')) {
        (void)feed_tag(m, c);
    } else if (c == (m->state == IN_DOUBLE ? '"' : '\'') && m->state != UNQUOTED) {
        bool url = m->attribute == URL;
        forget_name(m);
        m->state = AFTER_VALUE;
        return url ? MARKUP_URL_END : MARKUP_NOTHING;
    } else if (m->attribute == TYPE) {
        add(m->type, &m->ntype, sizeof m->type, c);
    }
    return MARKUP_NOTHING;
}

static enum markup_event feed_attribute(struct markup *m, unsigned char c)
{
    switch (m->state) {
    case TAG_NAME:
        if (!feed_tag(m, c))
            add(m->element, &m->nelement, sizeof m->element, c);
        return MARKUP_NOTHING;
    case ATTRIBUTE:
    case AFTER_ATTRIBUTE:
        if (c == '=')
            m->state = BEFORE_VALUE;
        else if (is_space(c))
            m->state = AFTER_ATTRIBUTE;
        else if (m->state == ATTRIBUTE && c != '/' && c != '>')
            add(m->name, &m->nname, sizeof m->name, c);
        else if (!feed_tag(m, c))
            begin_attribute(m, c);
        return MARKUP_NOTHING;
    case JOINED:
        return feed_tag(m, c) ? MARKUP_NOTHING : MARKUP_FUSED;
    default: /* IN_TAG, AFTER_VALUE */
        if (!feed_tag(m, c))
            begin_attribute(m, c);
        return MARKUP_NOTHING;
    }
}

/* "<!--" in a script may move its end past the next "</script>" (script data double escaped state). */
static enum markup_event feed_dashes(struct markup *m, unsigned char c)
{
    static const char dashes[] = "<!--";
    m->dashes = c == (unsigned char)dashes[m->dashes] ? (uint8_t)(m->dashes + 1) : c == '<';
    if (m->dashes < 4)
        return MARKUP_NOTHING;
    m->dashes = 0;
    return MARKUP_ESCAPED;
}

/* Content of an element that ends at its own end tag alone. */
static enum markup_event feed_raw(struct markup *m, unsigned char c)
{
    if (m->state == RAW && m->element[1] == 'c' && feed_dashes(m, c) == MARKUP_ESCAPED)
        return MARKUP_ESCAPED;
    size_t all = (size_t)m->nelement + 2;
    if (m->match == all && (is_space(c) || c == '/' || c == '>')) {
        to_text(m);
        m->state = c == '>' ? TEXT : END_TAG;
        return MARKUP_NOTHING;
    }
    char wanted = '\0';
    if (m->match == 0)
        wanted = '<';
    else if (m->match == 1)
        wanted = '/';
    else if (m->match < all)
        wanted = m->element[m->match - 2];
    if (wanted != '\0' && lower(c) == wanted) {
        m->match++;
        return MARKUP_NOTHING;
    }
    bool content = m->match > 0 || !is_space(c);
    m->match = c == '<';
    if (!m->json || !content)
        return MARKUP_NOTHING;
    enum markup_event event = m->raw == RAW_VALUE ? MARKUP_MIXED : MARKUP_NOTHING;
    m->raw = m->raw >= RAW_VALUE ? RAW_MIXED : RAW_STATIC;
    return event;
}

/* How many of the two equal bytes that start an end (of "-->", "]]>") have come; SAME: one more. */
static uint8_t count_two(const struct markup *m, bool same)
{
    if (!same)
        return 0;
    return (uint8_t)(m->match < 2 ? m->match + 1 : 2);
}

/* Comments and the like: they end at a few known bytes. */
static void feed_aside(struct markup *m, unsigned char c)
{
    bool end = false;
    switch (m->state) {
    case COMMENT: /* "<!-->" is one too, and "--!>" ends one */
        end = c == '>' && m->match >= 2;
        m->match = c == '!' && m->match == 2 ? 3 : count_two(m, c == '-');
        break;
    case INSTRUCTION:
        end = c == '>' && (m->form == TEMPLATE_HTML || m->match == 1);
        m->match = c == '?';
        break;
    case CDATA:
        end = c == '>' && m->match == 2;
        m->match = count_two(m, c == ']');
        break;
    default: /* DECLARATION, END_TAG */
        end = c == '>';
    }
    if (end)
        to_text(m);
}

static uint8_t after_less(unsigned char c)
{
    switch (c) {
    case '/':
        return LESS_SLASH;
    case '!':
        return LESS_BANG;
    case '?':
        return INSTRUCTION;
    case '<':
        return LESS;
    default:
        return TEXT;
    }
}

static void feed_less(struct markup *m, unsigned char c)
{
    switch (m->state) {
    case LESS:
        if (is_letter(c) || (m->form == TEMPLATE_XML && (c == '_' || c == ':' || c >= 0x80)))
            begin_element(m, c);
        else
            m->state = after_less(c);
        break;
    case LESS_SLASH:
        m->state = c == '>' ? TEXT : is_letter(c) || m->form == TEMPLATE_XML ? END_TAG : DECLARATION;
        break;
    case LESS_BANG:
        m->state = DECLARATION;
        if (c == '-')
            m->state = LESS_BANG_DASH;
        else if (c == '>')
            m->state = TEXT;
        else if (c == '[' && m->form == TEMPLATE_XML)
            m->state = CDATA;
        break;
    default: /* LESS_BANG_DASH */
        m->state = c == '-' ? COMMENT : c == '>' ? TEXT : DECLARATION;
        m->match = m->state == COMMENT && m->form == TEMPLATE_HTML ? 2 : 0;
    }
}

enum markup_event markup_feed(struct markup *m, unsigned char c)
{
    if (m->form >= TEMPLATE_TXT)
        return MARKUP_NOTHING;
    switch (m->state) {
    case TEXT:
        m->state = c == '<' ? LESS : TEXT;
        return MARKUP_NOTHING;
    case LESS:
    case LESS_SLASH:
    case LESS_BANG:
    case LESS_BANG_DASH:
        feed_less(m, c);
        return MARKUP_NOTHING;
    case BEFORE_VALUE:
        return begin_value(m, c);
    case IN_DOUBLE:
    case IN_SINGLE:
    case UNQUOTED:
        return feed_value(m, c);
    case RAW:
    case RCDATA:
        return feed_raw(m, c);
    case COMMENT:
    case DECLARATION:
    case INSTRUCTION:
    case CDATA:
    case END_TAG:
        feed_aside(m, c);
        return MARKUP_NOTHING;
    default:
        return feed_attribute(m, c);
    }
}

size_t markup_idle(const struct markup *m, const char *p, size_t n)
{
    const char *end;
    if (m->form >= TEMPLATE_TXT)
        return n;
    if (m->state == TEXT)
        end = memchr(p, '<', n);
    else if ((m->state == IN_DOUBLE || m->state == IN_SINGLE) && m->attribute != TYPE)
        end = memchr(p, m->state == IN_DOUBLE ? '"' : '\'', n);
    else
        return 0;
    return end != NULL ? (size_t)(end - p) : n;
}

/* ---- values ---- */

static enum markup_place value_in_raw(struct markup *m)
{
    bool first = m->raw == RAW_EMPTY && m->match == 0;
    m->match = m->dashes = 0;
    if (!m->json)
        return PLACE_SCRIPT;
    m->raw = first ? RAW_VALUE : RAW_MIXED;
    return first ? PLACE_JSON : PLACE_BESIDE_JSON;
}

enum markup_place markup_value(struct markup *m)
{
    static const enum markup_place places[TEMPLATE_FORMS] = {[TEMPLATE_TXT] = PLACE_PLAIN,
                                                             [TEMPLATE_JSON] = PLACE_LITERAL,
                                                             [TEMPLATE_LITERAL] = PLACE_LITERAL,
                                                             [TEMPLATE_PHP] = PLACE_PHP,
                                                             [TEMPLATE_MARKDOWN] = PLACE_MARKDOWN};
    if (m->form >= TEMPLATE_TXT)
        return places[m->form];
    switch (m->state) {
    case TEXT:
        return PLACE_TEXT;
    case RCDATA:
        m->match = 0; /* a value is escaped: it is no part of an end tag */
        return PLACE_TEXT;
    case IN_DOUBLE:
    case IN_SINGLE:
        if (m->attribute == TYPE) /* the script's type is then unknown */
            add(m->type, &m->ntype, sizeof m->type, '?');
        return m->attribute == FORBIDDEN ? PLACE_ATTRIBUTE : m->attribute == URL ? PLACE_URL : PLACE_QUOTED;
    case BEFORE_VALUE:
        m->state = UNQUOTED;
        m->attribute = (uint8_t)classify(m);
        return PLACE_UNQUOTED;
    case UNQUOTED:
        return PLACE_UNQUOTED;
    case RAW:
        return value_in_raw(m);
    case COMMENT:
        m->match = 0;
        return PLACE_COMMENT;
    case DECLARATION:
    case INSTRUCTION:
    case CDATA:
    case END_TAG:
    case LESS_SLASH:
    case LESS_BANG:
    case LESS_BANG_DASH:
        return PLACE_DECLARATION;
    default:
        return PLACE_NAME;
    }
}

/* ---- sections ---- */

static bool is_between_names(const struct markup *m)
{
    return m->state == TAG_NAME || m->state == IN_TAG || m->state == ATTRIBUTE ||
           m->state == AFTER_ATTRIBUTE || m->state == AFTER_VALUE || m->state == JOINED;
}

bool markup_join(struct markup *m, const struct markup *after, bool repeats)
{
    if (memcmp(m, after, sizeof *m) == 0)
        return true;
    bool same = m->nelement == after->nelement &&
                memcmp(m->element, after->element, sizeof m->element) == 0 && m->ntype == after->ntype &&
                memcmp(m->type, after->type, sizeof m->type) == 0;
    if (!same || repeats || !is_between_names(m) || !is_between_names(after))
        return false;
    forget_name(m);
    m->state = JOINED;
    return true;
}

bool markup_is_text(const struct markup *m)
{
    return m->state == TEXT;
}

bool markup_is_image(const struct markup *m)
{
    return is_text(m->element, m->nelement, "img") && is_text(m->name, m->nname, "src");
}
