import type { Inbox } from '@countersign/core/ports'
import { createManualClock, type ManualClock } from '@countersign/core/testing'
import {
  createReceiver,
  type Drained,
  type EventTurn,
  memoryInbox,
  type Receiver,
  type ReceiverOptions,
} from '@countersign/receiver-kit'
import {
  createTestSigner,
  type SignedMessage,
  type TestSigner,
} from '@countersign/receiver-kit/testing'

export const start = Date.parse('2026-03-01T09:00:00.000Z')

export const sharedSecret: string = `whsec_${Buffer.alloc(32, 5).toString('base64')}`

/** For runs of many messages: a hash costs a hundredth of a curve. */
export function sharedSigner(now: () => number): TestSigner {
  return createTestSigner({ privateKey: sharedSecret, now })
}

export interface Seen {
  readonly name: string
  readonly fields: Readonly<Record<string, string | number | boolean | null>>
}

export interface Bench {
  readonly clock: ManualClock
  readonly signer: TestSigner
  readonly inbox: Inbox
  readonly receiver: Receiver
  readonly turns: EventTurn[]
  readonly seen: Seen[]
  /** The status and JSON body of the answer to a message. */
  send(message: SignedMessage, method?: string): Promise<{ status: number; body: unknown }>
  /** All handlers whose turn has come. */
  drain(): Promise<Drained>
  /** Details of what was told under a name. */
  told(name: string): readonly Seen['fields'][]
}

/** A receiver on a manual clock and a memory inbox, with a signer whose key it knows. */
export function createBench(change: Partial<ReceiverOptions> = {}): Bench {
  const clock = createManualClock(start)
  const signer = createTestSigner({ now: clock.now })
  const turns: EventTurn[] = []
  const seen: Seen[] = []
  const inbox = change.inbox ?? memoryInbox()
  const receiver = createReceiver({
    keys: [signer.key],
    inbox,
    clock,
    onEvent: (turn) => void turns.push(turn),
    observer: { event: (name, fields) => void seen.push({ name, fields }) },
    ...change,
  })
  return {
    clock,
    signer,
    inbox,
    receiver,
    turns,
    seen,
    send: (message, method) => send(receiver, message, method),
    drain: () => drain(receiver, clock),
    told: (name) => seen.filter((one) => one.name === name).map((one) => one.fields),
  }
}

export async function send(
  receiver: Receiver,
  { headers, body }: SignedMessage,
  method = 'POST',
): Promise<{ status: number; body: unknown }> {
  const answer = await receiver.handle({ method, headers, body })
  return { status: answer.status, body: answer.body === null ? null : JSON.parse(answer.body) }
}

export async function drain(receiver: Receiver, clock: ManualClock): Promise<Drained> {
  const drained = receiver.drain()
  await clock.advance(0)
  return await drained
}

export const bytes = (value: string): Uint8Array => new TextEncoder().encode(value)

/** These options with one of another name: its own, hidden, inherited, and a getter or a method of a class. */
export function misspelt(right: object, name: string): readonly (readonly [string, object])[] {
  class OfGetter {
    get [name]() {
      return true
    }
  }
  class OfMethod {
    [name]() {}
  }
  return [
    ['its own', { ...right, [name]: true }],
    ['hidden', Object.defineProperty({ ...right }, name, { value: true })],
    ['inherited', Object.assign(Object.create({ [name]: true }), right)],
    ['a getter', Object.assign(new OfGetter(), right)],
    ['a method', Object.assign(new OfMethod(), right)],
    ['of a parent class', Object.assign(new (class extends OfMethod {})(), right)],
  ]
}
