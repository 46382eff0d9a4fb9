/* Secret keys on the command line: --key, --password-file, --unencrypted, and passwords typed without echo.
 * Errors go to standard error in the invocation's language; no message holds a secret. */
#pragma once

#include "commands/options.h"
#include "publish/sign/sign.h"

/* The key in the file --key, unlocked with --password-file or a password typed on the terminal. EXIT_CLEAN:
 * free *KEY. Warns of a key file that others may read. */
int secret_key_open(const struct invocation *inv, struct odp_secret_key **key);

/* The password for new keys: --password-file, or typed twice; *PASSWORD is NULL with --unencrypted. Free it
 * with secret_password_free. */
int secret_password_new(const struct invocation *inv, char **password);
void secret_password_free(char *password);
