/**
 * Mailbox of RFC 5321, 4.1.2 and 4.1.3, as one expression put together from its productions.
 * The limits of 4.5.3.1 (64 octets before the @, 255 after) are no part of that grammar.
 */
export function isMailbox(text: string): boolean {
  return mailbox.test(text);
}

const atext = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]";
const dotString = `${atext}+(?:\\.${atext}+)*`;
const quotedString = '"(?:[ !#-\\[\\]-~]|\\\\[ -~])*"';
const letDig = '[A-Za-z0-9]';
const ldh = `(?:[A-Za-z0-9-]*${letDig})`;
const domain = `${letDig}${ldh}?(?:\\.${letDig}${ldh}?)*`;

const snum = '(?:25[0-5]|2[0-4][0-9]|[01]?[0-9]{1,2})';
const ipv4 = `${snum}(?:\\.${snum}){3}`;
const group = '[0-9A-Fa-f]{1,4}';
const upTo = (groups: number) => (groups === 0 ? '' : `(?:${group}(?::${group}){0,${groups - 1}})`);

/** "::" stands for two groups or more, so at most six (four before an IPv4 end) are written. */
function compressed(groups: number, end: string): string[] {
  const forms: string[] = [];
  for (let before = 0; before <= groups; before++) {
    const left = before === 0 ? '' : `${group}(?::${group}){${before - 1}}`;
    const right = groups - before === 0 ? '' : upTo(groups - before);
    if (end === '') forms.push(`${left}::${right === '' ? '' : `${right}?`}`);
    else forms.push(`${left}::${right === '' ? '' : `(?:${right}:)?`}${end}`);
  }
  return forms;
}

const ipv6 = [
  `${group}(?::${group}){7}`,
  ...compressed(6, ''),
  `${group}(?::${group}){5}:${ipv4}`,
  ...compressed(4, ipv4),
].join('|');
const general = `(?!(?:[Ii][Pp][Vv]6):)${ldh}:[!-Z^-~]+`;
const literal = `\\[(?:${ipv4}|[Ii][Pp][Vv]6:(?:${ipv6})|${general})\\]`;

const mailbox = new RegExp(`^(?:${dotString}|${quotedString})@(?:${domain}|${literal})$`);
