// Cantris for a person at a terminal: reads board.txt, asks for the order, asks for the other's moves.
#include <fstream>
#include <iostream>
#include <vector>
using namespace std;

const int ROWS = 8, COLS = 4;
int board[ROWS][COLS];

int drop(int row, int col) {
  int points = board[row][col];
  for (int r = row; r > 0; r--) board[r][col] = board[r - 1][col];
  board[0][col] = 0;
  bool again = true;
  while (again) {
    again = false;
    vector<pair<int, int>> gone;
    for (int r = 0; r < ROWS; r++)
      for (int c = 0; c < COLS;) {
        int end = c;
        while (end < COLS && board[r][c] && board[r][end] == board[r][c]) end++;
        if (end - c >= 3)
          for (int k = c; k < end; k++) gone.push_back({r, k});
        c = max(end, c + 1);
      }
    for (auto cell : gone) {
      points += board[cell.first][cell.second];
      for (int r = cell.first; r > 0; r--) board[r][cell.second] = board[r - 1][cell.second];
      board[0][cell.second] = 0;
      again = true;
    }
  }
  return points;
}

bool over() {
  for (int c = 0; c < COLS; c++)
    if (board[ROWS - 1][c] == 0) return true;
  return false;
}

int main() {
  ifstream file("board.txt");
  if (!file) {
    cout << "cannot open board.txt" << endl;
    return 1;
  }
  for (auto& row : board)
    for (int& cell : row) file >> cell;
  int order, mine = 0, yours = 0;
  cout << "Set the player's order(0:first, 1:second): ";
  cin >> order;
  for (int turn = 0; !over(); turn++) {
    if (turn % 2 == order) {
      int best = -1, row = 0, col = 0;
      for (int r = 0; r < ROWS; r++)
        for (int c = 0; c < COLS; c++)
          if (board[r][c] > best) best = board[r][c], row = r, col = c;
      mine += drop(row, col);
      cout << "Your move is " << row << "," << col << "." << endl;
    } else {
      int row, col;
      cout << "Enter the move : ";
      cin >> row >> col;
      if (row < 0 || row >= ROWS || col < 0 || col >= COLS || board[row][col] == 0) {
        cout << "Illegal move!" << endl;
        turn--;
        continue;
      }
      yours += drop(row, col);
    }
    cout << "My points = " << mine << "  Computer's points = " << yours << endl;
  }
  cout << (mine > yours ? "win" : "lose") << endl;
  system("pause");
}
