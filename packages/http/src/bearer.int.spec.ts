import { expect } from 'chai';
import { authorizationOf } from './bearer.ts';
import { sendJson } from './problem-response.ts';
import type { Listener } from './server.ts';
import { connectRaw, parseAnswer, serve } from './testing.ts';

describe('the Authorization header of a request', () => {
  let listener: Listener;
  before(async () => {
    listener = await serve((req, res) => {
      sendJson(res, 200, { authorization: authorizationOf(req) ?? null });
    });
  });
  after(() => listener.stop());

  async function seenOf(...lines: string[]): Promise<unknown> {
    const connection = await connectRaw(listener.port);
    const head = ['GET / HTTP/1.1', 'Host: a', 'Connection: close', ...lines];
    connection.send(`${head.join('\r\n')}\r\n\r\n`);
    await connection.closed;
    const { body } = parseAnswer(connection.received());
    return (JSON.parse(body) as { authorization: unknown }).authorization;
  }

  it('is the one that was sent, its name in any case', async () => {
    expect(await seenOf('Authorization: Bearer a')).to.equal('Bearer a');
    expect(await seenOf('aUTHORIZATION:Bearer a')).to.equal('Bearer a');
    expect(await seenOf('Authorization:')).to.equal('');
  });

  it('is none when there is none, and none when there are two, equal or not', async () => {
    expect(await seenOf('X-Authorization: Bearer a')).to.equal(null);
    expect(await seenOf('Authorization: Bearer a', 'Authorization: Bearer b')).to.equal(null);
    expect(await seenOf('Authorization: Bearer a', 'authorization: Bearer a')).to.equal(null);
  });
});
