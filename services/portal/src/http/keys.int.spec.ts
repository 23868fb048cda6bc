import { randomBytes } from 'node:crypto';
import {
  type CatalogRecord,
  catalogSchemaVersion,
  type ProcessorConnectionRecord,
} from '@tributary/contracts/catalog-record';
import { secretContext, type SecretUse } from '@tributary/contracts/secret-context';
import type { KeyRings } from '@tributary/runtime/key-rings';
import { type KeyRing, openSecret, sealSecret } from '@tributary/runtime/secrets';
import { createDatabase, type TestDatabase } from '@tributary/testkit/database';
import { eventually } from '@tributary/testkit/eventually';
import { expect } from 'chai';
import { Secret, TOTP } from 'otpauth';
import pg from 'pg';
import { type Person, signIn, signUp } from '../testing/people.ts';
import { startTestPortal, type TestPortal } from '../testing/test-portal.ts';

const tenantIds = ['acme', 'globex'];
const connectionId = 'c0ffee00c0ffee00';
const openingId = 'c0ffee00c0ffee01';

describe('portal: the keys of the deployment', () => {
  let database: TestDatabase;
  let old: TestPortal;
  let rotated: TestPortal;
  let newest: KeyRings;
  let person: Person;
  let totp: TOTP;
  before(async () => {
    database = await createDatabase();
    old = await startTestPortal({ postgresUrl: database.url });
    for (const tenantId of tenantIds) {
      await old.call('POST', '/api/tenants', { tenantId, name: tenantId });
      const webhook = { url: 'https://example.com/hook', username: 'u', password: 'first' };
      await old.call('PUT', `/api/tenants/${tenantId}/webhook`, webhook);
    }
    await old.call('POST', '/api/tenants/acme/webhook/rotate', { overlapHours: 48 });
    await connectProcessors(old, database.url);
    person = await signUp(old, { email: 'owner@example.com', tenantId: 'acme', role: 'owner' });
    const page = await signIn(old, person);
    const { body } = await page.call('POST', '/api/account/second-factor');
    totp = new TOTP({ secret: Secret.fromBase32(String(body['secret'])) });
    newest = {
      'product-secrets': [ringKey('product-2')],
      'webhook-passwords': [ringKey('webhook-2')],
      'processor-keys': [ringKey('processor-2')],
      'second-factors': [ringKey('second-2')],
    };
  });
  after(async () => {
    await rotated?.stop();
    await old?.stop();
    await database?.drop();
  });

  it('are listed with what they have sealed, and none of them is told', async () => {
    const { status, body } = await old.call('GET', '/api/keys');
    expect(status).to.equal(200);
    expect(body).to.deep.equal({
      rings: [
        ring('product-secrets', ['product-1', 'newest', 2]),
        ring('webhook-passwords', ['webhook-1', 'newest', 3]),
        ring('processor-keys', ['processor-1', 'newest', 4]),
        ring('second-factors', ['second-1', 'newest', 1]),
      ],
      tokenKeys: ['k1'],
    });
    for (const { key } of Object.values(old.keyRings).flat()) {
      expect(JSON.stringify(body)).to.not.contain(key.toString('base64'));
    }
  });

  it('have nothing to seal anew while there is one of each', async () => {
    const { body } = await old.call('POST', '/api/keys/reseal');
    expect(body).to.deep.equal({ resealed: 0, remaining: 0 });
  });

  it('are replaced: what the older ones have sealed is sealed by the newest, and stays what it is', async () => {
    await eventually(() =>
      expect(Object.keys(secretsOf(old.catalog, old.keyRings))).to.have.length(8),
    );
    const before = secretsOf(old.catalog, old.keyRings);
    rotated = await portalWith(both(newest, old.keyRings));
    expect(await ringsOf(rotated)).to.deep.equal([
      ring('product-secrets', ['product-2', 'newest', 0], ['product-1', 'older', 2]),
      ring('webhook-passwords', ['webhook-2', 'newest', 0], ['webhook-1', 'older', 3]),
      ring('processor-keys', ['processor-2', 'newest', 0], ['processor-1', 'older', 4]),
      ring('second-factors', ['second-2', 'newest', 0], ['second-1', 'older', 1]),
    ]);
    const answers = await Promise.all([
      rotated.call('POST', '/api/keys/reseal'),
      rotated.call('POST', '/api/keys/reseal', {}),
    ]);
    expect(answers.map(({ status }) => status)).to.deep.equal([200, 200]);
    expect(await ringsOf(rotated)).to.deep.equal([
      ring('product-secrets', ['product-2', 'newest', 2], ['product-1', 'older', 0]),
      ring('webhook-passwords', ['webhook-2', 'newest', 3], ['webhook-1', 'older', 0]),
      ring('processor-keys', ['processor-2', 'newest', 4], ['processor-1', 'older', 0]),
      ring('second-factors', ['second-2', 'newest', 1], ['second-1', 'older', 0]),
    ]);
    await eventually(() => expect(secretsOf(old.catalog, newest)).to.deep.equal(before));
  });

  it('can then be removed: everything is done by the newest alone', async () => {
    const alone = await portalWith(newest);
    try {
      expect(await ringsOf(alone)).to.deep.equal([
        ring('product-secrets', ['product-2', 'newest', 2]),
        ring('webhook-passwords', ['webhook-2', 'newest', 3]),
        ring('processor-keys', ['processor-2', 'newest', 4]),
        ring('second-factors', ['second-2', 'newest', 1]),
      ]);
      const webhook = { url: 'https://example.com/hook', username: 'u', password: 'first' };
      const set = await alone.call('PUT', '/api/tenants/globex/webhook', webhook);
      expect(set.status).to.equal(200);
      const code = totp.generate({ timestamp: alone.clock.now().getTime() });
      const page = await signIn(alone, person);
      const enabled = await page.call('POST', '/api/account/second-factor/confirm', { code });
      expect(enabled.status).to.equal(200);
    } finally {
      await alone.stop();
    }
  });

  it('that were removed too early are said to be missing, and what they sealed is left alone', async () => {
    const others: KeyRings = { ...newest, 'webhook-passwords': [ringKey('webhook-3')] };
    const early = await portalWith(others);
    try {
      const missing = ring(
        'webhook-passwords',
        ['webhook-3', 'newest', 0],
        ['webhook-2', 'missing', 3],
      );
      expect((await ringsOf(early))[1]).to.deep.equal(missing);
      const { body } = await early.call('POST', '/api/keys/reseal');
      expect(body).to.deep.equal({ resealed: 0, remaining: 0 });
    } finally {
      await early.stop();
    }
  });

  it('of an overlap that is over may be gone, and one place that none opens keeps back no other', async () => {
    const { keyRings } = rotated;
    const third: KeyRings = {
      ...keyRings,
      'webhook-passwords': [ringKey('webhook-4'), newest['webhook-passwords'][0]!],
      'processor-keys': [ringKey('processor-4'), newest['processor-keys'][0]!],
    };
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    const later = await portalWith(third);
    try {
      const gone = [ringKey('gone')];
      await client.query(
        `update portal.webhook_endpoint set previous_sealed_password = $1,
           previous_until = '2020-01-01' where tenant_id = 'acme'`,
        [sealed(gone, 'webhook-password', 'first')],
      );
      await client.query(
        `update portal.processor_connection set previous_sealed_secret = $2,
           previous_until = '2020-01-01' where connection_id = $1`,
        [connectionId, sealed(gone, 'processor-signing-secret', 'first')],
      );
      // Said to be sealed by a key that there is, and is not: it comes before all others.
      const { rows } = await client.query<{ text: string }>(
        `select sealed_api_key as text from portal.processor_connection where connection_id = $1`,
        [openingId],
      );
      const broken = sealed([{ ...gone[0]!, keyId: 'processor-2' }], 'processor-api-key', 'x');
      const setOpening = (text: string) =>
        client.query(
          'update portal.processor_connection set sealed_api_key = $2 where connection_id = $1',
          [openingId, text],
        );
      await setOpening(broken);
      const first = await later.call('POST', '/api/keys/reseal');
      expect(first.body).to.include({ resealed: 3, remaining: 1 });
      expect((await later.call('POST', '/api/keys/reseal')).status).to.equal(500);
      await setOpening(rows[0]!.text);
      const last = await later.call('POST', '/api/keys/reseal');
      expect(last.body).to.include({ resealed: 1, remaining: 0 });
    } finally {
      await later.stop();
      await client.end();
    }
  });

  const portalWith = (keyRings: KeyRings) =>
    startTestPortal({ like: { ...old, keyRings }, postgresUrl: database.url });
});

async function ringsOf(portal: TestPortal): Promise<unknown[]> {
  const { body } = await portal.call('GET', '/api/keys');
  return body['rings'] as unknown[];
}

function ring(purpose: string, ...keys: [string, string, number][]) {
  return {
    purpose,
    keys: keys.map(([keyId, state, secrets]) => ({ keyId, state, secrets })),
  };
}

function ringKey(keyId: string) {
  return { keyId, key: randomBytes(32) };
}

function both(newer: KeyRings, older: KeyRings): KeyRings {
  const joined = (purpose: keyof KeyRings) => [...newer[purpose], ...older[purpose]];
  return {
    'product-secrets': joined('product-secrets'),
    'webhook-passwords': joined('webhook-passwords'),
    'processor-keys': joined('processor-keys'),
    'second-factors': joined('second-factors'),
  };
}

/** One that is active, as the log tells it, and one that somebody left half open. */
async function connectProcessors(portal: TestPortal, postgresUrl: string): Promise<void> {
  const keys = portal.keyRings['processor-keys'];
  const record: ProcessorConnectionRecord = {
    ...{ schemaVersion: catalogSchemaVersion, entity: 'processor-connection', version: 1 },
    ...{ publishedAt: '2026-01-01T00:00:00.000Z', connectedAt: '2026-01-01T00:00:00.000Z' },
    ...{ tenantId: 'acme', connectionId, processor: 'stripe', apiVersion: '2026-08-26.dahlia' },
    ...{ taxPolicy: 'gross', livemode: false, status: 'active' },
    sealedApiKey: sealed(keys, 'processor-api-key', 'api-key'),
    endpoint: { id: 'we_2', sealedSecret: sealed(keys, 'processor-signing-secret', 'second') },
    previous: {
      ...{ id: 'we_1', sealedSecret: sealed(keys, 'processor-signing-secret', 'first') },
      until: '2026-01-03T00:00:00.000Z',
    },
  };
  await portal.publish([{ topic: 'catalog', key: 'acme', value: JSON.stringify(record) }]);
  const client = new pg.Client({ connectionString: postgresUrl });
  await client.connect();
  try {
    await client.query(
      `insert into portal.processor_connection
         (connection_id, tenant_id, processor, status, api_version, tax_policy, sealed_api_key,
          version, changed_at)
       values ($1, 'acme', 'stripe', 'opening', '2026-08-26.dahlia', 'gross', $2, 0, now())`,
      [openingId, sealed(keys, 'processor-api-key', 'opening')],
    );
    await eventually(async () => {
      const { rowCount } = await client.query('select from portal.processor_connection');
      expect(rowCount).to.equal(2);
    });
  } finally {
    await client.end();
  }
}

function sealed(keys: KeyRing, use: SecretUse, text: string): string {
  return sealSecret(keys, text, secretContext('acme', use));
}

/** Every secret of the newest records, in clear. */
function secretsOf(catalog: readonly CatalogRecord[], rings: KeyRings): Record<string, string> {
  const found: Record<string, string> = {};
  const note = (record: CatalogRecord, name: string, use: SecretUse, text: string) => {
    const purpose =
      use === 'product-secret'
        ? 'product-secrets'
        : use === 'webhook-password'
          ? 'webhook-passwords'
          : 'processor-keys';
    const clear = openSecret(rings[purpose], text, secretContext(record.tenantId, use));
    found[`${record.tenantId} ${name}`] = clear;
  };
  for (const record of newestOf(catalog)) {
    if (record.entity === 'product-secret') {
      note(record, 'product secret', 'product-secret', record.sealedSecret);
    } else if (record.entity === 'webhook-endpoint') {
      note(record, 'password', 'webhook-password', record.sealedPassword);
      const { previous } = record;
      if (previous) note(record, 'previous', 'webhook-password', previous.sealedPassword);
    } else if (record.entity === 'processor-connection') {
      const { sealedApiKey, endpoint, previous } = record;
      note(record, 'api key', 'processor-api-key', sealedApiKey ?? '');
      note(record, 'signing', 'processor-signing-secret', endpoint?.sealedSecret ?? '');
      note(record, 'signing before', 'processor-signing-secret', previous?.sealedSecret ?? '');
    }
  }
  return found;
}

function newestOf(catalog: readonly CatalogRecord[]): CatalogRecord[] {
  const newest = new Map<string, CatalogRecord>();
  for (const record of catalog) {
    const key = `${record.tenantId} ${record.entity}`;
    if (record.version >= (newest.get(key)?.version ?? 0)) newest.set(key, record);
  }
  return [...newest.values()];
}
