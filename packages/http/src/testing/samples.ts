/** A line of what `/metrics` answers. */
export type Sample = { name: string; labels: Readonly<Record<string, string>>; value: number };

/** The lines of a metric, in the order of the text; all of them without a name. */
export function samplesOf(text: string, name?: string): Sample[] {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  const samples = lines.map(parseSample);
  return name === undefined ? samples : samples.filter((sample) => sample.name === name);
}

/** The value of the one line that has these labels, whatever others it has; undefined: none. */
export function sampleOf(
  text: string,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number | undefined {
  const found = samplesOf(text, name).filter((sample) =>
    Object.entries(labels).every(([label, value]) => sample.labels[label] === value),
  );
  if (found.length > 1) throw new Error(`${found.length} lines of ${name} have these labels`);
  return found[0]?.value;
}

/** Names and types of all metrics, those without a line included. */
export function typesOf(text: string): Map<string, string> {
  const lines = text.matchAll(/^# TYPE (\S+) (\S+)$/gm);
  return new Map([...lines].map(([, name, type]) => [name!, type!]));
}

function parseSample(line: string): Sample {
  const [, name, labels = '', value] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
  if (name === undefined || value === undefined) throw new Error(`not a line of metrics: ${line}`);
  const pairs = labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g);
  return {
    name,
    labels: Object.fromEntries([...pairs].map(([, label, text]) => [label!, text!])),
    value: Number(value),
  };
}
