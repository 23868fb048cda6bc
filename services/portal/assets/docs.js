// What the documentation gains by a script: a search, a table of contents that follows the reader,
// buttons that copy samples, and in a demo samples with the ids of its tenant. Without it every
// page can be read as it is. It is served as it stands here, asks nobody but this portal, and
// writes no HTML from text.

const wide = window.matchMedia('(min-width: 70rem)');
const calm = window.matchMedia('(prefers-reduced-motion: reduce)');

const search = document.querySelector('[role=search]');
if (search) startSearch(search);
const contents = document.querySelector('nav.contents');
if (contents) followReader(contents);
for (const sample of document.querySelectorAll('.article pre')) addCopyButton(sample);
const { exampleIds } = document.body.dataset;
if (exampleIds) void showExampleIds(exampleIds);

// ---- search ----

/** @param {HTMLElement} form hidden until now, as it does nothing without this script */
function startSearch(form) {
  const input = form.querySelector('input');
  const panel = form.querySelector('.found');
  const status = form.querySelector('[role=status]');
  const list = form.querySelector('ol');
  let index;
  form.hidden = false;

  /** Asked for once, by whoever begins to search; asked for again when it failed. */
  async function loadIndex() {
    index ??= fetch(form.dataset.index).then((answer) => {
      if (!answer.ok) throw new Error(`the index was answered with ${answer.status}`);
      return answer.json();
    });
    try {
      return await index;
    } catch {
      index = undefined;
      return undefined;
    }
  }

  async function show() {
    const asked = input.value;
    const words = wordsOf(asked);
    if (words.length === 0) return close();
    const sections = await loadIndex();
    if (input.value !== asked) return;
    const found = sections && findSections(sections, words);
    list.replaceChildren(...(found ?? []).slice(0, shown).map((each) => itemOf(each, words)));
    status.textContent = found === undefined ? 'The search cannot be loaded.' : sumUp(found.length);
    panel.hidden = false;
  }
  function close() {
    panel.hidden = true;
    list.replaceChildren();
    status.textContent = '';
  }

  input.addEventListener('focus', () => void loadIndex());
  input.addEventListener('input', () => void show());
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    list.querySelector('a')?.click();
  });
  form.addEventListener('click', ({ target }) => {
    if (target.closest('a')) close();
  });
  form.addEventListener('keydown', (event) => moveByKey(event, { form, input, close }));
  form.addEventListener('focusout', ({ relatedTarget }) => {
    if (relatedTarget && !form.contains(relatedTarget)) panel.hidden = true;
  });
  form.addEventListener('focusin', () => (panel.hidden = list.children.length === 0));
  document.addEventListener('pointerdown', ({ target }) => {
    if (!form.contains(target)) panel.hidden = true;
  });
  document.addEventListener('keydown', (event) => {
    const isTyping = event.target.closest?.('input, textarea, select, [contenteditable]');
    if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || isTyping) return;
    event.preventDefault();
    input.focus();
  });
}

const shown = 12;

/** Arrows go through what was found, Escape leaves. */
function moveByKey(event, { form, input, close }) {
  if (event.key === 'Escape') {
    input.focus();
    return close();
  }
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step === undefined) return;
  const stops = [input, ...form.querySelectorAll('ol a')];
  const next = stops[stops.indexOf(document.activeElement) + step];
  event.preventDefault();
  next?.focus();
}

function sumUp(count) {
  if (count === 0) return 'Nothing found';
  if (count > shown) return `The best ${shown} of ${count} places`;
  return count === 1 ? '1 place' : `${count} places`;
}

function wordsOf(text) {
  return text.toLowerCase().split(/\s+/).filter(Boolean);
}

/** Sections that have every word, best first. */
function findSections(sections, words) {
  return sections
    .map((section) => ({ ...section, score: scoreOf(section, words) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score);
}

/** A word counts most where a heading has it, and more where one begins with it; 0: not found. */
function scoreOf({ page, heading, text }, words) {
  const title = heading === '' ? page.toLowerCase() : heading.toLowerCase();
  const places = [title, page.toLowerCase(), text.toLowerCase()];
  let score = title === words.join(' ') ? 40 : 0;
  for (const word of words) {
    const best = Math.max(
      ...places.map((place, i) => {
        const at = place.indexOf(word);
        if (at < 0) return 0;
        return [20, 6, 2][i] * (at === 0 || /\W/.test(place[at - 1]) ? 2 : 1);
      }),
    );
    if (best === 0) return 0;
    score += best;
  }
  return score;
}

function itemOf({ path, page, heading, text }, words) {
  const item = document.createElement('li');
  const link = document.createElement('a');
  link.href = path;
  link.append(
    element('strong', ...marked(heading === '' ? page : heading, words)),
    ...(heading === '' ? [] : [element('span', page)]),
    element('small', ...marked(excerptOf(text, words), words)),
  );
  item.append(link);
  return item;
}

/** Some words before the first that was searched for, and as much as two lines hold. */
function excerptOf(text, words) {
  const places = words.map((word) => text.toLowerCase().indexOf(word)).filter((at) => at >= 0);
  const first = places.length === 0 ? 0 : Math.min(...places);
  const start = first < 60 ? 0 : text.indexOf(' ', first - 50) + 1;
  const end = start + 160;
  return `${start > 0 ? '… ' : ''}${text.slice(start, end)}${end < text.length ? ' …' : ''}`;
}

/** The text in pieces, those that were searched for as marks. */
function marked(text, words) {
  const escaped = words.map((word) => word.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  const pieces = text.split(new RegExp(`(${escaped.join('|')})`, 'i'));
  return pieces.map((piece, i) => (i % 2 === 1 ? element('mark', piece) : piece));
}

function element(name, ...content) {
  const made = document.createElement(name);
  made.append(...content);
  return made;
}

// ---- table of contents ----

/** Marks the section that is read. It is open where there is room beside the text. */
function followReader(nav) {
  const details = nav.querySelector('details');
  const fold = () => (details.open = wide.matches);
  wide.addEventListener('change', fold);
  fold();
  nav.classList.add('follows');

  const links = [...nav.querySelectorAll('a')];
  const targets = links.map((link) => document.getElementById(link.hash.slice(1)));
  let isDue = false;
  function mark() {
    isDue = false;
    const atEnd = window.innerHeight + window.scrollY >= document.body.scrollHeight - 2;
    const line = window.innerHeight / 4;
    const passed = targets.filter((each) => each.getBoundingClientRect().top <= line).length;
    const current = links[atEnd ? endOf(targets) : Math.max(passed - 1, 0)];
    if (current.hasAttribute('aria-current')) return;
    for (const link of links) link.removeAttribute('aria-current');
    for (const item of nav.querySelectorAll('.here')) item.classList.remove('here');
    current.setAttribute('aria-current', 'location');
    current.closest('nav > details > ol > li').classList.add('here');
    if (wide.matches) keepInSight(nav, current);
  }
  const soon = () => {
    if (!isDue) window.requestAnimationFrame(mark);
    isDue = true;
  };
  window.addEventListener('scroll', soon, { passive: true });
  window.addEventListener('resize', soon);
  mark();
  nav.addEventListener('click', ({ target }) => {
    if (target.closest('a') && !wide.matches) details.open = false;
  });
}

/** At the end of a page the last sections cannot reach the top: the one that the address names. */
function endOf(targets) {
  const named = targets.findIndex(({ id }) => id === decodeURIComponent(location.hash.slice(1)));
  const isSeen = named >= 0 && targets[named].getBoundingClientRect().top >= 0;
  return isSeen ? named : targets.length - 1;
}

/** Scrolls the table alone, not the page. */
function keepInSight(nav, link) {
  const [box, own] = [nav.getBoundingClientRect(), link.getBoundingClientRect()];
  if (own.top >= box.top + 40 && own.bottom <= box.bottom - 40) return;
  const top = nav.scrollTop + own.top - box.top - box.height / 3;
  nav.scrollTo({ top, behavior: calm.matches ? 'instant' : 'smooth' });
}

// ---- copy buttons ----

function addCopyButton(sample) {
  const frame = document.createElement('div');
  const button = document.createElement('button');
  frame.className = 'sample';
  button.type = 'button';
  button.textContent = 'Copy';
  button.setAttribute('aria-live', 'polite');
  sample.replaceWith(frame);
  frame.append(sample, button);
  let timer;
  button.addEventListener('click', async () => {
    button.textContent = (await copy(sample)) ? 'Copied' : 'Press Ctrl+C';
    window.clearTimeout(timer);
    timer = window.setTimeout(() => (button.textContent = 'Copy'), 2_000);
  });
}

/** By the older way where there is no clipboard, as on a page without TLS; else it is selected. */
async function copy(sample) {
  try {
    await navigator.clipboard.writeText(sample.textContent.replace(/\n$/, ''));
    return true;
  } catch {
    window.getSelection().selectAllChildren(sample);
    return document.execCommand('copy');
  }
}

// ---- ids in samples ----

/** Puts the ids of the demo's tenant into the samples, and says so where there are any. */
async function showExampleIds(path) {
  const ids = await fetch(path)
    .then((answer) => (answer.ok ? answer.json() : undefined))
    .catch(() => undefined);
  if (ids === undefined) return;
  const replaced = placesOf(ids);
  const article = document.querySelector('.article');
  let changed = false;
  for (const sample of document.querySelectorAll('.article pre code')) {
    const text = replaced.reduce((before, [pattern, id]) => {
      return before.replaceAll(pattern, () => id);
    }, sample.textContent);
    if (text === sample.textContent) continue;
    sample.textContent = text;
    changed = true;
  }
  const said = 'The samples on this page contain the ids of this demo’s tenant.';
  if (changed) article.querySelector('h1')?.after(element('p', element('em', said)));
}

/** Samples are pasted into a shell, so an id with any other character stays a placeholder. */
function placesOf({ tenantId, accessKeyId, campaignId, ucc }) {
  const places = [
    [/\$BASE_URL\b/g, location.origin],
    [/\$ACCESS_KEY_ID\b/g, accessKeyId],
    [/\$UCC\b/g, ucc],
    [/(?<=--tenant )acme\b/g, tenantId],
    [/(?<=--campaign |campaign show |campaign try )spring\b(?!\.json)/g, campaignId],
  ];
  return places.filter(([, id]) => /^[\w.:/-]+$/.test(id ?? ''));
}
