/**
 * Has a service worker keep all files for when there is no network. Not before the page is loaded,
 * which needs the network more; and a browser that will not have one shows the page all the same.
 */
export function keepOffline(): void {
  if (!import.meta.env.PROD || !('serviceWorker' in navigator)) return;
  const register = (): void => {
    navigator.serviceWorker
      .register(new URL('service-worker.js', document.baseURI))
      .catch(() => undefined);
  };
  if (document.readyState === 'complete') register();
  else window.addEventListener('load', register, { once: true });
}
