import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { after, describe, it } from 'node:test'
import { sampleEvidence } from '@countersign/core/testing'
import { createPdfRenderer } from '@countersign/documents'
import { folder } from './packs.ts'
import { noPoppler, textOf } from './poppler.ts'

describe('PDF documents', () => {
  after(() => rmSync(folder, { recursive: true, force: true }))

  it('hold all of 500 steps, printed in one go', { skip: noPoppler }, async () => {
    const document = sampleEvidence({ steps: 500 })
    const renderer = createPdfRenderer()
    const text = textOf(await renderer.pdf({ kind: 'evidence', document }))
    await renderer.close()
    for (const { stepId } of document.steps) assert.ok(text.includes(stepId), stepId)
  })
})
