import type { EvidenceDocument } from '@countersign/core/evidence'
import { sampleEvidence } from '@countersign/core/testing'
import { createPdfRenderer } from '@countersign/documents'

/** Evidence of a session of so many steps, of which the first thousand have content, as the service keeps it. */
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
      payload: at < 1_000 ? step.payload : null,
    }
  })
  return { ...sample, steps }
}

/** A process of its own, for its memory: prints so many documents at once, then tells by how much it grew, in MiB. */
const [count = 0, together = 0] = process.argv.slice(2).map(Number)
const renderer = createPdfRenderer()
await renderer.pdf({ kind: 'evidence', document: sampleEvidence({ steps: 3 }) })
const before = process.memoryUsage().rss
let most = before
const watch = setInterval(() => {
  most = Math.max(most, process.memoryUsage().rss)
}, 20)
const make = async () => ({ kind: 'evidence', document: longSession(count) }) as const
const printed = await Promise.all(
  Array.from({ length: together }, () => renderer.pdf(make, { aborted: false })),
)
clearInterval(watch)
await renderer.close()
const [first] = printed
const same = printed.every((bytes) => bytes && first && Buffer.compare(bytes, first) === 0)
process.stdout.write(JSON.stringify({ grownMiB: Math.ceil((most - before) / 2 ** 20), same }))
