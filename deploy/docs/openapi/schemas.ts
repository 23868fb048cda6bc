import { Accepted } from '@tributary/contracts/public/accepted';
import { ActiveLink } from '@tributary/contracts/public/active-link';
import { Currency, currencyListDate } from '@tributary/contracts/currency';
import {
  NewUser,
  PurchasedSubscription,
  RefundedSubscription,
} from '@tributary/contracts/public/event-fields';
import { GeneralProblem, Problem } from '@tributary/contracts/problem';
import { ReferralCode } from '@tributary/contracts/public/referral-code';
import { TokenRequest, TokenResponse } from '@tributary/contracts/public/token';
import { v2Events } from '@tributary/contracts/public/v2-events';
import { Violation } from '@tributary/contracts/violation';
import { Warning } from '@tributary/contracts/warning';
import { WebhookPayload } from '@tributary/contracts/webhook-payload';
import { type Json, toJsonSchema } from './json-schema.ts';
import { legacySchemas } from './legacy-schemas.ts';
import { meanings } from './meanings.ts';

/** Schemas that others are made of; the rest of the document refers to them by name. */
const shared: Record<string, object> = {
  Currency,
  NewUser,
  PurchasedSubscription,
  RefundedSubscription,
  Warning,
  Violation,
};

/** Bodies of requests and answers. Event bodies are named after the type of the event. */
const bodies: Record<string, object> = {
  ...Object.fromEntries(
    Object.entries(v2Events).map(([type, { schema }]) => [eventSchemaName(type), schema]),
  ),
  Accepted,
  Problem,
  GeneralProblem,
  TokenRequest,
  TokenResponse,
  ReferralCode,
  ActiveLink,
  WebhookPayload,
};

/** `components.schemas`: each contract schema once, with what its fields mean. */
export function buildSchemas(): Record<string, Json> {
  const converted = Object.entries({ ...bodies, ...shared }).map(
    ([name, schema]): [string, Json] => [name, explain(name, toJsonSchema(schema, refer))],
  );
  return { ...Object.fromEntries(converted), ...legacySchemas };
}

export function schemaRef(name: string): { $ref: string } {
  return { $ref: `#/components/schemas/${name}` };
}

/** `purchase-created` → `PurchaseCreated` */
export function eventSchemaName(type: string): string {
  return type.replaceAll(/(?:^|-)([a-z])/g, (_match, letter: string) => letter.toUpperCase());
}

const names = new Map(Object.entries(shared).map(([name, schema]) => [textOf(schema), name]));

/** By text: TypeBox copies a schema that is made optional. */
function refer(part: Json): Json | undefined {
  const name = names.get(textOf(part));
  return name === undefined ? undefined : schemaRef(name);
}

function textOf(schema: object): string {
  return JSON.stringify(schema);
}

/** Adds the words of the table, and what cannot be said in TypeBox. */
function explain(name: string, schema: Json): Json {
  const { itself, fields = {} } = meanings[name] ?? {};
  const explained = {
    ...explainFields(schema, fields, ''),
    ...(itself && { description: itself }),
  };
  if (name === 'Warning') return withOpenCodes(explained);
  if (name !== 'Currency') return explained;
  return { ...explained, description: `${String(schema['description'])} ${listDate}` };
}

const listDate = `The list is the one published on ${currencyListDate}.`;

/** Fields of objects inside are found as `data.rewardId`. */
function explainFields(schema: Json, texts: Record<string, string>, prefix: string): Json {
  if (schema['properties'] === undefined) return schema;
  const fields = Object.entries(schema['properties'] as Record<string, Json>);
  const explained = fields.map(([field, part]) => {
    const description = texts[prefix + field];
    const whole = explainFields(part, texts, `${prefix}${field}.`);
    return [field, description === undefined ? whole : { ...whole, description }];
  });
  return { ...schema, properties: Object.fromEntries(explained) as Json };
}

/** New warning codes may appear at any time (interface 2.7), so a reader must not take an enum. */
function withOpenCodes(schema: Json): Json {
  const properties = schema['properties'] as Record<string, Json>;
  const { enum: known, ...code } = properties['code']!;
  return {
    ...schema,
    properties: { ...properties, code: { ...code, 'x-extensible-enum': known } },
  };
}
