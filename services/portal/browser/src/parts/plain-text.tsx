import { Code, type CodeProps } from '@mantine/core';
import { withMarksByLine } from './hidden-characters.ts';

/**
 * A text of many lines as it is laid out: an explanation, a body, JSON. Line ends stay; what else
 * cannot be seen is shown by its number.
 */
export function PlainText({ text, label, ...layout }: { text: string; label: string } & CodeProps) {
  return (
    <Code block className="prewrap" tabIndex={0} role="group" aria-label={label} {...layout}>
      {withMarksByLine(text)}
    </Code>
  );
}
