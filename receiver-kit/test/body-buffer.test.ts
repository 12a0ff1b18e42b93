import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { type BodyBuffer, createBodyBuffer } from '../hosts/body-buffer.ts'

const maxBytes = 20_000

/** Breaks its promises for what one history asks; null when it keeps them. */
function fault(create: (maxBytes: number) => BodyBuffer, sizes: readonly number[]): string | null {
  const buffer = create(maxBytes)
  const taken: number[] = []
  for (const [at, size] of sizes.entries()) {
    const chunk = new Uint8Array(size).fill((at % 255) + 1)
    const fits = taken.length + size <= maxBytes
    if (buffer.add(chunk) !== fits) return `a chunk of ${size} after ${taken.length}`
    if (fits) taken.push(...chunk)
    // What a chunk's owner does with it later must not reach the body.
    chunk.fill(0)
    if (buffer.length !== taken.length) return `length ${buffer.length}`
    if (buffer.capacity > Math.max(2 * taken.length, 1_024)) return `capacity ${buffer.capacity}`
    if (buffer.capacity > maxBytes) return `capacity ${buffer.capacity} beyond the bound`
  }
  const whole = buffer.whole()
  if (whole.buffer.byteLength !== taken.length) return `${whole.buffer.byteLength} bytes kept`
  return Buffer.from(taken).equals(whole) ? null : 'other bytes'
}

const sizes = fc.array(fc.oneof(fc.constant(1), fc.nat(300), fc.nat(9_000)), { maxLength: 60 })

/** Keeps each chunk as it came, as long lists of small ones cost most. */
function listOfChunks(bound: number): BodyBuffer {
  const chunks: Uint8Array[] = []
  let length = 0
  return {
    get length() {
      return length
    },
    get capacity() {
      return chunks.length * 64 + length
    },
    add(chunk) {
      if (length + chunk.length > bound) return false
      chunks.push(chunk)
      length += chunk.length
      return true
    },
    whole: () => new Uint8Array(Buffer.concat(chunks)),
  }
}

describe('the buffer of a body', () => {
  it('keeps the bytes, within its bound, in memory that follows them', () => {
    fc.assert(
      fc.property(sizes, (history) => assert.equal(fault(createBodyBuffer, history), null)),
      { numRuns: 300 },
    )
  })

  it('is told apart from one that allocates by chunk or by its bound', () => {
    const ones = Array.from({ length: 2_000 }, () => 1)
    assert.notEqual(fault(listOfChunks, ones), null)
    const greedy = (bound: number): BodyBuffer => {
      const sound = createBodyBuffer(bound)
      return { ...sound, capacity: bound, length: 0 }
    }
    assert.notEqual(fault(greedy, [1]), null)
  })

  it('asks for both of its parts while it copies one into the other, then for what remains', () => {
    fc.assert(
      fc.property(sizes, (history) => {
        const asked: number[] = []
        const buffer = createBodyBuffer(maxBytes, (bytes) => asked.push(bytes) > 0)
        for (const size of history) {
          const before = buffer.capacity
          buffer.add(new Uint8Array(size))
          const grown =
            buffer.capacity === before ? [] : [before + buffer.capacity, buffer.capacity]
          assert.deepEqual(asked.splice(0), grown)
        }
      }),
    )
  })
})
