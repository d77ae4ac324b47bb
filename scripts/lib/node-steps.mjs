// The steps that run tests/node against the installed tarball: in both Nodes, with every WebAssembly
// build. `init` loads the fastest one, so what makes it load another is what it finds in the engine
// and the machine.
import { availableParallelism } from 'node:os';
import { countNodeTests, notesOfNodeTests } from './counts.mjs';
import { fromRoot, testFiles } from './files.mjs';
import { vectorsFolder } from './native-steps.mjs';
import { checkedProject, packedProject, whatIsPacked } from './packed.mjs';
import {
  findProgram,
  hasCurrentNode,
  identityOf,
  relaxedSimdPreload,
  toolchain,
} from './toolchain.mjs';

/** Node's own choice is one less, half of a machine with two. */
const cores = availableParallelism();

/** Runs test files with `node`, the path of a Node. */
export const nodeTests = (sh, node, files, options) =>
  sh(
    node,
    [
      ...['--test', `--test-concurrency=${cores}`, '--test-reporter=spec'],
      // Twice what the longest file took on a machine busy with other work: one that hangs is named.
      `--test-timeout=${30 * 60_000}`,
      ...files,
    ],
    options,
  );

const nodes = {
  this: { path: () => process.execPath },
  current: {
    path: () => toolchain().currentNode,
    skip: !hasCurrentNode && 'there is a current Node for Linux on x64 only',
  },
};

/** What a Node process loads first to have an engine with relaxed SIMD, or without. */
const engines = { relaxed: relaxedSimdPreload, simd: 'scripts/lib/no-relaxed-simd.cjs' };

/** The folders of tests/node, by what their tests depend on. */
export const folders = {
  /** The WebAssembly file that is loaded, and the number of threads that `init` makes of the cores. */
  build: ['loading', 'layer', 'functions', 'gradients', 'models', 'training', 'importance'],
  /** The files for threads, in whatever number the tests ask for. */
  threads: ['threads'],
  /** The engine that runs the JavaScript around it, and gives it memory. */
  engine: ['arguments', 'io', 'examples', 'in-worker', 'memory'],
  /** The same, for minutes each. */
  hostile: ['hostile'],
  'out-of-memory': ['out-of-memory'],
};

/**
 * One line a step: in which Node, with what kind of SIMD, on how many cores it believes to be, and what is run there of
 * `folders`. Together they have both Nodes and every build; one alone runs unasked.
 */
const runs = [
  {
    ...{ name: 'node', node: 'this', simd: 'simd', cores: 3, takes: 90 },
    parts: ['build', 'threads', 'engine'],
    isUnasked: true,
  },
  {
    ...{ name: 'node-hostile', node: 'this', simd: 'simd', cores: 3, takes: 100 },
    parts: ['hostile'],
  },
  { name: 'node-one-thread', node: 'this', simd: 'simd', cores: 1, takes: 40 },
  {
    ...{ name: 'node-relaxed', node: 'this', simd: 'relaxed', cores: 3, takes: 60 },
    parts: ['build', 'threads'],
  },
  { name: 'node-relaxed-one-thread', node: 'this', simd: 'relaxed', cores: 1, takes: 40 },
  {
    ...{ name: 'node-current', node: 'current', simd: 'relaxed', cores: 3, takes: 90 },
    parts: ['build', 'threads', 'engine'],
  },
  {
    ...{ name: 'node-current-simd-one-thread', node: 'current', simd: 'simd', cores: 1 },
    takes: 140,
    parts: ['build', 'out-of-memory'],
  },
  {
    ...{ name: 'node-checked', node: 'this', simd: 'simd', cores: 1, takes: 60 },
    parts: ['build', 'engine'],
    project: checkedProject,
    needs: ['pack-checked'],
  },
];

const required = (path) => `--require "${fromRoot(path)}"`;

const step = ({ name, node, simd, cores, takes, parts = ['build'], ...rest }) => {
  const { project = packedProject, needs = [], isUnasked = false } = rest;
  return {
    name,
    onRequest: !isUnasked,
    takes,
    about: `tests/node (${parts.join(', ')}) against ${project}: ${node} Node, ${simd} SIMD, ${cores} core${cores > 1 ? 's' : ''}`,
    skip: nodes[node].skip,
    // The examples in C++ must print what those in JavaScript print, and calls give what references in C++ say.
    needs: ['pack', 'native', 'vectors', ...needs],
    count: countNodeTests,
    notes: notesOfNodeTests,
    checks: {
      inputs: () => [...whatIsPacked(project), 'build/native/examples', vectorsFolder],
      facts: () => ({
        node: identityOf(nodes[node].path()),
        python: identityOf(findProgram(['/usr/bin/python3', 'python3'])),
      }),
    },
    run: (sh) =>
      nodeTests(
        sh,
        nodes[node].path(),
        testFiles(...parts.flatMap((part) => folders[part]).map((each) => `tests/node/${each}`)),
        {
          cwd: fromRoot(project),
          env: {
            HEADWISE_NATIVE_BUILD: fromRoot('build/native'),
            HEADWISE_VECTORS: fromRoot(vectorsFolder),
            HEADWISE_CORES: String(cores),
            NODE_OPTIONS: [engines[simd], 'scripts/lib/cores.cjs'].map(required).join(' '),
          },
        },
      ),
  };
};

export const nodeSteps = runs.map(step);
