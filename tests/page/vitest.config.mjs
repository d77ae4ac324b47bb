// Unit tests of the page's logic, run in Node against the sources in web/src and the built package.
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  root: fileURLToPath(new URL('../..', import.meta.url)),
  test: {
    include: ['tests/page/**/*.test.mjs'],
    setupFiles: ['tests/page/lib/setup.mjs'],
    // The package is loaded once per worker, as in Node.
    server: { deps: { external: [/\/dist\//] } },
    // A loaded machine may take long.
    testTimeout: 0,
    hookTimeout: 0,
  },
});
