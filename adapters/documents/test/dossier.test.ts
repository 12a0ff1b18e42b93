import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { after, describe, it } from 'node:test'
import type { EvidenceDocument } from '@countersign/core/evidence'
import { sampleEvidence } from '@countersign/core/testing'
import { heightOf } from '../pdf/keep.ts'
import { print } from '../pdf/print.ts'
import { folder } from './packs.ts'
import { noPoppler, textOf } from './poppler.ts'
import { printables } from './printables.ts'

const poppler = { skip: noPoppler }
const dossierOf = (document: EvidenceDocument) => print({ kind: 'evidence', document })

/** Lines of each page between its head and its foot, as they are drawn. */
function bodiesOf(pdf: Uint8Array): readonly (readonly string[])[] {
  const furniture = /^(?:\d+ of \d*|\d+|Countersign evidence\. Verify .*|.* · .*)$/
  return textOf(pdf)
    .split('\f')
    .map((page) => page.split('\n').filter((line) => line !== '' && !furniture.test(line)))
    .filter((lines) => lines.length > 0)
}

const headings =
  /^(?:Contents|Summary|Timeline|Steps|Policy results|Review cases|Session reviews|Annotations and flags|Scores|Integrity, and how to verify it|Seal|Anchor|Seals of earlier revisions|Erasure|To verify|Case rc_.*|Input|Output|Attributes|Proof|Definitions|What remains|Signature of the issuer|Purposes|Categories of data|Recipients|Retention and source|Automated decisions|Your rights|Sessions|\d+\. [a-z].*)$/

describe('dossier', () => {
  after(() => rmSync(folder, { recursive: true, force: true }))

  it('never ends a page with a heading', poppler, async () => {
    const stranded: string[] = []
    const look = (name: string, pdf: Uint8Array) => {
      for (const [at, lines] of bodiesOf(pdf).entries()) {
        const last = lines.at(-1) ?? ''
        if (headings.test(last)) stranded.push(`${name}, page ${at + 1}: ${last}`)
      }
    }
    // Each length and text moves what follows by another distance.
    for (let steps = 1; steps <= 16; steps++) {
      const text = `${'A line of what the model said. '.repeat(1 + (steps % 5))}\n`.repeat(steps)
      const sample = sampleEvidence({ steps, text, seed: steps })
      const reviewCases = sample.reviewCases.map((each) => ({
        ...each,
        reviewerComment: 'Checked. '.repeat(steps * 20),
      }))
      look(`${steps} steps`, await dossierOf({ ...sample, reviewCases }))
    }
    for (let lines = 0; lines <= 30; lines += 3) {
      const document = {
        ...printables.report.document,
        purposes: Array.from({ length: lines }, (_, at) => `Purpose ${at}`),
      }
      look(`report of ${lines} purposes`, await print({ kind: 'access-report', document }))
    }
    for (const [name, printable] of Object.entries(printables)) look(name, await print(printable))
    assert.deepEqual(stranded, [])
  })

  it('loses no line of a fact or a content that is longer than a page', poppler, async () => {
    // Few characters and many lines.
    const lines = Array.from({ length: 200 }, (_, at) => `c${1_000 + at}`)
    const sample = sampleEvidence({ steps: 3, text: lines.join('\n') })
    const [reviewCase] = sample.reviewCases
    assert.ok(reviewCase)
    const reviewerComment = lines.map((line) => line.replace('c', 'n')).join('\n')
    const text = textOf(
      await dossierOf({ ...sample, reviewCases: [{ ...reviewCase, reviewerComment }] }),
    )
    for (const line of lines)
      for (const word of [line, line.replace('c', 'n')]) assert.ok(text.includes(word), word)
  })

  it('takes hidden and wide characters for as much room as they are printed in', () => {
    const plain = heightOf('x'.repeat(90), 468)
    assert.equal(heightOf('\u202e'.repeat(90), 468), plain * 8)
    assert.equal(heightOf('世'.repeat(90), 468), plain * 2)
    assert.equal(heightOf('x\n'.repeat(3), 468), plain * 4)
  })
})
