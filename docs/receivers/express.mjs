// A receiver of the reward webhook with express and @tributary/client.
//
//   npm install express ./tributary-client-0.1.0.tgz
//   WEBHOOK_USERNAME=… WEBHOOK_PASSWORD=… PORT=3000 GRANTS_FILE=grants.jsonl node express.mjs
//
// Grants are lines of a file, each on the disk before the answer is sent. That is safe for one
// process on one machine. In production, use a table whose primary key is the eventId, and insert
// there in the transaction that gives the credits: the README of the client shows it for Postgres.
import { closeSync, fsyncSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import express from 'express';
import { rewardWebhook } from '@tributary/client/webhook';

const { PORT, WEBHOOK_USERNAME, WEBHOOK_PASSWORD, GRANTS_FILE = 'grants.jsonl' } = process.env;
const grants = openGrants(resolve(GRANTS_FILE));

const app = express();
app.post(
  '/rewards',
  rewardWebhook({
    username: WEBHOOK_USERNAME,
    password: WEBHOOK_PASSWORD,
    grant: ({ eventId, rewardId, productUserId, amount }) =>
      grants.grantOnce({ eventId, rewardId, productUserId, amount }),
  }),
);
app.listen(PORT, () => console.log(`listening on port ${PORT}`));

function openGrants(file) {
  const fd = openSync(file, 'a+');
  // The name of a new file is durable once its directory is.
  const directory = openSync(dirname(file), 'r');
  fsyncSync(directory);
  closeSync(directory);

  // A crash in the middle of a write leaves half a line: nobody was told that it was granted.
  const written = readFileSync(file);
  let length = written.lastIndexOf('\n') + 1;
  ftruncateSync(fd, length);
  const lines = written.subarray(0, length).toString().split('\n').slice(0, -1);
  const granted = new Set(lines.map((line) => JSON.parse(line).eventId));

  return {
    /** Without a pause in it, so that no other delivery comes between the look and the write. */
    grantOnce(grant) {
      if (granted.has(grant.eventId)) return 'repeated';
      const line = Buffer.from(`${JSON.stringify(grant)}\n`);
      try {
        for (let done = 0; done < line.length;) done += writeSync(fd, line, done);
        fsyncSync(fd);
      } catch (error) {
        ftruncateSync(fd, length);
        throw error;
      }
      length += line.length;
      granted.add(grant.eventId);
      return 'granted';
    },
  };
}
