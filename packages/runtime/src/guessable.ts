/**
 * What is wrong with a secret that somebody could guess, or undefined: each key, token or password
 * in it is looked at. Says which rule it breaks and repeats nothing of it.
 */
export function mistakeOfGuessable(value: string): string | undefined {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  if (url?.host) return mistakeOfUrl(url);
  const entries = value.split(',').map((entry) => entry.trim());
  const mistakes = entries.map((entry) => {
    const one = URL.parse(entry);
    return one?.host ? mistakeOfUrl(one) : mistakeOfEntry(entry);
  });
  return mistakes.find((mistake) => mistake !== undefined);
}

function mistakeOfUrl({ protocol, password }: URL): string | undefined {
  if (password === '') {
    return protocol.startsWith('redis') ? 'has no password' : undefined;
  }
  const text = decodeURIComponent(password);
  if (text.length < shortestPassword)
    return `has a password of less than ${shortestPassword} characters`;
  return isGuessable([...text]) || word.test(text)
    ? 'has a password that can be guessed'
    : undefined;
}

/** A token as it is, or a key as base64, after its id where it stands in a ring. */
function mistakeOfEntry(entry: string): string | undefined {
  const secret = entry.replace(/^[\w-]{1,32}:/, '');
  const bytes = /^[A-Za-z0-9+/_-]{43,}={0,2}$/.test(secret) ? Buffer.from(secret, 'base64') : [];
  const units = bytes.length > 0 ? [[...secret], [...bytes].map(String)] : [[...secret]];
  return units.some(isGuessable) || word.test(secret)
    ? 'can be guessed; take random bytes'
    : undefined;
}

/** Few different characters, or the same ones again and again. */
function isGuessable(units: readonly string[]): boolean {
  if (new Set(units).size < fewestDifferent) return true;
  return /^(.+?)\1+$/s.test(units.join('.') + '.');
}

const shortestPassword = 12;
/** Random text of sixteen hexadecimal digits has about ten. */
const fewestDifferent = 6;
const word = /password|change-?me|example|12345678|letmein|qwerty/i;
