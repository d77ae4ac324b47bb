// Examples compile against the installed tarball: those in JavaScript under TypeScript's strict mode, those of documents
// as TypeScript; those in Python, whose libraries are not installed, by Python. Needs build/packed/project.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { locateToolchain } from '../../../scripts/setup/locate.mjs';
import { filesIn, fromRoot, project, root } from '../lib/project.mjs';
import { errorsIn, writeProject } from './typescript.mjs';

const read = (path) => readFileSync(fromRoot(path), 'utf8');
const documents = [
  'README.md',
  ...filesIn(fromRoot('docs'))
    .filter((name) => name.endsWith('.md') && !name.includes('node_modules/'))
    .map((name) => `docs/${name}`),
];

/** The code of a document in some languages. */
const codeIn = (document, languages) =>
  [...read(document).matchAll(/^```(\w+)\n(.*?)^```/gms)]
    .filter(([, language]) => languages.includes(language))
    .map(([, , code]) => code);

/** Of packages that are not installed here. tests/matrix builds with those of tools. */
const usesOthers = (code) => /from '(?:@|jest|react|vitest|vue)/.test(code);
const examplesIn = (document) =>
  codeIn(document, ['js', 'javascript', 'mjs', 'ts', 'typescript']).filter(
    (code) => !usesOthers(code),
  );

/** By file name, the examples of all documents. */
const named = (extension, examplesOf) =>
  Object.fromEntries(
    documents.flatMap((document) =>
      examplesOf(document).map((code, i) => [
        `${document.replaceAll(/\W/g, '_')}_${i + 1}.${extension}`,
        code,
      ]),
    ),
  );

test('examples in JavaScript compile', async () => {
  const programs = filesIn(fromRoot('examples'))
    .filter((name) => /\.m?[jt]s$/.test(name))
    .map((name) => `examples/${name}`);
  const snippets = named('mts', examplesIn);
  assert.ok(programs.length >= 2 && Object.keys(snippets).length >= 4);
  const texts = {
    ...snippets,
    ...Object.fromEntries(programs.map((path) => [path, read(path)])),
    'wrong.mts': "import { Tensor } from 'headwise';\nTensor.ones('2');\n",
  };
  const folder = `${project}/compiled-examples`;
  writeProject(folder, texts);
  const errors = await errorsIn(folder, Object.keys(texts), { skipLibCheck: true });
  assert.equal(errors.length, 1, errors.join('\n'));
  assert.match(errors[0], /^wrong\.mts\(2,13\): error TS2345/);
});

test('examples of every document that import headwise are run', () => {
  // tests/node/examples runs those beside the installed package, tests/matrix those of tools.
  const isRun = (document) =>
    existsSync(`${project}/${document}`) || /bundlers|runtimes/.test(document);
  const missing = documents.filter(
    (document) =>
      !isRun(document) && examplesIn(document).some((code) => /from 'headwise/.test(code)),
  );
  assert.deepEqual(missing, []);
});

test('examples in Python compile', () => {
  const { python } = locateToolchain(root);
  assert.ok(python, 'there is no Python: run scripts/setup.sh');
  const texts = named('py', (document) => codeIn(document, ['python']));
  assert.ok(Object.keys(texts).length >= 4);
  const folder = `${project}/python-examples`;
  writeProject(folder, { ...texts, 'wrong.py': 'def f(:\n' });
  const compile = (files) =>
    spawnSync(python, ['-m', 'py_compile', ...files], { cwd: folder, encoding: 'utf8' }).stderr;
  assert.equal(compile(Object.keys(texts)), '');
  assert.match(compile(['wrong.py']), /SyntaxError/);
});
