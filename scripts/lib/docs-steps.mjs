// The steps that build the documentation site (build/docs) and look at it.
import { countNodeTests, notesOfNodeTests } from './counts.mjs';
import { buildSite, siteFolder } from './docs-site.mjs';
import { fromRoot, listFiles, testFiles } from './files.mjs';
import { identityOf, toolchain } from './toolchain.mjs';

const setup = {
  name: 'docs-setup',
  about: 'what the documentation site is made with (scripts/setup.sh --for=docs)',
  needs: ['setup'],
  onRequest: true,
  live: true,
  run: (sh) => sh('bash', [fromRoot('scripts/setup.sh'), '--for=docs']),
};

/** @param {{ base?: string }} [options] where on its host the site will be */
const site = (options) => ({
  name: 'docs',
  about: 'build/docs/: the documentation site as static files',
  needs: ['docs-setup', 'dependencies', 'records', 'page'],
  takes: 40,
  onRequest: true,
  made: {
    stamp: 'build/stamps/docs.json',
    inputs: () => [
      ...['docs', 'bindings/js', 'build/generated', 'build/page', 'tsconfig.package.json'],
      ...listFiles(['src/headwise'], (path) => path.endsWith('.hpp')),
      ...listFiles(['scripts/lib'], (path) => /\/(docs-|npm-tools)/.test(path)),
    ],
    outputs: [siteFolder],
    facts: () => ({ options, doxygen: identityOf(toolchain().doxygen) }),
  },
  run: (sh) => buildSite(sh, options),
});

const tests = {
  name: 'docs-tests',
  about: 'links of the site, and the site in headless Chromium under axe-core (tests/browser/docs)',
  needs: ['docs'],
  takes: 40,
  onRequest: true,
  count: countNodeTests,
  notes: notesOfNodeTests,
  checks: {
    inputs: () => [siteFolder, 'tests/browser/docs', 'tests/browser/lib'],
    facts: () => ({ browser: identityOf(toolchain().headlessChrome) }),
  },
  // In one process, so that they share a browser and a server.
  run: (sh) =>
    sh(
      process.execPath,
      [
        '--test-reporter=spec',
        fromRoot('tests/browser/run.mjs'),
        ...testFiles('tests/browser/docs'),
      ],
      { env: { HEADWISE_BROWSER: 'chromium' } },
    ),
};

export const docsSteps = (options) => [setup, site(options)];
export const docsTestSteps = [...docsSteps(), tests];
