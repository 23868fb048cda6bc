import type { AttributionMode, TenantRecord } from '@tributary/contracts/catalog-record';
import {
  always,
  effectiveFromSeconds,
  revisionInForce,
} from '@tributary/contracts/revision-in-force';

/** The mode that a version of the tenant's record sets, for events from its publication on. */
export type DatedMode = { version: number; mode: AttributionMode; publishedAt: string };

/** All that the tenant ever set; empty when nothing has come of it yet. */
export type Modes = readonly DatedMode[];

export function toDatedMode(record: TenantRecord): DatedMode {
  const { version, attributionMode = 'event-code', publishedAt } = record;
  return { version, mode: attributionMode, publishedAt };
}

export function everFirstCode(modes: Modes): boolean {
  return modes.some(({ mode }) => mode === 'first-code');
}

/**
 * Which code attributes an event that occurred then. The first record of a tenant (version 1) holds
 * from always, every other one from its publication (design 7). Before all that is known it is
 * `event-code`: records that came before there were modes are not kept.
 */
export function modeAt(modes: Modes, occurredAtSeconds: string): AttributionMode {
  if (!everFirstCode(modes)) return 'event-code';
  const dated = modes.map((mode) => ({
    revision: mode.version,
    mode: mode.mode,
    effectiveFromSeconds: fromOf(mode),
  }));
  return revisionInForce(dated, occurredAtSeconds)?.mode ?? 'event-code';
}

/** From when it holds, in exact seconds. */
export function fromOf({ version, publishedAt }: DatedMode): string {
  const seconds = effectiveFromSeconds(version === 1 ? always : publishedAt);
  if (seconds === undefined) throw new Error('a tenant record without a readable time');
  return seconds;
}
