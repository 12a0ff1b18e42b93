import { decodeBase64 } from '../../proof/signing/encoding.ts'
import { readTimeStamp } from '../../proof/time-stamp.ts'
import { createReport, type Finding, type FindingCheck, type StampSink } from './finding.ts'
import { entryHashOf, type KnownEvidence, placeIn } from './known.ts'
import { type Json, textAt } from './read.ts'
import { stampFault } from './stamp.ts'

/** A batch whose root, commitment and leaves fit together. */
export interface SealedBatch {
  readonly batchId: string
  /** When it says that it was sealed, ms; NaN where it says nothing of the kind. */
  readonly sealedAt: number
  readonly commitment: string
  /** Its entry of the ledger; null where none is told. */
  readonly sequence: number | null
  /** Whether its root is known from before. */
  readonly isKnown: boolean
  /** Position of the head of the audit log that it has; 0 for none. */
  readonly head: number
}

/** How far an audit log goes, by positions. */
export interface LogReach {
  readonly last: number
  /** The last entry that is known from before; 0 for none. */
  readonly lastKnown: number
}

/** What is told of batches, ledger and audit log in one place. */
export interface TailsGiven {
  readonly batches: readonly SealedBatch[]
  /** Null where no ledger is there to look into. */
  readonly entries: readonly Json[] | null
  /** Null where there is none. */
  readonly log: LogReach | null
  readonly known?: KnownEvidence | null
  readonly stamps?: StampSink | null
}

/** Something that can stand behind a batch, and what it does not reach. */
interface Behind {
  readonly check: FindingCheck
  /** The same as a noun, with which a sentence begins. */
  readonly none: string
  /** What a batch lacks, as a clause; null where it is covered. */
  lacks(batch: SealedBatch): string | null
  /** Last position of the audit log that it knows by itself. */
  readonly log: number
}

const alone = 'it is self-consistent, not witnessed'

/**
 * Checks that batches are in the ledger as they say. Notes each batch, and the end of the audit log, that comes after the
 * last ledger entry, time stamp or thing known from before which would cover it.
 */
export function checkTails(given: TailsGiven): readonly Finding[] {
  const { batches, entries, log } = given
  const report = createReport('batches')
  const ledger = new Map(entries?.map((entry) => [entry.sequence, entry]))
  if (entries !== null) checkAnchored(batches, ledger, report)
  for (const { check, none, lacks, log: until } of behind(given, ledger)) {
    let head = until
    for (const batch of batches) {
      const lack = lacks(batch)
      if (lack === null) head = Math.max(head, batch.head)
      else report.on(`batch ${batch.batchId}`).noted(check, `${lack}: ${alone}.`)
    }
    if (log && log.last > head)
      report
        .on('audit log')
        .noted(check, `${none} covers its end, from entry ${head + 1} to ${log.last}: ${alone}.`)
  }
  return report.all
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
      .failed(
        'batch',
        `Batch ${batchId} says that its commitment is here, and the ledger has another or none.`,
      )
  if (wrong.length > 0 || anchored.length === 0) return
  report
    .on('anchors.jsonl')
    .verified('batch', `The commitments of ${anchored.length} batches are in the ledger.`)
  const told = new Set(anchored.map(({ sequence }) => sequence))
  const others = [...ledger.keys()].filter((sequence) => !told.has(Number(sequence))).length
  if (others > 0)
    report
      .on('anchors.jsonl')
      .noted('batch', `${others} of its entries are of batches that are not here.`)
}

function behind(
  { log, known = null, stamps = null }: TailsGiven,
  ledger: ReadonlyMap<unknown, Json>,
): readonly Behind[] {
  const unanchored = 'Its root is in no ledger entry'
  const anchored: Behind = {
    check: 'anchor',
    none: 'No head in the ledger',
    log: 0,
    lacks: ({ sequence }) => (sequence === null ? unanchored : null),
  }
  const all: Behind[] = []
  if (known !== null) {
    const until = lastKnownOf(ledger, known)
    all.push({
      check: 'witness',
      none: 'Nothing that is known from before',
      log: log?.lastKnown ?? 0,
      lacks: ({ isKnown, sequence }) =>
        isKnown || (sequence !== null && sequence <= until)
          ? null
          : 'It is after what is known from before',
    })
  }
  if (stamps !== null)
    all.push({
      check: 'stamp',
      none: 'No head that was stamped at its time',
      log: 0,
      lacks: ({ sequence, sealedAt }) =>
        sequence === null ? unanchored : stampLack(ledger.get(sequence), sealedAt),
    })
  return all.length > 0 ? all : [anchored]
}

/** The last entry of a ledger that is known from before; all up to it are by the chain. 0 for none. */
function lastKnownOf(ledger: ReadonlyMap<unknown, Json>, known: KnownEvidence): number {
  let last = 0
  for (const entry of ledger.values()) {
    const hash = entryHashOf(entry)
    const isKnown =
      known.entries.get(placeIn.ledger(entry)) === hash || known.hashes.has(hash ?? '')
    if (hash !== null && isKnown) last = Math.max(last, Number(entry.sequence))
  }
  return last
}

function stampLack(entry: Json | undefined, sealedAt: number): string | null {
  if (entry === undefined) return 'Its ledger entry is not shown here'
  const text = textAt(entry, 'timeStamp')
  if (text === null) return `Its ledger entry ${String(entry.sequence)} has no time stamp`
  const stamp = readTimeStamp(decodeBase64(text) ?? new Uint8Array())
  const fault =
    stamp &&
    stampFault(stamp.stampedAt, entry.anchoredAt, { endedAt: sealedAt, latestAt: sealedAt })
  return stamp && fault === null
    ? null
    : `Its ledger entry ${String(entry.sequence)} was not stamped at its time`
}
