#include "report/page.h"

namespace meteor {

std::string_view page_style() {
  return R"(:root{color-scheme:light dark;--ink:#1b1f24;--dim:#59636e;--line:#d9dee3;--paper:#fff;--soft:#f4f6f8;--accent:#0060a0;--mark:#e3f0fa;--warn:#fff3df;--warn-line:#b45f00}
@media (prefers-color-scheme:dark){:root{--ink:#f0f3f6;--dim:#a8b1bb;--line:#333b45;--paper:#14181d;--soft:#1c2229;--accent:#7cc0f5;--mark:#16324a;--warn:#35270f;--warn-line:#f0a34a}}
*{box-sizing:border-box}
html{scroll-padding-top:3.5rem;-webkit-text-size-adjust:100%}
body{margin:0;background:var(--paper);color:var(--ink);font:1rem/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif}
header,main{max-width:80rem;margin:0 auto;padding:0 1.25rem}
header{padding-top:2rem}
h1{font-size:1.9rem;line-height:1.2;margin:0}
h2{font-size:1.4rem;margin:3rem 0 .25rem;padding-top:1rem;border-top:1px solid var(--line)}
h3{font-size:1.1rem;margin:2rem 0 .25rem}
p{max-width:46rem;margin:.5rem 0}
a{color:var(--accent)}
.lead{color:var(--dim);max-width:60rem;margin-top:.15rem}
.note{color:var(--dim);font-size:.875rem}
.gap{border-left:3px solid var(--line);padding-left:.75rem;color:var(--dim);font-size:.9rem;max-width:60rem;overflow-wrap:anywhere}
.warning{background:var(--warn);border-left:3px solid var(--warn-line);padding:.5rem .75rem;border-radius:3px}
nav ul{display:flex;flex-wrap:wrap;gap:.25rem 1rem;list-style:none;margin:1rem 0 0;padding:0;font-size:.95rem}
.tiles{display:flex;flex-wrap:wrap;gap:.75rem;list-style:none;margin:1rem 0;padding:0}
.tiles li{background:var(--soft);border-radius:8px;padding:.6rem .9rem;font-size:.875rem;color:var(--dim);max-width:16rem}
.tiles b{display:block;font-size:1.5rem;line-height:1.2;color:var(--ink);font-variant-numeric:tabular-nums}
.scroll{overflow-x:auto;margin:1rem 0;border:1px solid var(--line);border-radius:8px;max-width:max-content}
table{border-collapse:separate;border-spacing:0;font-size:.85rem;line-height:1.35}
caption{text-align:left;padding:.6rem .75rem;font-weight:600}
caption span{display:inline-block;position:sticky;left:.75rem;max-width:calc(100vw - 4rem)}
th,td{padding:.28rem .45rem;text-align:left;white-space:nowrap;border-top:1px solid var(--line)}
thead th{color:var(--dim);font-weight:500;padding:0;vertical-align:bottom;background:var(--soft)}
thead th.group{padding:.3rem .45rem 0;color:var(--ink);font-weight:600}
tbody th{font-weight:500;position:sticky;left:0;background:var(--paper);z-index:1}
thead th.row{position:sticky;left:0;z-index:2}
tbody tr:hover>*{background:var(--soft)}
.number{text-align:right;font-variant-numeric:tabular-nums}
.number small{color:var(--dim);font-size:.78rem}
.begins{border-left:1px solid var(--line)}
.paper{color:var(--dim)}
.missing{color:var(--dim);text-align:right}
.best{font-weight:700;background:var(--mark)}
.best small{color:var(--ink)}
.void{color:var(--dim);text-decoration:line-through}
.void small{display:inline-block}
.words{white-space:normal;min-width:14rem;max-width:34rem;overflow-wrap:anywhere}
thead button{all:unset;display:block;box-sizing:border-box;width:100%;padding:.28rem .45rem;cursor:pointer}
thead th.number button{text-align:right}
thead button:hover{color:var(--ink)}
thead button:focus-visible,summary:focus-visible,.scroll:focus-visible,a:focus-visible{outline:2px solid var(--accent);outline-offset:-2px;border-radius:3px}
th[aria-sort=ascending] button,th[aria-sort=descending] button{color:var(--ink);font-weight:600}
th[aria-sort=ascending] button::after{content:" ↑"}
th[aria-sort=descending] button::after{content:" ↓"}
.charts{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,21rem),1fr));gap:1rem;margin:1rem 0}
.charts.pairs{grid-template-columns:repeat(auto-fill,minmax(min(100%,26rem),1fr));max-width:66rem}
figure{margin:0;min-width:0}
.chart{display:block;width:100%;height:auto;max-width:32rem}
.legend{display:flex;flex-wrap:wrap;gap:.2rem 1.1rem;list-style:none;margin:1rem 0 0;padding:0;font-size:.875rem;color:var(--dim)}
.legend li{display:flex;align-items:center;gap:.4rem}
.key{width:26px;height:14px;flex:none}
details{margin:.5rem 0}
summary{cursor:pointer;color:var(--accent);padding:.15rem 0}
pre{overflow-x:auto;background:var(--soft);border-radius:8px;padding:.75rem;font-size:.8rem}
.plain{padding-left:1.1rem;max-width:60rem;overflow-wrap:anywhere}
@media (max-width:40rem){header,main{padding:0 .8rem}header{padding-top:1.2rem}h1{font-size:1.5rem}th,td,thead button{padding-left:.45rem;padding-right:.45rem}tbody th{white-space:normal;min-width:6rem}.words{min-width:11rem}}
@media print{@page{size:A4 landscape;margin:12mm}:root{--ink:#000;--dim:#444;--paper:#fff;--soft:#fff;--mark:#eee}
body{font-size:10pt}header,main{max-width:none;padding:0}nav,thead button::after{display:none}
.scroll{overflow:visible;border:0;max-width:none}table{font-size:8pt;width:100%}th,td,thead button{padding:.12rem .3rem}caption span,tbody th,thead th.row{position:static}
figure,tr,.tiles li{break-inside:avoid}h2,h3,caption,.lead,.legend,summary{break-after:avoid}.charts{grid-template-columns:repeat(3,1fr)}.words{min-width:0}
}
)";
}

std::string_view page_script() {
  return R"('use strict';
// A heading's button sorts its table: numbers by data-value, largest first; words by their order; what is missing last.
function key(row, column) {
  const cell = row.cells[column];
  if (cell.dataset.value !== undefined) return Number(cell.dataset.value);
  return cell.classList.contains('missing') ? null : cell.textContent;
}
function sort(button) {
  const heading = button.closest('th');
  const table = heading.closest('table');
  const body = table.tBodies[0];
  const column = Number(button.dataset.column);
  const rows = Array.from(body.rows);
  const numbers = rows.some(row => typeof key(row, column) === 'number');
  const before = heading.getAttribute('aria-sort');
  const up = before === 'none' ? !numbers : before === 'descending';
  for (const other of table.tHead.querySelectorAll('[aria-sort]')) other.setAttribute('aria-sort', 'none');
  heading.setAttribute('aria-sort', up ? 'ascending' : 'descending');
  rows.sort((one, other) => {
    const a = key(one, column), b = key(other, column);
    if (a === null || b === null) return (a === null) - (b === null);
    const order = numbers ? a - b : a.localeCompare(b, 'en', {numeric: true});
    return up ? order : -order;
  });
  body.append(...rows);
}
document.addEventListener('click', event => {
  const button = event.target.closest('thead button');
  if (button) sort(button);
});
// On paper nothing can be unfolded.
addEventListener('beforeprint', () => {
  for (const details of document.querySelectorAll('details.printed')) details.open = true;
});
)";
}

}  // namespace meteor
