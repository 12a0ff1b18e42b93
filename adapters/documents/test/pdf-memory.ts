import { type EvidenceDocument, printedEvidence } from '@countersign/core/evidence'
import { sampleEvidence } from '@countersign/core/testing'
import { createPdfRenderer } from '@countersign/documents'

/** Evidence of a session of so many steps, each with content. */
function longSession(count: number): EvidenceDocument {
  const sample = sampleEvidence({ steps: 40 })
  const from = Date.parse(sample.session.startedAt)
  const steps = Array.from({ length: count }, (_, at) => {
    const step = sample.steps[at % sample.steps.length]
    if (!step) throw new Error('the sample has no steps')
    const [startedAt, endedAt] = [at, at + 1].map((n) => new Date(from + n * 1_000).toISOString())
    return {
      ...step,
      stepId: `step-${String(at).padStart(8, '0')}`,
      startedAt: startedAt ?? '',
      endedAt: endedAt ?? '',
    }
  })
  return { ...sample, steps }
}

/** A process of its own, for its heaps: prints so many documents at once. */
const [count = 0, together = 0] = process.argv.slice(2).map(Number)
const renderer = createPdfRenderer()
const make = async () =>
  ({ kind: 'printed-evidence', document: printedEvidence(longSession(count)) }) as const
const printed = await Promise.all(
  Array.from({ length: together }, () => renderer.pdf(make, { aborted: false })),
)
await renderer.close()
const [first] = printed
const same = printed.every((bytes) => bytes && first && Buffer.compare(bytes, first) === 0)
process.stdout.write(JSON.stringify({ bytes: first?.length, same }))
