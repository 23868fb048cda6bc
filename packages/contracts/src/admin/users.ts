import { Type } from '@sinclair/typebox';
import { adminRoute } from './admin-route.ts';
import { asOf, nullable, text } from './answer-fields.ts';
import { cursorOf } from './cursor.ts';
import { format, limit } from './paging.ts';
import { idText } from './query-parameters.ts';
import { csvForm } from './csv-form.ts';

/** Users of a tenant's product: who was referred, refers, or has a code. */
export const userRoutes = {
  listUsers: adminRoute({
    method: 'GET',
    path: '/api/tenants/{tenantId}/users',
    right: 'read',
    audited: true,
    summary:
      'Lists the product’s users, by id. With q, lists users whose id begins with it, then those whose e-mail does, then those whose name or last name does, ignoring case. Erased people are not found.',
    query: { q: idText(), limit, cursor: cursorOf(3), format },
    csv: csvForm('users', 'userId name email'),
    answers: {
      200: Type.Object({
        users: Type.Array(
          Type.Object({ userId: text, name: nullable(text), email: nullable(text) }),
        ),
        nextCursor: nullable(text),
        asOf,
      }),
    },
  }),
};
