import { parseAllDocuments } from 'yaml';

/** As much of Kubernetes' objects as the specs look at. */
export type Manifest = {
  kind: string;
  metadata: { name: string };
  spec?: {
    template?: { spec: Pod };
    /** In a NetworkPolicy. */
    egress?: { ports?: { port: number }[]; to?: object[] }[];
  };
  data?: Record<string, string>;
};
export type Pod = {
  containers: Container[];
  terminationGracePeriodSeconds?: number;
  volumes?: { projected?: { sources: { secret: { items: { path: string }[] } }[] } }[];
  securityContext?: { runAsUser?: number };
};
export type Container = {
  name: string;
  command?: string[];
  env: Variable[];
  ports?: { name: string; containerPort: number }[];
  lifecycle?: { preStop: { sleep: { seconds: number } } };
  securityContext?: object;
  resources?: { limits?: object };
};
type Variable = {
  name: string;
  value?: string;
  valueFrom?: { secretKeyRef: { name: string; key: string; optional?: boolean } };
};

export function readManifests(text: string): Manifest[] {
  return parseAllDocuments(text)
    .map((document) => document.toJS() as Manifest | null)
    .filter((manifest) => manifest !== null);
}

/**
 * What the process sees, as a kubelet makes it: a variable may name earlier ones, `$(NAME)`. Files
 * of authorities are not there, so this one stands for them.
 *
 * @throws when a Secret lacks a key that is not optional
 */
export function environmentOf(
  { env }: Pick<Container, 'env'>,
  secretValue: (secret: string, key: string) => string | undefined,
): Record<string, string> {
  const seen: Record<string, string> = {};
  for (const { name, value, valueFrom } of env) {
    if (valueFrom === undefined) {
      const text = (value ?? '').replace(/\$\((\w+)\)/g, (whole, of: string) => seen[of] ?? whole);
      seen[name] = name.endsWith('_CA_FILE') ? import.meta.filename : text;
      continue;
    }
    const { name: secret, key, optional = false } = valueFrom.secretKeyRef;
    const found = secretValue(secret, key);
    if (found !== undefined) seen[name] = found;
    else if (!optional) throw new Error(`the Secret ${secret} has no ${key}`);
  }
  return seen;
}
