import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { contentKey } from '../packages/client/src/content-key.ts';
import {
  type FakeService,
  json,
  problem,
  purchase,
  secret,
  silence,
  startService,
} from '../packages/client/src/testing/fake-service.ts';
import { prepareReceivers } from './example-receivers.ts';

// What the service itself never answers, and what a client does by itself: the clients of all
// languages before a server that plays its part. clients/details.* has what only one language has.

type Vector = { about: string; eventType: string; event: object; key: string };
type Result = { accepted?: object; found?: unknown; refused?: { attempts: number } };
type Details = {
  shown: string[];
  silent: [string, boolean][];
  failing: [string, boolean][];
  undecided: string;
  stranger?: Record<string, string>;
  cached?: string[];
};

const extensions = { typescript: 'mjs', python: 'py', go: 'go', php: 'php' };

describe('the clients of all languages by themselves', function () {
  this.timeout(120_000);
  let prepared: Awaited<ReturnType<typeof prepareReceivers>>;
  let service: FakeService;
  let vectors: Vector[];
  before(async () => {
    const file = new URL('clients/content-keys.json', import.meta.url);
    ({ vectors } = JSON.parse(await readFile(file, 'utf8')) as { vectors: Vector[] });
    service = await startService();
    prepared = await prepareReceivers([]);
  });
  beforeEach(() => service.reset());
  after(async () => {
    await prepared?.remove();
    await service?.stop();
  });

  for (const [language, extension] of Object.entries(extensions)) {
    it(`${language} makes the published keys`, async () => {
      const steps = vectors.map(({ eventType, event }) => ({ call: camelCase(eventType), event }));
      await play(`scenario.${extension}`, steps);
      for (const [at, { about, key }] of vectors.entries()) {
        expect(service.api.seen[at]?.headers['idempotency-key'], about).to.equal(key);
      }
    });

    it(`${language} takes no answer for that of the service that only is JSON`, async () => {
      const { turns } = service.api;
      service.token.turns.push(json(201, { accessToken: 'token-without-an-end' }));
      for (let call = 0; call < 4; call++) turns.push(json(200, {}));
      turns.push(json(202, {}), problem(422, 'ODD', { errors: ['x'] as unknown as object[] }));
      turns.push(json(422, { ...odd, instance: 7 }));
      const event = { ...purchase };
      const results = await play(`scenario.${extension}`, [
        { call: 'lookup', argument: 'x' },
        { call: 'lookup', argument: 'x' },
        { call: 'activeLink', argument: 'x' },
        { call: 'event', argument: 'x' },
        { call: 'waitForDecision', argument: 'x' },
        ...Array.from({ length: 3 }, () => ({ call: 'purchaseCreated', event })),
      ]);
      expect(results).to.have.length(8);
      for (const [at, { refused }] of results.entries()) {
        expect(refused, `step ${at}: ${JSON.stringify(results)}`).to.include({ attempts: 1 });
      }
    });

    it(`${language} sends an empty key, which the service refuses`, async () => {
      const step = { call: 'purchaseCreated', event: purchase, idempotencyKey: '' };
      await play(`scenario.${extension}`, [step]);
      expect(service.api.seen[0]?.headers).to.include({ 'idempotency-key': '' });
    });
  }

  for (const extension of ['py', 'go', 'php']) {
    describe(`details.${extension}`, () => {
      let services: FakeService[];
      let details: Details;
      before(async () => {
        services = await Promise.all(Array.from({ length: 5 }, startService));
        const [usual, silent, failing, open, cached] = services as Five;
        usual.api.turns.push(json(202, accepted), problem(422, 'REFUSED'));
        silent.token.turns.push(...Array.from({ length: 20 }, () => silence));
        const late = problem(500, 'INTERNAL_ERROR');
        failing.token.turns.push(
          ...Array.from({ length: 20 }, (): typeof late => (res, seen) => {
            setTimeout(() => late(res, seen), 1_000);
          }),
        );
        open.api.turns.push(json(200, { outcome: 'pending' }), silence, silence);
        cached.api.turns.push(problem(401, 'UNAUTHORIZED'));
        const input = {
          ...{ secret, purchase, usualUrl: usual.baseUrl, silentUrl: silent.baseUrl },
          ...{ failingUrl: failing.baseUrl, openUrl: open.baseUrl, cacheUrl: cached.baseUrl },
        };
        const name = `details.${extension}`;
        const output = await prepared.runProgram(name, { input: JSON.stringify(input) });
        details = JSON.parse(output) as Details;
      });
      after(() => Promise.all((services ?? []).map((one) => one.stop())));

      it('shows neither the access key nor a token nor a body', () => {
        expect(details.shown.join('').length).to.be.greaterThan(100);
        for (const hidden of [secret, 'token-1', 'inv-17', bytesOf(secret), hexOf(secret)]) {
          for (const text of details.shown) expect(text).to.not.contain(hidden);
        }
      });

      it('makes the key of what is sent, also of a value whose JSON is text', () => {
        const { headers, body } = services[0]!.api.seen[0]!;
        const sent = JSON.parse(body) as object;
        expect(sent).to.include({ currency: 'EUR' });
        expect(headers['idempotency-key']).to.equal(contentKey('purchase-created', sent));
      });

      it('waits for a token no longer than the call may take', () => {
        expect(details.silent).to.have.length(extension === 'php' ? 1 : 8);
        for (const [message, retryable] of details.silent) {
          expect(message).to.match(/^POST \/token: no answer/);
          expect(retryable).to.equal(true);
        }
      });

      it('shares the failure to get a token among those who waited for it', () => {
        const callers = extension === 'php' ? 1 : 8;
        expect(details.failing).to.have.length(callers);
        for (const [message] of details.failing) expect(message).to.contain('500 INTERNAL_ERROR');
        if (callers > 1) expect(services[2]!.token.seen.length).to.be.lessThan(callers);
      });

      it('waits for a decision no longer than told', () => {
        expect(details.undecided).to.match(/^GET \/api\/events\/\{eventId\}: /);
      });

      if (extension !== 'go') {
        it('tells a stranger how to name himself', () => {
          expect(details.stranger?.['WWW-Authenticate']).to.match(/^Basic realm=/);
        });
      }

      if (extension === 'php') {
        it('takes the token from the cache until it is refused', () => {
          expect(details.cached).to.deep.equal(['token-1', 'token-1', 'token-1', 'token-2']);
          expect(services[4]!.token.seen).to.have.length(2);
        });

        it('sends an empty subscription as an object', () => {
          const bodies = services[4]!.api.seen.map(({ body }) => body);
          expect(bodies).to.have.length(2);
          for (const body of bodies) expect(body).to.contain('"subscription":{}');
        });
      }
    });
  }

  async function play(program: string, steps: object[]): Promise<Result[]> {
    const key = { accessKeyId: 'ak-1', secretAccessKey: secret };
    const input = JSON.stringify({ baseUrl: service.baseUrl, ...key, steps });
    return JSON.parse(await prepared.runProgram(program, { input })) as Result[];
  }
});

type Five = [FakeService, FakeService, FakeService, FakeService, FakeService];

const accepted = { eventId: 'e1', receivedAt: '2026-11-21T12:10:23.274Z' };
const odd = { type: 'urn:odd', title: 'Odd', status: 422, detail: 'Odd.', code: 'ODD' };

/** `%d` and `%x` of Go write the bytes of a text. */
const bytesOf = (value: string) => [...Buffer.from(value)].join(' ');
const hexOf = (value: string) => Buffer.from(value).toString('hex');

function camelCase(eventType: string): string {
  return eventType.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
