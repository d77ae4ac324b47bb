// The steps that run tests/browser: all of it in Chromium, the acts in Firefox and WebKit, too.
import { hasWebKit } from '../setup/locate.mjs';
import { countNodeTests, notesOfNodeTests } from './counts.mjs';
import { testFiles } from './files.mjs';
import { nodeTests } from './node-steps.mjs';

const step = ({ name, about, files, browser, skip }) => ({
  name,
  about,
  skip,
  needs: ['page'],
  count: countNodeTests,
  notes: notesOfNodeTests,
  run: (sh) => nodeTests(sh, process.execPath, files(), { env: { HEADWISE_BROWSER: browser } }),
});

const acts = () =>
  testFiles('tests/browser').filter((file) => /\bacts(-\w+)?\.test\.mjs$/.test(file));

export const browserSteps = [
  step({
    name: 'browser',
    about: 'tests/browser in headless Chromium',
    files: () => testFiles('tests/browser'),
    browser: 'chromium',
  }),
  step({
    name: 'firefox',
    about: 'each act of the page in use in headless Firefox',
    files: acts,
    browser: 'firefox',
  }),
  step({
    name: 'webkit',
    about: 'each act of the page in use in WebKitGTK',
    files: acts,
    browser: 'webkit',
    skip: !hasWebKit() && 'WebKit has a driver to be installed on Debian and Ubuntu only',
  }),
];
