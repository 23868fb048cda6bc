import { Counter, type Registry } from 'prom-client';

export type LegacyMetrics = {
  answered(status: number): void;
  unknownFields(paths: readonly string[]): void;
};

/** Callers choose these names, so their number and their form are bounded; values never appear. */
const maxFieldNames = 50;
const plainPath = /^[A-Za-z_][A-Za-z0-9_.]{0,59}$/;
const other = 'other';

export function createLegacyMetrics(registry: Registry): LegacyMetrics {
  const registers = [registry];
  const answers = new Counter({
    name: 'legacy_events_answers_total',
    help: 'Answers of POST /events by status.',
    labelNames: ['status'] as const,
    registers,
  });
  const fields = new Counter({
    name: 'legacy_events_unknown_fields_total',
    help: 'Fields that are no part of the legacy envelope, dropped, by name.',
    labelNames: ['field'] as const,
    registers,
  });
  const seen = new Set<string>();

  function labelOf(path: string): string {
    if (seen.has(path)) return path;
    if (seen.size >= maxFieldNames || !plainPath.test(path)) return other;
    seen.add(path);
    return path;
  }

  return {
    answered: (status) => answers.inc({ status }),
    unknownFields(paths) {
      for (const path of paths) fields.inc({ field: labelOf(path) });
    },
  };
}
