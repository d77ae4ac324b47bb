// The tarball's types in every TypeScript that is supported, in every way of finding modules, with and without the
// types of the DOM. Needs build/matrix/types, see scripts/lib/matrix.mjs.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cpSync, rmSync } from 'node:fs';
import { before } from 'node:test';
import { promisify } from 'node:util';
import { fromRoot } from '../../../scripts/lib/files.mjs';
import { matrixFolder } from '../../../scripts/lib/matrix.mjs';
import { programs } from '../../packaging/types/programs.mjs';
import { writeFiles } from '../../packaging/types/typescript.mjs';
import { trialsOf } from '../lib/trials.mjs';
import { readmeExample } from '../shared/judge.mjs';

const built = (...parts) => fromRoot(matrixFolder('types'), ...parts);

/** What a project says that is careful; what others declare is checked as well. */
const strict = {
  ...{ strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true },
  ...{ skipLibCheck: false, noEmit: true, target: 'es2022' },
};
const node = { lib: ['es2022'], types: ['node'] };
const dom = { lib: ['es2022', 'dom'], types: [] };
const both = { lib: ['es2022', 'dom'], types: ['node'] };

/** By name: the options by which modules are found, and what else is declared. */
const settings = {
  'node16, no DOM': { module: 'node16', moduleResolution: 'node16', ...node },
  'nodenext, DOM and Node': { module: 'nodenext', moduleResolution: 'nodenext', ...both },
  'bundler, DOM': { module: 'esnext', moduleResolution: 'bundler', ...dom },
  'node10, no DOM': { module: 'esnext', moduleResolution: 'node10', ...node },
  'node10, DOM': { module: 'esnext', moduleResolution: 'node10', ...dom },
};

before(() => {
  rmSync(built('programs'), { recursive: true, force: true });
  cpSync(fromRoot('tests/matrix/types/programs'), built('programs'), { recursive: true });
  writeFiles(built('programs'), { ...programs, 'readme.mts': readmeExample().text });
});

/** Programs of tests/matrix/types/programs, which are to compile whatever is declared. */
const everywhere = ['public.mts', 'entries.mts', 'errors.mts'];
/** What needs most declarations. */
const most = 'nodenext, DOM and Node';
const inMost = ['readme.mts', ...Object.keys(programs)];

for (const version of ['5.2', '5.4', '5.6', '5.9', '6.0']) {
  const trial = trialsOf('types', `TypeScript ${version}`);

  let errors;
  before(async () => {
    const compile = (name, options, files) => ({
      ...{ name, options: { ...strict, ...options } },
      files: files.map((file) => `programs/${file}`),
    });
    // TypeScript 6 still has node10, and asks whether one knows that 7 has not.
    const ignored = version === '6.0' ? { ignoreDeprecations: '6.0' } : {};
    const given = Object.entries(settings).map(([name, options]) =>
      compile(name, { ...options, ...ignored }, [
        ...everywhere,
        ...(options.lib.includes('dom') ? ['view.mts'] : []),
        ...(name === most ? [...inMost, 'wrong.mts'] : []),
      ]),
    );
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [
        fromRoot('tests/matrix/types/compile.cjs'),
        built(`node_modules/typescript-${version}`),
      ].concat(JSON.stringify(given)),
      { cwd: built(), maxBuffer: 2 ** 26 },
    );
    errors = JSON.parse(stdout);
  });

  /** Errors of a program, or of all but some. */
  const of = (file) => errors[most].filter((line) => line.startsWith(`programs/${file}(`));
  const others = (name) =>
    errors[name].filter(
      (line) => ![...inMost, 'wrong.mts'].some((file) => of(file).includes(line)),
    );

  for (const name of Object.keys(settings)) {
    trial('loads', `every public name, by ${name}`, () => assert.deepEqual(others(name), []));
  }
  trial('example', "README's example compiles", () => assert.deepEqual(of('readme.mts'), []));
  trial('models', 'results follow from options', () =>
    assert.deepEqual(Object.keys(programs).flatMap(of), []),
  );
  trial('errors', 'what is wrong is refused', () => {
    const found = of('wrong.mts');
    assert.equal(found.length, 3, found.join('\n'));
    assert.match(found[0], /^programs\/wrong\.mts\(4,13\): TS2345: /);
    assert.match(
      found[1],
      /^programs\/wrong\.mts\(5,54\): TS(2345|2561): .*'dropOut' does not exist/s,
    );
    assert.match(found[2], /^programs\/wrong\.mts\(6,15\): TS2305: /);
  });
}
