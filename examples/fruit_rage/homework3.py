"""The Fruit Rage in the protocol `files`, as its course hands it in: reads input.txt, leaves output.txt.

It takes the group that gains most, less the most that the opponent can take afterwards.
"""


def read_input():
    """Give the board as a list of rows."""
    with open("input.txt") as file:  # noqa: PTH123
        lines = file.read().split()
    size = int(lines[0])
    return [list(row) for row in lines[3 : 3 + size]]


def groups(board):
    """Give every group of equal fruits that hang together, as a list of cells."""
    size, seen, found = len(board), set(), []
    for row in range(size):
        for col in range(size):
            if board[row][col] == "*" or (row, col) in seen:
                continue
            cells = [(row, col)]
            seen.add((row, col))
            for r, c in cells:
                for near in ((r - 1, c), (r + 1, c), (r, c - 1), (r, c + 1)):
                    inside = 0 <= near[0] < size and 0 <= near[1] < size
                    if inside and near not in seen and board[near[0]][near[1]] == board[row][col]:
                        seen.add(near)
                        cells.append(near)
            found.append(cells)
    return found


def without(board, cells):
    """Give the board after a group is taken and the rest has fallen."""
    size, gone = len(board), set(cells)
    after = [["*"] * size for _ in range(size)]
    for col in range(size):
        bottom = size - 1
        for row in range(size - 1, -1, -1):
            if board[row][col] != "*" and (row, col) not in gone:
                after[bottom][col] = board[row][col]
                bottom -= 1
    return after


def main():
    """Make one move."""
    board = read_input()
    largest = sorted(groups(board), key=len, reverse=True)[:10]  # the rest is hardly worth a thought

    def worth(cells):
        answers = groups(without(board, cells))
        return len(cells) ** 2 - max((len(answer) ** 2 for answer in answers), default=0)

    chosen = max(largest, key=worth)
    row, col = chosen[0]
    with open("output.txt", "w") as file:  # noqa: PTH123
        print(f"{chr(ord('A') + col)}{row + 1}", file=file)
        for line in without(board, chosen):
            print("".join(line), file=file)


if __name__ == "__main__":
    main()
