import { setTimeout as delay } from 'node:timers/promises';
import { everyTestAttacks } from '@tributary/testkit/attacks';
import { eventually } from '@tributary/testkit/eventually';
import { patiently } from '@tributary/testkit/patience';
import { expect } from 'chai';
import type { DemoTenant } from '../deploy/demo/demo-file.ts';
import { type ByteStream, openByteStream } from './byte-stream.ts';
import { purchase, tokenFor } from './calls.ts';
import { headerOf, readAnswer } from './conformance/wire/raw-answer.ts';
import { hostile } from './hostile-requests.ts';
import { sharedStack } from './shared-stack.ts';

const path = '/v2/events/purchase-created';

/**
 * Every request gets one answer in the problem shape, or at least its end; none a 5xx or a page.
 */
for (const target of ['the edge', 'ingest-api itself'] as const) {
  describe(`hostile requests to ${target}`, () => {
    everyTestAttacks('smuggling');
    let tenant: DemoTenant;
    let port: number;
    let token: string;
    let stream: ByteStream;

    before(async function () {
      this.timeout(180_000);
      const { demo, services } = await sharedStack();
      tenant = demo.tenants[0]!;
      token = await tokenFor(demo, tenant);
      const service = services['ingest-api'].replicas[0]!.port!;
      port = target === 'the edge' ? Number(new URL(demo.baseUrl).port) : service;
    });
    beforeEach(async () => {
      stream = await openByteStream(port);
    });
    afterEach(() => stream.socket.destroy());

    for (const [what, { bytes, ...expected }] of Object.entries(hostile)) {
      it(`answers ${what}`, async () => {
        const { status, code } = (target !== 'the edge' && expected.atService) || expected;
        stream.send(bytes(token));
        const { answer, length } = await firstAnswer();
        const problem = JSON.parse(answer.body.toString()) as Record<string, unknown>;
        expect({ got: answer.status, ...problem }).to.include({ got: status, status, code });
        expect(problem['instance']).to.equal(headerOf(answer, 'x-request-id'));
        expect(headerOf(answer, 'content-type')).to.equal('application/problem+json');
        expect(headerOf(answer, 'cache-control')).to.equal('no-store');
        if (status === 401) expect(headerOf(answer, 'www-authenticate')).to.equal('Bearer');
        if (status === 405) expect(headerOf(answer, 'allow')).to.equal(expected.allow);
        await servesOrCloses(length);
      });
    }

    it('answers HEAD without a body', async () => {
      stream.send(`HEAD ${path} HTTP/1.1\r\nHost: a\r\n\r\n`);
      const { answer, length } = await firstAnswer({ toHead: true });
      expect(answer.status).to.equal(401);
      await servesOrCloses(length);
    });

    it('gives 401 to a wrong token while 10 MB are on their way slowly', async () => {
      stream.send(head('wrong', 'Content-Length: 10000000'));
      const sending = setInterval(() => stream.send('x'.repeat(100_000)), 10);
      try {
        const { answer } = await firstAnswer({ deadlineMs: 1_000 });
        expect(answer.status).to.equal(401);
        const { reset } = await stream.closed;
        if (target === 'the edge') expect(reset).to.equal(false);
      } finally {
        clearInterval(sending);
      }
    });

    it('never takes an unread body for requests', async () => {
      for (const times of [1, 300]) {
        const smuggling = await openByteStream(port);
        const body = good().repeat(times);
        smuggling.send(head('wrong', `Content-Length: ${body.length}`) + body);
        await eventually(() => expect(statuses(smuggling)).to.deep.equal(['401']));
        await Promise.race([smuggling.closed, delay(400)]);
        expect(statuses(smuggling)).to.deep.equal(['401']);
        smuggling.socket.destroy();
      }
    });

    it('answers the request after a refused small one on the same connection', async () => {
      stream.send(`${head('wrong', 'Content-Length: 20')}${'x'.repeat(20)}${good()}`);
      await eventually(() => expect(statuses(stream)).to.deep.equal(['401', '202']));
    });

    // The limits past the edge are the same ones; http's own spec meets them in milliseconds.
    if (target === 'the edge') {
      it('answers 408 to a body that comes too slowly, and closes on such headers', async function () {
        this.timeout(40_000);
        const open = async (bytes: string) => {
          const slow = await openByteStream(port);
          slow.send(bytes);
          return slow;
        };
        const stalled = await open(`${head(token, 'Content-Length: 100')}{`);
        const dripping = await open(`${head(token, 'Content-Length: 100')}{`);
        const chunks = await open(`${head(token, 'Transfer-Encoding: chunked')}1\r\n{\r\n`);
        const headers = await open(`POST ${path} HTTP/1.1\r\nX-A: b`);
        const drip = setInterval(() => [dripping, headers].forEach(({ send }) => send(' ')), 500);
        try {
          const ended = Promise.all([stalled, dripping, chunks, headers].map((s) => s.closed));
          const late = delay(patiently(30_000), 'late', { ref: false });
          expect(await Promise.race([ended, late])).to.not.equal('late');
        } finally {
          clearInterval(drip);
        }
        for (const body of [stalled, dripping, chunks]) {
          expect(statuses(body)).to.deep.equal(['408']);
          expect(body.received().toString()).to.include('"code":"MALFORMED_JSON"');
        }
        expect(statuses(headers)).to.deep.equal([]);
      });
    }

    function head(withToken: string, length: string): string {
      const authorization = `Authorization: Bearer ${withToken}`;
      const type = 'Content-Type: application/json';
      return `POST ${path} HTTP/1.1\r\nHost: a\r\n${authorization}\r\n${type}\r\n${length}\r\n\r\n`;
    }

    function good(): string {
      const body = JSON.stringify(purchase(tenant, `hostile-${Math.random()}`));
      return head(token, `Content-Length: ${Buffer.byteLength(body)}`) + body;
    }

    async function firstAnswer({ toHead = false, deadlineMs = 10_000 } = {}) {
      return eventually(
        () => {
          const read = readAnswer(stream.received(), toHead);
          if (!read) throw new Error('no answer');
          return read;
        },
        { deadlineMs },
      );
    }

    /** After one refusal the next request is served as if it were new, or the connection closed. */
    async function servesOrCloses(answeredBytes: number): Promise<void> {
      stream.send('GET /nowhere HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
      expect(
        await Promise.race([stream.closed, delay(patiently(5_000), 'open', { ref: false })]),
      ).to.not.equal('open');
      const rest = stream.received().subarray(answeredBytes).toString();
      expect(rest).to.match(/^$|^HTTP\/1\.1 404 [^]*"code":"NOT_FOUND"}$/);
    }
  });
}

function statuses(stream: ByteStream): string[] {
  const lines = stream
    .received()
    .toString('latin1')
    .matchAll(/HTTP\/1\.1 (\d{3}) /g);
  return [...lines].map(([, status]) => status!);
}
