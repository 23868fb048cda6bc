import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@tributary/testkit/eventually';
import { expect } from 'chai';
import { NotUnderstood } from './open-lines.ts';
import { createTakeLiveSnapshot } from './take-live-snapshot.ts';

type Answer = (req: IncomingMessage, res: ServerResponse, body: string) => void | Promise<void>;

/** What a service may do to whoever asks it: here both are played by one server of the test. */
describe('taking a snapshot of the live state', () => {
  const positions = { 'events/0': '5', 'events/1': '0' };
  const outputEnds = { 'attributions/0': '7' };
  let server: Server;
  let dir: string;
  let script: Record<string, Answer[]>;
  let frozen = 0;
  const asked: string[] = [];
  const notes: string[] = [];

  before(async () => {
    dir = await mkdtemp(join(tmpdir(), 'tributary-snapshot-'));
    server = createServer((req, res) => {
      const chunks: Buffer[] = [];
      req.on('data', (chunk: Buffer) => chunks.push(chunk));
      req.on('end', () => {
        const name = `${req.method ?? ''} ${new URL(req.url ?? '', 'http://x').pathname}`;
        asked.push(`${req.method ?? ''} ${req.url ?? ''} ${Buffer.concat(chunks).toString()}`);
        const answers = script[name] ?? [];
        const answer = answers.length > 1 ? answers.shift() : answers[0];
        void answer?.(req, res, Buffer.concat(chunks).toString());
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  after(async () => {
    server.closeAllConnections();
    server.close();
    await rm(dir, { recursive: true, force: true });
  });
  beforeEach(() => {
    asked.length = notes.length = frozen = 0;
    script = {
      'POST /internal/freeze': [freeze],
      'GET /internal/state': [lines(positions, ['["d","t","u","e","x"]'])],
      'POST /internal/state': [lines(outputEnds, ['["r"]', '["b"]'])],
    };
  });

  const freeze: Answer = (_req, res) => {
    frozen += 1;
    res.on('close', () => (frozen -= 1));
    res.write(`${JSON.stringify({ generation: 3, positions, outputEnds })}\n`);
  };

  /** The whole answer, unless `end` is another. */
  function lines(at: object, reported: string[], end?: string): Answer {
    const last = end ?? `${JSON.stringify({ end: true, lines: reported.length })}\n`;
    return (_req, res) => {
      res.end(
        `${JSON.stringify({ positions: at })}\n${reported.map((line) => `${line}\n`).join('')}${last}`,
      );
    };
  }

  const problem =
    (status: number, detail: string): Answer =>
    (_req, res) => {
      res.writeHead(status, { 'content-type': 'application/problem+json' });
      res.end(JSON.stringify({ status, detail }));
    };

  const take = (
    options: { tenantId?: string; tries?: number; refuseLost?: () => Promise<void> } = {},
  ) => {
    const { port } = server.address() as AddressInfo;
    const service = { baseUrl: `http://127.0.0.1:${port}`, token: 'a-token' };
    return createTakeLiveSnapshot({
      attribution: { ...service, service: 'attribution' },
      rewards: { ...service, service: 'rewards' },
      firstPauseMs: 100,
      tries: options.tries ?? 3,
      ...(options.refuseLost && { refuseLost: options.refuseLost }),
    })({
      ...options,
      dir,
      signal: new AbortController().signal,
      note: (line) => Promise.resolve(void notes.push(line)),
    });
  };

  it('asks both of the frozen generation, lets go, and has the lines in files', async () => {
    const snapshot = await take({ tenantId: 't 1' });
    expect(snapshot).to.include({ generation: 3, tenantId: 't 1' });
    expect(snapshot.attribution.positions).to.deep.equal(positions);
    expect(await readFile(snapshot.attribution.file.path, 'utf8')).to.equal(
      '["d","t","u","e","x"]\n',
    );
    expect(snapshot.rewards.file.lines).to.equal(2);
    await eventually(() => expect(frozen).to.equal(0));
    expect(asked).to.have.members([
      'POST /internal/freeze {}',
      'GET /internal/state?generation=3&tenant=t+1 ',
      `POST /internal/state?generation=3&tenant=t+1 {"reached":${JSON.stringify(outputEnds)}}`,
    ]);
  });

  const failures: { of: string; name: string; answer: Answer; note: string }[] = [
    {
      of: 'attribution is busy',
      name: 'POST /internal/freeze',
      answer: problem(503, 'Attribution is busy.'),
      note: 'Attribution is busy.',
    },
    {
      of: 'rewards is busy',
      name: 'POST /internal/state',
      answer: problem(503, 'Rewards is busy.'),
      note: 'Rewards is busy.',
    },
    {
      of: 'attribution went on before its snapshot',
      name: 'GET /internal/state',
      answer: lines({ ...positions, 'events/0': '6' }, []),
      note: 'went on before',
    },
    {
      of: 'rewards read on before its snapshot',
      name: 'POST /internal/state',
      answer: lines({ 'attributions/0': '8' }, []),
      note: 'went on before',
    },
    {
      of: 'an answer has no end',
      name: 'GET /internal/state',
      answer: lines(positions, ['["d"]', '["d"]'], ''),
      note: 'broken off',
    },
    {
      of: 'an answer lacks a line',
      name: 'POST /internal/state',
      answer: lines(outputEnds, ['["r"]'], '{"end":true,"lines":2}\n'),
      note: '1 lines came, of 2',
    },
    {
      of: 'a connection breaks',
      name: 'GET /internal/state',
      answer: (_req, res) => void res.socket?.destroy(),
      note: 'attribution could not be asked',
    },
  ];

  for (const { of, name, answer, note } of failures) {
    it(`tries again when ${of}, holding nobody back meanwhile`, async () => {
      const held: number[] = [];
      script[name] = [answer, ...script[name]!];
      script['POST /internal/freeze'] = script['POST /internal/freeze']!.map(
        (next): Answer =>
          async (...exchange) => {
            // That a connection was closed is heard a moment after it.
            await eventually(() => expect(frozen).to.equal(0)).catch(() => undefined);
            held.push(frozen);
            await next(...exchange);
          },
      );
      expect((await take()).attribution.file.lines).to.equal(1);
      expect(notes).to.have.length(1);
      expect(notes[0]).to.include(note);
      expect(held, 'frozen when asked again').to.deep.equal([0, 0]);
      await eventually(() => expect(frozen).to.equal(0));
    });
  }

  it('gives up after some tries, and at once on what it will never be told', async () => {
    script['POST /internal/state'] = [problem(503, 'Rewards is busy.')];
    const error = await take().catch((reason: unknown) => reason);
    expect(error).to.have.property('message').that.includes('3 tries. Rewards is busy.');
    script['POST /internal/state'] = [problem(404, 'no such path')];
    expect(await take().catch((error: unknown) => error)).to.be.instanceOf(NotUnderstood);
    await eventually(() => expect(frozen).to.equal(0));
  });

  it('does not wait for a generation that is lost', async () => {
    script['POST /internal/freeze'] = [problem(503, 'Generation live is not run by this process.')];
    const lost = new Error('generation 1 is lost');
    const error = await take({ refuseLost: () => Promise.reject(lost) }).catch((e: unknown) => e);
    expect(error).to.equal(lost);
    expect(asked).to.have.length(1);
  });
});
