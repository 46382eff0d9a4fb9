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
#include <errno.h>
#include <stdlib.h>

enum {
    ASSET_MAX = 8 << 20, /* bytes of one file */
    TEMPLATE_MAX = 4 << 20,
    KEY_MAX = 60 /* letters of a key */
};

/* ---- what can be wrong ---- */

enum wrong { NO_FOLDER, EMPTY_FOLDER, WRONG_NAME, WRONG_TYPE, SAME_KEY, UNREADABLE, NOT_THERE };
static const struct odp_text sentences[] = {
    [NO_FOLDER] = {{"folder aset portal tidak ada", "the folder of the portal's assets is not there"}},
    [EMPTY_FOLDER] = {{"folder aset portal kosong", "the folder of the portal's assets is empty"}},
    [WRONG_NAME] = {{"nama berkas ini tidak dapat menjadi nama aset: huruf kecil, angka, titik, - dan _, "
                     "paling panjang 60",
                     "an asset cannot have this name: small letters, digits, dots, - and _, at most 60"}},
    [WRONG_TYPE] = {{"jenis berkas ini bukan jenis aset", "this kind of file is no kind of asset"}},
    [SAME_KEY] = {{"dua aset menjadi satu nama dalam templat", "two assets become one name in templates"}},
    [UNREADABLE] = {{"aset tidak dapat dibaca sebagai berkas biasa sampai 8 MB",
                     "this asset cannot be read as a regular file of up to 8 MB"}},
    [NOT_THERE] = {{"templat portal memakai aset yang tidak ada",
                    "a template of the portal uses an asset that is not there"}},
};

static enum odp_status complain(struct portal *p, enum wrong what, const char *file, struct odp_slice value,
                                uint64_t line)
{
    const struct odp_diag diag = {
        .code = ODP_C30, .file = file, .value = value, .line = line, .message = &sentences[what]};
    return odp_diags_add(p->job->diags, &diag) == ODP_FAIL ? ODP_FAIL : ODP_BAD;
}

static enum odp_status worst(enum odp_status a, enum odp_status b)
{
    return a > b ? a : b;
}

/* ---- one asset -------------------------------------------------------------------------------------- */

/* "home.js" as "home_js"; false: no name of an asset. */
static bool key_of(const char *name, char key[KEY_MAX + 1])
{
    size_t n = strlen(name);
    if (n > KEY_MAX || !islower((unsigned char)*name))
        return false;
    for (size_t i = 0; i <= n; i++) {
        char c = name[i];
        if (c != '\0' && !(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9') && c != '.' && c != '-' &&
            c != '_')
            return false;
        key[i] = c == '.' || c == '-' ? '_' : c;
    }
    return true;
}

static enum odp_status stage_one(struct portal *p, const char *dir, const char *name)
{
    char key[KEY_MAX + 1];
    struct odp_buffer bytes;
    const char *path = odp_path_join(&p->arena, dir, name), *ext = strrchr(name, '.');
    if (!key_of(name, key))
        return complain(p, WRONG_NAME, path, odp_slice_of(name), 0);
    if (ext == NULL || portal_asset_type(ext) == NULL)
        return complain(p, WRONG_TYPE, path, odp_slice_of(name), 0);
    if (json_object_get(p->assets, key) != NULL)
        return complain(p, SAME_KEY, path, odp_slice_of(key), 0);
    odp_buffer_init(&bytes);
    enum odp_status status = odp_file_read(path, ASSET_MAX, &bytes, NULL);
    if (status == ODP_OK)
        status = portal_asset_put(p, key, ext, odp_buffer_slice(&bytes));
    else if (status == ODP_BAD)
        status = complain(p, UNREADABLE, path, (struct odp_slice){NULL, 0}, 0);
    odp_buffer_release(&bytes);
    return status;
}

static enum odp_status stage_folder(struct portal *p)
{
    const char **names, *dir = odp_path_join(&p->arena, p->catalog->share, "assets");
    size_t n, staged = 0;
    enum odp_status status = odp_dir_list(dir, &p->arena, &names, &n);
    if (status != ODP_OK)
        return status == ODP_BAD ? complain(p, NO_FOLDER, dir, (struct odp_slice){NULL, 0}, 0) : ODP_FAIL;
    for (size_t i = 0; i < n && status != ODP_FAIL; i++) {
        if (*names[i] == '.') /* an editor's, a file manager's */
            continue;
        staged++;
        status = worst(status, stage_one(p, dir, names[i]));
    }
    return staged == 0 ? worst(status, complain(p, EMPTY_FOLDER, dir, (struct odp_slice){NULL, 0}, 0))
                       : status;
}

/* ---- what templates want ---- */

static bool is_of_key(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

/* Each {{…assets.KEY.…}} of TEXT has its asset. */
static enum odp_status check_template(struct portal *p, const char *path, const char *text)
{
    static const char word[] = "assets.";
    enum odp_status status = ODP_OK;
    uint64_t line = 1;
    const char *counted = text;
    for (const char *at = strstr(text, word); at != NULL && status != ODP_FAIL; at = strstr(at + 1, word)) {
        const char *key = at + sizeof word - 1;
        size_t n = 0;
        char name[KEY_MAX + 1];
        while (n < KEY_MAX && is_of_key(key[n]))
            n++;
        if (n == 0 || key[n] != '.' || at == text || (at[-1] != '{' && at[-1] != '#' && at[-1] != ' '))
            continue;
        memcpy(name, key, n);
        name[n] = '\0';
        for (; counted < at; counted++)
            line += *counted == '\n';
        if (json_object_get(p->assets, name) == NULL)
            status = worst(status, complain(p, NOT_THERE, path, (struct odp_slice){name, n}, line));
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
        struct odp_buffer text;
        const char *path = odp_path_join(&p->arena, dir, names[i]);
        odp_buffer_init(&text);
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

/* ---- all of it -------------------------------------------------------------------------------------- */

/* The style sheet of pages that outlive the build, at an address that stays: what portal.css and the theme
 * are today. */
static enum odp_status stage_style(struct portal *p, struct odp_slice theme)
{
    struct odp_buffer css;
    const char *path = odp_path_join(&p->arena, p->catalog->share, "assets/portal.css");
    odp_buffer_init(&css);
    enum odp_status status = odp_file_read(path, ASSET_MAX, &css, NULL);
    odp_buffer_add_slice(&css, theme);
    if (status == ODP_BAD) /* another set of assets, which has none: told where a template asks for it */
        status = ODP_OK;
    else if (status == ODP_OK && p->job->stage != NULL)
        status = odp_stage_put(p->job->stage, odp_path(ODP_PATH_style, ODP_LANG_ID),
                               portal_asset_type(".css"), ODP_CLASS_PUBLIC, odp_buffer_slice(&css));
    odp_buffer_release(&css);
    return status;
}

static enum odp_status stage_theme(struct portal *p)
{
    struct odp_buffer css;
    odp_buffer_init(&css);
    enum odp_status status = portal_theme(p, &css);
    if (status == ODP_OK)
        status = odp_buffer_status(&css);
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
    if (status == ODP_OK)
        status = worst(check_templates(p, "pages"), check_templates(p, "parts"));
    return status;
}
