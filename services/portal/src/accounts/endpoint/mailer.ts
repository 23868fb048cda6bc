import type { Logger } from '@tributary/runtime/logger';
import { createTransport } from 'nodemailer';
import { readFileSync } from 'node:fs';
import type { MailText } from '../domain/mail-texts.ts';

export type MailSettings = {
  /** `smtp://` or `smtps://`, with a user where the server wants one. */
  url: string;
  password: string | undefined;
  from: string;
  /** `smtp://` goes on in plain text where the server has no STARTTLS. */
  allowInsecure: boolean;
  caFile: string | undefined;
};

export type Mailer = {
  /** Whether the mail server took it; why not is in the log, with no address and no text. */
  send(to: string, mail: MailText): Promise<boolean>;
  close(): void;
};

export function createMailer(
  { url, password = '', from, allowInsecure, caFile }: MailSettings,
  logger: Logger,
): Mailer {
  const { protocol, hostname, port, username } = new URL(url);
  const secure = protocol === 'smtps:';
  const transport = createTransport({
    host: hostname.replaceAll(/^\[|\]$/g, ''),
    port: port === '' ? (secure ? 465 : 587) : Number(port),
    secure,
    requireTLS: !secure && !allowInsecure,
    ...(username !== '' && {
      auth: { user: decodeURIComponent(username), pass: password },
    }),
    ...(caFile !== undefined && { tls: { ca: readFileSync(caFile) } }),
    ...times,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return {
    async send(to, mail) {
      const message = { from, to: { name: '', address: to }, ...mail };
      try {
        await transport.sendMail({ ...message, headers: { 'Auto-Submitted': 'auto-generated' } });
        return true;
      } catch (error) {
        // What it says may repeat the address; its code does not.
        const { code, responseCode } = error as { code?: string; responseCode?: number };
        logger.warn('a mail was not taken', { code, responseCode });
        return false;
      }
    },
    close: () => transport.close(),
  };
}

/** Somebody waits for the answer that an invitation was sent with. */
const times = { connectionTimeout: 5_000, greetingTimeout: 5_000, socketTimeout: 10_000 };
