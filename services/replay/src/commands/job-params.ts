import { type Static, type TSchema, Type } from '@sinclair/typebox';
import { type TypeCheck, TypeCompiler } from '@sinclair/typebox/compiler';
import { newestFoldVersion } from '@tributary/attribution-fold/fold-version';
import { CampaignRevisionRecord } from '@tributary/contracts/catalog-record';
import { closedObject } from '@tributary/contracts/closed-object';

// What may be asked of each kind of job. The portal validates what people write; here only the
// shape counts, so that no job begins that cannot understand its parameters.

const text = () => Type.String({ minLength: 1, maxLength: 510, pattern: '^[^\\u0000]*$' });
const generation = () => Type.Integer({ minimum: 1, maximum: 1_000_000 });
/** One that this release knows. */
const foldVersion = () => Type.Integer({ minimum: 1, maximum: newestFoldVersion });
/** UTC with milliseconds. */
const moment = () =>
  Type.String({ pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{3}Z$' });
const uuid = () => Type.String({ pattern: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' });

export const VerifyParams = closedObject({
  tenantId: Type.Optional(text()),
  userId: Type.Optional(text()),
  generation: Type.Optional(generation()),
});
export type VerifyParams = Static<typeof VerifyParams>;

export const PreviewParams = closedObject({
  /** Only without a draft: all tenants. */
  tenantId: Type.Optional(text()),
  /** What would be published, with the number that it would have. */
  draft: Type.Optional(CampaignRevisionRecord),
  effectiveFrom: Type.Optional(moment()),
  /** Without a draft: by which rules. With one: by those of the live generation. */
  foldVersion: Type.Optional(foldVersion()),
});
export type PreviewParams = Static<typeof PreviewParams>;

export const StateParams = closedObject({ tenantId: Type.Optional(text()), until: moment() });
export type StateParams = Static<typeof StateParams>;

export const CommitCheckParams = closedObject({
  previewId: uuid(),
  revision: Type.Integer({ minimum: 1 }),
  publishedAt: moment(),
});
export type CommitCheckParams = Static<typeof CommitCheckParams>;

/** `recover`: of a live generation that is lost; the new one takes its place at once. */
export const RebuildParams = closedObject({
  recover: Type.Optional(Type.Literal(true)),
  foldVersion: Type.Optional(foldVersion()),
});
export type RebuildParams = Static<typeof RebuildParams>;

const noParams = closedObject({});

const schemas: Record<string, TSchema> = {
  verify: VerifyParams,
  preview: PreviewParams,
  state: StateParams,
  'commit-check': CommitCheckParams,
  rebuild: RebuildParams,
  swap: closedObject({ to: generation() }),
  rollback: noParams,
  drop: closedObject({ generation: generation() }),
};

const checkers = new Map<string, TypeCheck<TSchema>>(
  Object.entries(schemas).map(([kind, schema]) => [kind, TypeCompiler.Compile(schema)]),
);

/** What is wrong with them, in a sentence; undefined when the job can be asked for. */
export function mistakeOfParams(kind: string, params: unknown): string | undefined {
  const checker = checkers.get(kind);
  if (!checker) return `kind must be one of ${[...checkers.keys()].join(', ')}`;
  if (checker.Check(params)) return undefined;
  const error = checker.Errors(params).First();
  return `params${error?.path ?? ''}: ${error?.message ?? 'not understood'}`;
}
