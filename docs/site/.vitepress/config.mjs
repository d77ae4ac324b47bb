import { readFileSync } from 'node:fs';
import { defineConfig } from 'vitepress';

// Written beside this file by scripts/lib/docs-site.mjs, with all other files of the site.
const { base, sidebar } = JSON.parse(
  readFileSync(new URL('generated.json', import.meta.url), 'utf8'),
);
const repository = 'https://github.com/headwise/headwise';

export default defineConfig({
  base,
  title: 'headwise',
  description: 'Multi-head attention for the web, head by head',
  lang: 'en',
  head: [['link', { rel: 'icon', href: `${base}favicon.svg`, type: 'image/svg+xml' }]],
  // The page is laid beside the site when that is built; its links are tested with all others.
  ignoreDeadLinks: [/^\/page\/index(\.html)?$/],
  markdown: {
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
  },
  themeConfig: {
    nav: [
      { text: 'Guides', link: '/first-steps' },
      { text: 'JavaScript', link: '/javascript/' },
      { text: 'C++', link: '/cpp/' },
      { text: 'The page', link: '/page/index.html', target: '_self' },
    ],
    sidebar,
    outline: [2, 3],
    search: { provider: 'local' },
    socialLinks: [{ icon: 'github', link: repository }],
    footer: { message: `<a href="${repository}/blob/main/LICENSE">Apache-2.0</a>` },
  },
});
