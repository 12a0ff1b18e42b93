import type { ChangeSet } from '../../base/ports/store.ts'
import { ofSession, sessions } from '../../content/records.ts'
import { type SessionAlias, sessionAliases } from '../../content/trace-records.ts'
import { sessionSubject, submissionSubject } from '../../content/vault/pseudonym.ts'
import { type ErasedSubject, erasedSubjects, subjectKeys } from '../../content/vault/records.ts'
import { keyOfSubject } from '../../content/vault/subject-key.ts'
import type { UnitOfWork } from '../../kernel/ledger/ledger.ts'
import { get, inTurn, list, many, one, put, removalsOf } from '../../kernel/ledger/reads.ts'
import type { SessionShare } from './their-steps.ts'

/** Aliases of a session whose keys are looked for together; those of further ones go with the session's rows. */
const aliasesAtOnce = 100

type Changes = Required<Pick<ChangeSet, 'puts' | 'removes'>>
type SubjectOf = Pick<ErasedSubject, 'tenantId' | 'applicationId' | 'subjectId'>

/** Removes the keys of subjects, where they have one, and marks these as erased. */
export async function destroyKeys(
  unit: UnitOfWork,
  subjects: readonly SubjectOf[],
): Promise<Changes> {
  const keys = subjects.map((each) => keyOfSubject(each, each.subjectId))
  const found = await unit.read(
    keys.flatMap((key) => [get(subjectKeys, key), get(erasedSubjects, key)]),
  )
  const ofNext = inTurn(found)
  const present = keys.flatMap(() => {
    const [foundKey, foundMark] = ofNext(2)
    const key = one(subjectKeys, foundKey)
    return key ? { key, mark: one(erasedSubjects, foundMark) } : []
  })
  return {
    removes: removalsOf(
      subjectKeys,
      present.map(({ key }) => key),
    ),
    puts: present.map(({ key, mark }) => {
      const { tenantId, applicationId, subjectId } = key.row
      const erased = { tenantId, applicationId, subjectId, erasedAt: unit.now }
      return put(erasedSubjects, erased, mark)
    }),
  }
}

/** The vault's subjects of sessions that were dissolved in others, of these aliases. */
export async function dissolvedOf(
  unit: UnitOfWork,
  aliases: readonly SessionAlias[],
): Promise<readonly SubjectOf[]> {
  // The steps of one that is still there come after the erasure.
  const targets = await unit.read(
    aliases.map(({ tenantId, applicationId, alias }) =>
      get(sessions, [tenantId, applicationId, alias]),
    ),
  )
  return aliases
    .filter((_, at) => !one(sessions, targets[at]))
    .map((row) => ({ ...row, ...sessionSubject(row.alias) }))
}

/**
 * The vault's subjects beside the data subject under whose keys their content lies: of their own sessions, of sessions
 * that were dissolved in these, and of the texts of submissions that name them. `back` are applications in which they
 * have a key again: a submission's text there may have come with later content, which the rows tell.
 */
export async function keysBeside(
  unit: UnitOfWork,
  shares: readonly SessionShare[],
  back: ReadonlySet<string>,
): Promise<readonly SubjectOf[]> {
  const own = shares.filter((share) => share.own)
  const found = await unit.read(
    own.map((share) =>
      list(sessionAliases, { by: 'bySession', where: ofSession(share), take: aliasesAtOnce }),
    ),
  )
  const aliases = found.flatMap((each) => many(sessionAliases, each).map(({ row }) => row))
  const texts = shares.filter(({ applicationId }) => !back.has(applicationId))
  return [
    ...own.map((share) => ({ ...share, ...sessionSubject(share.sessionId) })),
    ...(await dissolvedOf(unit, aliases)),
    ...texts.map((share) => ({ ...share, ...submissionSubject(share.sessionId) })),
  ]
}
