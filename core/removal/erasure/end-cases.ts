import { outcomeType } from '../../base/events/outcome.ts'
import type { ChangeSet, Put, Versioned } from '../../base/ports/store.ts'
import { ofSession } from '../../content/records.ts'
import type { UnitOfWork } from '../../kernel/ledger/ledger.ts'
import { list, put } from '../../kernel/ledger/reads.ts'
import { type Message, messages } from '../../outbox/records.ts'
import { callbackIdOf } from '../../review/callback/callback-id.ts'
import { withoutContent } from '../../review/erase-case.ts'
import { type CaseParts, withDeliveries } from '../../review/execution/change-set.ts'
import { type Scene, sceneOf } from '../../review/execution/scene.ts'
import { underOwnKey } from '../../review/outcome-keys.ts'
import { cancellationParts } from '../../review/policy-case.ts'
import { type ReviewCase, reviewCases } from '../../review/records.ts'
import type { ErasureDeps } from './deps.ts'
import { owedOutcomes } from './records.ts'
import type { SessionShare } from './their-steps.ts'
import { openCases } from './under-way.ts'

/** Cases that are cancelled, and how many. */
export interface EndedCases {
  readonly set: Required<Pick<ChangeSet, 'checks' | 'puts' | 'appends'>>
  readonly count: number
}

/** The note of an outcome that is still being sent when the content of its case goes; `review` has that content. */
export function owedOutcome(erasureRequestId: string, review: ReviewCase): readonly Put[] {
  if (review.callback.state !== 'pending') return []
  const { tenantId, applicationId, reviewCaseId } = review
  const row = {
    tenantId,
    applicationId,
    erasureRequestId,
    reviewCaseId,
    callbackId: callbackIdOf(review),
  }
  return [put(owedOutcomes, row, null)]
}

/** The puts of a case that ends: without its content, and its outcome under a key of its own. */
function withoutTexts(
  deps: ErasureDeps,
  erasureRequestId: string,
  was: Versioned<ReviewCase>,
  each: Put,
): readonly Put[] {
  if (each.in === reviewCases.name) {
    const review = each.row as ReviewCase
    return [put(reviewCases, withoutContent(review), was), ...owedOutcome(erasureRequestId, review)]
  }
  const message = each.in === messages.name ? (each.row as Message) : null
  if (message?.type !== outcomeType) return [each]
  const own = underOwnKey(deps, message, was.row)
  return [{ ...each, row: own.message }, own.put]
}

/**
 * Cancels the open cases of shares of sessions, and those of `named` besides, a bounded number in one commit, and takes
 * their content with it; null where none is open.
 */
export async function endCases(
  deps: ErasureDeps,
  unit: UnitOfWork,
  erasureRequestId: string,
  shares: readonly SessionShare[],
  named: readonly Versioned<ReviewCase>[] = [],
): Promise<EndedCases | null> {
  const all = new Map(named.map((was) => [was.row.reviewCaseId, was]))
  const counts = await unit.read(
    shares.map((share) => {
      const where = [...ofSession(share), ['state', '=', 'open'] as const]
      return list(reviewCases, { by: 'byCheckpoint', where, take: 0, count: true })
    }),
  )
  for (const [at, share] of shares.entries()) {
    if (all.size >= most) break
    if (counts[at]?.total === 0) continue
    for (const was of await openCases(unit, share)) all.set(was.row.reviewCaseId, was)
  }
  const open = [...all.values()]
  if (open.length === 0) return null
  const scenes = new Map<string, Scene>()
  const parts: CaseParts[] = []
  for (const was of open) {
    const { tenantId, applicationId } = was.row
    const scene = scenes.get(applicationId) ?? (await sceneOf(unit, tenantId, applicationId))
    scenes.set(applicationId, scene)
    const ended = cancellationParts(deps, scene, was, 'checkpoint_unavailable')
    if (!ended) continue
    const puts = ended.puts.flatMap((each) => withoutTexts(deps, erasureRequestId, was, each))
    parts.push({ ...ended, puts })
  }
  const [scene] = scenes.values()
  const [first] = open
  if (!scene || !first || parts.length === 0) return null
  const merged: CaseParts = {
    puts: parts.flatMap(({ puts }) => puts),
    checks: parts.flatMap(({ checks }) => checks),
    appends: parts.flatMap(({ appends }) => appends),
    events: parts.flatMap(({ events }) => events),
  }
  return { set: withDeliveries(deps, scene, first.row.tenantId, merged), count: parts.length }
}

/** Cases of one commit, and those of a last share besides. */
const most = 20
