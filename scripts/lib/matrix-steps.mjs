// The steps that try the tarball in the tools that users have (tests/matrix), a group of tools each.
import { countNodeTests, notesOfNodeTests } from './counts.mjs';
import { testFiles } from './files.mjs';
import { forgetOutcomes, installTools } from './matrix.mjs';
import { nodeTests } from './node-steps.mjs';
import { whatIsPacked } from './packed.mjs';
import { identityOf, toolchain } from './toolchain.mjs';

/** Groups that have tools of their own are installed first. */
const step = ({ group, hasTools = true, ...rest }) => ({
  name: `matrix-${group}`,
  needs: ['pack'],
  onRequest: true,
  count: countNodeTests,
  notes: notesOfNodeTests,
  checks: {
    inputs: () => [
      ...whatIsPacked(),
      ...['tests/matrix', 'tests/browser/lib', 'tests/packaging/types', 'web/headers.json'],
      ...['README.md', 'docs/bundlers.md', 'docs/runtimes.md', 'tests/data/oracle'],
    ],
    facts: () => ({
      node: identityOf(process.execPath),
      currentNode: identityOf(toolchain().currentNode),
      chrome: identityOf(toolchain().headlessChrome),
      firefox: identityOf(toolchain().firefox),
    }),
  },
  async run(sh) {
    if (hasTools) await installTools(sh, group);
    forgetOutcomes(group);
    await nodeTests(sh, process.execPath, testFiles(`tests/matrix/${group}`));
  },
  ...rest,
});

export const matrixSteps = [
  step({
    group: 'bundlers',
    about: 'the tarball in bundlers, opened in headless Chromium (tests/matrix/bundlers)',
    takes: 700,
  }),
  step({
    group: 'types',
    about: "the tarball's types in TypeScript 5.2 to 6, publint and attw (tests/matrix/types)",
    takes: 240,
  }),
  step({
    group: 'runtimes',
    about: 'the tarball in Node 20 to 26, Deno, Bun, workerd and workers (tests/matrix/runtimes)',
    takes: 150,
  }),
  step({
    group: 'runners',
    about: 'the tarball in Vitest and Jest, in each of their environments (tests/matrix/runners)',
    takes: 100,
  }),
  step({
    group: 'lifetime',
    hasTools: false,
    about: 'the tarball in programs and pages that live long (tests/matrix/lifetime)',
    takes: 60,
  }),
  step({
    group: 'quick',
    hasTools: false,
    onRequest: false,
    about:
      'the tarball in this Node, a thread, a page of Chromium and TypeScript (tests/matrix/quick)',
    takes: 15,
  }),
];
