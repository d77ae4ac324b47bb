// The steps that run tests/node against the installed tarball: in each Node with each WebAssembly
// build that it can be made to load. `init` loads the fastest one, so what makes it load another is
// what it finds in the engine.
import { locateToolchain } from '../setup/locate.mjs';
import { currentNodeSteps } from '../setup/toolchain.mjs';
import { countNodeTests, notesOfNodeTests } from './counts.mjs';
import { fromRoot, root, testFiles } from './files.mjs';
import { packedProject } from './packed.mjs';

/** Runs test files with `node`, the path of a Node. */
export const nodeTests = (sh, node, files, options) =>
  sh(node, ['--test', '--test-reporter=spec', ...files], options);

const nodes = {
  this: { path: () => process.execPath },
  current: {
    path: () => locateToolchain(root).currentNode,
    skip: currentNodeSteps.length === 0 && 'there is a current Node for Linux on x64 only',
  },
};

/** What each Node process loads first. */
const preloads = {
  'relaxed-simd': 'scripts/setup/toolchain-files/relaxed-simd.cjs',
  'no-relaxed-simd': 'scripts/lib/no-relaxed-simd.cjs',
};

/** One line a step: whose name, in which Node, with what preloaded. */
const runs = [
  { name: 'node', about: 'tests/node against the installed tarball', node: 'this' },
  {
    name: 'node-relaxed',
    about: 'the same with the build for relaxed SIMD, which Node 20 has behind a flag',
    node: 'this',
    preload: 'relaxed-simd',
  },
  {
    name: 'node-current',
    about: 'the same in a current Node, which takes the build for relaxed SIMD by itself',
    node: 'current',
  },
  {
    name: 'node-current-simd',
    about: 'the same in a current Node with the build that does without relaxed SIMD',
    node: 'current',
    preload: 'no-relaxed-simd',
  },
];

export const nodeSteps = runs.map(({ name, about, node, preload }) => ({
  name,
  about,
  skip: nodes[node].skip,
  // The examples in C++ must print what those in JavaScript print.
  needs: ['pack', 'native'],
  count: countNodeTests,
  notes: notesOfNodeTests,
  run: (sh) =>
    nodeTests(sh, nodes[node].path(), testFiles('tests/node'), {
      cwd: fromRoot(packedProject),
      env: {
        HEADWISE_NATIVE_BUILD: fromRoot('build/native'),
        ...(preload && { NODE_OPTIONS: `--require "${fromRoot(preloads[preload])}"` }),
      },
    }),
}));
