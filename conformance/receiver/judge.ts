import type { Replay } from './definition.ts'
import type { Checked, Property } from './property.ts'
import type { PropertyReport } from './report.ts'
import { needs, type Target } from './target.ts'
import { noFamilies } from './types.ts'
import { UsageError } from './usage-error.ts'

export interface Judging {
  readonly target: Target
  readonly unusable: string | null
  readonly replay: Replay
  /** Accepted failures: the reason by the name of the property. */
  readonly except: Readonly<Record<string, string>>
}

/** Judges one property, whatever the receiver does; rejects for a broken probe or a path that leads nowhere. */
export async function judge(
  property: Property,
  { target, unusable, replay, except }: Judging,
): Promise<PropertyReport> {
  const startedAt = performance.now()
  const { name, level, promise, advice } = property
  const about = (histories: number, leftOut: number, families = noFamilies()) => {
    const seconds = Math.round(performance.now() - startedAt) / 1000
    return { name, level, promise, histories, families, leftOut, seconds }
  }
  const exception = except[name] ?? null
  const { goneIn } = target.tally
  const found = unusable ?? (goneIn && `the receiver died in ${goneIn} and answers no more`)
  if (found !== null) {
    const { seed } = replay
    const failure = { ...nothingSent, found, seed }
    return { ...about(0, 0), verdict: 'failed', advice, failure, exception }
  }
  const lacking = property.needs.filter((need) => !target.has.has(need))
  if (lacking.length > 0)
    return notJudged(
      about(0, 0),
      'ability',
      lacking.map((need) => needs[need]),
    )
  if (property.slow && replay.quick)
    return notJudged(about(0, 0), 'scope', ['a run without --quick'])
  const { histories, families, leftOut, casesLeftOut, failure } = await checkAt(
    property,
    target,
    replay,
  )
  if (failure !== null)
    return { ...about(histories, leftOut, families), verdict: 'failed', advice, failure, exception }
  // What is listed is promised to be tried, whatever time there was.
  if (histories === 0 || casesLeftOut > 0)
    return notJudged(about(histories, leftOut, families), 'time', [moreTime])
  return { ...about(histories, leftOut, families), verdict: 'passed' }
}

const moreTime = 'more time (--budget SECONDS)'

type NotJudged = PropertyReport & { readonly verdict: 'not judged' }

const notJudged = (
  about: Omit<NotJudged, 'verdict' | 'wantOf' | 'needs'>,
  wantOf: NotJudged['wantOf'],
  needs: readonly string[],
): NotJudged => ({ ...about, verdict: 'not judged', wantOf, needs })

export const nothingSent = {
  transcript: [],
  exchanges: [],
  deliveries: 0,
  shrinks: 0,
  path: null,
  cameAgain: null,
} as const

/** A path that leads to no history, because it is another's, must not look like a pass. */
async function checkAt(property: Property, target: Target, replay: Replay): Promise<Checked> {
  const checked = await property.check(target, replay).catch((error: Error) => {
    if (!error.message.startsWith('Unable to replay')) throw error
    return null
  })
  if (checked !== null && checked.histories + checked.leftOut > 0) return checked
  const { path, seed } = replay
  throw new UsageError(`${property.name} has no history at path ${path} of seed ${seed}`)
}

/**
 * Plays what failed beside other properties once more with nothing beside it, and notes whether it failed again, as far
 * as there was time.
 */
export async function playAgain(
  property: Property,
  report: PropertyReport,
  { target, replay }: Pick<Judging, 'target' | 'replay'>,
): Promise<PropertyReport> {
  if (report.verdict !== 'failed' || report.failure.path === null) return report
  const { seed, path } = report.failure
  const once = { ...replay, seed, path, shrinkMs: 0 }
  const { failure, histories } = await property.check(target, once)
  // A history that there was no time for says nothing.
  const cameAgain = failure !== null || (histories > 0 ? false : 'no time')
  return { ...report, failure: { ...report.failure, cameAgain } }
}
