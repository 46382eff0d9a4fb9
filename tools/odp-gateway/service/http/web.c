#include "service/http/web.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "service/http/pages.h"
#include "service/queries/queries.h"
#include "service/state/log.h"

enum odp_status odp_web_new(struct odp_web **out)
{
    *out = NULL;
    struct odp_web *w = calloc(1, sizeof *w);
    if (w == NULL)
        return odp_failure_set("web", NULL, ENOMEM);
    int e = pthread_rwlock_init(&w->site_lock, NULL);
    if (e != 0) {
        free(w);
        return odp_failure_set("rwlock", NULL, e);
    }
    e = pthread_mutex_init(&w->mutex, NULL);
    if (e != 0 || odp_limit_new(&w->limit) != ODP_OK) {
        if (e == 0)
            pthread_mutex_destroy(&w->mutex);
        pthread_rwlock_destroy(&w->site_lock);
        free(w);
        return odp_failure_set("mutex", NULL, e);
    }
    if (odp_pages_open(&w->pages) != ODP_OK) {
        odp_web_free(w);
        return ODP_FAIL;
    }
    w->flush_ok = true;
    w->room = "ok";
    atomic_store(&w->writer_reachable, true);
    *out = w;
    return ODP_OK;
}

void odp_web_free(struct odp_web *w)
{
    if (w == NULL)
        return;
    if (w->site != NULL)
        odp_control_close(w->site);
    odp_shell_free(w->shell);
    odp_queries_free(w->queries);
    odp_limit_free(w->limit);
    odp_templates_close(w->pages);
    pthread_mutex_destroy(&w->mutex);
    pthread_rwlock_destroy(&w->site_lock);
    free(w);
}

enum odp_status odp_web_site(struct odp_web *w, const char *site, const char **why)
{
    /* Only the ticker changes w->site, so that it may read it without the lock. */
    if (w->site != NULL && !odp_control_switched(w->site, site))
        return ODP_DONE;
    struct odp_control *now = NULL;
    enum odp_status st = odp_control_open(&now, site, why);
    if (st != ODP_OK)
        return st;
    struct odp_shell *shell = NULL;
    char broken[128];
    st = odp_shell_read(&shell, now, broken);
    if (st != ODP_OK) {
        odp_control_close(now);
        return st;
    }
    if (broken[0] != '\0')
        odp_log("warning", "site: %s cannot be used; pages of the service are plain", broken);
    pthread_rwlock_wrlock(&w->site_lock);
    struct odp_control *old = w->site;
    struct odp_shell *before = w->shell;
    w->site = now;
    w->shell = shell;
    pthread_rwlock_unlock(&w->site_lock);
    odp_shell_free(before);
    if (old != NULL)
        odp_control_close(old);
    return ODP_OK;
}

const char *odp_web_writes(const struct odp_state *s)
{
    struct odp_web *w = s->web;
    if (w == NULL)
        return s->writer && s->db == NULL ? "failing" : "ok";
    pthread_mutex_lock(&w->mutex);
    const char *word = w->room;
    if (strcmp(word, "ok") == 0 && (!w->flush_ok || (s->writer && s->db == NULL)))
        word = "failing";
    pthread_mutex_unlock(&w->mutex);
    if (strcmp(word, "ok") == 0 && !s->writer && !atomic_load(&w->writer_reachable))
        word = "writer-unreachable";
    return word;
}
