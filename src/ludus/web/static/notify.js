// A notification when it is the person's turn and the page is not visible. It is asked for on a click, and the browser
// remembers the choice. Knows no game.

import { h, icon, storage, t, toast } from "./page.js";

const KEY = "notify";

const can = () => typeof Notification !== "undefined";
const isOn = () => can() && Notification.permission === "granted" && storage.read(KEY) === "yes";

/** Returns the button that turns notifications on and off; null where the browser has none. */
export function notifyButton() {
  if (!can()) return null;
  const click = async () => {
    const wanted = !isOn();
    if (wanted && (await Notification.requestPermission()) !== "granted") return toast(t("notify.blocked"));
    storage.write(KEY, wanted ? "yes" : "no");
    show();
    return toast(t(wanted ? "notify.on" : "notify.off"));
  };
  const button = h("button.quiet.sound", { "aria-label": t("notify.label"), title: t("notify.label"), click });
  const show = () => {
    button.setAttribute("aria-pressed", String(isOn()));
    button.replaceChildren(icon(isOn() ? "bell" : "bell-off"));
  };
  show();
  return button;
}

/** Notifies a person who does not see the page. @param {string} title @param {string} body @param {string} tag */
export async function notify(title, body, tag) {
  if (!document.hidden || !isOn()) return;
  const worker = await navigator.serviceWorker?.getRegistration().catch(() => undefined);
  try {
    if (worker) return void (await worker.showNotification(title, { body, tag }));
    const shown = new Notification(title, { body, tag });
    shown.onclick = () => (window.focus(), shown.close());
  } catch {
    // a browser that shows notifications by a service worker only
  }
}
