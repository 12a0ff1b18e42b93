import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { after, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { sampleEvidence } from '@countersign/core/testing'
import { createPdfRenderer } from '@countersign/documents'
import { folder } from './packs.ts'
import { noPoppler, textOf } from './poppler.ts'

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

  it('of 20,000 steps take at most 128 MiB, in a process of 512 MiB', () => {
    const args = ['--max-old-space-size=512', program, '20000', '1']
    const { stdout, stderr, status } = spawnSync(process.execPath, args, { encoding: 'utf8' })
    assert.equal(status, 0, stderr)
    const { grownMiB } = JSON.parse(stdout) as { readonly grownMiB: number }
    assert.ok(grownMiB <= 128, `${grownMiB} MiB`)
  })
})
