import { everyTestAttacks } from '@tributary/testkit/attacks';
import { expect } from 'chai';
import { Registry } from 'prom-client';
import { createRequestLimits } from './request-limits.ts';
import type { Listener } from './server.ts';
import { serve } from './testing.ts';

describe('limits of an address', () => {
  everyTestAttacks('limits');
  let listener: Listener;
  const registry = new Registry();

  before(async () => {
    const { refuseFlood } = createRequestLimits({ token: 0.2 }, registry);
    listener = await serve((req, res) => {
      if (!refuseFlood('token', req, res)) res.end('{}');
    });
  });
  after(() => listener.stop());

  const ask = (address?: string) =>
    fetch(`http://127.0.0.1:${listener.port}/`, {
      headers: address === undefined ? {} : { 'x-forwarded-for': address },
    });

  it('refuse what is too much with 429 and Retry-After, and count it', async () => {
    const statuses: number[] = [];
    for (let n = 0; n < 3; n += 1) statuses.push((await ask('192.0.2.1')).status);
    expect(statuses).to.deep.equal([200, 200, 429]);
    const refused = await ask('192.0.2.1');
    expect(refused.headers.get('retry-after')).to.equal('5');
    expect(await refused.json()).to.include({ status: 429, code: 'SERVICE_UNAVAILABLE' });
    expect(await registry.metrics()).to.contain(
      'tributary_requests_limited_total{limit="token"} 2',
    );
  });

  it('are one address’ own, as the edge names it last', async () => {
    expect((await ask('192.0.2.2')).status).to.equal(200);
    expect((await ask('192.0.2.77, 192.0.2.1')).status).to.equal(429);
    expect((await ask()).status).to.equal(200);
  });

  it('take a network of IPv6 for one', async () => {
    const same = ['2001:db8::1', '2001:db8:0:0:ffff::2', '2001:db8::3'];
    const statuses: number[] = [];
    for (const address of same) statuses.push((await ask(address)).status);
    expect(statuses).to.deep.equal([200, 200, 429]);
    expect((await ask('2001:db8:0:1::1')).status).to.equal(200);
  });
});
