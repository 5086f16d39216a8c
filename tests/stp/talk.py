"""Connections over loopback, by default from the process itself to itself: talk.py WHAT.

serve, ask: the two ends of a connection over which 321 bytes go, 123 come back, and 10 go.
once: a connection to port 7777 over which 321 bytes go and 123 come back, then both ends are closed.
full: a sender that fills its buffer, until it is read.
listen_to_all DEVICE: a socket that gets all packets of a device.
lost: bytes that are not acknowledged, because the network drops them, until there is a file `enough`.
"""
import os
import socket
import struct
import subprocess
import sys
import threading
import time

PORT = 7777
SOL_PACKET, PACKET_ADD_MEMBERSHIP, PACKET_MR_PROMISC = 263, 1, 1


def serve():
    """One connection, from another process."""
    with socket.create_server(("127.0.0.1", PORT)) as server:
        end = server.accept()[0]
        end.recv(1000)
        end.sendall(b"y" * 123)
        end.recv(1000)


def ask():
    with socket.create_connection(("127.0.0.1", PORT)) as end:
        end.sendall(b"x" * 321)
        end.recv(1000)
        end.sendall(b"x" * 10)


def listen_to_all():
    """A socket that asks a device for all packets, not only its own."""
    with socket.socket(socket.AF_PACKET, socket.SOCK_RAW) as end:
        index = socket.if_nametoindex(sys.argv[2])
        end.setsockopt(SOL_PACKET, PACKET_ADD_MEMBERSHIP, struct.pack("iHH8s", index, PACKET_MR_PROMISC, 0, b""))


WHAT = sys.argv[1]
if WHAT in ("serve", "ask", "listen_to_all"):
    sys.exit(globals()[WHAT]())
server = socket.create_server(("127.0.0.1", PORT))
client = socket.create_connection(("127.0.0.1", PORT))
accepted = server.accept()[0]
if WHAT == "once":
    client.sendall(b"x" * 321)
    accepted.recv(1000)
    accepted.sendall(b"y" * 123)
    client.recv(1000)
elif WHAT == "full":
    def read_later():
        time.sleep(0.3)
        while accepted.recv(1 << 20):
            pass

    reader = threading.Thread(target=read_later)
    reader.start()
    client.sendall(b"x" * (16 << 20))
    client.shutdown(socket.SHUT_WR)
    reader.join()
elif WHAT == "lost":
    subprocess.run(["tc", "qdisc", "add", "dev", "lo", "root", "netem", "loss", "100%"], check=True)
    client.sendall(b"x" * 100)
    while not os.path.exists("enough"):
        time.sleep(0.05)
    subprocess.run(["tc", "qdisc", "del", "dev", "lo", "root"], check=True)
accepted.close()
client.close()
