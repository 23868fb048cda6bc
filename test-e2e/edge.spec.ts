import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { expect } from 'chai';
import type { Demo } from '../deploy/demo/demo-file.ts';
import { tokenFor } from './calls.ts';
import { sharedDemo } from './shared-stack.ts';

/** Requests that `fetch` would tidy up before sending. */
type Sent = { method?: string; path: string; headers?: Record<string, string>; body?: string };

describe('refusals through the edge', () => {
  let demo: Demo;
  let authorization: string;

  before(async function () {
    this.timeout(180_000);
    demo = await sharedDemo();
    authorization = `Bearer ${await tokenFor(demo, demo.tenants[0]!)}`;
  });

  const refusals: Record<string, { sent: Sent; status: number; code: string }> = {
    'a path of no service': { sent: { path: '/v1/events' }, status: 404, code: 'NOT_FOUND' },
    'an unknown event type': {
      sent: { method: 'POST', path: '/v2/events/purchase-made' },
      status: 404,
      code: 'UNKNOWN_EVENT_TYPE',
    },
    'a known path in disguise, undecoded': {
      sent: { method: 'POST', path: '/v2/events/%70urchase-created/..%2f', body: '{}' },
      status: 404,
      code: 'UNKNOWN_EVENT_TYPE',
    },
    'a path that climbs to another service': {
      sent: { path: '/v2/../api/tenants' },
      status: 404,
      code: 'UNKNOWN_EVENT_TYPE',
    },
    'a path that cannot be decoded': {
      sent: { method: 'POST', path: '/v2/events/%00' },
      status: 404,
      code: 'UNKNOWN_EVENT_TYPE',
    },
    'headers above 16 KiB': {
      sent: { path: '/v2/events/purchase-created', headers: { filler: 'x'.repeat(17_000) } },
      status: 431,
      code: 'PAYLOAD_TOO_LARGE',
    },
    'a body above 64 KiB': {
      sent: {
        method: 'POST',
        path: '/v2/events/purchase-created',
        headers: { 'content-type': 'application/json' },
        body: 'x'.repeat(65_537),
      },
      status: 413,
      code: 'PAYLOAD_TOO_LARGE',
    },
  };

  for (const [what, { sent, status, code }] of Object.entries(refusals)) {
    it(`answers ${what} with a ${status} problem (2.8)`, async () => {
      const answer = await send(sent);
      expect(answer.body).to.include({ status, code });
      expect(answer.status).to.equal(status);
      expect(answer.contentType).to.match(/^application\/problem\+json/);
    });
  }

  async function send({ method = 'GET', path, headers, body }: Sent) {
    const { hostname, port } = new URL(demo.baseUrl);
    const options = { hostname, port, method, path, headers: { authorization, ...headers } };
    const req = request({ ...options, agent: false }).end(body);
    const [res] = (await once(req, 'response')) as [IncomingMessage];
    let text = '';
    for await (const chunk of res.setEncoding('utf8')) text += chunk as string;
    return {
      status: res.statusCode,
      contentType: res.headers['content-type'],
      body: JSON.parse(text) as object,
    };
  }
});
