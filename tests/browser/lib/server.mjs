// Serves built files on loopback, at a free port.
import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { preview } from 'vite';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** The headers of docs/hosting.md: required `security` and optional `isolation`. */
export const headers = JSON.parse(readFileSync(`${root}/web/headers.json`, 'utf8'));

async function serve(config) {
  const { preview: options, ...rest } = config;
  const server = await preview({
    logLevel: 'warn',
    // Answers 404 for missing files, not the page.
    appType: 'mpa',
    ...rest,
    preview: { host: '127.0.0.1', port: 0, open: false, ...options },
  });
  const { port } = server.httpServer.address();
  let closed;
  return {
    url: `http://127.0.0.1:${port}/`,
    /** May be called again: a test that fails before it closes its server would never end. */
    close() {
      server.httpServer.closeAllConnections();
      return (closed ??= server.close());
    },
  };
}

/** The built page, as `npm start` serves it. */
export const servePage = () => serve({ root: `${root}/web` });

/** Serves a folder, with `headers` in every response. */
export const serveFolder = (folder, { headers = {} } = {}) =>
  serve({
    root: dirname(folder),
    configFile: false,
    build: { outDir: folder },
    preview: { headers },
  });

/** The built page in a subfolder, without isolation. */
export async function servePageBelow() {
  const server = await serveFolder(`${root}/build`, { headers: headers.security });
  return { ...server, url: `${server.url}page/` };
}
