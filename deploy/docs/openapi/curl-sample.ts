import type { Json } from './json-schema.ts';
import type { Operation } from './operations.ts';

/** The first example as a command line; `$BASE_URL` and `$TOKEN` are the reader's. */
export function curlSample(operation: Operation): Json {
  const { path, anonymous, request, parameters = [] } = operation;
  const body = Object.values(request?.examples ?? {})[0]?.value;
  const lines = [
    `curl -i "$BASE_URL${path.replace('{code}', 'MiYK421SmMb').replace('{productUserId}', 'user-12')}"`,
    ...(anonymous ? [] : ['-H "Authorization: Bearer $TOKEN"']),
    ...(body === undefined ? [] : ["-H 'Content-Type: application/json'"]),
    ...(parameters.includes('IdempotencyKey') ? ["-H 'Idempotency-Key: <KEY>'"] : []),
    ...(body === undefined ? [] : [`-d '${JSON.stringify(withoutKey(body), null, 2)}'`]),
  ];
  return { lang: 'Shell', label: 'curl', source: lines.join(' \\\n  ') };
}

/** The key is in the header here; two that differ are refused. */
function withoutKey({ idempotencyKey: _inHeader, ...body }: Json): Json {
  return body;
}
