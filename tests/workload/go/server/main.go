// A server of HTTP on 127.0.0.1 and its own clients: server CLIENTS REQUESTS. Every seventh request fails inside of its
// handler, which the server survives. Prints how often each function was called.
package main

import (
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
)

var handled, sums, failed int64

// Needs as much stack as the request asks for.
//
//go:noinline
func sum(n int) int {
	var room [200]byte
	room[n%200] = byte(n)
	atomic.AddInt64(&sums, 1)
	if n == 0 {
		return int(room[1])
	}
	return sum(n-1) + int(room[n%200])
}

type service struct{ name string }

//go:noinline
func (s *service) handle(w http.ResponseWriter, r *http.Request) {
	atomic.AddInt64(&handled, 1)
	n, _ := strconv.Atoi(r.URL.Query().Get("n"))
	if n%7 == 6 {
		atomic.AddInt64(&failed, 1)
		panic("cannot do it")
	}
	fmt.Fprintln(w, s.name, sum(n))
}

func main() {
	log.SetOutput(io.Discard)
	clients, _ := strconv.Atoi(os.Args[1])
	requests, _ := strconv.Atoi(os.Args[2])
	s := &service{"sum"}
	server := httptest.NewUnstartedServer(http.HandlerFunc(s.handle))
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.Start()
	var all sync.WaitGroup
	for c := 0; c < clients; c++ {
		all.Add(1)
		go func(c int) {
			defer all.Done()
			client := &http.Client{Transport: &http.Transport{}}
			for i := 0; i < requests; i++ {
				answer, err := client.Get(fmt.Sprintf("%s/?n=%d", server.URL, (c*31+i)%120))
				if err != nil {
					continue
				}
				io.Copy(io.Discard, answer.Body)
				answer.Body.Close()
			}
		}(c)
	}
	all.Wait()
	server.Close()
	fmt.Println("handled", handled, "failed", failed, "sums", sums)
}
