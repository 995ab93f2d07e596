import { createHash } from 'node:crypto';
import { Html } from './html.js';

/** The one style of every report: light and dark, from a phone to a wall. */
const STYLE = `
:root{color-scheme:light dark;--ink:#1b1e23;--soft:#565d66;--ground:#fff;--panel:#f4f5f7;--rule:#d5d9de;--accent:#1a5fb4;--bad:#a51d2d;--warn:#8a4b00}
@media(prefers-color-scheme:dark){:root{--ink:#e8eaed;--soft:#a9b1ba;--ground:#15171a;--panel:#1f2226;--rule:#3a3f45;--accent:#8ab8ff;--bad:#ff9ea6;--warn:#ffbe6f}}
*{box-sizing:border-box}body{margin:0 auto;padding:1.5rem;max-width:1400px;font:16px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--ground)}
h1{font-size:1.6rem;margin:0;overflow-wrap:anywhere}h2{font-size:1.2rem;margin:2rem 0 .6rem}p{margin:.4rem 0}.soft{color:var(--soft)}.bad{color:var(--bad)}.warn{color:var(--warn)}
a{color:var(--accent)}code{font:.9em ui-monospace,monospace;background:var(--panel);padding:.1em .3em;border-radius:3px;overflow-wrap:anywhere}
ul.counts{display:flex;flex-wrap:wrap;gap:.6rem;padding:0;list-style:none}ul.counts li{background:var(--panel);border-radius:8px;padding:.5rem .9rem}ul.counts b{font-size:1.3rem;display:block}
.scroll{overflow-x:auto}table{border-collapse:collapse;width:100%;font-size:.92rem}caption{text-align:left;color:var(--soft);padding:.2rem 0}th,td{text-align:left;padding:.35rem .6rem;border-bottom:1px solid var(--rule);vertical-align:top;overflow-wrap:anywhere;min-width:4rem}td.n{text-align:right;font-variant-numeric:tabular-nums}
figure{margin:.6rem 0}figcaption{color:var(--soft);font-size:.92rem}svg{width:100%;height:auto;background:var(--panel);border-radius:8px}svg text{fill:var(--soft);font-size:11px}.bar{fill:var(--accent)}.limit{stroke:var(--warn);stroke-dasharray:5 4}.axis{stroke:var(--rule)}
ul.media{display:grid;grid-template-columns:repeat(auto-fill,minmax(176px,1fr));gap:1rem;padding:0;list-style:none}ul.media li{min-width:0}ul.media a{display:block}ul.media img,.tile{width:100%;aspect-ratio:4/3;object-fit:contain;background:var(--panel);border-radius:8px;display:block}.tile{display:flex;align-items:center;justify-content:center;font-size:1.6rem;color:var(--soft)}ul.media p{margin:.3rem 0 0;font-size:.85rem;overflow-wrap:anywhere}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.2rem 1rem}dt{color:var(--soft)}dd{margin:0;overflow-wrap:anywhere}
`;

const HASH = createHash('sha256').update(STYLE).digest('base64');

/** The head of a page that runs nothing and asks nobody for anything. */
export const STYLE_HEAD = new Html(
  `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'sha256-${HASH}'; base-uri 'none'; form-action 'none'">
<meta name="referrer" content="no-referrer"><meta name="viewport" content="width=device-width,initial-scale=1"><style>${STYLE}</style>`,
);
