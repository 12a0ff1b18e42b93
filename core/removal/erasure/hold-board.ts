import type { Check, Found, Put, Read, Versioned, Where } from '../../base/ports/store.ts'
import { type Reader, rowsOf } from '../../kernel/ledger/pages.ts'
import { get, list, one, put } from '../../kernel/ledger/reads.ts'
import { type HoldBoard, holdBoards, type LegalHold, legalHolds } from './records.ts'
import type { SubjectScope } from './subjects.ts'

/** A tenant's `holdBoards` row, and the check that conflicts with every hold placed or released after this read. */
interface BoardRead {
  readonly board: Versioned<HoldBoard> | null
  readonly check: Check
}

/** Reads a tenant's board. Must precede the read of its holds, so that a hold placed in between conflicts. */
export async function readBoard(reader: Reader, tenantId: string): Promise<BoardRead> {
  const [found] = await reader.read([get(holdBoards, [tenantId])])
  return boardIn(found, tenantId)
}

function boardIn(found: Found | undefined, tenantId: string): BoardRead {
  const board = one(holdBoards, found)
  return {
    board,
    check: { in: holdBoards.name, key: [tenantId], version: board?.version ?? 0 },
  }
}

/** The reads whose answers `holdOn` takes. `applicationId` null: holds of the subject in any application. */
export function holdReads({
  tenantId,
  dataSubjectId,
  applicationId,
}: SubjectScope): readonly Read[] {
  const ofSubject = activeOf(tenantId, dataSubjectId)
  const covering: readonly Where[] =
    applicationId === null
      ? [ofSubject]
      : [null, applicationId].map((held) => [...ofSubject, ['applicationId', '=', held]])
  return [
    get(holdBoards, [tenantId]),
    ...covering.map((where) => list(legalHolds, { by: 'bySubject', where, take: 1 })),
  ]
}

/** Counts the active holds of a subject, in any application. */
export function holdsOfSubject(tenantId: string, dataSubjectId: string): Read {
  const where = activeOf(tenantId, dataSubjectId)
  return list(legalHolds, { by: 'bySubject', where, take: 0, count: true })
}

function activeOf(tenantId: string, dataSubjectId: string): Where {
  return [
    ['tenantId', '=', tenantId],
    ['dataSubjectId', '=', dataSubjectId],
    ['active', '=', 1],
  ]
}

/** Whether a hold covers what was asked for, with the board and the check that make a decision on it conflict. */
export function holdOn(
  [board, ...covering]: readonly (Found | undefined)[],
  { tenantId }: Pick<SubjectScope, 'tenantId'>,
): BoardRead & { readonly held: boolean } {
  const held = covering.some((found) => one(legalHolds, found) !== null)
  return { held, ...boardIn(board, tenantId) }
}

/** The active holds of a tenant. A decision that relies on the absence of one reads the board before (`readBoard`). */
export function activeHolds(
  reader: Reader,
  tenantId: string,
): AsyncGenerator<LegalHold, void, undefined> {
  const where: Where = [
    ['tenantId', '=', tenantId],
    ['active', '=', 1],
  ]
  return rowsOf(reader, legalHolds, { by: 'byActive', where })
}

/** The tenant's board with one change more. */
export function changedBoard(tenantId: string, was: Versioned<HoldBoard> | null): HoldBoard {
  return { tenantId, changes: (was?.row.changes ?? 0) + 1 }
}

/** The put of the tenant's board with one change more. */
export function boardPut(tenantId: string, was: Versioned<HoldBoard> | null): Put {
  return put(holdBoards, changedBoard(tenantId, was), was)
}
