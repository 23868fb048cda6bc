/** What the audit list says in place of a secret, and of what is personal. */
const instead: Readonly<Record<string, string>> = {
  ...secrets('password', 'newPassword', 'code', 'apiKey', 'signingSecret', 'productSecret'),
  ...secrets('secretAccessKey', 'token', 'invitation', 'secret', 'link', 'csrfToken'),
  ...secrets('recoveryCodes', 'otpauthUrl', 'passkey'),
  ...{ userId: 'personal', email: 'personal', recipientId: 'personal' },
};

function secrets(...names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, 'changed']));
}

/** A body as the audit list keeps it: without secrets and persons, and as Postgres can hold it. */
export function redact(value: unknown, personal: ReadonlySet<string> = new Set()): unknown {
  if (typeof value === 'string') return storable(value);
  if (Array.isArray(value)) return value.map((item) => redact(item, personal));
  if (value instanceof Date) return value.toISOString();
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      const word = personal.has(name) ? 'personal' : own(name);
      const kept = word === undefined || member === undefined ? redact(member, personal) : word;
      return [storable(name), kept];
    }),
  );
}

/** No NUL and no half of a surrogate pair, which Postgres refuses. */
function storable(text: string): string {
  return text.replaceAll('\0', '\ufffd').toWellFormed();
}

function own(name: string): string | undefined {
  return Object.hasOwn(instead, name) ? instead[name] : undefined;
}
