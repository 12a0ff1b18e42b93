import { type AlertRuleInput, unwrap } from '@countersign/core'
import { createLedger } from '@countersign/core/ledger'
import { silentObserver } from '@countersign/core/ports'
import { seededRandom } from '@countersign/core/testing'
import type { Letter, Post } from '../../kernel/mail/index.ts'
import { createRunner } from '../../kernel/work/runner.ts'
import { createJudgement } from '../../policies/judgement/judge.ts'
import { owingOn } from '../owing.ts'
import { createWorld, send, span, spanOf, traceOf } from '../sessions/world.ts'

export const minute = 60_000

/** Ingest beside what judges rules and health; `sends`: whether there is a mailer. */
export async function judged({ sends = true } = {}) {
  const world = await createWorld()
  const { service, store, clock, admin, owner } = world
  const letters: Letter[] = []
  const post: Post = {
    sends,
    owe: (_unit, _tenantId, letter) => {
      if (sends) letters.push(letter)
      return []
    },
  }
  const ledger = createLedger({ store, clock, random: seededRandom(9) })
  const runner = createRunner({
    ledger,
    clock,
    handlers: [createJudgement({ post })],
    owing: owingOn(ledger, post),
    observer: silentObserver,
    options: { owner: 'judgement' },
  })
  let sent = 0
  async function complete(count: number, given: Parameters<typeof span>[0] = {}): Promise<void> {
    for (let at = 0; at < count; at++) {
      sent++
      const ids = { traceId: traceOf(sent), spanId: spanOf(sent), sessionId: `s-${sent}` }
      const now = clock.now()
      unwrap(await send(world, span({ ...ids, startedAt: now - 1_000, endedAt: now, ...given })))
    }
    await world.pass(2 * minute)
  }
  const told = () =>
    world
      .events()
      .filter(({ type }) => type.startsWith('alert.'))
      .map((event) => {
        const { type, data } = event as unknown as {
          readonly type: string
          readonly data: { readonly currentValue: number }
        }
        return `${type.slice('alert.'.length)} ${data.currentValue}`
      })
  const health = async () =>
    unwrap(await service.applications.read(admin, { applicationId: owner.applicationId })).health
  return {
    ...{ ...world, complete, told, health, runner, letters },
    create: async (input: AlertRuleInput) => unwrap(await service.alertRules.create(admin, input)),
    read: async (id: string) => unwrap(await service.alertRules.read(admin, { alertRuleId: id })),
    /** Lets time pass a judgement at a time. */
    async judge(times = 1) {
      for (let at = 0; at < times; at++) {
        await clock.advance(minute)
        await runner.tick()
      }
    },
  }
}
