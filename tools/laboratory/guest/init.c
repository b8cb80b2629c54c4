/* The first process of the guest: it carries out /plan, one command a line, and switches the machine off.
 *
 *   scenario NAME            delete all rules, set the defaults of the audit system, print the name
 *   auditctl LOADER ARGS...  run the auditctl below /LOADER and print its exit status
 *   rules LOADER FILE        the same with -R, and print how many rules the kernel holds afterwards
 *   start UID AUID VISIT...  fork the measured task, which takes that identity and waits
 *   bench UID AUID VISIT...  the same, and let it measure at once
 *   run                      let the waiting task measure
 *   reader                   connect a reader to the audit socket that discards all records
 *   events FILE              perform the operations of a file (lines ACTOR OPERATION) and print which events were logged
 *
 * Everything is printed to the console.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/audit.h>
#include <linux/netlink.h>
#include <linux/random.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifdef __x86_64__
#include "operations.h"
#endif

#define WORDS 64
#define GATE 100

static pid_t measured, reader;
static int gate;

static void pause_for(long milliseconds)
{
    struct timespec time = {milliseconds / 1000, milliseconds % 1000 * 1000000L};
    nanosleep(&time, NULL);
}

static int ask(int socket, int type, const void *data, size_t size)
{
    static int sequence;
    struct sockaddr_nl kernel = {.nl_family = AF_NETLINK};
    struct {
        struct nlmsghdr head;
        char data[sizeof(struct audit_status)];
    } request = {.head = {.nlmsg_len = (unsigned)NLMSG_LENGTH(size),
                          .nlmsg_type = (unsigned short)type,
                          .nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK,
                          .nlmsg_seq = (unsigned)++sequence}};
    if (size)
        memcpy(request.data, data, size);
    return sendto(socket, &request, request.head.nlmsg_len, 0, (void *)&kernel, sizeof kernel) < 0 ? -errno : 0;
}

static int audit_socket(void)
{
    int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_AUDIT);
    struct sockaddr_nl own = {.nl_family = AF_NETLINK};
    if (fd >= 0)
        bind(fd, (void *)&own, sizeof own);
    return fd;
}

/* The number of rules that the kernel holds, or a negative error. */
static int held(void)
{
    static char answer[65536];
    int fd = audit_socket(), count = 0, status = ask(fd, AUDIT_LIST_RULES, NULL, 0);
    while (status == 0) {
        ssize_t got = recv(fd, answer, sizeof answer, 0);
        if (got < (ssize_t)sizeof(struct nlmsghdr))
            break;
        struct nlmsghdr *head = (void *)answer;
        if (head->nlmsg_type == NLMSG_DONE)
            break;
        if (head->nlmsg_type == NLMSG_ERROR) {
            status = ((struct nlmsgerr *)NLMSG_DATA(head))->error;
            continue;
        }
        if (head->nlmsg_type == AUDIT_LIST_RULES)
            count++;
    }
    close(fd);
    return status ? status : count;
}

static int wait_for(pid_t child)
{
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int auditctl(const char *loader, char **words, int silent)
{
    char program[128], libraries[128], interpreter[128];
    char *argv[WORDS + 8];
    int count = 0;
    snprintf(program, sizeof program, "/%s/auditctl", loader);
    snprintf(libraries, sizeof libraries, "/%s", loader);
    snprintf(interpreter, sizeof interpreter, "/%s/ld.so", loader);
    argv[count++] = interpreter;
    argv[count++] = "--library-path";
    argv[count++] = libraries;
    argv[count++] = program;
    while (*words && count < WORDS + 7)
        argv[count++] = *words++;
    argv[count] = NULL;
    pid_t child = fork();
    if (child == 0) {
        if (silent) {
            int null = open("/dev/null", O_RDWR);
            dup2(null, 1);
            dup2(null, 2);
        }
        execve(argv[0], argv, (char *[]){NULL});
        _exit(127);
    }
    return wait_for(child);
}

static void start(char **words)
{
    int ends[2];
    char ready;
    char *argv[WORDS + 2] = {"/bench"};
    for (int number = 0; number < WORDS && words[number]; number++)
        argv[number + 1] = words[number];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends)) {
        printf("note socketpair: %s\n", strerror(errno));
        return;
    }
    measured = fork();
    if (measured == 0) {
        dup2(ends[0], 3);
        fcntl(3, F_SETFD, 0);
        execve("/bench", argv, (char *[]){NULL});
        _exit(127);
    }
    close(ends[0]);
    gate = ends[1];
    if (read(gate, &ready, 1) != 1)
        printf("note the measured task did not start\n");
}

static void run(void)
{
    if (write(gate, "g", 1) != 1)
        printf("note gate: %s\n", strerror(errno));
    close(gate);
    printf("status %d\n", wait_for(measured));
}

static void stop_reader(void)
{
    if (reader > 0) {
        kill(reader, SIGKILL);
        wait_for(reader);
    }
    reader = 0;
}

static void start_reader(void)
{
    int ready[2];
    char byte;
    if (pipe(ready))
        return;
    reader = fork();
    if (reader == 0) {
        static char record[16384];
        int fd = audit_socket();
        struct audit_status status = {.mask = AUDIT_STATUS_PID, .pid = (unsigned)getpid()};
        ask(fd, AUDIT_SET, &status, sizeof status);
        recv(fd, record, sizeof record, 0);
        if (write(ready[1], "r", 1) != 1)
            _exit(1);
        for (;;)
            recv(fd, record, sizeof record, 0);
    }
    close(ready[1]);
    if (read(ready[0], &byte, 1) != 1)
        printf("note reader\n");
    close(ready[0]);
}

#ifdef __x86_64__
static const struct {
    const char *name;
    unsigned real, effective, group;
    const char *login;
    int groups[2], count;
} actors[] = {
    {"root", 0, 0, 0, NULL, {0}, 0},           {"adm", 0, 0, 0, "1000", {4}, 1},
    {"alice", 1000, 1000, 1000, "1000", {10, 27}, 2}, {"bob", 1001, 1001, 1001, "1001", {1000}, 1},
    {"svc", 33, 33, 33, NULL, {0}, 0},         {"sux", 1000, 0, 1000, "1000", {27}, 1},
};

/* The actor: a fork of this process that performs one operation for each name that comes through the gate. */
static void act(size_t number, int end)
{
    char name[64];
    gid_t groups[2] = {(gid_t)actors[number].groups[0], (gid_t)actors[number].groups[1]};
    if (actors[number].login) {
        int fd = open("/proc/self/loginuid", O_WRONLY);
        if (fd < 0 || write(fd, actors[number].login, strlen(actors[number].login)) < 0)
            printf("note loginuid: %s\n", strerror(errno));
    }
    dup2(end, GATE);
    for (int fd = 0; fd < 64; fd++)
        close(fd);
    setgroups((size_t)actors[number].count, groups);
    setresgid(actors[number].group, actors[number].group, actors[number].group);
    setresuid(actors[number].real, actors[number].effective, actors[number].effective);
    chdir("/");
    for (;;) {
        /* These calls may be logged, too; their first argument tells them apart. */
        if (write(GATE, "r", 1) != 1)
            _exit(1);
        ssize_t got = read(GATE, name, sizeof name - 1);
        if (got <= 0)
            _exit(0);
        name[got] = '\0';
        perform(name);
    }
}

static const char *value(const char *record, const char *name, char *out, size_t size)
{
    const char *at = strstr(record, name);
    size_t length = 0;
    if (at)
        for (at += strlen(name); at[length] && at[length] != ' ' && at[length] != '\x1d' && length < size - 1; length++)
            out[length] = at[length];
    out[length] = '\0';
    return out;
}

/* Prints the system calls that were logged since the last call; ends when nothing comes for a while. */
static void print_logged(int fd, int silent)
{
    static char answer[16384];
    char arch[32], number[32], success[8], result[32], first[32], key[256];
    struct pollfd ready = {.fd = fd, .events = POLLIN};
    while (poll(&ready, 1, 8) > 0) {
        ssize_t got = recv(fd, answer, sizeof answer - 1, 0);
        struct nlmsghdr *head = (void *)answer;
        if (got < (ssize_t)sizeof *head || head->nlmsg_type != AUDIT_SYSCALL)
            continue;
        answer[got] = '\0';
        const char *record = NLMSG_DATA(head);
        value(record, " a0=", first, sizeof first);
        value(record, " syscall=", number, sizeof number);
        if (silent || (!strcmp(first, "64") && (!strcmp(number, "0") || !strcmp(number, "1"))))
            continue;
        value(record, "arch=", arch, sizeof arch);
        value(record, " success=", success, sizeof success);
        value(record, " exit=", result, sizeof result);
        value(record, " key=", key, sizeof key);
        printf("event %s %s %s %s %s\n", number, strcmp(arch, "c000003e") ? "32" : "64", success, result, key);
    }
}

static void record_events(const char *path)
{
    char line[256];
    char running[64] = "";
    int ends[2] = {-1, -1}, fd = audit_socket();
    pid_t actor = 0;
    FILE *list = fopen(path, "re");
    struct audit_status status = {.mask = AUDIT_STATUS_PID, .pid = (unsigned)getpid()};
    ask(fd, AUDIT_SET, &status, sizeof status);
    while (list && fgets(line, sizeof line, list)) {
        char *who = strtok(line, " \n"), *op = strtok(NULL, " \n"), byte;
        if (!who || !op)
            continue;
        if (strcmp(who, running)) {
            if (actor) {
                close(ends[0]);
                wait_for(actor);
            }
            snprintf(running, sizeof running, "%s", who);
            size_t number = 0;
            while (number < sizeof actors / sizeof actors[0] - 1 && strcmp(actors[number].name, who))
                number++;
            if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
                break;
            fflush(stdout);
            actor = fork();
            if (actor == 0)
                act(number, ends[1]);
            close(ends[1]);
            if (read(ends[0], &byte, 1) != 1)
                printf("note the actor did not start\n");
            print_logged(fd, 1);
        }
        printf("op %s %s\n", who, op);
        if (write(ends[0], op, strlen(op)) < 0 || read(ends[0], &byte, 1) != 1)
            printf("note the actor is gone\n");
        print_logged(fd, 0);
    }
    if (actor) {
        close(ends[0]);
        wait_for(actor);
    }
    status.pid = 0;
    ask(fd, AUDIT_SET, &status, sizeof status);
    close(fd);
}
#endif

static void reset(const char *name, const char *loader)
{
    static char *const settings[][3] = {
        {"-D", NULL, NULL}, {"-e", "1", NULL}, {"-f", "1", NULL}, {"-r", "0", NULL}, {"-b", "8192", NULL}};
    stop_reader();
    if (loader)
        for (size_t number = 0; number < sizeof settings / sizeof settings[0]; number++)
            auditctl(loader, (char **)settings[number], 1);
    /* The marks of deleted rules are given up by a kernel thread. */
    pause_for(300);
    printf("scenario %s\n", name);
}

static void prepare(void)
{
    mkdir("/proc", 0755);
    mkdir("/dev", 0755);
    mkdir("/sys", 0755);
    mkdir("/tmp", 01777);
    mount("proc", "/proc", "proc", 0, NULL);
    /* A file system of its own: marks of watches are not felt there. */
    mount("devtmpfs", "/dev", "devtmpfs", 0, NULL);
    mount("sysfs", "/sys", "sysfs", 0, NULL);
    mount("securityfs", "/sys/kernel/security", "securityfs", 0, NULL);
}

/* Without this the random numbers that a new inode or task draws cost ten times as much, until the kernel has seen enough interrupts. */
static void seed_random(void)
{
    struct {
        struct rand_pool_info head;
        unsigned char bytes[64];
    } pool = {.head = {.entropy_count = 512, .buf_size = 64}};
    int fd = open("/dev/random", O_WRONLY);
    if (fd < 0 || ioctl(fd, RNDADDENTROPY, &pool))
        printf("note random: %s\n", strerror(errno));
    close(fd);
}

int main(void)
{
    static char line[65536];
    char *words[WORDS + 1];
    umask(022);
    prepare();
    seed_random();
    link("/t/etc/passwd", "/t/tmp/hard");
    setvbuf(stdout, NULL, _IOLBF, 0);
    FILE *plan = fopen("/plan", "re");
    while (plan && fgets(line, sizeof line, plan)) {
        int count = 0;
        for (char *word = strtok(line, " \n"); word && count < WORDS; word = strtok(NULL, " \n"))
            words[count++] = word;
        words[count] = NULL;
        if (count == 0)
            continue;
        if (!strcmp(words[0], "scenario"))
            reset(words[1], count > 2 ? words[2] : NULL);
        else if (!strcmp(words[0], "auditctl"))
            printf("status %d\n", auditctl(words[1], words + 2, 1));
        else if (!strcmp(words[0], "rules")) {
            char *arguments[] = {"-R", words[2], NULL};
            printf("status %d\n", auditctl(words[1], arguments, 0));
            printf("held %d\n", held());
        } else if (!strcmp(words[0], "start"))
            start(words + 1);
        else if (!strcmp(words[0], "bench")) {
            start(words + 1);
            run();
        } else if (!strcmp(words[0], "run"))
            run();
#ifdef __x86_64__
        else if (!strcmp(words[0], "events"))
            record_events(words[1]);
#endif
        else if (!strcmp(words[0], "reader"))
            start_reader();
        else
            printf("note unknown command %s\n", words[0]);
        fflush(stdout);
    }
    printf("end of plan\n");
    fflush(stdout);
    sync();
    reboot(RB_POWER_OFF);
    return 0;
}
