/** What browsers tell of the network, where they do (https://wicg.github.io/netinfo/). */
interface Network {
  readonly saveData?: boolean;
  readonly type?: string;
}

/**
 * Has a service worker keep all files for when there is no network. Not before the page has loaded and the browser is
 * idle; and not where the reader saves data or pays for it.
 */
export function keepOffline(): void {
  if (!import.meta.env.PROD || !('serviceWorker' in navigator)) return;
  const { saveData, type } = (navigator as { connection?: Network }).connection ?? {};
  if (saveData === true || type === 'cellular') return;
  const register = (): void => {
    navigator.serviceWorker
      .register(new URL('service-worker.js', document.baseURI))
      .catch(() => undefined);
  };
  const whenIdle = (): void => {
    // WebKit has no idle callbacks.
    if ('requestIdleCallback' in window) window.requestIdleCallback(register, { timeout: 10_000 });
    else setTimeout(register, 2000);
  };
  if (document.readyState === 'complete') whenIdle();
  else window.addEventListener('load', whenIdle, { once: true });
}
