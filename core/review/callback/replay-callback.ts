import { get, one, put } from '../../ledger/reads.ts'
import { ok, type Result, refuse } from '../../ledger/refusal.ts'
import { replay } from '../../outbox/machine.ts'
import { deliveries } from '../../outbox/records.ts'
import type { LoadedCase } from '../execution/load-case.ts'
import type { Prepared } from '../execution/run-command.ts'
import type { Scene } from '../execution/scene.ts'
import { applicationCheck } from '../execution/standing.ts'
import { callbackIdOf, earlierCallbackIdOf } from './callback-id.ts'

/** Row 12: the next round of the same callback, to the application's current URL. */
export async function prepareReplay(
  { was }: LoadedCase,
  { unit, application }: Scene,
): Promise<Result<Prepared>> {
  const { tenantId, applicationId, reviewCaseId, callback } = was.row
  const command = { type: 'replay_callback' } as const
  if (callback.state !== 'failed') return ok({ command })
  const target = application?.row.outcomeCallback
  if (!application || !target?.enabled)
    return refuse('callback_not_configured', 'the application has no outcome callback turned on')
  if (target.gone)
    return refuse(
      'callback_gone',
      'the endpoint answered 410: the URL must be saved again before a replay',
    )
  const ids = [callbackIdOf(was.row), earlierCallbackIdOf(reviewCaseId)]
  const found = await unit.read(ids.map((id) => get(deliveries, [applicationId, id])))
  const [delivery] = found.flatMap((answer) => one(deliveries, answer) ?? [])
  if (!delivery)
    return refuse(
      'invalid_transition',
      'the outcome callback is no longer there: it goes 30 days after it ended',
    )
  const again = replay(delivery, { now: unit.now, generation: 0 })
  if (!again) return refuse('invalid_transition', 'the outcome callback is still under way')
  return ok({
    command,
    puts: [put(deliveries, again, delivery)],
    checks: [applicationCheck(tenantId, applicationId, application.version)],
  })
}
