"""New passwords: none of the commonest, and not the person's name."""

from __future__ import annotations

import random
import string

import pytest

from ludus.store.passwords import COMMON, HASH_BYTES, common_passwords, fingerprint, read_password

COMMONEST = (
    "password 12345678 Password1 QWERTYUIOP iloveyou sunshine 11111111 1q2w3e4r ｐａｓｓｗｏｒｄ trustno1 football"
)


@pytest.mark.parametrize("password", COMMONEST.split())
def test_a_password_that_many_have_is_refused(password: str) -> None:
    with pytest.raises(ValueError, match="one of the most common passwords, which attackers try first; choose another"):
        read_password(password, "Ada")


@pytest.mark.parametrize(
    ("password", "name"),
    [("Ada Lovelace", "ada lovelace"), ("adalovelace", "Ada Lovelace"), ("ADA-LOVELACE", "ada.lovelace")],
)
def test_a_name_is_no_password_however_it_is_spelt(password: str, name: str) -> None:
    with pytest.raises(ValueError, match="the password must differ from the name"):
        read_password(password, name)


@pytest.mark.parametrize("password", ["correct horse", "三個隨意的詞語吧", "--------", "x7 lantern plum"])
def test_other_passwords_are_taken(password: str) -> None:
    assert read_password(password, "...")


def test_the_list_is_whole_and_refuses_nothing_else() -> None:
    data = COMMON.read_bytes()
    assert len(common_passwords()) == len(data) // HASH_BYTES > 10_000
    assert len(data) < 70_000
    chooser = random.Random(1)
    drawn = ("".join(chooser.choices(string.ascii_letters + string.digits, k=10)) for _ in range(20_000))
    assert not [word for word in drawn if fingerprint(word) in common_passwords()]
