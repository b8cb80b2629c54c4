/* Operations whose events are recorded: each leaves the file tree as it was. tools/laboratory/events.py makes the tree /t. */
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define CWD (unsigned long)AT_FDCWD

static char scratch[64];

static void opened(const char *path, int flags, int mode)
{
    int fd = (int)syscall(SYS_openat, CWD, path, flags, mode);
    if (fd >= 0)
        syscall(SYS_close, fd);
}

static void with_file(const char *path, int flags, const char *name)
{
    int fd = (int)syscall(SYS_openat, CWD, path, flags, 0);
    if (fd < 0)
        return;
    if (!strcmp(name, "fchmod"))
        syscall(SYS_fchmod, fd, 0666);
    else if (!strcmp(name, "ftruncate"))
        syscall(SYS_ftruncate, fd, 2);
    else if (!strcmp(name, "read"))
        syscall(SYS_read, fd, scratch, 4);
    else if (!strcmp(name, "write"))
        syscall(SYS_write, fd, "data", 4);
    syscall(SYS_close, fd);
}

static void perform(const char *op)
{
    static char *const argv[] = {"x", NULL};
    static char *const environment[] = {NULL};
    static struct stat status;
    static const struct {
        const char *name, *path;
        int flags, mode;
    } opens[] = {
        {"open_r", "/t/etc/passwd", O_RDONLY, 0},
        {"open_shadow", "/t/etc/shadow", O_RDONLY, 0},
        {"open_miss", "/t/etc/nofile", O_RDONLY, 0},
        {"open_link", "/t/link", O_RDONLY, 0},
        {"open_dlink", "/t/dlink/shadow", O_RDONLY, 0},
        {"open_hard", "/t/tmp/hard", O_RDONLY, 0},
        {"open_w", "/t/home/u1/note", O_WRONLY, 0},
        {"open_rdwr", "/t/home/u1/data", O_RDWR, 0},
        {"open_trunc", "/t/home/u1/data", O_WRONLY | O_TRUNC, 0},
        {"open_secret", "/t/home/u2/secret", O_RDWR, 0},
        {"open_creat_old", "/t/etc/conf.d/a.conf", O_CREAT | O_WRONLY, 0644},
    };
    for (size_t number = 0; number < sizeof opens / sizeof opens[0]; number++)
        if (!strcmp(op, opens[number].name)) {
            opened(opens[number].path, opens[number].flags, opens[number].mode);
            return;
        }
    if (!strcmp(op, "open2")) {
        int fd = (int)syscall(SYS_open, "/t/etc/conf.d/a.conf", O_RDONLY, 0);
        if (fd >= 0)
            syscall(SYS_close, fd);
    } else if (!strcmp(op, "openat2")) {
        static struct open_how how;
        int fd = (int)syscall(SYS_openat2, CWD, "/t/etc/conf.d/b.conf", &how, sizeof how);
        if (fd >= 0)
            syscall(SYS_close, fd);
    } else if (!strcmp(op, "chmod"))
        syscall(SYS_chmod, "/t/home/u1/note", 0640);
    else if (!strcmp(op, "fchmodat"))
        syscall(SYS_fchmodat, CWD, "/t/etc/shadow", 0600);
    else if (!strcmp(op, "fchmod"))
        with_file("/t/home/u1/data", O_RDONLY, op);
    else if (!strcmp(op, "ftruncate") || !strcmp(op, "write"))
        with_file("/t/home/u1/data", O_WRONLY, op);
    else if (!strcmp(op, "read"))
        with_file("/t/home/u1/note", O_RDONLY, op);
    else if (!strcmp(op, "chown"))
        syscall(SYS_chown, "/t/home/u1/note", 1000, 1000);
    else if (!strcmp(op, "fchownat"))
        syscall(SYS_fchownat, CWD, "/t/etc/passwd", 0, 0, 0);
    else if (!strcmp(op, "lchown"))
        syscall(SYS_lchown, "/t/link", 0, 0);
    else if (!strcmp(op, "truncate"))
        syscall(SYS_truncate, "/t/home/u1/data", 0);
    else if (!strcmp(op, "access"))
        syscall(SYS_access, "/t/etc/shadow", R_OK);
    else if (!strcmp(op, "faccessat"))
        syscall(SYS_faccessat, CWD, "/t/etc/conf.d", X_OK);
    else if (!strcmp(op, "stat"))
        syscall(SYS_newfstatat, CWD, "/t/etc/passwd", &status, 0);
    else if (!strcmp(op, "readlink"))
        syscall(SYS_readlink, "/t/link", scratch, sizeof scratch - 4);
    else if (!strcmp(op, "exec_noexec"))
        syscall(SYS_execve, "/t/etc/passwd", argv, environment);
    else if (!strcmp(op, "exec_miss"))
        syscall(SYS_execve, "/t/bin/none", argv, environment);
    else if (!strcmp(op, "kill0"))
        syscall(SYS_kill, 1, 0);
    else if (!strcmp(op, "setresuid"))
        syscall(SYS_setresuid, -1L, -1L, -1L);
    else if (!strcmp(op, "ptrace"))
        syscall(SYS_ptrace, 2, 1, 0, 0);
    else if (!strcmp(op, "delete_module"))
        syscall(SYS_delete_module, "nosuch", 0x800);
    else if (!strcmp(op, "chdir_rel")) {
        syscall(SYS_chdir, "/t/etc");
        opened("passwd", O_RDONLY, 0);
        syscall(SYS_chdir, "/");
    } else if (!strcmp(op, "dirfd")) {
        int folder = (int)syscall(SYS_openat, CWD, "/t/etc/conf.d", O_DIRECTORY, 0);
        int fd = (int)syscall(SYS_openat, folder, "a.conf", O_RDONLY, 0);
        syscall(SYS_close, fd);
        syscall(SYS_close, folder);
    } else if (!strcmp(op, "getppid"))
        syscall(SYS_getppid);
}
