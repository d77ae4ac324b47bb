// Answers for the page where there is no network, from copies made once the page had loaded.
import { Serwist, type PrecacheEntry } from 'serwist';

declare const self: ServiceWorkerGlobalScope & { readonly __SW_MANIFEST: PrecacheEntry[] };

/** Whether a browser asks for the page itself or for the document of an act, whatever the query. */
const isPage = ({ request, url }: { request: Request; url: URL }): boolean => {
  const folder = new URL('.', self.location.href).pathname;
  const name = url.pathname.slice(folder.length);
  return request.mode === 'navigate' && /^(?:[a-z-]+\.html)?$/.test(name);
};

const serwist: Serwist = new Serwist({
  // Set in by vite.config.ts: every file of the page.
  precacheEntries: self.__SW_MANIFEST,
  // The page is the one file whose name does not change with what it holds: below.
  precacheOptions: { directoryIndex: null },
  // Acts that load more when they are first used find it, though they were loaded without this.
  clientsClaim: true,
  runtimeCaching: [
    {
      matcher: isPage,
      // A new version shows at once, and with its own files, which are new too.
      handler: async ({ request }) => {
        try {
          return await fetch(request);
        } catch {
          return (await serwist.matchPrecache('index.html')) ?? Response.error();
        }
      },
    },
  ],
});

serwist.addEventListeners();
