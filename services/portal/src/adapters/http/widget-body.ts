import { type TSchema, type TString, Type } from '@sinclair/typebox';
import { WidgetSettings, WidgetTexts, WidgetTheme } from '@tributary/contracts/widget-settings';
import { createBodyReader } from './body.ts';
import { closeSchema } from './closed-schema.ts';
import { anyText } from './fields.ts';

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
export const readWidgetBody = createBodyReader(
  Type.Object(
    {
      theme: Type.Optional(Theme),
      texts: Type.Optional(Texts),
      referrerName: Type.Optional(referrerName),
      referredUserName: Type.Optional(referredUserName),
      recoverSignups: Type.Optional(recoverSignups),
      maxTokenAgeSeconds: Type.Optional(maxTokenAgeSeconds),
    },
    { additionalProperties: false },
  ),
);

/** What a record's keys are, and its values. */
function entriesOf(record: TSchema): [TString, TSchema] {
  const [entry] = Object.entries(record['patternProperties'] as Record<string, TSchema>);
  if (entry === undefined) throw new Error('a record without entries');
  return [Type.String({ pattern: entry[0] }), entry[1]];
}
