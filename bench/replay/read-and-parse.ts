import { readRaw } from '@tributary/event-log/read-raw';
import { connectTo, silentLogger } from '@tributary/event-log/testing';
import { readWatermarks } from '@tributary/event-log/watermarks';

/** The limit of reading: one process that takes every record of a topic and parses it. */
export async function readAndParse(options: {
  kafkaBrokers: string;
  topic: string;
}): Promise<{ events: number; seconds: number }> {
  const { kafkaBrokers, topic } = options;
  const kafka = connectTo(kafkaBrokers);
  const marks = await readWatermarks(kafka, [topic]);
  const ranges = new Map(
    [...marks].map(([name, { low, high }]) => [
      Number(name.slice(name.lastIndexOf('/') + 1)),
      { from: low, to: high },
    ]),
  );
  let events = 0;
  let startedAt = performance.now();
  await readRaw({
    ...{ kafka, logger: silentLogger, topic, ranges },
    onSlice({ records }) {
      // Joining a group is no part of reading.
      if (events === 0) startedAt = performance.now();
      for (const { value } of records) JSON.parse(value!.toString());
      events += records.length;
    },
  });
  return { events, seconds: (performance.now() - startedAt) / 1_000 };
}
