import type { MemberActor } from '../../kernel/callers/actor.ts'
import { get, one, put } from '../../kernel/ledger/reads.ts'
import type { Unit } from '../../kernel/unit.ts'
import { replay } from '../../outbox/machine.ts'
import { deliveries } from '../../outbox/records.ts'
import type { ReviewHost } from '../deps.ts'
import type { FoundCase } from '../execution/find-case.ts'
import type { Scene } from '../execution/scene.ts'
import type { CaseCommand } from '../machine/command.ts'
import { isReplayable } from '../machine/transitions.ts'
import type { ReviewCase } from '../records.ts'
import { callbackIdOf } from './callback-id.ts'
import { oweOutcome } from './owe-outcome.ts'

type ReplayUnit = Unit<
  MemberActor,
  'invalid_transition' | 'callback_not_configured' | 'callback_gone',
  ReviewHost
>

/** Row 12: the next round of the same callback, or its first one, to the application's current URL. */
export async function prepareReplay(
  unit: ReplayUnit,
  { was: { row: review }, isErased }: FoundCase,
  { application }: Scene,
): Promise<CaseCommand> {
  const command = { type: 'replay_callback' } as const
  // The machine refuses these.
  if (review.state === 'open' || !isReplayable(review.callback.state)) return command
  if (isErased || review.presentation === null)
    unit.refuse(
      'invalid_transition',
      'the content of the case is erased: its outcome is not sent again; the application can read the case',
    )
  const target = application?.row.outcomeCallback
  if (!target?.enabled)
    return unit.refuse(
      'callback_not_configured',
      'the application has no outcome callback turned on',
    )
  if (target.gone)
    unit.refuse(
      'callback_gone',
      'the endpoint answered 410: the URL must be saved again before a replay',
    )
  if (review.callback.state === 'none')
    unit.include({ puts: oweOutcome(unit.tools, unit, review, 'replay') })
  else await nextRound(unit, review)
  return command
}

async function nextRound(unit: ReplayUnit, review: ReviewCase): Promise<void> {
  const [found] = await unit.read([get(deliveries, [review.applicationId, callbackIdOf(review)])])
  const delivery = one(deliveries, found)
  if (!delivery)
    return unit.refuse(
      'invalid_transition',
      'the outcome callback is no longer there: it goes 30 days after it ended',
    )
  const again = replay(delivery, { now: unit.now, generation: 0 })
  if (!again) return unit.refuse('invalid_transition', 'the outcome callback is still under way')
  unit.include({ puts: [put(deliveries, again, delivery)] })
}
