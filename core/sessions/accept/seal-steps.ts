import type { Slices } from '../../base/json/in-slices.ts'
import type { StoredSession, StoredStep } from '../../content/records.ts'
import { type SubjectName, sessionSubject } from '../../content/vault/pseudonym.ts'
import type { BundleWriter } from '../payloads.ts'
import { type IncomingStep, stepEffort } from './incoming.ts'
import type { JudgedStep } from './stored-step.ts'

/** Seals the contents of steps into the bundle; answers what their rows name of it. */
export function* sealSteps(
  rows: readonly StoredStep[],
  judged: readonly JudgedStep[],
  ownSubject: string,
  bundle: BundleWriter,
  slices: Slices,
): Generator<undefined, readonly Pick<StoredStep, 'payloads' | 'subject'>[]> {
  const sealed: Pick<StoredStep, 'payloads' | 'subject'>[] = []
  for (const [at, row] of rows.entries()) {
    const { incoming, contents } = judged[at] as JudgedStep
    if (slices.spend(stepEffort + incoming.size)) yield
    const subject = row.dataSubjectId ?? ownSubject
    const { input, output, attributes } = contents
    const payloads = bundle.add(subject, row.stepId, { input, output, attributes })
    sealed.push({ payloads, subject: payloads.length > 0 ? subject : row.dataSubjectId })
  }
  return sealed
}

/** Everyone whose key may seal a content of these steps. */
export function subjectsOf(
  fresh: readonly IncomingStep[],
  session: StoredSession,
  sessionId: string,
): ReadonlyMap<string, SubjectName> {
  const own = sessionSubject(sessionId)
  const { dataSubjectId } = session
  const subjects = new Map<string, SubjectName>()
  if (dataSubjectId === null) subjects.set(own.subjectId, own)
  else subjects.set(dataSubjectId, { subjectId: dataSubjectId, rawId: null })
  for (const { subject } of fresh)
    if (subject && !subjects.get(subject.subjectId)?.rawId) subjects.set(subject.subjectId, subject)
  return subjects
}
