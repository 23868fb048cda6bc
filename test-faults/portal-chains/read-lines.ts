/**
 * Run in a page with a dialog open: what it shows, part by part, line by line. A time stands there
 * by its instant once it is sure that the same is what is read; an amount as it is read, without
 * the marks between thousands.
 */
export const readLines = `(() => {
  const complaints = [];
  const textOf = (element) => {
    const copy = element.cloneNode(true);
    for (const time of copy.querySelectorAll('time')) {
      const instant = time.dateTime;
      if (time.textContent !== instant.slice(0, 19).replace('T', ' ')) {
        complaints.push(time.textContent + ' is shown for ' + instant);
      }
      time.textContent = instant;
    }
    for (const amount of copy.querySelectorAll('data')) {
      const read = amount.textContent.replaceAll(',', '').replace('\\u2212', '-');
      if (read.split(' ')[0] !== amount.value) {
        complaints.push(amount.textContent + ' is shown for ' + amount.value);
      }
      amount.textContent = read;
    }
    return copy.textContent.replace(/\\s+/g, ' ').trim();
  };
  const lineOf = (element) => {
    if (element.matches('dt')) return textOf(element) + ': ' + textOf(element.nextElementSibling);
    if (element.matches('tr')) return [...element.querySelectorAll('td')].map(textOf).join(' | ');
    return textOf(element);
  };
  const parts = {};
  for (const section of document.querySelectorAll('[role=dialog] section')) {
    const [title] = section.querySelectorAll('h2, h3');
    const found = section.querySelectorAll('dt, li, tbody tr, p, h4, summary');
    parts[textOf(title)] = [...found].filter((each) => !each.closest('details li')).map(lineOf);
  }
  const text = document.querySelector('[role=dialog] [role=group][aria-label="As text"]');
  return { parts, complaints, text: text?.textContent ?? null };
})()`;

export type ReadLines = {
  parts: Record<string, string[]>;
  complaints: string[];
  text: string | null;
};
