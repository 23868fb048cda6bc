import { meanings } from '../env-reference/meanings.ts';
import { type ServiceRow, serviceTable } from '../local/service-table.ts';
import { variablesOfTheChart } from './chart-variables.ts';

type JsonSchema = Record<string, unknown>;

/** What may stand under `settings` of one service: its own variables, as its schema has them. */
export function settingsOfService({ schema }: ServiceRow): JsonSchema {
  const properties = Object.entries(schema.properties)
    .filter(([name, property]) => isSetting(name, property as Property))
    .map(([name, property]) => [name, settingOf(name, property as Property)]);
  return {
    type: 'object',
    additionalProperties: false,
    properties: Object.fromEntries(properties),
  };
}

/** What may stand under `settings` of all: what every service knows. */
export function settingsOfAll(): JsonSchema {
  const [first, ...others] = serviceTable;
  const all = settingsOfService(first);
  const known = Object.entries(all['properties'] as JsonSchema).filter(([name]) =>
    others.every(({ schema }) => name in schema.properties),
  );
  return { ...all, properties: Object.fromEntries(known) };
}

type Property = {
  type?: string;
  secret?: boolean;
  anyOf?: { const?: unknown }[];
  [keyword: string]: unknown;
};

/** Secrets come from Secrets only. */
function isSetting(name: string, { secret }: Property): boolean {
  return secret !== true && !variablesOfTheChart.includes(name);
}

function settingOf(name: string, { type, anyOf, ...property }: Property): JsonSchema {
  const description = meanings[name];
  if (anyOf) return { description, enum: anyOf.map((option) => option.const) };
  const limits = ['minimum', 'maximum', 'pattern', 'minLength', 'maxLength'];
  const kept = limits.filter((limit) => property[limit] !== undefined);
  return { description, type, ...Object.fromEntries(kept.map((name) => [name, property[name]])) };
}
