#include "core/page.h"

#include "base/framed.h"
#include "base/line.h"
#include "core/accept.h"
#include "core/problem.h"

const struct odp_page_header odp_page_headers[ODP_PAGE_HEADERS] = {
#define ODP_PAGE_HEADER(name, value) {name, value},
#include "contract/page_headers.def"
#undef ODP_PAGE_HEADER
};

const char *odp_page_header_value(size_t i, struct odp_slice path)
{
    return i == 0 && odp_path_is_framed(path) ? ODP_FRAMED_POLICY : odp_page_headers[i].value;
}

bool odp_page_is(struct odp_slice media_type)
{
    return odp_accept_is(odp_slice_trim(odp_slice_cut(&media_type, ';')), "text/html");
}

/* URI is PATH, or below it. */
static bool below(struct odp_slice uri, const char *path)
{
    size_t n = strlen(path);
    return uri.len >= n && memcmp(uri.ptr, path, n) == 0 &&
           (uri.len == n || uri.ptr[n] == '/' || uri.ptr[n] == '?');
}

bool odp_page_wanted(struct odp_slice uri, struct odp_slice accept)
{
    struct odp_slice name;
    int q, html = 0, json = 0;
    if (below(uri, "/v1") || below(uri, "/api") || below(uri, "/auth"))
        return false;
    while (odp_accept_next(&accept, &name, &q)) {
        if (odp_accept_is(name, "text/html") || odp_accept_is(name, "application/xhtml+xml"))
            html = q > html ? q : html;
        else if (odp_accept_is(name, "application/json") || odp_accept_is(name, "application/problem+json"))
            json = q > json ? q : json;
    }
    return html > 0 && html >= json;
}

enum odp_lang odp_page_lang(struct odp_slice uri, struct odp_slice accept_language)
{
    return below(uri, "/en") ? ODP_LANG_EN : odp_lang_accept(accept_language);
}

const char *odp_page_not_found(enum odp_lang lang)
{
    return lang == ODP_LANG_EN ? "en/404.html" : "404.html";
}

const char *odp_page_errors(enum odp_lang lang)
{
    return lang == ODP_LANG_EN ? "en/docs/errors.html" : "dokumentasi/galat.html";
}

bool odp_page_explains(struct odp_slice uri, struct odp_slice *code)
{
    static const char before[] = "/galat/";
    size_t n = sizeof before - 1;
    if (uri.len < n || memcmp(uri.ptr, before, n) != 0)
        return false;
    *code = (struct odp_slice){uri.ptr + n, uri.len - n};
    if (code->len == 0)
        return true;
    for (int p = 0; p < ODP_PROBLEM_COUNT; p++)
        if (odp_slice_is(*code, odp_problem_info((enum odp_problem)p)->code))
            return true;
    return false;
}

void odp_page_explained(struct odp_buffer *out, enum odp_lang lang, struct odp_slice code)
{
    odp_buffer_printf(out, "../%s", odp_page_errors(lang));
    if (code.len == 0)
        return;
    odp_buffer_add_char(out, '#');
    odp_buffer_add_slice(out, code);
}
