// headwise as a part of another project, which gets only the library. Configured, not built.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { guide, run, writeProjectWithSources } from './users.mjs';

/** CMake code that prints, after a mark, what of a project headwise might change, and the names of its options. */
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

/** Configures a project. Returns what was printed, and what a build would make, test and install. */
async function configure(name, text, ...args) {
  const files = { 'CMakeLists.txt': text, 'main.cpp': '' };
  const folder = writeProjectWithSources(name, files);
  const build = `${folder}/build`;
  const { stderr } = await run('cmake', ['-S', folder, '-B', build, ...args]);
  const { stdout } = await run('cmake', ['--build', build, '--target', 'help']);
  const listed = await run('ctest', ['--test-dir', build, '--show-only=json-v1']);
  return {
    printed: (mark) => stderr.split(`${mark}: `)[1]?.split('\n')[0],
    targets: [...stdout.matchAll(/^(headwise[^\s/]*): phony$/gm)].map(([, target]) => target),
    tests: JSON.parse(listed.stdout).tests.length,
    isInstalled: /headwiseConfig\.cmake|headwise\.pc/.test(
      readFileSync(`${build}/headwise/cmake_install.cmake`, 'utf8'),
    ),
  };
}

test('add_subdirectory adds only the library and options HEADWISE_… to a project', async () => {
  // find_package(Threads) leaves variables in any project.
  const text = guide.subdirectory.replace(/^add_subdirectory\(headwise\)$/m, (line) =>
    ['find_package(Threads)', look('before'), line, look('after')].join('\n'),
  );
  const { printed, targets, tests, isInstalled } = await configure('plain', text);
  assert.match(printed('before'), /BUILDSYSTEM_TARGETS=.* CMAKE_CXX_FLAGS=/);
  assert.equal(printed('after'), printed('before'));

  const [before, after] = ['before', 'after'].map((mark) => printed(`${mark}, options`).split(';'));
  const added = after.filter((name) => !before.includes(name));
  assert.ok(added.includes('HEADWISE_BUILD_TESTS'), added.join());
  assert.deepEqual(
    added.filter((name) => !/^(HEADWISE|FETCHCONTENT)_/.test(name)),
    [],
  );

  assert.ok(targets.includes('headwise'), targets.join());
  assert.deepEqual(
    targets.filter((name) => /test|example|bench/.test(name)),
    [],
  );
  assert.deepEqual({ tests, isInstalled }, { tests: 0, isInstalled: false });
});

test('HEADWISE_INSTALL installs it', async () => {
  const { isInstalled } = await configure('asked', guide.subdirectory, '-DHEADWISE_INSTALL=ON');
  assert.ok(isInstalled);
});
