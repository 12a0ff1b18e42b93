type Outcome = 'until' | 'idle' | 'limit'

/** What a simulation waits for that is no part of it, as a real store; null where there is nothing. */
export type Outside = () => Promise<void> | null

/** Steps for one turn of Node's event loop: a turn for each would cost a sixth of the whole simulation. */
const stepsATurn = 32

/**
 * Takes step after step until one has an outcome. Between two of them every promise settles that needs no event, for
 * Node empties the microtask queue after each immediate. Those that need one are waited for by `outside`.
 */
function inTurns(step: () => Outcome | null, outside: Outside): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    let over = false
    let held = false
    let left = 0
    const take = () => {
      left--
      if (over || held) return
      try {
        const waits = outside()
        if (waits) {
          held = true
          waits.then(release, reject)
          return
        }
        const outcome = step()
        if (outcome !== null) {
          over = true
          resolve(outcome)
        } else if (left === 0) queue()
      } catch (error) {
        over = true
        reject(error)
      }
    }
    const queue = () => {
      for (left = 0; left < stepsATurn; left++) setImmediate(take)
    }
    const release = () => {
      held = false
      if (left === 0) queue()
    }
    queue()
  })
}

/** The one source of order in a simulation: things happen one after another, at moments of a clock that nobody waits for. */
export interface VirtualTime {
  /** Ms since the start. */
  now(): number
  /** Calls after `ms`; what is asked for the same moment happens in the order of asking. The answer cancels. */
  after(ms: number, call: () => void): () => void
  /** Goes on at once by so many ms, as for a machine that slept: what was due meanwhile is late. */
  leap(ms: number): void
  /** Lets things happen until `until` holds, nothing is left, or the moment `limit` is reached. */
  run(until: () => boolean, limit: number): Promise<Outcome>
  /** Things that happened so far. */
  readonly steps: number
}

interface Event {
  readonly at: number
  readonly order: number
  call: (() => void) | null
}

/** Moments are multiples of this, in ms, so that sums of them are exact and no timer falls short of its time. */
const grain = 1 / 8

function earlier(a: Event, b: Event): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order)
}

export function createVirtualTime(outside: Outside = () => null): VirtualTime {
  const heap: Event[] = []
  let now = 0
  let made = 0
  let steps = 0

  function push(event: Event): void {
    let at = heap.length
    heap.push(event)
    while (at > 0) {
      const above = (at - 1) >> 1
      const parent = heap[above] as Event
      if (!earlier(event, parent)) break
      heap[at] = parent
      at = above
    }
    heap[at] = event
  }

  function pop(): Event | undefined {
    const first = heap[0]
    const last = heap.pop()
    if (!first || !last || first === last) return first
    let at = 0
    for (;;) {
      let below = 2 * at + 1
      if (below >= heap.length) break
      const right = heap[below + 1]
      if (right && earlier(right, heap[below] as Event)) below++
      const child = heap[below] as Event
      if (!earlier(child, last)) break
      heap[at] = child
      at = below
    }
    heap[at] = last
    return first
  }

  function step(until: () => boolean, limit: number): Outcome | null {
    if (until()) return 'until'
    let next = heap[0]
    while (next && next.call === null) {
      pop()
      next = heap[0]
    }
    if (!next) return 'idle'
    if (next.at > limit) {
      now = Math.max(now, limit)
      return 'limit'
    }
    pop()
    now = Math.max(now, next.at)
    steps++
    next.call?.()
    return null
  }

  return {
    now: () => now,
    after(ms, call) {
      const event: Event = {
        at: now + Math.ceil(Math.max(0, ms) / grain) * grain,
        order: made++,
        call,
      }
      push(event)
      return () => {
        event.call = null
      }
    },
    leap(ms) {
      now += ms
    },
    run: (until, limit) => inTurns(() => step(until, limit), outside),
    get steps() {
      return steps
    },
  }
}
