import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { finished } from 'node:stream/promises'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { readLines } from '../read-lines.ts'

/** What is read of these bytes, in chunks of a size. */
async function linesOf(bytes: Buffer, size: number): Promise<string[]> {
  const stream = new PassThrough()
  const lines: string[] = []
  readLines(stream, { line: (text) => lines.push(text), end: () => lines.push('end') })
  for (let from = 0; from < bytes.length; from += size)
    stream.write(bytes.subarray(from, from + size))
  stream.end()
  await finished(stream)
  return lines
}

describe('readLines', () => {
  it('ends a line at a line feed alone, in whatever chunks it comes', async () => {
    const texts = fc.array(fc.stringMatching(/^[{}":a\r\t\u{2028}\u{2029}\u{85}\u{1F600}]{0,9}$/u))
    await fc.assert(
      fc.asyncProperty(texts, fc.integer({ min: 1, max: 9 }), async (given, size) => {
        const bytes = Buffer.from(given.map((text) => `${text}\n`).join(''))
        assert.deepEqual(await linesOf(bytes, size), [...given, 'end'])
      }),
    )
  })

  it('reads a last line that has no end', async () => {
    assert.deepEqual(await linesOf(Buffer.from('{}\n[]'), 2), ['{}', '[]', 'end'])
  })

  it('stops when it is told to', async () => {
    const stream = new PassThrough()
    const stop = readLines(stream, {
      line: () => assert.fail('read'),
      end: () => assert.fail('read'),
    })
    stop()
    stream.end('{}\n')
    stream.resume()
    await finished(stream)
  })
})
