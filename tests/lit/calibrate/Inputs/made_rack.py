"""Writes an output of nccl-tests of hosts with four GPUs each, in one rack or two: inside of a rack 30 us + bytes on the wire over 430 GB/s.

Usage: made_rack.py HOSTS PART COLLECTIVE
"""
import sys

PER_HOST = 4


def main(hosts, part, program):
    ranks = hosts * PER_HOST
    factor = {"all_reduce": 2 * (ranks - 1) / ranks, "sendrecv": 1}[program]
    print(f"# Collective test starting: {program}_perf\n# Using devices")
    for i in range(ranks):
        print(f"#  Rank {i:2} Group  0 Pid {100 + i} on tray{i // PER_HOST:02} device  {i % PER_HOST} [000{i % PER_HOST}:01:00] {part}")
    print("#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong")
    print("#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)")
    for size in (2**power for power in range(16, 34)):
        time = 30 + size * factor / 430e3
        rate = size / time * 1e-3
        columns = f"{time:9.2f} {rate:7.2f} {rate * factor:7.2f}      0"
        print(f"{size:12} {size // 4:13}  float     sum      -1 {columns} {columns}")


main(int(sys.argv[1]), sys.argv[2], sys.argv[3])
