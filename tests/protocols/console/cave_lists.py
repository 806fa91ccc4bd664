EMPTY = 0
import random, sys, time, os
N = 8
b = [[EMPTY] * N for _ in range(N)]
def ok(r, c):
    if not (0 <= r < N and 0 <= c < N) or b[r][c] != EMPTY: return False
    return c == 0 or c == N - 1 or b[r][c-1] != EMPTY or b[r][c+1] != EMPTY
def won(p):
    for r in range(N):
        for c in range(N):
            for dr, dc in ((0,1),(1,0),(1,1),(1,-1)):
                if all(0 <= r+dr*k < N and 0 <= c+dc*k < N and b[r+dr*k][c+dc*k] == p for k in range(5)): return True
    return False
def full(): return all(x != EMPTY for row in b for x in row)
def think(p, q):
    moves = [(r, c) for r in range(N) for c in range(N) if ok(r, c)]
    for who in (p, q):
        for r, c in moves:
            b[r][c] = who
            w = won(who)
            b[r][c] = EMPTY
            if w: return r, c
    return random.choice(moves)

print("Player 1 is 1 and player 2 is -1")
human = int(input("Choose your player (1 or -1): "))
p = 1
while True:
    for row in b: print(row)
    if p == human:
        x = int(input("x: "))
        y = int(input("y: "))
        if not ok(y, x):
            print("invalid"); continue
        b[y][x] = p
    else:
        r, c = think(p, -p)
        b[r][c] = p
        print("ai move: x =", c, "y =", r)
    if won(p):
        for row in b: print(row)
        print("winner", p)
        break
    p = -p
