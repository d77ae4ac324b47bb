// The steps that build and test the C++ library: as it is shipped, and with each kind of sanitizer.
import { cmakeBuild, cmakeTest } from './cmake.mjs';
import { countCTests } from './counts.mjs';
import { fromRoot, listFiles } from './files.mjs';
import { toolchain } from './toolchain.mjs';

/** What is told apart of a build: programs and libraries, not what CMake and Ninja note meanwhile. */
export const builtBy = (preset) =>
  listFiles(
    [`build/${preset}`],
    (path) =>
      !/\/(CMakeFiles|Testing|_deps|\.cmake)\//.test(path) &&
      !/\/(\.ninja_\w+|\.configured|build\.ninja|compile_commands\.json|install_manifest\.txt)$/.test(
        path,
      ),
  );

const testsOf = (preset) => ({
  inputs: () => [...builtBy(preset), 'tests/data', 'CMakePresets.json'],
});

/** By name: all tests once more in each instruction set, apart from the one that the machine has them run in. */
const architectures = 'HEADWISE_ARCHITECTURE=';

/** The build of a preset, and its tests. */
const buildAndTest = ({
  name,
  preset,
  about,
  aboutTests,
  which = [],
  takes,
  onRequest,
  variables,
}) => [
  {
    name,
    about: `${about} (cmake --preset ${preset})`,
    needs: ['setup'],
    lock: 'cores',
    takes: takes[0],
    onRequest,
    run: (sh) => cmakeBuild(sh, preset, { tools: [toolchain().prefix], variables: variables?.() }),
  },
  {
    name: `${name}-tests`,
    about: aboutTests,
    needs: [name],
    lock: 'cores',
    takes: takes[1],
    onRequest,
    count: countCTests,
    checks: testsOf(preset),
    run: (sh) => cmakeTest(sh, preset, ...which),
  },
];

/** What references in C++ say of calls, for the tests of the package. */
export const vectorsFolder = 'build/vectors';

const vectorsProgram = 'build/native/tests/native/headwise-test-vectors';

const vectors = {
  name: 'vectors',
  about: `${vectorsFolder}: what references in C++ say of calls, for tests/node`,
  needs: ['native'],
  takes: 5,
  made: {
    stamp: 'build/stamps/vectors.json',
    inputs: [vectorsProgram],
    outputs: [vectorsFolder],
    // By which other configurations are drawn.
    facts: () => ({
      seed: process.env.HEADWISE_SEED,
      count: process.env.HEADWISE_CONFIGURATIONS,
    }),
  },
  run: (sh) => sh(fromRoot(vectorsProgram), [fromRoot(vectorsFolder)]),
};

export const nativeSteps = [
  ...buildAndTest({
    name: 'native',
    preset: 'native',
    about: 'the native build',
    aboutTests: 'its tests',
    which: ['--exclude-regex', architectures],
    takes: [300, 40],
  }),
  vectors,
  {
    name: 'native-architectures',
    about: 'its tests in each instruction set',
    needs: ['native'],
    lock: 'cores',
    takes: 40,
    onRequest: true,
    count: countCTests,
    checks: testsOf('native'),
    run: (sh) => cmakeTest(sh, 'native', '--tests-regex', architectures),
  },
  ...buildAndTest({
    name: 'sanitize',
    preset: 'native-sanitize',
    about: 'the native build with sanitizers',
    aboutTests: 'its tests',
    takes: [600, 300],
    onRequest: true,
    variables: () => ({ CMAKE_CXX_COMPILER: toolchain().sanitizingClang }),
  }),
  ...buildAndTest({
    name: 'threads',
    preset: 'native-threads',
    about: 'the native build with ThreadSanitizer',
    aboutTests: 'its tests: what may be done from several threads at once',
    takes: [60, 10],
    onRequest: true,
  }),
];
