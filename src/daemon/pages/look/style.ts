/** The one stylesheet of all pages. It is part of each page, so that a page is one request. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --ground: #f5f6f8; --surface: #fff; --line: #d9dde4; --text: #171a21; --quiet: #565e6c;
  --accent: #0b5cad; --accent-text: #fff; --good: #116b3a; --bad: #b3261e; --warning: #8a5300;
  --good-ground: #e5f4eb; --bad-ground: #fbe9e7; --warning-ground: #fdf1dc; --hover: #f0f3f8;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #101319; --surface: #181c24; --line: #303744; --text: #e7eaf0; --quiet: #a3acba;
    --accent: #7db7f5; --accent-text: #0a1a2b; --good: #6fd39b; --bad: #ff9d94; --warning: #f0bd6b;
    --good-ground: #14291d; --bad-ground: #351a18; --warning-ground: #30240f; --hover: #1f2530;
  }
}
* { box-sizing: border-box; }
[hidden] { display: none !important; }
html { -webkit-text-size-adjust: 100%; }
body {
  margin: 0; background: var(--ground); color: var(--text);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
}
a { color: var(--accent); }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
.skip { position: absolute; left: -100vw; }
.skip:focus { left: 1rem; top: .5rem; background: var(--surface); padding: .5rem 1rem; z-index: 2; }
.bar { background: var(--surface); border-bottom: 1px solid var(--line); }
.bar > div, main { max-width: 80rem; margin: 0 auto; padding: 0 1.25rem; }
.bar > div { display: flex; flex-wrap: wrap; align-items: center; gap: .25rem 1.25rem; padding-block: .5rem; }
.brand { font-weight: 700; letter-spacing: .01em; color: var(--text); text-decoration: none; }
nav { display: flex; flex-wrap: wrap; gap: .1rem; }
nav a { color: var(--quiet); text-decoration: none; padding: .3rem .6rem; border-radius: 6px; white-space: nowrap; }
nav a:hover { background: var(--hover); color: var(--text); }
nav a[aria-current] { color: var(--text); font-weight: 600; background: var(--hover); }
.who { margin-left: auto; display: flex; align-items: center; gap: .6rem; color: var(--quiet); font-size: .9rem; }
.badge {
  display: inline-block; padding: .05rem .55rem; border-radius: 999px; font-size: .8rem; font-weight: 600;
  border: 1px solid currentColor; white-space: nowrap; color: var(--quiet);
}
.badge.good { color: var(--good); background: var(--good-ground); }
.badge.bad { color: var(--bad); background: var(--bad-ground); }
.badge.warning { color: var(--warning); background: var(--warning-ground); }
main { padding-block: 1.25rem 3rem; }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 .75rem; }
h1 + .lead { margin-top: -.5rem; }
h2 { font-size: 1.1rem; margin: 0 0 .75rem; }
.lead { color: var(--quiet); margin: 0 0 1rem; max-width: 60ch; }
section:not(.scroll) {
  background: var(--surface); border: 1px solid var(--line); border-radius: 10px; padding: 1rem 1.1rem; margin: 0 0 1rem;
}
.notice { border-radius: 8px; padding: .65rem .9rem; margin: 0 0 1rem; border: 1px solid currentColor; overflow-wrap: anywhere; }
.notice.good { color: var(--good); background: var(--good-ground); }
.notice.bad { color: var(--bad); background: var(--bad-ground); }
.notice.warning { color: var(--warning); background: var(--warning-ground); }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(9rem, 1fr)); gap: .75rem; margin: 0 0 1rem; padding: 0; }
.tiles > div { background: var(--surface); border: 1px solid var(--line); border-radius: 10px; padding: .7rem .9rem; }
.tiles dt { color: var(--quiet); font-size: .82rem; }
.tiles dd { margin: 0; font-size: 1.2rem; font-weight: 600; font-variant-numeric: tabular-nums; }
.scroll { overflow-x: auto; }
table { width: 100%; border-collapse: collapse; font-variant-numeric: tabular-nums; }
caption, .caption { text-align: left; font-weight: 600; padding: 0 0 .5rem; margin: 0; }
th, td { text-align: left; padding: .5rem .6rem; border-bottom: 1px solid var(--line); vertical-align: top; }
th { color: var(--quiet); font-size: .82rem; font-weight: 600; white-space: nowrap; }
tbody tr:last-child td { border-bottom: 0; }
tbody tr:hover { background: var(--hover); }
td.num, th.num { text-align: right; white-space: nowrap; }
td > div { min-width: 5.2rem; overflow-wrap: anywhere; }
td.num > div { min-width: 0; }
td .sub { display: block; color: var(--quiet); font-size: .85rem; }
td.tight { white-space: nowrap; }
.buy, .gain { color: var(--good); font-weight: 600; }
.sell, .loss { color: var(--bad); font-weight: 600; }
.empty { color: var(--quiet); padding: .5rem 0; margin: 0; }
tr.stale td { opacity: .75; }
form.filter { display: flex; flex-wrap: wrap; gap: .75rem; align-items: end; margin: 0 0 1rem; }
label { display: block; font-size: .85rem; color: var(--quiet); }
input, select, button, .button {
  font: inherit; color: var(--text); background: var(--surface); border: 1px solid var(--line);
  border-radius: 7px; padding: .42rem .65rem; min-height: 2.4rem; max-width: 100%;
}
input, select { display: block; margin-top: .2rem; border-color: var(--quiet); }
input[type=checkbox] { display: inline-block; min-height: 0; margin: 0 .4rem 0 0; }
button, .button { cursor: pointer; font-weight: 600; text-decoration: none; line-height: 1.45; }
.button { display: inline-flex; align-items: center; }
button:hover, .button:hover { background: var(--hover); }
button.main, .button.main { background: var(--accent); border-color: var(--accent); color: var(--accent-text); }
button.main:hover, .button.main:hover { filter: brightness(1.08); }
button.danger { color: var(--bad); border-color: currentColor; }
button:disabled { opacity: .5; cursor: not-allowed; }
.actions + .scroll { margin-top: 1rem; }
.actions { display: flex; flex-wrap: wrap; gap: .5rem; align-items: end; }
.actions form { display: flex; gap: .4rem; align-items: end; margin: 0; }
.actions input { width: 7.5rem; margin: 0; }
.quiet { color: var(--quiet); font-size: .9rem; }
ul.legs { margin: .2rem 0 0; padding-left: 1.1rem; font-size: .85rem; color: var(--quiet); }
.row { display: flex; flex-wrap: wrap; justify-content: space-between; gap: .5rem 1rem; align-items: center; margin: 0 0 1rem; }
.row h1, .row h2, .row p { margin: 0; }
.fields { display: grid; grid-template-columns: repeat(auto-fit, minmax(12rem, 1fr)); gap: .75rem; align-items: end; }
.fields input, .fields select { width: 100%; }
.narrow { max-width: 26rem; margin: 8vh auto 0; }
.narrow form > * { margin: 0 0 .9rem; }
.narrow input { width: 100%; }
.pager { display: flex; gap: .75rem; align-items: center; justify-content: space-between; padding-top: .75rem; color: var(--quiet); }
.secret { font-family: ui-monospace, monospace; overflow-wrap: anywhere; background: var(--hover); padding: .6rem; border-radius: 6px; user-select: all; }
details summary { cursor: pointer; color: var(--accent); }
td summary { font-size: .85rem; white-space: nowrap; }
code { overflow-wrap: anywhere; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; font-size: .82rem; margin: .5rem 0 0; }
svg.chart { display: block; width: 100%; height: auto; }
svg.chart text { fill: var(--quiet); font-size: 12px; }
svg .grid { stroke: var(--line); stroke-width: 1; }
svg .zero { stroke: var(--quiet); stroke-width: 1; stroke-dasharray: 4 3; }
svg .gain-line { fill: none; stroke: var(--accent); stroke-width: 2; stroke-linejoin: round; }
svg .loss-line { fill: none; stroke: var(--bad); stroke-width: 2; stroke-linejoin: round; }
svg .gain-area { fill: var(--accent); opacity: .12; }
svg .loss-area { fill: var(--bad); opacity: .12; }
svg .bars { fill: var(--accent); }
.links { display: grid; grid-template-columns: repeat(auto-fit, minmax(15rem, 1fr)); gap: .75rem; padding: 0; margin: 0; list-style: none; }
.links a { display: block; height: 100%; background: var(--surface); border: 1px solid var(--line); border-radius: 10px; padding: .8rem 1rem; text-decoration: none; }
.links a:hover { background: var(--hover); }
.links span { display: block; color: var(--quiet); font-size: .9rem; }
@media (min-width: 48.01rem) {
  main { padding-block-start: .75rem; }
  th { padding-block: .3rem; }
  .tiles > div { display: flex; flex-wrap: wrap; justify-content: space-between; align-items: baseline; gap: 0 .6rem; padding: .35rem .8rem; }
  td { padding-block: .2rem; line-height: 1.3; }
  td .badge { padding-block: 0; font-size: .75rem; }
  td.tight > div { min-width: 0; }
  td button, td .button, td input, td select { min-height: 2rem; padding: .15rem .5rem; line-height: 1.35; white-space: nowrap; }
  .row > form.filter { margin: 0; }
  td.wide .actions { flex-wrap: nowrap; }
}
@media (max-width: 48rem) {
  .bar > div, main { padding-inline: .85rem; }
  svg.chart text { font-size: 22px; }
  .who { margin-left: 0; width: 100%; justify-content: space-between; }
  .who > span { flex: 1; }
  .who .actions { width: auto; }
  .who form { flex: none; }
  .who button { padding-block: .2rem; min-height: 2rem; }
  ul.legs { list-style: none; padding: 0; }
  nav { flex-wrap: nowrap; overflow-x: auto; width: 100%; margin-inline: -.3rem; }
  table.cards thead { position: absolute; left: -200vw; }
  table.cards, table.cards tbody, table.cards tr, table.cards td { display: block; }
  table.cards caption { display: block; }
  table.cards tr { border: 1px solid var(--line); border-radius: 8px; padding: .35rem .7rem; margin: 0 0 .7rem; }
  table.cards td {
    display: flex; justify-content: space-between; gap: 1rem; padding: .28rem 0; border: 0; text-align: right; white-space: normal;
  }
  table.cards td::before { content: attr(data-label); color: var(--quiet); font-size: .85rem; text-align: left; flex: none; }
  table.cards td > div { min-width: 0; }
  table.cards td.wide { display: block; text-align: left; }
  table.cards td.wide::before { display: block; }
  .actions { width: 100%; }
  .actions form { flex: 1 1 auto; }
  .actions input { flex: 1 1 6rem; width: auto; min-width: 0; }
  form.filter label { flex: 1 1 8rem; }
  form.filter input, form.filter select { width: 100%; }
}
@media print { .bar, form, .actions, .pager { display: none; } }
`
