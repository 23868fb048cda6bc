import { Code } from '@mantine/core';
import { withMarks } from './hidden-characters.ts';

/**
 * A text of many lines as it is laid out: an explanation, a body, JSON. Line ends stay; what else
 * cannot be seen is shown by its number.
 */
export function PlainText({ text, label }: { text: string; label: string }) {
  return (
    <Code block className="prewrap" tabIndex={0} role="group" aria-label={label}>
      {text.split('\n').map(withMarks).join('\n')}
    </Code>
  );
}
