import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { after, describe, it } from 'node:test'
import type { EvidenceDocument, Printable } from '@countersign/core/evidence'
import { sampleEvidence } from '@countersign/core/testing'
import { createPdfRenderer } from '@countersign/documents'
import { print } from '../pdf/print.ts'
import { folder } from './packs.ts'
import { infoOf, inkOf, noPoppler, textOf } from './poppler.ts'

const evidence = (document: EvidenceDocument): Printable => ({ kind: 'evidence', document })
const poppler = { skip: noPoppler }

const scripts = [
  'naïve Zażółć',
  'Ζεὺς',
  'мягких',
  'שלום',
  'مرحبا',
  '世界',
  'カタカナ',
  '한국어',
  'สวัสดี',
  '😀',
]
const hostile = [
  '/JS (app.alert(1)) /OpenAction << /S /JavaScript >>',
  'https://evil.example/x file:///etc/passwd',
  '\u0000\u0007\u202eabc',
  ') Tj ET endstream endobj',
  '🤖',
]

describe('PDF documents', () => {
  after(() => rmSync(folder, { recursive: true, force: true }))

  it('are the same bytes for the same document, on a thread and here; one that fails fails alone', async () => {
    const renderer = createPdfRenderer()
    const document = evidence(sampleEvidence({ steps: 2 }))
    const here = await print(document)
    const [broken, printed] = await Promise.allSettled([
      renderer.pdf(evidence({} as EvidenceDocument)),
      renderer.pdf(document),
    ])
    assert.equal(broken.status, 'rejected')
    assert.ok(printed.status === 'fulfilled' && Buffer.from(here).equals(printed.value))
    const waiting = renderer.pdf(document)
    await Promise.all([assert.rejects(waiting, /closed/), renderer.close()])
    await assert.rejects(renderer.pdf(document), /closed/)
  })

  it('hold every step, with page numbers, outlines and metadata', poppler, async () => {
    const document = sampleEvidence({ steps: 14 })
    const pdf = await print(evidence(document))
    const text = textOf(pdf)
    for (const { stepId, name } of document.steps) {
      assert.ok(text.includes(name), name)
      assert.ok(text.includes(stepId), stepId)
    }
    for (const title of [
      'Contents',
      'Summary',
      'Timeline',
      'Policy results',
      'Review cases',
      'Integrity, and how to verify it',
    ])
      assert.ok(text.includes(title), title)
    for (const part of [
      document.integrity.leafHash,
      document.integrity.merkle?.merkleRoot,
      'Checked against the claim file.',
    ])
      assert.ok(part && text.includes(part), part ?? '')
    const pages = Number(infoOf(pdf, 'Pages'))
    assert.ok(text.includes(`${pages} of ${pages}`))
    assert.match(infoOf(pdf, 'Title'), new RegExp(document.session.sessionId))
    assert.equal(infoOf(pdf, 'Author'), document.organizationName)
    const raw = Buffer.from(pdf).toString('latin1')
    assert.ok(raw.split('/Outlines').length > 1 && raw.split('/Dest').length > 14)
    const ink = inkOf(pdf)
    assert.equal(ink.length, pages)
    for (const [at, pixels] of ink.entries()) assert.ok(pixels > 20, `page ${at + 1} is empty`)
  })

  it('show any script, and hostile text as text', poppler, async () => {
    const document = sampleEvidence({ steps: 1, text: [...scripts, ...hostile].join('\n') })
    const pdf = await print(evidence(document))
    const text = textOf(pdf)
    const reading = text.normalize('NFKC').replaceAll(/[\u202a-\u202e]/g, '')
    for (const word of scripts) assert.ok(reading.includes(word.normalize('NFKC')), word)
    assert.ok(text.includes('/JS (app.alert(1))'))
    for (const name of ['\\u{0}', '\\u{7}', '\\u{202e}', '\\u{1f916}'])
      assert.ok(text.includes(name), name)
    assert.equal(infoOf(pdf, 'JavaScript'), 'no')
    const raw = Buffer.from(pdf).toString('latin1')
    for (const name of ['/URI', '/JavaScript', '/OpenAction', '/Launch', '/EmbeddedFile'])
      assert.ok(!raw.includes(name), name)
  })

  it('say what was erased, cut or is not sealed yet', poppler, async () => {
    const erased = textOf(await print(evidence(sampleEvidence({ steps: 2, erased: true }))))
    assert.match(erased, /Content: erased\. Its digests remain/)
    const open = sampleEvidence({ steps: 1, leaf: null, text: 'x'.repeat(5_000) })
    const running = textOf(
      await print(
        evidence({
          ...open,
          session: { ...open.session, status: 'running', endedAt: null, durationMs: null },
        }),
      ),
    )
    assert.match(running, /not sealed yet/)
    assert.match(running, /2,000 more characters are in the evidence JSON/)
    assert.match(running, /still running/)
  })

  it('stay readable where one fact is longer than a page', poppler, async () => {
    const sample = sampleEvidence({ steps: 3 })
    const [reviewCase] = sample.reviewCases
    assert.ok(reviewCase)
    const response = { text: 'word '.repeat(40_000) }
    const long = { ...reviewCase, response, reviewerComment: 'שלום '.repeat(2_000) }
    const text = textOf(await print(evidence({ ...sample, reviewCases: [long, reviewCase] })))
    assert.match(text, /more characters are in the evidence JSON/)
    assert.ok(text.split('Presentation digest').length > 2)
  })

  it('print certificates and access reports', poppler, async () => {
    const { integrity, tenantId, organizationName, signatures } = sampleEvidence()
    const { merkle, anchor, leafHash } = integrity
    assert.ok(merkle && anchor && leafHash)
    const session = textOf(
      await print({
        kind: 'session-certificate',
        document: {
          certificateVersion: '1.0',
          certificateType: 'session-anchor',
          issuedAt: '2026-03-15T09:30:00.000Z',
          organizationName,
          tenantId,
          leafDefinition: 'SHA-256 of a byte 0 and the canonical JSON',
          commitmentDefinition: 'SHA-256 of tag, root and nonce',
          proof: {
            sessionId: 'ses-1',
            applicationId: 'app_1',
            revision: 1,
            hashAlgorithm: 'rfc9162-sha256',
            ...merkle,
            leafHash,
            anchor,
          },
          statement: 'Not anchored on a public chain: local signed checkpoint 1.',
          signatures,
        },
      }),
    )
    for (const part of [leafHash, merkle.merkleRoot, 'local signed checkpoint 1'])
      assert.ok(session.includes(part), part)
    const erasure = textOf(
      await print({
        kind: 'erasure-certificate',
        document: {
          certificateVersion: '1.0',
          certificateType: 'erasure',
          organizationName,
          tenantId,
          erasureRequestId: 'ers_1',
          dataSubjectId: 'sub_1',
          applicationIds: ['app_1'],
          requestedAt: '2026-03-15T09:30:00.000Z',
          completedAt: '2026-03-15T09:31:00.000Z',
          method: 'crypto-shredding',
          counts: { sessions: 3 },
          retained: ['Merkle roots and anchors', 'Backups until they expire'],
          signatures,
        },
      }),
    )
    assert.ok(erasure.includes('Backups until they expire'))
    const report = textOf(
      await print({
        kind: 'access-report',
        document: {
          reportVersion: '1.0',
          generatedAt: '2026-03-15T09:30:00.000Z',
          organizationName,
          tenantId,
          dataSubjectId: 'sub_1',
          purposes: ['Human review of AI actions'],
          categories: ['Inputs and outputs of AI systems'],
          recipients: [],
          retention: '365 days',
          rights: ['Erasure'],
          source: 'The application',
          automatedDecisions: [],
          sessionCount: 1,
          sessions: [
            {
              applicationName: 'Claims',
              sessionId: 'claim-7',
              startedAt: '2026-03-14T09:30:00.000Z',
              endedAt: null,
              stepCount: 3,
              payloadStatus: 'readable',
            },
          ],
        },
      }),
    )
    for (const part of ['Human review of AI actions', 'claim-7', 'Your rights'])
      assert.ok(report.includes(part), part)
  })
})
