#include "core/problem.h"

#include <stdio.h>

#include "base/json.h"
#include "base/utf8.h"
#include "core/accept.h"

enum odp_problem odp_problem_of_verdict(enum odp_verdict v)
{
    switch (v) {
    case ODP_KEY_UNKNOWN:
        return ODP_PROBLEM_KEY_UNKNOWN;
    case ODP_KEY_IS_REVOKED:
        return ODP_PROBLEM_KEY_REVOKED;
    case ODP_KEY_IS_SUSPENDED:
        return ODP_PROBLEM_KEY_SUSPENDED;
    case ODP_KEY_EXPIRED:
        return ODP_PROBLEM_KEY_EXPIRED;
    case ODP_BURST_EXCEEDED:
        return ODP_PROBLEM_BURST_EXCEEDED;
    case ODP_QUOTA_EXCEEDED:
        return ODP_PROBLEM_QUOTA_EXCEEDED;
    case ODP_PASS:
        break;
    }
    return ODP_PROBLEM_INTERNAL;
}

enum odp_problem odp_problem_of_status(int status)
{
    static const struct {
        int status;
        enum odp_problem problem;
    } general[] = {
        {400, ODP_PROBLEM_BAD_REQUEST},
        {401, ODP_PROBLEM_KEY_MISSING},
        {403, ODP_PROBLEM_FORBIDDEN},
        {404, ODP_PROBLEM_NOT_FOUND},
        {405, ODP_PROBLEM_METHOD},
        {408, ODP_PROBLEM_TIMEOUT},
        {409, ODP_PROBLEM_CONFLICT},
        {410, ODP_PROBLEM_GONE},
        {412, ODP_PROBLEM_PRECONDITION},
        {413, ODP_PROBLEM_TOO_LARGE},
        {414, ODP_PROBLEM_URI_TOO_LONG},
        {415, ODP_PROBLEM_MEDIA_TYPE},
        {416, ODP_PROBLEM_RANGE},
        {429, ODP_PROBLEM_BURST_EXCEEDED},
        {431, ODP_PROBLEM_HEADERS_TOO_LARGE},
        {494, ODP_PROBLEM_HEADERS_TOO_LARGE},
        {495, ODP_PROBLEM_BAD_REQUEST},
        {496, ODP_PROBLEM_BAD_REQUEST},
        {497, ODP_PROBLEM_BAD_REQUEST},
        {500, ODP_PROBLEM_INTERNAL},
        {501, ODP_PROBLEM_NOT_IMPLEMENTED},
        {502, ODP_PROBLEM_BAD_GATEWAY},
        {503, ODP_PROBLEM_UNAVAILABLE},
        {504, ODP_PROBLEM_GATEWAY_TIMEOUT},
    }; /* 494 to 497 are nginx's own: headers too large, a client certificate refused or missing, plain HTTP
          to a TLS port */
    for (size_t i = 0; i < ODP_COUNT(general); i++)
        if (general[i].status == status)
            return general[i].problem;
    return ODP_PROBLEM_INTERNAL;
}

/* "en", "en-GB", in any case. */
static bool is_language(struct odp_slice range, const char *tag)
{
    size_t len = strlen(tag);
    return range.len >= len && odp_accept_is((struct odp_slice){range.ptr, len}, tag) &&
           (range.len == len || range.ptr[len] == '-');
}

enum odp_lang odp_lang_accept(struct odp_slice accept_language)
{
    static const char *const tags[ODP_LANGS] = {"id", "en"};
    int best[ODP_LANGS] = {-1, -1}, any = 0, q;
    struct odp_slice range;
    while (odp_accept_next(&accept_language, &range, &q)) {
        if (odp_accept_is(range, "*"))
            any = q;
        for (int lang = 0; lang < ODP_LANGS; lang++)
            if (is_language(range, tags[lang]) && q > best[lang])
                best[lang] = q;
    }
    for (int lang = 0; lang < ODP_LANGS; lang++)
        if (best[lang] < 0)
            best[lang] = any;
    return best[ODP_LANG_EN] > best[ODP_LANG_ID] ? ODP_LANG_EN : ODP_LANG_ID;
}

/* S as a JSON string; it ends at the first byte that is not UTF-8. */
static void add_text(struct odp_buffer *out, const char *s)
{
    struct odp_slice text = odp_slice_of(s);
    text.len = odp_utf8_valid(text);
    odp_json_add_string(out, text);
}

void odp_problem_write(struct odp_buffer *out, enum odp_problem p, enum odp_lang lang, const char *base_url,
                       const char *detail, const char *more)
{
    const struct odp_problem_info *info = odp_problem_info(p);
    if (detail == NULL)
        detail = odp_text_get(&info->words.detail, lang);
    odp_buffer_add_str(out, "{\"type\":\"");
    odp_json_add_inside(out, odp_slice_of(base_url));
    odp_buffer_printf(out, "galat/%s\",\"title\":", info->code);
    add_text(out, odp_text_get(&info->words.title, lang));
    odp_buffer_printf(out, ",\"status\":%d,\"code\":\"%s\"", info->status, info->code);
    if (*detail != '\0') {
        odp_buffer_add_str(out, ",\"detail\":");
        add_text(out, detail);
    }
    if (more != NULL && *more != '\0') {
        odp_buffer_add_char(out, ',');
        odp_buffer_add_str(out, more);
    }
    odp_buffer_add_str(out, "}\n");
}

const char *odp_problem_challenge(enum odp_problem p, char buf[ODP_CHALLENGE_MAX])
{
    if ((unsigned)p >= ODP_PROBLEM_COUNT || odp_problem_info(p)->status != 401)
        return NULL;
    if (p == ODP_PROBLEM_KEY_MISSING)
        return "Bearer realm=\"odp\"";
    (void)snprintf(buf, ODP_CHALLENGE_MAX,
                   "Bearer realm=\"odp\", error=\"invalid_token\", error_description=\"%s\"",
                   odp_problem_info(p)->words.title.in[ODP_LANG_EN]);
    return buf;
}
