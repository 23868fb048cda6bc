/**
 * Where a link can be passed on to, and the address that begins it there. Nothing is told to
 * anybody before it is followed.
 */
export type ShareLink = {
  network: 'mail' | 'whatsapp' | 'x' | 'linkedin';
  href: string;
};

/** The words that go with the link; `message` ends where the link follows. */
export type ShareText = { subject: string; message: string };

export function shareLinks(link: string, shareTexts: ShareText): ShareLink[] {
  const { subject, message } = shareTexts;
  const text = `${message} ${link}`;
  return [
    // A line break in a mailto body is CRLF (RFC 6068 section 5).
    { network: 'mail', href: `mailto:?${query({ subject, body: `${message}\r\n\r\n${link}` })}` },
    { network: 'whatsapp', href: `https://wa.me/?${query({ text })}` },
    { network: 'x', href: `https://x.com/intent/post?${query({ text: message, url: link })}` },
    // LinkedIn takes an address only, and makes its own preview of it.
    {
      network: 'linkedin',
      href: `https://www.linkedin.com/sharing/share-offsite/?${query({ url: link })}`,
    },
  ];
}

/** Blanks as `%20`: mail programs read a `+` as it stands, which URLSearchParams would write. */
function query(parameters: Record<string, string>): string {
  return Object.entries(parameters)
    .map(([name, value]) => `${name}=${encodeURIComponent(wellFormed(value))}`)
    .join('&');
}

/** Half a character, as a text that was cut may end in, cannot be encoded. */
function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\ufffd');
}
