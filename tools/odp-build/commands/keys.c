/* odp-build keygen, rotate and sign: the keys of a site, and its signature. */
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/temporary.h"
#include "commands/failure.h"
#include "commands/outcome.h"
#include "commands/secret_key.h"
#include "publish/publish.h"
#include "publish/sign/keys.h"

static int failed(const struct invocation *inv, enum odp_status status, const struct odp_text *why)
{
    if (status == ODP_OK)
        return EXIT_CLEAN;
    if (status == ODP_FAIL)
        failure_say(inv, NULL);
    else
        fprintf(stderr, "odp-build: %s\n", odp_text_get(why, inv->style.lang));
    return status == ODP_FAIL ? EXIT_MACHINE : EXIT_REJECTED;
}

/* ---- files of keys ----------------------------------------------------------------------------------------------------------
 */

/* The files of one new key: DIR/odp-signing.key and .pub. */
struct key_files {
    const char *secret, *public;
};

static bool name_files(struct key_files *f, const char *dir, enum odp_key_role role, struct odp_arena *a)
{
    const char *name = role == ODP_KEY_SIGNING ? "odp-signing" : "odp-recovery";
    f->secret = odp_arena_printf(a, "%s/%s.key", dir, name);
    f->public = odp_arena_printf(a, "%s/%s.pub", dir, name);
    return f->secret != NULL && f->public != NULL;
}

/* Keys are never written over. */
static int refuse_existing(const struct invocation *inv, const char *path)
{
    struct stat st;
    if (lstat(path, &st) != 0)
        return EXIT_CLEAN;
    fprintf(stderr,
            say(inv, "odp-build: %s sudah ada; kunci tidak pernah ditimpa\n",
                "odp-build: %s exists already; keys are never written over\n"),
            path);
    return EXIT_USAGE;
}

static int make_folder(const struct invocation *inv, const char *dir, const struct key_files *files, size_t n)
{
    int code = EXIT_CLEAN;
    if (mkdir(dir, 0700) != 0 && errno != EEXIST && failed(inv, odp_dir_make(dir), NULL) != EXIT_CLEAN)
        return EXIT_MACHINE;
    for (size_t i = 0; i < n && code == EXIT_CLEAN; i++) {
        code = refuse_existing(inv, files[i].secret);
        if (code == EXIT_CLEAN)
            code = refuse_existing(inv, files[i].public);
    }
    return code;
}

static enum odp_status write_key(const struct key_files *f, const struct odp_secret_key *key, const struct odp_public_key *pub,
                                 const char *password)
{
    struct odp_buffer text;
    odp_buffer_init(&text);
    odp_public_key_file(&text, pub);
    enum odp_status status = odp_buffer_status(&text);
    if (status == ODP_OK)
        status = odp_secret_key_write(key, f->secret, password,
                                      password != NULL ? "minisign encrypted secret key" : "minisign secret key");
    if (status == ODP_OK && (status = odp_file_put(f->public, odp_buffer_slice(&text), 0644, NULL)) != ODP_OK)
        (void)unlink(f->secret);
    odp_buffer_release(&text);
    return status;
}

static void print_key(const char *path, const char *what, const struct odp_public_key *key)
{
    struct odp_buffer text;
    odp_buffer_init(&text);
    odp_public_key_id(&text, key);
    odp_buffer_add_str(&text, "  ");
    odp_public_key_text(&text, key);
    printf("  %s  %s\n      %s\n", path, what, odp_buffer_cstr(&text));
    odp_buffer_release(&text);
}

/* ---- keygen
 * ------------------------------------------------------------------------------------------------------------------ */

static void tell_keygen(const struct invocation *inv, const char *dir, const char *document)
{
    printf(say(inv,
               "\nLangkah berikut:\n"
               "  1. Salin %s/keys.json menjadi %s/keys.json dan simpan dalam riwayat katalog:\n%s"
               "  2. Pindahkan odp-recovery.key ke media yang tidak tersambung (dua salinan, dua tempat, misalnya brankas), "
               "lalu hapus\n"
               "     dari mesin ini. Kunci itu hanya dipakai bila kunci penanda tangan hilang atau bocor: odp-build rotate.\n"
               "  3. Setelah build: odp-build sign --key %s/odp-signing.key\n"
               "  4. Umumkan kunci publik penanda tangan juga lewat jalan lain (surat, laman kementerian), agar pemakai data "
               "dapat\n"
               "     memeriksa: odp-build verify ALAMAT --keys RW…\n",
               "\nWhat to do next:\n"
               "  1. Copy %s/keys.json to %s/keys.json and keep it in the catalogue's history:\n%s"
               "  2. Move odp-recovery.key to media that are not connected (two copies, two places, such as a safe), then "
               "remove it\n"
               "     from this machine. It is needed only if the signing key is lost or stolen: odp-build rotate.\n"
               "  3. After a build: odp-build sign --key %s/odp-signing.key\n"
               "  4. Announce the public signing key by another way too (a letter, the ministry's page), so that users of the "
               "data\n"
               "     can check: odp-build verify ADDRESS --keys RW…\n"),
           dir, inv->options.catalog, document, dir);
}

/* Both keys, their files and keys.json; on failure none of them stays. */
static enum odp_status make_keys(const struct invocation *inv, const char *dir, const struct key_files files[2],
                                 const char *document_path, const char *password)
{
    struct odp_secret_key *keys[2] = {NULL, NULL};
    struct odp_public_key publics[2];
    struct odp_buffer document;
    odp_buffer_init(&document);
    enum odp_status status = odp_secret_key_generate(&keys[0], &publics[0]);
    if (status == ODP_OK)
        status = odp_secret_key_generate(&keys[1], &publics[1]);
    if (status == ODP_OK)
        status = odp_site_keys_make(&document, keys[0], &publics[1]);
    size_t written = 0;
    for (; written < 2 && status == ODP_OK; written += status == ODP_OK)
        status = write_key(&files[written], keys[written], &publics[written], password);
    if (status == ODP_OK)
        status = odp_file_put(document_path, odp_buffer_slice(&document), 0644, NULL);
    if (status == ODP_OK) {
        puts(say(inv, "Dua kunci dibuat:", "Two keys were made:"));
        print_key(files[0].secret, say(inv, "kunci penanda tangan", "signing key"), &publics[0]);
        print_key(files[1].secret, say(inv, "kunci pemulihan", "recovery key"), &publics[1]);
        tell_keygen(inv, dir, odp_buffer_cstr(&document));
    } else {
        for (size_t i = 0; i < written; i++) {
            (void)unlink(files[i].secret);
            (void)unlink(files[i].public);
        }
    }
    odp_secret_key_free(keys[0]);
    odp_secret_key_free(keys[1]);
    odp_buffer_release(&document);
    return status;
}

static int run_keygen(struct invocation *inv)
{
    struct key_files files[2];
    struct odp_arena arena;
    char *password = NULL;
    if (inv->nwords != 1) {
        fputs(say(inv, "odp-build: pemakaian: odp-build keygen DIR\n", "odp-build: usage: odp-build keygen DIR\n"), stderr);
        return EXIT_USAGE;
    }
    const char *dir = inv->words[0];
    odp_arena_init(&arena);
    const char *document = odp_path_join(&arena, dir, ODP_KEYS_PATH);
    bool named = document != NULL && name_files(&files[0], dir, ODP_KEY_SIGNING, &arena) && name_files(&files[1], dir, ODP_KEY_RECOVERY, &arena);
    int code = named ? make_folder(inv, dir, files, 2) : failed(inv, ODP_FAIL, NULL);
    if (code == EXIT_CLEAN)
        code = refuse_existing(inv, document);
    if (code == EXIT_CLEAN)
        code = secret_password_new(inv, &password);
    if (code == EXIT_CLEAN)
        code = failed(inv, make_keys(inv, dir, files, document, password), NULL);
    secret_password_free(password);
    odp_arena_release(&arena);
    return code;
}

/* ---- rotate
 * ------------------------------------------------------------------------------------------------------------------ */

struct rotation {
    const char *dir, *path; /* of the new key; of keys.json */
    struct odp_secret_key *signer, *fresh;
    struct odp_public_key own, replaced, next;
    enum odp_key_role role;
    struct key_files files;
    struct odp_buffer old, now; /* keys.json */
    char *password;
    struct odp_arena arena;
};

static int read_document(const struct invocation *inv, struct rotation *r)
{
    int errnum = 0;
    r->path = odp_path_join(&r->arena, inv->options.catalog, ODP_KEYS_PATH);
    enum odp_status status = r->path != NULL ? odp_file_read(r->path, ODP_KEYS_MAX, &r->old, &errnum) : ODP_FAIL;
    if (status != ODP_BAD)
        return failed(inv, status, NULL);
    fprintf(stderr,
            say(inv, "odp-build: %s tidak dapat dibaca: %s (buat dengan odp-build keygen)\n",
                "odp-build: %s cannot be read: %s (make it with odp-build keygen)\n"),
            r->path, strerror(errnum));
    return EXIT_USAGE;
}

/* Whether keys.json is the old one for certain: where the new one stands already (its folder could not be synced), or nobody can tell, the key that it may
 * name must not go. */
static bool is_old_document(const struct rotation *r)
{
    struct odp_buffer text;
    odp_buffer_init(&text);
    bool old = odp_file_read(r->path, ODP_KEYS_MAX, &text, NULL) == ODP_OK && text.len == r->old.len && memcmp(text.ptr, r->old.ptr, text.len) == 0;
    odp_buffer_release(&text);
    return old;
}

/* The new key's files before keys.json, which names it. */
static enum odp_status write_rotation(struct rotation *r)
{
    enum odp_status status = write_key(&r->files, r->fresh, &r->next, r->password);
    if (status != ODP_OK)
        return status;
    status = odp_file_replace(r->path, odp_buffer_slice(&r->now), 0644);
    if (status != ODP_OK && is_old_document(r)) {
        (void)unlink(r->files.secret);
        (void)unlink(r->files.public);
    }
    return status;
}

static enum odp_status make_rotation(const struct invocation *inv, struct rotation *r, struct odp_text *why)
{
    const struct odp_rotation rotation = {.from = inv->nwords > 1 ? inv->words[1] : NULL, .signer = r->signer, .to = &r->next};
    enum odp_status status = odp_secret_key_generate(&r->fresh, &r->next);
    if (status == ODP_OK)
        status = odp_site_keys_rotate(&r->now, odp_buffer_slice(&r->old), &rotation, &r->arena, why);
    return status == ODP_OK ? write_rotation(r) : status;
}

static void tell_rotation(const struct invocation *inv, const struct rotation *r)
{
    bool signing = r->role == ODP_KEY_SIGNING;
    print_key(r->files.secret,
              signing ? say(inv, "kunci penanda tangan baru", "new signing key")
                      : say(inv, "kunci pemulihan baru", "new recovery key"),
              &r->next);
    printf("  %s  %s\n", r->path, say(inv, "memuat rotasinya", "holds the rotation"));
    if (signing)
        printf(say(inv,
                   "Langkah berikut: odp-build build, lalu odp-build sign --key %s; setelah terbit, hapus kunci yang lama.\n",
                   "What to do next: odp-build build, then odp-build sign --key %s; once published, remove the old key.\n"),
               r->files.secret);
    else
        puts(say(inv, "Langkah berikut: pindahkan kunci pemulihan baru ke media yang tidak tersambung, lalu odp-build build.",
                 "What to do next: move the new recovery key to media that are not connected, then odp-build build."));
}

static int run_rotation(struct invocation *inv, struct rotation *r)
{
    struct odp_text why = {{"", ""}};
    int code = read_document(inv, r);
    if (code == EXIT_CLEAN)
        code = secret_key_open(inv, &r->signer);
    if (code == EXIT_CLEAN) {
        odp_secret_key_public(r->signer, &r->own);
        code = failed(inv,
                      odp_site_keys_replaced(odp_buffer_slice(&r->old), inv->nwords > 1 ? inv->words[1] : NULL, &r->own,
                                             &r->role, &r->replaced, &r->arena, &why),
                      &why);
    }
    if (code == EXIT_CLEAN)
        code = name_files(&r->files, r->dir, r->role, &r->arena) ? make_folder(inv, r->dir, &r->files, 1) : failed(inv, ODP_FAIL, NULL);
    if (code == EXIT_CLEAN)
        code = secret_password_new(inv, &r->password);
    if (code == EXIT_CLEAN)
        code = failed(inv, make_rotation(inv, r, &why), &why);
    if (code == EXIT_CLEAN)
        tell_rotation(inv, r);
    return code;
}

static int run_rotate(struct invocation *inv)
{
    struct rotation r = {0};
    if (inv->nwords < 1 || inv->nwords > 2) {
        fputs(say(inv, "odp-build: pemakaian: odp-build rotate DIR [ID] --key BERKAS\n",
                  "odp-build: usage: odp-build rotate DIR [ID] --key FILE\n"),
              stderr);
        return EXIT_USAGE;
    }
    r.dir = inv->words[0];
    odp_arena_init(&r.arena);
    odp_buffer_init(&r.old);
    odp_buffer_init(&r.now);
    int code = run_rotation(inv, &r);
    odp_secret_key_free(r.signer);
    odp_secret_key_free(r.fresh);
    secret_password_free(r.password);
    odp_buffer_release(&r.old);
    odp_buffer_release(&r.now);
    odp_arena_release(&r.arena);
    return code;
}

/* ---- sign
 * -------------------------------------------------------------------------------------------------------------------- */

static enum odp_status name_key(struct odp_buffer *id, const struct odp_secret_key *key)
{
    struct odp_public_key own;
    odp_secret_key_public(key, &own);
    odp_public_key_id(id, &own);
    return odp_buffer_status(id);
}

static int run_sign(struct invocation *inv)
{
    struct odp_secret_key *key = NULL;
    struct odp_diags *diags = NULL;
    struct odp_buffer id; /* got ready first: what has been signed is told of */
    if (inv->nwords > 0) {
        fputs(say(inv, "odp-build: pemakaian: odp-build sign --key BERKAS [--out SITUS]\n",
                  "odp-build: usage: odp-build sign --key FILE [--out SITE]\n"),
              stderr);
        return EXIT_USAGE;
    }
    odp_buffer_init(&id);
    int code = secret_key_open(inv, &key);
    if (code == EXIT_CLEAN) {
        enum odp_status status = odp_diags_new(&diags, inv->options.examples);
        if (status == ODP_OK)
            status = name_key(&id, key);
        if (status == ODP_OK)
            status = odp_site_sign(inv->options.out, key, diags);
        code = outcome_show(inv, diags, status);
    }
    if (code == EXIT_CLEAN && inv->nreports == 0)
        printf(say(inv, "%s/manifest.json.minisig: ditandatangani dengan kunci %s\n",
                   "%s/manifest.json.minisig: signed with key %s\n"),
               inv->options.out, odp_buffer_cstr(&id));
    odp_buffer_release(&id);
    odp_diags_free(diags);
    odp_secret_key_free(key);
    return code;
}

const struct command command_keygen = {
    "keygen", "DIR", {{"kunci penanda tangan dan kunci pemulihan baru", "a new signing key and a recovery key"}}, run_keygen};
const struct command command_rotate = {"rotate",
                                       "DIR [ID]",
                                       {{"mengganti kunci; yang lama atau kunci pemulihan menandatangani",
                                         "replace a key; the old one or the recovery key signs for it"}},
                                       run_rotate};
const struct command command_sign = {"sign", "", {{"menandatangani manifest situs", "sign the site's manifest"}}, run_sign};
