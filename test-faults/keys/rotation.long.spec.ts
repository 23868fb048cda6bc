import { makeTokenSigningKey, verifyKeyOf } from '@tributary/runtime/token-keys';
import { expect } from 'chai';
import { type KeyDeployment, type Name, newRingKey, startKeyDeployment } from './deployment.ts';
import { startTraffic, type Traffic } from './traffic.ts';

type Rings = { rings: { purpose: string; keys: Key[] }[]; tokenKeys: string[] };
type Key = { keyId: string; state: string; secrets: number };

/** As docs/runbooks/keys.md says it. */
describe('keys that are replaced and removed while traffic goes on', function () {
  let deployment: KeyDeployment;
  let traffic: Traffic;
  before(async () => {
    deployment = await startKeyDeployment();
    traffic = await startTraffic(deployment);
  });
  after(async () => {
    await traffic?.stop();
    await deployment?.stop();
  });
  afterEach(() => expect(traffic.failures).to.deep.equal([]));

  const rings: [purpose: string, variable: string, reader: Name, prefix: string][] = [
    ['product-secrets', 'TRIBUTARY_PRODUCT_SECRET_KEY_RING', 'widget', 'product'],
    ['webhook-passwords', 'TRIBUTARY_WEBHOOK_PASSWORD_KEY_RING', 'webhook-dispatcher', 'webhook'],
    ['processor-keys', 'TRIBUTARY_PROCESSOR_KEY_RING', 'processor-events', 'processor'],
  ];
  for (const [purpose, variable, reader, prefix] of rings) {
    it(`the ring of ${purpose}: nothing is refused, and the old key opens nothing that is used`, async () => {
      const newest = newRingKey(`${prefix}-2`);
      const both = { [variable]: `${newest},${deployment.first[variable]}` };
      await deployment.replace(reader, both);
      await deployment.replace('portal', both);
      const before = await keysOf(purpose);
      expect(before[1]).to.include({ keyId: `${prefix}-1`, state: 'older' });
      expect(before[1]!.secrets).to.be.at.least(1);

      const resealed = await traffic.admin.call<object>('POST', '/api/keys/reseal', {});
      expect(resealed).to.deep.equal({ resealed: 1, remaining: 0 });
      expect((await keysOf(purpose))[1]).to.include({ keyId: `${prefix}-1`, secrets: 0 });
      await traffic.goOn(5);

      await deployment.replace('portal', { [variable]: newest });
      await deployment.replace(reader, { [variable]: newest });
      await traffic.goOn(10);
      expect(await keysOf(purpose)).to.deep.equal([
        { keyId: `${prefix}-2`, state: 'newest', secrets: before[1]!.secrets },
      ]);
      await traffic.expectWebhooks();
    });
  }

  it('the key of access tokens: tokens of both are taken until the old one is removed', async () => {
    const verifiers: Name[] = ['ingest-api', 'legacy-events', 'portal'];
    const [variable, signing] = ['TRIBUTARY_TOKEN_VERIFY_KEYS', 'TRIBUTARY_TOKEN_SIGNING_KEY'];
    const newest = makeTokenSigningKey('token-2');
    const both = { [variable]: `${verifyKeyOf(newest)},${deployment.first[variable]}` };
    for (const name of verifiers) await deployment.replace(name, both);
    await deployment.replace('ingest-api', { [signing]: newest });
    // The traffic asks for a token every half second; real ones live for five hours.
    await traffic.goOn(10);
    for (const name of verifiers) {
      await deployment.replace(name, { [variable]: verifyKeyOf(newest) });
    }
    await traffic.goOn(10);
    const { tokenKeys } = await traffic.admin.call<Rings>('GET', '/api/keys');
    expect(tokenKeys).to.deep.equal(['token-2']);
  });

  async function keysOf(purpose: string): Promise<Key[]> {
    const { rings: found } = await traffic.admin.call<Rings>('GET', '/api/keys');
    return found.find((ring) => ring.purpose === purpose)!.keys;
  }
});
