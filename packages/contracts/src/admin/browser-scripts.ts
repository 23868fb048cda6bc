import { type TSchema, type TString, Type } from '@sinclair/typebox';
import { closedObject } from '../closed-object.ts';
import { readDomain } from '../registered-domain.ts';
import { WidgetSettings, WidgetTexts, WidgetTheme } from '../widget-settings.ts';
import { adminRoute } from './admin-route.ts';
import { list, named, nullable, oneOfTexts, text, utc } from './answer-fields.ts';
import { refined } from './body-validator.ts';
import { closeSchema } from './closed-schema.ts';
import { NoMembers } from './no-members.ts';
import { anyText } from './text-fields.ts';

const RegisteredDomain = named(
  'Registered domain',
  Type.Object({
    domain: text,
    registeredAt: utc,
    proof: oneOfTexts('none', 'kept', 'dns', 'file', 'not-needed'),
    /** Since when the proof is not found any more. */
    failingSince: nullable(utc),
    challenge: nullable(
      Type.Object({ value: text, txtName: nullable(text), fileUrl: nullable(text) }),
    ),
  }),
);
const Settings = named('Widget settings', WidgetSettings);

// Settings of the widget as they are asked for: the shapes of the record, closed, in the words of a
// request.

const colour = Type.RegExp(/^#[0-9a-fA-F]{6}$/, {
  expected: 'a colour of six hexadecimal digits such as "#1f6feb"',
});

const Theme = closeSchema(WidgetTheme, {
  ...{ accent: colour, onAccent: colour, surface: colour, onSurface: colour },
  fontFamily: {
    ...WidgetTheme.properties.fontFamily,
    expected: 'a list of font names such as "Inter, sans-serif", without functions',
  },
});

const [languages, textsOfLanguage] = entriesOf(WidgetTexts);
const [textKeys, anyWidgetText] = entriesOf(textsOfLanguage);

/**
 * Its length counts as in the record, where an emoji is two: that must take whatever is taken here.
 */
const textOfWidget = {
  ...anyText(anyWidgetText['maxLength'] as number),
  maxLength: anyWidgetText['maxLength'] as number,
};

const Texts = Type.Record(
  languages,
  Type.Record(textKeys, textOfWidget, {
    maxProperties: textsOfLanguage['maxProperties'] as number,
    additionalProperties: false,
    expected: `an object that gives up to ${textsOfLanguage['maxProperties']} texts by their keys`,
    unknownMember: 'is no key of a text, such as "launcher.label"',
  }),
  {
    maxProperties: WidgetTexts['maxProperties'] as number,
    additionalProperties: false,
    expected: `an object that gives texts for up to ${WidgetTexts['maxProperties']} languages`,
    unknownMember: 'is no language tag such as "en" or "pt-BR"',
  },
);

const { referrerName, referredUserName, recoverSignups, maxTokenAgeSeconds } =
  WidgetSettings.properties;

/** What is left out stays as it is. */
const ChangedSettings = closedObject({
  theme: Type.Optional(Theme),
  texts: Type.Optional(Texts),
  referrerName: Type.Optional(referrerName),
  referredUserName: Type.Optional(referredUserName),
  recoverSignups: Type.Optional(recoverSignups),
  maxTokenAgeSeconds: Type.Optional(maxTokenAgeSeconds),
});

/**
 * Which pages may ask for a tenant's configuration, and how widget and attribution script show
 * themselves.
 */
export const browserScriptRoutes = {
  registerDomain: adminRoute({
    method: 'POST',
    path: '/api/tenants/{tenantId}/domains',
    right: 'develop',
    summary: 'Registers a domain of public pages, and shows how to prove it.',
    body: refined(
      closedObject({
        domain: Type.String({ maxLength: 500, expected: 'a host name such as shop.example' }),
      }),
      ({ domain }) => {
        const reading = domain === undefined ? undefined : readDomain(domain);
        if (reading?.outcome !== 'wrong') return [];
        return [{ pointer: '/domain', code: 'INVALID_FORMAT', detail: reading.detail }];
      },
    ),
    publishes: true,
    answers: { 201: RegisteredDomain, 200: RegisteredDomain },
    when: { 200: 'when it is registered' },
  }),
  listDomains: adminRoute({
    method: 'GET',
    path: '/api/tenants/{tenantId}/domains',
    right: 'read',
    summary: 'Lists the registered domains and how each was proved.',
    answers: { 200: list('domains', RegisteredDomain) },
  }),
  proveDomain: adminRoute({
    method: 'POST',
    path: '/api/tenants/{tenantId}/domains/{domain}/prove',
    right: 'develop',
    summary:
      'Checks for the proof that the domain belongs to the tenant; from then on, its pages are served.',
    body: NoMembers,
    bodyOptional: true,
    publishes: true,
    answers: { 200: RegisteredDomain },
    conflict: 'the proof was not found, or another tenant has proved the same pages',
  }),
  takeDomainOver: adminRoute({
    method: 'POST',
    path: '/api/tenants/{tenantId}/domains/{domain}/take-over',
    right: 'deployment',
    confirmed: true,
    summary: 'Does the same, and takes the pages away from another tenant that has proved them.',
    body: NoMembers,
    bodyOptional: true,
    publishes: true,
    answers: { 200: RegisteredDomain },
    conflict: 'the proof was not found',
  }),
  removeDomain: adminRoute({
    method: 'DELETE',
    path: '/api/tenants/{tenantId}/domains/{domain}',
    right: 'develop',
    summary: 'Removes a domain.',
    publishes: true,
    answers: { 200: Type.Object({ domain: text, status: Type.Literal('removed') }) },
  }),
  showWidgetSettings: adminRoute({
    method: 'GET',
    path: '/api/tenants/{tenantId}/widget',
    right: 'read',
    summary: 'Shows all settings.',
    answers: { 200: Settings },
  }),
  changeWidgetSettings: adminRoute({
    method: 'PUT',
    path: '/api/tenants/{tenantId}/widget',
    right: 'develop',
    summary: 'Changes the given settings, and shows all of them.',
    body: ChangedSettings,
    publishes: true,
    answers: { 200: Settings },
  }),
  checkWidgetToken: adminRoute({
    method: 'POST',
    path: '/api/tenants/{tenantId}/widget/check-token',
    right: 'read',
    summary: 'Shows whether the widget would accept a token, and if not, why.',
    // As long as the widget service takes one.
    body: closedObject({ token: anyText(8_192) }),
    storesNothing: true,
    answers: {
      200: Type.Union([
        Type.Object({ accepted: Type.Literal(true), productUserId: text, issuedAt: utc }),
        Type.Object({
          accepted: Type.Literal(false),
          fault: oneOfTexts(
            ...(['form', 'algorithm', 'critical-header', 'other-product', 'product'] as const),
            ...(['signature', 'claims', 'issued-ahead', 'too-old'] as const),
          ),
          detail: text,
        }),
      ]),
    },
  }),
};

/** What a record's keys are, and its values. */
function entriesOf(record: TSchema): [TString, TSchema] {
  const [entry] = Object.entries(record['patternProperties'] as Record<string, TSchema>);
  if (entry === undefined) throw new Error('a record without entries');
  return [Type.String({ pattern: entry[0] }), entry[1]];
}
