/* The registry of commands: adding one is a file and a line here. */
#include "command/commands.h"

extern const struct command command_serve, command_config, command_keys, command_usage, command_check, command_backup,
    command_restore, command_promote, command_audit, command_status, command_pull, command_webhooks, command_secrets;

const struct command *const commands[] = {&command_serve,
                                          &command_config,
                                          &command_keys,
                                          &command_usage,
                                          &command_webhooks,
                                          &command_check,
                                          &command_backup,
                                          &command_restore,
                                          &command_promote,
                                          &command_audit,
                                          &command_secrets,
                                          &command_status,
                                          &command_pull,
                                          NULL};
