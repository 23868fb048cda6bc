import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import {
  type Authority,
  createAuthority,
} from '@tributary/guarded-connections/testing/certificates';
import { silentLogger } from '@tributary/event-log/testing';
import { attackMade } from '@tributary/testkit/attacks';
import { eventually } from '@tributary/testkit/eventually';
import { expect } from 'chai';
import pg from 'pg';
import { SMTPServer } from 'smtp-server';
import { createMailer } from '../accounts/endpoint/mailer.ts';
import { ask, password, signIn, signUp } from '../testing/people.ts';
import { startTestPortal, type TestPortal } from '../testing/test-portal.ts';

type Mail = { to: string[]; from: string; secure: boolean; user: string | undefined; text: string };

/** A real mail server, and what it took. */
async function startMailServer(tls?: { key: string; cert: string }) {
  const mails: Mail[] = [];
  let isRefusing = false;
  const server = new SMTPServer({
    authOptional: true,
    ...(tls ?? { disabledCommands: ['STARTTLS'] }),
    onAuth: ({ username, password: given }, _session, done) =>
      done(null, given === 'the password' ? { user: username } : {}),
    onData(stream, session, done) {
      void text(stream).then((raw) => {
        const { envelope, secure } = session;
        const user = session.user as string | undefined;
        const from = envelope.mailFrom === false ? '' : envelope.mailFrom.address;
        const to = envelope.rcptTo.map(({ address }) => address);
        const plain = raw.replaceAll(/=\r\n/g, '').replaceAll('=3D', '=');
        if (!isRefusing) mails.push({ to, from, secure, user, text: plain });
        done(isRefusing ? new Error('not now') : null);
      });
    },
  });
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  const { port } = server.server.address() as AddressInfo;
  return {
    port,
    mails,
    refuse: (refuses: boolean) => void (isRefusing = refuses),
    stop: () => new Promise<void>((resolve) => server.close(resolve)),
  };
}

describe('portal: mail', () => {
  let portal: TestPortal;
  let smtp: Awaited<ReturnType<typeof startMailServer>>;
  let number = 0;
  const lines: string[] = [];
  before(async () => {
    smtp = await startMailServer();
    const noting = (...line: unknown[]) => void lines.push(JSON.stringify(line));
    portal = await startTestPortal({
      logger: { ...silentLogger, info: noting, warn: noting, error: noting },
      mail: {
        ...{ url: `smtp://127.0.0.1:${smtp.port}`, password: undefined, caFile: undefined },
        ...{ from: 'Tributary <portal@example.com>', allowInsecure: true },
      },
    });
    await portal.call('POST', '/api/tenants', { name: 'acme', tenantId: 'acme' });
  });
  beforeEach(() => {
    smtp.mails.length = 0;
  });
  afterEach(() => smtp.refuse(false));
  after(async () => {
    await portal.stop();
    await smtp.stop();
  });

  const email = () => `mail${++number}@example.com`;
  const invite = (to: string) =>
    portal.call('POST', '/api/tenants/acme/people/invitations', { email: to, role: 'owner' });
  const mailTo = (to: string) =>
    eventually(() => {
      const found = smtp.mails.find((mail) => mail.to.includes(to));
      if (found === undefined) throw new Error(`no mail to ${to}`);
      return found;
    });
  const subjectsTo = (to: string) =>
    smtp.mails.filter((mail) => mail.to.includes(to)).map((mail) => mail.text);
  async function valueOf(sql: string): Promise<unknown> {
    const client = new pg.Client(portal.postgresUrl);
    await client.connect();
    const { rows } = await client.query<{ value: unknown }>(sql);
    await client.end();
    return rows[0]?.value;
  }
  /** Somebody whose invitation is not mailed, and who is told of nothing so far. */
  const person = async () => {
    smtp.refuse(true);
    const made = await signUp(portal, { email: email(), tenantId: 'acme', role: 'owner' });
    smtp.refuse(false);
    return made;
  };

  it('has the link of an invitation, which nobody else is shown', async () => {
    const to = email();
    const { status, body } = await invite(to);
    expect(status).to.equal(201);
    expect(body).to.deep.include({ link: null, mailed: true });
    const mail = await mailTo(to);
    expect(mail).to.include({ from: 'portal@example.com' });
    const link = /https:\/\/\S+\/portal\/invitation#(\S+)/.exec(mail.text);
    const accepted = await ask(portal, 'POST', '/api/invitation', {
      body: { invitation: link?.[1], name: 'A person', password },
    });
    expect(accepted.status).to.equal(201);
    const kept = `${lines.join('\n')}\n${await portal.dumpTables()}`;
    expect(kept).not.to.contain(link?.[1]);
    attackMade('secrets', 'an invitation that was mailed is in no log and no table');
  });

  it('shows the link once, where the mail server does not take it', async () => {
    smtp.refuse(true);
    const to = email();
    const { body } = await invite(to);
    expect(body['mailed']).to.equal(false);
    const [, secret = ''] = String(body['link']).split('#');
    expect(secret).to.have.length(43);
    expect(lines.join('\n')).to.contain('a mail was not taken');
    expect(lines.join('\n')).not.to.contain(secret).and.not.to.contain(to);
    attackMade('secrets', 'an invitation that was not mailed is in no log');
  });

  it('tells somebody of each change to how they sign in', async () => {
    const { email: to } = await person();
    const page = await signIn(portal, { email: to });
    const newPassword = 'another horse battery staple';
    await page.call('PUT', '/api/account/password', { password, newPassword });
    expect((await mailTo(to)).text).to.contain('Your password was changed');
    expect(smtp.mails).to.have.length(1);
    const wrong = await page.call('PUT', '/api/account/password', { password, newPassword });
    expect(wrong.status).to.equal(401);
    await page.call('DELETE', '/api/account/second-factor');
    expect(subjectsTo(to)).to.have.length(1);
    await noNotices();
  });

  it('tells it once the mail server answers again', async () => {
    const { email: to } = await person();
    const page = await signIn(portal, { email: to });
    smtp.refuse(true);
    const newPassword = 'another horse battery staple';
    await page.call('PUT', '/api/account/password', { password, newPassword });
    await eventually(async () => {
      const tried = await valueOf('select max(attempts)::int as value from portal.security_notice');
      if (tried !== 1) throw new Error('it was not tried');
    });
    smtp.refuse(false);
    // The attempt may still be under way; when it fails, the next one is due by the clock of then.
    let minutes = 0;
    await eventually(
      () => {
        minutes += 10;
        portal.clock.set(new Date(Date.now() + minutes * 60_000).toISOString());
        expect(subjectsTo(to)).to.not.deep.equal([]);
      },
      { everyMs: 1_000 },
    );
    expect((await mailTo(to)).text).to.contain('Your password was changed');
    portal.clock.run();
    await noNotices();
  });

  /** A notice is there for a moment after its mail has come. */
  async function noNotices(): Promise<void> {
    await eventually(async () => {
      const rows = (await portal.dumpTables()).split('\n');
      expect(rows.filter((row) => row.startsWith('security_notice'))).to.deep.equal([]);
    });
  }

  describe('at a mail server', () => {
    let authority: Authority;
    let dir: string;
    let caFile: string;
    before(async () => {
      authority = await createAuthority();
      dir = await mkdtemp(join(tmpdir(), 'tributary-mail-'));
      caFile = join(dir, 'ca.pem');
      await writeFile(caFile, authority.cert);
    });
    after(async () => {
      await authority.remove();
      await rm(dir, { recursive: true });
    });
    const settings = (port: number) => ({
      ...{ url: `smtp://ada@127.0.0.1:${port}`, password: 'the password' },
      ...{ from: 'portal@example.com', allowInsecure: false, caFile },
    });
    const text = { subject: 'hello', text: 'canary' };

    it('goes by TLS with the password, and in no other way', async () => {
      const secure = await startMailServer(await authority.issue({ names: 'IP:127.0.0.1' }));
      const mailer = createMailer(settings(secure.port), silentLogger);
      expect(await mailer.send('ada@example.com', text)).to.equal(true);
      expect(secure.mails).to.have.length(1);
      expect(secure.mails[0]).to.include({ secure: true, user: 'ada' });
      mailer.close();
      await secure.stop();
      const plain = createMailer(settings(smtp.port), silentLogger);
      expect(await plain.send('ada@example.com', text)).to.equal(false);
      expect(smtp.mails).to.deep.equal([]);
      plain.close();
      const self = await authority.selfSigned({ names: 'IP:127.0.0.1' });
      const forged = await startMailServer(self);
      const mistrusting = createMailer(settings(forged.port), silentLogger);
      expect(await mistrusting.send('ada@example.com', text)).to.equal(false);
      expect(forged.mails).to.deep.equal([]);
      mistrusting.close();
      await forged.stop();
      attackMade('secrets', 'a mail server without TLS, and one with a certificate of its own');
    });
  });
});
