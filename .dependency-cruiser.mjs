// Which folder may import from which: an arrow that runs up a floor fails, and so does a circle.
import { builtinModules } from 'node:module';

/** The floors of the page, from the highest down; folders on one floor do not know each other. */
const page = [
  ['app'],
  ['acts', 'questions'],
  ['reading'],
  ['attention', 'worker'],
  ['ui'],
  ['address'],
  ['format'],
];

/** Those of the package, whose highest are files. */
const jsPackage = [
  ['in-worker(?:\\.ts)?', 'inline\\.ts', 'view\\.ts'],
  ['index\\.ts'],
  ['models\\.ts'],
  ['importance', 'attention\\.ts'],
  ['model'],
  ['layer'],
  ['io', 'training'],
  ['tensor', 'view'],
  ['runtime'],
];

const within = (root, ...names) => `^${root}/(?:${names.join('|')})(?:/|$)`;
const folder = (...names) => within('web/src', ...names);

const importsRunDown = (root, floors) =>
  floors.slice(1).flatMap((floor, below) =>
    floor.map((name) => ({
      name: `${root}/${name}-imports-upward`,
      comment: `${name}/ lies below: what it needs of there belongs on its own floor or further down.`,
      severity: 'error',
      from: { path: within(root, name) },
      to: {
        path: within(
          root,
          ...floors.slice(0, below + 1).flat(),
          ...floor.filter((neighbour) => neighbour !== name),
        ),
      },
    })),
  );

export default {
  forbidden: [
    {
      name: 'no-circles',
      comment: 'Types count, too: files that need each other are one file, or lack a third below.',
      severity: 'error',
      from: { path: '^(?:web|bindings/js)/' },
      to: { circular: true },
    },
    ...importsRunDown('web/src', page),
    ...importsRunDown('bindings/js', jsPackage),
    {
      name: 'acts-are-apart',
      comment: 'What two acts share belongs in attention/, worker/ or ui/.',
      severity: 'error',
      from: { path: '^web/src/acts/([^/]+)/' },
      to: { path: '^web/src/acts/', pathNot: '^web/src/acts/$1/' },
    },
    {
      name: 'worker-has-no-page',
      comment: 'A worker has no document: what runs in it must not load what draws.',
      severity: 'error',
      from: { path: '^web/src/worker/model-worker\\.ts$' },
      to: { path: folder('app', 'acts', 'attention', 'ui', 'address'), reachable: true },
    },
    {
      name: 'page-imports-the-package',
      comment:
        "The page uses the package as anyone would: import from 'headwise', 'headwise/models' or 'headwise/view'.",
      severity: 'error',
      from: { path: '^web/' },
      to: { path: '^(?:bindings|src|dist)/', pathNot: '^bindings/js/(?:index|models|view)\\.ts$' },
    },
    {
      name: 'package-knows-no-page',
      severity: 'error',
      from: { path: '^bindings/' },
      to: { path: '^web/' },
    },
    {
      name: 'benchmark-page-runs-in-browsers',
      comment: 'The documentation site bundles what measures: it must not import modules of Node.',
      severity: 'error',
      from: { path: '^docs/\\.vitepress/theme/benchmark/measure\\.js$' },
      to: { path: `^(?:${builtinModules.join('|')})$`, reachable: true },
    },
    {
      name: 'not-resolvable',
      severity: 'error',
      from: { path: '^(?:web|bindings)/' },
      to: { couldNotResolve: true, pathNot: '^headwise-(?:embind|glue|models-simd\\.wasm)$' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(?:build|dist)/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'types'] },
  },
};
