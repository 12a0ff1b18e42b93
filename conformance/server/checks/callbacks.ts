import { createHash } from 'node:crypto'
import { expect, expectEqual } from '../../assert.ts'
import { group } from '../check.ts'
import { signaturesOf, validUnder } from '../signature.ts'
import type { Script } from '../sink.ts'
import { until } from '../wait.ts'
import { type Body, type CaseRecord, granted, refused, type World } from '../world.ts'
import { acts, done, path } from './acts.ts'

const signingOf = (record: Body): Body => record.signing as Body

async function callbackAt(world: World, script: Script) {
  const endpoint = world.sink.endpoint(script)
  await save(world, endpoint.url)
  return endpoint
}

async function save(world: World, url: string): Promise<void> {
  const { applicationId } = world.target
  granted(
    await world.admin.put(`/v1/applications/${applicationId}/outcome-callback`, {
      url,
      enabled: true,
    }),
  )
}

function callbackState(world: World, { reviewCaseId }: CaseRecord, state: string) {
  return until(`the callback to be ${state}`, async () => {
    const now = await world.read(reviewCaseId)
    const callback = now.callback as { readonly state: string; readonly attempts: number }
    return callback.state === state ? { now, callback } : undefined
  })
}

export const callbackChecks = group('callbacks', 'interface, Outcome callback; rows 10 to 12', [
  {
    name: 'outcome',
    promise: 'a closed case is told to the application, with its resume token and what was decided',
    needs: ['sink'],
    run: async (world) => {
      const endpoint = await callbackAt(world, () => ({ status: 204 }))
      const mine = await done(acts.claim(world, await world.open(), 'reviewer'))
      const decided = await done(acts.decide(world, mine, 'reviewer', 'approved'))
      const came = await endpoint.first(
        'the outcome callback',
        ({ event }) => event.reviewCaseId === decided.reviewCaseId,
      )
      expectEqual(
        [came.event.type, came.event.decision, came.event.caseVersion],
        ['review.outcome', 'approved', decided.caseVersion],
        'type, decision, caseVersion',
      )
      expectEqual(signaturesOf(came).id, came.event.id, 'webhook-id')
      expect(String(came.event.id).startsWith('cb_'), 'expected an id that begins with cb_')
      expectEqual(came.event.presentationDigest, decided.presentationDigest, 'the digest')
      const { now } = await callbackState(world, decided, 'received')
      expectEqual(now.caseVersion, decided.caseVersion, 'the version, which no callback changes')
      expectEqual(endpoint.came.length, 1, 'how often it came')
    },
  },
  {
    name: 'failed',
    promise: 'a 410 gives up at once; once the URL is saved again, a replay has the same id',
    needs: ['sink'],
    run: async (world) => {
      const hook = await world.webhook({ eventTypes: ['review.continuation.delivery_failed'] })
      const gone = await callbackAt(world, () => ({ status: 410 }))
      const closed = await done(acts.cancel(world, await world.open()))
      const first = await gone.first(
        'the outcome callback',
        ({ event }) => event.reviewCaseId === closed.reviewCaseId,
      )
      await callbackState(world, closed, 'failed')
      const told = await hook.first(
        'review.continuation.delivery_failed',
        ({ event }) => event.reviewCaseId === closed.reviewCaseId,
      )
      expectEqual(
        [told.event.decision, told.event.reasonCategory],
        ['cancelled', 'callback_delivery_failed'],
        'decision, reasonCategory',
      )
      const replay = () => world.admin.post(path(closed.reviewCaseId, 'callback/replay'))
      refused(await replay(), 409, 'callback_gone')
      const repaired = world.sink.endpoint(() => ({ status: 200 }))
      await save(world, repaired.url)
      granted(await replay())
      const again = await repaired.first(
        'the replay',
        ({ event }) => event.reviewCaseId === closed.reviewCaseId,
      )
      expectEqual(again.event.id, first.event.id, 'the id of the callback')
      expect(again.body.equals(first.body), 'expected the same bytes')
      await callbackState(world, closed, 'received')
      refused(await replay(), 409, 'invalid_transition')
    },
  },
  {
    name: 'rotation',
    promise: 'after a rotation both secrets sign for 24 h, then the new one alone',
    needs: ['sink', 'clock'],
    run: async (world) => {
      const at = `/v1/applications/${world.target.applicationId}/outcome-callback`
      const rotate = () => world.admin.post(`${at}/rotate-secret`)
      const endpoint = await callbackAt(world, () => ({ status: 204 }))
      const shared = { url: endpoint.url, enabled: true, signing: { method: 'shared_secret' } }
      const own = { ...shared, signing: { method: 'ed25519' } }
      granted(await world.admin.put(at, own))
      refused(await rotate(), 409, 'not_shared_secret')
      const before = String(signingOf(granted(await world.admin.put(at, shared))).secret)
      const rotated = signingOf(granted(await rotate()))
      const after = String(rotated.secret)
      const until24 = Date.parse(String(rotated.previousSecretValidUntil))
      refused(await rotate(), 409, 'already_rotating')
      const under = async () => {
        const { reviewCaseId } = await done(acts.cancel(world, await world.open()))
        const came = await endpoint.first(
          'the outcome callback',
          ({ event }) => event.reviewCaseId === reviewCaseId,
        )
        return [validUnder(came, before), validUnder(came, after)]
      }
      expectEqual(await under(), [1, 1], 'signatures under the old and the new secret')
      await world.clock.advance(until24 - (await world.clock.now()) - 60_000)
      expectEqual(await under(), [1, 1], 'the same a minute before the end')
      await world.clock.advance(61_000)
      expectEqual(await under(), [0, 1], 'the same after 24 h')
      granted(await world.admin.put(at, own))
    },
  },
  {
    name: 'removed',
    promise:
      'a removed callback gives up what it owes, whose cases can be replayed once there is another',
    needs: ['sink'],
    run: async (world) => {
      const { applicationId } = world.target
      const remove = () =>
        world.admin.ask({
          method: 'DELETE',
          path: `/v1/applications/${applicationId}/outcome-callback`,
        })
      const failing = await callbackAt(world, () => ({ status: 500 }))
      const owed = await done(acts.cancel(world, await world.open()))
      await failing.first(
        'the outcome callback',
        ({ event }) => event.reviewCaseId === owed.reviewCaseId,
      )
      expectEqual(granted(await remove()).outcomeCallback, null, 'the callback of the answer')
      const read = granted(await world.admin.get(`/v1/applications/${applicationId}`))
      expectEqual(read.outcomeCallback, null, 'the callback of the application')
      refused(await remove(), 409, 'callback_not_configured')
      await callbackState(world, owed, 'failed')
      const closed = await done(acts.cancel(world, await world.open()))
      await callbackState(world, closed, 'none')
      const replay = ({ reviewCaseId }: CaseRecord) =>
        world.admin.post(path(reviewCaseId, 'callback/replay'))
      refused(await replay(owed), 409, 'callback_not_configured')
      const other = await callbackAt(world, () => ({ status: 204 }))
      for (const each of [owed, closed]) {
        granted(await replay(each))
        await callbackState(world, each, 'received')
      }
      expectEqual(other.came.length, 2, 'outcomes at the other callback')
    },
  },
  {
    name: 'attempts',
    promise:
      'the attempts to send an outcome are listed, newest first, by the digest of what came, never by its text',
    needs: ['sink'],
    run: async (world) => {
      const refusing = await callbackAt(world, () => ({ status: 410, body: 'no such place' }))
      const open = await world.open()
      const at = path(open.reviewCaseId, 'callback/attempts')
      expectEqual(granted(await world.reviewer.get(at)).attempts, [], 'the attempts before the end')
      const mine = await done(acts.claim(world, open, 'reviewer'))
      await done(acts.decide(world, mine, 'reviewer', 'approved'))
      const came = await refusing.first(
        'the outcome callback',
        ({ event }) => event.reviewCaseId === open.reviewCaseId,
      )
      await callbackState(world, open, 'failed')
      await callbackAt(world, () => ({ status: 204 }))
      granted(await world.admin.post(path(open.reviewCaseId, 'callback/replay')))
      await callbackState(world, open, 'received')
      const answer = await world.reviewer.get(at)
      const attempts = granted(answer).attempts as readonly Body[]
      expectEqual(
        attempts.map((each) => [each.trigger, each.attempt, each.outcome, each.responseStatus]),
        [
          ['replay', 1, 'delivered', 204],
          ['event', 1, 'failed', 410],
        ],
        'trigger, attempt, outcome and status of each, newest first',
      )
      const digest = createHash('sha256').update(came.body).digest('hex')
      for (const { bodySha256, callbackId } of attempts)
        expectEqual([bodySha256, callbackId], [digest, came.event.id], 'digest and id of the body')
      const hidden = [came.body.toString('utf8'), String(came.event.caseUrl), 'no such place']
      for (const text of hidden)
        expect(!answer.text.includes(text), `expected no ${JSON.stringify(text)} in the list`)
      const first = granted(await world.reviewer.get(`${at}?limit=1`))
      const rest = granted(await world.reviewer.get(`${at}?limit=1&after=${String(first.next)}`))
      expectEqual(
        [first.rows, rest.rows, rest.next],
        [attempts.slice(0, 1), attempts.slice(1), null],
        'the list behind a cursor',
      )
      refused(await world.nobody.portal.get(at), 401)
    },
  },
])
