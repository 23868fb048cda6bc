import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { stripeApiVersions, stripeShapes } from './api-version.ts';
import { extractFixtures } from './extract-fixtures.ts';
import { fixturesDirectory } from './fixture-file.ts';
import { startStripeMock, stripeMockTimeoutMs, type StripeMock } from './stripe-mock.ts';

for (const shape of stripeShapes) {
  const version = stripeApiVersions[shape];

  describe(`official fixtures of ${version}`, function () {
    this.timeout(stripeMockTimeoutMs);
    let mock: StripeMock;

    before(async () => {
      mock = await startStripeMock(shape);
    });

    after(() => mock.stop());

    const ask = (path: string, apiVersion: string) =>
      fetch(`${mock.url}/v1/${path}`, {
        headers: { authorization: 'Bearer rk_test_123', 'stripe-version': apiVersion },
      });

    it('are committed as stripe-mock has them', async () => {
      const file = join(fixturesDirectory, `${version}.json`);
      const committed: unknown = JSON.parse(await readFile(file, 'utf8'));
      expect(committed).to.deep.equal(await extractFixtures(shape));
    });

    it('are what stripe-mock answers', async () => {
      const answer = await ask('customers/cus_1', version);
      expect(answer.status).to.equal(200);
      const customer = (await answer.json()) as object;
      const { resources } = await extractFixtures(shape);
      expect(customer).to.deep.equal({ ...resources['customer'], id: 'cus_1' });
    });

    it('are of this version alone: stripe-mock refuses another', async () => {
      const answer = await ask('customers/cus_1', '2020-08-27');
      expect(answer.status).to.equal(400);
    });
  });
}
