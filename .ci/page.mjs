// Makes the page that describes the API for people: Redoc and the documents in one file, which asks for nothing else.
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { documentsFolder } from './documents.mjs'

const { resolve } = createRequire(import.meta.url)

/** Writes `adapters/koa/dist/api.html` below `root`; without Redoc, which is a dev dependency, there is none. */
export async function makePage(root) {
  const koa = join(root, 'adapters/koa')
  const converter = join(koa, 'dist/description/event-page.js')
  if (!existsSync(converter)) return
  const redoc = redocFiles()
  if (!redoc) {
    console.error('adapters/koa/dist/api.html is not made: redoc is not installed, run npm ci')
    return
  }
  const { webhooksOf } = await import(pathToFileURL(converter).href)
  const shipped = (name) => JSON.parse(readFileSync(join(root, documentsFolder, name), 'utf8'))
  const documents = {
    ingest: ['Ingest API', shipped('openapi-ingest.json')],
    portal: ['Portal API', shipped('openapi-portal.json')],
    staff: ['Staff API', shipped('openapi-staff.json')],
    events: ['Events', webhooksOf(shipped('asyncapi.json'))],
  }
  const html = pageOf(documents, redoc)
  const page = join(koa, 'dist/api.html')
  if (!existsSync(page) || readFileSync(page, 'utf8') !== html) writeFileSync(page, html)
}

function redocFiles() {
  try {
    const bundle = resolve('redoc/bundles/redoc.standalone.js')
    return {
      script: readFileSync(bundle, 'utf8'),
      licenses: readFileSync(`${bundle}.LICENSE.txt`, 'utf8'),
    }
  } catch {
    return null
  }
}

/** Its logo, which a page would fetch from elsewhere; the policy below would stop it anyway. */
const logo = 'https://cdn.redoc.ly/redoc/logo-mini.svg'

export function pageOf(documents, { script, licenses }) {
  if (!script.includes(logo)) throw new Error(`redoc names no ${logo} any more: look what it loads`)
  const bundle = script.replaceAll(logo, 'data:,')
  const start = `(${show})()`
  const policy = [
    "default-src 'none'",
    `script-src ${[bundle, start].map((each) => `'sha256-${digest(each)}'`).join(' ')}`,
    // Redoc writes its styles while it runs.
    "style-src 'unsafe-inline'",
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ')
  const named = Object.entries(documents)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>Countersign API</title>
<link rel="icon" href="data:,">
<style>
body { margin: 0; font-family: system-ui, sans-serif; }
nav { display: flex; gap: 0.5rem; padding: 0.5rem 1rem; border-bottom: 1px solid #ddd; }
nav button { padding: 0.4rem 0.9rem; border: 1px solid #bbb; border-radius: 4px; background: #fff; font: inherit; cursor: pointer; }
nav button[aria-pressed='true'] { background: #263238; color: #fff; }
</style>
</head>
<body>
<nav>${named.map(([id, [title]]) => `<button type="button" data-shows="${id}">${title}</button>`).join('')}</nav>
<main id="page"></main>
${named.map(([id, [, document]]) => `<script type="application/json" id="${id}">${inScript(JSON.stringify(document))}</script>`).join('\n')}
<!--
${licenses.replaceAll('-->', '--&gt;')}
-->
<script>${bundle}</script>
<script>${start}</script>
</body>
</html>
`
}

/** No end of a script, nor the start of a comment, within it. */
function inScript(json) {
  return json.replaceAll('<', '\\u003c')
}

function digest(text) {
  return createHash('sha256').update(text).digest('base64')
}

/** Runs in the page. */
function show() {
  const { document, Redoc, location } = globalThis
  const buttons = [...document.querySelectorAll('nav button')]
  const options = {
    disableSearch: true,
    hideDownloadButton: true,
    hideHostname: true,
    nativeScrollbars: true,
    requiredPropsFirst: true,
    theme: {
      typography: {
        fontFamily: 'system-ui, sans-serif',
        headings: { fontFamily: 'system-ui, sans-serif' },
      },
    },
  }
  const open = (id) => {
    for (const button of buttons)
      button.setAttribute('aria-pressed', String(button.dataset.shows === id))
    const place = document.createElement('div')
    document.getElementById('page').replaceChildren(place)
    Redoc.init(JSON.parse(document.getElementById(id).textContent), options, place)
  }
  for (const button of buttons)
    button.addEventListener('click', () => {
      location.hash = ''
      open(button.dataset.shows)
    })
  open(buttons[0].dataset.shows)
}
