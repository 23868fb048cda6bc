/**
 * E-mail addresses by the `Mailbox` grammar of RFC 5321, 4.1.2 and 4.1.3: quoted local parts,
 * address literals and single-label domains are in, non-ASCII is out (design 8, "E-mail"). The
 * RFC's size limits are no part of its grammar; the contract has its own (1–320).
 */
export function isEmail(text: string): boolean {
  const local = localPart.exec(text)?.[0];
  if (local === undefined) return false;
  const host = text.slice(local.length);
  return domain.test(host) || isAddressLiteral(host);
}

const localPart =
  /^(?:[\w!#$%&'*+\-/=?^`{|}~]+(?:\.[\w!#$%&'*+\-/=?^`{|}~]+)*|"(?:[ !#-[\]-~]|\\[ -~])*")@/;
const domain = /^[a-z\d](?:[a-z\d-]*[a-z\d])?(?:\.[a-z\d](?:[a-z\d-]*[a-z\d])?)*$/i;
const generalLiteral = /^[a-z\d-]*[a-z\d]:[!-Z^-~]+$/i;
const ipv4 = /^\d{1,3}(?:\.\d{1,3}){3}$/;
const hexGroup = /^[\da-f]{1,4}$/i;

function isAddressLiteral(host: string): boolean {
  if (!host.startsWith('[') || !host.endsWith(']')) return false;
  const inside = host.slice(1, -1);
  // The tag is looked at first: an ill-formed IPv6 address would pass as a general literal.
  if (/^ipv6:/i.test(inside)) return isIpv6(inside.slice(5));
  return isIpv4(inside) || generalLiteral.test(inside);
}

function isIpv4(text: string): boolean {
  return ipv4.test(text) && text.split('.').every((part) => Number(part) <= 255);
}

/**
 * The four forms of RFC 5321: full and compressed, each with or without a dotted quad at its end.
 */
function isIpv6(text: string): boolean {
  const lastColon = text.lastIndexOf(':');
  if (!text.includes('.', lastColon + 1)) return isHexAddress(text, 8, 6);
  if (!isIpv4(text.slice(lastColon + 1))) return false;
  const head = text.slice(0, lastColon);
  // `1::127.0.0.1` leaves the head `1:`, whose second colon belongs to the `::`.
  return isHexAddress(head.endsWith(':') ? `${head}:` : head, 6, 4);
}

/** `::` stands for at least two groups, hence fewer beside it than an address has. */
function isHexAddress(text: string, groups: number, groupsBesideGap: number): boolean {
  const [left = '', right, ...more] = text.split('::');
  if (more.length > 0) return false;
  if (right === undefined) return hexGroups(left) === groups;
  const [before, after] = [left, right].map((side) => (side === '' ? 0 : hexGroups(side)));
  return before! >= 0 && after! >= 0 && before! + after! <= groupsBesideGap;
}

/** How many groups, or NaN when one of them is none. */
function hexGroups(text: string): number {
  const parts = text.split(':');
  return parts.every((part) => hexGroup.test(part)) ? parts.length : Number.NaN;
}
