// The steps that run tests/browser: all but the pictures unasked, in Chromium; what readers do in
// every act in Firefox and WebKit, too.
import { countNodeTests, notesOfNodeTests } from './counts.mjs';
import { fromRoot, testFiles } from './files.mjs';
import { hasWebKit, identityOf, toolchain } from './toolchain.mjs';

const step = ({ name, browser, folders, inputs, program, needs = ['page'], ...rest }) => ({
  name,
  needs,
  count: countNodeTests,
  notes: notesOfNodeTests,
  checks: {
    inputs: ['tests/browser', 'dist', ...inputs],
    facts: () => ({ browser: identityOf(toolchain()[program]) }),
  },
  // In one process, so that they share a browser and a server.
  run: (sh) =>
    sh(
      process.execPath,
      [
        '--test-reporter=spec',
        fromRoot('tests/browser/run.mjs'),
        ...testFiles(...folders.map((each) => `tests/browser/${each}`)),
      ],
      { env: { HEADWISE_BROWSER: browser } },
    ),
  ...rest,
});

/** The page, and what its server and the tests read beside it. */
const page = ['build/page', 'web', 'docs/hosting.md'];

export const browserSteps = [
  step({
    name: 'browser',
    about: 'the page in headless Chromium (tests/browser: page, every-browser)',
    takes: 180,
    browser: 'chromium',
    program: 'chrome',
    folders: ['every-browser', 'page'],
    inputs: page,
  }),
  step({
    name: 'browser-package',
    about: 'the package without a bundler in headless Chromium (tests/browser/package)',
    takes: 30,
    needs: ['package'],
    browser: 'chromium',
    program: 'chrome',
    folders: ['package'],
    inputs: [],
  }),
  step({
    name: 'pictures',
    about: 'each act as a person sees it, kept in build/artefacts (tests/browser/pictures)',
    takes: 100,
    onRequest: true,
    browser: 'chromium',
    program: 'chrome',
    folders: ['pictures'],
    inputs: page,
  }),
  step({
    name: 'firefox',
    about: 'each act in use in headless Firefox (tests/browser: every-browser, other-browsers)',
    takes: 100,
    onRequest: true,
    browser: 'firefox',
    program: 'firefox',
    folders: ['every-browser', 'other-browsers'],
    inputs: page,
  }),
  step({
    name: 'webkit',
    about: 'each act in use in WebKitGTK (tests/browser: every-browser, other-browsers)',
    takes: 100,
    onRequest: true,
    browser: 'webkit',
    program: 'webkitDriver',
    folders: ['every-browser', 'other-browsers'],
    inputs: page,
    skip: !hasWebKit() && 'WebKit has a driver to be installed on Debian and Ubuntu only',
  }),
];
