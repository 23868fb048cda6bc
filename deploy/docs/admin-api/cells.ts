import type { AdminRoute } from '@tributary/contracts/admin/admin-route';
import type { Json } from '../openapi/json-schema.ts';

// Cells of the tables in docs/admin-api.md: what a request takes and what it is answered, by names.

/** `name, note?` of a body, then the parameters of the query. */
export function bodyCell({ body, query }: AdminRoute): string {
  const names = Object.keys(query ?? {}).join(', ');
  const taken = body === undefined ? '' : describe(body, describeMember);
  if (names === '') return taken;
  return taken === '' ? names : `${taken}; query: ${names}`;
}

export function answerCell({ answers, when = {}, conflict }: AdminRoute): string {
  // A status that is not the usual one has a sentence about it, and comes behind.
  const statuses = Object.keys(answers)
    .map(Number)
    .sort((a, b) => Number(when[a] !== undefined) - Number(when[b] !== undefined));
  const parts = statuses.map((status, i) => {
    const first = answers[statuses[0]!]!;
    const schema = answers[status]!;
    const same = i > 0 && JSON.stringify(schema) === JSON.stringify(first);
    const shown = same ? 'the same' : describe(schema, describeAnswered);
    return [`${status} ${shown}`, ...(when[status] === undefined ? [] : [when[status]])].join(', ');
  });
  return [...parts, ...(conflict === undefined ? [] : [`409 when ${conflict}`])].join('; ');
}

type Member = readonly [name: string, schema: Json, isOptional: boolean];

function describe(schema: Json, tell: (member: Member) => string): string {
  const title = schema['title'] as string | undefined;
  if (title !== undefined) return withArticle(title);
  const forms = schema['anyOf'] as Json[] | undefined;
  if (forms !== undefined) return forms.map((form) => describe(form, tell)).join('; or ');
  const base = schema['extends'] as { title: string; members: string[] } | undefined;
  const members = membersOf(schema);
  if (base === undefined) return members.map(tell).join(', ');
  const added = members.filter(([name]) => !base.members.includes(name));
  return `${withArticle(base.title)}; ${added.map(tell).join(', ')}`;
}

function withArticle(title: string): string {
  const name = title.toLowerCase();
  if (name.endsWith('s')) return `the ${name}`;
  return `${/^[aeiou]/.test(name) ? 'an' : 'a'} ${name}`;
}

function membersOf(schema: Json): Member[] {
  const required = new Set((schema['required'] as string[] | undefined) ?? []);
  const properties = Object.entries((schema['properties'] ?? {}) as Record<string, Json>);
  return properties.map(([name, member]) => [name, member, !required.has(name)]);
}

/** A member of an answer, with those of what a short list is made of. */
function describeAnswered([name, member, isOptional]: Member): string {
  const named = isOptional ? `${name}?` : name;
  if (typeof member['const'] === 'string') return `${named} \`${member['const']}\``;
  const item = (member['items'] ?? member) as Json;
  const inner = item['title'] === undefined ? membersOf(item) : [];
  if (inner.length === 0 || inner.length > 4) return named;
  return `${named} (${inner.map(([innerName, _schema, may]) => `${innerName}${may ? '?' : ''}`).join(', ')})`;
}

/** What its members are, or are lists of. */
export function partsOf(schema: Json): Json[] {
  return membersOf(schema).map(([, member]) => (member['items'] ?? member) as Json);
}

/** What a title in a cell stands for; undefined for what has no members of its own. */
export function shapeOf(schema: Json): { title: string; members: string } | undefined {
  const title = schema['title'] as string | undefined;
  const members = membersOf(schema).map(describeAnswered).join(', ');
  return title === undefined || members === '' ? undefined : { title, members };
}

/** A member of a body with what may be written there, as far as that is short. */
function describeMember([name, member, isOptional]: Member): string {
  const named = isOptional ? `${name}?` : name;
  if (typeof member['const'] === 'string') return `${named} \`${member['const']}\``;
  const notes = [...rangeOf(member), ...choicesOf(member), ...defaultOf(member)];
  if (notes.length > 0) return `${named} (${notes.join(', ')})`;
  const inner = member['additionalProperties'] === false ? membersOf(member) : [];
  if (inner.length === 0 || inner.length > 5) return named;
  return `${named} (${inner.map(describeMember).join(', ')})`;
}

function rangeOf({ minimum, maximum }: Json): string[] {
  if (typeof maximum !== 'number' || maximum >= notWorthTelling) return [];
  return typeof minimum === 'number' ? [`${minimum} to ${maximum}`] : [];
}

/** What nobody reaches by what they write. */
const notWorthTelling = 1_000_000;

function choicesOf({ anyOf }: Json): string[] {
  const forms = (anyOf ?? []) as { const?: unknown }[];
  const texts = forms.map((form) => form.const).filter((text) => typeof text === 'string');
  return texts.length < forms.length ? [] : texts.map((text) => `\`${text}\``);
}

function defaultOf({ default: value }: Json): string[] {
  return value === undefined ? [] : [`default ${value as string | number | boolean}`];
}
