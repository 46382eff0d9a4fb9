#include "failure.h"

#include <errno.h>
#include <stdio.h>

/* What to do, by why it failed. */
static const struct {
    int errnum;
    struct odp_text advice;
} advices[] = {
    {ENOSPC, {{"kosongkan ruang di sana, lalu jalankan perintah ini lagi", "make room there, then run this command again"}}},
    {EDQUOT, {{"naikkan kuota pengguna ini atau hapus berkasnya yang tidak perlu, lalu jalankan perintah ini lagi",
               "raise this user's quota or remove files of theirs, then run this command again"}}},
    {EROFS, {{"pasang sistem berkas itu agar dapat ditulisi, atau pilih folder lain, lalu jalankan perintah ini lagi",
              "mount that file system so that it can be written to, or choose another folder, then run this command again"}}},
    {EACCES, {{"beri pengguna ini izin atas berkas atau folder itu, lalu jalankan perintah ini lagi",
               "give this user the right to that file or folder, then run this command again"}}},
    {EPERM, {{"beri pengguna ini izin atas berkas atau folder itu, lalu jalankan perintah ini lagi",
              "give this user the right to that file or folder, then run this command again"}}},
    {EIO, {{"periksa disk atau jaringan tempatnya (dmesg), lalu jalankan perintah ini lagi",
            "check the disk or the network it is on (dmesg), then run this command again"}}},
    {ENOMEM, {{"tutup program lain atau tambah memori, lalu jalankan perintah ini lagi", "close other programs or add memory, then run this command again"}}},
    {EMFILE, {{"naikkan batas berkas terbuka (ulimit -n), lalu jalankan perintah ini lagi",
               "raise the limit of open files (ulimit -n), then run this command again"}}},
    {ENFILE, {{"tutup program lain yang membuka banyak berkas, lalu jalankan perintah ini lagi",
               "close other programs that have many files open, then run this command again"}}},
    {EAGAIN, {{"tutup proses lain atau naikkan batas proses (ulimit -u), lalu jalankan perintah ini lagi",
               "end other processes or raise the limit of processes (ulimit -u), then run this command again"}}},
    {EFBIG, {{"naikkan batas ukuran berkas (ulimit -f) atau pilih sistem berkas lain, lalu jalankan perintah ini lagi",
              "raise the limit of file sizes (ulimit -f) or choose another file system, then run this command again"}}},
    {ENOLCK, {{"pilih folder di sistem berkas yang mengenal kunci (flock), lalu jalankan perintah ini lagi",
               "choose a folder on a file system that has locks (flock), then run this command again"}}},
    {ENAMETOOLONG, {{"pilih folder dengan nama yang lebih pendek, lalu jalankan perintah ini lagi",
                     "choose a folder with a shorter name, then run this command again"}}},
    {ESTALE, {{"tunggu sampai penulisannya selesai, lalu jalankan perintah ini lagi", "wait until nobody writes to it, then run this command again"}}},
};

static const struct odp_text otherwise = {{"jalankan perintah ini lagi; kalau tetap gagal, laporkan kalimat ini",
                                           "run this command again; if it fails once more, report this sentence"}};

void failure_say(const struct invocation *inv, const char *what)
{
    int errnum = odp_failure_errno();
    const struct odp_text *advice = &otherwise;
    for (size_t i = 0; i < sizeof advices / sizeof *advices; i++)
        if (advices[i].errnum == errnum)
            advice = &advices[i].advice;
    fprintf(stderr, "odp-build: %s%s%s", what != NULL ? what : "", what != NULL ? ": " : "", odp_failure_text());
    if (errnum != ODP_FAILURE_TOLD)
        fprintf(stderr, "; %s", odp_text_get(advice, inv->style.lang));
    fputc('\n', stderr);
}
