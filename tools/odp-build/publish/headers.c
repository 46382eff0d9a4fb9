/* Writes control in the forms that other servers read: nginx without our module, Netlify and Cloudflare
 * Pages, stores of objects. control says of every path what to send with it. Forms and their limits:
 * docs/publishing.md. */
#include "publish/headers.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/format.h"
#include "base/json.h"
#include "base/framed.h"
#include "base/line.h"
#include "publish/header_rules.h"
#include "published/stage.h"

static const struct {
    const char *name, *value;
} page_headers[] = {
#define ODP_PAGE_HEADER(name, value) {name, value},
#include "contract/page_headers.def"
#undef ODP_PAGE_HEADER
};
enum { POLICY = 0 }; /* of page_headers: the one that pages for other sites have another of */
#define API_CATALOG ".well-known/api-catalog"

/* ---- lines ---- */

static const char *text_of(struct odp_slice s, struct odp_arena *a)
{
    return s.len > 0 ? odp_arena_copy(a, s).ptr : "";
}

/* The lines of files (not of withdrawn addresses), or of public ones alone, in A. */
static struct header_line *only_files(const struct header_line *lines, size_t n, bool public_only,
                                      size_t *nfiles, struct odp_arena *a)
{
    struct header_line *files = odp_arena_array(a, n + 1, sizeof *files);
    *nfiles = 0;
    for (size_t i = 0; i < n; i++)
        if (!lines[i].gone && (!public_only || odp_slice_is(lines[i].cls, "public")))
            files[(*nfiles)++] = lines[i];
    return files;
}

/* ---- nginx ---- */

/* "~^/data/kumuh/202" in quotes: a regular expression, so that the length of paths and the size of nginx's
 * hashes do not matter. */
static void add_pattern(struct odp_buffer *out, struct odp_slice path, bool prefix)
{
    odp_buffer_add_str(out, "\"~^/");
    for (size_t i = 0; i < path.len; i++) {
        char c = path.ptr[i];
        if (c == '"' || c == '\\') /* by number: nothing that nginx's own quotes see */
            odp_buffer_printf(out, "[\\x%02x]", (unsigned)c);
        else if (strchr(".+*?[^]$(){}|", c) != NULL)
            odp_buffer_printf(out, "[%s%c]", strchr("^][", c) != NULL ? "\\" : "", c);
        else
            odp_buffer_add_char(out, c);
    }
    odp_buffer_add_str(out, prefix ? "\"" : "$\"");
}

/* VALUE in quotes. A dollar sign would be a variable to nginx and cannot be quoted: such a value is left out
 * by the caller. */
static void add_quoted(struct odp_buffer *out, const char *value)
{
    odp_buffer_add_char(out, '"');
    for (; *value != '\0'; value++) {
        if (*value == '"' || *value == '\\')
            odp_buffer_add_char(out, '\\');
        odp_buffer_add_char(out, *value);
    }
    odp_buffer_add_char(out, '"');
}

enum column { CACHE, DEPRECATION, SUNSET, LINK, INTERNAL, KEYED };

static const char *column_of(const struct header_line *l, enum column which, struct odp_arena *a)
{
    switch (which) {
    case CACHE:
        return text_of(l->cache, a);
    case DEPRECATION:
        return text_of(l->deprecation, a);
    case SUNSET:
        return text_of(l->sunset, a);
    case LINK:
        return text_of(l->link, a);
    case INTERNAL:
        return odp_slice_is(l->cls, "internal") ? "1" : "";
    case KEYED:
        return odp_slice_is(l->cls, "keyed") ? "1" : "";
    }
    return "";
}

static void add_map(struct odp_buffer *out, const char *variable, enum column which,
                    struct header_line *lines, size_t n, struct odp_arena *a)
{
    size_t nrules;
    for (size_t i = 0; i < n; i++) {
        const char *value = column_of(&lines[i], which, a);
        lines[i].value = strchr(value, '$') == NULL ? value : "";
    }
    const struct header_rule *rules = header_rules(lines, n, &nrules, a);
    odp_buffer_printf(out, "map $uri $%s {\n    default \"\";\n", variable);
    for (size_t i = 0; i < nrules; i++) {
        odp_buffer_add_str(out, "    ");
        add_pattern(out, rules[i].path, rules[i].prefix);
        odp_buffer_add_char(out, ' ');
        add_quoted(out, rules[i].value);
        odp_buffer_add_str(out, ";\n");
    }
    odp_buffer_add_str(out, "}\n");
}

/* The type of the first file that ends in EXTENSION; nothing where there is no such file. */
static void add_type(struct odp_buffer *out, const struct header_line *lines, size_t n, const char *extension)
{
    for (size_t i = 0; i < n; i++) {
        size_t len = strlen(extension);
        struct odp_slice path = lines[i].path, type = lines[i].type;
        if (lines[i].encoding.ptr != NULL || path.len <= len || path.ptr[path.len - len - 1] != '.' ||
            memcmp(path.ptr + path.len - len, extension, len) != 0)
            continue;
        type = odp_slice_cut(&type, ';');
        if (type.len > 0 && memchr(type.ptr, ' ', type.len) == NULL)
            odp_buffer_printf(out, "    %.*s %s;\n", (int)type.len, type.ptr, extension);
        return;
    }
}

/* Types that nginx's own list of types does not have; as control gives them, without the character set. */
static void add_types(struct odp_buffer *out, const struct header_line *lines, size_t n)
{
    static const char known[] = " json pdf xlsx ";
    static const char *const lacking[] = {"delta",  "jsonld", "log", "metadata",    "minisig",
                                          "sqlite", "tgz",    "tsv", "webmanifest", "whl"};
    char word[32];
    odp_buffer_add_str(out, "types {\n");
    for (size_t k = 0; k < ODP_FORMAT_FILES; k++) {
        (void)snprintf(word, sizeof word, " %s ", odp_format_files[k].name);
        if (strstr(known, word) == NULL && strchr(odp_format_files[k].name, '.') == NULL)
            add_type(out, lines, n, odp_format_files[k].name);
    }
    for (size_t k = 0; k < ODP_COUNT(lacking); k++)
        add_type(out, lines, n, lacking[k]);
    odp_buffer_add_str(out, "}\n");
}

/* What goes with HTML alone: a header that is empty is not sent. */
static void add_pages(struct odp_buffer *out)
{
    odp_buffer_add_str(out, "map \"$sent_http_content_type:$uri\" $odp_html {\n    default \"\";\n"
                            "    \"~*^text/html[^:]*:" ODP_FRAMED_PATTERN "\" framed;\n"
                            "    \"~*^text/html\" 1;\n}\n");
    for (size_t i = 0; i < ODP_COUNT(page_headers); i++)
        odp_buffer_printf(out,
                          "map $odp_html $odp_html_%zu {\n    default \"\";\n    1 \"%s\";\n"
                          "    framed \"%s\";\n}\n",
                          i, page_headers[i].value, i == POLICY ? ODP_FRAMED_POLICY : page_headers[i].value);
}

static bool is_npm(struct odp_slice path)
{
    return path.len > 4 && memcmp(path.ptr, "npm/", 4) == 0;
}

/* What of the advice depends on what there is: the page for what is not there, and the files whose type no
 * extension says. */
static void add_advice(struct odp_buffer *out, const struct header_line *lines, size_t n)
{
    bool npm = false;
    for (size_t i = 0; i < n; i++) {
        struct odp_slice type = lines[i].type;
        if (odp_slice_is(lines[i].path, "404.html"))
            odp_buffer_add_str(out, "#     error_page 404 /404.html;\n");
        else if (odp_slice_is(lines[i].path, API_CATALOG) && type.len > 0 &&
                 memchr(type.ptr, '\'', type.len) == NULL)
            odp_buffer_printf(out, "#     location = /" API_CATALOG " { types { } default_type '%.*s'; }\n",
                              (int)type.len, type.ptr);
        else if (!npm && is_npm(lines[i].path)) {
            odp_buffer_add_str(out, "#     location /npm/ { types { } default_type application/json; }\n");
            npm = true;
        }
    }
}

static void write_nginx(struct odp_buffer *out, const struct header_line *lines, size_t n,
                        struct odp_arena *a)
{
    static const struct {
        const char *variable;
        enum column column;
    } maps[] = {{"odp_cache_control", CACHE}, {"odp_deprecation", DEPRECATION}, {"odp_sunset", SUNSET},
                {"odp_link", LINK},           {"odp_internal", INTERNAL},       {"odp_keyed", KEYED}};
    size_t nfiles;
    struct header_line *files = only_files(lines, n, false, &nfiles, a);
    odp_buffer_add_str(out, "# Made by odp-build headers. Include it in http { }, and write in server { }:\n"
                            "#\n"
                            "#     if ($odp_internal) { return 404; }\n"
                            "#     if ($odp_gone) { return 410; }\n"
                            "#     add_header Cache-Control $odp_cache_control;\n"
                            "#     add_header Deprecation $odp_deprecation;\n"
                            "#     add_header Sunset $odp_sunset;\n"
                            "#     add_header Link $odp_link;\n"
                            "#     add_header X-Content-Type-Options nosniff;\n");
    for (size_t i = 0; i < ODP_COUNT(page_headers); i++)
        odp_buffer_printf(out, "#     add_header %s $odp_html_%zu;\n", page_headers[i].name, i);
    add_advice(out, lines, n);
    odp_buffer_add_str(out, "#\n"
                            "# $odp_keyed is 1 for what needs a key: odp-gateway checks keys, nginx alone "
                            "does not. Without the gateway\n"
                            "# publish with --public, or: if ($odp_keyed) { return 403; }\n");
    for (size_t i = 0; i < ODP_COUNT(maps); i++)
        add_map(out, maps[i].variable, maps[i].column, files, nfiles, a);
    odp_buffer_add_str(out, "map $uri $odp_gone {\n    default \"\";\n");
    for (size_t i = 0; i < n; i++)
        if (lines[i].gone) {
            odp_buffer_add_str(out, "    ");
            add_pattern(out, lines[i].path, lines[i].folder);
            odp_buffer_add_str(out, " 1;\n");
        }
    odp_buffer_add_str(out, "}\n");
    add_pages(out);
    add_types(out, files, nfiles);
}

/* ---- Netlify, Cloudflare Pages ---- */

/* The header lines of one file, as the form has them. */
static const char *netlify_value(const struct header_line *l, struct odp_arena *a)
{
    const struct {
        const char *name;
        struct odp_slice value;
    } fields[] = {{"Cache-Control", l->cache},
                  {"Deprecation", l->deprecation},
                  {"Sunset", l->sunset},
                  {"Link", l->link}};
    const char *all =
        odp_arena_printf(a, "  %s: %s\n", page_headers[POLICY].name,
                         odp_path_is_framed(l->path) ? ODP_FRAMED_POLICY : page_headers[POLICY].value);
    for (size_t i = 0; i < ODP_COUNT(fields); i++)
        if (fields[i].value.len > 0)
            all = odp_arena_printf(a, "%s  %s: %.*s\n", all, fields[i].name, (int)fields[i].value.len,
                                   fields[i].value.ptr);
    if ((odp_slice_is(l->path, API_CATALOG) || is_npm(l->path)) &&
        l->type.len > 0) /* both hosts go by extensions */
        all = odp_arena_printf(a, "%s  Content-Type: %.*s\n", all, (int)l->type.len, l->type.ptr);
    return all;
}

static int by_path(const void *a, const void *b)
{
    const struct odp_slice x = ((const struct header_line *)a)->path,
                           y = ((const struct header_line *)b)->path;
    return odp_slice_cmp(x, y);
}

/* The N FILES and the folders whose index.html is asked for by their names, in the order of rules, in A. */
static struct header_line *with_folders(const struct header_line *files, size_t *n, struct odp_arena *a)
{
    static const struct odp_slice index = ODP_LIT("index.html");
    const size_t nfiles = *n;
    struct header_line *all = odp_arena_array(a, 2 * nfiles + 1, sizeof *all);
    for (size_t i = 0; i < nfiles; i++) {
        struct odp_slice path = files[i].path;
        all[i] = files[i];
        if (path.len < index.len || memcmp(path.ptr + path.len - index.len, index.ptr, index.len) != 0)
            continue;
        all[*n] = files[i];
        all[(*n)++].path.len -= index.len;
    }
    qsort(all, *n, sizeof *all, by_path);
    return all;
}

/* Public files only: these hosts check no keys. Both hosts join the values of a header that two rules
 * give: those of files never meet, and the rule for all has other headers. So the policy, which pages for
 * frames of other sites have another of, goes with each rule. */
static void write_netlify(struct odp_buffer *out, const struct header_line *lines, size_t n,
                          struct odp_arena *a)
{
    size_t nfiles, nrules;
    struct header_line *files = only_files(lines, n, true, &nfiles, a);
    for (size_t i = 0; i < nfiles; i++)
        files[i].value = netlify_value(&files[i], a);
    files = with_folders(files, &nfiles, a);
    const struct header_rule *rules = header_rules(files, nfiles, &nrules, a);
    odp_buffer_printf(out, "# Made by odp-build headers: %zu rules (Cloudflare Pages takes 100).\n",
                      nrules + 1);
    /* What goes with pages goes with all files: these headers say nothing of others, and hosts know no rule
     * by type. */
    odp_buffer_add_str(out, "/*\n  X-Content-Type-Options: nosniff\n");
    for (size_t i = POLICY + 1; i < ODP_COUNT(page_headers); i++)
        odp_buffer_printf(out, "  %s: %s\n", page_headers[i].name, page_headers[i].value);
    for (size_t i = 0; i < nrules; i++) {
        odp_buffer_add_char(out, '/');
        for (size_t k = 0; k < rules[i].path.len;
             k++) /* a space ends nothing here, but both hosts match encoded paths */
            odp_buffer_printf(out, strchr(" *:#%", rules[i].path.ptr[k]) != NULL ? "%%%02X" : "%c",
                              (unsigned)(unsigned char)rules[i].path.ptr[k]);
        odp_buffer_add_str(out, rules[i].prefix ? "*\n" : "\n");
        odp_buffer_add_str(out, rules[i].value);
    }
}

/* ---- stores of objects ---- */

static void add_member(struct odp_buffer *out, const char *name, struct odp_slice value)
{
    if (value.len == 0)
        return;
    odp_buffer_printf(out, ",\"%s\":", name);
    odp_json_add_string(out, value);
}

/* One JSON object a line, with the names that "aws s3api put-object --cli-input-json" takes. */
static void write_s3(struct odp_buffer *out, const struct header_line *lines, size_t n, struct odp_arena *a)
{
    for (size_t i = 0; i < n; i++) {
        const struct header_line *l = &lines[i];
        if (l->gone || odp_slice_is(l->cls, "internal"))
            continue;
        odp_json_add_slice(out, "{\"Key\":", l->path);
        add_member(out, "ContentType", l->type);
        add_member(out, "ContentEncoding", l->encoding);
        add_member(out, "CacheControl", l->cache);
        odp_buffer_add_str(out, "}\n");
    }
}

/* ---- the door ---- */

static const struct {
    const char *name, *file;
    void (*write)(struct odp_buffer *out, const struct header_line *lines, size_t n, struct odp_arena *a);
} forms[] = {{"nginx", "headers.nginx.conf", write_nginx},
             {"netlify", "_headers", write_netlify},
             {"s3", "headers.s3.jsonl", write_s3}};

const char *odp_headers_file(const char *form)
{
    for (size_t i = 0; i < ODP_COUNT(forms); i++)
        if (strcmp(forms[i].name, form) == 0)
            return forms[i].file;
    return NULL;
}

enum odp_status odp_headers(struct odp_buffer *out, const char *form, struct odp_slice control)
{
    struct odp_arena arena = {0};
    struct header_line *lines;
    size_t n, which = 0;
    while (which < ODP_COUNT(forms) && strcmp(forms[which].name, form) != 0)
        which++;
    if (which == ODP_COUNT(forms))
        return ODP_BAD;
    enum odp_status status = header_lines(control, &lines, &n, &arena);
    if (status == ODP_OK) {
        forms[which].write(out, lines, n, &arena);
        status = odp_buffer_status(out);
    }
    odp_arena_release(&arena);
    return status;
}
