#!/usr/bin/perl
# Reads 4096 bytes of the file that is named, by io_setup(), io_submit() and io_getevents() of Linux on x86-64.
my $context = pack("Q", 0);
syscall(206, 8, $context) == 0 or die "io_setup: $!\n";
open(my $file, "<", $ARGV[0]) or die "$ARGV[0]: $!\n";
my $buffer = "\0" x 4096;
my $request = pack("QLLSSLQQqQLL", 0, 0, 0, 0, 0, fileno($file), unpack("Q", pack("P", $buffer)), 4096, 8192, 0, 0, 0);
my $list = pack("P", $request);
syscall(209, unpack("Q", $context), 1, $list) == 1 or die "io_submit: $!\n";
my $event = "\0" x 32;
syscall(208, unpack("Q", $context), 1, 1, $event, 0) == 1 or die "io_getevents: $!\n";
