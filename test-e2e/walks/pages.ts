import type { Ground } from './run-walk.ts';

/** A page whose commands are run. */
export type Walked = Pick<Ground, 'given' | 'instead'> & {
  /** How many of its blocks say why they are not run; none where absent. */
  left?: number;
  /** Takes long, by replays or a system of its own: walked with `--long` only. */
  isLong?: true;
};

/** The tenant of which most pages speak, with the campaign of docs/campaigns.md. */
const acme = `
tributary tenant create Acme --tenant acme
tributary campaign put docs/campaigns.example.json
member() { node -p "JSON.parse(fs.readFileSync(0)).$1"; }
UCC=$(tributary code issue --tenant acme --user ada --json | member ucc)
`;

/** A purchase of the example campaign, and a campaign that pays another share for it. */
const purchase = `${acme}
cat > event.json <<END
{ "ucc": "$UCC", "occurredAt": "$(date -u +%FT%TZ)", "newUser": { "id": "bob" }, "currency": "EUR",
  "invoiceId": "inv-1", "amount": 20000, "subscription": { "interval": "yearly" } }
END
sed 's/"basisPoints": 1000/"basisPoints": 1500/' docs/campaigns.example.json > spring.json
tributary access-key issue --tenant acme --json > key.json
member secretAccessKey < key.json > key.txt
tributary event send purchase-created --file event.json \
  --access-key-id "$(member accessKeyId < key.json)" --secret-file key.txt`;

/** The complete receiver of the page, at a free port of this machine. */
const receiver = `
PORT=$(node -e 'const s = net.createServer().listen(0, () => (console.log(s.address().port), s.close()))')
echo the-password-of-the-webhook > password.txt
PORT=$PORT WEBHOOK_USERNAME=acme WEBHOOK_PASSWORD=$(cat password.txt) node docs/receivers/node.mjs >/dev/null 2>&1 &
trap "kill $!" EXIT
until curl -s "http://127.0.0.1:$PORT/" >/dev/null; do :; done`;

/** A token of a server that added claims of its own. */
const token = `${acme}
tributary product-secret rotate --tenant acme --json > product.json
node -e "
const { productId, productSecret } = JSON.parse(fs.readFileSync('product.json'));
const claims = { productId, productUserId: 'ada', exp: 4e9, name: 'Ada', iat: 1 };
console.log(require('jsonwebtoken').sign(claims, productSecret, { algorithm: 'HS512' }))" > token.txt`;

/** Who may do everything, at the portal and in Postgres. */
const administrator = `
export $(node -p "
const { adminToken, baseUrl, postgresUrl, caFile } = JSON.parse(fs.readFileSync('.tributary/demo.json'));
const { hostname, port, username, password } = new URL(postgresUrl);
const postgres = ['PGHOST=' + hostname, 'PGPORT=' + port, 'PGUSER=' + username, 'PGPASSWORD=' + password];
const tls = caFile ? ['PGSSLMODE=verify-ca', 'PGSSLROOTCERT=' + caFile] : [];
const portal = ['TRIBUTARY_OPERATOR_TOKEN=' + adminToken, 'TRIBUTARY_ADMIN_URL=' + baseUrl];
[...postgres, ...tls, ...portal].join(' ')")`;

/** Every page of README and docs that has commands, in the order in which they are walked. */
export const pages: Record<string, Walked> = {
  'README.md': { left: 1 },
  'docs/integration.md': {},
  'docs/tour.md': { left: 7 },
  'docs/campaigns.md': { given: `${purchase}; cp docs/campaigns.example.json spring.json` },
  'docs/webhooks.md': {
    given: receiver,
    instead: { 'https://acme.example/rewards': 'http://127.0.0.1:$PORT/rewards --insecure-http' },
  },
  'docs/widget.md': { given: token },
  'docs/attribution-script.md': { given: acme },
  'docs/stripe.md': {
    given: `${acme} STRIPE_KEY=sk_test_local; echo rk_test_local > stripe-key.txt`,
  },
  'docs/replay.md': { left: 1, given: purchase, isLong: true },
  'docs/dead-letters.md': { left: 1 },
  'docs/release-notes.md': { left: 1 },
  'docs/topics.md': { left: 13 },
  'docs/runbooks/accounts.md': { left: 1, given: `${acme}\n${administrator}`, isLong: true },
  'docs/runbooks/backup.md': { left: 4, given: administrator },
  'docs/runbooks/certificates.md': { left: 1 },
  'docs/runbooks/clocks.md': { left: 1 },
  'docs/runbooks/endpoint-failing.md': { left: 4 },
  'docs/runbooks/fold-fixed.md': { left: 2, isLong: true },
  'docs/runbooks/kafka-disk.md': { left: 2 },
  'docs/runbooks/kafka-password.md': { left: 3 },
  'docs/runbooks/keys.md': {},
  'docs/runbooks/lag.md': { left: 2 },
  'docs/runbooks/ledger.md': { left: 3 },
  'docs/runbooks/move.md': { left: 3, isLong: true },
  'docs/runbooks/partition-stopped.md': { left: 4 },
  'docs/runbooks/postgres-failover.md': { left: 10 },
  'docs/runbooks/postgres-lost.md': { left: 2, isLong: true },
  'docs/runbooks/postgres-restored.md': { left: 4 },
  'docs/runbooks/store-passwords.md': { left: 2 },
  'docs/runbooks/upgrade.md': { left: 2, isLong: true },
  'docs/runbooks/wrong-rule.md': {
    isLong: true,
    given: `${purchase}
tributary webhook set https://acme.example/rewards --tenant acme
cp spring.json right.json; USER_ID=ada`,
  },
};
