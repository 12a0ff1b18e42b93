// Makes the portal's site: one page, its script in pieces, its styles; each under a name with its digest, and compressed.
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { browserBundle } from './browser-bundle.mjs'
import { isFresh, noteInputs } from './bundle-notes.mjs'

const home = 'adapters/portal'
const site = `${home}/dist/site`
/** The page that verifies evidence offline, which the site has as it is. */
const verifier = 'adapters/documents/dist/browser/countersign-verify.html'
const entry = { script: `${home}/dist/app/main.js`, style: `${home}/app/style/index.css` }

/** Writes `adapters/portal/dist/site` below `root`; `stale`: only if what it is made of changed. */
export async function makePortal(root, { stale }) {
  const notes = join(root, home, 'dist/.site.inputs.json')
  if (!existsSync(join(root, entry.script)) || !existsSync(join(root, verifier))) return
  if (stale && isFresh(root, notes)) return
  // Only here, for it takes longer than looking whether there is something to do.
  const [{ build }, { joinScripts }] = await Promise.all([
    import('esbuild'),
    import('./join-scripts.mjs'),
  ])
  const { outputFiles, metafile } = await build({
    ...browserBundle(root),
    entryPoints: Object.values(entry),
    outdir: `${site}/assets`,
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    format: 'esm',
    splitting: true,
  })
  const made = Object.entries(metafile.outputs)
  const assetOf = (source) => basename(made.find(([, { entryPoint }]) => entryPoint === source)[0])
  const isScript = ({ path }) => path.endsWith('.js')
  const { scripts, nameOf } = await joinScripts({
    scripts: new Map(outputFiles.filter(isScript).map(({ path, text }) => [basename(path), text])),
    first: assetOf(entry.script),
    exportsOf: (name) => metafile.outputs[`${site}/assets/${name}`].exports,
    options: browserBundle(root),
  })
  const icon = named('icon', '.svg', readFileSync(join(root, home, 'app/icon.svg')))
  const manifest = named('portal', '.webmanifest', Buffer.from(manifestOf(`/${icon.name}`)))
  const files = [
    ...outputFiles
      .filter((file) => !isScript(file))
      .map(({ path, contents }) => ({ name: `assets/${basename(path)}`, bytes: contents })),
    ...[...scripts].map(([name, text]) => ({ name: `assets/${name}`, bytes: Buffer.from(text) })),
    ...[icon, manifest].map(({ name, bytes }) => ({ name, bytes })),
    { name: 'countersign-verify.html', bytes: readFileSync(join(root, verifier)) },
    {
      name: 'index.html',
      bytes: Buffer.from(
        pageOf({
          script: `/assets/${nameOf(assetOf(entry.script))}`,
          style: `/assets/${assetOf(entry.style)}`,
          icon: `/${icon.name}`,
          manifest: `/${manifest.name}`,
        }),
      ),
    },
  ]
  rmSync(join(root, site), { recursive: true, force: true })
  for (const { name, bytes } of files) write(join(root, site, name), bytes)
  noteInputs(root, notes, {
    inputs: {
      ...metafile.inputs,
      [`${home}/app/icon.svg`]: {},
      [verifier]: {},
      [relative(root, fileURLToPath(new URL('join-scripts.mjs', import.meta.url)))]: {},
    },
    outputs: Object.fromEntries(files.map(({ name }) => [`${site}/${name}`, {}])),
    maker: fileURLToPath(import.meta.url),
  })
}

/** A file with its compressed forms beside it. */
function write(path, bytes) {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, bytes)
  const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } }
  writeFileSync(`${path}.br`, brotliCompressSync(bytes, quality))
  writeFileSync(`${path}.gz`, gzipSync(bytes, { level: 9 }))
}

function named(name, ending, bytes) {
  const digest = createHash('sha256').update(bytes).digest('hex').slice(0, 8).toUpperCase()
  return { name: `assets/${name}-${digest}${ending}`, bytes }
}

function manifestOf(icon) {
  return JSON.stringify({
    name: 'Countersign',
    start_url: '/',
    display: 'minimal-ui',
    icons: [{ src: icon, sizes: 'any', type: 'image/svg+xml' }],
  })
}

function pageOf({ script, style, icon, manifest }) {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<meta name="color-scheme" content="light dark">
<meta name="application-name" content="Countersign">
<title>Countersign</title>
<link rel="icon" href="${icon}" type="image/svg+xml">
<link rel="manifest" href="${manifest}">
<link rel="stylesheet" href="${style}">
<script type="module" src="${script}"></script>
</head>
<body>
<div id="app"></div>
<noscript>
<p>The pages of Countersign need JavaScript, which is turned off here. Everything that they do can be done through the API, which is described at /openapi.json.</p>
</noscript>
</body>
</html>
`
}
