import { eventually } from '@tributary/testkit/eventually';
import { expect } from 'chai';
import type { Demo } from '../deploy/demo/demo-file.ts';
import {
  type ApiDocument,
  createSchemaCheck,
  operationsOf,
  type Place,
  resolve,
  responseFor,
} from '../deploy/docs/openapi/testing/document.ts';
import { type Answer, call, tokenFor } from './calls.ts';
import { type Probe, probesOf } from './openapi-probes.ts';
import { busyAddress, oneOfMany, type RefusedTokens, refusedTokens } from './refused-callers.ts';
import { sharedDemo } from './shared-stack.ts';

/** The served description against the running system: what it says is so, and nothing else is. */
describe('the OpenAPI document through the edge (issue 4, item 10)', () => {
  let demo: Demo;
  let token: string;
  let refused: RefusedTokens;
  let document: ApiDocument;
  let places: Place[];
  let schemaCheck: ReturnType<typeof createSchemaCheck>;
  let busy: ReturnType<typeof busyAddress> | undefined;

  before(async function () {
    this.timeout(180_000);
    demo = await sharedDemo();
    token = await tokenFor(demo, demo.tenants[0]!);
    refused = await refusedTokens(demo);
    const served = await call(`${demo.baseUrl}/docs/openapi.json`);
    document = served.body as ApiDocument;
    places = operationsOf(document);
    schemaCheck = createSchemaCheck(document);
  });

  afterEach(() => busy?.leave());

  it('is served beside its page, to anybody', async () => {
    for (const path of ['/docs', '/docs/', '/docs/api', '/docs/errors', '/docs/events']) {
      const { status, headers } = await call(demo.baseUrl + path);
      expect([status, headers.get('content-type')], path).to.deep.equal([
        200,
        'text/html; charset=utf-8',
      ]);
    }
    expect(document['openapi']).to.match(/^3\.1\./);
    expect((await call(`${demo.baseUrl}/docs/asyncapi.json`)).body).to.include({
      asyncapi: '3.0.0',
    });
  });

  it('names every answer that a caller can meet, and each fits its schema', async function () {
    this.timeout(120_000);
    for (const place of places) {
      const met = new Set<string>();
      const codes = new Set<unknown>();
      for (const probe of [...probesOf(place), ...goodTokenRequest(place)]) {
        const answer = await ask(place, probe);
        const what = `${place.method} ${probe.path ?? place.path} for ${probe.status}`;
        expect(answer.status, what).to.equal(probe.status);
        expectDocumented(place, answer, what);
        met.add(place.operation.responses[answer.status] ? String(answer.status) : 'default');
        codes.add((answer.body as { code?: unknown }).code ?? 'none');
      }
      for (const [status, asking] of refusals(place)) {
        const what = `${place.method} ${place.path} for ${status}`;
        const answer = await eventually(async () => {
          const one = await asking();
          expect(one.status, what).to.equal(status);
          return one;
        });
        expectDocumented(place, answer, what);
        met.add(String(status));
      }
      const promised = Object.keys(place.operation.responses);
      expect([...met], place.path).to.have.members(
        promised.filter((status) => status !== '500' && status !== '503'),
      );
      if (place.path.startsWith('/v2/')) expect(codes).to.include('IDEMPOTENCY_KEY_CONFLICT');
    }
  });

  it('names every method of its paths: any other is a 405 that lists them', async () => {
    for (const path of Object.keys(document.paths)) {
      const documented = Object.keys(document.paths[path]!)
        .map((name) => name.toUpperCase())
        .flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD']) {
        if (documented.includes(method)) continue;
        const answer = await ask({ ...places[0]!, path }, { status: 405, method });
        expect(answer.status, `${method} ${path}`).to.equal(405);
        expect(answer.headers.get('allow'), `${method} ${path}`).to.equal(documented.join(', '));
      }
    }
  });

  it('implies HEAD where it names GET (RFC 9110)', async () => {
    for (const place of places.filter(({ method }) => method === 'get')) {
      const answer = await ask(place, { status: 200, method: 'HEAD' });
      expect([answer.status, answer.body], place.path).to.deep.equal([200, '']);
    }
  });

  it('names every path: what is beside them is a 404', async () => {
    for (const path of Object.keys(document.paths)) {
      const beside = [
        `${path}/`,
        `${path}/more`,
        `/v1${path}`,
        `/api/v2${path}`,
        path.slice(0, -1),
      ];
      for (const other of beside) {
        // A shortened path that ends in a parameter is that parameter, shortened.
        if (path.endsWith('}') && other === path.slice(0, -1)) continue;
        const isAdminApi = other.startsWith('/api/');
        const answer = await ask(places[0]!, { status: 404, path: other, method: 'POST' });
        expect(answer.status, other).to.equal(isAdminApi ? 401 : 404);
      }
    }
    for (const path of ['/v2', '/v2/', '/v2/events', '/v2/events/', '/referral-codes']) {
      const answer = await ask(places[0]!, { status: 404, path, method: 'POST' });
      expect(answer.status, path).to.equal(404);
    }
  });

  function goodTokenRequest({ path }: Place): Probe[] {
    const { accessKeyId, secretAccessKey } = demo.tenants[0]!;
    return path === '/token' ? [{ status: 201, body: { accessKeyId, secretAccessKey } }] : [];
  }

  /** Callers that are refused whatever they send, each at what it is refused. */
  function refusals({ path, method }: Place): [status: number, asking: () => Promise<Answer>][] {
    // Held no sooner than it is needed: the service waits for a whole request for 20 s.
    const postWhileBusy = async () => (busy ??= busyAddress(demo.baseUrl)).post(path, {});
    if (path === '/token') return [[429, postWhileBusy]];
    const url = demo.baseUrl + concrete(path);
    const asking = method === 'get' ? {} : { method: 'POST', body: {} };
    const suspended = () => call(url, { ...asking, token: refused.suspended });
    const limited = () => oneOfMany(() => call(url, { ...asking, token: refused.limited }), 429);
    return method === 'get'
      ? [[403, suspended]]
      : [
          [403, suspended],
          [429, limited],
        ];
  }

  function concrete(path: string): string {
    const { referrer } = demo.tenants[0]!;
    return path.replace('{code}', referrer.ucc).replace('{productUserId}', referrer.productUserId);
  }

  function ask(place: Place, probe: Probe): Promise<Answer> {
    return call(demo.baseUrl + concrete(probe.path ?? place.path), {
      method: probe.method ?? place.method.toUpperCase(),
      ...(!probe.anonymous && { token }),
      ...(probe.headers && { headers: probe.headers }),
      ...(probe.body !== undefined && { body: probe.body }),
    });
  }

  /** Media type, body and headers are those of the document for this status. */
  function expectDocumented(place: Place, answer: Answer, what: string): void {
    const response = responseFor(document, place.operation, String(answer.status));
    const mediaType = answer.headers.get('content-type') ?? '';
    const content = response.content?.[mediaType];
    expect(content, `${what}: ${mediaType}`).to.be.an('object');
    const check = schemaCheck(content!.schema);
    check(answer.body);
    expect(check.errors, what).to.equal(null);
    for (const [name, reference] of Object.entries(response.headers ?? {})) {
      const header = resolve(document, reference);
      if (header['required'] === true) expect(answer.headers.get(name), what).to.be.a('string');
    }
  }
});
