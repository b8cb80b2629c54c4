/* The measured program: performs each operation many times and prints instructions per operation.
 *
 * The machine advances its clock by one tick per instruction (QEMU -icount shift=0), so a difference of two readings of
 * the cycle counter is a number of instructions. Each operation runs in batches; the smallest batch is printed, so that a timer
 * tick does not count. The empty loop is subtracted.
 *
 * Usage: bench [UID AUID [VISIT...]]: takes that identity (AUID "unset" leaves the login id alone), opens the paths, says on
 * descriptor 3 that it is ready and waits for a byte there if it is open, then measures. "=NAME,NAME" among the paths: only these
 * operations. Output: one line "cost OPERATION INSTRUCTIONS" per operation.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "calls.h"

#define BATCHES 9
#define MANY 40
#define FEW 8

static inline uint64_t ticks(void)
{
#if defined(__x86_64__)
    uint32_t low, high;
    __asm__ volatile("rdtsc" : "=a"(low), "=d"(high)::"memory");
    return (uint64_t)high << 32 | low;
#elif defined(__aarch64__)
    uint64_t value;
    __asm__ volatile("isb; mrs %0, cntvct_el0" : "=r"(value)::"memory");
    return value;
#else
#error "no cycle counter is known for this machine"
#endif
}

static int zero_fd, null_fd, plain_fd;
static char buffer[512];
static struct stat status;

static void op_empty(void) {}
static void op_getppid(void) { call0(SYS_getppid); }
static void op_close_bad(void) { call1(SYS_close, -1); }
static int do_access(const char *path)
{
#ifdef SYS_access
    return (int)call2(SYS_access, (long)path, F_OK);
#else
    return (int)call3(SYS_faccessat, AT_FDCWD, (long)path, F_OK);
#endif
}
static void op_access_ok(void) { do_access("/usr/include"); }
static void op_access_fail(void) { do_access("/usr/missing"); }
static void open_close(const char *path, int flags)
{
    int fd = (int)call4(SYS_openat, AT_FDCWD, (long)path, flags, 0);
    if (fd >= 0)
        call1(SYS_close, fd);
}
static void op_open(void) { open_close("/data/plain", O_RDONLY); }
static void op_open_w(void) { open_close("/data/plain", O_WRONLY); }
static void op_open_fail(void) { call4(SYS_openat, AT_FDCWD, (long)"/data/missing", O_RDONLY, 0); }
static void op_open_deep(void) { open_close("/data/a/b/c/d/e/f/plain", O_RDONLY); }
static void op_open_watch(void) { open_close("/etc/test/f0", O_RDONLY); }
static void op_open_watch_w(void) { open_close("/etc/test/f0", O_WRONLY); }
static void op_read(void) { call3(SYS_read, zero_fd, (long)buffer, sizeof buffer); }
static void op_write(void) { call3(SYS_write, null_fd, (long)buffer, sizeof buffer); }
static void op_stat(void)
{
    call4(SYS_newfstatat, AT_FDCWD, (long)"/data/plain", (long)&status, 0);
}
static void op_fstat(void)
{
    call2(SYS_fstat, plain_fd, (long)&status);
}
static void op_chmod(void)
{
#ifdef SYS_chmod
    call2(SYS_chmod, (long)"/data/plain", 0644);
#else
    call3(SYS_fchmodat, AT_FDCWD, (long)"/data/plain", 0644);
#endif
}
static void op_kill0(void) { call2(SYS_kill, 1, 0); }
static void op_creat_unlink(void)
{
    int fd = (int)call4(SYS_openat, AT_FDCWD, (long)"/data/new", O_CREAT | O_EXCL | O_WRONLY, 0644);
    call1(SYS_close, fd);
#ifdef SYS_unlink
    call1(SYS_unlink, (long)"/data/new");
#else
    call3(SYS_unlinkat, AT_FDCWD, (long)"/data/new", 0);
#endif
}
static void op_fork(void)
{
    int result;
    pid_t child = vfork();
    if (child == 0)
        _exit(0);
    waitpid(child, &result, 0);
}
static void op_exec(void)
{
    static char *const argv[] = {"/tiny", NULL};
    static char *const environment[] = {NULL};
    int result;
    pid_t child = vfork();
    if (child == 0) {
        execve("/tiny", argv, environment);
        _exit(1);
    }
    waitpid(child, &result, 0);
}

static const struct {
    const char *name;
    void (*perform)(void);
    int times;
} operations[] = {
    {"getppid", op_getppid, MANY},       {"close_bad", op_close_bad, MANY},
    {"access_ok", op_access_ok, MANY},   {"access_fail", op_access_fail, MANY},
    {"open", op_open, MANY},             {"open_w", op_open_w, MANY},
    {"open_fail", op_open_fail, MANY},   {"open_deep", op_open_deep, MANY},
    {"open_watch", op_open_watch, MANY}, {"open_watch_w", op_open_watch_w, MANY},
    {"read", op_read, MANY},             {"write", op_write, MANY},
    {"stat", op_stat, MANY},             {"fstat", op_fstat, MANY},
    {"chmod", op_chmod, MANY},           {"kill0", op_kill0, MANY},
    {"creat_unlink", op_creat_unlink, MANY}, {"fork", op_fork, FEW},
    {"exec", op_exec, FEW},
};

static uint64_t batch(void (*volatile perform)(void), int times)
{
    static const struct timespec pause = {0, 8000000};
    uint64_t smallest = UINT64_MAX;
    for (int number = 0; number < BATCHES; number++) {
        /* Deferred work of the kernel (RCU callbacks, writing out of records) is done in this pause, not in the batch. */
        nanosleep(&pause, NULL);
        uint64_t start = ticks();
        for (int turn = 0; turn < times; turn++)
            perform();
        uint64_t spent = ticks() - start;
        if (spent < smallest)
            smallest = spent;
    }
    return smallest;
}

/* Whether a name is among those of a list, which has commas between them. */
static int named(const char *list, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = list; (at = strstr(at, name)); at += length)
        if ((at == list || at[-1] == ',') && (at[length] == ',' || at[length] == '\0'))
            return 1;
    return 0;
}

int main(int argc, char **argv)
{
    static char text[8192];
    size_t length = 0;
    const char *only = NULL;
    char go = 'r';
    if (argc > 2 && strcmp(argv[2], "unset") != 0) {
        int fd = open("/proc/self/loginuid", O_WRONLY);
        if (fd < 0 || write(fd, argv[2], strlen(argv[2])) < 0)
            printf("note loginuid: %s\n", strerror(errno));
        close(fd);
    }
    zero_fd = open("/dev/zero", O_RDONLY);
    null_fd = open("/dev/null", O_WRONLY);
    plain_fd = open("/data/plain", O_RDONLY);
    if (argc > 1 && atoi(argv[1]) != 0) {
        int id = atoi(argv[1]);
        if (setgroups(0, NULL) || setresgid(id, id, id) || setresuid(id, id, id))
            printf("note identity: %s\n", strerror(errno));
    }
    for (int number = 3; number < argc; number++) {
        if (argv[number][0] == '=') {
            only = argv[number] + 1;
            continue;
        }
        int fd = open(argv[number], O_RDONLY);
        close(fd);
    }
    if (fcntl(3, F_GETFD) != -1 && zero_fd != 3) {
        if (write(3, &go, 1) != 1 || read(3, &go, 1) != 1)
            printf("note gate: %s\n", strerror(errno));
        close(3);
    }
    uint64_t many = batch(op_empty, MANY), few = batch(op_empty, FEW);
    for (size_t number = 0; number < sizeof operations / sizeof operations[0]; number++) {
        int times = operations[number].times;
        if (only && !named(only, operations[number].name))
            continue;
        uint64_t spent = batch(operations[number].perform, times) - (times == MANY ? many : few);
        length += (size_t)snprintf(text + length, sizeof text - length, "cost %s %.4f\n", operations[number].name,
                                   (double)spent / times);
    }
    fwrite(text, 1, length, stdout);
    return 0;
}
