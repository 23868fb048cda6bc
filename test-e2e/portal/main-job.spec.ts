import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { BrowserContext, Page } from 'playwright-core';
import type { Demo, DemoTenant } from '../../deploy/demo/demo-file.ts';
import { createTributaryClient } from '../../packages/client/src/client.ts';
import { sharedChromium } from '../browser/chromium.ts';
import { sharedDemo } from '../shared-stack.ts';
import { password, signUpAs } from './people-of-roles.ts';
import { watchedPage } from './watched-page.ts';

// The main job, from the sign-in to a changed rule, by what is on the pages and nothing else.

describe('the main job in the portal', function () {
  this.timeout(120_000);
  let demo: Demo;
  let tenant: DemoTenant;
  let context: BrowserContext;
  let page: Page;
  let complaints: string[];
  const invoiceId = `inv-${randomUUID().slice(0, 8)}`;
  const newUserId = `buyer-${randomUUID().slice(0, 8)}`;

  before(async () => {
    demo = await sharedDemo();
    tenant = demo.tenants[1]!;
    const browser = await sharedChromium();
    context = await browser.newContext({ baseURL: demo.baseUrl });
    ({ page, complaints } = await watchedPage(context, demo.baseUrl));
    page.setDefaultTimeout(30_000);
  });
  afterEach(() => expect(complaints.splice(0)).to.deep.equal([]));
  after(() => context?.close());

  it('signs in by the form', async () => {
    const { email } = await signUpAs(demo, 'operator', tenant.tenantId);
    await page.goto(`/portal/sign-in?to=/portal/tenants/${tenant.tenantId}/overview`);
    await page.getByLabel('E-mail address').fill(email);
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  });

  it('finds an event by its invoice and reads its chain to the delivered webhook', async () => {
    await buy();
    await goTo('Events');
    await page.getByLabel('Invoice').fill(invoiceId);
    await page.getByLabel('Invoice').press('Enter');
    await page.getByRole('table', { name: 'Events' }).getByText(newUserId).waitFor();
    await page.locator('tbody a').first().click();
    const drawer = page.getByRole('dialog');
    await drawer.getByText(/delivered \(status 2\d\d/).waitFor();
    expect(await drawer.getByText(tenant.referrer.productUserId).count()).to.be.above(0);
    expect(await drawer.getByText(invoiceId).count()).to.be.above(0);
    await drawer.getByRole('button', { name: 'Close' }).click();
  });

  it('changes a rule, previews it on all history, commits it, and sees that it holds', async () => {
    await goTo('Campaigns');
    await page.getByRole('link', { name: tenant.campaignId }).click();
    const editor = page.getByRole('textbox', { name: 'The campaign as JSON' });
    await page.getByText('This can be saved.').waitFor();
    await editor.click();
    await page.keyboard.press('Control+A');
    await page.keyboard.insertText(JSON.stringify(draft(), null, 2));
    await page.getByText(/the referrer gets 25 credits/).waitFor();
    await confirmed('Preview on all history', async (dialog) => {
      await dialog.getByLabel(/As if it had held/).fill('2026-01-01T00:00:00Z');
    });
    const changes = page.getByRole('table', { name: 'Each reward that would differ' });
    await changes.getByText(tenant.referrer.productUserId).first().waitFor();
    await confirmed('Commit');
    await page.getByText('What was shown is what came of it.').waitFor({ timeout: 60_000 });
  });

  it('releases what the commit sent to review', async () => {
    await goTo('Review and waiting');
    await page.getByRole('table', { name: 'Rewards to review' }).waitFor();
    await page.locator('tbody a').first().click();
    await page.getByRole('dialog').getByRole('button', { name: 'Release' }).click();
    const asked = page.getByRole('dialog', { name: 'Release' });
    await asked.getByRole('button', { name: 'Release' }).click();
    await page.getByText('Released.').waitFor();
  });

  it('creates a key, whose secret it shows once, and revokes it', async () => {
    await goTo('Keys');
    await confirmed('Create an access key', async (dialog) => {
      await dialog.getByLabel('Name').fill('made by a spec');
    });
    const made = page.getByRole('dialog', { name: 'Create an access key' });
    const secret = await made.locator('[data-secret=secretAccessKey]').innerText();
    const accessKeyId = await made.locator('[data-secret=accessKeyId]').innerText();
    expect(secret).to.have.length.above(30);
    await made.getByRole('button', { name: 'Close' }).last().click();
    const row = page.getByRole('row', { name: accessKeyId });
    await row.getByRole('button', { name: 'Revoke' }).click();
    const asked = page.getByRole('dialog', { name: 'Revoke' });
    await asked.getByRole('button', { name: 'Revoke' }).click();
    await row.getByText('Revoked').waitFor();
    expect(await page.getByText(secret).count()).to.equal(0);
  });

  async function goTo(name: string): Promise<void> {
    await page.getByRole('navigation').getByRole('link', { name, exact: true }).click();
    await page.getByRole('heading', { level: 1 }).filter({ hasText: name }).waitFor();
  }

  /** Presses a button and, once its dialog is filled in, the one in it that does it. */
  async function confirmed(
    name: string,
    fill: (dialog: ReturnType<Page['getByRole']>) => Promise<void> = async () => undefined,
  ): Promise<void> {
    await page.getByRole('button', { name, exact: true }).click();
    const dialog = page.getByRole('dialog', { name });
    await fill(dialog);
    await dialog.getByRole('button', { name, exact: true }).click();
  }

  async function buy(): Promise<void> {
    const { accessKeyId, secretAccessKey, referrer } = tenant;
    const { baseUrl } = demo;
    const client = createTributaryClient({ baseUrl, accessKeyId, secretAccessKey });
    await client.purchaseCreated({
      ucc: referrer.ucc,
      occurredAt: new Date().toISOString(),
      newUser: { id: newUserId, name: 'Bea Buyer' },
      invoiceId,
      currency: 'EUR',
      amount: 4_900,
      subscription: { interval: 'monthly' },
    });
  }

  /** The demo's campaign, whose purchases earn a quarter more. */
  function draft(): object {
    const effect = { kind: 'fixed', credits: '25' };
    const rule = { ruleId: 'purchase', trigger: 'purchase-created', recipient: 'referrer', effect };
    const landingUrl = 'https://globex.example/join';
    return { name: 'A quarter more', status: 'running', landingUrl, creditScale: 2, rules: [rule] };
  }
});
