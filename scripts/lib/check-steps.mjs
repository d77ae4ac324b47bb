// The steps of `npm test` beyond those that make the product.
import { join } from 'node:path';
import { locateToolchain } from '../setup/locate.mjs';
import { cmakeBuild, cmakeTest } from './cmake.mjs';
import { countAsOne, countCTests, countNodeTests, notesOfNodeTests } from './counts.mjs';
import { cppFiles, fromRoot, root, testFiles } from './files.mjs';
import { packedProject, packInto } from './packed.mjs';
import { productSteps, tool } from './product-steps.mjs';

const nodeTests = (sh, files, options) =>
  sh(process.execPath, ['--test', '--test-reporter=spec', ...files], options);

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
    about: 'ESLint',
    needs: ['dependencies'],
    count: countAsOne,
    run: (sh) => tool(sh, 'eslint/bin/eslint.js', '.', '--max-warnings=0'),
  },
  {
    name: 'types',
    about: 'TypeScript',
    needs: ['dependencies'],
    count: countAsOne,
    run: (sh) => tool(sh, 'typescript/bin/tsc', '--project', 'tsconfig.json'),
  },
  {
    name: 'format-cpp',
    about: 'clang-format',
    needs: ['setup'],
    count: countAsOne,
    run: (sh) => sh(locateToolchain(root).clangFormat, ['--dry-run', '-Werror', ...cppFiles()]),
  },
  {
    name: 'tidy-embind',
    about: 'clang-tidy over the one C++ file that only WebAssembly builds have',
    needs: ['wasm'],
    count: countAsOne,
    made: {
      stamp: 'build/stamps/tidy-embind.json',
      inputs: ['bindings/embind.cpp', 'src/headwise', '.clang-tidy', 'build/wasm/CMakeCache.txt'],
    },
    run: (sh) => {
      const { clangTidy, emscriptenRoot } = locateToolchain(root);
      // em++ tells clang these; clang-tidy runs without em++.
      const asEmscripten = [
        '--target=wasm32-unknown-emscripten',
        `--sysroot=${join(emscriptenRoot, 'cache/sysroot')}`,
      ].map((option) => `--extra-arg=${option}`);
      return sh(clangTidy, ['--quiet', '-p', 'build/wasm', ...asEmscripten, 'bindings/embind.cpp']);
    },
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
    about: 'the native build with sanitizers and clang-tidy (cmake --preset native-sanitize)',
    needs: ['setup'],
    lock: 'compiler',
    run: (sh) =>
      cmakeBuild(sh, 'native-sanitize', {
        tools: [fromRoot('.toolchain')],
        options: [`-DHEADWISE_CLANG_TIDY=${locateToolchain(root).clangTidy}`],
      }),
  },
  {
    name: 'sanitize-tests',
    about: 'its tests',
    needs: ['sanitize'],
    count: countCTests,
    run: (sh) => cmakeTest(sh, 'native-sanitize'),
  },
];

const packed = [
  {
    name: 'pack',
    about: `npm pack, installed into ${packedProject}`,
    needs: ['package'],
    run: packInto,
  },
  {
    name: 'packaging',
    about: 'tests of the tarball and of cmake --install (tests/packaging)',
    needs: ['pack', 'native'],
    count: countNodeTests,
    notes: notesOfNodeTests,
    run: (sh) => nodeTests(sh, testFiles('tests/packaging')),
  },
  {
    name: 'node',
    about: 'tests/node against the installed tarball',
    // The examples in C++ must print what those in JavaScript print.
    needs: ['pack', 'native'],
    count: countNodeTests,
    notes: notesOfNodeTests,
    run: (sh) =>
      nodeTests(sh, testFiles('tests/node'), {
        cwd: fromRoot(packedProject),
        env: { HEADWISE_NATIVE_BUILD: fromRoot('build/native') },
      }),
  },
  {
    name: 'browser',
    about: 'tests/browser in headless Chromium',
    needs: ['page'],
    count: countNodeTests,
    notes: notesOfNodeTests,
    run: (sh) => nodeTests(sh, testFiles('tests/browser')),
  },
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
  ...checks.slice(3),
  page,
  ...packed,
];
