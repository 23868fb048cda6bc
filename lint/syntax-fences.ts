// What may not be written where, as selectors for ESLint's no-restricted-syntax.

type Restriction = { selector: string; message: string };

/** Everywhere: one place per name, so that a search for it finds where it is made. */
export const surface: readonly Restriction[] = [
  { selector: 'ExportDefaultDeclaration', message: 'no default exports: a thing has one name' },
  { selector: 'ExportAllDeclaration', message: 'no barrels: import from the file that has it' },
];

export const noEnvironment: readonly Restriction[] = [
  {
    selector: "MemberExpression[object.name='process'][property.name='env']",
    message: 'process.env is read in main.ts only, and passed down as plain values',
  },
  {
    selector:
      "ImportDeclaration[source.value=/^(node:)?process$/] ImportSpecifier[imported.name='env']",
    message: 'process.env is read in main.ts only, and passed down as plain values',
  },
];

const pure = 'domain has no clock, random, environment, log or await: it takes them as arguments';

export const purity: readonly Restriction[] = [
  "NewExpression[callee.name='Date'][arguments.length=0]",
  "CallExpression[callee.name='Date']",
  "MemberExpression[object.name='Date'][property.name='now']",
  "MemberExpression[object.name='Math'][property.name='random']",
  'Identifier[name=/^(process|crypto|performance|console|fetch)$/]:not(MemberExpression > .property):not(Property > .key)',
  'CallExpression[callee.name=/^(setTimeout|setInterval|setImmediate|queueMicrotask)$/]',
  'AwaitExpression',
  'ForOfStatement[await=true]',
].map((selector) => ({ selector, message: pure }));
