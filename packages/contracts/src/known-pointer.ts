import { type TSchema } from '@sinclair/typebox';
import { TokenRequest } from './public/token.ts';
import { v2Events } from './public/v2-events.ts';

/**
 * A pointer into a body with nothing of the body in it: what is no member of the contract was
 * chosen by the caller, and may be anything, a name or an address too. It becomes `*`.
 */
export function toKnownPointer(pointer: string): string {
  const [root = '', ...segments] = pointer.split('/');
  const known = segments.slice(0, deepest).map((name) => (names.has(name) ? name : '*'));
  return [root === '' ? '' : '*', ...known].join('/');
}

const deepest = 8;

const schemas: readonly TSchema[] = [
  ...Object.values(v2Events).map(({ schema }) => schema),
  TokenRequest,
];
const names: ReadonlySet<string> = new Set(schemas.flatMap(namesIn));

function namesIn(schema: TSchema): string[] {
  const inner = [
    ...Object.values((schema['properties'] ?? {}) as Record<string, TSchema>),
    ...((schema['anyOf'] ?? []) as TSchema[]),
  ];
  return [...Object.keys((schema['properties'] ?? {}) as object), ...inner.flatMap(namesIn)];
}
