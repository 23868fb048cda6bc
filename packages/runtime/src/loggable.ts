/**
 * A value as it may stand in a log line: JSON for whatever it was (errors, big integers, cycles),
 * bounded in depth and size, and without what looks like a secret or an address of a person.
 */
export function toLoggable(value: unknown): unknown {
  return convert(value, { depth: 0, budget: { valuesLeft: maxValues } });
}

/** How far down a value is, and how many more the line may hold in all. */
type Place = { depth: number; budget: { valuesLeft: number } };

const maxDepth = 6;
const maxValues = 500;
const tooMuch = '[…]';
const maxStringLength = 8_000;
const redacted = '[redacted]';

// `tokenCount: 3` stays readable: only text and objects are hidden.
const suspiciousName = /authorization|password|passwd|secret|token|e-?mail|cookie/i;
// The user information of a URL, as in an error that repeats a connection string.
const urlCredentials = /(\b[a-z][a-z0-9+.-]*:\/\/)[^\s/?#@]+@/gi;

function convert(value: unknown, place: Place): unknown {
  if (place.budget.valuesLeft-- <= 0) return tooMuch;
  switch (typeof value) {
    case 'string':
      return cleanText(value);
    case 'bigint':
      return value.toString();
    case 'function':
    case 'symbol':
      return undefined;
    case 'object':
      return value === null ? null : convertObject(value, place);
    default:
      return value;
  }
}

function convertObject(value: object, place: Place): unknown {
  if (place.depth >= maxDepth) return tooMuch;
  if (value instanceof Error) return convertError(value, place);
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  if (Buffer.isBuffer(value)) return `[${value.length} bytes]`;
  if (Array.isArray(value)) {
    // One more than fits shows that there are more.
    const items = value.slice(0, Math.max(place.budget.valuesLeft, 0) + 1);
    return items.map((item) => convert(item, below(place)));
  }
  if (value instanceof Set) return convertObject([...value], place);
  if (value instanceof Map) return convertMembers(Object.fromEntries(value) as object, place);
  return convertMembers(value, place);
}

function convertMembers(value: object, place: Place): Record<string, unknown> {
  const members: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(value)) {
    if (place.budget.valuesLeft < 0) break;
    const hide = suspiciousName.test(name) && canHide(member);
    members[name] = hide ? redacted : convert(member, below(place));
  }
  return members;
}

function canHide(value: unknown): boolean {
  return typeof value === 'string' || (typeof value === 'object' && value !== null);
}

/** Only these members: errors of clients carry whole requests, with headers and bodies. */
function convertError(error: Error, place: Place): Record<string, unknown> {
  const { name, message, stack, cause } = error;
  const code = (error as { code?: unknown }).code;
  return {
    name,
    message: cleanText(message),
    ...(typeof code === 'string' ? { code } : {}),
    ...(stack === undefined ? {} : { stack: cleanText(stack) }),
    ...(cause === undefined ? {} : { cause: convert(cause, below(place)) }),
    ...(error instanceof AggregateError ? { errors: convert(error.errors, below(place)) } : {}),
  };
}

function cleanText(text: string): string {
  const clean = text.includes('://') ? text.replace(urlCredentials, `$1${redacted}@`) : text;
  return clean.length > maxStringLength ? `${clean.slice(0, maxStringLength)}…` : clean;
}

function below({ depth, budget }: Place): Place {
  return { depth: depth + 1, budget };
}
