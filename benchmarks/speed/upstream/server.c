/* An API for measurements: the answer to METHOD /NAME... is the content of a file, whatever the rest of the target, the
 * header or the body say. One process, one epoll loop, connections that stay open.
 *
 *     server NAME=FILE...
 *
 * Prints its port on a line. Ends when its stdin does, so it never outlives whoever started it. Linux alone.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { MOST_REQUEST = 65536, EVENTS = 256, BACKLOG = 1024 };

struct answer { const char *name; size_t name_length, length; char *bytes; };

/* `bytes[0..used)` was read and not answered; of `answer`, where there is one, `sent` bytes have gone out. */
struct connection { int socket; size_t used, sent; const struct answer *answer; char bytes[MOST_REQUEST + 1]; };

static struct answer *answers;
static int count;

static void fail(const char *what) { perror(what); exit(1); }

static struct answer load(char *pair) {
    char *file = strchr(pair, '='), head[200];
    if (!file) { fprintf(stderr, "not NAME=FILE: %s\n", pair); exit(2); }
    *file++ = 0;
    FILE *stream = fopen(file, "rb");
    if (!stream) fail(file);
    fseek(stream, 0, SEEK_END);
    size_t size = (size_t)ftell(stream);
    rewind(stream);
    int begun = snprintf(head, sizeof head,
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %zu\r\n\r\n", size);
    struct answer made = {pair, strlen(pair), (size_t)begun + size, malloc((size_t)begun + size + 1)};
    memcpy(made.bytes, head, (size_t)begun);
    if (fread(made.bytes + begun, 1, size, stream) != size) fail(file);
    fclose(stream);
    return made;
}

/* What `METHOD /NAME` asks for; NULL where there is no such name. */
static const struct answer *wanted(const char *request) {
    const char *target = strchr(request, ' ');
    for (int each = 0; target && each < count; each++) {
        const char *end = target + 2 + answers[each].name_length;
        if (!strncmp(target + 2, answers[each].name, answers[each].name_length) && strchr("/? ", *end))
            return &answers[each];
    }
    return NULL;
}

/* The length of the first request with its body; 0 where it has not all come. */
static size_t whole(const char *bytes, size_t used) {
    const char *end = strstr(bytes, "\r\n\r\n");
    if (!end) return 0;
    size_t length = (size_t)(end - bytes) + 4;
    for (const char *line = strstr(bytes, "\r\n"); line && line < end; line = strstr(line + 2, "\r\n"))
        if (!strncasecmp(line + 2, "content-length:", 15)) length += strtoul(line + 17, NULL, 10);
    return length <= used ? length : 0;
}

/* Answer all that came, as far as the socket takes it. 0 where the connection is over. */
static int answer_all(struct connection *of) {
    for (;;) {
        if (!of->answer) {
            size_t length = whole(of->bytes, of->used);
            if (!length) return 1;
            if (!(of->answer = wanted(of->bytes))) return 0;
            of->used -= length;
            memmove(of->bytes, of->bytes + length, of->used + 1);
            of->sent = 0;
        }
        ssize_t wrote = send(of->socket, of->answer->bytes + of->sent, of->answer->length - of->sent,
                             MSG_NOSIGNAL | MSG_DONTWAIT);
        if (wrote < 0) return 1; /* full: an event says when there is room; broken: the next read says so */
        of->sent += (size_t)wrote;
        if (of->sent == of->answer->length) of->answer = NULL;
    }
}

/* Read and answer until there is nothing to do. 0 where the connection is over. */
static int serve(struct connection *of) {
    for (;;) {
        if (!answer_all(of)) return 0;
        if (of->used == MOST_REQUEST) return of->answer != NULL; /* one request that is too long, or answers unread */
        ssize_t got = recv(of->socket, of->bytes + of->used, MOST_REQUEST - of->used, MSG_DONTWAIT);
        if (got <= 0) return got < 0 && errno == EAGAIN;
        of->used += (size_t)got;
        of->bytes[of->used] = 0;
    }
}

static void take(int poll, int listener) {
    int one = 1, socket = accept(listener, NULL, NULL);
    if (socket < 0) return;
    setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    struct connection *made = calloc(1, sizeof *made);
    made->socket = socket;
    struct epoll_event event = {.events = EPOLLIN | EPOLLOUT | EPOLLET, .data.ptr = made};
    epoll_ctl(poll, EPOLL_CTL_ADD, socket, &event);
}

static int listening(void) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    if (bind(listener, (struct sockaddr *)&address, size) || listen(listener, BACKLOG)) fail("listen");
    getsockname(listener, (struct sockaddr *)&address, &size);
    printf("%d\n", ntohs(address.sin_port));
    fflush(stdout);
    return listener;
}

static void watch(int poll, int descriptor, void *mark) {
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = mark};
    epoll_ctl(poll, EPOLL_CTL_ADD, descriptor, &event);
}

int main(int argc, char **argv) {
    int listener, stdin_mark, poll = epoll_create1(0);
    struct epoll_event events[EVENTS];
    count = argc - 1;
    answers = calloc((size_t)count + 1, sizeof *answers);
    for (int each = 0; each < count; each++) answers[each] = load(argv[each + 1]);
    listener = listening();
    watch(poll, listener, &listener);
    watch(poll, 0, &stdin_mark);
    for (;;) {
        int ready = epoll_wait(poll, events, EVENTS, -1);
        for (int each = 0; each < ready; each++) {
            struct connection *of = events[each].data.ptr;
            if ((void *)of == &stdin_mark) return 0;
            if ((void *)of == &listener) { take(poll, listener); continue; }
            if (!serve(of)) { close(of->socket); free(of); }
        }
    }
}
