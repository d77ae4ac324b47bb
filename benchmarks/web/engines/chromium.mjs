// Sessions in pages of Chromium, cross-origin isolated, each in a context of its own.
import { fromRoot } from '../../../scripts/lib/files.mjs';
import { launchBrowser } from '../../../tests/browser/lib/browser.mjs';
import { serveFolder } from '../../../tests/browser/lib/server.mjs';

const headers = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
};

export async function chromiumEngine() {
  const server = await serveFolder(fromRoot(), { headers });
  const browser = await launchBrowser();

  async function open(request) {
    const context = await browser.createBrowserContext();
    const page = await context.newPage();
    page.setDefaultTimeout(0);
    try {
      await page.goto(`${server.url}benchmarks/web/page/index.html`);
      const { about, check } = await page.evaluate(
        (given) => globalThis.openSession(given),
        request,
      );
      return {
        about,
        check: check && Float32Array.from(check),
        warmUp: (milliseconds) =>
          page.evaluate((ms) => globalThis.session.warmUp(ms), milliseconds),
        visit: (count) => page.evaluate((n) => globalThis.session.visit(n), count),
        close: () => context.close(),
      };
    } catch (error) {
      await context.close();
      throw error;
    }
  }

  return {
    version: (await browser.version()).replace('/', ' '),
    open,
    async close() {
      await browser.close();
      await server.close();
    },
  };
}
