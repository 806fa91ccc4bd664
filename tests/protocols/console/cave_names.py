EMPTY = '.'
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

name1 = input("What is your name? ")
name2 = input("Name of the computer player: ")
print("Hello", name1, "and", name2)
again = "y"
while again == "y":
    b = [[EMPTY] * N for _ in range(N)]
    first = input(f"Does {name1} want to start? (yes/no) ")
    turn = 0 if first == "yes" else 1
    me = "X" if turn == 0 else "O"
    comp = "O" if me == "X" else "X"
    while True:
        for i, row in enumerate(b): print(i + 1, " ".join(row))
        print("  1 2 3 4 5 6 7 8")
        if turn == 0:
            t = input(f"{name1}, your move (row,col): ")
            try: r, c = [int(x) - 1 for x in t.split(",")]
            except ValueError: print("Bad format"); continue
            if not ok(r, c): print("Not allowed"); continue
            b[r][c] = me
            if won(me): print(name1, "wins!"); break
        else:
            r, c = think(comp, me)
            b[r][c] = comp
            print(f"{name2} plays {r+1},{c+1}")
            if won(comp): print(name2, "wins!"); break
        if full(): print("Draw"); break
        turn = 1 - turn
    again = input("Play again? (y/n) ")
print("Bye")
