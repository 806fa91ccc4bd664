# 讀取第一個參數的盤面，詢問先手或後手，輸入對手的列與行。
import sys

with open(sys.argv[1]) as file:
    board = [[int(word) for word in line.split()] for line in file if line.strip()]
rows, cols = len(board), len(board[0])
removals = 2 if (rows, cols) == (10, 5) else 1


def remove(row, col):
    points = board[row][col]
    for r in range(row, 0, -1):
        board[r][col] = board[r - 1][col]
    board[0][col] = 0
    while True:
        gone = set()
        for r in range(rows):
            for c in range(cols - 2):
                if board[r][c] and board[r][c] == board[r][c + 1] == board[r][c + 2]:
                    gone |= {(r, c), (r, c + 1), (r, c + 2)}
        if not gone:
            return points
        for r, c in sorted(gone):
            points += board[r][c]
            for k in range(r, 0, -1):
                board[k][c] = board[k - 1][c]
            board[0][c] = 0


def over():
    return any(board[rows - 1][c] == 0 for c in range(cols))


def show():
    for row in board:
        print(" ".join(str(tile) if tile else " " for tile in row))


order = input("請輸入先手或後手 (1: 先手 2: 後手)：")
turn = 1
score = {True: 0, False: 0}
while not over():
    mine = (turn == 1) == (order.strip() == "1")
    for number in range(removals):
        if over():
            break
        if mine:
            _, r, c = max((board[r][c], r, c) for r in range(rows) for c in range(cols))
            print(f"電腦選擇 ({r}, {c})")
        else:
            while True:
                r = int(input("請輸入列："))
                c = int(input("請輸入行："))
                if 0 <= r < rows and 0 <= c < cols and board[r][c]:
                    break
                print("輸入錯誤，請重新輸入")
        score[mine] += remove(r, c)
    show()
    turn = 3 - turn
print("電腦贏了" if score[True] > score[False] else "你贏了")
input("按任意鍵結束")
