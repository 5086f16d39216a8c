// Functions of C++ that are handed all sorts of arguments, with known values, for probes that read them by debug
// information.
#define function __attribute__((noinline))

namespace app {

// The compiler cannot know what becomes of it.
static inline void use(long number) { __asm__ volatile("" : : "r"(number) : "memory"); }

struct Base {
    virtual ~Base() {}
    virtual int work(int n);
    int id = 7;
};
struct Extra {
    long extra = 99;
};
struct Derived : Base, Extra {
    enum class Level : unsigned char { low, high = 9 };
    Derived() : ref(own) {}
    int work(int n) override;
    char name[8] = "derived";
    bool on = true;
    Level level = Level::high;
    int& ref;
    int own = 5;
};

function int Base::work(int n) {
    use(n);
    return n;
}

function int Derived::work(int n) {
    use(n + id);
    return n + id;
}

// Copied by a function of its own, so that callers hand over where the copy is.
struct Big {
    explicit Big(long x) : a(x), b(x + 1), c(x + 2) {}
    Big(const Big& other) : a(other.a), b(other.b), c(other.c) { use(1); }
    long a, b, c;
};
struct Owner {
    explicit Owner(int* what) : what(what) {}
    ~Owner() { use(*what); }
    int* what;
};
struct Pair {
    int a, b;
};
struct Two {
    const char* text;
    short first;
    int second : 5;
};
struct Empty {};

function Big make(Big given, const Derived& d, int last) {
    use(given.a + d.id + last);
    return Big(given.b);
}

function Owner hand_over(Owner from, int number) {
    use(number);
    return Owner(from.what);
}

function long mixed(float f, int i, double d, char c, long long a1, long a2, long a3, short s7, unsigned char u8,
                    __int128 wide, long after) {
    use(i);
    return static_cast<long>(f + d) + c + a1 + a2 + a3 + s7 + u8 + static_cast<long>(wide) + after;
}

function int small(Pair p, Big* q) {
    use(p.a);
    return static_cast<int>(q->b);
}

function int both(Two two, int n, Pair p) {
    use(two.first + n + p.b);
    return n;
}

function int after_empty(Empty, int x) {
    use(x);
    return x;
}

// One member hides another.
struct Shape {
    int kind = 1;
    int color = 4;
};
struct Circle : Shape {
    int kind = 2;
};

function int drawn(const Circle& circle) {
    use(circle.kind);
    return circle.kind;
}

}  // namespace app

int main() {
    app::Derived d;
    app::Base* b = &d;
    int number = 31;
    __asm__ volatile("" : "+r"(b) : "r"(&d) : "memory");  // all of it is there
    app::use(b->work(11));
    app::Big big(100);
    app::Big other = app::make(big, d, 42);
    app::use(other.c);
    app::use(*app::hand_over(app::Owner(&number), 32).what);
    app::use(app::mixed(1, 2, 3, 'c', 5, 6, 7, -8, 250, 10, 1111));
    app::use(app::small({3, 4}, &big));
    app::use(app::both({"text", -12, -3}, 5, {6, 7}));
    app::use(app::after_empty({}, 77));
    app::Circle circle;
    __asm__ volatile("" : : "r"(&circle) : "memory");
    app::use(app::drawn(circle));
    return 0;
}
