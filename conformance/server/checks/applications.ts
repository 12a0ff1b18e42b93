import { expect, expectEqual } from '../../assert.ts'
import { group } from '../check.ts'
import { exportOf, spanOf, submissionOf, wholeSession } from '../spans.ts'
import { until } from '../wait.ts'
import { type Body, granted, openingOf, refused, type World } from '../world.ts'

const applications = '/v1/applications'
const pathOf = (applicationId: string) => `${applications}/${applicationId}`
const hour = 3_600_000
/** A week, or an hour where the deployment is a sandbox or a pre-production environment. */
const graces = [168 * hour, hour]

const requestDeletion = (world: World, path: string) =>
  world.admin.ask({ method: 'DELETE', path: `${path}/purge` })
const cancelDeletion = (world: World, path: string) => world.admin.post(`${path}/purge/cancel`)

async function isListed(world: World, applicationId: string): Promise<boolean> {
  for (let page = 1; ; page++) {
    const found = granted(await world.reviewer.get(`${applications}?page=${page}&pageSize=100`))
    const all = found.applications as readonly Body[]
    if (all.some((each) => each.applicationId === applicationId)) return true
    if (found.hasMore !== true) return false
  }
}

/** The members that no deletion may change. */
function contentOf(record: Body): Body {
  const { updatedAt: _, version: __, lifecycleState: ___, deletion: ____, health, ...rest } = record
  return rest
}

export const applicationChecks = group('applications', 'interface, Application', [
  {
    name: 'stages',
    promise: 'an application begins in its stage and is raised forward only, which is told once',
    needs: ['sink'],
    run: async (world) => {
      const hook = await world.webhook({ eventTypes: ['application.promoted'] })
      const { applicationId, record } = await world.ownApplication({ description: 'Of the suite' })
      expectEqual(
        [record.stage, record.lifecycleState, record.description, record.deletion],
        ['development', 'active', 'Of the suite', null],
        'stage, lifecycleState, description and deletion',
      )
      const path = pathOf(applicationId)
      expect(await isListed(world, applicationId), 'expected the application in the list')
      refused(await world.reviewer.post(applications, { name: 'x' }), 403, 'forbidden')
      refused(await world.admin.post(applications, { name: 'x', odd: 1 }), 400)
      const promote = (to: string) => world.admin.post(`${path}/promote`, { to })
      refused(await world.reviewer.post(`${path}/promote`, { to: 'staging' }), 403, 'forbidden')
      const raised = granted(await promote('production'))
      expectEqual(raised.stage, 'production', 'the stage')
      expectEqual(granted(await promote('production')).promotedAt, raised.promotedAt, 'promotedAt')
      refused(await promote('staging'), 409, 'invalid_transition')
      const mine = () =>
        hook.came.filter(({ event }) => {
          const { id } = (event.application ?? {}) as Body
          return id === applicationId
        })
      const [told] = await until('application.promoted', () =>
        mine().length > 0 ? mine() : undefined,
      )
      expectEqual(
        told?.event.data,
        { fromStage: 'development', toStage: 'production', promotedAt: raised.promotedAt },
        'the data of the event',
      )
      expectEqual(mine().length, 1, 'events')
    },
  },
  {
    name: 'deletion',
    promise:
      'from its request on an application is hidden and takes nothing, and a cancel restores it exactly',
    run: async (world) => {
      const { applicationId, application, backend } = await world.ownApplication()
      const path = pathOf(applicationId)
      const opened = granted(await application.post('/v1/review-cases', openingOf('deletion')))
      const session = wholeSession(await world.clock.now())
      granted(await backend.post('/v1/ingest/sessions', submissionOf([session])))
      const before = granted(await world.admin.get(path))
      refused(await world.reviewer.ask({ method: 'DELETE', path: `${path}/purge` }), 403)
      refused(await cancelDeletion(world, path), 409, 'not_pending')

      const pending = granted(await requestDeletion(world, path))
      const { requestedAt, purgeAt, requestedBy } = pending.deletion as Body
      expectEqual(
        [pending.lifecycleState, requestedBy],
        ['pending_deletion', `member:${world.adminId}`],
        'lifecycleState and requestedBy',
      )
      const grace = Date.parse(String(purgeAt)) - Date.parse(String(requestedAt))
      expect(graces.includes(grace), `expected a grace of 7 d or 1 h, got ${grace} ms`)
      const again = granted(await requestDeletion(world, path))
      expectEqual(again.deletion, pending.deletion, 'the deletion when it is asked for again')
      expect(!(await isListed(world, applicationId)), 'expected it in no list')
      const { span } = spanOf(await world.clock.now(), {})
      const submission = submissionOf([wholeSession(await world.clock.now())])
      refused(await backend.post('/v1/ingest/otlp', exportOf(span)), 410)
      refused(await backend.post('/v1/ingest/sessions', submission), 410, 'application_gone')
      const atCase = `/v1/review-cases/${String(opened.reviewCaseId)}`
      refused(await application.get(atCase), 410, 'application_gone')
      refused(await world.admin.post(`${path}/promote`, { to: 'staging' }), 410)
      const atSession = `/v1/sessions/${String(session.sessionId)}?applicationId=${applicationId}`
      granted(await world.reviewer.get(atSession))

      const restored = granted(await cancelDeletion(world, path))
      expectEqual([restored.lifecycleState, restored.deletion], ['active', null], 'what it is')
      expectEqual(contentOf(restored), contentOf(before), 'what it has')
      expect(await isListed(world, applicationId), 'expected the application in the list again')
      expectEqual(granted(await application.get(atCase)).state, 'open', 'the state of its case')
      granted(await backend.post('/v1/ingest/otlp', exportOf(span)))
      refused(await cancelDeletion(world, path), 409, 'not_pending')
    },
  },
  {
    name: 'held',
    promise: 'a legal hold that names an application keeps it from being deleted',
    run: async (world) => {
      const { applicationId } = await world.ownApplication()
      const path = pathOf(applicationId)
      const hold = { dataSubjectId: `person-${applicationId}`, applicationId, matter: 'Held' }
      const { holdId } = granted(await world.admin.post('/v1/gdpr/legal-holds', hold))
      refused(await requestDeletion(world, path), 409, 'blocked_by_hold')
      expectEqual(granted(await world.admin.get(path)).lifecycleState, 'active', 'what it is')
      const release = `/v1/gdpr/legal-holds/${String(holdId)}/release`
      granted(await world.admin.post(release, { reason: 'over' }))
      granted(await requestDeletion(world, path))
    },
  },
])

export const purgeChecks = group('purge', 'interface, Purge', [
  {
    name: 'purge',
    promise:
      'after its grace an application is purged to a tombstone, its keys open nothing, and it is told',
    needs: ['sink', 'clock'],
    run: async (world) => {
      const hook = await world.webhook({ eventTypes: ['application.purge_completed'] })
      const { applicationId, application, backend } = await world.ownApplication()
      const path = pathOf(applicationId)
      const opened = granted(await application.post('/v1/review-cases', openingOf('purge')))
      const session = wholeSession(await world.clock.now())
      granted(await backend.post('/v1/ingest/sessions', submissionOf([session])))
      const { deletion } = granted(await requestDeletion(world, path))
      const { requestedAt, purgeAt } = deletion as Body
      await world.clock.advance(Date.parse(String(purgeAt)) - (await world.clock.now()) + 1_000)
      const tombstone = await until(
        'the application to be purged',
        async () => {
          const found = granted(await world.admin.get(path))
          return found.lifecycleState === 'purged' ? found : undefined
        },
        60_000,
      )
      const { lifecycleState: _, purgedAt, applicationId: id, ...rest } = tombstone
      expectEqual(id, applicationId, 'applicationId')
      expectEqual(
        Object.values(rest).filter((value) => value !== null),
        [],
        'what else is left of it',
      )
      const told = await hook.first('application.purge_completed', ({ event }) => {
        return event.applicationId === applicationId
      })
      const data = told.event.data as Body
      expectEqual([data.requestedAt, data.purgedAt], [requestedAt, purgedAt], 'the times told')
      expectEqual(data.sessionsDeleted, 1, 'sessionsDeleted')
      refused(await application.get(`/v1/review-cases/${String(opened.reviewCaseId)}`), 401)
      refused(await backend.get('/v1/ingest/usage'), 401)
      const atSession = `/v1/sessions/${String(session.sessionId)}?applicationId=${applicationId}`
      refused(await world.admin.get(atSession), 404, 'not_found')
      refused(await world.admin.get(`/v1/review-cases/${String(opened.reviewCaseId)}`), 404)
      refused(await requestDeletion(world, path), 409, 'purge_started')
      refused(await cancelDeletion(world, path), 409, 'purge_started')
    },
  },
])
