/**
 * A request to a service's internal listener. Where processes of different releases each run a
 * generation of their own (a fold that is being replaced), `baseUrl` is a comma list: each in turn
 * is asked until one runs the generation that is asked for. Only what nobody has begun to handle is
 * asked elsewhere: there was no connection, or the answer says {@link elsewhereHeader}.
 *
 * @throws when nobody of them can be reached.
 */
export async function fetchInternal(
  baseUrl: string,
  pathAndQuery: string,
  init: RequestInit,
): Promise<Response> {
  const bases = baseUrl.split(',').map((url) => url.trim().replace(/\/+$/, ''));
  let elsewhere: Response | undefined;
  let failure: unknown;
  for (const base of bases) {
    try {
      const response = await fetch(`${base}/internal/${pathAndQuery}`, {
        ...init,
        redirect: 'error',
      });
      await elsewhere?.body?.cancel();
      if (!response.headers.has(elsewhereHeader)) return response;
      elsewhere = response;
    } catch (error) {
      if (!neverConnected(error)) throw error;
      failure = error;
    }
  }
  if (elsewhere) return elsewhere;
  throw failure;
}

/** Marks an answer by a process that does not run the generation: nothing was done. */
export const elsewhereHeader = 'tributary-generation-elsewhere';

function neverConnected(error: unknown): boolean {
  const cause = (error as { cause?: { code?: unknown } }).cause;
  return typeof cause?.code === 'string' && noConnection.has(cause.code);
}

const noConnection = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EHOSTUNREACH', 'ENETUNREACH']);
