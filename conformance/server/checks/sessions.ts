import { expect, expectEqual } from '../../assert.ts'
import { group } from '../check.ts'
import { fresh, sendSpan, sessionPath, submit, wholeSession } from '../spans.ts'
import { until } from '../wait.ts'
import { type Body, granted, refused, type World } from '../world.ts'

const minute = 60_000

async function listed(world: World, query: string): Promise<readonly Body[]> {
  const path = `/v1/sessions?applicationId=${world.target.applicationId}&pageSize=100&${query}`
  return granted(await world.reviewer.get(path)).sessions as readonly Body[]
}

const idsOf = (rows: readonly Body[]) => rows.map(({ sessionId }) => sessionId)

export const sessionChecks = group('sessions', 'interface, Portal host', [
  {
    name: 'reads',
    promise: 'a session, its steps and each content read as they were sent; lists hold no content',
    needs: ['customerKey'],
    run: async (world) => {
      const metadata = { region: 'north' }
      const session = wholeSession(await world.clock.now(), { metadata })
      await submit(world, session)
      const sessionId = String(session.sessionId)
      const read = granted(await world.reviewer.get(sessionPath(world, sessionId)))
      expectEqual(
        [read.origin, read.status, read.metadata, read.stepCount, read.payloadStatus],
        ['submission', 'completed', metadata, 1, 'readable'],
        'origin, status, metadata, steps and payloadStatus',
      )
      const steps = granted(await world.reviewer.get(sessionPath(world, sessionId, '/steps')))
      const [step] = steps.steps as readonly Body[]
      expectEqual([steps.totalCount, step?.stepId], [1, 'step-1'], 'the steps')
      expectEqual(step?.payload, null, 'content in the list')
      const whole = granted(
        await world.reviewer.get(sessionPath(world, sessionId, '/steps/step-1')),
      )
      const payload = whole.payload as Body
      const [sent] = session.steps as readonly Body[]
      expectEqual([payload.input, payload.output], [sent?.input, sent?.output], 'the content')
      refused(await world.reviewer.get(sessionPath(world, sessionId, '/steps/none')), 404)
      refused(await world.reviewer.get(sessionPath(world, fresh('none'))), 404, 'not_found')
      refused(await world.nobody.portal.get(sessionPath(world, sessionId)), 401)
    },
  },
  {
    name: 'list',
    promise: 'sessions are listed by start, and by origin, status, time, subject and flags',
    needs: ['customerKey'],
    run: async (world) => {
      const now = await world.clock.now()
      const subject = fresh('person')
      const session = wholeSession(now, { dataSubjectId: subject, status: 'failed' })
      await submit(world, session)
      const running = await sendSpan(world, { subject })
      const { sessionId } = session
      const read = granted(await world.reviewer.get(sessionPath(world, String(sessionId))))
      const named = `dataSubjectId=${read.dataSubjectId}`
      const query = `/v1/sessions?dataSubjectId=${subject}`
      refused(await world.reviewer.get(query), 400, 'invalid_request')
      expectEqual(
        idsOf(await listed(world, named)),
        [running.sessionId, sessionId],
        'the latest first',
      )
      expectEqual(
        idsOf(await listed(world, `${named}&sort=startedAt`)),
        [sessionId, running.sessionId],
        'the earliest first',
      )
      for (const [query, expected] of [
        ['origin=otlp', running.sessionId],
        ['origin=submission', sessionId],
        ['status=running', running.sessionId],
        ['status=failed', sessionId],
      ])
        expectEqual(idsOf(await listed(world, `${named}&${query}`)), [expected], String(query))
      for (const query of ['flagged=true', `until=${new Date(now - 10_000).toISOString()}`])
        expectEqual(idsOf(await listed(world, `${named}&${query}`)), [], query)
      refused(await world.reviewer.get('/v1/sessions?status=strange'), 400)
    },
  },
  {
    name: 'tenants',
    promise: 'another organization’s sessions are not there',
    needs: ['customerKey', 'stranger'],
    run: async (world) => {
      const { sessionId, stepId } = await sendSpan(world)
      for (const what of ['', '/steps', `/steps/${stepId}`, '/proof', '/flags', '/evidence'])
        refused(await world.stranger.get(`/v1/sessions/${sessionId}${what}`), 404, 'not_found')
      expectEqual(
        granted(await world.stranger.get('/v1/sessions')).totalCount,
        0,
        'sessions in the list of another organization',
      )
    },
  },
  {
    name: 'completion',
    promise:
      'a session is complete 60 s after its last span once its root ended, told once, and takes late spans',
    needs: ['customerKey', 'sink', 'clock'],
    run: async (world) => {
      const hook = await world.webhook({ eventTypes: ['session.completed'] })
      const { sessionId, path } = await sendSpan(world)
      await world.clock.advance(30_000)
      expectEqual(
        granted(await world.reviewer.get(path)).status,
        'running',
        'the status after 30 s',
      )
      await world.clock.advance(minute)
      const told = await hook.first('session.completed', ({ event }) => {
        return (event.data as Body | undefined)?.sessionId === sessionId
      })
      const data = told.event.data as Body
      expectEqual([data.status, data.stepCount], ['completed', 1], 'status and steps in the event')
      const done = granted(await world.reviewer.get(path))
      expectEqual([done.status, done.revision], ['completed', 1], 'status and revision')
      expect(typeof done.qualityScore === 'number', `expected a quality, got ${done.qualityScore}`)
      const late = await sendSpan(world, { sessionId, root: false })
      const again = granted(await world.reviewer.get(path))
      expectEqual([again.stepCount, again.revision], [2, 2], 'steps and revision after a late span')
      const steps = granted(await world.reviewer.get(sessionPath(world, sessionId, '/steps')))
      const step = (steps.steps as readonly Body[]).find((one) => one.stepId === late.stepId)
      expectEqual(step?.late, true, 'late')
      await world.clock.advance(2 * minute)
      const times = hook.came.filter(
        ({ event }) => (event.data as Body | undefined)?.sessionId === sessionId,
      )
      expectEqual(times.length, 1, 'times that the completion was told')
    },
  },
])

/** Waits until a session is sealed in its current revision. */
export async function sealedAt(world: World, path: string): Promise<Body> {
  return until('the session to be sealed', async () => {
    const session = granted(await world.reviewer.get(path))
    return session.sealed === null ? undefined : session
  })
}
