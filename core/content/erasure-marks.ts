import type { Found, Read } from '../base/ports/store.ts'
import { longest } from '../kernel/ledger/limits.ts'
import { everyRow, get, list, many, one } from '../kernel/ledger/reads.ts'
import { line, type RowsOf, stored } from '../kernel/shape.ts'
import { table } from '../kernel/table.ts'
import { orNull } from '../kernel/wrap.ts'
import { blanked } from './payload-records.ts'
import { type StoredSession, type StoredStep, sessions, steps } from './records.ts'

const id = line(longest.id)

/**
 * Data subjects whose erasure has begun. Its first commit writes the row, and from then on no reader shows anything of
 * the subject, however much of it is still stored; the row goes when nothing is.
 */
export const erasureMarks = table({
  name: 'erasureMarks',
  members: {
    tenantId: id,
    erasureRequestId: id,
    /** A pseudonym. */
    dataSubjectId: id,
    /** Null: in every application. */
    applicationId: orNull(id),
    /** Applications whose packages are still to be removed. */
    packagesOf: stored<readonly string[]>(),
  },
  key: ['tenantId', 'erasureRequestId'],
  indexes: { byApplication: ['applicationId'] },
  tenant: 'tenantId',
  purge: { application: 'applicationId' },
  retain: { work: 'erasure' },
})
/** One of `erasureMarks`. */
export interface ErasureMark extends RowsOf<typeof erasureMarks.members> {}

/**
 * The read of a tenant's marks. It belongs in the same read as the rows that are shown, or in one before: read after
 * them, it may miss an erasure that ended in between.
 */
export function marksOf(tenantId: string): Read {
  return list(erasureMarks, { where: [['tenantId', '=', tenantId]], take: everyRow })
}

/** The data subjects of a tenant whose erasure is at work. */
export interface Erasing {
  /** There is one. */
  readonly any: boolean
  /** Whether this subject's data in this application is being erased; null is nobody. */
  has(applicationId: string, dataSubjectId: string | null): boolean
  /** Whether a package that has data of these applications is being removed. */
  endsPackage(applicationIds: readonly string[]): boolean
}

/** The marks that `marksOf` found. */
export function erasingIn(found: Found | undefined): Erasing {
  const marks = many(erasureMarks, found).map(({ row }) => row)
  return {
    any: marks.length > 0,
    has: (applicationId, dataSubjectId) =>
      marks.some(
        (mark) =>
          mark.dataSubjectId === dataSubjectId &&
          (mark.applicationId === null || mark.applicationId === applicationId),
      ),
    endsPackage: (applicationIds) =>
      marks.some(({ packagesOf }) => packagesOf.some((each) => applicationIds.includes(each))),
  }
}

type Owner = Pick<StoredSession, 'applicationId' | 'dataSubjectId'>

/**
 * A step as it is shown: in a session whose subject is being erased without what a step that names nobody holds under
 * another key than the subject's. Content under the subject's own key is readable only if it came later.
 */
export function shownStep(erasing: Erasing, session: Owner, step: StoredStep): StoredStep {
  const { applicationId, dataSubjectId } = session
  if (step.dataSubjectId !== null || !erasing.has(applicationId, dataSubjectId)) return step
  const payloads = step.payloads.map((each) =>
    each.subject === dataSubjectId ? each : blanked(each),
  )
  const isEmpty = payloads.every(({ length }) => length === 0)
  const payloadStatus = step.payloadStatus === 'readable' && isEmpty ? 'erased' : step.payloadStatus
  return { ...step, payloads, payloadStatus }
}

/**
 * A session as it is shown, by whom its steps name: without its own content under another key than its subject's, and
 * without a submission's text where anybody in it is being erased.
 */
export function shownSession(
  erasing: Erasing,
  session: StoredSession,
  named: readonly Pick<StoredStep, 'dataSubjectId'>[],
): StoredSession {
  if (!erasing.any) return session
  const { applicationId, dataSubjectId } = session
  const isOwn = erasing.has(applicationId, dataSubjectId)
  const isAnyones = isOwn || named.some((step) => erasing.has(applicationId, step.dataSubjectId))
  const payloads = session.payloads.map((each) => {
    const isHidden = each.field === 'submission' ? isAnyones : isOwn
    return isHidden && each.subject !== dataSubjectId ? blanked(each) : each
  })
  return { ...session, payloads }
}

/** Where a text belongs: to the person that it names, or to whom its step, else its session, is of. */
export interface TextPlace {
  readonly tenantId: string
  readonly applicationId: string
  readonly sessionId: string
  readonly stepId?: string | null
  /** A pseudonym. */
  readonly dataSubjectId?: string | null
}

type TextReader = { read(reads: readonly Read[]): Promise<readonly Found[]> }

/** Which of these texts, read together with the marks, are about somebody who is being erased. */
export async function hiddenTexts<T extends TextPlace>(
  reader: TextReader,
  erasing: Erasing,
  texts: readonly T[],
): Promise<ReadonlySet<T>> {
  if (!erasing.any || texts.length === 0) return new Set()
  const subjects = await subjectsOf(reader, texts)
  return new Set(
    texts.filter(({ applicationId }, at) => erasing.has(applicationId, subjects[at] ?? null)),
  )
}

/** The pseudonym of whom a text is about; null where nobody is known. */
export async function subjectOfText(reader: TextReader, text: TextPlace): Promise<string | null> {
  const [subject = null] = await subjectsOf(reader, [text])
  return subject
}

async function subjectsOf(
  reader: TextReader,
  texts: readonly TextPlace[],
): Promise<readonly (string | null)[]> {
  // A span's step has no scope, a submitted one that of its session.
  const found = await reader.read(
    texts.flatMap(({ tenantId, applicationId, sessionId, stepId }) => [
      get(sessions, [tenantId, applicationId, sessionId]),
      get(steps, [tenantId, applicationId, '', stepId ?? '']),
      get(steps, [tenantId, applicationId, sessionId, stepId ?? '']),
    ]),
  )
  return texts.map(({ sessionId, dataSubjectId }, at) => {
    const session = one(sessions, found[3 * at])?.row
    const step = [found[3 * at + 1], found[3 * at + 2]]
      .map((each) => one(steps, each)?.row)
      .find((row) => row?.sessionId === sessionId)
    return dataSubjectId ?? step?.dataSubjectId ?? session?.dataSubjectId ?? null
  })
}

/** A reader that reads the tenant's marks with each read; `erasing` answers those of the last read. */
export function markedReader(
  read: (reads: readonly Read[]) => Promise<readonly Found[]>,
  tenantId: string,
): {
  read(reads: readonly Read[]): Promise<readonly Found[]>
  erasing(): Erasing
} {
  let erasing = erasingIn(undefined)
  return {
    async read(reads) {
      const [found, ...rest] = await read([marksOf(tenantId), ...reads])
      erasing = erasingIn(found)
      return rest
    },
    erasing: () => erasing,
  }
}
