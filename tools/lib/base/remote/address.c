/* Addresses of remotes: their kind, and the parts that no message may show. */
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <strings.h>

#include "base/remote/remote_internal.h"

#define MASK "***"

static bool is_name_char(char c)
{
    return isalnum((unsigned char)c) || strchr("_-.+@ ", c) != NULL;
}

enum odp_remote_kind odp_remote_kind_of(const char *address)
{
    if (strncasecmp(address, "http://", 7) == 0 || strncasecmp(address, "https://", 8) == 0)
        return ODP_REMOTE_URL;
    if (*address == ':')
        return isalnum((unsigned char)address[1]) ? ODP_REMOTE_RCLONE : ODP_REMOTE_FOLDER;
    /* "name:path" or "name,option=value:path"; what has a slash before is a folder. */
    const char *p = address;
    while (*p != '\0' && is_name_char(*p))
        p++;
    if (p == address || *address == '.' || *address == '-' || *address == ' ')
        return ODP_REMOTE_FOLDER;
    return *p == ':' || (*p == ',' && strchr(p, ':') != NULL) ? ODP_REMOTE_RCLONE : ODP_REMOTE_FOLDER;
}

/* ---- secrets ---- */

static void add_secret(struct odp_remote *r, struct odp_slice text)
{
    if (text.len == 0 || odp_slice_is(text, "true") || odp_slice_is(text, "false"))
        return;
    struct remote_secret *s = odp_arena_alloc(&r->arena, sizeof *s);
    *s = (struct remote_secret){text, r->secrets};
    r->secrets = s;
}

static bool tells_secret(struct odp_slice name)
{
    static const char *const words[] = {"pass", "secret", "key",    "token",   "sas",
                                        "auth", "cred",   "bearer", "headers", "command"};
    char lower[64];
    size_t n = 0;
    for (; n < name.len && n + 1 < sizeof lower; n++)
        lower[n] = (char)tolower((unsigned char)name.ptr[n]);
    lower[n] = '\0';
    for (size_t i = 0; i < ODP_COUNT(words); i++)
        if (strstr(lower, words[i]) != NULL)
            return true;
    return false;
}

/* The value at P, in quotes or up to a comma or colon; *END is what follows. Quotes in quotes are doubled. */
static struct odp_slice read_value(const char *p, const char **end)
{
    char quote = *p == '\'' || *p == '"' ? *p : '\0';
    const char *start = quote != '\0' ? ++p : p;
    while (*p != '\0') {
        if (quote != '\0' ? *p == quote && p[1] != quote : *p == ',' || *p == ':')
            break;
        p += quote != '\0' && *p == quote ? 2 : 1;
    }
    *end = quote != '\0' && *p == quote ? p + 1 : p;
    return (struct odp_slice){start, (size_t)(p - start)};
}

/* Of "backend,name=value,name='value':path" the values that are secret by their names. */
static void find_options(struct odp_remote *r)
{
    const char *p = r->address + (*r->address == ':');
    while (*p != '\0' && *p != ':' && *p != ',')
        p++;
    while (*p == ',') {
        const char *name = ++p;
        while (*p != '\0' && *p != '=' && *p != ',' && *p != ':')
            p++;
        struct odp_slice key = {name, (size_t)(p - name)};
        if (*p != '=')
            continue;
        struct odp_slice value = read_value(p + 1, &p);
        if (tells_secret(key))
            add_secret(r, value);
    }
}

/* "//user:password@host" in TEXT: the part before the @. */
static struct odp_slice find_user(struct odp_slice text, size_t from)
{
    size_t start = from, end;
    struct odp_slice none = {NULL, 0};
    for (end = start; end < text.len && memchr("/?#'\" \t\n", text.ptr[end], 8) == NULL; end++)
        ;
    while (end > start && text.ptr[end - 1] != '@')
        end--;
    return end > start ? (struct odp_slice){text.ptr + start, end - 1 - start} : none;
}

static void find_users(struct odp_remote *r)
{
    struct odp_slice text = odp_slice_of(r->address);
    for (size_t i = 0; i + 3 <= text.len; i++) {
        if (memcmp(text.ptr + i, "://", 3) != 0)
            continue;
        struct odp_slice user = find_user(text, i + 3);
        const char *colon = user.len > 0 ? memchr(user.ptr, ':', user.len) : NULL;
        /* The password also by itself: a server may repeat it. A name without one is no secret. */
        if (colon == NULL)
            continue;
        add_secret(r, user);
        add_secret(r, (struct odp_slice){colon + 1, user.len - (size_t)(colon + 1 - user.ptr)});
    }
}

/* Bytes of TEXT at I that are a secret; 0: none. The longest counts. A secret of one or two characters is
 * masked in the address only (elsewhere it would make every message unreadable, and say how short it is). */
static size_t secret_at(const struct odp_remote *r, struct odp_slice text, size_t i)
{
    size_t longest = 0;
    for (const struct remote_secret *s = r->secrets; s != NULL; s = s->next) {
        bool here = text.ptr + i == s->text.ptr;
        if ((s->text.len > 2 || here) && s->text.len > longest && s->text.len <= text.len - i &&
            memcmp(text.ptr + i, s->text.ptr, s->text.len) == 0)
            longest = s->text.len;
    }
    return longest;
}

/* TEXT with every secret of R, every user:password@ and every query of a web address masked. */
static void mask(const struct odp_remote *r, struct odp_buffer *out, struct odp_slice text)
{
    bool web = false; /* inside a web address */
    for (size_t i = 0; i < text.len;) {
        size_t skip = secret_at(r, text, i);
        if (skip == 0 && i + 3 <= text.len && memcmp(text.ptr + i, "://", 3) == 0) {
            struct odp_slice user = find_user(text, i + 3);
            odp_buffer_add(out, "://", 3);
            i += 3;
            web = true;
            skip = user.len;
        } else if (skip == 0 && web && text.ptr[i] == '?') {
            odp_buffer_add_char(out, '?');
            for (i++; i + skip < text.len && memchr(" \t\n'\"", text.ptr[i + skip], 5) == NULL; skip++)
                ;
        } else if (skip == 0) {
            web = web && memchr(" \t\n'\"", text.ptr[i], 5) == NULL;
            odp_buffer_add_char(out, text.ptr[i++]);
        }
        if (skip > 0)
            odp_buffer_add_str(out, MASK);
        i += skip;
    }
}

void remote_address(struct odp_remote *r)
{
    struct odp_buffer shown = {0};
    find_users(r);
    if (r->kind == ODP_REMOTE_RCLONE)
        find_options(r);
    if (r->kind == ODP_REMOTE_FOLDER)
        odp_buffer_add_str(&shown, r->address);
    else
        mask(r, &shown, odp_slice_of(r->address));
    r->shown = odp_arena_str(&r->arena, odp_buffer_cstr(&shown));
    odp_buffer_release(&shown);
}

enum odp_status remote_fault(struct odp_remote *r, const char *fmt, ...)
{
    struct odp_buffer raw = {0}, masked = {0};
    char text[4096];
    va_list args;
    va_start(args, fmt);
    int n = vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    for (const char *p = text; n > 0 && *p != '\0'; p++)
        odp_buffer_add_char(&raw, (unsigned char)*p < 0x20 || *p == 0x7f ? ' ' : *p);
    mask(r, &masked, odp_slice_trim(odp_buffer_slice(&raw)));
    (void)snprintf(r->fault, sizeof r->fault, "%s", odp_buffer_cstr(&masked));
    odp_buffer_release(&raw);
    odp_buffer_release(&masked);
    return ODP_BAD;
}
