// Bundles what TypeScript declares of bindings/js (build/types) into dist/: what users can import, in one file that the
// entries share, so that a class is one type whichever entry it comes from.
import { dts } from 'rollup-plugin-dts';

const entries = ['index', 'models', 'inline', 'in-worker', 'view'];

/** Counts only before everything else; each bundled file has brought its own. */
const disposable = '/// <reference lib="esnext.disposable" preserve="true" />\n';
const referencesFirst = {
  name: 'references-first',
  renderChunk: (code) => disposable + code.replaceAll(disposable, ''),
};

/** What frameworks know of the elements. Those that a project does not have are ignored. */
const elements = [
  ['attention-heads', 'AttentionHeads', 'attention-select', 'AttentionSelection'],
  ['head-scores', 'HeadScores', 'head-select', 'HeadSelection'],
  ['logit-lens', 'LogitLens', 'lens-select', 'LensSelection'],
];
const camel = (name) => name.replace(/(?:^|-)(.)/g, (_, letter) => letter.toUpperCase());
const listener = (detail) => `((event: CustomEvent<${detail}>) => void) | undefined`;
const inJsx = elements.map(
  ([tag, name, event, detail]) =>
    `'${tag}': ${name}Props & Omit<IntrinsicElements['div'], 'ref'> & { ref?: Ref<${name}Element> | undefined; 'on${event}'?: ${listener(detail)} }`,
);
const inVue = elements.map(
  ([tag, name, event, detail]) =>
    `'${tag}': new () => { $props: ${name}Props & import('vue').HTMLAttributes & { on${camel(event)}?: ${listener(detail)} } }`,
);
const jsx = `namespace JSX { interface IntrinsicElements { ${inJsx.join('; ')} } }`;
const vue = `interface GlobalComponents { ${inVue.join('; ')} }`;
const frameworks = Object.entries({ react: jsx, preact: jsx, vue })
  .map(([name, types]) => `// @ts-ignore\ndeclare module '${name}' { ${types} }\n`)
  .join('');
const elementsInFrameworks = {
  name: 'elements-in-frameworks',
  renderChunk: (code, { name }) => (name === 'view' ? code + frameworks : null),
};

export default {
  input: Object.fromEntries(entries.map((name) => [name, `build/types/${name}.d.ts`])),
  output: {
    dir: 'dist',
    format: 'es',
    entryFileNames: '[name].d.ts',
    chunkFileNames: '[name].d.ts',
  },
  plugins: [dts(), referencesFirst, elementsInFrameworks],
  // Of a module that is not shipped, for example.
  onwarn({ message }) {
    throw new Error(message);
  },
};
