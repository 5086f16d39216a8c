// Goroutines that call functions a known number of times: on stacks that grow, on threads that change, with panics.
// calls WHAT [held] prints what it has done: a name and a count each; `held`: after a byte from standard input.
package main

import (
	"fmt"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

var calls, threads int64

// On each level 256 bytes, so that stacks of goroutines grow and move.
//
//go:noinline
func deep(n int) int {
	var room [256]byte
	room[n%256] = byte(n)
	atomic.AddInt64(&calls, 1)
	if n == 0 {
		return int(room[3])
	}
	return deep(n-1) + int(room[n%256])
}

// What runs it afterwards may be another thread.
//
//go:noinline
func wait(turn chan int, n int) int {
	atomic.AddInt64(&calls, 1)
	before := thread()
	for i := 0; i < 3; i++ {
		<-turn
		time.Sleep(50 * time.Microsecond)
		turn <- i
	}
	if thread() != before {
		atomic.AddInt64(&threads, 1)
	}
	return n
}

//go:noinline
func fail(n int) int {
	atomic.AddInt64(&calls, 1)
	if n == 0 {
		panic("failed")
	}
	return fail(n-1) + 1
}

//go:noinline
func recovers(n int) (result int) {
	atomic.AddInt64(&calls, 1)
	defer func() {
		if recover() != nil {
			result = -n
		}
	}()
	return fail(n)
}

//go:noinline
func ends(n int) {
	atomic.AddInt64(&calls, 1)
	if n == 0 {
		runtime.Goexit()
	}
	ends(n - 1)
	atomic.AddInt64(&calls, 1)
}

//go:noinline
func slow(n int) int {
	time.Sleep(20 * time.Millisecond)
	return n + 1
}

//go:noinline
func stuck(never chan int) int {
	atomic.AddInt64(&calls, 1)
	return <-never
}

type pair struct{ a, b int }

//go:noinline
func words(text string, list []int, number int, p *pair, last int) (int, string) {
	return len(text) + len(list) + number + p.a + last, text
}

//go:noinline
func real(x float64, n int) float64 { return x * float64(n) }

//go:noinline
func choose(n int) int {
	switch n {
	case 0:
		return 7 * wide(n)
	case 1:
		return wide(n) - 3
	case 2:
		return 40
	case 3:
		return wide(n) << 3
	case 4:
		return n ^ wide(7)
	case 5:
		return wide(n) / 3
	case 6:
		return 1000
	case 7:
		return wide(n) % 5
	case 8:
		return 12
	case 9:
		return wide(n) + 9
	}
	return -1
}

//go:noinline
func wide(n int) int { return n + 100 }

//go:noinline
func loops(p *pair) int {
	for p.a < p.b {
		p.a++
	}
	return p.a
}

// Ends when all goroutines have: the last one may still be about to return when the group is done, and a process that
// exits then takes this return with it.
func many(goroutines int, work func(int)) {
	before := runtime.NumGoroutine()
	var all sync.WaitGroup
	for i := 0; i < goroutines; i++ {
		all.Add(1)
		go func(i int) {
			defer all.Done()
			work(i)
		}(i)
	}
	all.Wait()
	for runtime.NumGoroutine() > before {
		runtime.Gosched()
	}
}

func main() {
	if len(os.Args) > 2 {
		os.Stdin.Read(make([]byte, 1))
	}
	switch os.Args[1] {
	case "deep", "few":
		goroutines := 20
		if os.Args[1] == "few" {
			goroutines = 5
		}
		many(goroutines, func(i int) {
			for j := 0; j < 10; j++ {
				deep(i*j*3 + j)
			}
		})
	case "wait":
		runtime.GOMAXPROCS(8)
		turn := make(chan int, 40)
		for i := 0; i < 40; i++ {
			turn <- i
		}
		many(100, func(i int) {
			for j := 0; j < 20; j++ {
				wait(turn, i)
			}
		})
		fmt.Println("changed", threads != 0)
	case "fail":
		many(20, func(i int) {
			for j := 0; j < 50; j++ {
				recovers(j % 7)
				deep(j % 5)
			}
		})
	case "ends":
		for round := 0; round < 20; round++ {
			many(10, func(i int) { ends(i) })
			many(10, func(i int) { deep(i) })
		}
	case "words":
		for i := 0; i < 10; i++ {
			words("four", []int{1, 2, 3}, 40, &pair{500, 6}, 7000+i)
			real(2.5, i)
		}
	case "choose":
		for i := 0; i < 1000; i++ {
			choose(i % 11)
			loops(&pair{0, i})
		}
	case "slow":
		many(8, func(i int) {
			for j := 0; j < 10; j++ {
				slow(j)
			}
		})
	case "stuck":
		never := make(chan int)
		for i := 0; i < 100; i++ {
			go stuck(never)
		}
		for atomic.LoadInt64(&calls) < 100 {
			time.Sleep(time.Millisecond)
		}
		fmt.Println("stuck")
		time.Sleep(time.Hour)
	}
	fmt.Println("calls", calls)
}
