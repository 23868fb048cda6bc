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

const exact = 'amounts are exact texts: show them with <Amount>, add them with addDecimals';
const html = 'HTML as text runs what it holds, and the policy forbids its styles';

/** In the portal's pages, whose amounts are texts and whose policy allows nothing inline. */
export const strictPages: readonly Restriction[] = [
  { selector: 'CallExpression[callee.name=/^(Number|parseFloat|parseInt)$/]', message: exact },
  { selector: "UnaryExpression[operator='+']", message: exact },
  { selector: "JSXAttribute[name.name='dangerouslySetInnerHTML']", message: html },
  { selector: 'AssignmentExpression[left.property.name=/^(innerHTML|outerHTML)$/]', message: html },
];

const whole = 'axe runs with all its rules: mend the page instead';

/** In tests of pages: no rule of axe is switched off, neither in code nor in a script as text. */
export const wholeAxe: readonly Restriction[] = [
  { selector: 'Identifier[name=/^(disableRules|runOnly|withRules|withTags)$/]', message: whole },
  { selector: "Property[key.name='enabled'][value.value=false]", message: whole },
  { selector: 'Literal[value=/enabled: *false|runOnly/]', message: whole },
  { selector: 'TemplateElement[value.raw=/enabled: *false|runOnly/]', message: whole },
];
