# Symmetric systems of some dozen unknowns: solution and inverse by Cholesky's factor, so that nothing but Python is needed.
# SPDX-License-Identifier: Apache-2.0
import math


def factor(matrix):
    """The lower triangle L with L L' = matrix, which must be positive definite."""
    size = len(matrix)
    lower = [[0.0] * size for _ in range(size)]
    for i in range(size):
        mine = lower[i]
        for j in range(i + 1):
            other = lower[j]
            left = matrix[i][j] - sum(map(float.__mul__, mine[:j], other[:j]))
            mine[j] = math.sqrt(left) if i == j else left / other[j]
    return lower


def solved(lower, right):
    """The x with L L' x = right."""
    size = len(lower)
    x = list(right)
    for i in range(size):
        x[i] = (x[i] - sum(map(float.__mul__, lower[i][:i], x[:i]))) / lower[i][i]
    for i in reversed(range(size)):
        x[i] = (x[i] - sum(lower[j][i] * x[j] for j in range(i + 1, size))) / lower[i][i]
    return x


def inverse(matrix):
    lower = factor(matrix)
    columns = [solved(lower, [float(i == j) for i in range(len(matrix))]) for j in range(len(matrix))]
    return [list(row) for row in zip(*columns)]
