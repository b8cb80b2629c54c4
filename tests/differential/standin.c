/*
 * Stand-in for the kernel's side of the audit socket, and for what auditctl asks of the host.
 *
 * Preloaded into the real auditctl. Nothing reaches the running kernel: socket() never opens anything, and the
 * words of the command line come from a file that only this code reads (AUDITLINT_STANDIN_ARGV, words ended by
 * NUL). Without the preload the program is started without any word: it prints its usage and ends.
 *
 * Everything that happens is written to standard error as frames between the program's own messages, so that
 * the order is kept. A frame is one line: TOKEN, letter, values. TOKEN (AUDITLINT_STANDIN_TOKEN) is random.
 *
 *   R          the stand-in is in place
 *   L from to  auditctl has read the bytes from..to of the rule file as one line
 *   M type hex a request: number of its type and its payload
 *   S text     a message that would have gone to syslog
 *   K pid sig  a signal that would have been sent
 *   F hex      at the end: a rule that is still loaded (mode "state")
 *
 * AUDITLINT_STANDIN_MODE: "none" acknowledges everything; "state" keeps the rule list and answers EEXIST,
 * ENOENT and EPERM as the kernel does. AUDITLINT_STANDIN_QUIET=1 writes no frames but R (for timing).
 * AUDITLINT_STANDIN_MACHINE: what uname says. AUDITLINT_STANDIN_DIRS: the directories that exist, one a line.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <grp.h>
#include <linux/audit.h>
#include <linux/netlink.h>
#include <netdb.h>
#include <pwd.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/types.h>
#include <fcntl.h>
#include <unistd.h>

#define FEATURES 0x7f
#define DAEMON 0x7ffffff0 /* process id that no process has: the limit of the kernel is far below */

static const char *token = "";
static int quiet, state;

struct reply {
	struct reply *next;
	size_t size;
	struct nlmsghdr header;
	unsigned char payload[];
};
static struct reply *first, **last = &first;

struct stored {
	struct stored *next;
	size_t size;
	unsigned char data[];
};
static struct stored *rules;
static struct audit_status status = {
	.enabled = 1, .failure = 1, .pid = DAEMON, .backlog_limit = 64, .feature_bitmap = FEATURES,
	.backlog_wait_time = 15000,
};
static struct audit_features features = { .vers = AUDIT_FEATURE_VERSION };

static void die(const char *why)
{
	dprintf(2, "stand-in: %s\n", why);
	_exit(99);
}

static void put(const char *text, size_t size)
{
	while (size) {
		ssize_t n = write(2, text, size);
		if (n < 0)
			_exit(99);
		text += n;
		size -= (size_t)n;
	}
}

static void frame(char letter, const char *values, const unsigned char *bytes, size_t size)
{
	static char line[65536];
	if (quiet && letter != 'R')
		return;
	int n = snprintf(line, 4096, "%s%c%s", token, letter, values);
	if (n < 0 || n >= 4096 || (size_t)n + 2 * size + 1 > sizeof line)
		die("frame too long");
	for (size_t i = 0; i < size; i++) {
		line[n++] = "0123456789abcdef"[bytes[i] >> 4];
		line[n++] = "0123456789abcdef"[bytes[i] & 15];
	}
	line[n++] = '\n';
	put(line, (size_t)n);
}

__attribute__((constructor)) static void begin(void)
{
	const char *text = getenv("AUDITLINT_STANDIN_TOKEN");
	if (!text || !getenv("AUDITLINT_STANDIN_ARGV"))
		die("not started by the tests");
	token = text;
	quiet = getenv("AUDITLINT_STANDIN_QUIET") != NULL;
	text = getenv("AUDITLINT_STANDIN_MODE");
	state = text && !strcmp(text, "state");
	frame('R', "", NULL, 0);
}

__attribute__((destructor)) static void end(void)
{
	for (struct stored *rule = rules; rule; rule = rule->next)
		frame('F', "", rule->data, rule->size);
}

/* The words of the command line. */

typedef int (*main_type)(int, char **, char **);
typedef int (*start_type)(main_type, int, char **, void (*)(void), void (*)(void), void (*)(void), void *);

int __libc_start_main(main_type real_main, int argc, char **argv, void (*init)(void), void (*fini)(void),
		      void (*rtld_fini)(void), void *stack_end)
{
	static char text[1 << 20];
	static char *words[1 << 16];
	start_type start = (start_type)dlsym(RTLD_NEXT, "__libc_start_main");
	int count = 0, fd = open(getenv("AUDITLINT_STANDIN_ARGV"), O_RDONLY | O_CLOEXEC);
	size_t size = 0;
	ssize_t n;
	if (fd < 0 || argc != 1)
		die("no words");
	while ((n = read(fd, text + size, sizeof text - size)) > 0)
		size += (size_t)n;
	close(fd);
	if (n < 0 || size == sizeof text || (size && text[size - 1]))
		die("bad words");
	words[count++] = argv[0];
	for (size_t at = 0; at < size; at += strlen(text + at) + 1) {
		if (count == (1 << 16) - 1)
			die("too many words");
		words[count++] = text + at;
	}
	words[count] = NULL;
	return start(real_main, count, words, init, fini, rtld_fini, stack_end);
}

/* The socket. A descriptor of /dev/null is always ready for select and poll. */

int socket(int domain, int type, int protocol)
{
	(void)type;
	if (domain != AF_NETLINK || protocol != NETLINK_AUDIT) {
		errno = EACCES;
		return -1;
	}
	first = NULL;
	last = &first;
	return open("/dev/null", O_RDWR | O_CLOEXEC);
}

static void answer(const struct nlmsghdr *request, uint16_t type, const void *payload, size_t size)
{
	struct reply *reply = calloc(1, sizeof *reply + size);
	if (!reply)
		die("no memory");
	reply->size = size;
	reply->header.nlmsg_len = (uint32_t)NLMSG_LENGTH(size);
	reply->header.nlmsg_type = type;
	reply->header.nlmsg_seq = request->nlmsg_seq;
	memcpy(reply->payload, payload, size);
	*last = reply;
	last = &reply->next;
}

static void acknowledge(const struct nlmsghdr *request, int error)
{
	struct nlmsgerr ack = { .error = -error, .msg = *request };
	answer(request, NLMSG_ERROR, &ack, sizeof ack);
}

/* The kernel clears the prepend flag of a rule that it has stored, so one with the flag is never found. */
static struct stored **find(const unsigned char *data, size_t size)
{
	struct stored **at = &rules;
	while (*at && ((*at)->size != size || memcmp((*at)->data, data, size)))
		at = &(*at)->next;
	return at;
}

static int add(const unsigned char *data, size_t size)
{
	struct stored **at = find(data, size), *rule;
	uint32_t flags;
	if (*at)
		return EEXIST;
	rule = calloc(1, sizeof *rule + size);
	if (!rule)
		die("no memory");
	rule->size = size;
	memcpy(rule->data, data, size);
	memcpy(&flags, data, sizeof flags);
	if (flags & AUDIT_FILTER_PREPEND) {
		rule->next = rules;
		rules = rule;
	} else {
		*at = rule;
	}
	flags &= ~AUDIT_FILTER_PREPEND;
	memcpy(rule->data, &flags, sizeof flags);
	return 0;
}

static int drop(const unsigned char *data, size_t size)
{
	struct stored **at = find(data, size), *rule = *at;
	if (!rule)
		return ENOENT;
	*at = rule->next;
	free(rule);
	return 0;
}

static void set(const unsigned char *data, size_t size)
{
	struct audit_status wish = { 0 };
	memcpy(&wish, data, size < sizeof wish ? size : sizeof wish);
	if (wish.mask & AUDIT_STATUS_ENABLED)
		status.enabled = wish.enabled;
	if (wish.mask & AUDIT_STATUS_FAILURE)
		status.failure = wish.failure;
	if (wish.mask & AUDIT_STATUS_RATE_LIMIT)
		status.rate_limit = wish.rate_limit;
	if (wish.mask & AUDIT_STATUS_BACKLOG_LIMIT)
		status.backlog_limit = wish.backlog_limit;
	if (wish.mask & AUDIT_STATUS_BACKLOG_WAIT_TIME)
		status.backlog_wait_time = wish.backlog_wait_time;
}

static void serve(const struct nlmsghdr *request, const unsigned char *data, size_t size)
{
	int locked = state && status.enabled == 2;
	switch (request->nlmsg_type) {
	case AUDIT_GET:
		acknowledge(request, 0);
		answer(request, AUDIT_GET, &status, sizeof status);
		break;
	case AUDIT_GET_FEATURE:
		acknowledge(request, 0);
		answer(request, AUDIT_GET_FEATURE, &features, sizeof features);
		break;
	case AUDIT_LIST_RULES:
		acknowledge(request, 0);
		for (struct stored *rule = rules; rule; rule = rule->next)
			answer(request, AUDIT_LIST_RULES, rule->data, rule->size);
		answer(request, NLMSG_DONE, NULL, 0);
		break;
	case AUDIT_ADD_RULE:
		acknowledge(request, locked ? EPERM : state ? add(data, size) : 0);
		break;
	case AUDIT_DEL_RULE:
		acknowledge(request, locked ? EPERM : state ? drop(data, size) : 0);
		break;
	case AUDIT_SET: /* a locked kernel still resets its counters */
		if (size >= sizeof(uint32_t) && *(const uint32_t *)data & (AUDIT_STATUS_LOST | 0x80))
			locked = 0;
		acknowledge(request, locked ? EPERM : 0);
		if (state && !locked)
			set(data, size);
		break;
	case AUDIT_TRIM:
	case AUDIT_MAKE_EQUIV:
		acknowledge(request, locked ? EPERM : 0);
		break;
	default:
		acknowledge(request, 0);
	}
}

ssize_t sendto(int fd, const void *buffer, size_t length, int flags, const struct sockaddr *to, socklen_t size)
{
	const struct nlmsghdr *request = buffer;
	char type[16];
	(void)fd, (void)flags, (void)to, (void)size;
	if (length < NLMSG_HDRLEN || request->nlmsg_len > length)
		die("bad request");
	const unsigned char *data = (const unsigned char *)buffer + NLMSG_HDRLEN;
	snprintf(type, sizeof type, "%u ", request->nlmsg_type);
	frame('M', type, data, request->nlmsg_len - NLMSG_HDRLEN);
	serve(request, data, request->nlmsg_len - NLMSG_HDRLEN);
	return (ssize_t)length;
}

ssize_t recvfrom(int fd, void *buffer, size_t length, int flags, struct sockaddr *from, socklen_t *size)
{
	struct sockaddr_nl kernel = { .nl_family = AF_NETLINK };
	struct reply *reply = first;
	(void)fd;
	if (!reply) {
		errno = EAGAIN;
		return -1;
	}
	size_t total = reply->header.nlmsg_len;
	if (total > length)
		die("reply too long");
	memcpy(buffer, &reply->header, sizeof reply->header);
	memcpy((char *)buffer + NLMSG_HDRLEN, reply->payload, reply->size);
	if (from && *size >= sizeof kernel) {
		memcpy(from, &kernel, sizeof kernel);
		*size = sizeof kernel;
	}
	if (!(flags & MSG_PEEK)) {
		first = reply->next;
		if (!first)
			last = &first;
		free(reply);
	}
	return (ssize_t)total;
}

/* Lines of the rule file. */

typedef char *(*fgets_type)(char *, int, FILE *);

char *fgets_unlocked(char *buffer, int size, FILE *file)
{
	static fgets_type real;
	char values[48];
	if (!real)
		real = (fgets_type)dlsym(RTLD_NEXT, "fgets_unlocked");
	if (quiet)
		return real(buffer, size, file);
	long from = ftell(file);
	char *text = real(buffer, size, file);
	if (text) {
		snprintf(values, sizeof values, "%ld %ld", from, ftell(file));
		frame('L', values, NULL, 0);
	}
	return text;
}

/* What auditctl asks of the host. */

static void log_message(const char *format, va_list values)
{
	char text[16384];
	int n = vsnprintf(text, sizeof text, format, values);
	if (n < 0)
		return;
	size_t size = (size_t)n < sizeof text ? (size_t)n : sizeof text - 1;
	frame('S', "", (unsigned char *)text, size);
}

void __vsyslog_chk(int priority, int flag, const char *format, va_list values)
{
	(void)priority, (void)flag;
	log_message(format, values);
}

void __syslog_chk(int priority, int flag, const char *format, ...)
{
	va_list values;
	(void)priority, (void)flag;
	va_start(values, format);
	log_message(format, values);
	va_end(values);
}

int kill(pid_t pid, int number)
{
	char values[32];
	snprintf(values, sizeof values, "%d %d", (int)pid, number);
	frame('K', values, NULL, 0);
	return 0;
}

int uname(struct utsname *name)
{
	const char *machine = getenv("AUDITLINT_STANDIN_MACHINE");
	memset(name, 0, sizeof *name);
	strcpy(name->sysname, "Linux");
	strcpy(name->nodename, "host");
	strcpy(name->release, "6.1.0");
	snprintf(name->machine, sizeof name->machine, "%s", machine ? machine : "x86_64");
	return 0;
}

uid_t geteuid(void)
{
	return 0;
}

int audit_can_control(void)
{
	return 1;
}

int getaddrinfo(const char *node, const char *service, const struct addrinfo *hints, struct addrinfo **result)
{
	(void)node, (void)service, (void)hints, (void)result;
	return EAI_NONAME;
}

struct passwd *getpwnam(const char *name)
{
	static const struct { const char *name; uid_t id; } users[] = {
		{ "root", 0 }, { "daemon", 1 }, { "bin", 2 }, { "sys", 3 }, { "nobody", 65534 },
	};
	static char text[] = "x"; /* libaudit wipes it */
	static struct passwd entry = { .pw_name = text, .pw_passwd = text };
	for (size_t i = 0; i < sizeof users / sizeof *users; i++) {
		if (!strcmp(users[i].name, name)) {
			entry.pw_uid = users[i].id;
			return &entry;
		}
	}
	return NULL;
}

struct group *getgrnam(const char *name)
{
	static const struct { const char *name; gid_t id; } groups[] = {
		{ "root", 0 }, { "daemon", 1 }, { "bin", 2 }, { "sys", 3 }, { "adm", 4 }, { "tty", 5 }, { "disk", 6 },
		{ "nogroup", 65534 },
	};
	static char text[] = "x";
	static struct group entry = { .gr_name = text, .gr_passwd = text };
	for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) {
		if (!strcmp(groups[i].name, name)) {
			entry.gr_gid = groups[i].id;
			return &entry;
		}
	}
	return NULL;
}

static int listed(const char *path)
{
	const char *at = getenv("AUDITLINT_STANDIN_DIRS");
	size_t size = strlen(path);
	while (at && *at) {
		size_t length = strcspn(at, "\n");
		if (length == size && !memcmp(at, path, size))
			return 1;
		at += length + (at[length] == '\n');
	}
	return 0;
}

/* auditctl asks only whether a watched path is a directory. There are no links; the path is followed step by step. */
int stat(const char *path, struct stat *out)
{
	char done[8192] = "/";
	size_t used = 1;
	if (path[0] != '/' || strlen(path) >= sizeof done) {
		errno = ENOENT;
		return -1;
	}
	for (const char *at = path; *at; ) {
		size_t length = strcspn(at, "/");
		if (length == 2 && !memcmp(at, "..", 2)) {
			while (used > 1 && done[used - 1] != '/')
				used--;
			used -= used > 1;
		} else if (length && !(length == 1 && *at == '.')) {
			if (used > 1)
				done[used++] = '/';
			memcpy(done + used, at, length);
			used += length;
		}
		done[used] = 0;
		if (!listed(done)) {
			errno = ENOENT;
			return -1;
		}
		at += length + (at[length] == '/');
	}
	memset(out, 0, sizeof *out);
	out->st_mode = S_IFDIR | 0755;
	return 0;
}

/* The rule file belongs to root, whoever runs the tests. */
int fstat(int fd, struct stat *out)
{
	static int (*real)(int, struct stat *);
	if (!real)
		real = (int (*)(int, struct stat *))dlsym(RTLD_NEXT, "fstat");
	int answer = real(fd, out);
	if (!answer && S_ISREG(out->st_mode)) {
		out->st_uid = 0;
		if (out->st_mode & S_IFREG)
			out->st_mode &= ~(mode_t)(S_IWOTH);
	}
	return answer;
}
