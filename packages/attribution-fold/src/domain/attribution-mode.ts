import {
  type AttributionMode,
  defaultRepeatHours,
  type TenantRecord,
} from '@tributary/contracts/catalog-record';
import {
  always,
  effectiveFromSeconds,
  revisionInForce,
} from '@tributary/contracts/revision-in-force';

/** What a version of the tenant's record sets, for events from its publication on. */
export type DatedMode = {
  version: number;
  mode: AttributionMode;
  /** Absent: {@link defaultRepeatHours}. */
  repeatHours?: number;
  publishedAt: string;
};

/** All that the tenant ever set; empty when nothing has come of it yet. */
export type Modes = readonly DatedMode[];

export function toDatedMode(record: TenantRecord): DatedMode {
  const { version, attributionMode = 'event-code', legacyRepeatHours, publishedAt } = record;
  return {
    ...{ version, mode: attributionMode, publishedAt },
    ...(legacyRepeatHours !== undefined && { repeatHours: legacyRepeatHours }),
  };
}

export function everFirstCode(modes: Modes): boolean {
  return modes.some(({ mode }) => mode === 'first-code');
}

/**
 * Which code attributes an event of that time (in-force-at.ts). The first record of a tenant
 * (version 1) holds from always, every other one from its publication (design 7). Before all that
 * is known it is `event-code`: records that came before there were modes are not kept.
 */
export function modeAt(modes: Modes, atSeconds: string): AttributionMode {
  if (!everFirstCode(modes)) return 'event-code';
  return settingAt(modes, atSeconds)?.mode ?? 'event-code';
}

/**
 * For how many hours an equal legacy payment that is received then is a repeat
 * (untimed-payments.ts).
 */
export function repeatHoursAt(modes: Modes, receivedAtSeconds: string): number {
  if (modes.every(({ repeatHours }) => repeatHours === undefined)) return defaultRepeatHours;
  return settingAt(modes, receivedAtSeconds)?.repeatHours ?? defaultRepeatHours;
}

function settingAt(modes: Modes, atSeconds: string): DatedMode | undefined {
  const dated = modes.map((mode) => ({
    revision: mode.version,
    mode,
    effectiveFromSeconds: fromOf(mode),
  }));
  return revisionInForce(dated, atSeconds)?.mode;
}

/** From when it holds, in exact seconds. */
export function fromOf({ version, publishedAt }: DatedMode): string {
  const seconds = effectiveFromSeconds(version === 1 ? always : publishedAt);
  if (seconds === undefined) throw new Error('a tenant record without a readable time');
  return seconds;
}
