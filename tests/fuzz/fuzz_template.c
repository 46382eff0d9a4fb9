/* Templates: a page, two parts and a file of words, divided by lines "@@". A first byte 1 makes the page XML,
 * 2 plain text.
 *
 * Whatever is accepted is rendered with harmless values and with hostile ones: the markup of both must be the
 * same, tag by tag and attribute by attribute, as the tokenizer here sees it, which shares nothing with the
 * one that is tested; and no address of theirs may be one that runs. */
#include <stdio.h>

#include "base/template/template.h"
#include "base/utf8.h"
#include "fuzz.h"

/* ---- the markup of a page ---- */

struct look {
    const char *p, *end;
    bool xml;
    struct odp_buffer *out; /* "<a" "@href" "!" (an address that runs) ">" "</a" … */
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f';
}

static char small(char c)
{
    return (char)(c >= 'A' && c <= 'Z' ? c + 32 : c);
}

static bool begins(const struct look *l, const char *s)
{
    size_t n = strlen(s);
    if ((size_t)(l->end - l->p) < n)
        return false;
    for (size_t i = 0; i < n; i++)
        if (small(l->p[i]) != s[i])
            return false;
    return true;
}

static void past(struct look *l, const char *s)
{
    while (l->p < l->end && !begins(l, s))
        l->p++;
    l->p = l->p < l->end ? l->p + strlen(s) : l->end;
}

static void look_value(struct look *l, bool address)
{
    char quote = *l->p == '"' || *l->p == '\'' ? *l->p : '\0';
    bool first = true;
    l->p += quote != '\0';
    while (l->p < l->end && (quote != '\0' ? *l->p != quote : !is_blank(*l->p) && *l->p != '>')) {
        if (first && !is_blank(*l->p)) {
            first = false;
            if (address && begins(l, "javascript:"))
                odp_buffer_add_char(l->out, '!');
        }
        l->p++;
    }
    l->p += quote != '\0' && l->p < l->end;
}

static void look_attributes(struct look *l)
{
    while (l->p < l->end && *l->p != '>') {
        if (is_blank(*l->p) || *l->p == '/') {
            l->p++;
            continue;
        }
        odp_buffer_add_char(l->out, '@');
        bool address = !l->xml && (begins(l, "href=") || begins(l, "src=") || begins(l, "action="));
        do
            odp_buffer_add_char(l->out, *l->p++);
        while (l->p < l->end && !is_blank(*l->p) && *l->p != '/' && *l->p != '>' && *l->p != '=');
        while (l->p < l->end && is_blank(*l->p))
            l->p++;
        if (l->p == l->end || *l->p != '=')
            continue;
        for (l->p++; l->p < l->end && is_blank(*l->p);)
            l->p++;
        if (l->p < l->end && *l->p != '>')
            look_value(l, address);
    }
}

static void look_content(struct look *l, const char *name)
{
    static const char *const elements[] = {"script", "style", "title", "textarea"};
    char close[16];
    for (size_t i = 0; i < 4; i++) {
        if (strcmp(name, elements[i]) != 0)
            continue;
        snprintf(close, sizeof close, "</%s", elements[i]);
        size_t n = strlen(close);
        while (l->p < l->end && !(begins(l, close) && (l->p + n == l->end || is_blank(l->p[n]) ||
                                                       l->p[n] == '/' || l->p[n] == '>')))
            l->p++;
    }
}

static void look_tag(struct look *l)
{
    char name[32] = "";
    size_t n = 0;
    bool end = *l->p == '/';
    odp_buffer_add_str(l->out, end ? "</" : "<");
    for (l->p += end; l->p < l->end && !is_blank(*l->p) && *l->p != '/' && *l->p != '>'; l->p++) {
        odp_buffer_add_char(l->out, small(*l->p));
        if (n + 1 < sizeof name)
            name[n++] = small(*l->p);
    }
    if (end && !l->xml) {
        past(l, ">");
        return;
    }
    look_attributes(l);
    l->p += l->p < l->end;
    odp_buffer_add_char(l->out, '>');
    if (!l->xml)
        look_content(l, name);
}

static void look(struct odp_slice s, bool xml, struct odp_buffer *out)
{
    struct look l = {s.ptr, s.len > 0 ? s.ptr + s.len : s.ptr, xml, out};
    odp_buffer_clear(out);
    while (s.len > 0 && l.p < l.end) {
        if (*l.p++ != '<' || l.p == l.end)
            continue;
        char c = l.p[*l.p == '/' && l.end - l.p > 1];
        bool letter = (small(c) >= 'a' && small(c) <= 'z') ||
                      (xml && (c == '_' || c == ':' || (unsigned char)c >= 0x80));
        if (begins(&l, "!--")) {
            odp_buffer_add_str(out, "<!--");
            l.p += xml ? 3 : 1;
            if (!xml && (begins(&l, "-->") || begins(&l, "--->"))) {
                past(&l, ">");
                continue;
            }
            l.p += xml ? 0 : 2;
            while (l.p < l.end && !begins(&l, "-->") && !(begins(&l, "--!>")))
                l.p++;
            past(&l, ">");
        } else if (xml && begins(&l, "![")) {
            past(&l, "]]>");
        } else if (xml && *l.p == '?') {
            past(&l, "?>");
        } else if (*l.p == '!' || *l.p == '?' || (*l.p == '/' && !letter)) {
            odp_buffer_add_str(out, "<!");
            past(&l, ">");
        } else if (letter) {
            look_tag(&l);
        }
    }
}

/* ---- one input ---- */

static const char model_text[] =
    "{\"t\": \"text\", \"u\": \"text\", \"o\": \"text?\", \"f\": \"flag\", \"g\": \"flag\", \"j\": \"json\", "
    "\"h\": \"html\", \"obj\": {\"name\": \"text\", \"in\": {\"deep\": \"text\"}}, \"opt\": {\"?\": true, "
    "\"name\": \"text\"}, \"list\": [\"text\"], \"none\": [\"text\"], \"rows\": [{\"name\": \"text\", \"o\": "
    "\"text?\", \"cells\": [\"text\"]}]}";

/* The same data with TEXT for every text. */
static json_t *data_with(const char *t, const char *u)
{
    return json_pack(
        "{s:s, s:s, s:b, s:{s:s}, s:s, s:{s:s, s:{s:s}}, s:[s, s], s:[], s:[{s:s, s:s, s:[s]}, {s:s, s:[]}]}",
        "t", t, "u", u, "f", 1, "j", "k", t, "h", "<b>x</b>", "obj", "name", t, "in", "deep", u, "list", t, u,
        "none", "rows", "name", u, "o", t, "cells", u, "name", t, "cells");
}

static void render(struct odp_templates *t, enum odp_lang lang, const char *a, const char *b,
                   struct odp_buffer *out)
{
    json_t *data = data_with(a, b);
    const json_t *scopes[] = {data};
    NEED(data != NULL);
    odp_buffer_clear(out);
    NEED(odp_templates_render(t, "p", lang, scopes, 1, out) == ODP_OK);
    NEED(odp_utf8_valid(odp_buffer_slice(out)) == out->len);
    json_decref(data);
}

static void compare(struct odp_templates *t, int form)
{
    static const char *const hostile[][2] = {
        {"\"'<>&`= \t\n/>-->]]></script></title></textarea><script x=\"y\">", "javascript:alert(1)//'\"<b>"},
        {"script:x", "x onclick=y"},
        {"&lt;/a&gt;", " java\tscript:x"},
        {"JaVaScRiPt:x", ":"},
        {"java", "script:"}};
    struct odp_buffer out = {0}, plain = {0}, other = {0};
    for (int lang = 0; lang < ODP_LANGS; lang++) {
        render(t, (enum odp_lang)lang, "a", "b", &out);
        look(odp_buffer_slice(&out), form == 1, &plain);
        for (size_t i = 0; i < ODP_COUNT(hostile); i++) {
            render(t, (enum odp_lang)lang, hostile[i][0], hostile[i][1], &out);
            look(odp_buffer_slice(&out), form == 1, &other);
            NEED(form == 2 || odp_slice_eq(odp_buffer_slice(&plain), odp_buffer_slice(&other)));
        }
    }
    odp_buffer_release(&out);
    odp_buffer_release(&plain);
    odp_buffer_release(&other);
}

static void write_files(int form, struct odp_slice in)
{
    static const char *const ends[] = {"html", "xml", "txt"};
    static const char *const names[] = {"pages/p", "parts/a", "parts/b"};
    char path[64];
    for (size_t i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "templates/pages/p.%s", ends[i]);
        (void)!remove(fuzz_path(path));
    }
    for (size_t i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "templates/%s.%s", names[i], ends[form]);
        fuzz_write(fuzz_path(path), fuzz_cut(&in, ODP_LIT("\n@@\n")));
    }
    fuzz_write(fuzz_path("templates/words/w.json"), in.len > 0 ? in : ODP_LIT("{}"));
}

static const char *make_folder(void)
{
    static char dir[512];
    static const char *const below[] = {"pages", "parts", "words"};
    for (size_t i = 0; i < 3 && dir[0] == '\0'; i++) {
        char path[32];
        snprintf(path, sizeof path, "templates/%s", below[i]);
        (void)fuzz_folder(path);
    }
    snprintf(dir, sizeof dir, "%s", fuzz_path("templates"));
    return dir;
}

void fuzz_one(struct odp_slice in)
{
    static json_t *model, *common;
    static struct odp_template_model models[1];
    int form = (int)fuzz_choice(&in, 2);
    const char *dir = make_folder();
    struct odp_templates *t;
    struct odp_diags *diags = fuzz_diags();
    if (model == NULL) {
        model = json_loads(model_text, 0, NULL);
        common = json_pack("{s:s}", "t", "text");
        models[0] = (struct odp_template_model){"p", model};
    }
    write_files(form, in);
    const struct odp_templates_options o = {
        .folders = &dir, .nfolders = 1, .common = common, .models = models, .nmodels = 1};
    enum odp_status status = odp_templates_open(&t, &o, diags);
    NEED(status == ODP_OK || status == ODP_BAD);
    NEED((status == ODP_BAD) == (odp_diags_count(diags, ODP_SEVERITY_ERROR) > 0));
    if (status == ODP_OK)
        compare(t, form);
    else
        fuzz_reports(diags);
    odp_templates_close(t);
    odp_diags_free(diags);
}
