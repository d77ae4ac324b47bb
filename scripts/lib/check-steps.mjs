// The steps of `npm test` beyond those that make the product.
import { join } from 'node:path';
import { locateToolchain } from '../setup/locate.mjs';
import { browserSteps } from './browser-steps.mjs';
import { installBundlers } from './bundlers.mjs';
import { cmakeBuild, cmakeTest } from './cmake.mjs';
import { countAsOne, countCTests, countNodeTests, notesOfNodeTests } from './counts.mjs';
import { cppFiles, fromRoot, listFiles, root, testFiles } from './files.mjs';
import { nodeSteps, nodeTests } from './node-steps.mjs';
import { checkedProject, packChecked, packedProject, packInto } from './packed.mjs';
import { productSteps, tool } from './product-steps.mjs';

const isSource = (path) => /\.(cpp|cxx)$/.test(path);

/** clang-tidy, a process a file, with the options that a build folder's compile commands have. */
const tidy = (sh, build, files, extraOptions = []) =>
  Promise.all(
    files.map((file) =>
      sh(locateToolchain(root).clangTidy, [
        '--quiet',
        '-p',
        build,
        // Files that include sources are CMake's.
        '--checks=-bugprone-suspicious-include',
        // GCC's warnings, which clang need not know.
        ...['-Wno-unknown-warning-option', ...extraOptions].map((each) => `--extra-arg=${each}`),
        file,
      ]),
    ),
  );

const checks = [
  {
    name: 'format',
    about: 'Prettier',
    needs: ['dependencies'],
    count: countAsOne,
    run: (sh) => tool(sh, 'prettier/bin/prettier.cjs', '--check', '.', '--log-level=warn'),
  },
  {
    name: 'lint',
    about: 'ESLint, and which folder imports from which (dependency-cruiser)',
    needs: ['dependencies'],
    count: countAsOne,
    async run(sh) {
      await tool(sh, 'eslint/bin/eslint.js', '.', '--max-warnings=0');
      await tool(sh, 'dependency-cruiser/bin/dependency-cruise.mjs', 'web', 'bindings');
    },
  },
  {
    name: 'types',
    about: 'TypeScript',
    needs: ['dependencies'],
    count: countAsOne,
    async run(sh) {
      for (const project of ['tsconfig.json', 'web/service-worker/tsconfig.json']) {
        await tool(sh, 'typescript/bin/tsc', '--project', project);
      }
    },
  },
  {
    name: 'format-cpp',
    about: 'clang-format',
    needs: ['setup'],
    count: countAsOne,
    run: (sh) => sh(locateToolchain(root).clangFormat, ['--dry-run', '-Werror', ...cppFiles()]),
  },
  {
    name: 'tidy',
    about: 'clang-tidy over the library and the examples',
    needs: ['sanitize'],
    count: countAsOne,
    made: {
      stamp: 'build/stamps/tidy.json',
      inputs: ['src/headwise', 'examples', '.clang-tidy', 'build/native-sanitize/CMakeCache.txt'],
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
    count: countAsOne,
    made: {
      stamp: 'build/stamps/tidy-bindings.json',
      inputs: [
        ...listFiles(['bindings'], (path) => /\.[ch]pp$/.test(path)),
        'src/headwise',
        '.clang-tidy',
        'build/wasm/CMakeCache.txt',
      ],
    },
    run: (sh) =>
      tidy(sh, 'build/wasm', listFiles(['bindings'], isSource), [
        // em++ tells clang these; clang-tidy runs without em++.
        '--target=wasm32-unknown-emscripten',
        `--sysroot=${join(locateToolchain(root).emscriptenRoot, 'cache/sysroot')}`,
      ]),
  },
];

const native = [
  {
    name: 'native',
    about: 'the native build (cmake --preset native)',
    needs: ['setup'],
    lock: 'compiler',
    run: (sh) => cmakeBuild(sh, 'native', { tools: [fromRoot('.toolchain')] }),
  },
  {
    name: 'native-tests',
    about: 'its tests',
    needs: ['native'],
    count: countCTests,
    run: (sh) => cmakeTest(sh, 'native'),
  },
  {
    name: 'sanitize',
    about: 'the native build with sanitizers (cmake --preset native-sanitize)',
    needs: ['setup'],
    lock: 'compiler',
    run: (sh) =>
      cmakeBuild(sh, 'native-sanitize', {
        tools: [fromRoot('.toolchain')],
        variables: { CMAKE_CXX_COMPILER: locateToolchain(root).sanitizingClang },
      }),
  },
  {
    name: 'sanitize-tests',
    about: 'its tests',
    needs: ['sanitize'],
    count: countCTests,
    run: (sh) => cmakeTest(sh, 'native-sanitize'),
  },
  {
    name: 'threads',
    about: 'the native build with ThreadSanitizer (cmake --preset native-threads)',
    needs: ['setup'],
    lock: 'compiler',
    run: (sh) => cmakeBuild(sh, 'native-threads', { tools: [fromRoot('.toolchain')] }),
  },
  {
    name: 'threads-tests',
    about: 'its tests: what may be done from several threads at once',
    needs: ['threads'],
    count: countCTests,
    run: (sh) => cmakeTest(sh, 'native-threads'),
  },
];

const checked = {
  name: 'wasm-checked',
  about: 'a WebAssembly build that checks (cmake --preset wasm-checked)',
  needs: ['setup'],
  lock: 'compiler',
  run: (sh) => cmakeBuild(sh, 'wasm-checked', { tools: [locateToolchain(root).emcc] }),
};

const packed = [
  {
    name: 'pack',
    about: `npm pack, installed into ${packedProject}`,
    needs: ['package'],
    run: packInto,
  },
  {
    name: 'pack-checked',
    about: `the same with the WebAssembly build that checks, in ${checkedProject}`,
    needs: ['pack', 'wasm-checked'],
    run: packChecked,
  },
  {
    name: 'packaging',
    about: 'tests of the tarball and of cmake --install (tests/packaging)',
    needs: ['pack-checked', 'native'],
    count: countNodeTests,
    notes: notesOfNodeTests,
    run: (sh) => nodeTests(sh, process.execPath, testFiles('tests/packaging')),
  },
  {
    name: 'bundlers',
    about: 'the tarball in webpack and Next.js, opened in headless Chromium (tests/bundlers)',
    needs: ['pack'],
    count: countNodeTests,
    notes: notesOfNodeTests,
    async run(sh) {
      await installBundlers(sh);
      await nodeTests(sh, process.execPath, testFiles('tests/bundlers'));
    },
  },
  ...nodeSteps,
  ...browserSteps,
];

const [setup, dependencies, wasm, packageParts, page] = productSteps('test');

/** In the order in which they are begun as far as their needs allow: what takes longest first. */
export const testSteps = [
  setup,
  dependencies,
  ...checks.slice(0, 3),
  wasm,
  packageParts,
  ...native,
  checked,
  ...checks.slice(3),
  page,
  ...packed,
];
