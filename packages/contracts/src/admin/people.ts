import { Type } from '@sinclair/typebox';
import { closedObject } from '../closed-object.ts';
import { emailAddress, RoleText, TenantRoleText } from './accounts.ts';
import { adminRoute } from './admin-route.ts';
import { named, nullable, text, utc } from './answer-fields.ts';
import { orDefault } from './body-validator.ts';
import { printableText } from './text-fields.ts';

const Person = Type.Object({ accountId: text, email: text, name: text, since: utc });
const Invited = Type.Object({
  invitationId: text,
  email: text,
  expiresAt: utc,
});
const Invitation = named(
  'Invitation',
  Type.Object({
    invitationId: text,
    email: text,
    tenantId: nullable(text),
    role: RoleText,
    expiresAt: utc,
    /** Shown once: whoever has it takes the invitation. Null where it was mailed. */
    link: nullable(text),
    mailed: Type.Boolean(),
  }),
);
const Withdrawn = Type.Object({ invitationId: text, status: Type.Literal('withdrawn') });
const Token = named(
  'API token',
  Type.Object({
    tokenId: text,
    name: text,
    tenantId: nullable(text),
    role: RoleText,
    createdBy: text,
    createdAt: utc,
    expiresAt: utc,
    lastUsedAt: nullable(utc),
    revokedAt: nullable(utc),
  }),
);
const NewToken = Type.Object({ ...Token.properties, token: text });

const tokenName = printableText(100);
const days = orDefault(Type.Integer({ minimum: 1, maximum: 365 }), 90);

/** Who may do what: people of a tenant, the deployment's operators, and tokens of machines. */
export const peopleRoutes = {
  listPeople: adminRoute({
    method: 'GET',
    path: '/api/tenants/{tenantId}/people',
    right: 'administer',
    audited: true,
    summary: 'Lists the people of a tenant and open invitations.',
    answers: {
      200: Type.Object({
        people: Type.Array(Type.Object({ ...Person.properties, role: TenantRoleText })),
        invitations: Type.Array(Type.Object({ ...Invited.properties, role: TenantRoleText })),
      }),
    },
  }),
  invitePerson: adminRoute({
    method: 'POST',
    path: '/api/tenants/{tenantId}/people/invitations',
    right: 'administer',
    confirmed: true,
    summary: 'Invites somebody in a role no higher than your own. The link is valid for 7 days.',
    body: closedObject({ email: emailAddress, role: TenantRoleText }),
    answers: { 201: Invitation },
  }),
  withdrawInvitation: adminRoute({
    method: 'DELETE',
    path: '/api/tenants/{tenantId}/people/invitations/{invitationId}',
    right: 'administer',
    summary: 'Withdraws an unused invitation.',
    answers: { 200: Withdrawn },
  }),
  changeRole: adminRoute({
    method: 'PUT',
    path: '/api/tenants/{tenantId}/people/{accountId}/role',
    right: 'administer',
    confirmed: true,
    summary: 'Gives somebody another role, no higher than your own.',
    body: closedObject({ role: TenantRoleText }),
    answers: { 200: Type.Object({ accountId: text, role: TenantRoleText }) },
    conflict: 'this is the last owner',
  }),
  removePerson: adminRoute({
    method: 'DELETE',
    path: '/api/tenants/{tenantId}/people/{accountId}',
    right: 'administer',
    confirmed: true,
    summary:
      'Removes somebody and ends their sessions. An account left without any role is deleted.',
    answers: { 200: Type.Object({ accountId: text, forgotten: Type.Boolean() }) },
    conflict: 'this is the last owner',
  }),
  listOperators: adminRoute({
    method: 'GET',
    path: '/api/operators',
    right: 'deployment',
    audited: true,
    summary: 'Lists the operators of the deployment and open invitations.',
    answers: {
      200: Type.Object({ operators: Type.Array(Person), invitations: Type.Array(Invited) }),
    },
  }),
  inviteOperator: adminRoute({
    method: 'POST',
    path: '/api/operators/invitations',
    right: 'deployment',
    confirmed: true,
    summary: 'Invites an operator of the deployment. The link is valid for 7 days.',
    body: closedObject({ email: emailAddress }),
    answers: { 201: Invitation },
  }),
  withdrawOperatorInvitation: adminRoute({
    method: 'DELETE',
    path: '/api/operators/invitations/{invitationId}',
    right: 'deployment',
    confirmed: true,
    summary: 'Withdraws an unused invitation.',
    answers: { 200: Withdrawn },
  }),
  removeOperator: adminRoute({
    method: 'DELETE',
    path: '/api/operators/{accountId}',
    right: 'deployment',
    confirmed: true,
    summary: 'Removes an operator and ends their sessions.',
    answers: { 200: Type.Object({ accountId: text, forgotten: Type.Boolean() }) },
  }),
  listTokens: adminRoute({
    method: 'GET',
    path: '/api/tenants/{tenantId}/tokens',
    right: 'administer',
    summary: 'Lists the API tokens of a tenant, and when each was last used.',
    answers: { 200: Type.Object({ tokens: Type.Array(Token) }) },
  }),
  createToken: adminRoute({
    method: 'POST',
    path: '/api/tenants/{tenantId}/tokens',
    right: 'administer',
    confirmed: true,
    summary: 'Creates an API token for a tenant, shown once, in a role no higher than your own.',
    body: closedObject({ name: tokenName, role: TenantRoleText, days }),
    answers: { 201: NewToken },
  }),
  revokeToken: adminRoute({
    method: 'DELETE',
    path: '/api/tenants/{tenantId}/tokens/{tokenId}',
    right: 'administer',
    summary: 'Revokes an API token.',
    answers: { 200: Token },
  }),
  listDeploymentTokens: adminRoute({
    method: 'GET',
    path: '/api/tokens',
    right: 'deployment',
    summary: 'Lists the API tokens of the deployment.',
    answers: { 200: Type.Object({ tokens: Type.Array(Token) }) },
  }),
  createDeploymentToken: adminRoute({
    method: 'POST',
    path: '/api/tokens',
    right: 'deployment',
    confirmed: true,
    summary: 'Creates an API token with the rights of an operator. It is shown once.',
    body: closedObject({ name: tokenName, days }),
    answers: { 201: NewToken },
  }),
  revokeDeploymentToken: adminRoute({
    method: 'DELETE',
    path: '/api/tokens/{tokenId}',
    right: 'deployment',
    summary: 'Revokes an API token of the deployment.',
    answers: { 200: Token },
  }),
};
