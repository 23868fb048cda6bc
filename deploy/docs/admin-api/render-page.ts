import { readFile } from 'node:fs/promises';
import { adminAreas } from '@tributary/contracts/admin/admin-areas';
import type { AdminRoute } from '@tributary/contracts/admin/admin-route';
import { hasRight, needsRole, rights, roles } from '@tributary/contracts/admin/rights';
import { format } from 'prettier';
import { answerCell, bodyCell, partsOf, shapeOf } from './cells.ts';

const template = new URL('page.template', import.meta.url);

/**
 * docs/admin-api.md as it is kept. What is to be said in sentences is in `page.template`; the
 * tables of routes, and of the values of query parameters, are made of the declarations.
 */
export async function adminApiPage(): Promise<string> {
  const unused = new Set(Object.keys(adminAreas));
  const page = (await readFile(template, 'utf8')).replace('{{rights}}', rightsTable());
  const text = page.replaceAll(
    /^\{\{(routes|values) (.+)\}\}$/gm,
    (_all, what: string, area: string) => {
      if (what === 'values') return valuesTable(routesOf(area));
      unused.delete(area);
      return routesTable(routesOf(area));
    },
  );
  if (unused.size > 0) throw new Error(`no place in the page for: ${[...unused].join(', ')}`);
  const [heading, ...rest] = text.split('\n');
  const whole = [heading, '', note, ...rest].join('\n');
  return format(whole, { parser: 'markdown', printWidth: 100 });
}

const note =
  '<!-- Generated from packages/contracts/src/admin and deploy/docs/admin-api/page.template: `node deploy/docs/generate-admin-api.ts`. -->';

function routesOf(area: string): AdminRoute[] {
  const routes = (adminAreas as Record<string, Record<string, AdminRoute>>)[area];
  if (routes === undefined) throw new Error(`there is no area of the name ${area}`);
  return Object.values(routes);
}

function rightsTable(): string {
  const rows = rights
    .filter(needsRole)
    .map((right) => [`\`${right}\``, ...roles.map((role) => (hasRight(role, right) ? 'yes' : ''))]);
  return table(['Right', ...roles], rows);
}

function rightCell({ right, confirmed, audited, secondPerson }: AdminRoute): string {
  const remarks = [
    ...(confirmed ? ['again'] : []),
    ...(audited ? ['audited'] : []),
    ...(secondPerson ? ['second person'] : []),
  ];
  return remarks.length === 0 ? right : `${right} (${remarks.join(', ')})`;
}

function routesTable(routes: readonly AdminRoute[]): string {
  const rows = routes.map((route) => [
    `\`${route.method} ${route.path}\``,
    route.summary,
    rightCell(route),
    bodyCell(route),
    answerCell(route),
  ]);
  const head = ['Request', 'What it does', 'Right', 'Body or query', 'Answer'];
  return [table(head, rows), '', ...shapesOf(routes)].join('\n');
}

/** What the names in the table stand for. */
function shapesOf(routes: readonly AdminRoute[]): string[] {
  const shapes = new Map<string, string>();
  for (const { body, answers } of routes) {
    const whole = [...(body ? [body] : []), ...Object.values(answers)];
    for (const schema of [...whole, ...whole.flatMap(partsOf)]) {
      const shape = shapeOf(schema);
      if (shape) shapes.set(shape.title, shape.members);
    }
  }
  return [...shapes].map(([title, members]) => `- **${title}:** ${members}.`);
}

/** Parameters that take one of a few values, and which these are. */
function valuesTable(routes: readonly AdminRoute[]): string {
  const values = new Map<string, string>();
  for (const { query = {} } of routes) {
    for (const [name, { schema }] of Object.entries(query)) {
      const forms = schema['anyOf'] as { const: string }[] | undefined;
      if (forms) values.set(name, forms.map((form) => `\`${form.const}\``).join(', '));
    }
  }
  return table(['Parameter', 'Values'], [...values]);
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
