/** The style of the report, for light and dark. */
export const style = `
:root {
  color-scheme: light dark;
  --page: light-dark(#fff, #15181c);
  --text: light-dark(#1c2128, #d9dee4);
  --soft: light-dark(#5c6670, #97a1ab);
  --line: light-dark(#dde2e7, #333a42);
  --band: light-dark(#f4f6f8, #1d2227);
  --good: light-dark(#1a7f37, #4cc268);
  --bad: light-dark(#c4242b, #ff7b72);
  --bad-band: light-dark(#fdeceb, #3a1d1e);
  --ok: light-dark(#4c8fd6, #4f8fd0);
  --refused: light-dark(#e0a100, #d9a520);
  --unknown: light-dark(#c2255c, #f0659a);
  --silent: light-dark(#5c6670, #97a1ab);
  --undone: light-dark(#8250df, #b392f0);
}
body { margin: 24px auto; padding: 0 20px; max-width: 1500px; background: var(--page); color: var(--text); font: 14px/1.45 system-ui, sans-serif; }
h1 { font-size: 22px; } h2 { font-size: 18px; margin: 40px 0 4px; }
p { max-width: 100ch; margin: 4px 0 12px; }
a { color: inherit; }
pre { background: var(--band); padding: 8px 10px; overflow-x: auto; font-size: 12px; margin: 8px 0; }
.note, small { color: var(--soft); } small { font-weight: normal; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
.summary { width: 100%; font-size: 12.5px; }
.summary th, .summary td { border-bottom: 1px solid var(--line); padding: 4px 6px; vertical-align: top; text-align: left; }
.summary th { color: var(--soft); font-weight: 600; vertical-align: bottom; white-space: nowrap; }
.summary th[title], .summary .count { text-align: right; white-space: nowrap; }
.summary .name { white-space: nowrap; font-weight: 600; }
.summary .proof { min-width: 16em; }
.green > :first-child, .good { color: var(--good); }
.red > :first-child, .bad { color: var(--bad); }
td.bad { font-weight: 700; background: var(--bad-band); }
.why td { background: var(--bad-band); overflow-wrap: anywhere; } .why ul { margin: 0; padding-left: 18px; }
.promises { columns: 3 28em; font-size: 12.5px; color: var(--soft); }
.timeline { overflow-x: auto; } .timeline > * { min-width: 720px; }
figure { margin: 0 0 6px; }
figcaption { padding-left: 4.4%; font-size: 12.5px; } figcaption b { margin-right: 12px; }
svg { display: block; width: 100%; }
.key { display: inline-block; margin-right: 14px; white-space: nowrap; }
.key::before { content: ''; display: inline-block; width: 10px; height: 10px; margin-right: 5px; background: var(--colour); border-radius: 2px; }
.ok { --colour: var(--ok); } .refused { --colour: var(--refused); } .unknown { --colour: var(--unknown); }
.c1 { --colour: light-dark(#0969da, #58a6ff); } .c2 { --colour: light-dark(#bc4c00, #f0883e); }
.c3 { --colour: light-dark(#1a7f37, #3fb950); } .c4 { --colour: light-dark(#8250df, #bc8cff); }
.c5 { --colour: light-dark(#bf3989, #f778ba); } .c6 { --colour: light-dark(#8a6d00, #d3b13a); }
.c7 { --colour: light-dark(#0b7f86, #39c5cf); } .c8 { --colour: light-dark(#57606a, #a0a8b2); }
.bars { fill: var(--colour); stroke: var(--page); stroke-width: .5; }
.lines { fill: none; stroke: var(--colour); stroke-width: 1.6; stroke-linejoin: round; }
.grid { stroke: var(--line); fill: none; }
.tick, .number { font-size: 10.5px; fill: var(--soft); } .end { text-anchor: end; } .middle, .number { text-anchor: middle; }
.span-name { font-size: 10.5px; fill: var(--text); stroke: var(--page); stroke-width: 3; paint-order: stroke; }
.number { fill: var(--page); font-weight: 700; }
.began, .fired { --colour: var(--bad); } .undone { --colour: var(--undone); } .silent { --colour: var(--silent); } .recovered { --colour: var(--good); }
.mark { stroke: var(--colour); stroke-width: 1.3; stroke-dasharray: 4 2; fill: none; }
.badge { fill: var(--colour); }
.span { fill: var(--colour); opacity: .12; } .span.fault { --colour: var(--bad); } .span.recovery { --colour: var(--good); }
.hint { fill: transparent; } .hint:hover { fill: var(--soft); fill-opacity: .15; }
.moments { font-size: 12.5px; } .moments td { padding: 2px 8px 2px 0; vertical-align: top; } .moments .count { text-align: right; color: var(--soft); }
.dot { display: inline-block; min-width: 18px; line-height: 18px; border-radius: 9px; background: var(--colour); color: var(--page); text-align: center; font-size: 11px; font-weight: 700; }
`;
