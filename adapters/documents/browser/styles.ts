/** The verifier's looks, in its shadow root; a page may set the custom properties. */
export const styles = `
:host {
  color-scheme: light dark;
  --ink: light-dark(#1c2430, #e8ebf0);
  --soft: light-dark(#515c6b, #a9b3c1);
  --line: light-dark(#767f8c, #7d8796);
  --shade: light-dark(#f3f5f8, #20262f);
  --accent: light-dark(#1f4e8c, #8ab4f0);
  --good: light-dark(#166534, #7ed9a0);
  --bad: light-dark(#a11d16, #ff9a91);
  --wait: light-dark(#7a5200, #f0c060);
  display: block;
  color: var(--ink);
  font: 1rem/1.5 system-ui, sans-serif;
}
.area { border: 2px dashed var(--line); border-radius: 0.5rem; padding: 1rem; display: grid; gap: 1.25rem; }
.area.over { border-color: var(--accent); border-style: solid; background: var(--shade); }
label { font-weight: 600; }
p { margin: 0.25rem 0; overflow-wrap: anywhere; }
.hint, .note { color: var(--soft); }
input, button { font: inherit; color: inherit; max-width: 100%; min-block-size: 2rem; }
input[type="text"] { box-sizing: border-box; inline-size: 100%; padding: 0.3rem 0.5rem; border: 1px solid var(--line); border-radius: 0.25rem; background: transparent; font-family: ui-monospace, monospace; }
button, ::file-selector-button { padding: 0.3rem 0.9rem; border: 1px solid var(--line); border-radius: 0.25rem; background: var(--shade); color: var(--ink); font: inherit; cursor: pointer; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.status { min-block-size: 1.5em; font-weight: 600; margin-block: 1rem; }
article { border-inline-start: 0.4rem solid var(--wait); padding-inline-start: 1rem; margin-block: 1.5rem; }
article.verified { border-color: var(--good); }
article.failed { border-color: var(--bad); }
h2 { font-size: 1.25rem; margin: 0 0 0.25rem; overflow-wrap: anywhere; }
.verdict strong { color: var(--wait); }
.verified > .verdict strong { color: var(--good); }
.failed > .verdict strong { color: var(--bad); }
summary { font-weight: 600; padding-block: 0.25rem; cursor: pointer; }
.group { margin-block: 0.5rem; }
ul { margin: 0.25rem 0; padding-inline-start: 1.25rem; }
li { overflow-wrap: anywhere; margin-block: 0.25rem; }
@media (forced-colors: active) { article { border-color: CanvasText; } }
`
