/* Scripts, styles and pictures that pages load, under the digests of their bytes: a page names exactly the
 * bytes it was made with, a browser keeps them for a year, and an old page never gets a new script. What
 * there is lies in <share>/assets, made when the project is built (templates/portal/assets).
 *
 * Names, kinds and sizes that cannot be assets, a missing folder, and an asset that one of our own templates
 * wants are ODP-C30; a wrong name in the catalogue's templates is a fault of theirs (ODP-C25). Assets of an
 * earlier build are not kept: a page that a cache holds for its five minutes may ask for a script that is
 * gone, and then works as without it. */
#include "site/pages/pages_internal.h"

#include <ctype.h>
#include <openssl/evp.h>

#include "words/site.h"

enum {
    ASSET_MAX = 8 << 20, /* bytes of one file */
    TEMPLATE_MAX = 4 << 20,
    KEY_MAX = 60, /* letters of a key */
    HEX = 32      /* digits of a digest in a path */
};

/* ---- one asset ---- */

/* The media type of an asset with EXT; NULL: there are no such assets. */
static const char *type_of(const char *ext)
{
    static const char *const media[][2] = {{".css", "text/css; charset=utf-8"},
                                           {".js", "text/javascript; charset=utf-8"},
                                           {".json", "application/json"},
                                           {".svg", "image/svg+xml"},
                                           {".txt", "text/plain; charset=utf-8"},
                                           {".png", "image/png"},
                                           {".webp", "image/webp"},
                                           {".ico", "image/vnd.microsoft.icon"},
                                           {".woff2", "font/woff2"},
                                           {".wasm", "application/wasm"},
                                           {".webmanifest", "application/manifest+json"}};
    for (size_t i = 0; i < ODP_COUNT(media); i++)
        if (strcmp(ext, media[i][0]) == 0)
            return media[i][1];
    return NULL;
}

enum odp_status portal_asset_put(struct portal *p, const char *key, const char *ext, struct odp_slice bytes)
{
    uint8_t digest[ODP_SHA256_SIZE];
    char hex[ODP_SHA256_HEX], path[sizeof "assets/" + HEX + 16];
    unsigned char base64[4 * ((ODP_SHA256_SIZE + 2) / 3) + 1];
    if (odp_digest_of(bytes.ptr, bytes.len, digest) != ODP_OK)
        return ODP_FAIL;
    odp_digest_hex(digest, hex);
    (void)snprintf(path, sizeof path, "assets/%.*s%s", HEX, hex, ext);
    (void)EVP_EncodeBlock(base64, digest, sizeof digest); /* its size is that of the digest */
    odp_set(
        p->assets, key,
        json_pack("{s:s, s:o}", "path", path, "integrity", json_sprintf("sha256-%s", (const char *)base64)));
    if (p->job->stage == NULL ||
        odp_stage_find(p->job->stage, path) != NULL) /* only looking; the same bytes under another name */
        return ODP_OK;
    return odp_stage_put(p->job->stage, path, type_of(ext), ODP_CLASS_PUBLIC, bytes);
}

/* ---- what can be wrong ---- */

static const struct odp_text no_folder = {{W_site_asset_no_folder}},
                             empty_folder = {{W_site_asset_empty_folder}},
                             wrong_name = {{W_site_asset_wrong_name}},
                             wrong_type = {{W_site_asset_wrong_type}}, same_key = {{W_site_asset_same_key}},
                             unreadable = {{W_site_asset_unreadable}}, not_there = {{W_site_asset_not_there}};

static enum odp_status complain(struct portal *p, const struct odp_text *what, const char *file,
                                const char *value, uint64_t line)
{
    const struct odp_diag diag = {
        .code = ODP_C30, .file = file, .value = odp_slice_of(value), .line = line, .message = what};
    return odp_diags_add(p->job->diags, &diag) == ODP_FAIL ? ODP_FAIL : ODP_BAD;
}

static enum odp_status worst(enum odp_status a, enum odp_status b)
{
    return a > b ? a : b;
}

/* ---- the folder ---- */

/* "home.js" as "home_js"; false: no name of an asset. */
static bool key_of(const char *name, char key[KEY_MAX + 1])
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyz0123456789.-_";
    if (strlen(name) > KEY_MAX || !islower((unsigned char)*name) || name[strspn(name, plain)] != '\0')
        return false;
    size_t i = 0;
    for (; name[i] != '\0'; i++)
        key[i] = name[i] == '.' || name[i] == '-' ? '_' : name[i];
    key[i] = '\0';
    return true;
}

static enum odp_status stage_one(struct portal *p, const char *dir, const char *name)
{
    char key[KEY_MAX + 1];
    struct odp_buffer bytes = {0};
    const char *path = odp_path_join(&p->arena, dir, name), *ext = strrchr(name, '.');
    if (!key_of(name, key))
        return complain(p, &wrong_name, path, name, 0);
    if (ext == NULL || type_of(ext) == NULL)
        return complain(p, &wrong_type, path, name, 0);
    if (json_object_get(p->assets, key) != NULL)
        return complain(p, &same_key, path, key, 0);
    enum odp_status status = odp_file_read(path, ASSET_MAX, &bytes, NULL);
    if (status == ODP_OK)
        status = portal_asset_put(p, key, ext, odp_buffer_slice(&bytes));
    else if (status == ODP_BAD)
        status = complain(p, &unreadable, path, NULL, 0);
    odp_buffer_release(&bytes);
    return status;
}

static enum odp_status stage_folder(struct portal *p)
{
    const char **names, *dir = odp_path_join(&p->arena, p->catalog->share, "assets");
    size_t n, staged = 0;
    enum odp_status status = odp_dir_list(dir, &p->arena, &names, &n);
    if (status != ODP_OK)
        return status == ODP_BAD ? complain(p, &no_folder, dir, NULL, 0) : ODP_FAIL;
    for (size_t i = 0; i < n && status != ODP_FAIL; i++) {
        if (*names[i] == '.') /* an editor's, a file manager's */
            continue;
        staged++;
        status = worst(status, stage_one(p, dir, names[i]));
    }
    return staged == 0 ? worst(status, complain(p, &empty_folder, dir, NULL, 0)) : status;
}

/* ---- what templates want ---- */

/* Each {{…assets.KEY.…}} of TEXT has its asset. */
static enum odp_status check_template(struct portal *p, const char *path, const char *text)
{
    static const char word[] = "assets.", of_key[] = "abcdefghijklmnopqrstuvwxyz0123456789_";
    enum odp_status status = ODP_OK;
    uint64_t line = 1;
    const char *counted = text;
    for (const char *at = strstr(text, word); at != NULL && status != ODP_FAIL; at = strstr(at + 1, word)) {
        const char *key = at + sizeof word - 1;
        size_t n = strspn(key, of_key);
        if (n == 0 || n > KEY_MAX || key[n] != '.' || at == text || strchr("{# ", at[-1]) == NULL)
            continue;
        const char *name = portal_printf(p, "%.*s", (int)n, key);
        for (; counted < at; counted++)
            line += *counted == '\n';
        if (json_object_get(p->assets, name) == NULL)
            status = worst(status, complain(p, &not_there, path, name, line));
    }
    return status;
}

/* Our own templates alone: with them the assets come. A name that the catalogue's templates get wrong is a
 * fault of theirs (ODP-C25). */
static enum odp_status check_templates(struct portal *p, const char *folder)
{
    const char **names, *dir = odp_path_join(&p->arena, p->catalog->share, folder);
    size_t n;
    enum odp_status status = odp_dir_list(dir, &p->arena, &names, &n);
    if (status != ODP_OK)
        return status == ODP_BAD ? ODP_OK : ODP_FAIL; /* no templates, nothing wanted */
    for (size_t i = 0; i < n && status != ODP_FAIL; i++) {
        struct odp_buffer text = {0};
        const char *path = odp_path_join(&p->arena, dir, names[i]);
        enum odp_status one = odp_file_read(path, TEMPLATE_MAX, &text, NULL);
        if (one == ODP_OK)
            one = check_template(p, path, odp_buffer_cstr(&text));
        else if (one == ODP_BAD) /* who opens the templates says what is wrong with it */
            one = ODP_OK;
        status = worst(status, text.failed ? ODP_FAIL : one);
        odp_buffer_release(&text);
    }
    return status;
}

/* ---- the theme ---- */

static void add_mode(struct odp_buffer *css, const struct odp_theme *t, enum odp_theme_mode mode)
{
    odp_buffer_add_str(css, ":root{");
    for (int i = 0; i < ODP_THEME_COLORS; i++)
        odp_buffer_printf(css, "--color-%s:%s;", odp_theme_name((enum odp_theme_color)i),
                          odp_theme_get(t, mode, (enum odp_theme_color)i));
    char hex[8];
    for (int i = 0; i < ODP_THEME_RAMP; i++) {
        odp_theme_ramp(t, mode, i, hex);
        odp_buffer_printf(css, "--ramp-%d:%s;", i + 1, hex);
    }
    odp_theme_tint(t, mode, 8, hex);
    odp_buffer_printf(css, "--color-tint:%s;", hex);
    odp_buffer_add_str(css, "}");
}

/* The style sheet of pages that outlive the build, at an address that stays: what portal.css and the theme
 * are today. */
static enum odp_status stage_style(struct portal *p, struct odp_slice theme)
{
    struct odp_buffer css = {0};
    const char *path = odp_path_join(&p->arena, p->catalog->share, "assets/portal.css");
    enum odp_status status = odp_file_read(path, ASSET_MAX, &css, NULL);
    odp_buffer_add_slice(&css, theme);
    if (status == ODP_BAD) /* another set of assets, which has none: told where a template asks for it */
        status = ODP_OK;
    else if (status == ODP_OK && p->job->stage != NULL)
        status = odp_stage_put(p->job->stage, odp_path(ODP_PATH_style, ODP_LANG_ID), type_of(".css"),
                               ODP_CLASS_PUBLIC, odp_buffer_slice(&css));
    odp_buffer_release(&css);
    return status;
}

/* The theme as a style sheet: custom properties of catalog/theme.def and what is made of the accent, light
 * and dark, then the ministry's own rules. What is in it was checked with the catalogue: every pair that
 * text, borders and focus are seen in for contrast, in light and dark. */
static enum odp_status stage_theme(struct portal *p)
{
    const struct odp_theme *t = &p->catalog->theme;
    struct odp_buffer css = {0};
    add_mode(&css, t, ODP_THEME_LIGHT); /* paper is light, whatever the screen is */
    odp_buffer_add_str(&css, "\n@media screen and (prefers-color-scheme:dark){");
    add_mode(&css, t, ODP_THEME_DARK);
    odp_buffer_add_str(&css, "}\n");
    odp_buffer_add_slice(&css, t->css);
    for (int mode = 0; mode < ODP_THEME_MODES; mode++)
        p->colors[mode] = odp_theme_get(t, (enum odp_theme_mode)mode, ODP_THEME_BG);
    enum odp_status status = odp_buffer_status(&css);
    if (status == ODP_OK && t->logo_file != NULL) {
        status = portal_asset_put(p, "logo", t->logo_is_png ? ".png" : ".svg", t->logo);
        p->logo = odp_text_of(json_object_get(p->assets, "logo"), "path");
    }
    if (status == ODP_OK)
        status = portal_asset_put(p, "theme_css", ".css", odp_buffer_slice(&css));
    if (status == ODP_OK)
        status = stage_style(p, odp_buffer_slice(&css));
    odp_buffer_release(&css);
    return status;
}

enum odp_status portal_assets(struct portal *p)
{
    p->assets = json_object();
    enum odp_status status = stage_folder(p);
    if (status == ODP_OK)
        status = stage_theme(p);
    if (status == ODP_OK && !p->proven)
        status = worst(check_templates(p, "pages"), check_templates(p, "parts"));
    return status;
}
