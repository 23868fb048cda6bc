import { type Static, Type } from '@sinclair/typebox';
import { closedObject } from './closed-object.ts';

/**
 * How the widget and the attribution script show themselves, by tenant; members that are absent
 * have the default named.
 */

/** How a person is named to another: `Ada`, `A.` or not at all. */
export const NameShown = Type.Union([
  Type.Literal('first-name'),
  Type.Literal('initial'),
  Type.Literal('none'),
]);
export type NameShown = Static<typeof NameShown>;

const Colour = Type.String({ pattern: '^#[0-9a-fA-F]{6}$' });

const Palette = closedObject({
  /** Buttons, links and the launcher. */
  accent: Type.Optional(Colour),
  /** What is written on the accent. */
  onAccent: Type.Optional(Colour),
  surface: Type.Optional(Colour),
  /** What is written on the surface. */
  onSurface: Type.Optional(Colour),
});

/** Design tokens of the widget. What is absent is the widget's own. */
export const WidgetTheme = closedObject({
  light: Type.Optional(Palette),
  dark: Type.Optional(Palette),
  /** Absent: auto, by the page's colour scheme. */
  colourScheme: Type.Optional(
    Type.Union([Type.Literal('auto'), Type.Literal('light'), Type.Literal('dark')]),
  ),
  /** CSS pixels. */
  cornerRadius: Type.Optional(Type.Integer({ minimum: 0, maximum: 32 })),
  /** A CSS font-family list without functions. Absent: the system's own. */
  fontFamily: Type.Optional(
    Type.String({ minLength: 1, maxLength: 200, pattern: '^[A-Za-z0-9 ,\'"_-]+$' }),
  ),
  /** Absent: end, the bottom corner where a line of text ends. */
  launcherSide: Type.Optional(Type.Union([Type.Literal('start'), Type.Literal('end')])),
});
export type WidgetTheme = Static<typeof WidgetTheme>;

/** A language tag such as `en`, `de` or `pt-BR` (BCP 47, language and at most one region). */
export const languagePattern = '^[a-z]{2,3}(-[A-Z]{2})?$';

/**
 * Texts of the widget in the tenant's own words: language → text key → text. Unknown keys mean
 * nothing.
 */
export const WidgetTexts = Type.Record(
  Type.String({ pattern: languagePattern }),
  Type.Record(
    Type.String({ pattern: '^[a-zA-Z][a-zA-Z0-9.]{0,63}$' }),
    Type.String({ maxLength: 500 }),
    { maxProperties: 100 },
  ),
  { maxProperties: 30 },
);
export type WidgetTexts = Static<typeof WidgetTexts>;

export const WidgetSettings = closedObject({
  theme: WidgetTheme,
  texts: WidgetTexts,
  /** How the referrer is named to those who follow a link. */
  referrerName: NameShown,
  /** How referred users are named to their referrer. */
  referredUserName: NameShown,
  /**
   * Whether a signup that the backend did not report is taken from a first boot (always in
   * review).
   */
  recoverSignups: Type.Boolean(),
  /** null: a widget token has no maximum age (design 8). */
  maxTokenAgeSeconds: Type.Union([Type.Integer({ minimum: 60, maximum: 31_536_000 }), Type.Null()]),
});
export type WidgetSettings = Static<typeof WidgetSettings>;

/** The settings of a tenant that has set nothing. */
export const defaultWidgetSettings: WidgetSettings = {
  theme: {},
  texts: {},
  referrerName: 'first-name',
  referredUserName: 'first-name',
  recoverSignups: false,
  maxTokenAgeSeconds: null,
};
