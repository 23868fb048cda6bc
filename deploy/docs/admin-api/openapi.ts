import { adminAreas } from '@tributary/contracts/admin/admin-areas';
import type { AdminRoute } from '@tributary/contracts/admin/admin-route';
import { needsRole, rolesWith } from '@tributary/contracts/admin/rights';
import { GeneralProblem, problemCatalogue, type ProblemCode } from '@tributary/contracts/problem';
import type { Json } from '../openapi/json-schema.ts';
import { type Components, toAdminSchema } from './admin-schema.ts';

/**
 * The admin API as an OpenAPI 3.1 document, made of the declarations that the portal serves it by.
 */
export function buildAdminOpenApi(): Json {
  const components: Components = new Map();
  const problem = toAdminSchema({ ...GeneralProblem, title: 'Problem' }, components);
  const paths: Record<string, Json> = {};
  for (const [area, routes] of Object.entries(adminAreas)) {
    for (const [operationId, route] of Object.entries<AdminRoute>(routes)) {
      const operation = { operationId, tags: [area], ...operationOf(route, components) };
      paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operation };
    }
  }
  return {
    openapi: '3.1.1',
    info: {
      title: 'Tributary admin API',
      version: '1.0.0',
      summary: 'For operators and their programs. The page docs/admin-api.md explains it.',
      description:
        'A path asked with a method that it does not have is answered with 405, and `Allow` names those it has.',
    },
    servers: [{ url: '/', description: 'The deployment that serves it' }],
    security,
    tags: Object.keys(adminAreas).map((name) => ({ name })),
    paths,
    components: {
      securitySchemes,
      responses: {
        ...Object.fromEntries(
          refusals.map((code) => [code, problemResponse(code, problem)] as const),
        ),
        [unsupported]: {
          description:
            'Another media type than application/json, another charset than UTF-8, or a Content-Encoding. The code is MALFORMED_JSON.',
          content: problemContent(problem),
        },
      },
      schemas: Object.fromEntries(components),
    },
  };
}

const security = [{ apiToken: [] }, { session: [] }];

const securitySchemes: Json = {
  apiToken: {
    type: 'http',
    scheme: 'bearer',
    description: 'An API token, or the bootstrap token of the deployment.',
  },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: '__Host-tributary-session',
    description: 'Whoever is signed in; changes need the header X-CSRF-Token, too.',
  },
  accessToken: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'The `accessToken` of `POST /token`, for events of its own tenant.',
  },
};

const refusals = [
  ...(['MALFORMED_JSON', 'UNAUTHORIZED', 'FORBIDDEN', 'NOT_FOUND', 'CONFLICT'] as const),
  'PAYLOAD_TOO_LARGE',
  ...(['VALIDATION_ERROR', 'TOO_MANY_REQUESTS', 'INTERNAL_ERROR', 'SERVICE_UNAVAILABLE'] as const),
] satisfies ProblemCode[];

/** The second status of MALFORMED_JSON. */
const unsupported = 'UNSUPPORTED_MEDIA_TYPE';

function operationOf(route: AdminRoute, components: Components): Json {
  const { path, summary, right, query = {}, body, bodyOptional, publishes } = route;
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    ...{ name, in: 'path', required: true },
    schema: { type: 'string' },
  }));
  const inQuery = Object.entries(query).map(([name, { expected, schema }]) => ({
    ...{ name, in: 'query', description: `Must be ${expected}.` },
    schema: toAdminSchema(schema, components),
  }));
  const parameters = [...inPath, ...inQuery];
  return {
    // Its links lead from the page docs/admin-api.md.
    summary: summary.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1'),
    'x-tributary-right': right,
    'x-tributary-roles': needsRole(right) ? [...rolesWith(right)] : [],
    ...(route.confirmed && { 'x-tributary-confirmed': true }),
    ...(route.secondPerson && { 'x-tributary-second-person': true }),
    ...(right === 'none' && { security: [] }),
    ...(path === '/api/events/{eventId}' && {
      security: [...security, { accessToken: [] }],
    }),
    ...(publishes && {
      description:
        'Answered once the log has the change; `published: false` in the answer says that it has not yet.',
    }),
    ...(parameters.length > 0 && { parameters }),
    ...(body && {
      requestBody: {
        required: bodyOptional !== true,
        content: jsonContent(toAdminSchema(body, components)),
      },
    }),
    responses: responsesOf(route, components),
  };
}

function responsesOf(route: AdminRoute, components: Components): Json {
  const { answers, when = {}, conflict, body, query, path, mayBeMissing } = route;
  const shown = Object.entries(answers).map(([status, schema]) => {
    const about = when[Number(status)];
    const description = about === undefined ? 'Done.' : `Done, ${about}.`;
    const content = toAdminSchema(schema, components);
    if (!route.streams) return [status, { description, content: jsonContent(content) }];
    const told = 'Server-sent events, each with data of this schema as JSON.';
    return [status, { description: told, content: { 'text/event-stream': { schema: content } } }];
  });
  const codes: ProblemCode[] = [
    ...(body ? (['MALFORMED_JSON', 'PAYLOAD_TOO_LARGE'] as const) : []),
    ...((body ?? query) ? (['VALIDATION_ERROR'] as const) : []),
    ...(path.includes('{') || mayBeMissing ? (['NOT_FOUND'] as const) : []),
    ...(conflict ? (['CONFLICT'] as const) : []),
    ...(['UNAUTHORIZED', 'FORBIDDEN', 'INTERNAL_ERROR', 'SERVICE_UNAVAILABLE'] as const),
    ...(takesPassword(body) || route.streams ? (['TOO_MANY_REQUESTS'] as const) : []),
  ];
  const refused = codes.map((code) => [
    String(problemCatalogue[code].status),
    { $ref: `#/components/responses/${code}` },
  ]);
  const unread = body ? [['415', { $ref: `#/components/responses/${unsupported}` }]] : [];
  return Object.fromEntries([...shown, ...refused, ...unread]) as Json;
}

/** Too many wrong ones are answered with 429. */
function takesPassword(body: AdminRoute['body']): boolean {
  return body !== undefined && ('password' in body.properties || 'passkey' in body.properties);
}

function jsonContent(schema: Json): Json {
  return { 'application/json': { schema } };
}

function problemResponse(code: ProblemCode, schema: Json): Json {
  const { title } = problemCatalogue[code];
  return { description: `${title}.`, content: problemContent(schema) };
}

function problemContent(schema: Json): Json {
  return { 'application/problem+json': { schema } };
}
