// Runs test files with Node's test runner: node tests/run.mjs NAME [OPTIONS] PATH…
// Prints every test and writes build/results/NAME.xml (JUnit), from which `npm test` counts.
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { fromRoot, listFiles } from '../scripts/lib/files.mjs';
import { toolchain } from '../scripts/lib/toolchain.mjs';

const {
  values,
  positionals: [name, ...paths],
} = parseArgs({
  allowPositionals: true,
  options: {
    /** One process and one browser for all files: chromium, firefox or webkit. */
    browser: { type: 'string' },
    /** A project with the package installed and a copy of tests/node, in which the tests run. */
    project: { type: 'string', default: '.' },
    /** The newest Node that set-up installs, in place of this one. */
    'current-node': { type: 'boolean' },
    /** Which WebAssembly `init` finds support for: plain or relaxed SIMD. */
    simd: { type: 'string', default: 'plain' },
    /** How many cores `init` finds. */
    cores: { type: 'string', default: '3' },
  },
});

const files = listFiles(paths, (path) => path.endsWith('.test.mjs'));
if (files.length === 0) throw new Error(`no *.test.mjs in ${paths.join(', ')}`);

const results = fromRoot('build/results');
mkdirSync(results, { recursive: true });
const reporters = [
  ...['--test-reporter=spec', '--test-reporter-destination=stdout'],
  ...['--test-reporter=junit', `--test-reporter-destination=${results}/${name}.xml`],
];
const engines = {
  plain: 'tests/node/preload/plain-simd.cjs',
  relaxed: 'scripts/setup/toolchain-files/relaxed-simd.cjs',
};
const preloads = ['tests/node/preload/cores.cjs', engines[values.simd]].map(
  (file) => `--require "${fromRoot(file)}"`,
);

const { status } = spawnSync(
  values['current-node'] ? toolchain().currentNode : process.execPath,
  values.browser
    ? [...reporters, fromRoot('tests/browser/run.mjs'), ...files]
    : [
        '--test',
        // One more than there are cores, since some tests wait; Node's own choice is one less.
        `--test-concurrency=${availableParallelism() + 1}`,
        // A file that hangs fails by its name. None takes a tenth of these 15 minutes.
        '--test-timeout=900000',
        ...reporters,
        ...files,
      ],
  {
    cwd: fromRoot(values.project),
    stdio: 'inherit',
    env: {
      ...process.env,
      ...(values.browser && { HEADWISE_BROWSER: values.browser }),
      ...(values.project !== '.' && {
        HEADWISE_NATIVE_BUILD: fromRoot('build/native'),
        HEADWISE_VECTORS: fromRoot('build/vectors'),
        HEADWISE_CORES: values.cores,
        NODE_OPTIONS: preloads.join(' '),
      }),
    },
  },
);
process.exitCode = status ?? 1;
