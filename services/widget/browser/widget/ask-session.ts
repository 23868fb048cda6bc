import type {
  WidgetSession,
  WidgetSessionRequest,
} from '@tributary/contracts/public/widget-session';

export type Answer =
  | { outcome: 'session'; session: WidgetSession }
  | { outcome: 'unauthorized' }
  /** The request itself is refused: asking again changes nothing. */
  | { outcome: 'refused'; detail: string }
  | { outcome: 'unavailable' };

const timeoutMs = 10_000;

/** `POST /widget/session`. Never throws: whatever does not come as an answer is `unavailable`. */
export async function askSession(
  url: string,
  request: WidgetSessionRequest,
  stopped: AbortSignal,
): Promise<Answer> {
  const asking = new AbortController();
  const abort = (): void => asking.abort();
  const timer = setTimeout(abort, timeoutMs);
  stopped.addEventListener('abort', abort);
  try {
    stopped.throwIfAborted();
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(request),
      credentials: 'omit',
      cache: 'no-store',
      signal: asking.signal,
    });
    return evaluateAnswer(response.status, await response.json());
  } catch {
    return { outcome: 'unavailable' };
  } finally {
    clearTimeout(timer);
    stopped.removeEventListener('abort', abort);
  }
}

/** Something between may answer in our place, so that a 200 is looked at as well. */
export function evaluateAnswer(status: number, body: unknown): Answer {
  if (status === 200 && isSession(body)) return { outcome: 'session', session: body };
  if (status === 401) return { outcome: 'unauthorized' };
  if (status === 400 || status === 413 || status === 415 || status === 422) {
    return { outcome: 'refused', detail: detailOf(body) };
  }
  return { outcome: 'unavailable' };
}

function isSession(body: unknown): body is WidgetSession {
  const { rules, credits, referrals } = (body ?? {}) as Partial<WidgetSession>;
  return Array.isArray(rules) && typeof credits === 'object' && typeof referrals === 'object';
}

/** The detail of a problem document, with the places that it names. */
function detailOf(body: unknown): string {
  const { detail, errors } = (body ?? {}) as {
    detail?: unknown;
    errors?: { pointer?: string; detail?: string }[];
  };
  const places = Array.isArray(errors) ? errors.map((e) => `${e.pointer}: ${e.detail}`) : [];
  const reported = typeof detail === 'string' ? detail : 'The request was refused.';
  return [reported, ...places].join(' ');
}
