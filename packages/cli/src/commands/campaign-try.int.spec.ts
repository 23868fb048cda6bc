import { expect } from 'chai';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { runTributary } from '../run-tributary.ts';

const answer = {
  explanation: ['If this purchase-created came now, it would wait (unknown-code): \u001b[2Jno.'],
  decision: { tests: [{ test: 'code known', passed: false, detail: 'nobody has this code' }] },
  rewards: [{ after: { recipientId: 'anna', ruleId: 'share', explanation: ['10 % of 49.00'] } }],
};

describe('tributary campaign try', () => {
  let server: Server;
  const requests: { url: string | undefined; body: string }[] = [];

  before(async () => {
    server = createServer((req, res) => {
      void text(req).then((body) => {
        requests.push({ url: req.url, body });
        res.setHeader('content-type', 'application/json').end(JSON.stringify(answer));
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  after(() => void server.close());

  async function run(argv: string[], input: string) {
    const printed: string[] = [];
    const { port } = server.address() as AddressInfo;
    const code = await runTributary({
      argv: ['campaign', 'try', ...argv],
      env: { TRIBUTARY_ADMIN_URL: `http://127.0.0.1:${port}`, TRIBUTARY_ADMIN_TOKEN: 'token' },
      cwd: '/',
      input: (async function* () {
        yield Buffer.from(input);
      })(),
      out: (line) => void printed.push(line),
      err: (line) => void printed.push(line),
    });
    return { code, printed: printed.join('\n') };
  }

  it('sends the event as it is written, for numbers are validated by their text', async () => {
    const event = '{"amount": 49.00, "amount": 9007199254740993}';
    await run(['spring', '-', '--tenant', 'acme', '--type', 'purchase-refunded'], event);
    expect(requests.at(-1)).to.deep.equal({
      url: '/api/tenants/acme/campaigns/spring/try',
      body: `{"eventType":"purchase-refunded","event":${event}}`,
    });
  });

  it('prints the sentences, then each test and how each amount came about', async () => {
    const { code, printed } = await run(['spring', '-', '--tenant', 'acme'], '{}');
    expect(code).to.equal(0);
    expect(printed.split('\n')).to.deep.equal([
      'If this purchase-created came now, it would wait (unknown-code): \ufffd[2Jno.',
      '',
      'Why:',
      '  no   code known: nobody has this code',
      'Reward of anna by rule share:',
      '  10 % of 49.00',
    ]);
  });

  it('does not send what is no JSON', async () => {
    const sent = requests.length;
    const { code, printed } = await run(['spring', '-', '--tenant', 'acme'], '{"amount": }');
    expect([code, requests.length]).to.deep.equal([2, sent]);
    expect(printed).to.include('- is not JSON');
  });
});
