import { eventFields } from '@tributary/contracts/public/event-fields';
import { type Json, toJsonSchema } from './json-schema.ts';

const { description: _ofTheField, ...idempotencyKey } = toJsonSchema(
  eventFields.idempotencyKey,
  () => undefined,
);

/** `components.parameters`: what requests carry besides their body. */
export const parameters: Record<string, Json> = {
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    required: false,
    description:
      'Names this submission, 1 to 255 characters after trimming, UTF-8. The same may be sent as ' +
      '`idempotencyKey` in the body; when both are sent they must be equal after trimming.',
    schema: idempotencyKey,
    example: 'invoice-in_1042',
  },
  Code: {
    name: 'code',
    in: 'path',
    required: true,
    description: 'The referral code (UCC), percent-encoded.',
    schema: { type: 'string' },
    example: 'MiYK421SmMb',
  },
  ProductUserId: {
    name: 'productUserId',
    in: 'path',
    required: true,
    description: 'Your own identifier of the user who refers, percent-encoded.',
    schema: { type: 'string' },
    example: 'user-12',
  },
};
