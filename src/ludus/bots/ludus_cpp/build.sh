# Builds a C++ program: first as it is, and where that fails, as more lenient compilers do. Used as
#     sh ludus_cpp/build.sh [-s] PROGRAM SOURCE...
# where -s is strict: as it is or not at all.
# A program that needed more than the first try is marked by lines "ludus-build: HOW WHAT...", which become notes for
# its author. A build that fails prints the log with the fewest errors: that is nearest to what is really wrong.

LC_ALL=C
export LC_ALL
here=$(dirname "$0")
strict=
if [ "$1" = -s ]; then
  strict=yes
  shift
fi
program=$1
shift
logs=$(mktemp -d) || exit 126
trap 'rm -rf "$logs"' EXIT

# What the standard leaves undefined does what people expect, and the same every time: a function without its return
# goes back to its caller, variables begin as zero, numbers wrap, loops and reads beyond an array are taken at their
# word. A variable called read or write is no function of the system. An older compiler has not all of these.
plainly="-fsanitize=unreachable -fsanitize-undefined-trap-on-error -ftrivial-auto-var-init=zero -fwrapv \
-fno-strict-aliasing -fno-finite-loops -fno-aggressive-loop-optimizations -fno-delete-null-pointer-checks \
-fvisibility=hidden"
# shellcheck disable=SC2086 # the flags are words
g++ $plainly -x c++ -fsyntax-only /dev/null 2>/dev/null || plainly=

# Where the program crashes, it says at which line.
crash=
g++ -O1 -c -o "$logs/crash.o" "$here/crash.cpp" 2>/dev/null && crash="-g1 $logs/crash.o"

lacking= # the headers that were not handed in, for which empty ones stand
stray=   # the places "FILE LINE" of lines that are no code

try() { # HOW FLAGS SOURCE...
  how=$1 flags=$2
  shift 2
  # shellcheck disable=SC2086 # the flags are words
  g++ -O2 $plainly $crash -pthread -o "$program" -idirafter "$here/include" -idirafter "$logs/lacking/headers" \
    $flags -x c++ "$@" >"$logs/$how" 2>&1
  status=$?
  # What was killed says nothing about the sources.
  if [ $status -gt 1 ] || grep -q 'Killed signal terminated program' "$logs/$how"; then
    cat "$logs/$how"
    exit $status
  fi
  return $status
}

built() { # HOW WHAT...
  [ "$1" = as_is ] || echo "ludus-build: $*"
  # shellcheck disable=SC2086 # the names are words
  [ -z "$lacking" ] || echo "ludus-build: lacking" $lacking
  # shellcheck disable=SC2086 # the places are words
  [ -z "$stray" ] || echo "ludus-build: stray" $stray
  cat "$logs/$1"
  exit 0
}

names_of() { # PATTERN: the words that it finds in the logs, each once
  find "$logs" -maxdepth 1 -type f -exec sed -n "$1" {} + | sort -u | head -n 12 | tr '\n' ' '
}

# Each try is made only where the logs speak for it: a try takes seconds.
lacks() { # LOG: whether names are missing in it
  grep -qE "was not declared|has not been declared|not a member of '(std|::)|does not name a|incomplete type|\
/usr/include/.* error: |no matching function|is not a class|not a template|undeclared" "$logs/$1"
}

lacking_header() { # the header that the first try did not find
  sed -n 's/.*fatal error: \([A-Za-z0-9_./-]*\.[Hh][A-Za-z]*\): No such file or directory.*/\1/p' "$logs/as_is"
}

errors() { # LOG: how many; a linker's are none of a source, and other sources may help there
  grep 'error: ' "$1" | grep -vc 'ld returned'
}

# A function that returns the address of its own array gets one that stays: the caller finds there what it expects.
outliving() { # the places "FILE LINE NAME" of such arrays without a value to begin with
  grep -q 'Wreturn-local-addr' "$logs/as_is" || return 0
  sed -n "s/^\([^ :]*\):\([0-9]*\):[0-9]*: note: declared here.*/\1 \2/p" "$logs/as_is" | sort -u | head -n 4 |
    while read -r file line; do
      array='^[[:space:]]*\(unsigned \)*[A-Za-z_]\{1,\}[[:space:]]\{1,\}\([A-Za-z_0-9]\{1,\}\)\(\[[^]=]*\]\)\{1,\}[[:space:]]*;.*'
      name=$(sed -n "${line}s/$array/\2/p" "$file")
      [ -z "$name" ] || echo "$file $line $name"
    done
}

# A name, a heading or the marks around code in a chat, left between the functions: words without any sign of code.
no_code() { # the places "FILE LINE" of such lines
  said="does not name a type|expected unqualified-id before|stray '"
  grep -E "^[^ :]+:[0-9]+:1: error: .*($said)" "$logs/as_is" | cut -d: -f1,2 | tr : ' ' | sort -u | head -n 6 |
    while read -r file line; do
      words=$(sed -n "${line}p" "$file")
      code='[][;{}()<>#"]|[[:alnum:]_] *='
      if echo "$words" | grep -q '[^[:space:]]' && ! echo "$words" | grep -qE "$code"; then echo "$file $line"; fi
    done
}

as_it_is() { # DIALECT SOURCE...
  dialect=$1
  shift
  try as_is "$dialect" "$@" || return 1
  places=$(outliving)
  [ -n "$places" ] || built as_is
  echo "$places" | while read -r file line _; do sed -i "${line}s/^/static /" "$file"; done
  # shellcheck disable=SC2046,SC2086 # the places are words
  try outliving "$dialect" "$@" && built outliving $(echo $places)
  echo "$places" | while read -r file line _; do sed -i "${line}s/^static //" "$file"; done
  try as_is "$dialect" "$@" && built as_is
}

as_it_is "-std=gnu++17" "$@"
newer='[Cc]\+\+2|concept|requires|ranges|<=>|std::(span|integral|numbers|format|bit|source_location)|contains|_with|ssize'
std=-std=gnu++17
if grep -qE "$newer" "$logs/as_is"; then
  cp "$logs/as_is" "$logs/said"
  as_it_is "-std=gnu++20" "$@"
  if [ "$(errors "$logs/as_is")" -lt "$(errors "$logs/said")" ]; then std=-std=gnu++20; else mv "$logs/said" "$logs/as_is"; fi
fi
if grep -q 'undefined reference to .\(omp\|GOMP\)_' "$logs/as_is"; then
  as_it_is "$std -fopenmp" "$@"
fi
if [ -n "$strict" ]; then
  cat "$logs/as_is"
  exit 1
fi
for _ in 1 2 3; do
  places=$(no_code)
  [ -n "$places" ] || break
  cp "$logs/as_is" "$logs/before"
  echo "$places" | while read -r file line; do sed -i.stray "${line}s/.*//" "$file"; done
  try as_is "-std=gnu++17" "$@"
  if [ $? -ne 0 ] && [ -z "$(no_code)" ] && [ "$(errors "$logs/as_is")" -ge "$(errors "$logs/before")" ]; then
    # it was code after all
    echo "$places" | while read -r file _; do [ ! -f "$file.stray" ] || mv "$file.stray" "$file"; done
    mv "$logs/before" "$logs/as_is"
    break
  fi
  # shellcheck disable=SC2086 # the places are words
  stray=$(echo $stray $places)
  [ ! -x "$program" ] || built as_is
done
cp "$logs/as_is" "$logs/said"
for _ in 1 2 3 4 5 6; do
  header=$(lacking_header)
  [ -n "$header" ] || break
  lacking="$lacking $header"
  mkdir -p "$(dirname "$logs/lacking/headers/$header")" && : >"$logs/lacking/headers/$header"
  try as_is "-std=gnu++17" "$@" && built as_is
done
# A library that is used cannot be done without: the tries below would take long and find no more.
libraries='^(boost|Eigen|opencv2?|SFML|SDL[23]?|GL|GLFW|gtk|Q[A-Z]|allegro5|graphics\.h|raylib\.h|SDL[23]?\.h|n?curses\.h|glut\.h)'
# shellcheck disable=SC2086 # the names are words
if [ -n "$lacking" ] && printf '%s\n' $lacking | grep -qE "$libraries"; then
  cat "$logs/said"
  exit 1
fi
if grep -q 'multiple definition of' "$logs/as_is"; then # a variable in a header of two files, or a copied function
  twice=$(names_of "s/.*multiple definition of \`\([A-Za-z_0-9:]*\(()\)\{0,1\}\).*/\1/p")
  # shellcheck disable=SC2086 # the names are words
  try twice "-std=gnu++17 -Wl,-z,muldefs" "$@" && built twice $twice
fi
if grep -v 'ld returned' "$logs/as_is" | grep -q 'error: '; then # what cannot be linked is not helped by headers
  common="-include $here/common.h" using="-include $here/using.h" old="-fpermissive -include $here/old.h"
  # shellcheck disable=SC2086 # the names are words
  {
    if grep -q "'::main' must return 'int'" "$logs/as_is"; then # an old void main, which ours calls
      set -- -Dmain=ludus_void_main "$here/void_main.h" "$@"
    fi
    if lacks as_is; then
      headers=$(names_of "s/.*did you forget to '#include \(<[a-z_./]*>\)'.*/\1/p")
      try headers "$std $common" "$@" && built headers $headers
      lacks headers && try using "$std $common $using" "$@" && built using $headers
    fi
    name='\([A-Za-z_][A-Za-z_0-9]*\)'
    taken=$(
      names_of "s/.*error: reference to '$name' is ambiguous.*/\1/p"
      names_of "s/.*error: call of overloaded '$name(.*' is ambiguous.*/\1/p"
      names_of "s/.*error: '[^'(]*\b$name\( \[[^']*\)*' redeclared as different kind.*/\1/p"
      names_of "s/.*error: conflicting declaration '[^'(]*\b$name\( \[[^']*\)*'.*/\1/p"
    )
    if [ -n "$taken" ]; then
      for name in $taken; do echo "#define $name ludus_own_$name"; done >"$logs/renamed.h"
      try renamed "-std=gnu++17 $common -include $logs/renamed.h" "$@" && built renamed $taken
    fi
    try old "-std=gnu++11 $old" "$@" && built old
    lacks as_is && try old_headers "-std=gnu++14 $common $old $using" "$@" && built old_headers
  }
fi
best=$logs/said # where a header is lacking, that is what is wrong
if [ -z "$lacking" ]; then
  for log in "$logs/headers" "$logs/using"; do
    if [ -f "$log" ] && [ "$(errors "$log")" -lt "$(errors "$best")" ]; then best=$log; fi
  done
fi
cat "$best"
exit 1
