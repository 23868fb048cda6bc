import { Type } from '@sinclair/typebox';
import { adminRoute } from './admin-route.ts';
import { count, oneOfTexts, text } from './answer-fields.ts';
import { NoMembers } from './no-members.ts';

const SealingKey = Type.Object({
  keyId: text,
  /** newest: seals. older: opens what it sealed. missing: the portal is not given it any more. */
  state: oneOfTexts('newest', 'older', 'missing'),
  secrets: count,
});

/** The keys of the deployment: which there are, and what is still sealed by them. No key itself. */
export const keyRoutes = {
  listKeys: adminRoute({
    method: 'GET',
    path: '/api/keys',
    right: 'deployment',
    summary:
      'Lists the key rings, with the number of secrets that each key has sealed, and the ids of the keys that verify access tokens. No key is shown.',
    answers: {
      200: Type.Object({
        rings: Type.Array(
          Type.Object({
            purpose: oneOfTexts(
              'product-secrets',
              'webhook-passwords',
              'processor-keys',
              'second-factors',
            ),
            keys: Type.Array(SealingKey),
          }),
        ),
        tokenKeys: Type.Array(text),
      }),
    },
  }),
  resealSecrets: adminRoute({
    method: 'POST',
    path: '/api/keys/reseal',
    right: 'deployment',
    confirmed: true,
    summary:
      'Reseals secrets with the newest key of their ring, at most 200 at a time; `remaining` is the number left.',
    body: NoMembers,
    bodyOptional: true,
    publishes: true,
    answers: { 200: Type.Object({ resealed: count, remaining: count }) },
  }),
};
