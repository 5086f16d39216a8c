package main

import "syscall"

func thread() int { return syscall.Gettid() }
