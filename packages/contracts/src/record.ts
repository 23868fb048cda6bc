import { type Static, type TSchema } from '@sinclair/typebox';
import { type ValueError, ValueErrorType } from '@sinclair/typebox/errors';
import { TypeCompiler } from '@sinclair/typebox/compiler';
import { Value } from '@sinclair/typebox/value';

/**
 * How a topic's records are read and written. Every record carries `schemaVersion`; a reader
 * knows all versions up to its own and lifts older ones by pure upcasters. What it cannot read is
 * one of three things, and each is treated differently (design 6, "Bad records"): a tombstone, a
 * record that breaks its own contract (dead letter), or a record newer than the reader (stop).
 */
export type Codec<T> = {
  readonly name: string;
  readonly schemaVersion: number;
  readonly schema: TSchema;
  decode(bytes: Buffer | null): Decoded<T>;
  /**
   * Wire text. Throws if the value breaks the schema: a bug in the writer must not reach the log.
   */
  encode(value: T): string;
};

export type Decoded<T> =
  | { outcome: 'record'; value: T }
  | { outcome: 'tombstone' }
  | { outcome: 'broken'; reason: 'not-json' | 'schema'; detail: string }
  | { outcome: 'newer'; schemaVersion: number };

/** Lifts version n to n + 1; keyed by n. */
export type Upcasters = Readonly<Record<number, (older: Record<string, unknown>) => unknown>>;

export function createCodec<S extends TSchema>(options: {
  name: string;
  schemaVersion: number;
  schema: S;
  upcasters?: Upcasters;
}): Codec<Static<S>> {
  const { name, schemaVersion, schema, upcasters = {} } = options;
  const check = TypeCompiler.Compile(schema);

  return {
    name,
    schemaVersion,
    schema,

    decode(bytes) {
      if (bytes === null) return { outcome: 'tombstone' };
      let parsed: unknown;
      try {
        parsed = JSON.parse(bytes.toString('utf8'));
      } catch {
        return { outcome: 'broken', reason: 'not-json', detail: 'the value is not JSON' };
      }
      const version = versionOf(parsed);
      if (version === undefined) {
        return {
          outcome: 'broken',
          reason: 'schema',
          detail: '/schemaVersion: missing or not a positive integer',
        };
      }
      if (version > schemaVersion) return { outcome: 'newer', schemaVersion: version };
      for (let v = version; v < schemaVersion; v++) {
        const lift = upcasters[v];
        if (!lift) {
          return { outcome: 'broken', reason: 'schema', detail: `no upcaster from version ${v}` };
        }
        parsed = lift(parsed as Record<string, unknown>);
      }
      if (check.Check(parsed)) return { outcome: 'record', value: parsed };
      return { outcome: 'broken', reason: 'schema', detail: firstError(schema, parsed) };
    },

    encode(value) {
      if (!check.Check(value)) {
        throw new Error(`${name} record breaks its schema at ${firstError(schema, value)}`);
      }
      return JSON.stringify(value);
    },
  };
}

function versionOf(parsed: unknown): number | undefined {
  if (typeof parsed !== 'object' || parsed === null) return undefined;
  const version = (parsed as { schemaVersion?: unknown }).schemaVersion;
  return Number.isInteger(version) && (version as number) >= 1 ? (version as number) : undefined;
}

/** Pointer and expectation only: a dead letter or log line never repeats a value. */
function firstError(schema: TSchema, value: unknown): string {
  const error = Value.Errors(schema, value).First();
  if (!error) return '/: no match';
  const { path, message } = innermost(error);
  return `${path || '/'}: ${message}`;
}

/**
 * Finds, for a record that has several forms, what is wrong with the form that it means to be: the
 * one whose tags it has. A record that has the tags of none is wrong as a whole.
 */
function innermost(error: ValueError): ValueError {
  const forms = error.errors.map((errors) => firstOf(errors, maxErrorsRead));
  const meant = forms.find((errors) => !errors.some(({ type }) => type === ValueErrorType.Literal));
  return meant?.[0] ? innermost(meant[0]) : error;
}

function firstOf(errors: Iterable<ValueError>, most: number): ValueError[] {
  const found: ValueError[] = [];
  for (const error of errors) {
    found.push(error);
    if (found.length === most) break;
  }
  return found;
}

const maxErrorsRead = 100;
