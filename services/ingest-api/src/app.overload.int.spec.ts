import { setTimeout as delay } from 'node:timers/promises';
import { connectRaw, parseAnswer } from '@tributary/http/testing';
import { createDatabase, type TestDatabase } from '@tributary/testkit/database';
import { eventually } from '@tributary/testkit/eventually';
import { startOwned } from '@tributary/testkit/owned-servers';
import { patiently } from '@tributary/testkit/patience';
import { getServers } from '@tributary/testkit/servers';
import { expect } from 'chai';
import {
  createIngestFixture,
  type IngestFixture,
  type IngestProcess,
  purchase,
  tenantA,
} from './testing/ingest-fixture.ts';

/** So few that a slow machine has taken in all of them before silent brokers count as gone. */
const places = 25;
const tooMany = 10;

describe('ingest-api: more events than can be accepted (design 8)', function () {
  this.timeout(90_000);
  let kafka: Awaited<ReturnType<typeof startOwned>>;
  let database: TestDatabase;
  let fixture: IngestFixture;
  let api: IngestProcess;
  let token: string;

  before(async () => {
    const servers = await getServers();
    [kafka, database] = await Promise.all([startOwned('kafka'), createDatabase()]);
    fixture = await createIngestFixture(
      { ...servers, kafkaBrokers: kafka.address, postgresUrl: database.url },
      // Nobody who waits is to be refused for that.
      { eventsAtOnce: places, appendDeadlineMs: patiently(20_000) },
    );
    api = await fixture.start();
    token = await api.token(tenantA);
    await eventually(async () => {
      expect((await api.purchase(token, purchase(), 'first')).status).to.equal(202);
    });
  });

  after(async () => {
    await api?.stop();
    await fixture?.stop();
    await Promise.all([kafka?.stop(), database?.drop()]);
  });

  const send = (key: string) => api.purchase(token, bodyOf(key), key);

  it('are refused at once; who waits is answered when the log goes on, each event on it once', async () => {
    const keys = Array.from({ length: places + tooMany }, (_, n) => `k-${n}`);
    const refused: string[] = [];
    await kafka.pause();
    const sent = keys.map(async (key) => {
      const answer = await send(key);
      if (answer.status === 503) refused.push(key);
      return [key, answer] as const;
    });
    try {
      await eventually(() => expect(refused.length).to.equal(tooMany));
      expect(await waiting()).to.equal(places);
    } finally {
      await kafka.resume();
    }

    const answers = new Map(await Promise.all(sent));
    expect(refused).to.have.length(tooMany);
    for (const key of refused) {
      const { headers, text } = answers.get(key)!;
      expect(headers.get('retry-after')).to.equal('1');
      expect(JSON.parse(text)).to.include({ code: 'SERVICE_UNAVAILABLE', status: 503 });
      expect(text).to.include('stored nothing');
    }
    const accepted = [...answers].filter(([, { status }]) => status === 202);
    expect(accepted).to.have.length(places);
    // A place is free a moment after its answer.
    await eventually(async () => expect(await waiting()).to.equal(0));
    expect(await metric('tributary_events_refused_total{reason="overload"')).to.equal(tooMany);

    // None of them had reserved its key: another body would be a conflict then.
    const again = await Promise.all(refused.map((key) => api.purchase(token, otherBody(key), key)));
    expect(again.filter(({ status }) => status !== 202)).to.deep.equal([]);

    // A record that was sent twice while the log was silent is one event (design 5).
    const idsByKey = new Map<string, Set<string>>();
    for (const { eventId, idempotency } of await fixture.events()) {
      const key = idempotency?.key ?? '';
      idsByKey.set(key, (idsByKey.get(key) ?? new Set()).add(eventId));
    }
    const told = [...accepted, ...refused.map((key, n) => [key, again[n]!] as const)];
    for (const [key, { text }] of told) {
      expect(idsByKey.get(key), key).to.deep.equal(new Set([(JSON.parse(text) as Told).eventId]));
    }
  });

  it('do not include bodies that are still coming: those hold no place', async () => {
    const slow = await Promise.all(
      Array.from({ length: places + 1 }, async () => {
        const connection = await connectRaw(Number(new URL(api.url).port));
        connection.send(headOf(token, 1_000));
        return connection;
      }),
    );
    await delay(100);
    expect(await waiting()).to.equal(0);
    expect((await send('beside-slow')).status).to.equal(202);
    for (const { socket } of slow) socket.destroy();
  });

  it('are refused before their body, and their connection goes on', async () => {
    await kafka.pause();
    const connection = await connectRaw(Number(new URL(api.url).port));
    try {
      const held = Array.from({ length: places }, (_, n) => send(`held-${n}`));
      await eventually(async () => expect(await waiting()).to.equal(places));
      connection.send(headOf(token, 10));
      await eventually(() => expect(connection.received()).to.include('\r\n\r\n{'));
      expect(parseAnswer(connection.received())).to.include({ status: 503 });
      await kafka.resume();
      expect((await Promise.all(held)).filter(({ status }) => status !== 202)).to.deep.equal([]);
    } finally {
      await kafka.resume();
    }
    connection.send('{"a": 123}' + headOf(token, 2) + '{}');
    await eventually(() => expect(connection.received()).to.include('HTTP/1.1 422 '));
    connection.socket.destroy();
  });

  const waiting = () => metric('tributary_ingest_events_waiting{');

  async function metric(name: string): Promise<number> {
    const text = await (await fetch(`${api.adminUrl}/metrics`)).text();
    const line = text.split('\n').find((candidate) => candidate.startsWith(name));
    return Number(line?.split(' ').at(-1));
  }
});

type Told = { eventId: string };

function bodyOf(key: string) {
  return purchase({ invoiceId: key, newUser: { id: `user-${key}` } });
}

function otherBody(key: string) {
  return { ...bodyOf(key), amount: 1 };
}

function headOf(token: string, contentLength: number): string {
  return (
    'POST /v2/events/purchase-created HTTP/1.1\r\nHost: a\r\n' +
    `Authorization: ${token}\r\nContent-Type: application/json\r\n` +
    `Content-Length: ${contentLength}\r\n\r\n`
  );
}
