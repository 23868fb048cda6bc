import type { AccessKeyRecord } from '@tributary/contracts/catalog-record';
import type { Caller } from '@tributary/http/tokens';

/** Validates an access key pair; undefined when it is wrong, whichever part of it (4.3). */
export type IssueToken = (pair: {
  accessKeyId: string;
  secretAccessKey: string;
}) => Promise<{ accessToken: string; expiresIn: number } | undefined>;

/**
 * Exchanges an access key pair for a token. Whatever is wrong with a pair, the work is the same, so
 * that its time tells nothing: the digest is always computed and compared, if need be with one that
 * nothing matches, and the key's state is always asked for; only then all three are validated. A
 * pair that is wrong as far as this process has read the catalog, for whatever reason, is validated
 * once more when it has read all of it: the key may be a moment old.
 */
export function createIssueToken(options: {
  digestOf: (secretAccessKey: string) => string;
  equalInConstantTime: (a: string, b: string) => boolean;
  accessKey: (accessKeyId: string) => AccessKeyRecord | undefined;
  isActive: (tenantId: string, accessKeyId: string) => boolean;
  becomeCurrent: () => Promise<unknown>;
  sign: (claims: { tenantId: string; accessKeyId: string }) => {
    accessToken: string;
    expiresIn: number;
  };
}): IssueToken {
  const { digestOf, equalInConstantTime, accessKey, isActive, becomeCurrent, sign } = options;
  const nobodysDigest = digestOf('no secret access key has this digest');

  const validatePair: ValidatePair = ({ accessKeyId, secretAccessKey }) => {
    const found = accessKey(accessKeyId);
    const digest = digestOf(secretAccessKey);
    const matches = equalInConstantTime(digest, found?.secretDigest ?? nobodysDigest);
    const active = isActive(found?.tenantId ?? '', accessKeyId);
    if (!found || !matches || !active) return undefined;
    return { tenantId: found.tenantId, accessKeyId };
  };

  return async (pair) => {
    let caller = validatePair(pair);
    if (!caller) {
      await becomeCurrent();
      caller = validatePair(pair);
    }
    return caller && sign(caller);
  };
}

type ValidatePair = (pair: Parameters<IssueToken>[0]) => Caller | undefined;
