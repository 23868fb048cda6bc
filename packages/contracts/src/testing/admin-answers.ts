import { Kind, type TObject, type TSchema, Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { adminRoutes, serviceRoutes } from '../admin/admin-areas.ts';
import type { AdminRoute, ServiceRoute } from '../admin/admin-route.ts';
import { closeSchema } from '../admin/closed-schema.ts';
import { GeneralProblem } from '../problem.ts';

// Holds what a service really answers against what is declared, in specs: results by their routes,
// refusals by the form that all of them have.

export type RealAnswer = { status: number; body: unknown };

/** The declared route that a request to the admin API is for. */
export function routeOfRequest(method: string, path: string): AdminRoute | undefined {
  return findRoute(adminRoutes, method, path);
}

/** @throws what is wrong with the answer; a member that is not declared is, too. */
export function checkAdminAnswer(method: string, path: string, answer: RealAnswer): void {
  if (answer.status >= 300) return checkProblem(`${method} ${path}`, answer);
  const route = routeOfRequest(method, path);
  if (route === undefined) throw new Error(`${method} ${path} is not declared, and was answered`);
  const schema = route.answers[answer.status];
  if (schema === undefined) {
    throw new Error(`${method} ${route.path} does not declare the status ${answer.status}`);
  }
  checkBody(`${method} ${route.path}`, route.publishes ? mayBeUnpublished(schema) : schema, answer);
}

/** The same of what one service answers another; `path` follows `/internal`. */
export function checkServiceAnswer(
  service: ServiceRoute['service'],
  { method, path }: { method: string; path: string },
  answer: RealAnswer,
): void {
  if (answer.status >= 300) return;
  const own = serviceRoutes.filter((route) => route.service === service);
  const route = findRoute(own, method, path);
  if (route === undefined) throw new Error(`${service} does not declare ${method} ${path}`);
  checkBody(`${service} ${method} ${route.path}`, route.answer, answer);
}

/** Formats are not known here. */
const Refused = Type.Object({
  ...GeneralProblem.properties,
  type: Type.String({ pattern: '^urn:tributary:problem:[a-z-]+$' }),
});

function checkProblem(what: string, answer: RealAnswer): void {
  checkBody(what, Refused, answer);
  const { status } = answer.body as { status: number };
  if (status !== answer.status) throw new Error(`${what} answered ${answer.status} with ${status}`);
}

function checkBody(what: string, schema: TSchema, { body }: RealAnswer): void {
  const error = Value.Errors(closeSchema(schema), body).First();
  if (error === undefined) return;
  throw new Error(`${what} answered otherwise than declared: ${error.path} ${error.message}`, {
    cause: body,
  });
}

/** docs/decisions/0022 */
function mayBeUnpublished(schema: TSchema): TSchema {
  if (schema[Kind] !== 'Object') throw new Error('what publishes is answered with an object');
  const { properties } = schema as TObject;
  return Type.Object({ ...properties, published: Type.Optional(Type.Literal(false)) });
}

/** One with a word in a place comes before one that takes any text there. */
function findRoute<R extends { method: string; path: string }>(
  routes: readonly R[],
  method: string,
  path: string,
): R | undefined {
  const [asked = ''] = path.split('?');
  const fitting = routes.filter((route) => {
    const form = route.path.replaceAll(/\{\w+\}/g, '[^/]+');
    return route.method === method && new RegExp(`^${form}$`).test(asked);
  });
  return fitting.sort((a, b) => parameters(a.path) - parameters(b.path))[0];
}

function parameters(path: string): number {
  return path.split('{').length;
}
