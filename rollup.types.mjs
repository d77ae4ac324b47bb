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

/** What frameworks know of `<attention-heads>`. Those that a project does not have are ignored. */
const event = 'event: CustomEvent<AttentionSelection>';
const inJsx = `namespace JSX { interface IntrinsicElements { 'attention-heads': AttentionHeadsProps & Omit<IntrinsicElements['div'], 'ref'> & { ref?: Ref<AttentionHeadsElement> | undefined; 'onattention-select'?: ((${event}) => void) | undefined } } }`;
const inVue = `interface GlobalComponents { 'attention-heads': new () => { $props: AttentionHeadsProps & import('vue').HTMLAttributes & { onAttentionSelect?: ((${event}) => void) | undefined } } }`;
const frameworks = Object.entries({ react: inJsx, preact: inJsx, vue: inVue })
  .map(([name, types]) => `// @ts-ignore\ndeclare module '${name}' { ${types} }\n`)
  .join('');
const elementInFrameworks = {
  name: 'element-in-frameworks',
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
  plugins: [dts(), referencesFirst, elementInFrameworks],
  // Of a module that is not shipped, for example.
  onwarn({ message }) {
    throw new Error(message);
  },
};
