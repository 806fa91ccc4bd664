"""The files of `deploy/`: the arena behind nginx as it is configured there, and options that `ludus serve` has."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml
from patience import PATIENCE, until
from ports import free_port
from web import PASSWORD, Served, begin, follow, new_token, serving

from ludus.cli.verbs.serve import serve
from ludus.store.accounts import Accounts

DEPLOY = Path(__file__).parents[2] / "deploy"
AROUND = """
pid {folder}/nginx.pid;
error_log stderr;
{user}
events {{}}
http {{
    access_log off;
    client_body_temp_path {folder};
    proxy_temp_path {folder};
    fastcgi_temp_path {folder};
    uwsgi_temp_path {folder};
    scgi_temp_path {folder};
    {site}
}}
"""


class Proxied:
    """The arena behind nginx, by http and https."""

    def __init__(self, arena: Served, http: int, https: int) -> None:
        self.arena, self.http, self.https = arena, http, https

    def client(self, **headers: str) -> httpx.Client:
        """Return a visitor who opens the arena under its name."""
        address = f"https://127.0.0.1:{self.https}"
        return httpx.Client(
            base_url=address,
            verify=False,  # noqa: S501 - a certificate of this test's own
            headers={"Host": "arena.example", **headers},
            timeout=PATIENCE,
        )


@pytest.fixture(scope="module")
def proxied(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Proxied]:
    if shutil.which("nginx") is None or shutil.which("openssl") is None:
        pytest.skip("nginx or openssl is not installed; make test installs them")
    folder = tmp_path_factory.mktemp("nginx")
    key, certificate = folder / "key", folder / "certificate"
    made = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=arena.example -days 1"
    subprocess.run([*made.split(), "-keyout", key, "-out", certificate], check=True, capture_output=True)
    ports = free_port(), free_port()
    with serving(folder / "arena.db", "--host-name", "arena.example") as arena:
        site = (DEPLOY / "nginx.conf").read_text()
        for ours, theirs in (
            ("listen 80", f"listen 127.0.0.1:{ports[0]}"),
            ("listen 443", f"listen 127.0.0.1:{ports[1]}"),
            ("/etc/ssl/arena.example.pem", str(certificate)),
            ("/etc/ssl/arena.example.key", str(key)),
            ("http://127.0.0.1:8000", arena.address),
        ):
            assert ours in site
            site = site.replace(ours, theirs)
        config = folder / "nginx.conf"
        user = "user root;" if os.geteuid() == 0 else ""
        config.write_text(AROUND.format(folder=folder, site=site, user=user))
        command = ["nginx", "-p", str(folder), "-c", str(config), "-g", "daemon off;"]
        with subprocess.Popen(command, stderr=subprocess.PIPE) as process:
            try:
                found = Proxied(arena, *ports)
                until(lambda: answers(found))
                yield found
            finally:
                process.terminate()


def answers(proxied: Proxied) -> bool:
    try:
        with proxied.client() as visitor:
            return visitor.get("/healthz").text == "ok\n"
    except httpx.ConnectError:
        return False


def test_http_leads_to_https_and_cookies_are_secure(proxied: Proxied) -> None:
    plain = httpx.get(f"http://127.0.0.1:{proxied.http}/play", headers={"Host": "arena.example"})
    assert (plain.status_code, plain.headers["location"]) == (301, "https://arena.example/play")
    with proxied.client() as visitor:
        started = visitor.post("/api/matches", json={"game": "connect-four", "seats": ["human", "human"]})
        assert started.status_code == 201
        assert "; secure" in started.headers["set-cookie"].lower()
    with proxied.client(Host="other.example") as stranger:
        assert stranger.get("/").status_code in (404, 421)


def test_a_stream_passes_at_once(proxied: Proxied) -> None:
    with proxied.client() as player, proxied.client() as spectator:
        match = begin(player, "connect-four", "human", "human")
        path = f"/api/matches/{match['id']}"

        def played(view: dict[str, Any]) -> bool:
            if not view.get("plies"):
                answer = player.post(f"{path}/moves", json={"move": "D", "ply": 0}, headers={"X-Ludus": "1"})
                assert answer.status_code == 200, answer.text
                return False
            return True

        assert follow(spectator, f"{path}/events", played)[-1]["plies"][0]["move"] == "D"


def test_uploads_pass_up_to_the_arenas_own_limit(proxied: Proxied) -> None:
    database = proxied.arena.log.with_suffix(".db")
    accounts = Accounts(database)
    token = new_token(accounts, accounts.add("uploader", PASSWORD))
    accounts.close()
    with proxied.client(Authorization=f"Bearer {token}") as student:
        for size, status in ((11 << 20, 422), (13 << 20, 413)):
            refused = student.post("/api/bots", content=b" " * size, headers={"Content-Type": "application/json"})
            assert (refused.status_code, "detail" in refused.json()) == (status, True), "the arena says it, not nginx"


def test_a_visitor_cannot_choose_an_address(proxied: Proxied) -> None:
    """Guesses of one password are limited for each address; an address of one's own making does not count."""
    statuses = []
    for attempt in range(11):
        with proxied.client(**{"X-Forwarded-For": f"203.0.113.{attempt}", "X-Ludus": "1"}) as guesser:
            wrong = guesser.post("/api/account/sign-in", json={"name": "uploader", "password": f"wrong {attempt}"})
            statuses.append(wrong.status_code)
    assert statuses[-1] == 429 and 429 not in statuses[:10]


def test_the_options_of_unit_and_containers_are_those_of_the_command() -> None:
    compose = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
    unit = re.search(r"^ExecStart=\S+/ludus (.+)$", (DEPLOY / "ludus.service").read_text(), re.MULTILINE)
    docker = re.search(r"^CMD (\[.+\])$", (DEPLOY / "Dockerfile").read_text(), re.MULTILINE)
    assert unit and docker
    for words in (compose["services"]["arena"]["command"], shlex.split(unit[1]), yaml.safe_load(docker[1])):
        assert words[0] == "serve"
        serve.make_context("serve", [re.sub(r"\$\{.*?\}", "x", word) for word in words[1:]])
    for service in compose["services"].values():
        for volume in service.get("volumes", ()):
            source = volume.split(":")[0]
            assert source in compose["volumes"] or (DEPLOY / source).is_file(), source
        assert {*service.get("depends_on", ())} <= {*compose["services"]}


def test_systemd_accepts_the_unit(tmp_path: Path) -> None:
    if shutil.which("systemd-analyze") is None:
        pytest.skip("systemd is not installed")
    unit = tmp_path / "ludus.service"
    unit.write_text((DEPLOY / unit.name).read_text().replace("/opt/ludus/bin/ludus", "/bin/true"))
    checked = subprocess.run(["systemd-analyze", "verify", unit], capture_output=True, text=True, check=False)
    assert (checked.returncode, checked.stdout + checked.stderr) == (0, "")


def test_caddy_accepts_its_file() -> None:
    if shutil.which("caddy") is None:
        pytest.skip("caddy is not installed")
    command = ["caddy", "validate", "--adapter", "caddyfile", "--config", str(DEPLOY / "Caddyfile")]
    subprocess.run(command, env={**os.environ, "LUDUS_HOST": "arena.example"}, capture_output=True, check=True)
