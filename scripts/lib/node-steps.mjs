// The steps that run tests/node against the installed tarball: in both Nodes, with every WebAssembly
// build. `init` loads the fastest one, so what makes it load another is what it finds in the engine
// and the machine.
import { hasCurrentNode, locateToolchain } from '../setup/locate.mjs';
import { countNodeTests, notesOfNodeTests } from './counts.mjs';
import { fromRoot, root, testFiles } from './files.mjs';
import { checkedProject, packedProject } from './packed.mjs';

/** Runs test files with `node`, the path of a Node. */
export const nodeTests = (sh, node, files, options) =>
  sh(node, ['--test', '--test-reporter=spec', ...files], options);

const nodes = {
  this: { path: () => process.execPath },
  current: {
    path: () => locateToolchain(root).currentNode,
    skip: !hasCurrentNode && 'there is a current Node for Linux on x64 only',
  },
};

/** What a Node process loads first to have an engine with relaxed SIMD, or without. */
const engines = {
  relaxed: 'scripts/setup/toolchain-files/relaxed-simd.cjs',
  simd: 'scripts/lib/no-relaxed-simd.cjs',
};

/** Tests that take minutes, and look at what hardly depends on the engine and the build: each runs in one step. */
const slow = ['hostile-arguments', 'out-of-memory'];

/**
 * One line a step: in which Node, with what kind of SIMD, and on how many cores it believes to be. Those that nobody
 * needs to ask for cover both Nodes and every build.
 */
const runs = [
  { name: 'node', node: 'this', simd: 'simd', cores: 3, without: ['out-of-memory'] },
  { name: 'node-one-thread', node: 'this', simd: 'simd', cores: 1, onRequest: true },
  { name: 'node-relaxed', node: 'this', simd: 'relaxed', cores: 3, onRequest: true },
  { name: 'node-relaxed-one-thread', node: 'this', simd: 'relaxed', cores: 1, without: slow },
  { name: 'node-current', node: 'current', simd: 'relaxed', cores: 3, without: slow },
  {
    name: 'node-current-simd-one-thread',
    node: 'current',
    simd: 'simd',
    cores: 1,
    without: ['hostile-arguments'],
  },
  {
    name: 'node-checked',
    node: 'this',
    simd: 'simd',
    cores: 1,
    project: checkedProject,
    needs: ['pack-checked'],
    without: [...slow, 'random-configurations'],
  },
];

const required = (path) => `--require "${fromRoot(path)}"`;

export const nodeSteps = runs.map(
  ({ name, node, simd, cores, onRequest, needs = [], without = [], project = packedProject }) => ({
    name,
    onRequest,
    about: `tests/node against ${project}: ${node} Node, ${simd} SIMD, ${cores} core${cores > 1 ? 's' : ''}`,
    skip: nodes[node].skip,
    // The examples in C++ must print what those in JavaScript print.
    needs: ['pack', 'native', ...needs],
    count: countNodeTests,
    notes: notesOfNodeTests,
    run(sh) {
      const isLeftOut = (file) => without.some((test) => file.endsWith(`/${test}.test.mjs`));
      return nodeTests(
        sh,
        nodes[node].path(),
        testFiles('tests/node').filter((file) => !isLeftOut(file)),
        {
          cwd: fromRoot(project),
          env: {
            HEADWISE_NATIVE_BUILD: fromRoot('build/native'),
            HEADWISE_CORES: String(cores),
            NODE_OPTIONS: [engines[simd], 'scripts/lib/cores.cjs'].map(required).join(' '),
          },
        },
      );
    },
  }),
);
