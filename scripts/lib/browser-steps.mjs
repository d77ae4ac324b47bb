// The steps that run tests/browser, in Chromium; what readers do in every act in Firefox and WebKit, too.
import { countNodeTests, notesOfNodeTests } from './counts.mjs';
import { siteFolder } from './docs-site.mjs';
import { fromRoot, listFiles, testFiles } from './files.mjs';
import { whatIsPacked } from './packed.mjs';
import { hasWebKit, identityOf, toolchain } from './toolchain.mjs';

const step = ({ name, browser, folders, inputs, program, needs = ['page'], ...rest }) => ({
  name,
  needs,
  count: countNodeTests,
  notes: notesOfNodeTests,
  checks: {
    inputs: () => [
      ...['lib', 'run.mjs', ...folders].map((path) => `tests/browser/${path}`),
      ...(typeof inputs === 'function' ? inputs() : inputs),
    ],
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

/** The built page, and what its server and the tests read beside it. */
const page = ['dist', 'build/page', 'web', 'docs/hosting.md'];

/**
 * What the page is made of: of the acts those that are named, or all; of the package its interface, since what it does
 * with what it is given its own tests look after, and those that use every act of the built page.
 */
const sources = (acts) => () =>
  listFiles(['web', 'dist'], (path) => {
    const [, act] = /^web\/src\/acts\/(\w+)\//.exec(path) ?? [];
    return path.startsWith('web') ? !act || !acts || acts.includes(act) : path.endsWith('.d.ts');
  });

const inChromium = (rest) => step({ browser: 'chromium', program: 'headlessChrome', ...rest });

/** Acts in full; they do not know each other, so that another one changes nothing in them. */
const actStep = ({ acts, ...rest }) =>
  inChromium({
    ...{ folders: acts.map((act) => `acts/${act}`), inputs: sources(acts) },
    ...rest,
  });

export const browserSteps = [
  inChromium({
    name: 'browser',
    about:
      'every act in use, and the page as built: its size, policy, offline (tests/browser: every-browser, built)',
    takes: 60,
    folders: ['every-browser', 'built'],
    inputs: page,
  }),
  inChromium({
    name: 'browser-page',
    about:
      'the page as a whole: address, keyboard, axe-core, widths, files saved (tests/browser/page)',
    takes: 60,
    folders: ['page'],
    inputs: sources(),
  }),
  actStep({
    name: 'browser-heads',
    about: 'the toy example and the heads (tests/browser/acts: toy, heads)',
    acts: ['toy', 'heads'],
    takes: 60,
  }),
  actStep({
    name: 'browser-figure',
    about: 'the chapter’s figure, step by step (tests/browser/acts/figure)',
    acts: ['figure'],
    takes: 20,
  }),
  actStep({
    name: 'browser-why',
    about: 'what a score is made of, and why √d (tests/browser/acts/why)',
    acts: ['why'],
    takes: 20,
  }),
  actStep({
    name: 'browser-train',
    about: 'training (tests/browser/acts/train)',
    acts: ['train'],
    takes: 30,
  }),
  actStep({
    name: 'browser-prune',
    about: 'pruning (tests/browser/acts/prune)',
    acts: ['prune'],
    takes: 40,
  }),
  actStep({
    name: 'browser-words',
    about: 'the language model (tests/browser/acts/words)',
    acts: ['words'],
    takes: 40,
  }),
  actStep({
    name: 'browser-align',
    about: 'cross-attention, and what it trains (tests/browser/acts: align)',
    acts: ['align'],
    takes: 90,
  }),
  inChromium({
    name: 'browser-questions',
    about: 'the questions, and the views that they link to (tests/browser/acts/questions)',
    takes: 60,
    folders: ['acts/questions'],
    // Its links lead to every act.
    inputs: sources(),
  }),
  inChromium({
    name: 'browser-media',
    about:
      'the page on paper, in forced colours, in use under axe-core, in a long run (tests/browser/media)',
    takes: 60,
    onRequest: true,
    folders: ['media'],
    inputs: page,
  }),
  inChromium({
    name: 'browser-package',
    about: 'the package without a bundler (tests/browser/package)',
    takes: 30,
    needs: ['package'],
    folders: ['package'],
    inputs: ['dist'],
  }),
  inChromium({
    name: 'browser-examples',
    about: 'the examples that are pages, built by Vite (tests/browser/examples)',
    takes: 30,
    needs: ['pack'],
    onRequest: true,
    folders: ['examples'],
    inputs: () => whatIsPacked(),
  }),
  inChromium({
    name: 'docs-tests',
    about: 'the documentation site: links, axe-core, widths, search (tests/browser/docs)',
    takes: 80,
    needs: ['docs'],
    onRequest: true,
    folders: ['docs'],
    inputs: [siteFolder, 'docs', 'src/headwise', 'bindings/js', 'examples', 'web', 'tests/data'],
  }),
  inChromium({
    name: 'pictures',
    about: 'each act as a person sees it, kept in build/artefacts (tests/browser/pictures)',
    takes: 100,
    onRequest: true,
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
