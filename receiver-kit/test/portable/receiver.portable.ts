import type { RegisterTest } from '@countersign/conformance'
import { inboxSuite } from '@countersign/conformance/inbox'
import { comparePositions, type Position } from '@countersign/core/events'
import {
  createOutcomeCallbackHandler,
  createReceiver,
  fold,
  isApproved,
  memoryInbox,
} from '@countersign/receiver-kit'
import { createSignedOutcomeHandler, type Reviewers } from '@countersign/receiver-kit/reviewers'
import {
  createTestSigner,
  sampleChallenge,
  sampleOutcome,
  sampleReviewEvent,
  signLegacyEvent,
} from '@countersign/receiver-kit/testing'
import { workersModule } from '@countersign/receiver-kit/workers'
import fc from 'fast-check'
import { vectors } from './signed-vectors.ts'

function expectEqual(found: unknown, expected: unknown, what: string): void {
  const [a, b] = [JSON.stringify(found), JSON.stringify(expected)]
  if (a !== b) throw new Error(`${what}: expected ${b}, got ${a}`)
}

const toOne = async (response: Response) => [response.status, await response.text()]

/** The kit in whatever runtime this is, with its own Request, Response, streams, clock and timers. */
export function portableTests(test: RegisterTest): void {
  inboxSuite({
    test,
    create: async () => memoryInbox(),
    supports: { durability: 'it ends with the process' },
    runs: 20,
  })

  test('fold: ends at the highest event in every order', {}, async () => {
    const position = fc.record({
      caseVersion: fc.integer({ min: 1, max: 5 }),
      eventSequence: fc.integer({ min: 1, max: 9 }),
    })
    fc.assert(
      fc.property(fc.array(position, { minLength: 1 }), (events) => {
        const last = (from: readonly Position[]) =>
          from.reduce<Position | null>((head, event) => fold(head, event).head, null)
        const sorted = [...events].sort(comparePositions)
        expectEqual(last(events), sorted.at(-1), 'as they came')
        expectEqual(last(sorted.reverse()), sorted[0], 'from the highest down')
      }),
    )
  })

  test('receiver: stores once, answers, handles after that', {}, async () => {
    const signer = createTestSigner()
    const shared = createTestSigner({ privateKey: `whsec_${'BQUF'.repeat(10)}BQU=` })
    const turns = new Map<string, unknown>()
    const receiver = createReceiver({
      keys: [signer.key, shared.key],
      legacySecrets: ['secret'],
      inbox: memoryInbox(),
      onEvent: ({ event, position, attempt }) => {
        turns.set(event.type, { position, attempt })
      },
    })
    const post = async (request: Request) => toOne(await receiver.fetch(request))
    const event = sampleReviewEvent()
    expectEqual(await post(signer.request(event)), [204, ''], 'the first time')
    expectEqual(await post(shared.request(event)), [204, ''], 'the second, by another key')
    expectEqual(
      await post(signer.request(sampleChallenge('prove it'))),
      [200, '{"challenge":"prove it"}'],
      'a challenge',
    )
    const { headers, body } = signer.sign(event)
    const forged = { method: 'POST', headers, body: body.with(5, 0) as Uint8Array<ArrayBuffer> }
    const refused = await post(new Request('https://receiver.test/', forged))
    expectEqual(refused, [401, '{"code":"bad_signature"}'], 'a changed byte')
    const weaker = signLegacyEvent(event, 'secret')
    const older = {
      method: 'POST',
      headers: weaker.headers,
      body: weaker.body as Uint8Array<ArrayBuffer>,
    }
    expectEqual(
      await post(new Request('https://receiver.test/', older)),
      [401, '{"code":"weaker_signature"}'],
      'the weaker signature',
    )
    expectEqual(turns.size, 0, 'turns before the drain')
    expectEqual(await receiver.drain(), { handled: 2, failed: 0 }, 'the drain')
    expectEqual(
      turns.get('review.case.created'),
      { position: 'head', attempt: 1 },
      'the turn of the event',
    )
    expectEqual(
      turns.get('subscription.verification_requested'),
      { position: 'unordered', attempt: 1 },
      'the turn of the challenge',
    )
  })

  test('receiver: cuts a body over the limit', {}, async () => {
    const signer = createTestSigner()
    const receiver = createReceiver({
      keys: [signer.key],
      inbox: memoryInbox(),
      maxBodyBytes: 100,
      onEvent: () => {},
    })
    const response = await receiver.fetch(signer.request(sampleReviewEvent()))
    expectEqual(await toOne(response), [413, '{"code":"body_too_large"}'], 'the answer')
  })

  test('receiver: handles by itself once started', {}, async () => {
    const signer = createTestSigner()
    let handled = () => {}
    const done = new Promise<void>((resolve) => {
      handled = resolve
    })
    const receiver = createReceiver({
      keys: [signer.key],
      inbox: memoryInbox(),
      pollMs: 5,
      retryAfterMs: () => 1,
      onEvent: ({ attempt }) => {
        if (attempt < 3) throw new Error('not yet')
        handled()
      },
    })
    receiver.start()
    await receiver.fetch(signer.request(sampleReviewEvent()))
    await done
    await receiver.stop()
  })

  test('outcome: approves what a pinned key of a reviewer signed, and nothing else', {}, async () => {
    const { asked, signed, forged } = vectors
    // Signed once and for all.
    const pinned = { ...vectors.pinned, maxAgeMs: Number.MAX_SAFE_INTEGER }
    const told = async (message: object, reviewers: Reviewers = pinned) => {
      const signer = createTestSigner()
      const heard: unknown[] = []
      const common = { keys: [signer.key], applicationId: 'app_sample' }
      const reviewed = createSignedOutcomeHandler({
        ...{ ...common, inbox: memoryInbox() },
        reviewers: {
          ...reviewers,
          expected: async () => ({ ...signed.EdDSA, presentation: asked }),
        },
        onOutcome: ({ approved, problem }) => void heard.push(approved, problem),
      })
      const careless = createOutcomeCallbackHandler({
        ...{ ...common, inbox: memoryInbox() },
        onOutcome: ({ outcome }) => void heard.push(isApproved(outcome)),
      })
      for (const handler of [reviewed, careless]) {
        const request = signer.request(message as Parameters<typeof signer.request>[0])
        expectEqual((await handler.fetch(request)).status, 204, 'the answer')
        await handler.drain()
      }
      return heard
    }
    for (const [name, message] of Object.entries(signed))
      expectEqual(await told(message), [true, null, true], name)
    for (const [name, message] of Object.entries(signed))
      expectEqual(
        await told(message, vectors.pinned),
        [false, 'out_of_time', true],
        `late: ${name}`,
      )
    for (const [name, message] of Object.entries(forged))
      expectEqual(await told(message), [false, 'not_signed', true], name)
  })

  test('outcome: approves once', {}, async () => {
    const signer = createTestSigner()
    const approved: boolean[] = []
    const handler = createOutcomeCallbackHandler({
      keys: [signer.key],
      applicationId: 'app_sample',
      inbox: memoryInbox(),
      onOutcome: ({ outcome }) => {
        approved.push(isApproved(outcome))
      },
    })
    for (const _ of [1, 2])
      expectEqual((await handler.fetch(signer.request(sampleOutcome()))).status, 204, 'the answer')
    await handler.drain()
    expectEqual(approved, [true], 'what was approved')
  })

  test('workers: the module answers and drains', {}, async () => {
    const signer = createTestSigner()
    const handled: string[] = []
    const worker = workersModule((env: { readonly KEY: string }) =>
      createReceiver({
        keys: [env.KEY],
        inbox: memoryInbox(),
        onEvent: ({ message }) => {
          handled.push(message.id)
        },
      }),
    )
    const work: Promise<unknown>[] = []
    const context = { waitUntil: (one: Promise<unknown>) => void work.push(one) }
    const request = signer.request(sampleReviewEvent())
    expectEqual(
      (await worker.fetch(request, { KEY: signer.key }, context)).status,
      204,
      'the answer',
    )
    await Promise.all(work)
    expectEqual(handled, ['evt_sample'], 'what was handled')
  })
}
