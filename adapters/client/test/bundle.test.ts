import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'

/** Bytes of one host's client, minified and compressed. */
const limit = 7.25 * 1024

for (const [host, source] of [
  ['ingest', `export { createClient } from '@countersign/client'`],
  ['portal', `export { createPortalClient } from '@countersign/client/portal'`],
] as const)
  it(`a bundle with the client of the ${host} host is small and brings nothing else`, async (t) => {
    const { outputFiles, metafile } = await build({
      stdin: { contents: source, resolveDir: fileURLToPath(new URL('.', import.meta.url)) },
      bundle: true,
      minify: true,
      format: 'esm',
      platform: 'neutral',
      target: 'es2023',
      write: false,
      metafile: true,
      logLevel: 'silent',
    })
    const size = gzipSync(outputFiles[0]?.contents ?? '', { level: 9 }).length
    t.diagnostic(`${size} bytes, minified and compressed`)
    assert.ok(size <= limit, `expected at most ${limit} bytes, got ${size}`)
    const foreign = Object.keys(metafile.inputs).filter(
      (file) => file !== '<stdin>' && !/client\/dist\/[\w-]+\.js$/.test(file),
    )
    assert.deepEqual(foreign, [])
  })

it('the package depends on nothing', () => {
  const file = new URL('../../package.json', import.meta.url)
  const { dependencies, peerDependencies } = JSON.parse(readFileSync(file, 'utf8'))
  assert.deepEqual([dependencies, peerDependencies], [undefined, undefined])
})
