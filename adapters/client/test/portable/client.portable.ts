import { ApiError, createClient } from '@countersign/client'
import { createPortalClient } from '@countersign/client/portal'
import type { RegisterTest } from '@countersign/conformance'
import { ingestOperations } from '../../ingest-operations.ts'
import { portalOperations } from '../../portal-operations.ts'

function expectEqual(found: unknown, expected: unknown, what: string): void {
  const [a, b] = [JSON.stringify(found), JSON.stringify(expected)]
  if (a !== b) throw new Error(`${what}: expected ${b}, got ${a}`)
}

type Groups = Readonly<Record<string, Readonly<Record<string, (input: object) => unknown>>>>

/** Every parameter of a path, named for itself. */
const input = Object.fromEntries(
  Object.values({ ...ingestOperations, ...portalOperations }).flatMap(({ path }) =>
    Array.from(path.matchAll(/:(\w+)/g), ([, name]) => [name, name]),
  ),
)

const review = {
  reviewCaseId: 'rc_1',
  caseVersion: 1,
  eventSequence: 1,
  sessionId: 's',
  checkpoint: { checkpointId: 'c' },
  state: 'open',
  decision: null,
  presentationDigest: null,
  response: null,
  followUps: [],
  presentation: {},
}

/** The client in whatever runtime this is, with its own Request, Response, signals, timers and digests. */
export function portableTests(test: RegisterTest): void {
  test('client: calls every operation by a request that this runtime can make', {}, async () => {
    const asked: string[] = []
    const surroundings = {
      fetch: async (url: string, init: RequestInit) => {
        const request = new Request(url, init)
        asked.push(`${request.method} ${new URL(request.url).pathname}`)
        if (request.method === 'POST' || request.method === 'PUT') await request.json()
        // As the service does, by the operation: JSON, or the first type that is asked for.
        const [type = ''] = (request.headers.get('accept') ?? '').split(',')
        return new Response('{}', { headers: { 'content-type': type } })
      },
    }
    const ingest = createClient({ ingestUrl: 'https://i.test', apiKey: 'svc_app_1', surroundings })
    const { request: _, settle: __, ...reviewCases } = ingest.reviewCases
    const portal = createPortalClient({ portalUrl: 'https://p.test', token: 't', surroundings })
    let methods = 0
    for (const api of [{ ...ingest, reviewCases }, portal] as unknown as readonly Groups[])
      for (const group of Object.values(api))
        for (const method of Object.values(group)) {
          await method(input)
          methods++
        }
    expectEqual(asked.length, methods, 'requests')
    if (methods < 80) throw new Error(`expected every operation, got ${methods}`)
  })

  test('client: waits for a human until the callback, a decision or the signal', {}, async () => {
    let decided = false
    const surroundings = {
      fetch: async () => {
        const body = decided ? { ...review, state: 'decided', decision: 'approved' } : review
        return new Response(JSON.stringify(body))
      },
    }
    const { reviewCases } = createClient({
      ingestUrl: 'https://i.test',
      apiKey: 'svc_cust_acme.component.secret',
      surroundings,
    })
    const asked = {
      sessionId: 's',
      checkpointId: 'c',
      reasonCategory: 'other',
      presentation: {},
    } as const
    const called = {
      decision: 'rejected',
      reviewCaseId: 'rc_1',
      caseVersion: 2,
      sessionId: 's',
      checkpointId: 'c',
      presentationDigest: null,
      response: null,
    } as const
    const byCallback = await reviewCases.request(asked, {
      onOpen: () => setTimeout(() => reviewCases.settle(called), 5),
    })
    expectEqual([byCallback.approved, byCallback.decision], [false, 'rejected'], 'by callback')
    const left = new AbortController()
    const aborted = await reviewCases
      .request(asked, {
        signal: left.signal,
        onOpen: () => setTimeout(() => left.abort('left'), 5),
      })
      .catch((error: unknown) => error)
    expectEqual(aborted, 'left', 'by the signal')
    const byReading = await reviewCases.request(asked, {
      pollMs: [5, 10],
      onOpen: () => {
        decided = true
      },
    })
    expectEqual([byReading.approved, byReading.decision], [true, 'approved'], 'by reading')
  })

  test('client: ends a call that nothing answers', {}, async () => {
    const surroundings = {
      fetch: (_: string, { signal }: RequestInit) =>
        new Promise<Response>((_, reject) => {
          signal?.addEventListener('abort', () => reject(signal.reason), { once: true })
        }),
    }
    const client = createClient({ ingestUrl: 'https://i.test', apiKey: 'svc_app_1', surroundings })
    const error = await client.ingest
      .usage({}, { deadlineMs: 20 })
      .catch((thrown: unknown) => thrown)
    expectEqual(error instanceof ApiError && error.code, 'deadline_exceeded', 'the deadline')
  })
}
