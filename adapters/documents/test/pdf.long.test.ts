import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { after, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { sampleEvidence } from '@countersign/core/testing'
import { createPdfRenderer } from '@countersign/documents'
import { folder } from './packs.ts'
import { noPoppler, textOf } from './poppler.ts'

const { COUNTERSIGN_PROVE: whole } = process.env
const steps = whole ? 20_000 : 8_000
const program = fileURLToPath(new URL('./pdf-memory.js', import.meta.url))

describe('PDF documents', () => {
  after(() => rmSync(folder, { recursive: true, force: true }))

  it('hold all of 500 steps, printed in one go', { skip: noPoppler }, async () => {
    const document = sampleEvidence({ steps: 500 })
    const renderer = createPdfRenderer()
    const text = textOf(await renderer.pdf({ kind: 'evidence', document }))
    await renderer.close()
    for (const { stepId } of document.steps) assert.ok(text.includes(stepId), stepId)
  })

  /** Prints so many steps, each with content, twice; the flag bounds the heap of each thread. */
  function printedIn(heapMiB: number) {
    const args = [`--max-old-space-size=${heapMiB}`, program, String(steps), '2']
    return spawnSync(process.execPath, args, { encoding: 'utf8' })
  }

  // The heaps bound it: what is resident depends on when the collector runs.
  it('of thousands of steps take heaps of 192 MiB, one after the other', () => {
    const { stdout, stderr, status } = printedIn(192)
    assert.equal(status, 0, stderr)
    const { bytes, same } = JSON.parse(stdout) as { readonly bytes: number; readonly same: boolean }
    assert.ok(same && bytes > 2 ** 19, stdout)
  })
})
