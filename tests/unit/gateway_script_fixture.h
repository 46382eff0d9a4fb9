/* Scripts about keys and the state folder (gateway/answers/acts.txt, state.txt). */
#pragma once
#include "answer_lines.h"
#include "gateway_state_fixture.h"

/* Scripts (answers/acts.txt): a line is an act, "b = rotate a 100", with what it makes, and is answered
 * with the problem where it is refused; "KEY MEMBER", which is answered; "KEY asks MILLISECONDS", a
 * request, answered with what remains of the day; "count SQL"; or sets something: later SECONDS, term
 * SECONDS, sendmail, confirming, flush, fresh. */
struct script {
    struct fixture *f;
    void (*line)(struct script *s, const char *line, struct odp_buffer *out);
    struct odp_issued keys[26];
    struct odp_grant g; /* of the last request */
    int64_t changes;
    char words[6][48], why[ODP_WHY];
};

static inline struct odp_issued *key(struct script *s, int word)
{
    assert_true(s->words[word][0] >= 'a' && s->words[word][0] <= 'z' && s->words[word][1] == '\0');
    return &s->keys[s->words[word][0] - 'a'];
}

/* By its name, or "#7" by its number. */
static inline int64_t id_of(struct script *s, int word)
{
    return s->words[word][0] == '#' ? strtoll(s->words[word] + 1, NULL, 10)
                                    : info_of(s->f, key(s, word)->key).id;
}

static inline int64_t number_of(struct script *s, int word)
{
    return strtoll(s->words[word], NULL, 10);
}

/* A moment from now on; 0: never. */
static inline int64_t moment_of(struct script *s, int word)
{
    int64_t t = number_of(s, word);
    return t != 0 ? s->f->now + t : 0;
}

static inline const uint8_t *digest_at(struct script *s, int word)
{
    static uint8_t digest[ODP_SHA256_SIZE];
    digest_of(key(s, word)->key, digest);
    return digest;
}

static inline enum odp_status do_register(struct script *s, struct odp_issued *k)
{
    struct odp_registration r = person(s->words[1]);
    return odp_keys_register(&s->f->s, order(s->f), &r, k);
}

static inline enum odp_status do_create(struct script *s, struct odp_issued *k)
{
    struct odp_registration r = person(s->words[1]);
    return odp_keys_create(&s->f->s, order(s->f), &r, s->words[2], moment_of(s, 3), k);
}

static inline enum odp_status do_rotate(struct script *s, struct odp_issued *k)
{
    return odp_keys_rotate(&s->f->s, order(s->f), digest_at(s, 1), number_of(s, 2), k);
}

static inline enum odp_status do_reissue(struct script *s, struct odp_issued *k)
{
    return odp_keys_reissue(&s->f->s, order(s->f), id_of(s, 1), k);
}

static inline enum odp_status do_ask(struct script *s, struct odp_issued *k)
{
    return odp_keys_ask_recovery(&s->f->s, odp_slice_of(s->words[1]), s->f->now, k);
}

static inline enum odp_status do_redeem(struct script *s, struct odp_issued *k)
{
    return odp_keys_redeem(&s->f->s, order(s->f), s->words[1], odp_slice_of(key(s, 2)->token), k);
}

static inline enum odp_status do_state(struct script *s, struct odp_issued *k)
{
    static const char *const names[] = {"", "active", "rotated", "suspended", "revoked"};
    int state = 1;
    while (strcmp(names[state], s->words[2]) != 0)
        assert_true(++state <= ODP_KEY_REVOKED);
    return odp_keys_set_state(&s->f->s, order(s->f), id_of(s, 1), (enum odp_key_state)state);
}

static inline enum odp_status do_tier(struct script *s, struct odp_issued *k)
{
    return odp_keys_set_tier(&s->f->s, order(s->f), id_of(s, 1), s->words[2]);
}

static inline enum odp_status do_upgrade(struct script *s, struct odp_issued *k)
{
    int64_t id;
    return odp_keys_ask_upgrade(&s->f->s, order(s->f), digest_at(s, 1), s->words[2], ODP_LIT("x"), &id);
}

static inline enum odp_status do_decide(struct script *s, struct odp_issued *k)
{
    return odp_keys_decide_upgrade(&s->f->s, order(s->f), number_of(s, 1), strcmp(s->words[2], "yes") == 0);
}

static const struct act {
    const char *name;
    enum odp_status (*run)(struct script *s, struct odp_issued *k);
} acts[] = {
    {"register", do_register}, /* EMAIL */
    {"create", do_create},     /* EMAIL TIER TERM */
    {"rotate", do_rotate},     /* KEY GRACE */
    {"reissue", do_reissue},   /* KEY */
    {"ask", do_ask},           /* EMAIL: a link that recovers */
    {"redeem", do_redeem},     /* PURPOSE KEY: the key's link */
    {"state", do_state},       /* KEY STATE */
    {"tier", do_tier},         /* KEY TIER */
    {"upgrade", do_upgrade},   /* KEY TIER: requests count from 1 */
    {"decide", do_decide},     /* REQUEST yes or no */
};

static inline const char *looks(enum odp_verdict v)
{
    switch (v) {
    case ODP_PASS:
        return "passes";
    case ODP_KEY_IS_REVOKED:
        return "revoked";
    case ODP_KEY_IS_SUSPENDED:
        return "suspended";
    case ODP_KEY_EXPIRED:
        return "expired";
    case ODP_KEY_UNKNOWN:
        return "unknown";
    default:
        return "?";
    }
}

/* Member WORD of a key, as text. */
static inline const char *member(struct script *s, const char *word)
{
    static char text[900];
    const struct odp_issued *k = key(s, 0);
    if (strcmp(word, "token") == 0) /* of a key that a link was asked for there may be none */
        return k->token[0] != '\0' ? "yes" : "no";
    if (strcmp(word, "to") == 0) /* the address that it goes to */
        return k->email;
    if (strcmp(word, "looks") == 0)
        return looks(look(s->f, k->key));
    struct odp_key_info i = info_of(s->f, k->key);
    long long number = strcmp(word, "until") == 0     ? i.until != 0 ? i.until - s->f->now : 0
                       : strcmp(word, "account") == 0 ? i.account
                       : strcmp(word, "used") == 0    ? (long long)i.used
                       : strcmp(word, "hidden") == 0  ? !store_has(s->f, k->token)
                                                      : (long long)i.email_confirmed;
    const char *found = strcmp(word, "tier") == 0    ? i.tier
                        : strcmp(word, "state") == 0 ? i.state
                        : strcmp(word, "name") == 0  ? i.name
                        : strcmp(word, "email") == 0 ? (i.email[0] != '\0' ? i.email : "-")
                                                     : NULL;
    snprintf(text, sizeof text, "%lld", number);
    if (found != NULL)
        snprintf(text, sizeof text, "%s", found);
    return text;
}

/* An act; "" or the problem that it says. */
static inline const char *act(struct script *s, struct odp_issued *k)
{
    for (size_t i = 0; i < ODP_COUNT(acts); i++) {
        if (strcmp(acts[i].name, s->words[0]) != 0)
            continue;
        enum odp_status st = acts[i].run(s, k);
        return st == ODP_OK ? "" : st == ODP_BAD ? odp_problem_info(s->f->o.problem)->code : "failure";
    }
    return "no such act";
}

/* Does what a line says; appends the answer to OUT. */
static inline void script_line(struct script *s, const char *line, struct odp_buffer *out)
{
    struct odp_issued k = {0};
    const char *made = strncmp(line, "count ", 6) != 0 ? strstr(line, " = ") : NULL;
    memset(s->words, 0, sizeof s->words);
    (void)sscanf(made != NULL ? made + 3 : line, "%47s %47s %47s %47s %47s %47s", s->words[0], s->words[1],
                 s->words[2], s->words[3], s->words[4], s->words[5]);
    if (strcmp(s->words[0], "later") == 0) {
        s->f->now += number_of(s, 1);
    } else if (strcmp(s->words[0], "term") == 0) {
        s->f->options.key_term = number_of(s, 1);
    } else if (strcmp(s->words[0], "sendmail") == 0) {
        s->f->options.sendmail = "/nonexistent";
    } else if (strcmp(s->words[0], "confirming") == 0) {
        s->f->options.confirm_email = true;
    } else if (strcmp(s->words[0], "flush") == 0) {
        must(odp_state_flush(&s->f->s));
    } else if (strcmp(s->words[0], "count") == 0) {
        odp_buffer_printf(out, "%lld", (long long)number(s->f, line + 6));
    } else if (strcmp(s->words[1], "asks") == 0) { /* KEY asks MILLISECONDS: what remains */
        assert_int_equal(request(s->f, key(s, 0)->key, number_of(s, 2), &s->g), ODP_PASS);
        odp_buffer_printf(out, "%lld", (long long)s->g.remaining);
    } else if (s->words[0][1] == '\0') { /* KEY MEMBER */
        odp_buffer_add_str(out, member(s, s->words[1]));
    } else {
        odp_buffer_add_str(out, act(s, &k));
        if (made != NULL && out->len == 0)
            s->keys[line[0] - 'a'] = k;
    }
}

static inline void script_fresh(struct script *s, bool again)
{
    if (s->f != NULL) {
        if (s->f->open && s->f->s.db != NULL)
            audit_is_whole(s->f);
        teardown((void **)&s->f);
    }
    *s = (struct script){.line = s->line};
    if (again)
        setup((void **)&s->f);
}

static inline void script_answer(void *ctx, struct odp_slice question, struct odp_buffer *out)
{
    struct script *s = ctx;
    if (odp_slice_is(question, "fresh"))
        script_fresh(s, true);
    else
        s->line(s, question.ptr, out);
}

/* Questions of a file, each answered by LINE. */
static inline void script_play(const char *name,
                               void (*line)(struct script *, const char *, struct odp_buffer *))
{
    struct script s = {.line = line};
    answer_lines(name, script_answer, &s);
    script_fresh(&s, false);
}
