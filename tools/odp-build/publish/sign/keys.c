/* The keys of a site, followed through their rotations. See keys.h for the form and what is trusted. */
#include "publish/sign/keys.h"

#include "base/json_load.h"
#include "publish/sign/sign_internal.h"
#include "words/publish.h"

enum { KEYS_MOST = 64, ROTATIONS_MOST = 1000 };

struct member {
    struct odp_public_key key;
    enum odp_key_role role;
    bool in_force, trusted;
};

struct ring {
    struct member *members;
    size_t n;
    const struct odp_public_key *given; /* trusted before */
    size_t ngiven;
    struct odp_arena *arena;
    struct odp_text *why;
};

static const char *const role_names[] = {"signing", "recovery"};

static bool read_role(const json_t *text, enum odp_key_role *role)
{
    const char *s = json_string_value(text);
    for (*role = ODP_KEY_SIGNING; s != NULL && *role <= ODP_KEY_RECOVERY; (*role)++)
        if (strcmp(s, role_names[*role]) == 0)
            return true;
    return false;
}

static bool read_key(const json_t *text, struct odp_public_key *key)
{
    const char *s = json_string_value(text);
    return s != NULL && odp_public_key_parse(key, odp_slice_of(s)) == ODP_OK;
}

static bool is_given(const struct ring *r, const struct odp_public_key *key)
{
    for (size_t i = 0; i < r->ngiven; i++)
        if (odp_public_key_same(&r->given[i], key))
            return true;
    return false;
}

/* The key in force with this id, or NULL. */
static struct member *in_force(const struct ring *r, const char *id)
{
    for (size_t i = 0; i < r->n && id != NULL; i++)
        if (r->members[i].in_force && strcmp(odp_key_id(&r->members[i].key).text, id) == 0)
            return &r->members[i];
    return NULL;
}

/* Neither key nor id may come twice: a rotation names ids. */
static bool add_member(struct ring *r, const struct odp_public_key *key, enum odp_key_role role, bool trusted)
{
    for (size_t i = 0; i < r->n; i++)
        if (memcmp(r->members[i].key.id, key->id, sizeof key->id) == 0 ||
            memcmp(r->members[i].key.key, key->key, sizeof key->key) == 0)
            return false;
    r->members[r->n++] = (struct member){*key, role, true, trusted};
    return true;
}

static enum odp_status read_first_keys(struct ring *r, const json_t *keys)
{
    size_t signing = 0;
    if (!json_is_array(keys) || json_array_size(keys) == 0 || json_array_size(keys) > KEYS_MOST)
        return odp_refusal_put(r->arena, r->why, W_publish_keys_must_hold_1_keys, KEYS_MOST);
    for (size_t i = 0; i < json_array_size(keys); i++) {
        const json_t *entry = json_array_get(keys, i);
        struct odp_public_key key;
        enum odp_key_role role;
        if (!read_role(json_object_get(entry, "role"), &role) ||
            !read_key(json_object_get(entry, "key"), &key))
            return odp_refusal_put(r->arena, r->why, W_publish_key_expected_role_signing_recovery, i + 1);
        if (!add_member(r, &key, role, r->ngiven == 0 || is_given(r, &key)))
            return odp_refusal_put(r->arena, r->why, W_publish_key_there_twice, i + 1, odp_key_id(&key).text);
        signing += role == ODP_KEY_SIGNING;
    }
    return signing > 0 ? ODP_OK : odp_refusal_put(r->arena, r->why, W_publish_there_no_key_with_role);
}

/* ---- rotations ---- */

void odp_site_keys_statement(struct odp_buffer *out, const struct odp_public_key *from,
                             const struct odp_public_key *to, enum odp_key_role role)
{
    odp_buffer_printf(out, "odp-key-rotation-1\nfrom %s\nto ", odp_key_id(from).text);
    odp_public_key_text(out, to);
    odp_buffer_printf(out, "\nrole %s\n", role_names[role]);
}

struct step {
    size_t number; /* from 1 */
    struct member *from;
    struct odp_public_key to;
    enum odp_key_role role;
    struct odp_slice signature;
    struct member *signer;
};

/* Who signed: FROM, or (not for an introduction) a recovery key in force. */
static enum odp_status find_signer(struct ring *r, struct step *s, bool introduction)
{
    struct odp_public_key keys[KEYS_MOST + 1];
    struct member *members[KEYS_MOST + 1];
    struct odp_signers signers = {.keys = keys};
    size_t n = 0;
    struct odp_buffer statement = {0};
    members[n++] = s->from;
    for (size_t i = 0; i < r->n && !introduction && n <= KEYS_MOST; i++)
        if (r->members[i].in_force && r->members[i].role == ODP_KEY_RECOVERY && &r->members[i] != s->from)
            members[n++] = &r->members[i];
    for (size_t i = 0; i < n; i++)
        keys[i] = members[i]->key;
    signers.nkeys = n;
    odp_site_keys_statement(&statement, &s->from->key, &s->to, s->role);
    enum odp_status status = odp_buffer_status(&statement);
    if (status == ODP_OK)
        status = odp_verify(odp_buffer_slice(&statement), s->signature, &signers, r->arena);
    odp_buffer_release(&statement);
    if (status == ODP_BAD)
        return odp_refusal_put(r->arena, r->why, W_publish_rotation_must_signed_by_key, s->number,
                               odp_key_id(&s->from->key).text, odp_text_get(&signers.why, ODP_LANG_ID),
                               odp_text_get(&signers.why, ODP_LANG_EN));
    if (status == ODP_OK)
        s->signer = members[signers.which];
    return status;
}

static bool any_recovery_trusted(const struct ring *r)
{
    for (size_t i = 0; i < r->n; i++)
        if (r->members[i].role == ODP_KEY_RECOVERY && r->members[i].trusted)
            return true;
    return false;
}

/* A signing key names one of the first recovery keys as its own. Who knows a recovery key already needs no
 * word for another: a stolen signing key must not bring in a recovery key. */
static enum odp_status introduce(struct ring *r, struct step *s)
{
    struct member *named = in_force(r, odp_key_id(&s->to).text);
    if (named == NULL || named->role != ODP_KEY_RECOVERY || !odp_public_key_same(&named->key, &s->to))
        return odp_refusal_put(r->arena, r->why, W_publish_rotation_recovery_key_not_keys, s->number,
                               odp_key_id(&s->to).text);
    enum odp_status status = find_signer(r, s, true);
    if (status == ODP_OK && s->signer->trusted && !any_recovery_trusted(r))
        named->trusted = true;
    return status;
}

static enum odp_status replace(struct ring *r, struct step *s)
{
    if (s->from->role != s->role)
        return odp_refusal_put(r->arena, r->why, W_publish_rotation_changes_role_key, s->number,
                               odp_key_id(&s->from->key).text);
    enum odp_status status = find_signer(r, s, false);
    if (status != ODP_OK)
        return status;
    s->from->in_force = false;
    if (!add_member(r, &s->to, s->role, s->signer->trusted || is_given(r, &s->to)))
        return odp_refusal_put(r->arena, r->why, W_publish_rotation_new_key_there_before, s->number,
                               odp_key_id(&s->to).text);
    return ODP_OK;
}

static enum odp_status apply_rotation(struct ring *r, const json_t *entry, size_t number)
{
    struct step s = {.number = number, .from = in_force(r, odp_json_text(entry, "from"))};
    const char *signature = odp_json_text(entry, "signature");
    if (!read_role(json_object_get(entry, "role"), &s.role) ||
        !read_key(json_object_get(entry, "to"), &s.to) || signature == NULL ||
        !json_is_string(json_object_get(entry, "from")))
        return odp_refusal_put(r->arena, r->why, W_publish_rotation_expected_from_role, number);
    if (s.from == NULL)
        return odp_refusal_put(r->arena, r->why, W_publish_rotation_replaces_key_which_not, number,
                               odp_json_text(entry, "from"));
    s.signature = odp_slice_of(signature);
    return s.from->role == ODP_KEY_SIGNING && s.role == ODP_KEY_RECOVERY ? introduce(r, &s) : replace(r, &s);
}

/* ---- reading ---- */

static enum odp_status follow(struct ring *r, const json_t *root)
{
    const json_t *rotations = json_object_get(root, "rotations");
    size_t n = json_array_size(rotations);
    if (!json_is_object(root) || (rotations != NULL && !json_is_array(rotations)) || n > ROTATIONS_MOST)
        return odp_refusal_put(r->arena, r->why, W_publish_no_list_keys_expected_keys);
    r->members = odp_arena_zero(r->arena, KEYS_MOST + ROTATIONS_MOST, sizeof *r->members);
    enum odp_status status = read_first_keys(r, json_object_get(root, "keys"));
    for (size_t i = 0; i < n && status == ODP_OK; i++)
        status = apply_rotation(r, json_array_get(rotations, i), i + 1);
    return status;
}

static size_t collect(const struct ring *r, enum odp_key_role role, struct odp_public_key *out)
{
    size_t n = 0;
    for (size_t i = 0; i < r->n; i++)
        if (r->members[i].in_force && r->members[i].trusted && r->members[i].role == role)
            out[n++] = r->members[i].key;
    return n;
}

static enum odp_status load(json_t **root, struct odp_slice json, struct ring *r)
{
    json_error_t error;
    *root = json.len <= ODP_KEYS_MAX
                ? odp_json_load(json.ptr != NULL ? json.ptr : "", json.len, JSON_REJECT_DUPLICATES, &error)
                : NULL;
    if (*root != NULL)
        return ODP_OK;
    return json.len > ODP_KEYS_MAX
               ? odp_refusal_put(r->arena, r->why, W_publish_more_than_bytes, ODP_KEYS_MAX)
               : odp_refusal_put(r->arena, r->why, W_publish_not_json_line, error.line);
}

enum odp_status odp_site_keys_read(struct odp_site_keys *out, struct odp_slice json,
                                   const struct odp_public_key *trusted, size_t ntrusted, struct odp_arena *a,
                                   struct odp_text *why)
{
    struct ring r = {.given = trusted, .ngiven = ntrusted, .arena = a, .why = why};
    json_t *root = NULL;
    *out = (struct odp_site_keys){.first_use = ntrusted == 0};
    *why = (struct odp_text){{"", ""}};
    enum odp_status status = load(&root, json, &r);
    if (status == ODP_OK)
        status = follow(&r, root);
    json_decref(root);
    if (status != ODP_OK)
        return status;
    out->signing = odp_arena_array(a, r.n, sizeof *out->signing);
    out->recovery = odp_arena_array(a, r.n, sizeof *out->recovery);
    out->nsigning = collect(&r, ODP_KEY_SIGNING, out->signing);
    out->nrecovery = collect(&r, ODP_KEY_RECOVERY, out->recovery);
    return out->nsigning > 0 ? ODP_OK : odp_refusal_put(a, why, W_publish_no_signing_key_site_can);
}

enum odp_status odp_site_keys_check(struct odp_site_keys *out, struct odp_slice json, const char *file,
                                    struct odp_arena *a, struct odp_diags *diags)
{
    struct odp_text why, message;
    enum odp_status status = odp_site_keys_read(out, json, NULL, 0, a, &why);
    if (status != ODP_BAD)
        return status;
    /* The reason has two languages, an argument of a diagnostic one: the whole title is replaced. */
    (void)odp_refusal_put(a, &message, W_publish_site_list_keys_not_valid, odp_text_get(&why, ODP_LANG_ID),
                          odp_text_get(&why, ODP_LANG_EN));
    const struct odp_diag d = {.code = ODP_V31, .file = file, .message = &message};
    return odp_diags_refuse(diags, &d);
}

bool odp_site_keys_signs(const struct odp_site_keys *k, const struct odp_public_key *key)
{
    for (size_t i = 0; i < k->nsigning; i++)
        if (odp_public_key_same(&k->signing[i], key))
            return true;
    return false;
}

/* ---- writing ---- */

/* The rotation as JSON, or NULL (recorded). */
static json_t *rotation(const struct odp_secret_key *signer, const struct odp_public_key *from,
                        const struct odp_public_key *to, enum odp_key_role role)
{
    enum { STATEMENT, SIGNATURE, KEY, TEXTS };
    struct odp_buffer text[TEXTS];
    json_t *entry = NULL;
    for (int i = 0; i < TEXTS; i++)
        odp_buffer_init(&text[i]);
    odp_site_keys_statement(&text[STATEMENT], from, to, role);
    odp_public_key_text(&text[KEY], to);
    if (odp_buffer_status(&text[STATEMENT]) == ODP_OK && odp_buffer_status(&text[KEY]) == ODP_OK &&
        odp_sign(&text[SIGNATURE], signer, odp_buffer_slice(&text[STATEMENT]), "odp key rotation",
                 "odp key rotation") == ODP_OK)
        entry = json_pack("{s:s, s:s, s:s, s:s}", "from", odp_key_id(from).text, "to",
                          odp_buffer_cstr(&text[KEY]), "role", role_names[role], "signature",
                          odp_buffer_cstr(&text[SIGNATURE]));
    for (int i = 0; i < TEXTS; i++)
        odp_buffer_release(&text[i]);
    return entry;
}

static enum odp_status dump(struct odp_buffer *out, const json_t *root)
{
    char *text = json_dumps(root, JSON_INDENT(2));
    odp_buffer_add_str(out, text);
    odp_buffer_add_char(out, '\n');
    odp_json_free_text(text);
    return odp_buffer_status(out);
}

static json_t *first_key(const struct odp_public_key *key, enum odp_key_role role)
{
    struct odp_buffer text = {0};
    odp_public_key_text(&text, key);
    json_t *entry = odp_buffer_status(&text) == ODP_OK
                        ? json_pack("{s:s, s:s}", "role", role_names[role], "key", odp_buffer_cstr(&text))
                        : NULL;
    odp_buffer_release(&text);
    return entry;
}

enum odp_status odp_site_keys_make(struct odp_buffer *out, const struct odp_secret_key *signing,
                                   const struct odp_public_key *recovery)
{
    struct odp_public_key own;
    odp_secret_key_public(signing, &own);
    json_t *root = json_pack("{s:[o,o], s:[o]}", "keys", first_key(&own, ODP_KEY_SIGNING),
                             first_key(recovery, ODP_KEY_RECOVERY), "rotations",
                             rotation(signing, &own, recovery, ODP_KEY_RECOVERY));
    enum odp_status status = root != NULL ? dump(out, root) : ODP_FAIL; /* recorded */
    json_decref(root);
    return status;
}

/* FROM, or what is meant without it. */
static enum odp_status find_replaced(const struct ring *r, const char *from,
                                     const struct odp_public_key *signer, struct member **found)
{
    size_t signing = 0;
    const struct odp_key_id own = odp_key_id(signer);
    *found = in_force(r, own.text);
    if (*found == NULL || !odp_public_key_same(&(*found)->key, signer))
        return odp_refusal_put(r->arena, r->why, W_publish_key_not_force_keys_json, own.text);
    struct member *signer_member = *found;
    if (from != NULL) {
        *found = in_force(r, from);
        if (*found == NULL)
            return odp_refusal_put(r->arena, r->why, W_publish_there_no_key_force_keys, from);
        if (*found != signer_member && signer_member->role != ODP_KEY_RECOVERY)
            return odp_refusal_put(r->arena, r->why, W_publish_only_recovery_key_may_replace);
        return ODP_OK;
    }
    if (signer_member->role == ODP_KEY_SIGNING)
        return ODP_OK;
    for (size_t i = 0; i < r->n; i++)
        if (r->members[i].in_force && r->members[i].role == ODP_KEY_SIGNING) {
            signing++;
            *found = &r->members[i];
        }
    return signing == 1 ? ODP_OK
                        : odp_refusal_put(r->arena, r->why, W_publish_there_signing_keys_name_id, signing);
}

enum odp_status odp_site_keys_replaced(struct odp_slice json, const char *from,
                                       const struct odp_public_key *signer, struct odp_replaced_key *out,
                                       struct odp_arena *a, struct odp_text *why)
{
    struct ring r = {.arena = a, .why = why};
    struct member *found = NULL;
    json_t *root = NULL;
    *why = (struct odp_text){{"", ""}};
    enum odp_status status = load(&root, json, &r);
    if (status == ODP_OK)
        status = follow(&r, root);
    if (status == ODP_OK)
        status = find_replaced(&r, from, signer, &found);
    if (status == ODP_OK && found != NULL)
        *out = (struct odp_replaced_key){found->key, found->role};
    json_decref(root);
    return status;
}

enum odp_status odp_site_keys_rotate(struct odp_buffer *out, struct odp_slice json,
                                     const struct odp_rotation *r, struct odp_arena *a, struct odp_text *why)
{
    struct odp_public_key signer;
    struct odp_replaced_key replaced;
    struct odp_site_keys check;
    json_t *root = NULL;
    odp_secret_key_public(r->signer, &signer);
    enum odp_status status = odp_site_keys_replaced(json, r->from, &signer, &replaced, a, why);
    if (status != ODP_OK)
        return status;
    root = odp_json_load(json.ptr, json.len, 0, NULL);
    json_t *rotations = json_object_get(root, "rotations");
    if (rotations == NULL)
        json_object_set_new(root, "rotations", rotations = json_array());
    json_t *entry = rotation(r->signer, &replaced.key, r->to, replaced.role);
    json_array_append_new(rotations, entry);
    status = entry != NULL ? dump(out, root) : ODP_FAIL;
    json_decref(root);
    return status == ODP_OK ? odp_site_keys_read(&check, odp_buffer_slice(out), NULL, 0, a, why) : status;
}
