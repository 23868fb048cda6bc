import type { AccessKeyRecord } from '@tributary/contracts/catalog-record';
import { equalInConstantTime, keyedDigest } from '@tributary/runtime/secrets';
import type { IssueToken } from './adapters/http/token-route.ts';

/**
 * Exchanges an access key pair for a token. An unknown id and a wrong secret take the same work:
 * the digest is always computed and compared, if need be with one that nothing matches.
 */
export function createIssueToken(options: {
  digestKey: Buffer;
  accessKey: (accessKeyId: string) => AccessKeyRecord | undefined;
  isActive: (tenantId: string, accessKeyId: string) => boolean;
  sign: (claims: { tenantId: string; accessKeyId: string }) => {
    accessToken: string;
    expiresIn: number;
  };
}): IssueToken {
  const { digestKey, accessKey, isActive, sign } = options;
  const nobodysDigest = keyedDigest(digestKey, 'no secret access key has this digest');

  return ({ accessKeyId, secretAccessKey }) => {
    const digest = keyedDigest(digestKey, secretAccessKey);
    const found = accessKey(accessKeyId);
    const matches = equalInConstantTime(digest, found?.secretDigest ?? nobodysDigest);
    if (!found || !matches || !isActive(found.tenantId, accessKeyId)) return undefined;
    return sign({ tenantId: found.tenantId, accessKeyId });
  };
}
