import { attackMade } from '@tributary/testkit/attacks';
import { eventually } from '@tributary/testkit/eventually';
import { expect } from 'chai';
import type { Demo } from '../deploy/demo/demo-file.ts';
import { type Answer, call } from './calls.ts';
import { createCustomerOfPages, type CustomerOfPages } from './portal/customer-of-pages.ts';
import { signUpAs } from './portal/people-of-roles.ts';
import { sharedDemo } from './shared-stack.ts';

// A customer that leaves for good, while its events flow and a webhook of it waits.

type Delivery = { webhookEventId: string; state: string; attempts: number };
type Removed = { removedAt: string; peopleLeft: number };

describe('a tenant that is removed', function () {
  this.timeout(240_000);
  let demo: Demo;
  let customer: CustomerOfPages;
  let pair: { accessKeyId: string; secretAccessKey: string };
  let token: string;
  let cookie: string;
  let accepted = 2;
  let removal: Removed;
  /** How often the receiver was asked until the removal had come everywhere. */
  let told: number;

  before(async () => {
    demo = await sharedDemo();
    customer = await createCustomerOfPages(demo);
    const owner = await signUpAs(demo, 'owner', customer.tenantId);
    cookie = `${owner.cookie.name}=${owner.cookie.value}`;
    pair = await customer.admin.call('POST', `${customer.at}/access-keys`, {});
    await eventually(async () => {
      const answer = await exchange();
      expect(answer.status).to.equal(201);
      token = (answer.body as { accessToken: string }).accessToken;
    }, slowly);
  });
  after(() => customer?.receiver.stop());

  let exportedUntil = new Date().toISOString();
  const remove = () =>
    customer.admin.call<Removed>('POST', `${customer.at}/remove`, {
      ...{ exportedUntil, note: 'they left' },
    });
  /** With a new export where the one there is began too early. */
  const removeOnceItMay = () =>
    remove().catch((error: { status?: number }) => {
      if (error.status === 409) exportedUntil = new Date().toISOString();
      throw error;
    });
  const deliveries = async () =>
    (await customer.admin.call<{ deliveries: Delivery[] }>('GET', `${customer.at}/deliveries`))
      .deliveries;
  const asMember = () => call(`${demo.baseUrl}${customer.at}`, { headers: { cookie } });
  const exchange = () => {
    const { accessKeyId, secretAccessKey } = pair;
    const body = { accessKeyId, secretAccessKey };
    return call(`${demo.baseUrl}/token`, { method: 'POST', body });
  };
  const asProduct = (): Promise<Answer> =>
    call(`${demo.baseUrl}/v2/events/signup-created`, { method: 'POST', token, body: {} });

  it('has somebody, a webhook that arrived and one that waits', async () => {
    await customer.buy('leaving-1', { id: 'grace', name: 'Grace' });
    await eventually(() => expect(customer.receiver.eventIds).to.have.length(1), slowly);
    customer.receiver.answer(500);
    await customer.buy('leaving-2');
    await eventually(async () => {
      const waiting = (await deliveries()).filter(({ state }) => state === 'pending');
      expect(waiting.map(({ attempts }) => attempts > 0)).to.deep.equal([true]);
    }, slowly);
    expect((await asMember()).status).to.equal(200);
  });

  it('is suspended while events flow: at some moment none is taken any more', async () => {
    const suspended = customer.admin.call('POST', `${customer.at}/suspend`, {});
    const buyNext = (): Promise<unknown> =>
      customer.buy(`leaving-${accepted + 1}`).then(
        () => {
          accepted += 1;
          return buyNext();
        },
        (error: unknown) => error,
      );
    expect(await buyNext()).to.include({ status: 403 });
    await suspended;
  });

  it('is removed with an export that began after all had heard of it, and once', async () => {
    await eventually(async () => {
      removal = await removeOnceItMay();
    }, slowly);
    expect((await remove()).removedAt).to.equal(removal.removedAt);
  });

  it('lost nothing of what was accepted before', async () => {
    const { total } = await customer.admin.call<{ total: { count: number } }>(
      ...(['GET', `${customer.at}/events/counts`] as const),
    );
    expect(total.count).to.equal(accepted);
  });

  it('opens nothing any more: token, pair and member', async () => {
    await eventually(async () => {
      expect((await asProduct()).status).to.equal(401);
      const asked = await Promise.all([asProduct(), exchange(), asMember()]);
      expect(asked.map(({ status }) => status)).to.deep.equal([401, 401, 401]);
    }, slowly);
    attackMade('tokens', 'token, access key and member of a removed tenant');
  });

  it('is told nothing any more, neither what waited nor what was earned last', async () => {
    // Who sends hears of the removal in its own time; what it sends until then is refused.
    await eventually(async () => {
      const states = (await deliveries()).map(({ state }) => state);
      expect(states.filter((state) => state === 'delivered')).to.have.length(1);
      expect([...new Set(states)].sort()).to.deep.equal(['delivered', 'no-endpoint']);
    }, slowly);
    told = customer.receiver.eventIds.length;
    customer.receiver.answer(200);
  });

  it('has nobody whose name is known, and an entry of who removed it and why', async () => {
    await eventually(async () => expect((await remove()).peopleLeft).to.equal(0), slowly);
    expect(customer.receiver.eventIds, 'told since the removal').to.have.length(told);
    const { entries } = await customer.admin.call<{ entries: object[] }>(
      ...(['GET', `/api/audit?tenant=${customer.tenantId}&action=removeTenant`] as const),
    );
    expect(entries.at(-1)).to.deep.include({ actor: 'operator', action: 'removeTenant' });
    expect(entries.at(-1)).to.have.nested.property('asked.note', 'they left');
  });
});

const slowly = { deadlineMs: 60_000 };
