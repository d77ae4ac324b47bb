// headwise as a part of another project, which gets the library and nothing else. Configured, not built.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { guideCode } from '../native-guide.mjs';
import { makeScratch, packagesIn, userProject } from '../native-users/sources.mjs';

const run = promisify(execFile);

const scratch = await makeScratch();

/** CMake code that prints, after a mark, what of a project headwise might change. */
const look = (mark) => `
set(looked "")
foreach(property IN ITEMS COMPILE_OPTIONS COMPILE_DEFINITIONS LINK_OPTIONS INCLUDE_DIRECTORIES
                          BUILDSYSTEM_TARGETS TESTS)
  get_directory_property(value \${property})
  string(APPEND looked " \${property}=\${value}")
endforeach()
get_cmake_property(variables VARIABLES)
foreach(variable IN LISTS variables)
  if(variable MATCHES "^(BUILD_|CPACK_)|^CMAKE_(CXX_FLAGS|CXX_STANDARD|CXX_EXTENSIONS|EXE_LINKER_FLAGS|BUILD_TYPE|COMPILE_WARNING|MODULE_PATH|POSITION_|PREFIX_PATH|UNITY_)")
    string(APPEND looked " \${variable}=\${\${variable}}")
  endif()
endforeach()
message("${mark}: \${looked}")
set(looked "")
get_cmake_property(cached CACHE_VARIABLES)
foreach(variable IN LISTS cached)
  get_property(type CACHE \${variable} PROPERTY TYPE)
  if(type STREQUAL BOOL)
    list(APPEND looked \${variable})
  endif()
endforeach()
message("${mark}, options: \${looked}")`;

/** What was printed after a mark. */
function printed(output, mark) {
  const line = output.split('\n').find((each) => each.startsWith(`${mark}: `));
  assert.ok(line, output);
  return line.slice(mark.length + 2);
}

async function configure(name, text, ...args) {
  const files = { 'CMakeLists.txt': text, 'main.cpp': '' };
  const folder = await userProject(path.join(scratch, name), files);
  const build = path.join(folder, 'build');
  const { stderr } = await run('cmake', [
    ...['-G', 'Ninja', '-S', folder, '-B', build],
    ...[`-DCMAKE_PREFIX_PATH=${packagesIn().replaceAll(':', ';')}`, ...args],
  ]);
  return { build, output: stderr };
}

const inside = guideCode('As a part of your build', 'cmake');
assert.match(inside, /^add_subdirectory\(headwise\)$/m);

test('it changes no flag, variable or property of the project, and its options are HEADWISE_…', async () => {
  const { output } = await configure(
    'unchanged',
    inside.replace(/^add_subdirectory.*$/m, (line) =>
      // What any project's search for threads leaves is not headwise's.
      ['find_package(Threads)', look('before'), line, look('after')].join('\n'),
    ),
  );
  assert.match(printed(output, 'before'), /BUILDSYSTEM_TARGETS=.* CMAKE_CXX_FLAGS=/);
  assert.equal(printed(output, 'after'), printed(output, 'before'));

  const options = (mark) => printed(output, `${mark}, options`).split(';');
  const before = options('before');
  const added = options('after').filter((name) => !before.includes(name));
  assert.ok(added.includes('HEADWISE_BUILD_TESTS'), added.join());
  const isCMakes = (name) => name.startsWith('FETCHCONTENT_');
  assert.deepEqual(
    added.filter((name) => !name.startsWith('HEADWISE_') && !isCMakes(name)),
    [],
  );
});

/** What a build would make and install, and its tests. */
async function partsOf({ build }) {
  const { stdout } = await run('cmake', ['--build', build, '--target', 'help']);
  const targets = [...stdout.matchAll(/^(headwise\S*): phony$/gm)].map(([, target]) => target);
  const listed = await run('ctest', ['--test-dir', build, '--show-only=json-v1']);
  const installs = await readFile(path.join(build, 'headwise/cmake_install.cmake'), 'utf8');
  return {
    targets: targets.filter((name) => !name.includes('/')),
    tests: JSON.parse(listed.stdout).tests.length,
    installed: [...installs.matchAll(/headwiseConfig\.cmake|headwise\.pc/g)].length,
  };
}

test('it has neither tests nor examples nor benchmarks, and installs nothing', async () => {
  const { targets, tests, installed } = await partsOf(await configure('plain', inside));
  assert.ok(targets.includes('headwise'), targets.join());
  assert.deepEqual(
    targets.filter((name) => /test|example|bench/.test(name)),
    [],
  );
  assert.deepEqual({ tests, installed }, { tests: 0, installed: 0 });
});

test('HEADWISE_INSTALL has it installed', async () => {
  const { installed } = await partsOf(await configure('asked', inside, '-DHEADWISE_INSTALL=ON'));
  assert.ok(installed > 0);
});
