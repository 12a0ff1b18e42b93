import type { Clock } from '../../base/ports/clock.ts'
import type { Versioned } from '../../base/ports/store.ts'
import type { ExchangeResult } from '../../base/ports/transport.ts'
import { newId } from '../../kernel/ledger/ids.ts'
import { commit, type Ledger } from '../../kernel/ledger/ledger.ts'
import { get, one, put } from '../../kernel/ledger/reads.ts'
import { describeFailure, failureOf, judge } from '../../outbox/answer.ts'
import type { Endpoint, Kind, Outcomes } from '../../outbox/kind.ts'
import { begin, giveUp, settle } from '../../outbox/machine.ts'
import {
  type AttemptRecord,
  attempts,
  type Delivery,
  deliveries,
  messages,
} from '../../outbox/records.ts'
import type { SeededRandom } from '../../testing/index.ts'

/** A POST as the endpoint sees it. */
export interface Post {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
  readonly endpointId: string
  readonly messageId: string
  readonly type: string
  readonly event: Readonly<Record<string, unknown>>
  readonly at: number
  readonly generation: number
  /** What was answered; null while in flight, or when nothing was. */
  status: number | null
}

export type Reply = (post: Post) => ExchangeResult

/** A POST in flight; `land` gives the answer and commits what follows. */
export interface Flight {
  readonly post: Post
  land(answer: ExchangeResult): Promise<void>
}

const leaseMs = 30_000

/**
 * The least dispatcher: claims one delivery at a time, and keeps POST and settle apart, so that a test can put
 * anything between them.
 */
export function createStepper(ports: {
  readonly ledger: Ledger
  readonly clock: Clock
  readonly random: SeededRandom
  readonly kinds: readonly Kind[]
}) {
  const { ledger, clock, random } = ports
  const { store } = ledger
  const posts: Post[] = []
  const waiting = new Map<string, (record: AttemptRecord | null) => void>()

  const outcomes: Outcomes = {
    next: (endpointId, messageId, withinMs) =>
      new Promise((resolve) => {
        waiting.set(`${endpointId} ${messageId}`, resolve)
        clock.after(withinMs, () => resolve(null))
      }),
  }

  async function settled(
    kind: Kind,
    found: Versioned<Delivery>,
    after: Delivery,
    endpoint: Endpoint | null,
    answer: ExchangeResult | null,
    record: AttemptRecord | null,
  ): Promise<void> {
    const outcome = { before: found.row, after, answer, endpoint }
    const mine = [put(deliveries, after, found), ...(record ? [put(attempts, record, null)] : [])]
    let tries = 0
    await ledger.execute<null>(found.row.tenantId, async (unit) => {
      if (tries++ > 0) {
        const key = [found.row.endpointId, found.row.messageId] as const
        const [now] = await unit.read([get(deliveries, key)])
        // Another holds the delivery: nothing is to be changed.
        if (one(deliveries, now)?.version !== found.version) return { kind: 'answer', value: null }
      }
      const parts = kind.entails(outcome) ? await kind.consequences(outcome, unit) : {}
      return commit({ ...parts, puts: [...mine, ...(parts.puts ?? [])] }, null)
    })
    if (record) waiting.get(`${record.endpointId} ${record.messageId}`)?.(record)
  }

  /** Claims the next due delivery and signs it; null when nothing is due, `over` when it needed no POST. */
  async function take(): Promise<Flight | 'over' | null> {
    const now = clock.now()
    const lanes = await store.lanes({ in: deliveries.name, now, after: '', take: 100 })
    const lane = lanes[random.below(Math.max(1, lanes.length))]
    if (!lane) return null
    const asks = [{ lane: lane.lane, take: 1 }]
    const owner = 'stepper'
    const [claimed] = await store.claim({
      in: deliveries.name,
      asks,
      now,
      leaseUntil: now + leaseMs,
      owner,
    })
    if (!claimed) return null
    return launch(claimed as Versioned<Delivery>)
  }

  async function launch(found: Versioned<Delivery>): Promise<Flight | 'over'> {
    const { row } = found
    const now = clock.now()
    const kind = ports.kinds.find(({ name }) => name === row.kind)
    if (!kind) throw new Error(`no kind ${row.kind}`)
    const endpoint = (await kind.endpoints([row.endpointId], now)).get(row.endpointId) ?? null
    if (!endpoint?.admits(row)) {
      await settled(kind, found, giveUp(row, now), endpoint, null, null)
      return 'over'
    }
    const begun = begin(row, now)
    if (!begun.send) {
      await settled(kind, found, begun.after, endpoint, null, null)
      return 'over'
    }
    const [read] = await ledger.read(null, [get(messages, [row.messageId])])
    const body = one(messages, read)?.row.body
    if (!body) throw new Error(`no body of ${row.messageId}`)
    const { messageId, family } = row
    const headers = await endpoint.sign({ messageId, body, family, now })
    const post: Post = {
      url: endpoint.url,
      headers,
      body,
      endpointId: row.endpointId,
      messageId,
      type: row.type,
      event: JSON.parse(new TextDecoder().decode(body)),
      at: now,
      generation: row.generation,
      status: null,
    }
    posts.push(post)
    return {
      post,
      land: async (answer) => {
        const verdict = judge(answer, clock.now())
        const moment = {
          startedAt: now,
          postedAt: now,
          now: clock.now(),
          deliveredAt: clock.now(),
          jitter: random.below(1_000) / 1_000,
          responseStatus: answer.kind === 'answer' ? answer.status : null,
          error: failureOf(answer),
        }
        const after = settle(row, verdict, moment)
        if (answer.kind === 'answer') post.status = answer.status
        await settled(kind, found, after, endpoint, answer, recordOf(post, row, answer))
      },
    }
  }

  function recordOf(post: Post, row: Delivery, answer: ExchangeResult): AttemptRecord {
    const heard = answer.kind === 'answer' ? answer : null
    return {
      endpointId: row.endpointId,
      attemptId: newId('att', post.at, random),
      tenantId: row.tenantId,
      applicationId: row.applicationId,
      deliveryId: row.deliveryId,
      messageId: row.messageId,
      type: row.type,
      family: row.family,
      attempt: row.attempts,
      trigger: row.attempts > 1 ? 'retry' : row.trigger,
      startedAt: post.at,
      latencyMs: answer.latencyMs,
      outcome: describeFailure(answer) === null ? 'delivered' : 'failed',
      error: describeFailure(answer),
      requestHeaders: post.headers,
      responseStatus: heard?.status ?? null,
      responseHeaders: heard?.headers ?? null,
      responseBody: heard?.body ?? null,
      truncated: heard?.truncated ?? false,
    }
  }

  /** Delivers whatever is due now; answers how many POSTs were made. */
  async function pump(reply: Reply): Promise<number> {
    let made = 0
    for (let flight = await take(); flight; flight = await take()) {
      if (flight === 'over') continue
      await flight.land(reply(flight.post))
      made++
    }
    return made
  }

  return { posts, outcomes, take, pump }
}
