/* The Markdown of templates/clients/reference.json as HTML: paragraphs, lists of "- " lines, `code`,
 * [labels](addresses), backslashes. Everything in it is escaped; what it does not know is text. */
#include "site/pages/pages_internal.h"

#include "base/html.h"

struct prose {
    const char *base, *root; /* of the site: absolute, and from the page */
};

/* Bytes until END (a character) in TEXT of LEN, those behind a backslash not counted; LEN: there is none. */
static size_t until(const char *text, size_t len, char end)
{
    for (size_t i = 0; i < len; i++)
        if (text[i] == '\\')
            i++;
        else if (text[i] == end)
            return i;
    return len;
}

static void add_slice(struct odp_buffer *out, const char *text, size_t len)
{
    odp_html_twice(out, (struct odp_slice){text, len});
}

/* Addresses of this site are relative, so that pages work wherever they lie. */
static void add_address(struct prose *d, struct odp_buffer *out, const char *text, size_t len)
{
    const char *base = d->base;
    size_t nbase = strlen(base);
    if (len < nbase || strncmp(text, base, nbase) != 0) {
        add_slice(out, text, len);
        return;
    }
    odp_buffer_add_str(out, d->root);
    add_slice(out, text + nbase, len - nbase);
    if (len == nbase || text[len - 1] == '/')
        odp_buffer_add_str(out, "index.html");
}

static void add_inline(struct prose *d, struct odp_buffer *out, const char *text, size_t len);

/* [label](address) at TEXT; its length, 0: it is none. */
static size_t add_link(struct prose *d, struct odp_buffer *out, const char *text, size_t len)
{
    size_t label = until(text + 1, len - 1, ']');
    if (label + 2 >= len - 1 || text[label + 2] != '(')
        return 0;
    const char *address = text + label + 3;
    size_t n = until(address, len - label - 3, ')');
    if (n == len - label - 3)
        return 0;
    odp_buffer_add_str(out, "<a href=\"");
    add_address(d, out, address, n);
    odp_buffer_add_str(out, "\">");
    add_inline(d, out, text + 1, label);
    odp_buffer_add_str(out, "</a>");
    return label + n + 4;
}

static void add_inline(struct prose *d, struct odp_buffer *out, const char *text, size_t len)
{
    size_t begin = 0, i = 0;
    while (i < len) {
        size_t took = 0;
        if (text[i] == '\\' && i + 1 < len) {
            add_slice(out, text + begin, i - begin);
            begin = i + 1; /* the next character is itself */
            i += 2;
            continue;
        }
        if (text[i] == '`' || text[i] == '[')
            add_slice(out, text + begin, i - begin), begin = i;
        if (text[i] == '`') {
            const char *end = memchr(text + i + 1, '`', len - i - 1);
            if (end != NULL) {
                odp_buffer_add_str(out, "<code>");
                add_slice(out, text + i + 1, (size_t)(end - text) - i - 1);
                odp_buffer_add_str(out, "</code>");
                took = (size_t)(end - text) + 1 - i;
            }
        } else if (text[i] == '[') {
            took = add_link(d, out, text + i, len - i);
        }
        begin += took;
        i += took > 0 ? took : 1;
    }
    add_slice(out, text + begin, len - begin);
}

static void add_blocks(struct prose *d, struct odp_buffer *out, const char *text)
{
    const char *open = NULL; /* the element that is open */
    while (*text != '\0') {
        size_t len = strcspn(text, "\n");
        bool item = len > 2 && strncmp(text, "- ", 2) == 0;
        const char *wanted = len == 0 ? NULL : item ? "ul" : "p";
        if (open != NULL && (wanted == NULL || strcmp(open, wanted) != 0))
            odp_buffer_printf(out, "</%s>\n", open);
        if (wanted != NULL && (open == NULL || strcmp(open, wanted) != 0))
            odp_buffer_printf(out, "<%s>%s", wanted, item ? "\n" : "");
        else if (wanted != NULL && !item)
            odp_buffer_add_char(out, '\n');
        open = wanted;
        if (item)
            odp_buffer_add_str(out, "<li>");
        add_inline(d, out, text + (item ? 2 : 0), len - (item ? 2 : 0));
        if (item)
            odp_buffer_add_str(out, "</li>\n");
        text += len + (text[len] == '\n');
    }
    if (open != NULL)
        odp_buffer_printf(out, "</%s>\n", open);
}

json_t *docs_prose(struct portal *p, const json_t *text, bool within_line)
{
    json_t *both = json_object(), *of = json_pack("{s:O?}", "text", text);
    for (int lang = 0; lang < ODP_LANGS; lang++) {
        const char *own = odp_model_in(of, "text", (enum odp_lang)lang);
        struct prose prose = {.base = p->catalog->portal.base_url,
                              .root = portal_root(odp_path(ODP_PATH_docs, (enum odp_lang)lang), &p->arena)};
        struct odp_buffer out = {0};
        if (within_line)
            add_inline(&prose, &out, own, strlen(own));
        else
            add_blocks(&prose, &out, own);
        odp_set_str(both, odp_lang_code((enum odp_lang)lang), odp_buffer_cstr(&out));
        odp_buffer_release(&out);
    }
    json_decref(of);
    return both;
}
