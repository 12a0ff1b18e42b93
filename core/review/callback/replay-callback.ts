import type { Put } from '../../base/ports/store.ts'
import { get, one, put } from '../../kernel/ledger/reads.ts'
import { ok, type Result, refuse } from '../../kernel/ledger/refusal.ts'
import { replay } from '../../outbox/machine.ts'
import { deliveries } from '../../outbox/records.ts'
import type { ReviewHost } from '../deps.ts'
import type { LoadedCase } from '../execution/load-case.ts'
import type { Prepared } from '../execution/run-command.ts'
import type { Scene } from '../execution/scene.ts'
import { isReplayable } from '../machine/transitions.ts'
import type { ReviewCase } from '../records.ts'
import { callbackIdOf } from './callback-id.ts'
import { oweOutcome } from './owe-outcome.ts'

/** Row 12: the next round of the same callback, or its first one, to the application's current URL. */
export async function prepareReplay(
  host: ReviewHost,
  { was: { row: review }, isErased }: LoadedCase,
  scene: Scene,
): Promise<Result<Prepared>> {
  const command = { type: 'replay_callback' } as const
  // The machine refuses these.
  if (review.state === 'open' || !isReplayable(review.callback.state)) return ok({ command })
  if (isErased || review.presentation === null)
    return refuse(
      'invalid_transition',
      'the content of the case is erased: its outcome is not sent again; the application can read the case',
    )
  const target = scene.application?.row.outcomeCallback
  if (!target?.enabled)
    return refuse('callback_not_configured', 'the application has no outcome callback turned on')
  if (target.gone)
    return refuse(
      'callback_gone',
      'the endpoint answered 410: the URL must be saved again before a replay',
    )
  if (review.callback.state === 'none')
    return ok({ command, puts: oweOutcome(host, scene.unit, review, 'replay') })
  const puts = await nextRound(scene, review)
  return puts.ok ? ok({ command, puts: puts.value }) : puts
}

async function nextRound({ unit }: Scene, review: ReviewCase): Promise<Result<readonly Put[]>> {
  const [found] = await unit.read([get(deliveries, [review.applicationId, callbackIdOf(review)])])
  const delivery = one(deliveries, found)
  if (!delivery)
    return refuse(
      'invalid_transition',
      'the outcome callback is no longer there: it goes 30 days after it ended',
    )
  const again = replay(delivery, { now: unit.now, generation: 0 })
  return again
    ? ok([put(deliveries, again, delivery)])
    : refuse('invalid_transition', 'the outcome callback is still under way')
}
