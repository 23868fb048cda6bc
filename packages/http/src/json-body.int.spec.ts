import { expect } from 'chai';
import { bodyLimitBytes, readJsonBody } from './json-body.ts';
import type { Listener } from './server.ts';
import { sendJson, sendProblem } from './problem-response.ts';
import { serve } from './testing.ts';

describe('JSON body (design 8, "Precedence")', () => {
  let listener: Listener;
  before(async () => {
    listener = await serve(async (req, res) => {
      const reading = await readJsonBody(req, (bytes) => {
        const text = bytes.toString();
        if (!text.startsWith('{')) return { outcome: 'malformed', detail: 'no object' };
        return { outcome: 'read', text } as const;
      });
      if (reading.outcome === 'aborted') return;
      if (reading.outcome === 'refused') return sendProblem(res, reading.code, reading.about);
      sendJson(res, 200, { text: reading.text });
    });
  });
  after(() => listener.stop());

  const post = async (body: string, headers: Record<string, string> = {}) => {
    const answer = await fetch(`http://127.0.0.1:${listener.port}/`, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json', ...headers },
    });
    return { status: answer.status, ...((await answer.json()) as Record<string, unknown>) };
  };

  it('is what the reader made of its bytes', async () => {
    expect(await post('{}')).to.deep.equal({ status: 200, text: '{}' });
  });

  it('is refused with 415 before its size is looked at, and for any content encoding', async () => {
    const huge = 'x'.repeat(bodyLimitBytes + 1);
    for (const headers of [{ 'content-type': 'text/plain' }, { 'content-encoding': 'identity' }]) {
      expect(await post(huge, headers)).to.include({ status: 415, code: 'MALFORMED_JSON' });
    }
  });

  it('is refused with 413 beyond 64 KiB, before it is read as JSON', async () => {
    const answer = await post('x'.repeat(bodyLimitBytes + 1));
    expect(answer).to.include({ status: 413, code: 'PAYLOAD_TOO_LARGE' });
  });

  it('is refused with 400 in the words of the reader', async () => {
    const answer = await post('x');
    expect(answer).to.include({ status: 400, code: 'MALFORMED_JSON', detail: 'no object' });
  });
});
