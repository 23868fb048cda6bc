import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { knownWeaknesses } from './known-weaknesses.ts';

describe('known weaknesses of packages', () => {
  let server: Server;
  let answer: { status: number; body: unknown };
  let registry: string;
  before(async () => {
    server = createServer((req, res) => {
      req.resume().on('end', () => {
        res.writeHead(answer.status, { 'content-type': 'application/json' });
        res.end(JSON.stringify(answer.body));
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    registry = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  });
  after(() => server.close());

  const weakness = (severity: string) => ({
    express: [
      {
        ...{ id: 1, url: 'https://advisories.example/1', title: 'Opens every door', severity },
        ...{ vulnerable_versions: '*', cwe: [], cvss: { score: 9, vectorString: null } },
      },
    ],
  });

  it('are told with the package', async () => {
    answer = { status: 200, body: weakness('high') };
    const { outcome, text } = await knownWeaknesses({ registry });
    expect(outcome).to.equal('found');
    expect(text).to.include('Opens every door').and.include('express');
  });

  it('are none where the registry knows of none that is high', async () => {
    for (const body of [{}, weakness('low')]) {
      answer = { status: 200, body };
      expect((await knownWeaknesses({ registry })).outcome).to.equal('none');
    }
  });

  it('were not asked for where the registry does not answer the question', async () => {
    answer = { status: 405, body: {} };
    expect((await knownWeaknesses({ registry })).outcome).to.equal('not-asked');
  });
});
