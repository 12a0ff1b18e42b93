import type { ChangeSet } from '../../base/ports/store.ts'
import type { UnitOfWork } from '../../kernel/ledger/ledger.ts'
import { everyRow, list, many, one, removalsOf } from '../../kernel/ledger/reads.ts'
import { callbackReads, callbackRemovals } from '../../review/erase-case.ts'
import { type Changes, changesOf } from '../../review/execution/change-set.ts'
import { contextOf, sceneOf } from '../../review/execution/scene.ts'
import { decide } from '../../review/machine/machine.ts'
import { caseOf, reviewCases } from '../../review/records.ts'
import type { ErasureDeps } from './deps.ts'
import { outcomesMs } from './machine.ts'
import { type ErasureRequest, owedOutcomes } from './records.ts'

/** Outcomes that one run looks at. */
const piece = 20

/** A bounded piece of the outcomes of an erasure's cases that were still being sent. */
export interface OutcomePiece {
  readonly set: Omit<ChangeSet, 'tenant'>
  /** Some are not sent yet. */
  readonly isOwed: boolean
  /** Others were not looked at. */
  readonly isLeft: boolean
}

/**
 * Removes outcomes whose sending has ended, since each holds a resume token and a response. After `outcomesMs` the
 * unsent ones are given up, as their cases then show, and removed too.
 */
export async function endOutcomes(
  deps: ErasureDeps,
  unit: UnitOfWork,
  { erasureRequestId, begunAt }: ErasureRequest,
): Promise<OutcomePiece> {
  const where = [['erasureRequestId', '=', erasureRequestId]] as const
  const [found] = await unit.read([list(owedOutcomes, { where, take: everyRow })])
  const all = many(owedOutcomes, found)
  const isOver = unit.now >= (begunAt ?? unit.now) + outcomesMs
  const removes: NonNullable<ChangeSet['removes']>[number][] = []
  const givenUp: Changes[] = []
  let ended = 0
  for (const owed of all) {
    if (ended === piece || givenUp.length > 0) break
    const [foundCase, ...callback] = await unit.read([
      caseOf(owed.row.reviewCaseId),
      ...callbackReads(owed.row),
    ])
    const was = one(reviewCases, foundCase)
    if (was?.row.callback.state === 'pending') {
      if (!isOver) continue
      const scene = await sceneOf(unit, was.row.tenantId, was.row.applicationId)
      const command = { type: 'callback_settled', outcome: 'given_up', attempts: 0 } as const
      const decided = decide(was.row, command, contextOf({ kind: 'system' }, scene))
      if (decided.kind === 'moved')
        givenUp.push(changesOf(deps, scene, was, decided, { kind: 'system' }))
    }
    ended++
    removes.push(...removalsOf(owedOutcomes, [owed]), ...callbackRemovals(owed.row, callback))
  }
  return {
    set: {
      checks: givenUp.flatMap(({ checks }) => checks),
      puts: givenUp.flatMap(({ puts }) => puts),
      appends: givenUp.flatMap(({ appends }) => appends),
      removes,
    },
    isLeft: ended > 0 && ended < all.length,
    isOwed: ended < all.length,
  }
}
