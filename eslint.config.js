import js from '@eslint/js';
import { defineConfig, globalIgnores } from 'eslint/config';
import regexp from 'eslint-plugin-regexp';
import globals from 'globals';
import tseslint from 'typescript-eslint';

export default defineConfig([
  globalIgnores([
    ...['.wireit/', 'build/', 'dist/', '.toolchain/', 'tests/data/'],
    // Reads types that only a build makes.
    'bindings/wasm/calls.ts',
  ]),
  {
    linterOptions: { reportUnusedDisableDirectives: 'error' },
  },
  {
    files: ['**/*.{js,mjs}'],
    extends: [js.configs.recommended],
    languageOptions: { globals: globals.node },
  },
  {
    files: [
      'tests/browser/**',
      'tests/matrix/**',
      'benchmarks/web/page-*.mjs',
      'benchmarks/web/engines/frames.mjs',
      'docs/.vitepress/theme/**',
      'docs/run/**',
      'examples/**/page.mjs',
    ],
    // Functions given to page.evaluate run in the page, too.
    languageOptions: { globals: globals.browser },
  },
  {
    files: ['**/*.ts'],
    extends: [
      js.configs.recommended,
      tseslint.configs.strictTypeChecked,
      tseslint.configs.stylisticTypeChecked,
    ],
    languageOptions: {
      parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname },
    },
    rules: {
      // Numbers print as one expects; shapes and sizes stand in every error text.
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      // A callback that only calls something needs no braces.
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      // A name beside `...rest` leaves its member out.
      '@typescript-eslint/no-unused-vars': ['error', { ignoreRestSiblings: true }],
    },
  },
  {
    files: ['bindings/**', 'examples/**', 'web/**'],
    plugins: { regexp },
    rules: {
      // Texts of others must not keep an expression busy for hours.
      'regexp/no-super-linear-backtracking': ['error', { report: 'potential' }],
    },
  },
  {
    files: ['web/**'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            {
              regex: '(^|/)(bindings|dist|build(?!/model/))(/|$)|^headwise/(?!(models|view)$)',
              message:
                "The page uses the package as anyone would: import from 'headwise', 'headwise/models' or 'headwise/view'.",
            },
          ],
        },
      ],
    },
  },
]);
