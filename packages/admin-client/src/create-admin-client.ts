import { type Operations, routes } from './generated/routes.gen.ts';
import { type AdminProblem, ProblemError } from './problem-error.ts';

export type OperationName = keyof Operations;
export type AnswerOf<Name extends OperationName> = Operations[Name]['answer'];
/** The parts of a request: `path`, `query` and `body`, those that the route has. */
export type AskedOf<Name extends OperationName> = Omit<Operations[Name]['asked'], 'url'>;
export type QueryOf<Name extends OperationName> = NonNullable<Operations[Name]['asked']['query']>;

export type Asked = {
  path?: Readonly<Record<string, string>>;
  query?: Readonly<Record<string, string | number | boolean | undefined>>;
  body?: unknown;
};

export type AdminClient = {
  /** @throws {ProblemError} for every answer but a success; TypeError when there was none */
  call<Name extends OperationName>(
    name: Name,
    asked: AskedOf<Name>,
    options?: { signal?: AbortSignal },
  ): Promise<AnswerOf<Name>>;
};

/** Sends a request as its caller must: with a cookie and its token, or with an API token. */
export type Send = (url: string, init: RequestInit & { method: string }) => Promise<Response>;

export function createAdminClient({ send }: { send: Send }): AdminClient {
  return {
    async call<Name extends OperationName>(
      name: Name,
      asked: AskedOf<Name>,
      { signal }: { signal?: AbortSignal } = {},
    ) {
      const { body } = asked as Asked;
      const response = await send(urlOf(name, asked as Asked), {
        method: routes[name][0],
        ...(signal && { signal }),
        ...(body !== undefined && {
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body),
        }),
      });
      if (!response.ok) throw new ProblemError(await problemOf(response));
      return (await response.json()) as AnswerOf<Name>;
    },
  };
}

/** Path and query of a request. */
export function urlOf(name: OperationName, { path = {}, query = {} }: Asked): string {
  const filled = routes[name][1].replace(/\{(\w+)\}/g, (_whole, part: string) =>
    encodeURIComponent(path[part] ?? ''),
  );
  const parameters = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) {
    if (value !== undefined && value !== '') parameters.set(key, String(value));
  }
  return parameters.size === 0 ? filled : `${filled}?${parameters.toString()}`;
}

/**
 * What is no problem document comes from somewhere between: nothing more is known than its status.
 */
async function problemOf(response: Response): Promise<AdminProblem> {
  const { status } = response;
  const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN);
  const about = { status, ...(Number.isFinite(retryAfter) && { retryAfterSeconds: retryAfter }) };
  try {
    return { ...((await response.json()) as AdminProblem), ...about };
  } catch {
    return { ...about, code: 'UNKNOWN', title: `The answer was ${status}` };
  }
}
