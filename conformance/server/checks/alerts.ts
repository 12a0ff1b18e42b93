import { expect, expectEqual } from '../../assert.ts'
import { group } from '../check.ts'
import { submissionOf, wholeSession } from '../spans.ts'
import { until } from '../wait.ts'
import { type Body, granted, type OwnApplication, refused, type World } from '../world.ts'

const rules = '/v1/alert-rules'
const pathOf = ({ alertRuleId }: Body) => `${rules}/${String(alertRuleId)}`
const remove = (world: World, rule: Body) =>
  world.admin.ask({ method: 'DELETE', path: pathOf(rule) })

/** Rules and health are judged every 60 s. */
const judgedEveryMs = 60_000

const sessionsOf = ({ applicationId }: OwnApplication) => ({
  name: 'Conformance',
  applicationId,
  metricName: 'sessions.count',
  comparator: 'gte',
  threshold: 1,
  severity: 'critical',
  windowSeconds: 60,
})

async function complete(world: World, { backend }: OwnApplication): Promise<void> {
  const session = wholeSession(await world.clock.now())
  granted(await backend.post('/v1/ingest/sessions', submissionOf([session])))
}

/** Lets judgements pass until there is something. */
async function judgedUntil<T>(
  world: World,
  what: string,
  look: () => Promise<T | undefined>,
): Promise<T> {
  for (let judgements = 0; judgements < 6; judgements++) {
    await world.clock.advance(judgedEveryMs)
    const found = await until(what, look, 1_000).catch(() => undefined)
    if (found !== undefined) return found
  }
  return until(what, look)
}

export const alertChecks = group('alerts', 'interface, Alert rules; Health', [
  {
    name: 'rules',
    promise: 'alert rules are made, replaced whole and removed by admins, and read by every member',
    run: async (world) => {
      const own = await world.ownApplication()
      const { windowSeconds: _, ...body } = sessionsOf(own)
      refused(await world.reviewer.post(rules, body), 403, 'forbidden')
      refused(await world.admin.post(rules, { ...body, metricName: 'moon.phase' }), 400)
      refused(await world.admin.post(rules, { ...body, windowSeconds: 59 }), 400)
      const made = granted(await world.admin.post(rules, body))
      try {
        expectEqual(
          [made.windowSeconds, made.enabled, made.state, made.recoveryThreshold],
          [300, true, 'ok', null],
          'the defaults',
        )
        const changed = { ...body, threshold: 1_000, severity: 'info', windowSeconds: 120 }
        refused(await world.reviewer.put(pathOf(made), changed), 403, 'forbidden')
        const saved = granted(await world.admin.put(pathOf(made), changed))
        expectEqual(
          [saved.threshold, saved.severity, saved.windowSeconds, saved.alertRuleId],
          [1_000, 'info', 120, made.alertRuleId],
          'the rule as it was saved',
        )
        const read = granted(await world.reviewer.get(pathOf(made)))
        expectEqual([read.threshold, read.severity], [1_000, 'info'], 'the rule as it is read')
        const list = granted(await world.reviewer.get(`${rules}?pageSize=100`))
        const listed = (list.alertRules as readonly Body[]).some(
          ({ alertRuleId }) => alertRuleId === made.alertRuleId,
        )
        expect(listed, 'expected the rule in the list')
      } finally {
        granted(await remove(world, made))
      }
      refused(await world.admin.get(pathOf(made)), 404, 'not_found')
    },
  },
  {
    name: 'crossing',
    promise: 'a threshold that is crossed is told once, and again when the value is back',
    needs: ['sink', 'clock'],
    run: async (world) => {
      const hook = await world.webhook({ eventTypes: ['alert.triggered', 'alert.resolved'] })
      const own = await world.ownApplication()
      const made = granted(await world.admin.post(rules, sessionsOf(own)))
      const inState = (state: string) =>
        judgedUntil(world, `the rule to be ${state}`, async () => {
          const read = granted(await world.reviewer.get(pathOf(made)))
          return read.state === state ? read : undefined
        })
      const told = (type: string) =>
        hook.first(type, ({ event }) => {
          const data = event.data as Body | undefined
          return event.type === type && data?.alertRuleId === made.alertRuleId
        })
      try {
        await complete(world, own)
        const triggered = await inState('triggered')
        const { event } = await told('alert.triggered')
        const data = {
          alertRuleId: made.alertRuleId,
          alertRuleName: 'Conformance',
          metricName: 'sessions.count',
          currentValue: 1,
          threshold: 1,
          severity: 'critical',
        }
        expectEqual(event.data, data, 'the data of alert.triggered')
        expectEqual(event.applicationId, own.applicationId, 'its application')
        await inState('ok')
        const { triggeredAt, ...back } = (await told('alert.resolved')).event.data as Body
        expectEqual(back, { ...data, currentValue: 0 }, 'the data of alert.resolved')
        expectEqual(triggeredAt, triggered.stateSince, 'triggeredAt')
        expectEqual(hook.of('alert.triggered').length, 1, 'alerts')
      } finally {
        granted(await remove(world, made))
      }
    },
  },
  {
    name: 'health',
    promise:
      'the health of an application follows its sessions and alerts, and each change is told',
    needs: ['sink', 'clock'],
    run: async (world) => {
      const hook = await world.webhook({ eventTypes: ['health.status_changed'] })
      const own = await world.ownApplication()
      const { applicationId } = own
      const becomes = (status: string) =>
        judgedUntil(world, `the health to be ${status}`, async () => {
          const { health } = granted(await world.reviewer.get(`/v1/applications/${applicationId}`))
          return (health as Body | null)?.status === status ? true : undefined
        })
      const changesTo = async (status: string, reasons: readonly string[]) => {
        await becomes(status)
        const { event } = await hook.first(`the change to ${status}`, (delivery) => {
          const { id } = (delivery.event.application ?? {}) as Body
          return id === applicationId && (delivery.event.data as Body).status === status
        })
        const data = event.data as Body
        expectEqual([data.scope, data.reasons], ['application', reasons], 'scope and reasons')
      }
      await complete(world, own)
      await changesTo('healthy', [])
      const rule = { ...sessionsOf(own), comparator: 'gte', threshold: 0 }
      const made = granted(await world.admin.post(rules, rule))
      try {
        await changesTo('unhealthy', ['critical_alert'])
      } finally {
        granted(await remove(world, made))
      }
    },
  },
])
