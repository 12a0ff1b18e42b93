import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { after, describe, it } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import type { EvidenceDocument, Printable } from '@countersign/core/evidence'
import { sampleEvidence } from '@countersign/core/testing'
import { createPdfRenderer } from '@countersign/documents'
import { print } from '../pdf/print.ts'
import { folder } from './packs.ts'
import { infoOf, inkOf, noPoppler, textOf } from './poppler.ts'
import { accessReport, erasureCertificate, printables, sessionCertificate } from './printables.ts'
import { pagesOf } from './read-pdf.ts'

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

  it('keep few callers waiting, none that left, and every archive', async () => {
    const renderer = createPdfRenderer({ waiting: 1 })
    const document = evidence(sampleEvidence({ steps: 2 }))
    const caller = { aborted: false }
    const leaver = { aborted: false }
    const first = renderer.pdf(async () => document, caller)
    const left = renderer.pdf(async () => document, leaver)
    const archive = renderer.pdf(document)
    assert.equal(await renderer.pdf(async () => document, caller), null, 'one waits already')
    leaver.aborted = true
    const second = renderer.pdf(async () => document, caller)
    assert.equal(await left, null, 'left before its turn, and its place was given away')
    const printed = await Promise.all([first, archive, second])
    assert.deepEqual(
      printed.map((bytes) => bytes?.length),
      Array(3).fill((await print(document)).length),
    )
    const late = { aborted: false }
    const [running, dropped] = [
      renderer.pdf(async () => document, caller),
      renderer.pdf(async () => document, late),
    ]
    late.aborted = true
    assert.equal(await dropped, null, 'left before its turn came')
    assert.ok(await running)
    await renderer.close()
  })

  it('are made one at a time, each when its turn comes, and fail as their making does', async () => {
    const renderer = createPdfRenderer()
    const document = evidence(sampleEvidence({ steps: 1 }))
    const begun: (() => void)[] = []
    const make = () =>
      new Promise<Printable>((resolve) => {
        begun.push(() => resolve(document))
      })
    const printed = Array.from({ length: 4 }, () => renderer.pdf(make, { aborted: false }))
    for (const [at, each] of printed.entries()) {
      for (let round = 0; round < 3; round++) await turn()
      assert.equal(begun.length, at + 1, 'the next is made when the one before is printed')
      begun[at]?.()
      assert.ok(await each)
    }
    const broken = renderer.pdf(() => Promise.reject(new Error('gone meanwhile')), {
      aborted: false,
    })
    await assert.rejects(broken, /gone meanwhile/)
    await renderer.close()
  })

  it('are laid out in parts where they are long, with contents and page numbers all the same', async () => {
    const sample = sampleEvidence({ steps: 6 })
    const [result] = sample.policyResults
    assert.ok(result)
    const rules = Array.from({ length: 450 }, (_, at) => `Rule-${at}.`)
    const policyResults = rules.map((ruleName) => ({ ...result, ruleName }))
    const long = evidence({ ...sample, policyResults })
    const pdf = await print(long)
    assert.ok(Buffer.from(await print(long)).equals(pdf), 'the same bytes')
    const pages = pagesOf(pdf).map((text) => text.replaceAll(/ +/g, ' '))
    const all = pages.join(' ')
    for (const rule of rules) assert.ok(all.includes(rule), rule)
    for (const { stepId } of sample.steps) assert.ok(all.includes(stepId), stepId)
    for (const [at, text] of pages.entries())
      assert.ok(text.startsWith(`${at + 1} of ${pages.length} `), text.slice(0, 40))
    const chapters = ['Summary', 'Timeline', 'Steps', 'Policy results', 'Review cases']
    const begins = chapters.map((title) =>
      pages.findIndex(
        (text, at) => at > 1 && text.startsWith(`${at + 1} of ${pages.length} ${title} `),
      ),
    )
    assert.ok(!begins.includes(-1), String(begins))
    const numbers =
      pages[1]
        ?.match(/(?: \d+)+ $/)?.[0]
        .trim()
        .split(' ')
        .map(Number) ?? []
    assert.deepEqual(
      numbers.slice(0, chapters.length),
      begins.map((at) => at + 1),
    )
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

  it('say what was erased, cut, lost at its source or is not sealed yet', poppler, async () => {
    const erased = textOf(await print(evidence(sampleEvidence({ steps: 2, erased: true }))))
    assert.match(erased, /Content: erased\. Its digests remain/)
    const open = sampleEvidence({ steps: 1, leaf: null, text: 'x'.repeat(5_000) })
    const running = textOf(
      await print(
        evidence({
          ...open,
          session: {
            ...open.session,
            status: 'running',
            endedAt: null,
            durationMs: null,
            incompleteAtSource: true,
          },
        }),
      ),
    )
    assert.match(running, /not sealed yet/)
    assert.match(running, /2,000 more characters are in the evidence JSON/)
    assert.match(running, /still running/)
    assert.match(running, /attributes, events or links were dropped/)
    assert.match(erased, /At its source\s+complete/)
  })

  it('show of a decision what was seen, who decided and what seals it', poppler, async () => {
    const sample = sampleEvidence({ steps: 3 })
    const text = textOf(await print(evidence(sample))).replaceAll(/\s+/g, ' ')
    const [each] = sample.reviewCases
    assert.ok(each?.integrity.leafHash && each.integrity.merkle && each.commentDigest)
    const { leafHash, merkle } = each.integrity
    assert.match(text, /Ada Okafor \(mem_2\), CustomerAuditor, signed in by password/)
    assert.match(text, /the decision was recorded by the service/)
    assert.match(text, /What the reviewer was shown \{ "title": "Settle claim 1"/)
    for (const printed of [leafHash, merkle.merkleRoot, each.commentDigest, merkle.batchId])
      assert.ok(text.includes(printed), printed)
    const erased = textOf(await print(evidence(sampleEvidence({ steps: 3, erased: true }))))
    assert.match(erased.replaceAll(/\s+/g, ' '), /What the reviewer was shown: erased/)
    assert.doesNotMatch(erased, /Settle claim/)
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

  it('print certificates and access reports, the same bytes each time', poppler, async () => {
    const shows: Readonly<Record<keyof typeof printables, readonly string[]>> = {
      session: [
        sessionCertificate.proof.leafHash,
        sessionCertificate.proof.merkleRoot,
        'local signed checkpoint 1',
      ],
      erasure: ['Backups until they expire', 'crypto-shredding', 'sub_1', 'Erased: payloads'],
      report: ['Human review of AI actions', 'claim-7', 'Your rights', 'Named by the application'],
    }
    for (const [name, printable] of Object.entries(printables)) {
      const pdf = await print(printable)
      const text = textOf(pdf)
      for (const part of shows[name as keyof typeof printables])
        assert.ok(text.includes(part), `${name}: ${part}`)
      assert.ok(Buffer.from(await print(printable)).equals(pdf), name)
      for (const [at, pixels] of inkOf(pdf).entries()) assert.ok(pixels > 20, `${name} ${at + 1}`)
    }
  })

  it(
    'print certificates and reports with hostile names, and reports of many sessions',
    poppler,
    async () => {
      const [session] = accessReport.sessions
      assert.ok(session)
      const text = hostile.join(' ')
      const { report, erasure } = {
        report: await print({
          kind: 'access-report',
          document: {
            ...accessReport,
            categories: hostile,
            sessionCount: 1_200,
            sessions: Array.from({ length: 12 }, () => ({ ...session, sessionId: text })),
          },
        }),
        erasure: await print({
          kind: 'erasure-certificate',
          document: { ...erasureCertificate, applicationIds: hostile, retained: hostile },
        }),
      }
      assert.match(textOf(report), /The first 12 of 1200\s+sessions/)
      for (const pdf of [report, erasure]) {
        assert.ok(textOf(pdf).includes('\\u{202e}'))
        assert.equal(infoOf(pdf, 'JavaScript'), 'no')
        const raw = Buffer.from(pdf).toString('latin1')
        for (const name of ['/URI', '/JavaScript', '/OpenAction', '/Launch', '/EmbeddedFile'])
          assert.ok(!raw.includes(name), name)
      }
    },
  )
})
