import type { AnswerOf } from '@tributary/contracts/admin/admin-route';
import type { healthRoutes } from '@tributary/contracts/admin/health';
import { eventually } from '@tributary/testkit/eventually';
import { expect } from 'chai';
import { startTestPortal, type TestPortal } from '../testing/test-portal.ts';

type Health = AnswerOf<(typeof healthRoutes)['showHealth']>['body'];

/** Any service of ours answers at its internal listener: here another portal does. */
describe('portal: the health of the deployment', () => {
  let portal: TestPortal;
  let other: TestPortal;
  before(async () => {
    other = await startTestPortal();
    portal = await startTestPortal({ attributionUrl: `${other.adminUrl},http://127.0.0.1:1` });
  });
  after(async () => {
    await portal.stop();
    await other.stop();
  });

  const show = async () => {
    const { status, body } = await portal.call('GET', '/api/health');
    expect(status).to.equal(200);
    return body as unknown as Health;
  };

  it('has what each service says of itself, and who does not answer', async () => {
    // A portal that has just begun has yet to claim its partitions, and says so; who is slow to
    // answer is said not to.
    await eventually(async () => {
      const { services } = await show();
      const [own] = services;
      expect(own).to.include({ service: 'portal', answers: true, ok: true });
      expect(own!.checks.map(({ name }) => name)).to.include.members(['kafka', 'postgres']);
      const attribution = services.filter(({ service }) => service === 'attribution');
      expect(attribution.map(({ answers }) => answers)).to.deep.equal([true, false]);
      expect(attribution[0]!.checks).to.deep.include({ name: 'postgres', ok: true, detail: null });
      const silent = services.filter(({ answers }) => !answers).map(({ service }) => service);
      expect(silent).to.include.members(['rewards', 'webhook-dispatcher', 'replay']);
    });
  });

  it('knows the brokers and versions itself, and not how far the stages are', async () => {
    const { brokers, versions, live } = await eventually(async () => {
      const shown = await show();
      expect(shown.brokers).not.to.equal(null);
      expect(shown.versions.postgres).not.to.equal(null);
      return shown;
    });
    expect(brokers!.filter(({ isController }) => isController)).to.have.length(1);
    expect(brokers![0]!.address).to.match(/:\d+$/);
    expect(versions.tributary).to.match(/^\d+\.\d+\.\d+$/);
    expect(versions.node).to.equal(process.version);
    expect(versions.postgres).to.match(/^\d+/);
    expect(live).to.equal(null);
  });
});
