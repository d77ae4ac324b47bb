// The steps that build and test the C++ library: as it is shipped, and with each kind of sanitizer.
import { cmakeBuild, cmakeTest } from './cmake.mjs';
import { countCTests } from './counts.mjs';
import { fromRoot, listFiles } from './files.mjs';
import { identityOf, toolchain } from './toolchain.mjs';

/** What is told apart of a build: programs and libraries, not what CMake and Ninja note meanwhile. */
export const builtBy = (preset) =>
  listFiles(
    [`build/${preset}`],
    (path) =>
      !/\/(CMakeFiles|Testing|_deps|\.cmake)\//.test(path) &&
      !/\/(\.ninja_\w+|\.configured|build\.ninja|compile_commands\.json)$/.test(path),
  );

/** The build of a preset, and its tests. */
const buildAndTest = ({ name, preset, about, aboutTests, takes, onRequest, variables }) => [
  {
    name,
    about: `${about} (cmake --preset ${preset})`,
    needs: ['setup'],
    lock: 'cores',
    takes: takes[0],
    onRequest,
    run: (sh) =>
      cmakeBuild(sh, preset, { tools: [fromRoot('.toolchain')], variables: variables?.() }),
  },
  {
    name: `${name}-tests`,
    about: aboutTests,
    needs: [name],
    lock: 'cores',
    takes: takes[1],
    onRequest,
    count: countCTests,
    checks: {
      inputs: () => [...builtBy(preset), 'tests/data', 'CMakePresets.json'],
      facts: () => ({ python: identityOf(toolchain().python) }),
    },
    run: (sh) => cmakeTest(sh, preset),
  },
];

export const nativeSteps = [
  ...buildAndTest({
    name: 'native',
    preset: 'native',
    about: 'the native build',
    aboutTests: 'its tests',
    takes: [180, 60],
  }),
  ...buildAndTest({
    name: 'sanitize',
    preset: 'native-sanitize',
    about: 'the native build with sanitizers',
    aboutTests: 'its tests',
    takes: [300, 200],
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
