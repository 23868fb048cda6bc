import { integrationGuide } from './integration-guide.ts';
import type { Json } from './json-schema.ts';
import { type Operation, operations, toOperationObject } from './operations.ts';
import { parameters } from './parameters.ts';
import { headers, responses } from './responses.ts';
import { buildSchemas } from './schemas.ts';
import { webhooks } from './webhooks.ts';

/**
 * The public API as an OpenAPI 3.1 document, made of the schemas and the catalogue that the
 * services answer by. Adding a v2 event needs a row in `event-docs.ts` and nothing else here.
 */
export async function buildOpenApi() {
  return {
    openapi: '3.1.1',
    info: {
      title: 'Tributary API',
      version: '2.0.0',
      summary: 'Report referral events, look up referral codes, receive rewards.',
      description: await integrationGuide(),
    },
    servers: [{ url: '/', description: 'The deployment that serves this page' }],
    security: [{ accessToken: [] }],
    tags,
    paths: pathsOf(operations),
    webhooks,
    components: {
      securitySchemes,
      parameters,
      headers,
      responses,
      schemas: buildSchemas(),
    },
  };
}

const tags = [
  { name: 'Token', description: 'Where every integration begins.' },
  {
    name: 'Events',
    description:
      'One endpoint per business event, validated strictly. 202 means that the event is durably ' +
      'written; who is rewarded for it is decided afterwards and told by webhook.',
  },
  { name: 'Referral codes', description: 'Whose is a code, and which link does a user share?' },
  { name: 'Webhook', description: 'What we send to you.' },
  { name: 'Legacy', description: 'The frozen endpoint of older integrations.' },
];

const securitySchemes: Record<string, Json> = {
  accessToken: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'The `accessToken` of `POST /token`.',
  },
  webhookCredentials: {
    type: 'http',
    scheme: 'basic',
    description: 'The user name and password that were agreed for your endpoint.',
  },
};

function pathsOf(rows: readonly Operation[]): Record<string, Json> {
  const paths: Record<string, Json> = {};
  for (const row of rows) {
    paths[row.path] = { ...paths[row.path], [row.method]: toOperationObject(row) };
  }
  return paths;
}
