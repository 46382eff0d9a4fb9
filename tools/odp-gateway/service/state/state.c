/* Opening and closing a state folder. */
#include "service/state/state.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "service/state/log.h"
#include "service/state/state_internal.h"
#include "words/state.h"

/* This machine's role: what the command line says, or else what the folder remembers. */
static enum odp_status decide_role(struct odp_state *s, char why[ODP_WHY])
{
    const char *dir = s->options->state_dir;
    char role[16], store[ODP_PATH_MAX];
    enum odp_status st = odp_state_role(dir, role, why);
    if (st != ODP_OK)
        return st;
    bool replica = s->options->writer != NULL || strcmp(role, "replica") == 0;
    if (s->options->writer != NULL &&
        odp_file_kind_of(odp_state_file(store, dir, "store.sqlite")) != ODP_FILE_NONE)
        return odp_state_bad(why, W_state_holds_a_store, dir);
    s->writer = !replica;
    s->writer_reachable = s->writer;
    const char *now = replica ? "replica" : "writer";
    return strcmp(role, now) == 0 ? ODP_OK : odp_state_put_file(dir, "role", odp_slice_of(now));
}

/* A table full of keys without a store is a store that was lost: a new one would make all those keys unknown.
 */
static enum odp_status guard_store(struct odp_state *s, char why[ODP_WHY])
{
    char store[ODP_PATH_MAX], table[ODP_PATH_MAX];
    struct odp_keytable *t = NULL;
    if (odp_file_kind_of(odp_state_file(store, s->options->state_dir, "store.sqlite")) != ODP_FILE_NONE)
        return ODP_OK;
    if (odp_keytable_open(&t, odp_state_file(table, s->options->state_dir, "keys.table"), NULL) != ODP_OK) {
        odp_failure_clear();
        return ODP_OK;
    }
    bool keys = odp_keytable_count(t) > 0;
    odp_keytable_close(t);
    if (!keys)
        return ODP_OK;
    return odp_state_bad(why, W_state_store_gone, s->options->state_dir);
}

static enum odp_status open_store(struct odp_state *s, char why[ODP_WHY])
{
    char path[ODP_PATH_MAX];
    enum odp_status st = guard_store(s, why);
    if (st != ODP_OK)
        return st;
    st = odp_store_open(&s->db, odp_state_file(path, s->options->state_dir, "store.sqlite"), why);
    if (st != ODP_OK)
        return st;
    if ((st = odp_store_scrub(s->db)) !=
        ODP_OK) /* what was forgotten when the service was killed, or the disk full */
        s->unerased = true;
    if (st == ODP_FAIL)
        odp_log_failure("forget: the store's file could not be rewritten yet");
    return ODP_OK;
}

static enum odp_status open_table(struct odp_state *s)
{
    const char *wrong = NULL;
    char why[ODP_WHY];
    enum odp_status st = odp_state_table_open(s, &wrong);
    if (st != ODP_OK)
        return st;
    if (s->table == NULL && wrong != NULL)
        odp_log("warning", "keys.table cannot be trusted (%s) and is built anew", wrong);
    if (s->table != NULL)
        odp_keytable_settings(s->table, &s->settings);
    if (s->settings.ntiers == 0 && (st = odp_state_settings_load(s)) != ODP_OK)
        return st;
    /* odp_state_read_site, which the service calls, reports a site that cannot be read. */
    if (s->options->site != NULL && odp_state_settings_read(s, s->options->site, why) == ODP_FAIL)
        return ODP_FAIL;
    if (s->writer)
        return odp_state_table_mend(s);
    return s->table != NULL ? ODP_OK : odp_state_table_new(s);
}

static enum odp_status open_all(struct odp_state *s, char why[ODP_WHY])
{
    char path[ODP_PATH_MAX];
    enum odp_status st = odp_state_folder(s->options->state_dir, why);
    if (st == ODP_OK)
        st = odp_state_lock(s->options->state_dir, &s->lock, why);
    if (st == ODP_OK)
        st = decide_role(s, why);
    if (st == ODP_OK && s->writer)
        st = open_store(s, why);
    if (st == ODP_OK)
        st = open_table(s);
    if (st == ODP_OK)
        st = odp_meter_open(&s->meter, odp_state_file(path, s->options->state_dir, "meter.table"));
    return st == ODP_OK ? odp_flush_new(s) : st;
}

static void release(struct odp_state *s)
{
    odp_flush_free(s->flush);
    odp_meter_close(s->meter);
    odp_keytable_close(s->table);
    odp_store_close(s->db);
    if (s->lock >= 0) {
        (void)!ftruncate(s->lock, 0); /* nobody's number any more; the lock itself goes with the descriptor */
        close(s->lock);
    }
    odp_bell_release(&s->keys_changed);
    pthread_mutex_destroy(&s->mutex);
    s->flush = NULL;
    s->meter = NULL;
    s->table = NULL;
    s->db = NULL;
    s->lock = -1;
}

enum odp_status odp_state_open(struct odp_state *s, const struct odp_service_options *o, char why[ODP_WHY])
{
    memset(s, 0, sizeof *s);
    why[0] = '\0';
    s->options = o;
    s->lock = -1;
    s->started = odp_now();
    int e = pthread_mutex_init(&s->mutex, NULL);
    if (e != 0)
        return odp_failure_set("mutex", NULL, e);
    enum odp_status st = odp_bell_init(&s->keys_changed);
    if (st != ODP_OK) {
        pthread_mutex_destroy(&s->mutex);
        return st;
    }
    st = open_all(s, why);
    if (st != ODP_OK)
        release(s);
    return st;
}

void odp_state_close(struct odp_state *s)
{
    if (s->lock < 0)
        return;
    if (!odp_keytable_cut(s->table) &&
        odp_state_flush(s) == ODP_FAIL) /* counts of a cut table are those of the last flush */
        odp_log_failure("counts");
    release(s);
}
