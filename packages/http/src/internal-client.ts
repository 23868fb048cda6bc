import { encodeSegment } from '@tributary/contracts/admin/route-path';
import {
  type GeneralProblem,
  problemCatalogue,
  type ProblemCode,
} from '@tributary/contracts/problem';
import type { Logger } from '@tributary/runtime/logger';
import { fetchInternal } from './fetch-internal.ts';

/**
 * How a service asks another one over that one's internal listener (design 2). What the other side
 * refuses is an answer like any other, to be passed on to whoever asked; `unavailable` is all the
 * rest: nobody there, too late, a failure of its own, or tokens that do not match. Nothing is
 * repeated here: whether that is safe only the caller knows.
 */
export type InternalAnswer =
  | { outcome: 'answered'; status: number; body: unknown }
  | { outcome: 'refused'; problem: GeneralProblem }
  | { outcome: 'unavailable'; detail: string };

export type InternalClient = {
  /** `segments` follow `/internal/` and are encoded here. */
  post(
    segments: readonly string[],
    body: unknown,
    about?: { requestId?: string | undefined; query?: Query },
  ): Promise<InternalAnswer>;
  /** Members of `query` that are undefined are left out. */
  get(
    segments: readonly string[],
    query?: Query,
    about?: { requestId?: string | undefined },
  ): Promise<InternalAnswer>;
};

type Query = Readonly<Record<string, string | number | undefined>>;

/** @param options.service Whom it asks, as the log and the detail of `unavailable` name it. */
export function createInternalClient(options: {
  service: string;
  /** The internal listener, such as `http://rewards:9100`, or a comma list (fetch-internal.ts). */
  baseUrl: string;
  token: string;
  logger: Logger;
  /** For the whole exchange. */
  timeoutMs?: number;
}): InternalClient {
  const { service, baseUrl, token, logger, timeoutMs = 10_000 } = options;

  async function exchange(path: string, asked: RequestInit): Promise<InternalAnswer> {
    const response = await fetchInternal(baseUrl, path, {
      ...asked,
      signal: AbortSignal.timeout(timeoutMs),
    });
    const { status } = response;
    const parsed: unknown = JSON.parse(await response.text());
    if (status >= 200 && status < 300) return { outcome: 'answered', status, body: parsed };
    if (isProblem(parsed)) {
      if (mayPassOn(parsed.code)) return { outcome: 'refused', problem: parsed };
      if (parsed.code === 'SERVICE_UNAVAILABLE') {
        return { outcome: 'unavailable', detail: parsed.detail };
      }
    }
    throw new Error(`${service} answered with status ${status}`);
  }

  async function ask(
    path: string,
    requestId: string | undefined,
    { headers, ...asked }: RequestInit & { headers?: Record<string, string> },
  ): Promise<InternalAnswer> {
    try {
      return await exchange(path, {
        ...asked,
        headers: {
          authorization: `Bearer ${token}`,
          ...headers,
          ...(requestId !== undefined && { 'x-request-id': requestId }),
        },
      });
    } catch (error) {
      logger.warn('another service could not be asked', { asked: service, requestId, error });
      return { outcome: 'unavailable', detail: `${service} is not reachable now; try again.` };
    }
  }

  return {
    post: (segments, body, { requestId, query = {} } = {}) =>
      ask(`${pathOf(segments)}${searchOf(query)}`, requestId, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    get: (segments, query = {}, { requestId } = {}) =>
      ask(`${pathOf(segments)}${searchOf(query)}`, requestId, { method: 'GET' }),
  };
}

function pathOf(segments: readonly string[]): string {
  return segments.map(encodeSegment).join('/');
}

function searchOf(query: Query): string {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as [string, string]],
  );
  return given.length === 0 ? '' : `?${new URLSearchParams(given).toString()}`;
}

/** What concerns the two services only is not the business of whoever asked. */
function mayPassOn(code: ProblemCode): boolean {
  return code !== 'UNAUTHORIZED' && problemCatalogue[code].status < 500;
}

function isProblem(value: unknown): value is GeneralProblem {
  if (typeof value !== 'object' || value === null) return false;
  const { code, detail } = value as Record<string, unknown>;
  return (
    typeof code === 'string' && Object.hasOwn(problemCatalogue, code) && typeof detail === 'string'
  );
}
