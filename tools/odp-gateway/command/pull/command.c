/* odp-gateway pull URL --to DIR: fetch a published site, check it, switch it in. */
#include <curl/curl.h>
#include <string.h>

#include "command/messages.h"
#include "command/pull/pull.h"

static int run_pull(struct invocation *inv)
{
    const char *url = inv->words[0];
    if (inv->to == NULL)
        return complain(EXIT_USAGE, "%s", say(inv, "pull memerlukan --to DIR", "pull needs --to DIR"));
    if (strncmp(url, "https://", 8) != 0 && strncmp(url, "http://", 7) != 0 && strncmp(url, "file:///", 8) != 0)
        return complain(EXIT_USAGE,
                        say(inv, "%s: tulis https://…, http://… atau file:///…", "%s: write https://…, http://… or file:///…"),
                        url);
    if (inv->jobs < 1 || inv->keep < 1)
        return complain(EXIT_USAGE, "%s", say(inv, "--jobs dan --keep paling sedikit 1", "--jobs and --keep are at least 1"));
    if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
        return complain(EXIT_MACHINE, "%s", curl_words(inv));
    int code = pull_run(inv, url);
    curl_global_cleanup();
    return code;
}

const struct command command_pull = {
    "pull",
    "URL --to DIR",
    GROUP_PULL,
    1,
    1,
    {{"ambil situs terbit, periksa setiap berkas, lalu ganti", "fetch a published site, check every file, then switch"}},
    {{"Yang sudah ada tidak diambil lagi; tarikan yang terputus dilanjutkan. Bila gagal, situs lama tetap.\n",
      "What is here already is not fetched again; a broken pull is taken up where it stopped. If it fails, the old site "
      "stays.\n"}},
    run_pull};
