/* Sockets as the service makes them, for the commands that look whether it could. */
#pragma once

#include <sys/socket.h>

/* Whether somebody listens on the unix socket at PATH; 0: yes, else the error of connecting. */
int odp_socket_answers(const char *path);
/* Nothing is at PATH then: a socket nobody listens on is what a killed service leaves, and is removed.
 * EADDRINUSE: somebody listens. EEXIST: it is not a socket, and not ours to remove. */
int odp_socket_clear(const char *path);
/* A socket that listens at ADDRESS; -1: errno. */
int odp_listen_at(const struct sockaddr *address, socklen_t len);
