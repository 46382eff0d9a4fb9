#include "service/http/shell.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/digest.h"
#include "base/file.h"
#include "base/html.h"
#include "base/line.h"
#include "base/utf8.h"

#define CONTENT_MARK "@CONTENT@"

static size_t count(struct odp_slice text, const char *mark)
{
    size_t n = 0, len = strlen(mark);
    for (size_t i = 0; i + len <= text.len; i++)
        if (text.ptr[i] == '@' && memcmp(text.ptr + i, mark, len) == 0)
            n++;
    return n;
}

bool odp_shell_ok(struct odp_slice text)
{
    return text.len > 0 && text.len <= ODP_SHELL_MAX && odp_utf8_valid(text) == text.len &&
           count(text, CONTENT_MARK) == 1;
}

void odp_shell_fill(struct odp_buffer *out, struct odp_slice text, const char *title,
                    struct odp_slice content, const char *root)
{
    while (text.len > 0) {
        const char *at = memchr(text.ptr, '@', text.len);
        size_t plain = at != NULL ? (size_t)(at - text.ptr) : text.len;
        odp_buffer_add(out, text.ptr, plain);
        text.ptr += plain;
        text.len -= plain;
        size_t taken = text.len > 0;
        if (odp_slice_starts(text, "@TITLE@")) {
            odp_html_text(out, title);
            taken = 7;
        } else if (odp_slice_starts(text, "@ROOT@")) {
            odp_html_text(out, root);
            taken = 6;
        } else if (odp_slice_starts(text, CONTENT_MARK)) {
            odp_buffer_add_slice(out, content);
            taken = sizeof CONTENT_MARK - 1;
        } else {
            odp_buffer_add(out, text.ptr, taken);
        }
        text.ptr += taken;
        text.len -= taken;
    }
}

/* The bytes are those that control lists: its ETag is the first half of their digest. */
static bool same_bytes(struct odp_slice bytes, const struct odp_entry *e)
{
    uint8_t digest[ODP_SHA256_SIZE];
    char hex[ODP_SHA256_HEX];
    if (bytes.len != e->size || odp_digest_of(bytes.ptr, bytes.len, digest) != ODP_OK)
        return false;
    odp_digest_hex(digest, hex);
    return e->etag.len == 34 && memcmp(e->etag.ptr + 1, hex, 32) == 0;
}

static void read_one(struct odp_buffer *out, const struct odp_control *site, const char *path, char why[128])
{
    struct odp_entry e;
    char full[4096];
    if (!odp_control_find(site, odp_slice_of(path), &e) || !odp_slice_is(e.path, path))
        return;
    int n = snprintf(full, sizeof full, "%s/%s", odp_control_dir(site), path);
    enum odp_status st =
        n > 0 && (size_t)n < sizeof full ? odp_file_read(full, ODP_SHELL_MAX, out, NULL) : ODP_BAD;
    if (st == ODP_OK && e.cls == ODP_ENTRY_INTERNAL && same_bytes(odp_buffer_slice(out), &e) &&
        odp_shell_ok(odp_buffer_slice(out)))
        return;
    odp_failure_clear(); /* the plain page serves as well */
    odp_buffer_reset(out);
    (void)snprintf(why, 128, "%s", path);
}

/* The first dataset whose page needs a key: v1/<slug>.json. */
static void find_example(struct odp_shell *shell, const struct odp_control *site)
{
    struct odp_entry e;
    for (size_t i = 0; odp_control_line(site, i, &e); i++) {
        if (e.path.len < 9 || memcmp(e.path.ptr, "v1/", 3) != 0 || e.cls != ODP_ENTRY_KEYED ||
            e.state != ODP_ENTRY_ACTIVE || e.coding != ODP_CODING_NONE || e.dataset.len == 0 ||
            e.path.len != e.dataset.len + 8 || e.dataset.len >= sizeof shell->example)
            continue;
        memcpy(shell->example, e.dataset.ptr, e.dataset.len);
        return;
    }
}

enum odp_status odp_shell_read(struct odp_shell **out, const struct odp_control *site, char why[128])
{
    static const char *const paths[ODP_LANGS] = {
        [ODP_LANG_ID] = "service/page.id.html", [ODP_LANG_EN] = "service/page.en.html"};
    why[0] = '\0';
    struct odp_shell *shell = *out = calloc(1, sizeof *shell);
    if (shell == NULL)
        return odp_failure_set("shell", NULL, ENOMEM);
    for (int lang = 0; lang < ODP_LANGS; lang++) {
        odp_buffer_init(&shell->text[lang]);
        read_one(&shell->text[lang], site, paths[lang], why);
    }
    find_example(shell, site);
    return ODP_OK;
}

void odp_shell_free(struct odp_shell *shell)
{
    if (shell == NULL)
        return;
    for (int lang = 0; lang < ODP_LANGS; lang++)
        odp_buffer_release(&shell->text[lang]);
    free(shell);
}
