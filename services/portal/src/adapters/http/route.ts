import { identifierPattern } from './fields.ts';
import { Refusal } from './refusal.ts';

/** One path of the admin API with what it answers to each method it takes. */
export type Route = { path: string; methods: Partial<Record<Method, Handler>> };
export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';
export type Handler = (request: AdminRequest) => Promise<Answer>;
export type Answer = { status: number; body: unknown };

export type AdminRequest = {
  /** A decoded path parameter, as it came. */
  param(name: string): string;
  /** The query as it came, without its question mark; see query.ts. */
  search: string;
  /** Given on to the services that are asked, so that their log lines are found with ours. */
  requestId: string | undefined;
  /** @throws {Refusal} when the body is not JSON. */
  json(): Promise<unknown>;
  /** As {@link json}; no body at all counts as an empty object. */
  optionalJson(): Promise<unknown>;
};

/** @throws {Refusal} NOT_FOUND: what breaks the form of an id cannot exist. */
export function tenantIdOf(request: AdminRequest): string {
  const tenantId = request.param('tenantId');
  if (!identifierPattern.test(tenantId)) throw noSuchTenant();
  return tenantId;
}

export function noSuchTenant(): Refusal {
  return new Refusal('NOT_FOUND', { detail: 'There is no tenant with this id.' });
}
