/* odp-build keygen, rotate and sign: the keys of a site, and its signature. */
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/refusal.h"
#include "base/temporary.h"
#include "commands/outcome.h"
#include "commands/secret_key.h"
#include "publish/publish.h"
#include "publish/sign/keys.h"
#include "words/commands.h"

/* ---- files of keys ---- */

/* The files of one new key: DIR/odp-signing.key and .pub. */
struct key_files {
    const char *secret, *public;
};

static void name_files(struct key_files *f, const char *dir, enum odp_key_role role, struct odp_arena *a)
{
    const char *name = role == ODP_KEY_SIGNING ? "odp-signing" : "odp-recovery";
    f->secret = odp_arena_printf(a, "%s/%s.key", dir, name);
    f->public = odp_arena_printf(a, "%s/%s.pub", dir, name);
}

/* Keys are never overwritten. */
static int refuse_existing(const struct invocation *inv, const char *path)
{
    struct stat st;
    if (lstat(path, &st) != 0)
        return EXIT_CLEAN;
    fprintf(stderr, say(inv, W_cmd_exists_already_keys_never_written), path);
    return EXIT_USAGE;
}

static int make_folder(const struct invocation *inv, const char *dir, const struct key_files *files, size_t n)
{
    int code = EXIT_CLEAN;
    if (mkdir(dir, 0700) != 0 && errno != EEXIST && outcome_code(inv, odp_dir_make(dir), NULL) != EXIT_CLEAN)
        return EXIT_MACHINE;
    for (size_t i = 0; i < n && code == EXIT_CLEAN; i++) {
        code = refuse_existing(inv, files[i].secret);
        if (code == EXIT_CLEAN)
            code = refuse_existing(inv, files[i].public);
    }
    return code;
}

static enum odp_status write_key(const struct key_files *f, const struct odp_secret_key *key,
                                 const struct odp_public_key *pub, const char *password)
{
    struct odp_buffer text = {0};
    odp_public_key_file(&text, pub);
    enum odp_status status = odp_memory_status();
    if (status == ODP_OK)
        status =
            odp_secret_key_write(key, f->secret, password,
                                 password != NULL ? "minisign encrypted secret key" : "minisign secret key");
    if (status == ODP_OK && (status = odp_file_put(f->public, odp_buffer_slice(&text), 0644, NULL)) != ODP_OK)
        (void)unlink(f->secret);
    odp_buffer_release(&text);
    return status;
}

static void print_key(const char *path, const char *what, const struct odp_public_key *key)
{
    struct odp_buffer text = {0};
    odp_buffer_printf(&text, "%s  ", odp_key_id(key).text);
    odp_public_key_text(&text, key);
    printf("  %s  %s\n      %s\n", path, what, odp_buffer_cstr(&text));
    odp_buffer_release(&text);
}

/* ---- keygen ---- */

static void print_next_steps(const struct invocation *inv, const char *dir, const char *document)
{
    printf(say(inv, W_cmd_what_do_next_1_copy), dir, inv->options.catalog, document, dir);
}

/* Makes both keys, their files and keys.json; after a failure none of them stays. */
static enum odp_status make_keys(const struct invocation *inv, const char *dir,
                                 const struct key_files files[2], const char *document_path,
                                 const char *password)
{
    struct odp_secret_key *keys[2] = {NULL, NULL};
    struct odp_public_key publics[2];
    struct odp_buffer document = {0};
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
        puts(say(inv, W_cmd_two_keys_made));
        print_key(files[0].secret, say(inv, W_cmd_signing_key), &publics[0]);
        print_key(files[1].secret, say(inv, W_cmd_recovery_key), &publics[1]);
        print_next_steps(inv, dir, odp_buffer_cstr(&document));
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
    struct odp_arena *arena = &inv->run.arena;
    char *password = NULL;
    if (inv->nwords != 1)
        return outcome_usage(inv, W_cmd_usage_keygen);
    const char *dir = inv->words[0];
    odp_arena_init(arena);
    const char *document = odp_path_join(arena, dir, ODP_KEYS_PATH);
    name_files(&files[0], dir, ODP_KEY_SIGNING, arena);
    name_files(&files[1], dir, ODP_KEY_RECOVERY, arena);
    int code = make_folder(inv, dir, files, 2);
    if (code == EXIT_CLEAN)
        code = refuse_existing(inv, document);
    if (code == EXIT_CLEAN)
        code = secret_password_new(inv, &password);
    if (code == EXIT_CLEAN)
        code = outcome_code(inv, make_keys(inv, dir, files, document, password), NULL);
    secret_password_free(password);
    return code;
}

/* ---- rotate ---- */

struct rotation {
    const char *dir, *path; /* of the new key; of keys.json */
    struct odp_secret_key *signer, *fresh;
    struct odp_public_key own, next;
    struct odp_replaced_key replaced;
    struct key_files files;
    struct odp_buffer old, now; /* keys.json */
    char *password;
    struct odp_arena *arena;
};

static int read_document(const struct invocation *inv, struct rotation *r)
{
    int errnum = 0;
    r->path = odp_path_join(r->arena, inv->options.catalog, ODP_KEYS_PATH);
    enum odp_status status = odp_file_read(r->path, ODP_KEYS_MAX, &r->old, &errnum);
    if (status != ODP_BAD)
        return outcome_code(inv, status, NULL);
    const struct odp_text why = odp_refusal_text(errnum);
    fprintf(stderr, say(inv, W_cmd_cannot_read_make_with_odp), r->path, odp_text_get(&why, inv->style.lang));
    return EXIT_USAGE;
}

/* Whether keys.json is certainly the old one. If the new one may be in place already (its folder could not
 * be synced), the key that it names must stay. */
static bool is_old_document(const struct rotation *r)
{
    struct odp_buffer text = {0};
    bool old = odp_file_read(r->path, ODP_KEYS_MAX, &text, NULL) == ODP_OK && text.len == r->old.len &&
               memcmp(text.ptr, r->old.ptr, text.len) == 0;
    odp_buffer_release(&text);
    return old;
}

/* Writes the new key's files before keys.json, which names them. */
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
    const struct odp_rotation rotation = {
        .from = inv->nwords > 1 ? inv->words[1] : NULL, .signer = r->signer, .to = &r->next};
    enum odp_status status = odp_secret_key_generate(&r->fresh, &r->next);
    if (status == ODP_OK)
        status = odp_site_keys_rotate(&r->now, odp_buffer_slice(&r->old), &rotation, r->arena, why);
    return status == ODP_OK ? write_rotation(r) : status;
}

static void print_rotation(const struct invocation *inv, const struct rotation *r)
{
    bool signing = r->replaced.role == ODP_KEY_SIGNING;
    print_key(r->files.secret, signing ? say(inv, W_cmd_new_signing_key) : say(inv, W_cmd_new_recovery_key),
              &r->next);
    printf("  %s  %s\n", r->path, say(inv, W_cmd_holds_rotation));
    if (signing)
        printf(say(inv, W_cmd_what_do_next_odp_build), r->files.secret);
    else
        puts(say(inv, W_cmd_what_do_next_move_new));
}

static int run_rotation(struct invocation *inv, struct rotation *r)
{
    struct odp_text why = {{"", ""}};
    int code = read_document(inv, r);
    if (code == EXIT_CLEAN)
        code = secret_key_open(inv, &r->signer);
    if (code == EXIT_CLEAN) {
        odp_secret_key_public(r->signer, &r->own);
        code = outcome_code(inv,
                            odp_site_keys_replaced(odp_buffer_slice(&r->old),
                                                   inv->nwords > 1 ? inv->words[1] : NULL, &r->own,
                                                   &r->replaced, r->arena, &why),
                            &why);
    }
    name_files(&r->files, r->dir, r->replaced.role, r->arena);
    if (code == EXIT_CLEAN)
        code = make_folder(inv, r->dir, &r->files, 1);
    if (code == EXIT_CLEAN)
        code = secret_password_new(inv, &r->password);
    if (code == EXIT_CLEAN)
        code = outcome_code(inv, make_rotation(inv, r, &why), &why);
    if (code == EXIT_CLEAN)
        print_rotation(inv, r);
    return code;
}

static int run_rotate(struct invocation *inv)
{
    struct rotation r = {.arena = &inv->run.arena};
    if (inv->nwords < 1 || inv->nwords > 2)
        return outcome_usage(inv, W_cmd_usage_rotate);
    r.dir = inv->words[0];
    odp_arena_init(r.arena);
    int code = run_rotation(inv, &r);
    odp_secret_key_free(r.signer);
    odp_secret_key_free(r.fresh);
    secret_password_free(r.password);
    odp_buffer_release(&r.old);
    odp_buffer_release(&r.now);
    return code;
}

/* ---- sign ---- */

static enum odp_status name_key(struct odp_buffer *id, const struct odp_secret_key *key)
{
    struct odp_public_key own;
    odp_secret_key_public(key, &own);
    odp_buffer_add_str(id, odp_key_id(&own).text);
    return odp_buffer_status(id);
}

static int run_sign(struct invocation *inv)
{
    struct odp_secret_key *key = NULL;
    struct odp_buffer id; /* made first, so that a signed site is always reported */
    if (inv->nwords > 0)
        return outcome_usage(inv, W_cmd_usage_sign);
    odp_buffer_init(&id);
    int code = secret_key_open(inv, &key);
    if (code == EXIT_CLEAN) {
        enum odp_status status = outcome_begin(inv);
        if (status == ODP_OK)
            status = name_key(&id, key);
        if (status == ODP_OK)
            status = odp_site_sign(inv->options.out, key, inv->run.diags);
        code = outcome_end(inv, status);
    }
    if (code == EXIT_CLEAN && inv->nreports == 0)
        printf(say(inv, W_cmd_manifest_json_minisig_signed_with), inv->options.out, odp_buffer_cstr(&id));
    odp_buffer_release(&id);
    odp_secret_key_free(key);
    return code;
}

const struct command command_keygen = {"keygen", "DIR", {{W_cmd_new_signing_key_recovery_key}}, run_keygen};
const struct command command_rotate = {
    "rotate", "DIR [ID]", {{W_cmd_replace_key_old_one_recovery}}, run_rotate};
const struct command command_sign = {"sign", "", {{W_cmd_sign_site_manifest}}, run_sign};
