// Before the first paint: the theme and the language that were chosen earlier. Nothing else may wait here.
(() => {
  const kept = (/** @type {string} */ key) => {
    try {
      return localStorage.getItem(key);
    } catch {
      return null; // a browser that keeps nothing still shows everything
    }
  };
  const theme = kept("theme");
  if (theme) document.documentElement.dataset.theme = theme;
  const lang = kept("lang") ?? (/^zh/i.test(navigator.language) ? "zh-Hant" : "en");
  document.documentElement.lang = lang;
})();
