import { PlainText } from './plain-text.tsx';

/** A value as JSON, laid out to be read. */
export function Json({ value, label }: { value: unknown; label: string }) {
  return <PlainText text={JSON.stringify(value, null, 2)} label={label} />;
}
