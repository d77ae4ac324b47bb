// What the types of the tarball let users see: files that are shipped, and names that they can import. Needs
// build/packed.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { test } from 'node:test';
import ts from 'typescript';
import { fromRoot } from '../../../scripts/lib/files.mjs';
import { packedProject } from '../../../scripts/lib/packed.mjs';

const dist = fromRoot(packedProject, 'node_modules/headwise/dist');
const entries = ['index', 'models', 'inline', 'in-worker', 'view'].map((name) =>
  join(dist, `${name}.d.ts`),
);

/** Types that only compute others, which TypeScript shows in their place. */
const computing = [
  ...['CapturedBySide', 'Contents', 'IfAsked', 'IfCaptured', 'IfCaptured$1', 'IfWeights'],
  ...['PoolingOptions'],
  ...['ResultWithWeights', 'WithLogits', 'WithWeights', 'WithoutWeights'],
];

const program = ts.createProgram(entries, {
  strict: true,
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

test('types that are shipped are reached, and refer to shipped files alone', () => {
  const shipped = readdirSync(dist, { recursive: true }).filter((name) => name.endsWith('.d.ts'));
  assert.deepEqual(reached.map(({ fileName }) => relative(dist, fileName)).sort(), shipped.sort());
  for (const { fileName } of reached) {
    const { importedFiles, typeReferenceDirectives } = ts.preProcessFile(
      readFileSync(fileName, 'utf8'),
    );
    assert.deepEqual(typeReferenceDirectives, [], `${fileName}: needs types of another package`);
    for (const { fileName: specifier } of importedFiles) {
      assert.match(specifier, /^\.{1,2}\/.*\.js$/, relative(dist, fileName));
      const file = join(dirname(fileName), specifier.replace(/\.js$/, '.d.ts'));
      assert.ok(existsSync(file), `${relative(dist, fileName)} imports ${specifier}`);
    }
  }
});

test('nothing that is reached is marked as internal', () => {
  for (const { fileName, text } of reached) {
    assert.doesNotMatch(text, /@internal|@private/, relative(dist, fileName));
  }
});

/** Names of the package's types that what `entry` exports refers to, and that it does not export. */
function hiddenTypes(entry) {
  const names = checker
    .getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(entry)))
    .map(unaliased);
  const exported = new Set(names);
  assert.ok(names.length > (entry.endsWith('view.d.ts') ? 5 : 50), `${names.length} names`);
  const seen = new Set();
  const hidden = new Set();
  const visit = (symbol) => {
    if (seen.has(symbol)) return;
    seen.add(symbol);
    symbol.declarations?.forEach(walk);
  };
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
  names.forEach(visit);
  return [...hidden].sort();
}

// What headwise/worker calls by the package's names stands for what they are in the worker: its types compute those.
for (const entry of entries.filter((each) => !each.endsWith('in-worker.d.ts'))) {
  test(`${relative(dist, entry)}: every type of a public signature can be imported`, () => {
    // Where there is no document, `Base` stands for HTMLElement.
    const isView = entry.endsWith('view.d.ts');
    assert.deepEqual(hiddenTypes(entry), isView ? ['Base'] : computing);
  });
}
