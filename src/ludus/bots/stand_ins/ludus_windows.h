// Stands in for headers of Windows and of Microsoft's compiler: the few functions that board games of students use. What
// moves the cursor or paints does nothing, a key is a character of standard input, and nobody sleeps for long. A function
// that the student defines as well is left out: LUDUS_OWN_ and its name is defined then.
#ifndef LUDUS_WINDOWS_H
#define LUDUS_WINDOWS_H

#include <ctype.h>
#include <limits.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifndef __cplusplus
#include <stdbool.h>
#endif

typedef unsigned int DWORD;
typedef unsigned int UINT;
typedef unsigned short WORD;
typedef unsigned char BYTE;
typedef int BOOL;
typedef int LONG;
typedef unsigned int ULONG;
typedef long long LONGLONG;
typedef void* HANDLE;
typedef void* HWND;
typedef void* LPVOID;
typedef const char* LPCSTR;
typedef const char* LPCTSTR;
typedef char* LPSTR;
typedef char TCHAR;
typedef char _TCHAR;
typedef int errno_t;
typedef struct {
  short X, Y;
} COORD;
typedef struct {
  short Left, Top, Right, Bottom;
} SMALL_RECT;
typedef union {
  struct {
    unsigned int LowPart;
    int HighPart;
  } u;
  long long QuadPart;
} LARGE_INTEGER;
typedef struct {
  COORD dwSize, dwCursorPosition;
  WORD wAttributes;
  SMALL_RECT srWindow;
  COORD dwMaximumWindowSize;
} CONSOLE_SCREEN_BUFFER_INFO;
typedef struct {
  DWORD dwSize;
  BOOL bVisible;
} CONSOLE_CURSOR_INFO;

#ifndef TRUE
#define TRUE 1
#define FALSE 0
#endif
#define WINAPI
#define APIENTRY
#define CALLBACK
#define __int64 long long
#define __cdecl
#define __stdcall
#define __forceinline inline
#define _T(text) text
#define TEXT(text) text
#define _tmain main
#define MAX_PATH 260
#define INVALID_HANDLE_VALUE ((HANDLE)-1)
#define STD_INPUT_HANDLE 0
#define STD_OUTPUT_HANDLE 1
#define FOREGROUND_BLUE 1
#define FOREGROUND_GREEN 2
#define FOREGROUND_RED 4
#define FOREGROUND_INTENSITY 8
#define BACKGROUND_BLUE 16
#define BACKGROUND_GREEN 32
#define BACKGROUND_RED 64
#define BACKGROUND_INTENSITY 128
#define CP_UTF8 65001
#define SW_HIDE 0
#define SW_MAXIMIZE 3
#define VK_UP 38
#define VK_DOWN 40
#define VK_LEFT 37
#define VK_RIGHT 39
#define VK_RETURN 13
#define VK_ESCAPE 27
#define VK_SPACE 32

#define LUDUS_UNUSED static inline __attribute__((unused))

#ifndef LUDUS_OWN_Sleep
LUDUS_UNUSED void Sleep(DWORD milliseconds) {
  struct timespec moment = {0, 1000000};
  if (milliseconds) nanosleep(&moment, 0);
}
#endif
LUDUS_UNUSED DWORD GetTickCount(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (DWORD)(now.tv_sec * 1000 + now.tv_nsec / 1000000);
}
LUDUS_UNUSED long long GetTickCount64(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (long long)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}
#define timeGetTime GetTickCount
LUDUS_UNUSED BOOL QueryPerformanceFrequency(LARGE_INTEGER* frequency) {
  frequency->QuadPart = 1000000000LL;
  return 1;
}
LUDUS_UNUSED BOOL QueryPerformanceCounter(LARGE_INTEGER* counter) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  counter->QuadPart = now.tv_sec * 1000000000LL + now.tv_nsec;
  return 1;
}
LUDUS_UNUSED HANDLE GetStdHandle(DWORD number) {
  (void)number;
  return 0;
}
LUDUS_UNUSED BOOL SetConsoleTextAttribute(HANDLE handle, WORD attributes) {
  (void)handle;
  (void)attributes;
  return 1;
}
LUDUS_UNUSED BOOL SetConsoleCursorPosition(HANDLE handle, COORD at) {
  (void)handle;
  (void)at;
  return 1;
}
LUDUS_UNUSED BOOL GetConsoleScreenBufferInfo(HANDLE handle, CONSOLE_SCREEN_BUFFER_INFO* info) {
  (void)handle;
  memset(info, 0, sizeof *info);
  return 1;
}
LUDUS_UNUSED BOOL GetConsoleCursorInfo(HANDLE handle, CONSOLE_CURSOR_INFO* info) {
  (void)handle;
  memset(info, 0, sizeof *info);
  return 1;
}
LUDUS_UNUSED BOOL SetConsoleCursorInfo(HANDLE handle, const CONSOLE_CURSOR_INFO* info) {
  (void)handle;
  (void)info;
  return 1;
}
LUDUS_UNUSED BOOL SetConsoleTitle(LPCSTR title) {
  (void)title;
  return 1;
}
LUDUS_UNUSED BOOL SetConsoleOutputCP(UINT page) {
  (void)page;
  return 1;
}
LUDUS_UNUSED BOOL SetConsoleCP(UINT page) {
  (void)page;
  return 1;
}
LUDUS_UNUSED HWND GetConsoleWindow(void) { return 0; }
LUDUS_UNUSED BOOL ShowWindow(HWND window, int how) {
  (void)window;
  (void)how;
  return 1;
}
LUDUS_UNUSED BOOL Beep(DWORD pitch, DWORD milliseconds) {
  (void)pitch;
  (void)milliseconds;
  return 1;
}
LUDUS_UNUSED short GetAsyncKeyState(int key) {
  (void)key;
  return 0;
}

LUDUS_UNUSED int ludus_key(void) {
  int key;
  fflush(stdout);
  key = getchar();
  return key == EOF ? '\r' : key;
}
LUDUS_UNUSED int _getch(void) { return ludus_key(); }
LUDUS_UNUSED int _getche(void) { return ludus_key(); }
LUDUS_UNUSED int _kbhit(void) { return 0; }
#ifndef LUDUS_OWN_getch
#define getch _getch
#endif
#ifndef LUDUS_OWN_getche
#define getche _getche
#endif
#ifndef LUDUS_OWN_kbhit
#define kbhit _kbhit
#endif
LUDUS_UNUSED char* ludus_gets(char* text, size_t most) {
  char* read = fgets(text, (int)most, stdin);
  if (read) text[strcspn(text, "\n")] = 0;
  return read;
}
#ifndef LUDUS_OWN_gets
#define gets(text) ludus_gets(text, 1024)
#endif
#define gets_s(text, ...) ludus_gets(text, sizeof(text) > sizeof(char*) ? sizeof(text) : 256)

#define scanf_s scanf
#define sscanf_s sscanf
#define fscanf_s fscanf
#define printf_s printf
#define fprintf_s fprintf
#define _snprintf snprintf
#define _strdup strdup
#define _stricmp strcasecmp
#define stricmp strcasecmp
#define strtok_s strtok_r
LUDUS_UNUSED errno_t fopen_s(FILE** file, const char* name, const char* mode) {
  *file = fopen(name, mode);
  return *file ? 0 : 2;
}
LUDUS_UNUSED errno_t localtime_s(struct tm* made, const time_t* now) { return localtime_r(now, made) ? 0 : 22; }
LUDUS_UNUSED errno_t rand_s(unsigned int* number) {
  *number = ((unsigned)rand() << 16) ^ (unsigned)rand();
  return 0;
}
LUDUS_UNUSED char* _itoa(int value, char* text, int base) {
  char digits[40], *out = text;
  int count = 0;
  unsigned left = value < 0 && base == 10 ? 0u - (unsigned)value : (unsigned)value;
  if (value < 0 && base == 10) *out++ = '-';
  do digits[count++] = "0123456789abcdefghijklmnopqrstuvwxyz"[left % (unsigned)base];
  while (left /= (unsigned)base);
  while (count) *out++ = digits[--count];
  *out = 0;
  return text;
}
#ifndef LUDUS_OWN_itoa
#define itoa _itoa
#endif
#ifdef __cplusplus
template <size_t N>
errno_t strcpy_s(char (&to)[N], const char* from) {
  snprintf(to, N, "%s", from);
  return 0;
}
template <size_t N>
errno_t strcat_s(char (&to)[N], const char* from) {
  strncat(to, from, N - strlen(to) - 1);
  return 0;
}
template <size_t N, class... More>
int sprintf_s(char (&to)[N], const char* format, More... more) {
  return snprintf(to, N, format, more...);
}
template <class... More>
int sprintf_s(char* to, size_t size, const char* format, More... more) {
  return snprintf(to, size, format, more...);
}
#else
#define sprintf_s snprintf
#endif
LUDUS_UNUSED errno_t strcpy_s(char* to, size_t size, const char* from) {
  snprintf(to, size, "%s", from);
  return 0;
}
LUDUS_UNUSED errno_t strcat_s(char* to, size_t size, const char* from) {
  strncat(to, from, size - strlen(to) - 1);
  return 0;
}
LUDUS_UNUSED errno_t strncpy_s(char* to, size_t size, const char* from, size_t count) {
  snprintf(to, size, "%.*s", (int)count, from);
  return 0;
}

#ifndef LUDUS_OWN_clrscr
LUDUS_UNUSED void clrscr(void) {}
#endif
#ifndef LUDUS_OWN_gotoxy
LUDUS_UNUSED void gotoxy(int x, int y) {
  (void)x;
  (void)y;
}
#endif
#if !defined(__cplusplus) && !defined(max)
#define max(a, b) ((a) > (b) ? (a) : (b))
#define min(a, b) ((a) < (b) ? (a) : (b))
#endif

#endif
