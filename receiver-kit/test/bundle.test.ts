import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'

/**
 * Bytes, minified and compressed: three fifths are the curves and hashes of noble, about 1 KiB the shapes of the
 * bodies of all events.
 */
const limit = 27 * 1024

/** What the handler with reviewers adds to the one without: statement, checks and canonical JSON. */
const limitOfReviewers = 8 * 1024

async function bundleOf(source: string) {
  const resolveDir = fileURLToPath(new URL('.', import.meta.url))
  const { outputFiles, metafile } = await build({
    stdin: { contents: source, resolveDir },
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'neutral',
    target: 'es2023',
    write: false,
    metafile: true,
    logLevel: 'silent',
  })
  const packages = Object.keys(metafile.inputs)
    .map((file) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1])
    .filter((name) => name !== undefined)
  return {
    size: gzipSync(outputFiles[0]?.contents ?? '', { level: 9 }).length,
    packages: new Set(packages),
    inputs: Object.values(metafile.outputs).flatMap(({ inputs }) =>
      Object.entries(inputs).flatMap(([file, { bytesInOutput }]) =>
        bytesInOutput > 0 ? [file] : [],
      ),
    ),
  }
}

describe('the bundle of a worker', () => {
  const worker = `import { createReceiver } from '@countersign/receiver-kit'
    import { workersModule } from '@countersign/receiver-kit/workers'
    export default workersModule((env) =>
      createReceiver({ keys: [env.KEY], inbox: env.INBOX, onEvent: () => {} }))`

  it('is small, needs no host, and brings nothing but noble', async (t) => {
    const { size, packages } = await bundleOf(worker)
    t.diagnostic(`${size} bytes, minified and compressed`)
    assert.ok(size <= limit, `expected at most ${limit} bytes, got ${size}`)
    assert.deepEqual(packages, new Set(['@noble/curves', '@noble/hashes']))
  })

  it('brings no inbox, reconciler or signer that the worker does not use', async () => {
    const whole = await bundleOf(`export * from '@countersign/receiver-kit'`)
    const used = await bundleOf(worker)
    assert.ok(used.size < whole.size - 500, `${used.size} of ${whole.size}`)
  })
})

describe('the bundle of an outcome handler', () => {
  const handler = (name: string, subpath = '') =>
    `export { ${name} } from '@countersign/receiver-kit${subpath}'`

  it('pays for the signatures of reviewers only where it looks at them', async (t) => {
    const without = await bundleOf(handler('createOutcomeCallbackHandler'))
    assert.deepEqual(
      without.inputs.filter((file) => /webauthn|canonical|reviewers/.test(file)),
      [],
    )
    const used = await bundleOf(handler('createSignedOutcomeHandler', '/reviewers'))
    const more = used.size - without.size
    t.diagnostic(`${more} bytes more`)
    assert.ok(more > 0 && more <= limitOfReviewers, `expected at most 8 KiB more, got ${more}`)
    assert.ok(!used.inputs.some((file) => file.includes('nist')), 'the runtime has P-256')
  })
})

describe('the package', () => {
  it('depends on the core alone', () => {
    const manifest = JSON.parse(
      readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
    )
    assert.deepEqual(Object.keys(manifest.dependencies), ['@countersign/core'])
    assert.equal(manifest.peerDependencies, undefined)
  })
})
