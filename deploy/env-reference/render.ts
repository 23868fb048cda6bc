import { format } from 'prettier';
import { EdgeMetricsConfig } from '../../services/edge-metrics/src/config.ts';
import { type ServiceRow, serviceTable } from '../local/service-table.ts';
import { meanings } from './meanings.ts';

type Documented = Pick<ServiceRow, 'name' | 'schema'>;

/** What the page is about: the services, and the process beside the edge. */
export const documented: readonly Documented[] = [
  ...serviceTable,
  { name: 'edge-metrics', schema: EdgeMetricsConfig },
];

/** The reference page as it is kept: from the schemas, and in the repository's format. */
export async function envReferencePage(): Promise<string> {
  return format(renderEnvReference(documented), { parser: 'markdown', printWidth: 100 });
}

/** Every variable of every service, from the schemas the services parse. */
function renderEnvReference(services: readonly Documented[]): string {
  const variables = new Map<string, Use[]>();
  for (const { name, schema } of services) {
    for (const [variable, property] of Object.entries(schema.properties)) {
      const uses = variables.get(variable) ?? [];
      variables.set(variable, [...uses, { service: name, property: property as Property }]);
    }
  }
  const rows = [...variables].map(([variable, uses]) => renderRow(variable, uses, services.length));
  return [...head, ...rows, ''].join('\n');
}

type Use = { service: string; property: Property };

type Property = {
  default?: string | number | boolean;
  secret?: boolean;
  type?: string;
  anyOf?: { const?: unknown }[];
  minimum?: number;
  maximum?: number;
  [optional: symbol]: unknown;
};

const head = [
  '# Environment variables of the services',
  '',
  '<!-- Generated from the services’ schemas: `node deploy/env-reference/main.ts`. -->',
  '',
  'A service refuses to start if a `TRIBUTARY_` variable is unknown to it, has an invalid value or is',
  'missing, and reports all such mistakes at once.',
  '',
  '| Variable | Meaning | Value | Default | Services |',
  '|---|---|---|---|---|',
];

function renderRow(variable: string, uses: Use[], serviceCount: number): string {
  const [first] = uses;
  if (first === undefined) throw new Error(`nobody uses ${variable}`);
  const services = uses.length === serviceCount ? 'all' : uses.map((u) => u.service).join(', ');
  const meaning = meanings[variable];
  if (meaning === undefined) throw new Error(`meanings.ts does not say what ${variable} is for`);
  const secret = first.property.secret === true ? ' **(secret)**' : '';
  const cells = [
    `\`${variable}\``,
    `${meaning}${secret}`,
    valueOf(first.property),
    defaultsOf(uses),
  ];
  return `| ${[...cells, services].join(' | ')} |`;
}

function valueOf({ type, anyOf, minimum, maximum }: Property): string {
  if (anyOf !== undefined) return anyOf.map((option) => `\`${String(option.const)}\``).join(', ');
  if (type === 'boolean') return '`true`, `false`';
  if (type !== 'integer' && type !== 'number') return 'text';
  const bounds = [minimum ?? '', maximum ?? ''].join('…');
  const kind = type === 'integer' ? 'whole number' : 'number';
  return bounds === '…' ? kind : `${kind}, ${bounds}`;
}

/** One value, or one per service where they differ. */
function defaultsOf(uses: Use[]): string {
  const texts = new Set(uses.map(({ property }) => defaultOf(property)));
  if (texts.size === 1) return [...texts].join('');
  return uses.map(({ service, property }) => `${service}: ${defaultOf(property)}`).join(', ');
}

function defaultOf(property: Property): string {
  if (property.default === '') return 'empty';
  if (property.default !== undefined) return `\`${String(property.default)}\``;
  return isOptional(property) ? 'none' : '**required**';
}

/** TypeBox marks an optional property with a symbol of its own. */
function isOptional(property: Property): boolean {
  const symbols = Object.getOwnPropertySymbols(property);
  return symbols.some((symbol) => symbol.description === 'TypeBox.Optional');
}
