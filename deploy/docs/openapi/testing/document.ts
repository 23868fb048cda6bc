import { isEmail } from '@tributary/contracts/email';
import { parseTimestamp } from '@tributary/contracts/rfc3339';
import type { ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { Examples } from '../event-docs.ts';
import type { Json } from '../json-schema.ts';
import { buildOpenApi } from '../openapi.ts';

/** The document as a reader of the served file has it. */
export type ApiDocument = Json & {
  paths: Record<string, Record<string, OperationObject>>;
  webhooks: Record<string, Record<string, OperationObject>>;
  components: Record<string, Record<string, Json>>;
  tags: { name: string }[];
};
export type OperationObject = {
  summary: string;
  operationId: string;
  tags: string[];
  parameters?: Json[];
  requestBody?: { content: Content };
  responses: Record<string, Json>;
};
export type Content = Record<string, { schema: Json; examples: Examples }>;

export async function readDocument(): Promise<ApiDocument> {
  return JSON.parse(JSON.stringify(await buildOpenApi())) as ApiDocument;
}

export type Place = { path: string; method: string; operation: OperationObject };

export function operationsOf({ paths }: Pick<ApiDocument, 'paths'>): Place[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
}

/** What a reference leads to; anything else as it is. */
export function resolve(document: unknown, part: Json): Json {
  const reference = part['$ref'];
  if (typeof reference !== 'string') return part;
  const steps = reference.replace(/^#\//, '').split('/');
  const found = steps.reduce<unknown>((at, step) => (at as Json | undefined)?.[step], document);
  if (found === undefined) throw new Error(`nothing at ${reference}`);
  return found as Json;
}

export type ResponseObject = { headers?: Record<string, Json>; content?: Content };

/** The response for a status, or the one for all others. */
export function responseFor(
  document: ApiDocument,
  { responses }: OperationObject,
  status: string,
): ResponseObject {
  return resolve(document, responses[status] ?? responses['default'] ?? {});
}

/** Validates values by schemas of the document, and by nothing else that we know. */
export function createSchemaCheck(document: ApiDocument): (schema: Json) => ValidateFunction {
  const ajv = new Ajv2020({
    allErrors: true,
    strict: true,
    strictTypes: false,
    strictRequired: false,
    validateSchema: true,
    keywords: ['x-extensible-enum'],
  });
  ajv.addFormat('date-time', (text: string) => parseTimestamp(text) !== undefined);
  ajv.addFormat('email', isEmail);
  ajv.addFormat('uuid', /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  ajv.addFormat('uri', (text: string) => URL.canParse(text));
  for (const [name, schema] of Object.entries(document.components['schemas'] ?? {})) {
    ajv.addSchema(schema, `#/components/schemas/${name}`);
  }
  return (schema) => ajv.compile(schema);
}
