import type { Versioned } from '../../base/ports/store.ts'
import type { UnitOfWork } from '../../kernel/ledger/ledger.ts'
import { holdOn, holdReads } from './hold-board.ts'
import type { Block } from './machine.ts'
import type { ErasureRequest, HoldBoard } from './records.ts'
import { isRehoming } from './rehoming.ts'
import { isHeldWithOthers } from './shared-content.ts'
import { type SessionWith, sessionsWith } from './subjects.ts'

/** Whether an erasure may begin, and what it then relies on. */
export type Readiness =
  | { readonly blockedBy: Extract<Block, 'hold' | 'move'> }
  | {
      readonly blockedBy: null
      readonly board: Versioned<HoldBoard> | null
      readonly sessions: readonly SessionWith[]
    }

/**
 * What keeps an erasure from its first commit: a hold on the subject, or on somebody whose content is also theirs; and,
 * for seconds, a session of theirs that is moving to another, whose rows the erasure might pass over.
 */
export async function readiness(unit: UnitOfWork, request: ErasureRequest): Promise<Readiness> {
  const { held, board } = holdOn(await unit.read(holdReads(request)), request)
  if (held) return { blockedBy: 'hold' }
  const sessions = await sessionsWith(unit, request)
  if (await isHeldWithOthers(unit, request, sessions)) return { blockedBy: 'hold' }
  if (await isRehoming(unit, sessions)) return { blockedBy: 'move' }
  return { blockedBy: null, board, sessions }
}
