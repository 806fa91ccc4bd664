"""Repairs of sources: what was left for tests, and imports that nothing uses."""

from __future__ import annotations

from ludus.bots.repair import repaired

FOR_TESTS = {
    "a.py": (
        "print('opponent')\n  x, y = self.choose()\n  # [x,y] = [int(x) for x in input('Move: ').split()]\n",
        "print('opponent')\n  # x, y = self.choose()\n  [x,y] = [int(x) for x in input('Move: ').split()]\n",
    ),
    "b.py": ("#turn = int(input('order (0/1): '))\nturn=0\n", "turn = int(input('order (0/1): '))\n# turn=0\n"),
    "c.cpp": (
        'cout << "oppo";\n//cin>>xy.first>>xy.second;\n\n  xy = at_random(); // test\n',
        'cout << "oppo";\ncin>>xy.first>>xy.second;\n\n  // xy = at_random(); // test\n',
    ),
    "own.py": (  # its own move, which a comment after it would let a person type
        "print('my turn, not the opponent')\nx, y = choose()\nprint(x, y)\n# [x,y] = input('Move: ').split()\n",
        "print('my turn, not the opponent')\nx, y = choose()\nprint(x, y)\n# [x,y] = input('Move: ').split()\n",
    ),
    "idle.py": ("from anytree import Node, Tree\nimport json\nprint(json)\n", "pass\nimport json\nprint(json)\n"),
    "used.py": (
        "import nobodyhasthis as p\nimport own\np.init()\n",
        "import nobodyhasthis as p\nimport own\np.init()\n",
    ),
    "own/x.py": ("", ""),
}


def test_what_was_left_for_tests_is_put_to_use_and_idle_imports_are_left_out() -> None:
    made = repaired({name: before for name, (before, _) in FOR_TESTS.items()}, "a.py")
    assert made.texts == {name: after for name, (_, after) in FOR_TESTS.items()}
    assert [(note.code, note.params["file"], note.params["line"]) for note in made.notes] == [
        ("bots.repair_for_tests", "a.py", 3),
        ("bots.repair_for_tests", "b.py", 1),
        ("bots.repair_for_tests", "c.cpp", 2),
        ("bots.repair_idle_import", "idle.py", 1),
        ("bots.module_lacking", "used.py", 1),
    ]
