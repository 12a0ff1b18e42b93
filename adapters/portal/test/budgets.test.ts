import assert from 'node:assert/strict'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'

const site = fileURLToPath(new URL('../site/', import.meta.url))
const kilobyte = 1024

/** Bytes of a file as it is sent to a browser that takes gzip. */
const sizeOf = (asset: string) => statSync(`${site}assets/${asset}.gz`).size
const total = (assets: Iterable<string>) =>
  [...assets].reduce((sum, asset) => sum + sizeOf(asset), 0)

const page = readFileSync(`${site}index.html`, 'utf8')
const assets = readdirSync(`${site}assets`)
const named = (ending: string) =>
  [...page.matchAll(/"\/assets\/([^"]+)"/g)]
    .map(([, asset = '']) => asset)
    .filter((asset) => asset.endsWith(ending))

/** Scripts that a script imports before it runs, those of these included, and itself. */
function withImports(asset: string, found: Set<string> = new Set()): Set<string> {
  if (found.has(asset)) return found
  found.add(asset)
  const script = readFileSync(`${site}assets/${asset}`, 'utf8')
  for (const [, imported = ''] of script.matchAll(/(?:\bfrom|\bimport)\s*"\.\/([^"]+\.js)"/g))
    withImports(imported, found)
  return found
}

/** Scripts that any script imports when they are needed. */
const later = assets
  .filter((asset) => asset.endsWith('.js'))
  .flatMap((asset) => [
    ...readFileSync(`${site}assets/${asset}`, 'utf8').matchAll(/\bimport\("\.\/([^"]+\.js)"\)/g),
  ])
  .map(([, asset = '']) => asset)

describe('the bytes of the pages, by gzip', () => {
  const first = new Set(named('.js').flatMap((asset) => [...withImports(asset)]))

  it('are at most 40 KB of script before a page shows, and 12 KB of style in all', () => {
    assert.ok(first.size > 0)
    assert.ok(
      total(first) <= 40 * kilobyte,
      `expected at most 40 KB of script, got ${total(first)}`,
    )
    const styles = assets.filter((asset) => asset.endsWith('.css'))
    assert.deepEqual(styles, named('.css'))
    assert.ok(
      total(styles) <= 12 * kilobyte,
      `expected at most 12 KB of style, got ${total(styles)}`,
    )
  })

  it('are asked for at once, as far as they are needed before a page shows', () => {
    const main = named('.js').find((asset) => asset.startsWith('main-')) ?? ''
    assert.deepEqual(named('.js').toSorted(), [...withImports(main)].toSorted())
  })

  it('are at most 10 KB for each page that is loaded later, with all that it needs, and 20 KB for verifying a signature', () => {
    assert.ok(later.length > 4)
    for (const asset of later) {
      const more = [...withImports(asset)].filter((needed) => !first.has(needed))
      // No page, but Ed25519 for whoever presses “Verify”.
      const most = asset.startsWith('verdict-') ? 20 : 10
      assert.ok(
        total(more) <= most * kilobyte,
        `${asset}: expected at most ${most} KB, got ${total(more)}`,
      )
    }
  })
})

describe('what the pages are made of', () => {
  const notes = readFileSync(new URL('../.site.inputs.json', import.meta.url), 'utf8')
  const { inputs } = JSON.parse(notes) as { readonly inputs: readonly string[] }
  const parts = inputs.filter((input) => !input.startsWith('.ci/') && !input.includes('/esbuild/'))

  it('is this package, the client, portable rooms of the core, the offline verifier, and the libraries that were chosen', () => {
    const allowed = [
      'adapters/portal/app/',
      'adapters/portal/dist/app/',
      'adapters/client/dist/',
      'adapters/documents/dist/browser/countersign-verify.html',
      'core/dist/',
      'node_modules/@noble/',
      'node_modules/@preact/signals',
      'node_modules/diff/',
      'node_modules/preact/',
      'node_modules/preact-iso/',
      'node_modules/preact-render-to-string/', // preact-iso names it; no page loads it
    ]
    assert.deepEqual(
      parts.filter((input) => !allowed.some((known) => input.startsWith(known))),
      [],
    )
  })

  it('asks for nothing of Node', () => {
    for (const asset of assets.filter((name) => name.endsWith('.js')))
      assert.doesNotMatch(
        readFileSync(`${site}assets/${asset}`, 'utf8'),
        /(?:\bfrom|\bimport|\brequire\()\s*\(?"node:|\bprocess\.env\b/,
        asset,
      )
  })
})
