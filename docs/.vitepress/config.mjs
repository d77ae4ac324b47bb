import { existsSync } from 'node:fs';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitepress';

const repository = 'https://github.com/headwise/headwise';
// GitHub Pages serves a project's site below its name.
const base = process.env.HEADWISE_DOCS_BASE || '/';
const root = fileURLToPath(new URL('../..', import.meta.url));

const chapters = {
  'Step by step': {
    'My PyTorch layer in a web app': 'guides/pytorch-layer',
    'Which heads matter': 'guides/which-heads',
    'From TransformerLens': 'guides/transformerlens',
    'The chapter, exercise by exercise': 'guides/chapter',
    'One HTML file for a blog': 'guides/blog-page',
    'Jupyter and Observable': 'guides/notebooks',
    'React, Vue, Svelte': 'guides/frameworks',
    'Vitest and Jest': 'guides/test-runners',
  },
  Guides: {
    'First steps': 'first-steps',
    Options: 'options',
    'Loading weights': 'loading-weights',
    Decoding: 'decoding',
    Training: 'training',
    'Importance and pruning': 'pruning',
    'Whole models': 'models',
    'Drawing heads': 'view',
    Threads: 'threads',
    Bundlers: 'bundlers',
    Runtimes: 'runtimes',
    'C++ projects': 'native',
    'Moving to headwise': 'moving',
    Comparison: 'comparison',
    Speed: 'speed',
  },
  'Try it': { Playground: 'playground', Benchmark: 'benchmark' },
  'The page': { Address: 'page', Hosting: 'hosting' },
  'Inside headwise': {
    'Which measure finds heads': 'head-importance',
    'How the code works': 'hacking',
    Recipes: 'recipes',
    Kernels: 'kernels',
  },
};

/** Links to files outside docs/ lead to the repository. */
function linkToRepository(md) {
  md.core.ruler.push('repository-links', ({ env, tokens }) => {
    for (const token of tokens.flatMap(({ children }) => children ?? [])) {
      const href = token.type === 'link_open' ? token.attrGet('href') : null;
      if (!href?.startsWith('../')) continue;
      const [path, hash] = href.split('#');
      const file = posix.join(posix.dirname(env.path), path);
      const inRepository = posix.relative(root, file);
      if (inRepository.startsWith('docs/')) continue;
      if (!existsSync(file)) throw new Error(`no file ${inRepository}`);
      const anchor = hash ? `#${hash}` : '';
      token.attrSet('href', `${repository}/tree/main/${inRepository}${anchor}`);
    }
  });
}

export default defineConfig({
  title: 'headwise',
  description: 'Multi-head attention for the web, head by head',
  lang: 'en',
  base,
  srcExclude: ['reference/**'],
  outDir: '../build/docs',
  // Other tools write the references and the page into the same folder.
  ignoreDeadLinks: [/\/(page|javascript|cpp)\/index(\.html)?$/],
  markdown: {
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    config: linkToRepository,
  },
  themeConfig: {
    nav: [
      { text: 'Guides', link: '/first-steps' },
      {
        text: 'Try it',
        items: [
          { text: 'Playground', link: '/playground' },
          { text: 'Benchmark', link: '/benchmark' },
        ],
      },
      { text: 'JavaScript', link: '/javascript/index.html', target: '_self' },
      { text: 'C++', link: '/cpp/index.html', target: '_self' },
      { text: 'The page', link: '/page/index.html', target: '_self' },
    ],
    sidebar: Object.entries(chapters).map(([text, documents]) => ({
      text,
      items: Object.entries(documents).map(([title, name]) => ({ text: title, link: `/${name}` })),
    })),
    outline: [2, 3],
    search: { provider: 'local' },
    socialLinks: [{ icon: 'github', link: repository }],
    footer: { message: `<a href="${repository}/blob/main/LICENSE">Apache-2.0</a>` },
  },
});
