import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import js from '@eslint/js';
import tseslint from 'typescript-eslint';
import { commentForm } from './lint/comment-form-rule.ts';
import { functionSize } from './lint/function-size-rule.ts';
import { importFence } from './lint/import-fence-rule.ts';
import { noEnvironment, purity, strictPages, surface, wholeAxe } from './lint/syntax-fences.ts';

// What the text of a file says, and the fences of the tree (lint/), each proved by
// lint/fences.spec.ts. The rules that need types are oxlint's (.oxlintrc.json).

const tests = ['**/*.spec.ts', '**/testing/**', 'test-e2e/**', 'test-faults/**'];

/** Where the environment is read: programs, and what starts programs. */
const readsEnvironment = [
  ...['**/main.ts', 'deploy/**', 'bench/**', 'lint/**'],
  ...['packages/testkit/**', 'packages/native-servers/**', ...tests],
];

export default tseslint.config(
  {
    ignores: [
      ...['**/node_modules/**', '**/dist/**', '.tributary/**', 'docs/**', 'coverage/**'],
      'packages/admin-client/src/generated/**',
    ],
  },
  js.configs.recommended,
  ...tseslint.configs.recommended,
  {
    plugins: {
      tributary: {
        meta: { name: 'tributary', version: digestOfRules() },
        rules: {
          'import-fence': importFence,
          'comment-form': commentForm,
          'function-size': functionSize,
        },
      },
    },
    rules: {
      'tributary/import-fence': 'error',
      'tributary/comment-form': 'error',
      'tributary/function-size': 'error',
      'no-restricted-syntax': ['error', ...surface, ...noEnvironment],
      eqeqeq: ['error', 'always'],
      '@typescript-eslint/consistent-type-imports': [
        'error',
        { fixStyle: 'inline-type-imports', disallowTypeAnnotations: false },
      ],
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_', ignoreRestSiblings: true },
      ],
    },
  },
  {
    files: ['packages/**', 'services/**'],
    // Services log by the logger; a person reads in deploy and bench.
    rules: { 'no-console': 'error' },
  },
  {
    files: readsEnvironment,
    rules: { 'no-restricted-syntax': ['error', ...surface] },
  },
  {
    files: ['**/src/domain/**/*.ts', '**/src/*/domain/**/*.ts'],
    ignores: tests,
    rules: { 'no-restricted-syntax': ['error', ...surface, ...noEnvironment, ...purity] },
  },
  {
    files: tests,
    rules: {
      'tributary/function-size': 'off', // a suite is a function
      '@typescript-eslint/no-unused-expressions': 'off', // chai: expect(x).to.be.true
      '@typescript-eslint/no-non-null-assertion': 'off',
    },
  },
  {
    files: ['services/portal/browser/**'],
    rules: { 'no-restricted-syntax': ['error', ...surface, ...noEnvironment, ...strictPages] },
  },
  {
    files: ['test-e2e/**'],
    rules: { 'no-restricted-syntax': ['error', ...surface, ...wholeAxe] },
  },
  {
    files: ['**/*.mjs', '**/*.js'],
    languageOptions: { globals: { process: 'readonly' } },
  },
  {
    // What browsers run as it is.
    files: ['deploy/demo-shop/public/*.js', 'services/portal/assets/*.js'],
    languageOptions: {
      globals: Object.fromEntries(
        ['window', 'document', 'location', 'navigator', 'fetch'].map((name) => [name, 'readonly']),
      ),
    },
  },
  {
    // Configuration and mocha's reporter are loaded by their default export, and so is a
    // stylesheet.
    files: [
      'eslint.config.js',
      'deploy/local/test/recording-reporter.ts',
      'services/widget/browser/styles.d.ts',
    ],
    rules: { 'no-restricted-syntax': 'off' },
  },
);

/** Another one when a rule of ours is, so that ESLint's cache does not outlive it. */
function digestOfRules() {
  const dir = join(import.meta.dirname, 'lint');
  const files = readdirSync(dir).filter((name) => /(?<!\.spec)\.ts$/.test(name));
  const texts = files.sort().map((name) => readFileSync(join(dir, name), 'utf8'));
  return createHash('sha256').update(texts.join('')).digest('hex');
}
