/* System calls without the C library, so that every library counts the same; one per number of arguments, so that no register is
 * set in vain. */
#if defined(__x86_64__)
static inline long call0(long number)
{
    long result;
    __asm__ volatile("syscall" : "=a"(result) : "a"(number) : "rcx", "r11", "memory");
    return result;
}
static inline long call1(long number, long a)
{
    long result;
    __asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(a) : "rcx", "r11", "memory");
    return result;
}
static inline long call2(long number, long a, long b)
{
    long result;
    __asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b) : "rcx", "r11", "memory");
    return result;
}
static inline long call3(long number, long a, long b, long c)
{
    long result;
    __asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
    return result;
}
static inline long call4(long number, long a, long b, long c, long d)
{
    register long r10 __asm__("r10") = d;
    long result;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10)
                     : "rcx", "r11", "memory");
    return result;
}
#elif defined(__aarch64__)
#define ARGUMENT(register_name, value) register long register_name __asm__(#register_name) = (value)
static inline long call0(long number)
{
    ARGUMENT(x8, number);
    register long x0 __asm__("x0");
    __asm__ volatile("svc 0" : "=r"(x0) : "r"(x8) : "memory");
    return x0;
}
static inline long call1(long number, long a)
{
    ARGUMENT(x8, number);
    ARGUMENT(x0, a);
    __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8) : "memory");
    return x0;
}
static inline long call2(long number, long a, long b)
{
    ARGUMENT(x8, number);
    ARGUMENT(x0, a);
    ARGUMENT(x1, b);
    __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1) : "memory");
    return x0;
}
static inline long call3(long number, long a, long b, long c)
{
    ARGUMENT(x8, number);
    ARGUMENT(x0, a);
    ARGUMENT(x1, b);
    ARGUMENT(x2, c);
    __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2) : "memory");
    return x0;
}
static inline long call4(long number, long a, long b, long c, long d)
{
    ARGUMENT(x8, number);
    ARGUMENT(x0, a);
    ARGUMENT(x1, b);
    ARGUMENT(x2, c);
    ARGUMENT(x3, d);
    __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3) : "memory");
    return x0;
}
#else
#error "no system call is known for this machine"
#endif
