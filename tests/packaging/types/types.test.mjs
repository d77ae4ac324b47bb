// Types of the installed tarball: of names, results and options; shipped files, optional properties, and names that users
// can import. Needs build/packed/project.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { test } from 'node:test';
import ts from 'typescript';
import { dist, filesIn, project } from '../lib/project.mjs';
import { frameworks, isSame, programs } from './programs.mjs';
import { errorsIn, writeProject } from './typescript.mjs';

const folder = `${project}/types`;
writeProject(folder, { ...programs, 'is.d.ts': isSame });
const all = Object.keys(programs);

for (const [name, files, options] of [
  ['nodenext', all, {}],
  ['a bundler', all, { module: 'esnext', moduleResolution: 'bundler' }],
  ['no DOM', ['public.mts'], { lib: ['es2022'] }],
]) {
  test(`names, results and options have their types: ${name}`, async () => {
    assert.deepEqual(
      await errorsIn(folder, ['is.d.ts', ...files], { skipLibCheck: true, ...options }),
      [],
    );
  });
}

for (const [name, text] of Object.entries(frameworks)) {
  test(`${name} has types for <attention-heads>`, async () => {
    const own = `${folder}-${name}`;
    writeProject(own, { 'index.d.ts': text.types, 'used.tsx': text.used });
    const paths = { [name]: ['./index.d.ts'], [`${name}/jsx-runtime`]: ['./index.d.ts'] };
    const options = { types: [], jsx: 'react-jsx', jsxImportSource: name, paths };
    assert.deepEqual(await errorsIn(own, ['used.tsx'], { ...options, skipLibCheck: true }), []);
  });
}

const entries = ['index', 'models', 'inline', 'in-worker', 'view'].map((name) =>
  join(dist, `${name}.d.ts`),
);

/** Helper types, of which TypeScript shows what they evaluate to, and the base of the caches. */
const computing = (
  'CapturedBySide Contents GgufContents IfAsked IfCaptured IfCaptured$1 IfWeights ' +
  'PoolingOptions PositionCache ResultWithWeights WithLogits WithWeights WithoutWeights'
).split(' ');

const program = ts.createProgram(entries, {
  strict: true,
  exactOptionalPropertyTypes: true,
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  types: [],
});
const checker = program.getTypeChecker();
const reached = program.getSourceFiles().filter(({ fileName }) => fileName.startsWith(dist));
const isOwn = (symbol) =>
  symbol.declarations?.some((each) => each.getSourceFile().fileName.startsWith(dist)) ?? false;
const unaliased = (symbol) =>
  symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;

test('shipped types are reachable, import only shipped files, and have nothing internal', () => {
  const shipped = filesIn(dist).filter((name) => name.endsWith('.d.ts'));
  assert.deepEqual(reached.map(({ fileName }) => relative(dist, fileName)).sort(), shipped);
  for (const { fileName, text } of reached) {
    const name = relative(dist, fileName);
    const { importedFiles, typeReferenceDirectives } = ts.preProcessFile(text);
    assert.deepEqual(typeReferenceDirectives, [], `${name}: needs types of another package`);
    for (const { fileName: specifier } of importedFiles) {
      // Frameworks that view.d.ts augments where they are.
      if (name === 'view.d.ts' && ['react', 'preact', 'vue'].includes(specifier)) continue;
      assert.match(specifier, /^\.{1,2}\/.*\.js$/, name);
      const file = join(dirname(fileName), specifier.replace(/\.js$/, '.d.ts'));
      assert.ok(existsSync(file), `${name} imports ${specifier}`);
    }
    assert.doesNotMatch(text, /@internal|@private/, name);
  }
});

test('every optional property takes undefined', () => {
  const { Any, TypeParameter, Undefined, Unknown } = ts.TypeFlags;
  const takesUndefined = (type) =>
    (type.isUnion() ? type.types : [type]).some(
      ({ flags }) => flags & (Any | TypeParameter | Undefined | Unknown),
    );
  const optional = [];
  const walk = (node) => {
    if (ts.isPropertySignature(node) && node.questionToken) optional.push(node);
    ts.forEachChild(node, walk);
  };
  reached.forEach(walk);
  assert.ok(optional.length > 100, `${optional.length} properties`);
  const wrong = optional.filter(({ type }) => !takesUndefined(checker.getTypeFromTypeNode(type)));
  assert.deepEqual(
    wrong.map((node) => node.getText()),
    [],
  );
});

/** Names of the package's types that exports of `entry` refer to, but that it does not export. */
function hiddenTypes(entry) {
  const module = checker.getSymbolAtLocation(program.getSourceFile(entry));
  const exported = new Set(checker.getExportsOfModule(module).map(unaliased));
  const seen = new Set();
  const hidden = new Set();
  const nameIn = (node) => {
    if (ts.isTypeReferenceNode(node)) return node.typeName;
    if (ts.isExpressionWithTypeArguments(node)) return node.expression;
    return ts.isTypeQueryNode(node) ? node.exprName : undefined;
  };
  const walk = (node) => {
    const name = nameIn(node);
    const symbol = name && checker.getSymbolAtLocation(name);
    const meant = symbol && unaliased(symbol);
    if (meant && isOwn(meant) && !(meant.flags & ts.SymbolFlags.TypeParameter)) {
      if (!exported.has(meant)) hidden.add(meant.name);
      visit(meant);
    }
    ts.forEachChild(node, walk);
  };
  function visit(symbol) {
    if (seen.has(symbol)) return;
    seen.add(symbol);
    symbol.declarations?.forEach(walk);
  }
  exported.forEach(visit);
  return [...hidden].sort();
}

// The types of headwise/worker compute what the package's are in the worker.
for (const entry of entries.filter((each) => !each.endsWith('in-worker.d.ts'))) {
  test(`${relative(dist, entry)}: every type of a public signature can be imported`, () => {
    // The elements' base and its listeners, and `Base`, which replaces HTMLElement without a document.
    assert.deepEqual(
      hiddenTypes(entry),
      entry.endsWith('view.d.ts')
        ? ['Base', 'CellsElement', 'DrawnElement', 'Listeners']
        : computing,
    );
  });
}
