import {
  applicationOf,
  type BatchCheck,
  type CaseEvents,
  type CaseLinesGiven,
  checkAuditLog,
  checkBatches,
  checkCaseEvents,
  checkCaseLines,
  checkKeyEntries,
  checkSessionLines,
  checkTails,
  createHeads,
  type Finding,
  isAtHome,
  type ListCheck,
  type LogCheck,
  type SharedRows,
  type TailsGiven,
} from '@countersign/core/evidence'
import { csvCheck } from './csv-lines.ts'
import { isObject, type Json } from './json.ts'
import type { LinesCheck } from './lines.ts'
import { decoded, formFault, strictDecoder } from './text.ts'

type Entry = NonNullable<TailsGiven['entries']>[number]

/** Longest line that is read: a batch has some 1,000 leaves at most. */
const lineLimit = 16 * 2 ** 20

/** Lists of a pack, checked each by itself and against each other. */
export interface PackLists {
  /** Null for a member that is no such list. */
  checkOf(path: string): LinesCheck | null
  /** The last line of the audit log so far; null where there is none. */
  lastEntry(): unknown
  /**
   * Whether batches are in the ledger as they say, and what of batches and log nothing covers; `anchors` is the text of the
   * ledger's lines, null where it is not there.
   */
  checkTails(anchors: string | null): readonly Finding[]
}

/** What the lists of a pack are checked with. */
export interface ListsGiven extends CaseLinesGiven {
  readonly toldAt: string
  /** Whose pack it is, as its manifest says. */
  readonly tenantId: unknown
  /** Takes the rows that other members show, too. */
  readonly rows: SharedRows
}

export function packLists(given: ListsGiven): PackLists {
  const { rows, tenantId } = given
  const batches: BatchCheck[] = []
  const events = new Map<unknown, CaseEvents>()
  const eventsOf = (applicationId: unknown) => {
    const check = events.get(applicationId) ?? checkCaseEvents(given.toldAt)
    events.set(applicationId, check)
    return check
  }
  const heads = createHeads()
  let log: LogCheck | null = null
  let lastEntry: unknown = null
  const keyEntries = checkKeyEntries(given.reviewers ?? null, given.toldAt)
  return {
    lastEntry: () => lastEntry,
    checkOf(path) {
      if (path === 'audit-log.jsonl') {
        const check = checkAuditLog(given.known, heads)
        log = check
        const add = (entry: unknown) => {
          lastEntry = entry
          keyEntries.take(entry)
          check.add(entry)
        }
        return linesCheck({ ...check, add })
      }
      const applicationId = applicationOf(path)
      if (applicationId === null) return null
      const name = path.slice(`applications/${applicationId}/`.length)
      if (name === 'review-cases.jsonl') {
        const check = checkCaseLines(given)
        const take = (review: Json) => {
          rows.review(review)
          eventsOf(applicationId).expect(review)
        }
        return linesCheck(shared(check, { path, tenantId, take }))
      }
      if (name === 'review-events.jsonl') return linesCheck(eventsOf(applicationId))
      if (name === 'sessions.csv') return csvCheck(checkSessionLines(applicationId, rows))
      if (name !== 'batches.jsonl') return null
      const check = checkBatches(given.known, heads)
      batches.push(check)
      return linesCheck(shared(check, { path, tenantId, take: rows.batch }))
    },
    checkTails(anchors) {
      const reach = log?.reach() ?? null
      const missing = log ? keyEntries.findings() : []
      if (batches.length === 0 && reach === null) return missing
      const { known, stamps } = given
      const tails = checkTails({
        batches: batches.flatMap(({ sealed }) => sealed),
        entries: entriesOf(anchors ?? ''),
        log: reach,
        toldAt: given.toldAt,
        ...(known ? { known } : {}),
        ...(stamps ? { stamps } : {}),
      })
      return [...tails, ...missing]
    },
  }
}

/** A check of items that other members show too, each of the organization and application of its path. */
function shared(
  check: ListCheck,
  {
    path,
    tenantId,
    take,
  }: {
    readonly path: string
    readonly tenantId: unknown
    readonly take: (item: Json) => void
  },
): ListCheck {
  const strangers: Finding[] = []
  return {
    get findings() {
      return [...check.findings, ...strangers]
    },
    add(item) {
      check.add(item)
      if (!isObject(item)) return
      take(item)
      if (applicationOf(path) !== null && !isAtHome(item, path, tenantId))
        strangers.push({
          result: 'failed',
          check: 'form',
          about: 'list',
          detail: 'It has an item of another organization or application.',
        })
    },
    end: () => check.end(),
  }
}

function linesCheck(check: ListCheck): LinesCheck {
  const decoder = strictDecoder()
  const malformed: Finding[] = []
  let held = ''
  let number = 0

  function line(text: string): void {
    number++
    if (text === '' || malformed.length > 0) return
    const { document: item, fault } = readLine(text)
    if (fault === null) check.add(item)
    else malformed.push(wrong(number, fault))
  }

  function take(text: string): void {
    const all = (held + text).split('\n')
    held = all.pop() ?? ''
    for (const each of all) line(each)
    if (held.length > lineLimit) malformed.push(wrong(number + 1, 'It is longer than any entry.'))
  }

  return {
    take(piece) {
      if (malformed.length > 0) return
      const text = decoded(decoder, piece)
      if (text === null) malformed.push(wrong(number + 1, 'It is no UTF-8.'))
      else take(text)
    },
    end() {
      if (malformed.length === 0 && held !== '') line(held)
      if (malformed.length > 0) return malformed
      check.end()
      return check.findings
    },
  }
}

/** The value of a line, and what is wrong with its text; null for nothing. */
function readLine(text: string): { readonly document?: unknown; readonly fault: string | null } {
  try {
    const document: unknown = JSON.parse(text)
    return { document, fault: formFault(text) }
  } catch {
    return { fault: 'It is no JSON.' }
  }
}

function wrong(line: number, detail: string): Finding {
  return { result: 'failed', check: 'form', about: `line ${line}`, detail }
}

/** Entries of a ledger, of its lines; what is none is told by the ledger's own check. */
function entriesOf(anchors: string): readonly Entry[] {
  return anchors.split('\n').flatMap((line) => {
    try {
      const entry: unknown = JSON.parse(line)
      return isObject(entry) ? [entry] : []
    } catch {
      return []
    }
  })
}
