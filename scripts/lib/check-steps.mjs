// The steps of `npm test` beyond those that make the product.
import { join } from 'node:path';
import { browserSteps } from './browser-steps.mjs';
import { cmakeBuild } from './cmake.mjs';
import { countAsOne, countNodeTests, notesOfNodeTests } from './counts.mjs';
import { docsSteps } from './docs-steps.mjs';
import { cppFiles, fromRoot, listFiles, projectFiles, testFiles } from './files.mjs';
import { matrixSteps } from './matrix-steps.mjs';
import { builtBy, nativeSteps } from './native-steps.mjs';
import { nodeSteps, nodeTests } from './node-steps.mjs';
import { checkedProject, packChecked, packed, packInto, whatIsPacked } from './packed.mjs';
import { productSteps, tool } from './product-steps.mjs';
import { tidy } from './tidy.mjs';
import { findProgram, identityOf, toolchain } from './toolchain.mjs';

const isSource = (path) => /\.(cpp|cxx)$/.test(path);
const isTypeScript = (path) => /\.([cm]?ts|json)$/.test(path);

// Prettier, ESLint and TypeScript keep what they found of each file here.
const cache = (name) => `build/cache/${name}`;
const byContent = (name) => [
  '--cache',
  '--cache-strategy=content',
  `--cache-location=${cache(name)}`,
];

/** The files that hold all calls, as a build with threads and one without compile them. */
const bindingsWithAndWithoutThreads = () =>
  listFiles(['build/wasm/bindings/wasm/CMakeFiles'], (path) =>
    /\/headwise-simd(-threads)?-calls\.dir\/Unity\/.*\.cxx$/.test(path),
  );

const checks = [
  {
    name: 'format',
    about: 'Prettier',
    needs: ['dependencies'],
    takes: 12,
    count: countAsOne,
    checks: { inputs: () => projectFiles() },
    run: (sh) =>
      tool(
        sh,
        'prettier/bin/prettier.cjs',
        ...['--check', '.', '--log-level=warn', ...byContent('prettier')],
      ),
  },
  {
    name: 'lint',
    about: 'ESLint over JavaScript',
    needs: ['dependencies'],
    takes: 8,
    count: countAsOne,
    checks: { inputs: () => projectFiles((path) => /\.[cm]?js$/.test(path)) },
    run: (sh) =>
      tool(
        sh,
        'eslint/bin/eslint.js',
        ...['**/*.{js,mjs,cjs}', '--max-warnings=0', ...byContent('eslint')],
      ),
  },
  {
    // Without a cache: what is found in one file depends on the types of others.
    name: 'lint-types',
    about: 'ESLint over TypeScript',
    needs: ['dependencies', 'records'],
    takes: 20,
    count: countAsOne,
    checks: { inputs: () => ['eslint.config.js', ...projectFiles(isTypeScript)] },
    run: (sh) => tool(sh, 'eslint/bin/eslint.js', '**/*.ts', '--max-warnings=0'),
  },
  {
    name: 'imports',
    about: 'which folder imports from which (dependency-cruiser), and includes (check-includes)',
    needs: ['dependencies', 'records'],
    takes: 5,
    count: countAsOne,
    checks: {
      inputs: () => ['.dependency-cruiser.mjs', ...projectFiles(isTypeScript), ...cppFiles()],
    },
    async run(sh) {
      await tool(sh, 'dependency-cruiser/bin/dependency-cruise.mjs', 'web', 'bindings');
      await sh(process.execPath, [fromRoot('scripts/check-includes.mjs')]);
    },
  },
  {
    name: 'types',
    about: 'TypeScript',
    needs: ['dependencies', 'records'],
    takes: 10,
    count: countAsOne,
    checks: { inputs: () => projectFiles(isTypeScript) },
    async run(sh) {
      for (const [name, project] of [
        ['types', 'tsconfig.json'],
        ['types-service-worker', 'web/service-worker/tsconfig.json'],
      ]) {
        const kept = cache(`${name}.tsbuildinfo`);
        await tool(
          sh,
          'typescript/bin/tsc',
          ...['--project', project, '--incremental', '--tsBuildInfoFile', kept],
        );
      }
    },
  },
  {
    name: 'format-cpp',
    about: 'clang-format',
    needs: ['setup'],
    takes: 2,
    count: countAsOne,
    checks: {
      inputs: () => ['.clang-format', ...cppFiles()],
      facts: () => ({ clangFormat: identityOf(toolchain().clangFormat) }),
    },
    run: (sh) => sh(toolchain().clangFormat, ['--dry-run', '-Werror', ...cppFiles()]),
  },
  {
    name: 'tidy',
    about: 'clang-tidy over the library and the examples',
    needs: ['sanitize'],
    lock: 'cores',
    takes: 90,
    onRequest: true,
    count: countAsOne,
    checks: {
      inputs: () => [
        ...['src', 'examples', '.clang-tidy'],
        'build/native-sanitize/compile_commands.json',
        ...listFiles(['build/native-sanitize/CMakeFiles/headwise.dir/Unity'], isSource),
      ],
      facts: () => ({ clangTidy: identityOf(toolchain().clangTidy) }),
    },
    // The files that hold many sources each: parsing xtensor's headers is what takes the time.
    run: (sh) =>
      tidy(sh, 'build/native-sanitize', [
        ...listFiles(['build/native-sanitize/CMakeFiles/headwise.dir/Unity'], isSource),
        ...listFiles(['examples'], isSource),
      ]),
  },
  {
    name: 'tidy-bindings',
    about: 'clang-tidy over the C++ files that only WebAssembly builds have',
    needs: ['wasm'],
    lock: 'cores',
    takes: 90,
    onRequest: true,
    count: countAsOne,
    checks: {
      inputs: () => [
        ...listFiles(['bindings'], (path) => /\.([ch]pp|mjs)$/.test(path)),
        ...['src', '.clang-tidy', 'build/wasm/compile_commands.json'],
      ],
      facts: () => ({ clangTidy: identityOf(toolchain().clangTidy) }),
    },
    run: (sh) =>
      tidy(
        sh,
        'build/wasm',
        [
          'bindings/wasm/embind.cpp',
          'bindings/wasm/embind_models.cpp',
          ...bindingsWithAndWithoutThreads(),
        ],
        [
          // em++ tells clang these; clang-tidy runs without em++.
          '--target=wasm32-unknown-emscripten',
          `--sysroot=${join(toolchain().emscriptenRoot, 'cache/sysroot')}`,
        ],
      ),
  },
];

const checked = [
  {
    name: 'wasm-checked',
    about: 'a WebAssembly build that checks (cmake --preset wasm-checked)',
    needs: ['setup'],
    lock: 'cores',
    takes: 40,
    onRequest: true,
    run: (sh) => cmakeBuild(sh, 'wasm-checked', { tools: [toolchain().emcc] }),
  },
  {
    name: 'pack-checked',
    about: `the same with the WebAssembly build that checks, in ${checkedProject}, and that it does`,
    needs: ['pack', 'wasm-checked'],
    takes: 2,
    onRequest: true,
    count: countNodeTests,
    async run(sh) {
      packChecked();
      await nodeTests(sh, process.execPath, testFiles('tests/packaging/checked'));
    },
  },
];

/** Tests in tests/packaging, in this Node. */
const packaging = ({ files, inputs, facts, ...rest }) => ({
  count: countNodeTests,
  notes: notesOfNodeTests,
  checks: { inputs: () => ['tests/packaging', ...inputs()], facts },
  run: (sh) => nodeTests(sh, process.execPath, files()),
  ...rest,
});

const setupTests = listFiles(
  ['tests/packaging'],
  (path) => /\/setup\b/.test(path) && path.endsWith('.test.mjs'),
);

/** What C++ users are given, and read. */
const forNativeUsers = [
  ...['src', 'cmake', 'CMakeLists.txt', 'LICENSE', 'THIRD_PARTY.md'],
  ...['README.md', 'docs', '.toolchain/prefix'],
];

const compilers = () => ({
  clang: identityOf(toolchain().sanitizingClang),
  gcc: identityOf(findProgram(['g++-12', 'g++'])),
});

const pack = {
  name: 'pack',
  about: 'npm pack, installed into build/packed/project',
  needs: ['package'],
  takes: 6,
  made: packed,
  run: packInto,
};

const packages = [
  packaging({
    name: 'packaging',
    about: 'tests of the tarball: its files and their sizes (tests/packaging/npm)',
    needs: ['pack'],
    takes: 15,
    files: () => testFiles('tests/packaging/npm'),
    inputs: () => [...whatIsPacked(), 'dist', 'tests/matrix'],
  }),
  packaging({
    name: 'package-types',
    about: 'what uses its types compiles, all examples included (tests/packaging/types)',
    needs: ['pack'],
    takes: 20,
    files: () => testFiles('tests/packaging/types'),
    inputs: () => [
      ...listFiles(whatIsPacked(), (path) => /package\.json$|\.d\.ts$/.test(path)),
      ...['docs', 'examples', 'README.md', 'tsconfig.json'],
    ],
  }),
  packaging({
    name: 'record-tests',
    about: 'tests of how JavaScript and C++ lay records out (tests/packaging/records)',
    needs: ['records', 'wasm'],
    takes: 1,
    files: () => testFiles('tests/packaging/records'),
    inputs: () => [
      ...['bindings/records', 'scripts/lib/files.mjs'],
      ...['build/generated', 'build/wasm/bindings/wasm/generated'],
    ],
  }),
  packaging({
    name: 'third-party',
    about: 'THIRD_PARTY.md names whose code ships (tests/packaging/third-party)',
    needs: ['page'],
    takes: 6,
    files: () => testFiles('tests/packaging/third-party'),
    inputs: () => [
      ...listFiles(['dist'], (path) => path.endsWith('.js.map')),
      ...['build/page', 'web', 'src', 'bindings', 'LICENSE', 'THIRD_PARTY.md'],
    ],
  }),
  packaging({
    name: 'install',
    about: 'tests of cmake --install, cpack and add_subdirectory (tests/packaging/cmake)',
    needs: ['native'],
    takes: 20,
    files: () => testFiles('tests/packaging/cmake'),
    inputs: () => [...builtBy('native'), ...forNativeUsers],
  }),
  packaging({
    name: 'native-users',
    about: 'docs/native.md as it says, with strict GCC and Clang (tests/packaging/native-users)',
    needs: ['setup'],
    lock: 'cores',
    takes: 400,
    onRequest: true,
    files: () => testFiles('tests/packaging/native-users'),
    inputs: () => [...forNativeUsers, 'examples'],
    facts: compilers,
  }),
  packaging({
    name: 'headers',
    about: 'each installed header compiled alone (tests/packaging/headers)',
    needs: ['native'],
    lock: 'cores',
    takes: 60,
    onRequest: true,
    files: () => testFiles('tests/packaging/headers'),
    inputs: () => [
      ...listFiles(['src'], (path) => !path.endsWith('.cpp')),
      ...['cmake', 'CMakeLists.txt', '.toolchain/prefix'],
    ],
    facts: compilers,
  }),
  packaging({
    name: 'setup-tests',
    about: 'tests of set-up (tests/packaging/setup*)',
    needs: ['dependencies', 'wasm'],
    takes: 30,
    onRequest: true,
    files: () => setupTests,
    inputs: () => ['cmake/toolchains'],
  }),
  packaging({
    name: 'scripts',
    about: 'tests of steps and benchmarks (tests/packaging/scripts)',
    needs: ['pack'],
    takes: 10,
    files: () => testFiles('tests/packaging/scripts'),
    inputs: () => [
      ...whatIsPacked(),
      ...['benchmarks', 'cmake', 'tests/browser', 'tests/data/models', 'tests/node'],
      '.toolchain/current-node',
    ],
  }),
];

const release = packaging({
  name: 'release-tests',
  about: 'tests of npm run release, and of what publishes (tests/packaging/release)',
  needs: ['dependencies'],
  takes: 25,
  onRequest: true,
  files: () => testFiles('tests/packaging/release'),
  inputs: () => ['.github', '.ci', 'CHANGELOG.md', 'docs/native.md'],
});

const [setup, dependencies, records, wasm, packageParts, page] = productSteps('test');

export const testSteps = [
  setup,
  dependencies,
  records,
  ...checks,
  wasm,
  packageParts,
  page,
  pack,
  ...nativeSteps,
  ...nodeSteps,
  ...docsSteps(),
  ...browserSteps,
  ...packages,
  release,
  ...matrixSteps,
  ...checked,
];
