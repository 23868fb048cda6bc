import js from '@eslint/js';
import tseslint from 'typescript-eslint';
import { commentForm } from './lint/comment-form-rule.ts';
import { functionSize } from './lint/function-size-rule.ts';
import { importFence } from './lint/import-fence-rule.ts';
import { noEnvironment, purity, strictPages, surface, wholeAxe } from './lint/syntax-fences.ts';

// typescript-eslint with type information, and the fences of the tree (lint/). Each fence is proved
// by lint/fences.spec.ts.

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
  ...tseslint.configs.recommendedTypeChecked,
  {
    languageOptions: {
      parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname },
    },
    plugins: {
      tributary: {
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
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { allowNumber: true, allowBoolean: true },
      ],
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
      '@typescript-eslint/no-unnecessary-type-assertion': 'error',
      // Objects here are made by factories, whose methods close over what they need: no `this`.
      '@typescript-eslint/unbound-method': 'off',
      // A function of a promise-returning type is async also where it happens to wait for nothing.
      '@typescript-eslint/require-await': 'off',
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
    // Plain JavaScript: it runs before anything is installed, so no types are known to it.
    files: ['**/*.mjs', '**/*.js'],
    extends: [tseslint.configs.disableTypeChecked],
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
