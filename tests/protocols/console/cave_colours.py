# Magnetic Cave in colours. Shows its move in the drawn board only; rows are drawn from row 1 downwards.
import os
import sys

SIZE = 8
RED, BLUE, OFF = "\033[31m", "\033[34m", "\033[0m"
board = [["." for _ in range(SIZE)] for _ in range(SIZE)]


def show():
    print("\033[2J\033[H", end="")
    print("    " + " ".join("ABCDEFGH"))
    for number, row in enumerate(board):
        cells = [RED + c + OFF if c == "X" else BLUE + c + OFF if c == "O" else c for c in row]
        print(f" {number + 1:>2} " + " ".join(cells))


def legal(r, c):
    if not (0 <= r < SIZE and 0 <= c < SIZE) or board[r][c] != ".":
        return False
    return c in (0, SIZE - 1) or board[r][c - 1] != "." or board[r][c + 1] != "."


def wins(p):
    for r in range(SIZE):
        for c in range(SIZE):
            for dr, dc in ((0, 1), (1, 0), (1, 1), (1, -1)):
                cells = [(r + k * dr, c + k * dc) for k in range(5)]
                if all(0 <= y < SIZE and 0 <= x < SIZE and board[y][x] == p for y, x in cells):
                    return True
    return False


def computer(p):
    moves = [(abs(c - 3.5) + abs(r - 4), r, c) for r in range(SIZE) for c in range(SIZE) if legal(r, c)]
    _, r, c = min(moves)
    board[r][c] = p


def human(p):
    while True:
        text = input(p + ", your move: ").strip()
        try:
            c, r = ord(text[0].upper()) - 65, int(text[1:]) - 1
        except (IndexError, ValueError):
            print("Sorry, I cannot read that.")
            continue
        if legal(r, c):
            board[r][c] = p
            return
        print("That is not a legal move!")


first = input("Do you want to start? (y/n) ").lower().startswith("y")
ply = 0
while any(legal(r, c) for r in range(SIZE) for c in range(SIZE)):
    show()
    player = "XO"[ply % 2]
    (human if (ply % 2 == 0) == first else computer)(player)
    if wins(player):
        show()
        print(player, "wins")
        break
    ply += 1
while input("Play again? (y/n) ").lower() == "y":
    os.execv(sys.executable, [sys.executable, *sys.argv])
