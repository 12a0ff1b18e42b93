import { type AlertRuleInput, unwrap } from '@countersign/core'
import type { PlanName } from '@countersign/core/access'
import { answered, byNewKey } from '@countersign/core/testing'
import { createWorld, send, span, spanOf, traceOf } from '../sessions/world.ts'

export const minute = 60_000
export const day = 24 * 60 * minute
export const callback = 'https://callback.example/outcomes'

type Watching = Pick<AlertRuleInput, 'metricName' | 'comparator' | 'threshold'> &
  Partial<AlertRuleInput>

/** The whole service at work, with what its metrics are made of. */
export async function working(plan: PlanName = 'Enterprise') {
  const world = await createWorld({ plan, pollMs: 60 * minute })
  const { service, admin, owner, clock, transport, events } = world
  /** An application by a key of its own. */
  const keyed = (applicationId: string) => byNewKey(service, admin, applicationId)
  const application = await keyed(owner.applicationId)
  service.start()
  let made = 0
  const rules = new Map<string, string>()
  return {
    ...{ ...world, keyed },
    async watch(name: string, rule: Watching): Promise<void> {
      const input = { name, severity: 'warning', ...rule } as const
      const { alertRuleId } = unwrap(await service.alertRules.create(admin, input))
      rules.set(alertRuleId, name)
    },
    /** Current values of the rules by their names. */
    async values(): Promise<Readonly<Record<string, number | null>>> {
      const query = { page: 1, pageSize: 100 }
      const { alertRules: rules } = unwrap(await service.alertRules.list(admin, query))
      return Object.fromEntries(rules.map(({ name, currentValue }) => [name, currentValue]))
    },
    /** Alerts so far. */
    alerts: () =>
      events().flatMap((event) => {
        if (!event.type.startsWith('alert.')) return []
        const { data } = event as unknown as {
          readonly data: { readonly alertRuleId: string; readonly currentValue: number }
        }
        const change = event.type.slice('alert.'.length)
        return `${rules.get(data.alertRuleId)} ${change} ${data.currentValue}`
      }),
    /** Changes of health so far, with their reasons. */
    health: () =>
      events('health.status_changed').map((event) => {
        const { data } = event as unknown as { readonly data: Readonly<Record<string, unknown>> }
        return `${data.scope} ${data.previousStatus} ${data.status} ${data.reasons}`.trim()
      }),
    /** Opens a case that is due so many ms from now. */
    async open(dueMs: number, by = application): Promise<string> {
      made++
      const opened = await service.reviewCases.open(by, {
        ...{ sessionId: `s-${made}`, checkpointId: 'pay', idempotencyKey: `open-${made}` },
        ...{ reasonCategory: 'high_risk_action', presentation: {} },
        dueAt: clock.now() + dueMs,
      })
      return unwrap(opened).reviewCaseId
    },
    cancel: async (reviewCaseId: string, by = application) =>
      unwrap(
        await service.reviewCases.cancel(by, {
          reviewCaseId,
          reasonCategory: 'end_user_cancelled',
        }),
      ),
    /** So many sessions complete. */
    async complete(count: number, given: Parameters<typeof span>[0] = {}): Promise<void> {
      const now = clock.now()
      for (let at = 0; at < count; at++) {
        made++
        const ids = { traceId: traceOf(made), spanId: spanOf(made), sessionId: `s-${made}` }
        unwrap(await send(world, span({ ...ids, startedAt: now - 1_000, endedAt: now, ...given })))
      }
      await clock.advance(3 * minute)
    },
    /** Deliveries of these types fail, and callbacks are gone. */
    fail(...types: readonly string[]): void {
      transport.follow(({ url, body }) => {
        if (url === callback) return answered(410)
        const { type } = JSON.parse(new TextDecoder().decode(body)) as { readonly type: string }
        return answered(types.includes(type) ? 500 : 200)
      })
    },
  }
}
