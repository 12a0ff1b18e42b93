import type { Versioned } from '../../base/ports/store.ts'
import { ofSession, type SessionKey } from '../../content/records.ts'
import type { UnitOfWork } from '../../kernel/ledger/ledger.ts'
import { list, many } from '../../kernel/ledger/reads.ts'
import { casesNaming, type ReviewCase, reviewCases } from '../../review/records.ts'
import type { SubjectScope } from './subjects.ts'
import { type SessionShare, theirCases } from './their-steps.ts'

/** Cases of a session that one read brings. */
const casesAtOnce = 100
/** Open cases that one read brings: each may hold megabytes. */
const openAtOnce = 20

/** The first open cases of a subject's share of a session. */
export async function openCases(
  unit: UnitOfWork,
  share: SessionShare,
): Promise<readonly Versioned<ReviewCase>[]> {
  const where = [...ofSession(share), ['state', '=', 'open'] as const]
  for (let skip = 0; ; skip += openAtOnce) {
    const [found] = await unit.read([
      list(reviewCases, { by: 'byCheckpoint', where, skip, take: openAtOnce }),
    ])
    const page = many(reviewCases, found)
    const open = await theirCases(unit, share, page)
    if (open.length > 0 || page.length < openAtOnce) return open
  }
}

/** The first open cases whose openings named a subject, wherever they are. */
export async function openCasesNaming(
  unit: UnitOfWork,
  scope: SubjectScope,
): Promise<readonly Versioned<ReviewCase>[]> {
  const { by, where } = casesNaming(scope)
  const [found] = await unit.read([
    list(reviewCases, { by, where: [...where, ['state', '=', 'open']], take: openAtOnce }),
  ])
  return many(reviewCases, found)
}

/** Whether a case is open, or its outcome still being sent. */
export function isUnderWay({ state, callback }: ReviewCase): boolean {
  return state === 'open' || callback.state === 'pending'
}

/** Whether any case of a session is under way. */
export async function hasCaseUnderWay(unit: UnitOfWork, session: SessionKey): Promise<boolean> {
  const where = ofSession(session)
  for (let skip = 0; ; skip += casesAtOnce) {
    const [found] = await unit.read([
      list(reviewCases, { by: 'byCheckpoint', where, skip, take: casesAtOnce }),
    ])
    const page = many(reviewCases, found)
    if (page.some(({ row }) => isUnderWay(row))) return true
    if (page.length < casesAtOnce) return false
  }
}
