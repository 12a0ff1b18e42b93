import { expect, expectEqual } from '../../assert.ts'
import { group } from '../check.ts'
import { expectSigned } from '../evidence-keys.ts'
import { fresh, sendSpan, sessionPath } from '../spans.ts'
import { until } from '../wait.ts'
import { type Body, granted, refused, type World } from '../world.ts'

const erasures = '/v1/gdpr/erasure-requests'
const holds = '/v1/gdpr/legal-holds'
const lookup = '/v1/gdpr/subjects/lookup'
const secret = 'a secret of the person'

async function ask(world: World, dataSubjectId: string): Promise<Body> {
  const body = { dataSubjectId, reason: 'objection', confirm: true }
  return granted(await world.admin.post(erasures, body))
}

const idOf = (request: Body) => `${erasures}/${String(request.erasureRequestId)}`

async function status(world: World, request: Body, wanted: string): Promise<Body> {
  return until(`the erasure to be ${wanted}`, async () => {
    const found = granted(await world.reviewer.get(idOf(request)))
    return found.status === wanted ? found : undefined
  })
}

async function payloadOf(
  world: World,
  { sessionId, stepId }: { readonly sessionId: string; readonly stepId: string },
): Promise<readonly [unknown, unknown]> {
  const path = sessionPath(world, sessionId, `/steps/${stepId}`)
  const { payload, payloadStatus } = granted(await world.reviewer.get(path))
  return [(payload as Body | null)?.input ?? null, payloadStatus]
}

export const erasureChecks = group('erasure', 'interface, Erasure request; Legal hold', [
  {
    name: 'erases',
    promise:
      'an erasure takes a person’s content and what was written about it, leaves others’, and is certified',
    needs: ['customerKey', 'sink'],
    run: async (world) => {
      const hook = await world.webhook({ eventTypes: ['gdpr.erasure_completed'] })
      const [subject, other] = [fresh('person'), fresh('person')]
      const mine = await sendSpan(world, { subject, input: secret })
      const theirs = await sendSpan(world, { subject: other, input: secret })
      const notes = sessionPath(world, mine.sessionId, '/annotations')
      granted(await world.admin.post(notes, { text: 'about the person' }))
      const known = granted(await world.admin.post(lookup, { dataSubjectId: subject }))
      expectEqual(
        [known.sessionCount, known.applicationIds],
        [1, [world.target.applicationId]],
        'sessions and applications of the subject',
      )
      expectEqual(await payloadOf(world, mine), [secret, 'readable'], 'the content before')
      const request = await ask(world, subject)
      const { certificateUrl } = await status(world, request, 'completed')
      expectEqual(await payloadOf(world, mine), [null, 'erased'], 'the content after')
      expectEqual(await payloadOf(world, theirs), [secret, 'readable'], 'another’s content')
      const [note] = granted(await world.admin.get(notes)).annotations as readonly Body[]
      expectEqual(note?.text, null, 'the text of the annotation')
      const document = await world.admin.get(sessionPath(world, mine.sessionId, '/evidence'))
      expect(!document.text.includes(secret), 'expected no content in the evidence')
      expectEqual(
        (granted(document).erasure as Body).erasedSubjects,
        [known.dataSubjectId],
        'erasedSubjects',
      )
      const told = await hook.first('gdpr.erasure_completed', ({ event }) => {
        const data = event.data as Body | undefined
        return data?.erasureRequestId === request.erasureRequestId
      })
      expectEqual((told.event.data as Body).certificateUrl, certificateUrl, 'certificateUrl')
      expect(!told.body.includes(subject), 'expected no raw id in the event')
      const path = `${idOf(request)}/certificate`
      const asked = { method: 'GET', path, headers: { accept: 'application/json' } } as const
      const certificate = granted(await world.reviewer.ask(asked))
      await expectSigned(world, certificate)
      expectEqual(
        [certificate.dataSubjectId, certificate.method],
        [known.dataSubjectId, 'crypto-shredding'],
        'subject and method',
      )
      const list = granted(await world.reviewer.get(`${erasures}?pageSize=100`))
      const ids = (list.erasureRequests as readonly Body[]).map((one) => one.erasureRequestId)
      expect(ids.includes(request.erasureRequestId), 'expected the request in the list')
      const back = await sendSpan(world, { subject, input: 'later' })
      expectEqual(await payloadOf(world, back), ['later', 'readable'], 'content that came later')
      expectEqual(await payloadOf(world, mine), [null, 'erased'], 'the content, still')
    },
  },
  {
    name: 'held',
    promise: 'a hold blocks an erasure until it is released; a request of the same is the same',
    needs: ['customerKey'],
    run: async (world) => {
      const subject = fresh('person')
      const mine = await sendSpan(world, { subject, input: secret })
      const hold = granted(
        await world.admin.post(holds, { dataSubjectId: subject, matter: 'Conformance' }),
      )
      const request = await ask(world, subject)
      const blocked = await status(world, request, 'blocked_by_hold')
      expectEqual(blocked.waitingFor, 'hold', 'waitingFor')
      expectEqual(
        (await ask(world, subject)).erasureRequestId,
        request.erasureRequestId,
        'the request',
      )
      expectEqual(await payloadOf(world, mine), [secret, 'readable'], 'the content under hold')
      refused(await world.reviewer.get(`${idOf(request)}/certificate`), 404)
      const release = `${holds}/${String(hold.holdId)}/release`
      granted(await world.admin.post(release, { reason: 'over' }))
      await status(world, request, 'completed')
      expectEqual(await payloadOf(world, mine), [null, 'erased'], 'the content after the release')
      const late = await world.admin.post(`${idOf(request)}/reject`, { reason: 'too late' })
      refused(late, 409, 'invalid_transition')
    },
  },
  {
    name: 'rejected',
    promise: 'an erasure that has not begun can be rejected, and takes nothing',
    needs: ['customerKey'],
    run: async (world) => {
      const subject = fresh('person')
      const mine = await sendSpan(world, { subject, input: secret })
      const held = { dataSubjectId: subject, matter: 'Conformance' }
      const hold = granted(await world.admin.post(holds, held))
      const request = await ask(world, subject)
      await status(world, request, 'blocked_by_hold')
      const reject = `${idOf(request)}/reject`
      refused(await world.reviewer.post(reject, { reason: 'no' }), 403)
      const rejected = granted(await world.admin.post(reject, { reason: 'a mistake' }))
      expectEqual(rejected.status, 'rejected', 'the status')
      const release = `${holds}/${String(hold.holdId)}/release`
      granted(await world.admin.post(release, { reason: 'over' }))
      expectEqual(
        granted(await world.admin.get(idOf(request))).status,
        'rejected',
        'the status later',
      )
      expectEqual(await payloadOf(world, mine), [secret, 'readable'], 'the content')
    },
  },
])
