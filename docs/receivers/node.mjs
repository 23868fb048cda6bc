// A receiver of the reward webhook with nothing but Node (20 or later).
//
//   WEBHOOK_USERNAME=… WEBHOOK_PASSWORD=… PORT=3000 GRANTS_FILE=grants.jsonl node node.mjs
//
// Grants are lines of a file, each on the disk before the answer is sent. That is safe for one
// process on one machine. In production, use a table whose primary key is the eventId, and insert
// there in the transaction that gives the credits.
import { createHash, timingSafeEqual } from 'node:crypto';
import { closeSync, fsyncSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs';
import { createServer } from 'node:http';
import { dirname, resolve } from 'node:path';

const { PORT, WEBHOOK_USERNAME, WEBHOOK_PASSWORD, GRANTS_FILE = 'grants.jsonl' } = process.env;
// A variable that was forgotten must not become a password.
if (!PORT || !WEBHOOK_USERNAME || !WEBHOOK_PASSWORD) throw new Error('a variable is missing');

const bodyLimitBytes = 65_536;
const credentials = digest(`${WEBHOOK_USERNAME}:${WEBHOOK_PASSWORD}`);
const grants = openGrants(resolve(GRANTS_FILE));

const server = createServer((req, res) => {
  const answer = (status, body, headers = {}) => {
    res.writeHead(status, { 'content-type': 'application/json', ...headers });
    res.end(`${JSON.stringify(body)}\n`);
  };
  receive(req, answer).catch((error) => {
    // Not 2xx: the webhook comes again.
    console.error(error);
    if (res.headersSent) res.destroy();
    else answer(500, { message: 'the reward could not be granted' });
  });
});
server.requestTimeout = 10_000;
server.listen(PORT, () => console.log(`listening on port ${PORT}`));

async function receive(req, answer) {
  if (req.url !== '/rewards') return answer(404, { message: 'not found' });
  if (req.method !== 'POST') return answer(405, { message: 'POST only' }, { allow: 'POST' });

  // Rule 1. Before the body: that of a stranger is not read.
  if (!isOurs(req.headers.authorization)) {
    const challenge = { 'www-authenticate': 'Basic realm="webhook", charset="UTF-8"' };
    return answer(401, { message: 'credentials are missing or wrong' }, challenge);
  }
  const bytes = await readBody(req);
  if (bytes === undefined) return answer(413, { message: 'the body is too large' });
  const event = parseObject(bytes);
  if (event === undefined) return answer(400, { message: 'the body is no JSON object' });

  // Rule 2. Before the fields: those of other kinds are not known.
  const data = isObject(event.data) ? event.data : {};
  if (event.eventType !== 'new-reward' || data.rewardType !== 'credits') {
    return answer(200, { ignored: true });
  }

  // Rule 3.
  const { eventId } = event;
  const { rewardId, productUserId } = data;
  const amount = isObject(data.reward) ? data.reward.amount : undefined;
  for (const [name, value] of Object.entries({ eventId, rewardId, productUserId })) {
    if (typeof value !== 'string' || value === '') {
      return answer(400, { message: `${name} is missing` });
    }
  }
  if (!Number.isFinite(amount)) return answer(400, { message: 'the amount is not a number' });

  // Rule 4.
  const outcome = grants.grantOnce({ eventId, rewardId, productUserId, amount });
  answer(200, { duplicate: outcome === 'repeated' });
}

/** Digests have one length, so that the time it takes says nothing of how much was right. */
function isOurs(authorization = '') {
  const encoded = /^basic +([a-z0-9+/=]+)$/i.exec(authorization)?.[1] ?? '';
  return timingSafeEqual(digest(Buffer.from(encoded, 'base64')), credentials);
}

function digest(value) {
  return createHash('sha256').update(value).digest();
}

async function readBody(req) {
  const chunks = [];
  let length = 0;
  for await (const chunk of req) {
    length += chunk.length;
    if (length <= bodyLimitBytes) chunks.push(chunk);
  }
  return length <= bodyLimitBytes ? Buffer.concat(chunks) : undefined;
}

function parseObject(bytes) {
  try {
    const value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isObject(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

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
