import { readFile } from 'node:fs/promises';
import { stripeApiVersions, type StripeShape } from './api-version.ts';
import { buildStripeMock } from './build-stripe-mock.ts';
import type { FixtureFile } from './fixture-file.ts';
import { stripeMockVersions } from './stripe-mock.ts';

/** The objects that facts are made of, and those around them. Invoice payments are new. */
const fixtureNames = [
  ...['charge', 'checkout.session', 'customer', 'deleted_customer', 'deleted_webhook_endpoint'],
  ...['event', 'invoice', 'invoice_payment', 'item', 'line_item', 'payment_intent', 'price'],
  ...['refund', 'subscription', 'subscription_item', 'webhook_endpoint'],
];

/** As much of Stripe's OpenAPI description as says which members an object has. */
type Schema = {
  $ref?: string;
  anyOf?: Schema[];
  properties?: Record<string, Schema>;
  items?: Schema;
};
type Spec = { info: { version: string }; components: { schemas: Record<string, Schema> } };

/**
 * What a version of stripe-mock answers with: its fixtures, without the members that Stripe's
 * description of that version does not know, which stripe-mock leaves out too.
 */
export async function extractFixtures(shape: StripeShape): Promise<FixtureFile> {
  const stripeMock = stripeMockVersions[shape];
  const { fixturesFile, specFile } = await buildStripeMock(stripeMock);
  const fixtures = JSON.parse(await readFile(fixturesFile, 'utf8')) as FixtureFile;
  const spec = JSON.parse(await readFile(specFile, 'utf8')) as Spec;
  if (spec.info.version !== stripeApiVersions[shape]) {
    throw new Error(`stripe-mock ${stripeMock} speaks ${spec.info.version}`);
  }
  const resources: FixtureFile['resources'] = {};
  for (const name of fixtureNames) {
    const fixture = fixtures.resources[name];
    const schema = spec.components.schemas[name];
    if (fixture === undefined || schema === undefined) continue;
    resources[name] = onlyKnown(fixture, schema, spec) as Record<string, unknown>;
  }
  return { stripeMock, apiVersion: spec.info.version, resources };
}

function onlyKnown(value: unknown, schema: Schema, spec: Spec): unknown {
  const meant = resolve(schema, spec);
  if (Array.isArray(value)) {
    const items = meant.find((one) => one.items !== undefined)?.items;
    return items === undefined ? value : value.map((item) => onlyKnown(item, items, spec));
  }
  if (typeof value !== 'object' || value === null) return value;
  const known = Object.assign({}, ...meant.map((one) => one.properties)) as Record<string, Schema>;
  // Free-form, like metadata.
  if (Object.keys(known).length === 0) return value;
  const members = Object.entries(value).flatMap(([name, member]) => {
    const of = known[name];
    return of === undefined ? [] : [[name, onlyKnown(member, of, spec)] as const];
  });
  return Object.fromEntries(members);
}

/** All that it may be: references followed, alternatives one by one. */
function resolve(schema: Schema, spec: Spec): Schema[] {
  const name = schema.$ref?.split('/').at(-1);
  const referred = name === undefined ? undefined : spec.components.schemas[name];
  if (referred !== undefined) return resolve(referred, spec);
  return schema.anyOf?.flatMap((one) => resolve(one, spec)) ?? [schema];
}
