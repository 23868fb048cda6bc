import { createTributaryClient } from '../../packages/client/src/client.ts';
import { createShop } from './shop.ts';

/**
 * A customer with pages and a backend of their own, for trying the browser scripts out. Variables:
 * TRIBUTARY_PORT, TRIBUTARY_HOST (127.0.0.1), TRIBUTARY_BASE_URL (of the API, as the shop has it),
 * TRIBUTARY_ASSETS_URL and TRIBUTARY_SHOP_URL (as browsers have them), TRIBUTARY_PRODUCT_ID,
 * TRIBUTARY_PRODUCT_SECRET, TRIBUTARY_ACCESS_KEY_ID, TRIBUTARY_SECRET_ACCESS_KEY,
 * TRIBUTARY_DEMO_REFERRER (the id of its first customer), TRIBUTARY_DEMO_SHOP_FILE (what it keeps;
 * optional).
 */
const missing: string[] = [];
const needed = (name: string): string => {
  const value = process.env[name] ?? '';
  if (value === '') missing.push(name);
  return value;
};

const port = Number(needed('TRIBUTARY_PORT'));
const urls = {
  baseUrl: needed('TRIBUTARY_BASE_URL'),
  assetsUrl: needed('TRIBUTARY_ASSETS_URL'),
  shopUrl: needed('TRIBUTARY_SHOP_URL'),
};
const product = {
  productId: needed('TRIBUTARY_PRODUCT_ID'),
  productSecret: needed('TRIBUTARY_PRODUCT_SECRET'),
};
const accessKey = {
  accessKeyId: needed('TRIBUTARY_ACCESS_KEY_ID'),
  secretAccessKey: needed('TRIBUTARY_SECRET_ACCESS_KEY'),
};
const referrerId = needed('TRIBUTARY_DEMO_REFERRER');
if (missing.length > 0 || !Number.isInteger(port) || port <= 0) {
  console.error(
    `demo-shop: TRIBUTARY_PORT must be a port; missing: ${missing.join(', ') || 'none'}`,
  );
  process.exit(1);
}

const shop = createShop({
  ...urls,
  ...product,
  client: createTributaryClient({ baseUrl: urls.baseUrl, ...accessKey }),
  referrer: { id: referrerId, name: 'Ada Marsh', email: 'ada@harbour-tea.example' },
  file: process.env['TRIBUTARY_DEMO_SHOP_FILE'],
  say: (line) => console.log(line),
});
shop.server.listen(port, process.env['TRIBUTARY_HOST'] ?? '127.0.0.1');
shop.server.on('error', (error) => {
  console.error('demo-shop:', error.message);
  process.exit(1);
});
for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.once(signal, () => void shop.stop().then(() => process.exit(0)));
}
