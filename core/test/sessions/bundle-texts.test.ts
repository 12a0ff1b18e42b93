import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, it } from 'node:test'
import { bytesToHex } from '@noble/hashes/utils.js'
import fc from 'fast-check'
import { canonicalize } from '../../base/canonical/canonicalize.ts'
import { contentIn } from '../../content/sealed-contents.ts'
import { createBundle } from '../../sessions/payloads.ts'

const nonceOf = (number: number, count: number) => new Uint8Array(count).fill(number)
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest()
const content = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc.jsonValue({ stringUnit: 'grapheme' }),
  // Longer than the memory that lines begin with, in bytes alone or in characters too.
  fc.integer({ min: 5_000, max: 20_000 }).map((length) => 'é'.repeat(length)),
)
const step = fc.record({ input: content, output: content, attributes: content })

/** A bundle whose contents are not sealed, and what it was given to seal. */
function bundleInClear() {
  const lines: string[] = []
  let nonces = 0
  const unit = {
    ...{ now: 0, id: () => 'bun_1' },
    random: { bytes: (count: number) => nonceOf(++nonces, count) },
  }
  const owner = { tenantId: 't', applicationId: 'a', sessionId: 's' }
  const bundle = createBundle({ sha256 }, unit as never, owner, {
    seal: (_subject, _place, plain) => {
      lines.push(Buffer.from(plain).toString('utf8'))
      return Uint8Array.from(plain)
    },
    ...{ puts: [], checks: [] },
  })
  return { bundle, lines }
}

describe('The texts of a bundle', () => {
  it('are the canonical JSON of a nonce and a content, which the digest covers', () => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 4 }), (steps) => {
        const { bundle, lines } = bundleInClear()
        let nonces = 0
        for (const contents of steps) {
          const payloads = bundle.add('u', 'step', contents)
          const line = payloads.length > 0 ? lines.pop() : ''
          for (const { field, bytes, digest } of payloads) {
            const nonce = bytesToHex(nonceOf(++nonces, 32))
            const text = canonicalize([nonce, contents[field as keyof typeof contents]])
            assert.equal(contentIn(line ?? '', field), text)
            assert.equal(bytes, Buffer.byteLength(text))
            assert.equal(digest, sha256(Buffer.from(text)).toString('hex'))
          }
        }
      }),
      { numRuns: 60 },
    )
  })

  it('are sealed as they are given where a session has its own', () => {
    const { bundle, lines } = bundleInClear()
    const text = Buffer.from(JSON.stringify({ name: 'é'.repeat(20_000) }))
    const [payload] = bundle.addText('u', 'submission', text)
    assert.equal(contentIn(lines[0] ?? '', 'submission'), text.toString('utf8'))
    assert.equal(payload?.digest, sha256(text).toString('hex'))
    assert.equal(payload?.bytes, text.length)
  })
})
