// Makes `countersign-verify` for browsers: one page that opens from a disk and asks for nothing, and one module.
import { createHash } from 'node:crypto'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { browserBundle } from './browser-bundle.mjs'
import { isFresh, noteInputs } from './bundle-notes.mjs'

const folder = 'adapters/documents/dist/browser'
const page = 'countersign-verify.html'
const module = 'countersign-verify.js'

/** Writes both below `root`; `stale`: only if what they are made of changed. */
export async function makeVerifier(root, { stale }) {
  const to = join(root, folder)
  const notes = join(to, '.inputs.json')
  if (!existsSync(join(to, 'page.js'))) return
  if (stale && isFresh(root, notes)) return
  // Only here, for it takes longer than looking whether there is something to do.
  const { build } = await import('esbuild')
  const options = browserBundle(root)
  const [script, portable] = await Promise.all([
    build({ ...options, entryPoints: [`${folder}/page.js`], format: 'iife' }),
    build({ ...options, entryPoints: [`${folder}/index.js`], format: 'esm' }),
  ])
  writeFileSync(join(to, page), pageOf(script.outputFiles[0].text))
  writeFileSync(join(to, module), portable.outputFiles[0].contents)
  noteInputs(root, notes, {
    inputs: { ...script.metafile.inputs, ...portable.metafile.inputs },
    outputs: { [`${folder}/${page}`]: {}, [`${folder}/${module}`]: {} },
    maker: fileURLToPath(import.meta.url),
  })
}

const styles = `
:root { color-scheme: light dark; }
body { margin: 0; background: light-dark(#fff, #14181e); color: light-dark(#1c2430, #e8ebf0); font: 1rem/1.5 system-ui, sans-serif; }
main { max-inline-size: 60rem; margin-inline: auto; padding: 1.5rem 1rem 4rem; }
h1 { font-size: 1.6rem; margin: 0; }
`

/** The page with its script, which its policy names by hash; nothing else may run, load or connect. */
export function pageOf(script) {
  if (/<\/script|<!--/i.test(script)) throw new Error('the script would end within itself')
  const policy = [
    "default-src 'none'",
    `script-src '${hashOf(script)}'`,
    `style-src '${hashOf(styles)}'`,
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ')
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>Countersign: verify evidence</title>
<style>${styles}</style>
</head>
<body>
<main>
<h1>Verify Countersign evidence</h1>
<p>This page checks evidence offline, as the command <code>countersign-verify</code> does. What you open stays on this device: the page can not connect to anything.</p>
<noscript><p>It needs JavaScript, which is turned off here. The command <code>countersign-verify</code> works without a browser.</p></noscript>
<div id="verifier"></div>
</main>
<script>${script}</script>
</body>
</html>
`
}

function hashOf(text) {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`
}
