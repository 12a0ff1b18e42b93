import { ConformanceError } from '../assert.ts'
import { nothingSent } from './judge.ts'
import type { Sighting } from './probe.ts'
import type { Property } from './property.ts'
import type { PropertyReport } from './report.ts'
import { type Target, traceOf } from './target.ts'

/** Effects without a usable id, which bodies that are no events left: the fault of no single history. */
export async function judgeOddEffects(
  { tally, has, read }: Target,
  property: Property,
  report: PropertyReport,
  seed: number,
): Promise<PropertyReport> {
  if (report.verdict !== 'passed' || !has.has('effects')) return report
  try {
    await read({ ids: [], reviewCaseIds: [] })
  } catch (error) {
    if (!(error instanceof ConformanceError)) throw error
  }
  const [example] = tally.oddEffects
  if (example === undefined) return report
  const found = `the probe shows an effect without a usable id, such as ${example}: a body that is no event was acted on`
  const failure = {
    ...nothingSent,
    found,
    transcript: ['the last read, after every property'],
    seed,
  }
  return { ...report, verdict: 'failed', advice: property.advice, failure, exception: null }
}

/** Effects that came late: every message that had to be refused is looked up once more at the end. */
export async function sweep(
  target: Target,
  property: Property,
  report: PropertyReport,
  seed: number,
): Promise<PropertyReport> {
  const { banned } = target.tally
  if (report.verdict !== 'passed' || banned.size === 0) return report
  const fault = (found: string, transcript: readonly string[]): PropertyReport => {
    const deliveries = transcript.filter((line) => /^\d/.test(line)).length
    const failure = { ...nothingSent, found, transcript, deliveries, seed }
    return { ...report, verdict: 'failed', advice: property.advice, failure, exception: null }
  }
  let seen: Sighting
  try {
    seen = await target.read({ ids: [...banned.keys()], reviewCaseIds: [] })
  } catch (error) {
    if (!(error instanceof ConformanceError)) throw error
    return fault(error.message, ['the last read, after every property'])
  }
  for (const [id, transcript] of banned) {
    const trace = traceOf(id, seen)
    if (trace !== null)
      return fault(`${id} had to be refused and, read at the end, ${trace}`, transcript())
  }
  return report
}
