// The steps that build the documentation site (build/docs).
import { buildSite, siteFolder } from './docs-site.mjs';
import { fromRoot, listFiles } from './files.mjs';
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
const site = ({ base = '/' } = {}) => ({
  name: 'docs',
  about: 'build/docs/: the documentation site as static files',
  needs: ['docs-setup', 'dependencies', 'records', 'page'],
  takes: 100,
  onRequest: true,
  made: {
    stamp: 'build/stamps/docs.json',
    inputs: () => [
      ...['docs', 'bindings/js', 'build/generated', 'build/page', 'tsconfig.package.json'],
      ...listFiles(['src/headwise'], (path) => path.endsWith('.hpp')),
      ...listFiles(['scripts/lib'], (path) => /\/(docs-|npm-tools)/.test(path)),
    ],
    outputs: [siteFolder],
    facts: () => ({ base, doxygen: identityOf(toolchain().doxygen) }),
  },
  run: (sh) => buildSite(sh, { base }),
});

export const docsSteps = (options) => [setup, site(options)];
