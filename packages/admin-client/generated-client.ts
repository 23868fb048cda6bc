import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createClient } from '@hey-api/openapi-ts';

const description = join(import.meta.dirname, '../../docs/api/admin-openapi.json');

/**
 * Types of all that is asked and answered, and a table of the routes. The generator's own client is
 * left out: it does not compile as strictly as this tree does, and create-admin-client.ts needs
 * forty lines.
 */
export async function generateClient(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true });
  await createClient({
    input: description,
    output: { path, module: { extension: '.ts' } },
    logs: { level: 'silent', file: false },
    plugins: ['@hey-api/typescript'],
  });
  await rm(join(path, 'index.ts'));
  const document = JSON.parse(await readFile(description, 'utf8')) as Description;
  await writeFile(join(path, 'routes.gen.ts'), routesOf(document));
}

type Operation = { operationId?: string; responses: Readonly<Record<string, unknown>> };
type Description = { paths: Record<string, Record<string, Operation>> };

function routesOf({ paths }: Description): string {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { operationId: name, responses }]) =>
      name === undefined || !isAnswered(responses)
        ? []
        : [{ name, method: method.toUpperCase(), path }],
    ),
  );
  const types = operations.flatMap(({ name }) => [
    `${typeOf(name)}Data`,
    `${typeOf(name)}Response`,
  ]);
  const table = operations.map(({ name, method, path }) => `  ${name}: ['${method}', '${path}'],`);
  const map = operations.map(
    ({ name }) => `  ${name}: { asked: ${typeOf(name)}Data; answer: ${typeOf(name)}Response };`,
  );
  return [
    '// This file is auto-generated: node packages/admin-client/generate.ts\n',
    `import type {\n${types.map((type) => `  ${type},`).join('\n')}\n} from './types.gen.ts';\n`,
    `/** Method and path of each route, by its name. */`,
    `export const routes = {\n${table.join('\n')}\n} as const;\n`,
    `/** What is asked of each route and what it answers. */`,
    `export type Operations = {\n${map.join('\n')}\n};\n`,
  ].join('\n');
}

/** A browser is led to what only redirects: it cannot be called. */
function isAnswered(responses: Operation['responses']): boolean {
  return Object.keys(responses).some((status) => status.startsWith('2'));
}

function typeOf(operation: string): string {
  return operation.charAt(0).toUpperCase() + operation.slice(1);
}
