# Two questions for a move, row and column apart; begins with another move each time.
import random

board = [[" "] * 8 for _ in range(8)]


def free(r, c):
    return board[r][c] == " " and (c in (0, 7) or board[r][c - 1] != " " or board[r][c + 1] != " ")


def won(mark):
    for r in range(8):
        for c in range(8):
            for dr, dc in ((0, 1), (1, 0), (1, 1), (1, -1)):
                line = [(r + i * dr, c + i * dc) for i in range(5)]
                if all(0 <= a < 8 and 0 <= b < 8 and board[a][b] == mark for a, b in line):
                    return True
    return False


def show():
    print("    " + "   ".join("ABCDEFGH"))
    for r in range(8):
        print(8 - r, "|", " | ".join(board[r]), "|")


print("1- Manual entry for both players")
print("2- Manual entry for X & automatic moves for O")
print("3- Manual entry for O & automatic moves for X")
mode = input("Choose a mode: ")
turn = "X"
while not won("X") and not won("O") and any(" " in row for row in board):
    show()
    if (mode, turn) in (("2", "O"), ("3", "X")):
        r, c = random.choice([(r, c) for r in range(8) for c in range(8) if free(r, c)])
    else:
        r = 8 - int(input("Enter the row (1-8): "))
        c = "ABCDEFGH".index(input("Enter the column (A-H): ").upper())
        if not free(r, c):
            print("Invalid move, try again")
            continue
    board[r][c] = turn
    turn = "O" if turn == "X" else "X"
show()
