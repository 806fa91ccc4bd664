// Shows the shell of the page when there is no connection. Keeps the shell's own files only, which are the same for
// everybody: no answer of the API, and no page of a person. With a connection everything comes from the server.

const worker = /** @type {any} */ (self); // the compiler knows windows only
/** The server puts this in front of the file. @type {{ version: string, files: string[] }} */
const { version, files } = worker.SHELL;
const NAME = `shell-${version}`;

worker.addEventListener("install", (/** @type {any} */ event) => {
  const fetched = files.map((file) => new Request(file, { cache: "no-cache", credentials: "omit" }));
  event.waitUntil(
    caches
      .open(NAME)
      .then((cache) => cache.addAll(fetched))
      .then(() => worker.skipWaiting()),
  );
});

worker.addEventListener("activate", (/** @type {any} */ event) => {
  const drop = async () => {
    for (const name of await caches.keys()) if (name.startsWith("shell-") && name !== NAME) await caches.delete(name);
    await worker.clients.claim();
  };
  event.waitUntil(drop());
});

worker.addEventListener("fetch", (/** @type {any} */ event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== "GET" || origin !== location.origin) return;
  const isPage = request.mode === "navigate" && !/^\/(api|embed|static)\//.test(pathname);
  if (!isPage && !files.includes(pathname)) return;
  const kept = async (/** @type {unknown} */ error) => {
    const found = await caches.match(isPage ? "/" : pathname, { cacheName: NAME });
    if (found) return found;
    throw error;
  };
  event.respondWith(fetch(request).catch(kept));
});
