# Samples whose times follow a second size: passes of softmax by the length of a row, an optimizer by its tensors.
# SPDX-License-Identifier: Apache-2.0
RATE, START = 0.85 * 3.35e12, 3e-6  # of an H100

print("kind,name,dtype,bytes,row,params,tensors,forward_us")
for rows in (10_000, 20_000, 50_000, 100_000, 200_000):
    for row, passes in ((1024, 3), (2048, 12), (4096, 6)):
        size = 2 * rows * row
        print(f"memory,add,bf16,{size},,,,{(3 * size / RATE + START) * 1e6:.6g}")
        print(f"memory,softmax,bf16,{size},{row},,,{(passes * size / RATE + START) * 1e6:.6g}")
for tensors in (20, 100, 500):
    for params in (3e7, 3e8, 3e9):
        print(f"optimizer,adam,fp32,,,{params:.0f},{tensors},{(100 * params / RATE + 200e-6 * tensors) * 1e6:.6g}")
