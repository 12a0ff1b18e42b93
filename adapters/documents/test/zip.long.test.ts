import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { zipArchives } from '@countersign/documents'

const piece = 2 ** 20

describe('ZIP archives', () => {
  it('pass 800 MiB with flat memory', async () => {
    const archive = zipArchives.create({ createdAt: 0 })
    let written = 0
    const read = (async () => {
      for await (const bytes of archive.bytes) written += bytes.length
    })()
    async function* noise() {
      for (let at = 0; at < 80; at++) {
        const bytes = new Uint8Array(piece)
        for (let from = 0; from < piece; from += 65_536)
          crypto.getRandomValues(bytes.subarray(from, from + 65_536))
        yield bytes
      }
    }
    await archive.add('warm', noise())
    const before = process.memoryUsage().rss
    let most = 0
    for (let at = 1; at < 10; at++) {
      await archive.add(`file-${at}`, noise())
      most = Math.max(most, process.memoryUsage().rss)
    }
    await archive.finish()
    await read
    assert.ok(written > 800 * piece)
    assert.ok(most - before < 96 * piece, `${(most - before) / piece} MiB more`)
  })
})
