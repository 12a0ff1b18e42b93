import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { after, describe, it } from 'node:test'
import type { EvidenceCase, EvidenceDocument } from '@countersign/core/evidence'
import { sampleEvidence, unsignedTimeStamp } from '@countersign/core/testing'
import { heightOf } from '../pdf/keep.ts'
import { print } from '../pdf/print.ts'
import { folder } from './packs.ts'
import { noPoppler, textOf } from './poppler.ts'
import { printables } from './printables.ts'

const poppler = { skip: noPoppler }
const dossierOf = (document: EvidenceDocument) => print({ kind: 'evidence', document })

const history: EvidenceCase['history'] = [
  {
    eventSequence: 1,
    caseVersion: 1,
    step: 'created',
    at: '2026-03-14T09:30:00.000Z',
    actor: 'application:app_sample',
  },
  {
    eventSequence: 2,
    caseVersion: 2,
    step: 'follow_up_requested',
    at: '2026-03-14T09:41:07.000Z',
    actor: 'member:mem_2',
  },
  {
    eventSequence: 3,
    caseVersion: 3,
    step: 'expired',
    at: '2026-03-14T10:30:00.000Z',
    actor: 'system',
  },
]

/** Lines of each page between its head and its foot, as they are drawn. */
function bodiesOf(pdf: Uint8Array): readonly (readonly string[])[] {
  const furniture = /^(?:\d+ of \d*|\d+|Countersign evidence\. Verify .*|.* · .*)$/
  return textOf(pdf)
    .split('\f')
    .map((page) => page.split('\n').filter((line) => line !== '' && !furniture.test(line)))
    .filter((lines) => lines.length > 0)
}

const headings =
  /^(?:Contents|Summary|Timeline|Steps|Policy results|Review cases|Session reviews|Annotations and flags|Scores|Integrity, and how to verify it|Seal|Anchor|Seals of earlier revisions|Erasure|To verify|Case rc_.*|Input|Output|Attributes|What the reviewer was shown|Proof|Definitions|What remains|Signature of the issuer|Purposes|Categories of data|Recipients|Who is responsible|Retention and source|Automated decisions|Your rights|Sessions|\d+\. [a-z].*)$/

describe('dossier', () => {
  after(() => rmSync(folder, { recursive: true, force: true }))

  it('prints the history of each case, step by step', poppler, async () => {
    const sample = sampleEvidence({ steps: 3 })
    const reviewCases = sample.reviewCases.map((each) => ({ ...each, history }))
    const text = textOf(await dossierOf({ ...sample, reviewCases })).replaceAll(/\s+/g, ' ')
    for (const line of [
      '1 created 2026-03-14 09:30:00.000 UTC application app_sample 1',
      '2 follow up requested 2026-03-14 09:41:07.000 UTC member mem_2 2',
      '3 expired 2026-03-14 10:30:00.000 UTC the service 3',
    ])
      assert.ok(text.includes(line), `${line} in ${text}`)
  })

  it('prints when an authority stamped the anchor', poppler, async () => {
    const document = sampleEvidence({ seed: 4 })
    const at = Date.UTC(2026, 2, 15, 4, 5, 6)
    const timeStamp = Buffer.from(unsignedTimeStamp(new Uint8Array(32), at)).toString('base64')
    const { integrity } = document
    const anchor = integrity.anchor && { ...integrity.anchor, timeStamp }
    const stamped = { ...document, integrity: { ...integrity, anchor } }
    assert.match(textOf(await dossierOf(stamped)), /Time stamp\s+2026-03-15 04:05:06/)
    assert.match(textOf(await dossierOf(document)), /Time stamp\s+none/)
  })

  it('prints long histories in parts', poppler, async () => {
    const sample = sampleEvidence({ steps: 3 })
    const [first] = history
    assert.ok(first)
    const many = Array.from({ length: 300 }, (_, at) => ({ ...first, eventSequence: 7_000 + at }))
    const reviewCases = sample.reviewCases.map((each) => ({ ...each, history: many }))
    const text = textOf(await dossierOf({ ...sample, reviewCases }))
    for (const { eventSequence } of many) assert.ok(text.includes(String(eventSequence)))
  })

  it('never ends a page with a heading', poppler, async () => {
    const stranded: string[] = []
    const look = (name: string, pdf: Uint8Array) => {
      for (const [at, lines] of bodiesOf(pdf).entries()) {
        const last = lines.at(-1) ?? ''
        if (headings.test(last)) stranded.push(`${name}, page ${at + 1}: ${last}`)
      }
    }
    // Each length and text moves what follows by another distance.
    for (let steps = 1; steps <= 12; steps++) {
      const text = `${'A line of what the model said. '.repeat(1 + (steps % 5))}\n`.repeat(steps)
      const sample = sampleEvidence({ steps, text, seed: steps })
      const reviewCases = sample.reviewCases.map((each) => ({
        ...each,
        history,
        reviewerComment: 'Checked. '.repeat(steps * 20),
      }))
      look(`${steps} steps`, await dossierOf({ ...sample, reviewCases }))
    }
    for (let lines = 0; lines <= 30; lines += 4) {
      const document = {
        ...printables.report.document,
        purposes: Array.from({ length: lines }, (_, at) => `Purpose ${at}`),
      }
      look(`report of ${lines} purposes`, await print({ kind: 'access-report', document }))
    }
    for (const [name, printable] of Object.entries(printables)) look(name, await print(printable))
    assert.deepEqual(stranded, [])
  })

  it('tells a data subject who is responsible, and whom to write to', poppler, async () => {
    const text = textOf(await print(printables.report))
    assert.match(text, /Who is responsible\s+Controller\s+Ravenna Insurance Group\s+Contact/)
    assert.match(text, /Contact\s+privacy@ravenna\.example\s+Country \(ISO 3166-1\)\s+IT/)
    const { document } = printables.report
    const controller = { ...document.controller, country: null }
    const without = textOf(
      await print({ kind: 'access-report', document: { ...document, controller } }),
    )
    assert.match(without, /Country \(ISO 3166-1\)\s+–/)
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
