/** The whole style of the reference page. The page's policy names its hash, so nothing else can style it. */
export const STYLE = `
:root { color-scheme: light dark; --fg: #1a1c20; --dim: #5b626d; --bg: #fff; --panel: #f4f5f7; --line: #dcdfe4;
  --get: #0b6e4f; --post: #0a58ca; --put: #8a5a00; --delete: #b02a37; }
@media (prefers-color-scheme: dark) { :root { --fg: #e4e6ea; --dim: #9aa2ae; --bg: #15171b; --panel: #1e2127;
  --line: #333842; --get: #5fd0a5; --post: #7fb2ff; --put: #e5b567; --delete: #ff8d97; } }
* { box-sizing: border-box; }
body { margin: 0; font: 16px/1.5 system-ui, sans-serif; color: var(--fg); background: var(--bg);
  display: grid; grid-template-columns: 17rem minmax(0, 1fr); }
nav { position: sticky; top: 0; height: 100vh; overflow-y: auto; padding: 1.5rem 1rem; border-right: 1px solid var(--line);
  font-size: .875rem; }
nav ul { list-style: none; margin: 0 0 1rem; padding: 0; }
nav h2 { margin: 0 0 .25rem; padding: 0; border: 0; font-size: .875rem; }
main { padding: 1.5rem 2rem 6rem; max-width: 62rem; }
a { color: inherit; text-decoration-color: var(--dim); text-underline-offset: .2em; }
a:focus-visible { outline: 2px solid var(--post); outline-offset: 2px; }
h1 { margin-top: 0; }
h2 { margin-top: 3rem; padding-top: 1rem; border-top: 1px solid var(--line); }
article { margin: 2.5rem 0; scroll-margin-top: 1rem; }
h3 { margin: 0 0 .5rem; font: 600 1rem/1.5 ui-monospace, monospace; overflow-wrap: anywhere; }
h4 { margin: 1rem 0 .25rem; font-size: .875rem; color: var(--dim); }
h3 a { text-decoration: none; }
.method { font-weight: 700; }
.get { color: var(--get); } .post { color: var(--post); } .put { color: var(--put); } .delete { color: var(--delete); }
pre, table { margin: .25rem 0; font-size: .8125rem; }
pre { padding: .75rem 1rem; background: var(--panel); border: 1px solid var(--line); border-radius: .375rem; overflow-x: auto; }
code { font-family: ui-monospace, monospace; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .3rem .75rem .3rem 0; border-bottom: 1px solid var(--line); }
td { overflow-wrap: anywhere; }
.dim { color: var(--dim); }
@media (max-width: 50rem) { body { display: block; } nav { position: static; height: auto; border: 0; } main { padding: 1rem; } }
@media print { nav { display: none; } body { display: block; } }
`
