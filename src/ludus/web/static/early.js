// Sets the stored theme and language before the first paint. Nothing slow may happen here.
(() => {
  const kept = (/** @type {string} */ key) => {
    try {
      return localStorage.getItem(key);
    } catch {
      return null; // without storage the page still works
    }
  };
  const theme = kept("theme");
  if (theme) document.documentElement.dataset.theme = theme;
  const lang = kept("lang") ?? (/^zh/i.test(navigator.language) ? "zh-Hant" : "en");
  document.documentElement.lang = lang;
})();
