import { decodeBase64 } from '../../proof/signing/encoding.ts'
import { readTimeStamp } from '../../proof/time-stamp.ts'
import { createReport, type Finding, type FindingCheck, type StampSink } from './finding.ts'
import { entryHashOf, type KnownEvidence, placeIn } from './known.ts'
import { type Json, msOf, numberOf, textAt } from './read.ts'
import { stampFault } from './stamp.ts'

/** A batch whose root, commitment and leaves fit together. */
export interface SealedBatch {
  readonly applicationId: unknown
  readonly batchId: string
  /** When it says that it was sealed, ms; NaN where it says nothing of the kind. */
  readonly sealedAt: number
  readonly commitment: string
  /** Its entry of the ledger; null without one. */
  readonly sequence: number | null
  /** Whether its root is known from before. */
  readonly isKnown: boolean
  /** Position of the head of the audit log that it has; 0 for none. */
  readonly head: number
}

/** How far an audit log goes, by positions. */
export interface LogReach {
  /** 0 for an empty log. */
  readonly last: number
  /** The last entry that is known from before; 0 for none. */
  readonly lastKnown: number
  /** The last entry that a batch commits to or that is known from before; 0 for none. */
  readonly bound: number
  /** The earliest time told of an entry after that one, ms; NaN where one tells none. */
  readonly oldest: number
}

/** Batches, ledger and audit log of one place. */
export interface TailsGiven {
  readonly batches: readonly SealedBatch[]
  /** Null where no ledger is there to look into. */
  readonly entries: readonly Json[] | null
  /** Null where there is none, or one that is broken. */
  readonly log: LogReach | null
  readonly known?: KnownEvidence | null
  readonly stamps?: StampSink | null
  /** When the place was written, ISO 8601; absent where nothing says it. */
  readonly toldAt?: string
}

/** What is told within an hour of its end waits for a batch, ms. */
const mostWaitMs = 3_600_000

/** A kind of thing that can stand behind a batch. */
interface Behind {
  readonly check: FindingCheck
  /** That there is none of it, as the beginning of a sentence. */
  readonly none: string
  covers(batch: SealedBatch): boolean
  /** Last position of the audit log that it covers by itself. */
  readonly log: number
  /** Whether it covers an entry of the ledger, whatever batch that is of. */
  coversEntry(entry: Json): boolean
}

/**
 * Checks that batches are in the ledger as they say, and that the audit log goes on to the heads that they have. Notes each
 * batch, and the end of the audit log, that comes after the last ledger entry, time stamp or thing known from before which
 * would cover it.
 */
export function checkTails(given: TailsGiven): readonly Finding[] {
  const { batches, entries, log, toldAt = '' } = given
  const report = createReport('batches')
  const ledger = new Map(entries?.map((entry) => [entry.sequence, entry]))
  if (entries !== null) checkAnchored(batches, ledger, report)
  if (log) checkEnd(given, log, report)
  for (const [name, last] of endsOf(entries ?? []))
    noteKnownEnd(
      given.known,
      placeIn.ledger({ ledger: name, sequence: 0 }),
      last,
      report.on('anchors.jsonl'),
    )
  const named = new Set<unknown>(batches.map(({ sequence }) => sequence))
  for (const each of behind(given, ledger)) {
    const { check, none, covers, log: until } = each
    const note = (about: string, what: string) =>
      report.on(about).noted(check, `${none} covers ${what}: it is self-consistent, not witnessed.`)
    const absent = [...ledger.values()].filter((entry) => !named.has(entry.sequence))
    const covered = absent.filter((entry) => check !== 'anchor' && each.coversEntry(entry))
    if (covered.length > 0)
      report
        .on('anchors.jsonl')
        .noted(
          check,
          `${covered.length} entries are of batches that are not here: what those hold is not witnessed.`,
        )
    let head = until
    for (const batch of batches)
      if (covers(batch)) head = Math.max(head, batch.head)
      else note(`batch ${batch.batchId}`, 'it')
    if (!log || log.last <= head) continue
    const end = `its end, from entry ${head + 1} to ${log.last}`
    const isRecent = msOf(toldAt) - log.oldest <= mostWaitMs
    const isLast = head > 0 && log.bound === head && !isFollowed(batches, ledger, each)
    const isWaiting = isRecent && isLast
    if (isWaiting)
      report.on('audit log').noted('batch', `No batch has ${end}, yet: it is of the last hour.`)
    else note('audit log', end)
  }
  return report.all
}

/** Whether batches that are covered come after the last head: they commit to more of the log, and are not here or hide it. */
function isFollowed(
  batches: readonly SealedBatch[],
  ledger: ReadonlyMap<unknown, Json>,
  { covers, coversEntry }: Behind,
): boolean {
  const covered = batches.filter(covers)
  const lastHeads = new Map(covered.map(({ applicationId, head }) => [applicationId, head]))
  const headed = covered.filter(({ head }) => head > 0)
  const last = headed.reduce((most, { sequence }) => Math.max(most, sequence ?? 0), 0)
  const isAfter = (entry: Json) => numberOf(entry.sequence) > last && coversEntry(entry)
  return [...lastHeads.values()].includes(0) || [...ledger.values()].some(isAfter)
}

/** Checks that no batch has a head that the log does not go on to: it would not be compared, nor any entry before it. */
function checkEnd(
  { batches, known }: TailsGiven,
  { last }: LogReach,
  report: ReturnType<typeof createReport>,
): void {
  const about = report.on('audit log')
  const beyond = batches.find(({ head }) => head > last)
  if (beyond) {
    const detail = `It ends before entry ${beyond.head}, which batch ${beyond.batchId} commits to.`
    about.failed('batch', detail)
  }
  noteKnownEnd(known, placeIn.auditLog(0), last, about)
}

/**
 * Notes that a log or a ledger ends before an entry of it that is known from before, which tells no time: it may be of after
 * the pack. `first`: the place of its entry 0.
 */
function noteKnownEnd(
  known: KnownEvidence | null | undefined,
  first: string,
  last: number,
  report: ReturnType<typeof createReport>,
): void {
  const place = first.slice(0, -1)
  let held = 0
  for (const name of known?.entries.keys() ?? [])
    if (name.startsWith(place)) held = Math.max(held, Number(name.slice(place.length)) || 0)
  if (held > last)
    report.noted(
      'witness',
      `Entry ${held} of it is known from before, and it ends before: it is older, or was cut off.`,
    )
}

/** The last entry of each ledger. */
function endsOf(entries: readonly Json[]): ReadonlyMap<unknown, number> {
  const ends = new Map<unknown, number>()
  for (const { ledger, sequence } of entries)
    if (typeof ledger === 'string' && typeof sequence === 'number')
      ends.set(ledger, Math.max(ends.get(ledger) ?? 0, sequence))
  return ends
}

function checkAnchored(
  batches: readonly SealedBatch[],
  ledger: ReadonlyMap<unknown, Json>,
  report: ReturnType<typeof createReport>,
): void {
  const anchored = batches.filter(({ sequence }) => sequence !== null)
  const wrong = anchored.filter(
    ({ sequence, commitment }) => ledger.get(sequence)?.commitment !== commitment,
  )
  for (const { sequence, batchId } of wrong)
    report
      .on(`ledger entry ${sequence}`)
      .failed('batch', `Batch ${batchId} has another commitment, or the ledger has no such entry.`)
  if (wrong.length > 0 || anchored.length === 0) return
  const whole = report.on('anchors.jsonl')
  whole.verified('batch', `The commitments of ${anchored.length} batches are in the ledger.`)
  const named = new Set<unknown>(anchored.map(({ sequence }) => sequence))
  const others = [...ledger.keys()].filter((sequence) => !named.has(sequence)).length
  if (others > 0) whole.noted('batch', `${others} of its entries are of batches that are not here.`)
}

function behind(
  { log, known = null, stamps = null }: TailsGiven,
  ledger: ReadonlyMap<unknown, Json>,
): readonly Behind[] {
  const all: Behind[] = []
  if (known !== null) {
    const until = lastKnownOf(ledger, known)
    all.push({
      check: 'witness',
      none: 'Nothing that is known from before',
      covers: ({ isKnown, sequence }) => isKnown || (sequence !== null && sequence <= until),
      coversEntry: ({ sequence }) => numberOf(sequence) <= until,
      log: log?.lastKnown ?? 0,
    })
  }
  if (stamps !== null)
    all.push({
      check: 'stamp',
      none: 'No stamp of its time',
      covers: ({ sequence, sealedAt }) => isStamped(ledger.get(sequence), sealedAt),
      coversEntry: (entry) => isStamped(entry, msOf(entry.anchoredAt)),
      log: 0,
    })
  if (all.length > 0) return all
  const covers: Behind['covers'] = ({ sequence }) => sequence !== null
  return [{ check: 'anchor', none: 'No ledger entry', covers, coversEntry: () => true, log: 0 }]
}

/** The last entry of a ledger that is known from before; all up to it are by the chain. 0 for none. */
function lastKnownOf(ledger: ReadonlyMap<unknown, Json>, known: KnownEvidence): number {
  let last = 0
  for (const entry of ledger.values()) {
    const hash = entryHashOf(entry)
    const isKnown =
      known.entries.get(placeIn.ledger(entry)) === hash || known.hashes.has(hash ?? '')
    if (hash !== null && isKnown) last = Math.max(last, numberOf(entry.sequence))
  }
  return last
}

/** Whether an entry has a stamp of its time and of that of its batch. */
function isStamped(entry: Json | undefined, sealedAt: number): boolean {
  const answer = decodeBase64((entry && textAt(entry, 'timeStamp')) ?? '')
  const stamp = answer && readTimeStamp(answer)
  const times = { endedAt: sealedAt, latestAt: sealedAt }
  return stamp !== null && stampFault(stamp.stampedAt, entry?.anchoredAt, times) === null
}
