import type { EndpointAnswer, Post, Site } from './network.ts'
import type { Mode } from './plan.ts'
import type { World } from './world.ts'

interface Position {
  readonly caseVersion: number
  readonly eventSequence: number
}

/** What one customer endpoint holds: each message once, and the head of each case. */
export interface Receiver {
  readonly stored: Map<string, string>
  readonly heads: Map<string, Position>
  /** How often each message had an effect. */
  readonly effects: Map<string, number>
}

/** The rules of a receiver (interface, Receiver rules), apart so that broken ones can take their place. */
export interface ReceiverRules {
  /** Stores a message and says whether it did so for the first time. */
  store(receiver: Receiver, id: string, body: string): boolean
  /** Moves the head of the message's case. */
  fold(receiver: Receiver, event: Readonly<Record<string, unknown>>): void
}

export const rightRules: ReceiverRules = {
  store({ stored }, id, body) {
    if (stored.has(id)) return false
    stored.set(id, body)
    return true
  },
  fold({ heads }, event) {
    const id = String(event.reviewCaseId)
    const at: Position = {
      caseVersion: Number(event.caseVersion),
      eventSequence: Number(event.eventSequence),
    }
    const head = heads.get(id)
    if (!head || ahead(at, head)) heads.set(id, at)
  },
}

export function ahead(a: Position, b: Position): boolean {
  return (a.caseVersion - b.caseVersion || a.eventSequence - b.eventSequence) > 0
}

export interface Receivers extends Site {
  readonly all: ReadonlyMap<string, Receiver>
}

export function createReceivers(
  world: World,
  rules: ReceiverRules,
  ownerOf: (url: string) => string | null,
): Receivers {
  const all = new Map<string, Receiver>()

  function receiverOf(owner: string): Receiver {
    const known = all.get(owner)
    if (known) return known
    const made: Receiver = { stored: new Map(), heads: new Map(), effects: new Map() }
    all.set(owner, made)
    return made
  }

  function take(post: Post): void {
    const { text, event } = post
    const receiver = receiverOf(ownerOf(post.url) ?? post.url)
    const before = receiver.stored.get(post.id)
    if (before !== undefined && before !== text)
      world.broken('same id, same bytes', `${post.id} came to ${post.url} with another body`)
    if (!rules.store(receiver, post.id, text)) return
    receiver.effects.set(post.id, (receiver.effects.get(post.id) ?? 0) + 1)
    if ('reviewCaseId' in event && event.type !== 'review.outcome') rules.fold(receiver, event)
  }

  return {
    all,
    receive(post: Post, mode: Mode): EndpointAnswer {
      const takes = 1 + world.chance.below(30)
      switch (mode) {
        case 'error':
        case 'refused':
          return { status: 500, takes }
        case 'busy':
          return {
            status: 503,
            headers: { 'retry-after': String(world.chance.below(1_000)) },
            takes,
          }
        case 'gone':
          return { status: 410, takes }
        case 'redirect':
          return { status: 302, headers: { location: 'https://h0.test/elsewhere' }, takes }
        case 'stores_then_fails':
          take(post)
          return { status: 500, takes }
        case 'well':
        case 'no_echo':
        case 'slow':
        case 'in_time': {
          take(post)
          const echo = mode === 'no_echo' ? undefined : post.event.challenge
          const body = typeof echo === 'string' ? JSON.stringify({ challenge: echo }) : '{}'
          return {
            status: 200,
            body,
            takes: mode === 'slow' ? 11_000 : mode === 'in_time' ? 9_500 : takes,
          }
        }
      }
    },
  }
}
