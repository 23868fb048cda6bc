import { eventually } from '@tributary/testkit/eventually';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { createAdminClient } from '../../deploy/demo/admin-client.ts';
import type { Demo } from '../../deploy/demo/demo-file.ts';
import { sharedDemo } from '../shared-stack.ts';
import { openPageOf, type OpenedPage } from './opened-page.ts';
import { signUpAs } from './people-of-roles.ts';

/**
 * By the page's own clock, which stands still unless it is told to go on: so it is sure that no
 * timer of more than five seconds is what ends the page, however long this machine takes.
 */
describe('an open page of a member who is removed', function () {
  this.timeout(180_000);
  let demo: Demo;
  let tenantId: string;
  let opened: OpenedPage | undefined;

  before(async () => {
    demo = await sharedDemo();
    ({ tenantId } = demo.tenants[0]!);
  });
  afterEach(async () => {
    await opened?.close();
  });

  it('ends with its stream of changes, without waiting for any timer', async () => {
    const { page, remove } = await openAsMember();
    await page.clock.pauseAt(Date.now() + 60_000);
    await remove();
    await untilEnded(page);
  });

  it('ends within five seconds also where a stream cannot be had', async () => {
    const { page, remove } = await openAsMember((each) =>
      each.route('**/changes', (route) => route.abort()),
    );
    await page.clock.pauseAt(Date.now() + 60_000);
    await remove();
    await page.clock.runFor(4_000);
    await untilEnded(page);
  });

  async function openAsMember(before: (page: Page) => Promise<unknown> = () => Promise.resolve()) {
    const member = await signUpAs(demo, 'admin', tenantId);
    opened = await openPageOf(demo, member, { tenantId });
    const { page } = opened;
    await page.clock.install();
    await before(page);
    await opened.open('overview');
    await page.getByRole('heading', { name: 'Set-up' }).waitFor();
    const admin = createAdminClient({ baseUrl: demo.baseUrl, token: demo.adminToken });
    const at = `/api/tenants/${tenantId}/people`;
    type People = { people: { accountId: string; email: string }[] };
    const { people } = await admin.call<People>('GET', at);
    const { accountId } = people.find(({ email }) => email === member.email)!;
    return { page, remove: () => admin.call('DELETE', `${at}/${accountId}`) };
  }

  /** Goes on by a millisecond at a time, so less than one second in all. */
  async function untilEnded(page: Page): Promise<void> {
    let steps = 0;
    await eventually(
      async () => {
        expect(++steps).to.be.below(1_000);
        await page.clock.runFor(1);
        const ended = page.getByRole('status').filter({ hasText: 'Your session has ended' });
        expect(await ended.count()).to.equal(1);
      },
      { deadlineMs: 60_000, everyMs: 250 },
    );
  }
});
