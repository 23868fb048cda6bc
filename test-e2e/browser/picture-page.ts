/**
 * A page of a customer as one might look, for the pictures of the docs: without scripts of its own.
 */
export const pictureHead = `<style>
:root { color-scheme: light dark; --page: #f6f4ef; --card: #fff; --ink: #26302b; --soft: #6b756f; --line: #e4e0d6; --leaf: #2f5d4a; }
@media (prefers-color-scheme: dark) {
  :root { --page: #121513; --card: #1a1f1c; --ink: #e8ece9; --soft: #98a39d; --line: #2a312d; --leaf: #8fc9ae; }
}
body { margin: 0; background: var(--page); color: var(--ink); font: 15px/1.5 Arial, sans-serif; }
nav { display: flex; align-items: center; gap: 28px; padding: 18px 40px; border-bottom: 1px solid var(--line); background: var(--card); }
nav b { font: 700 20px Georgia, serif; color: var(--leaf); margin-inline-end: auto; }
nav span { color: var(--soft); }
.page { max-width: 740px; padding: 36px 40px; }
h1 { font: 400 32px Georgia, serif; margin: 0 0 24px; }
.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(220px, 1fr)); gap: 18px; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 20px; }
.card p { margin: 4px 0 0; color: var(--soft); }
.card i { display: block; height: 96px; border-radius: 6px; margin-bottom: 14px; background: var(--tea); }
h2 { font: 400 21px Georgia, serif; margin: 36px 0 16px; }
@media (max-width: 600px) { nav, .page { padding-inline: 20px; } nav span { display: none; } }
</style>`;

const teas = [
  ['Morning Harbour', 'Black, malty', '#b5793f'],
  ['Salt Meadow', 'Green, fresh', '#8aa36b'],
  ['Lighthouse', 'Oolong, roasted', '#a3764f'],
  ['Low Tide', 'White, floral', '#cfc3a2'],
  ['North Pier', 'Smoked', '#5b5148'],
  ['Slack Water', 'Rooibos', '#a8502f'],
];

export const pictureBody = `
<nav><b>Harbour Tea</b><span>Shop</span><span>Subscription</span><span>Account</span></nav>
<div class="page"><h1>Good morning, Ada</h1>
<div class="cards">
  <div class="card"><b>Next delivery</b><p>Thursday, 26 November</p></div>
  <div class="card"><b>Your plan</b><p>Two teas, every month</p></div>
  <div class="card"><b>Address</b><p>3 Quay Street</p></div>
</div>
<h2>Chosen for you</h2>
<div class="cards">${teas
  .map(
    ([name, taste, colour]) =>
      `<div class="card"><i style="--tea:${colour}"></i><b>${name}</b><p>${taste}</p></div>`,
  )
  .join('')}</div></div>`;
