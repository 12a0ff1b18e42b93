import type { Clock } from '@countersign/core/ports'

/** A place in the ring that each slot of the wheel is; null outside. */
export interface Link {
  previous: Link | null
  next: Link | null
}

/** Something that must end in time; it holds its own links, for sets kept the ended ones alive for the collector. */
export interface Deadline extends Link {
  /** Monotonic ms; ahead of now when it is added. */
  readonly at: number
  expire(): void
}

export interface DeadlineWheel<D extends Deadline> {
  add(deadline: D): void
  /** Does nothing for one that is not there. */
  remove(deadline: D): void
  /** Those that are watched now. */
  all(): readonly D[]
}

const tickMs = 50
const slotCount = 256

/**
 * Watches any number of deadlines with one timer, which runs only while there are some: an abort signal with a
 * timer for each POST cost 18 µs. A deadline is told at most one tick late and never early.
 */
export function createDeadlineWheel<D extends Deadline>(clock: Clock): DeadlineWheel<D> {
  const slots = Array.from({ length: slotCount }, emptyRing)
  let held = 0
  let turning = false
  /** The last tick whose slot was looked at. */
  let seen = 0

  const slotOf = (tick: number) => slots[tick % slotCount] as Link

  function within(head: Link): readonly D[] {
    const found: D[] = []
    // Every link of a ring but its head is a deadline.
    for (let link = head.next; link && link !== head; link = link.next) found.push(link as D)
    return found
  }

  function turn(): void {
    const now = clock.monotonic()
    const until = Math.floor(now / tickMs)
    // After a long stall one round sees every slot.
    for (let tick = Math.max(seen + 1, until - slotCount + 1); tick <= until; tick++)
      // One that is further away than a round stays for the next; one that expires may take others with it.
      for (const deadline of within(slotOf(tick)))
        if (deadline.at <= now && deadline.next) {
          remove(deadline)
          deadline.expire()
        }
    seen = until
    turning = false
    if (held > 0) turnNext(now)
  }

  /** At the end of the tick that has begun, so that lateness does not add up. */
  function turnNext(now: number): void {
    turning = true
    clock.after((Math.floor(now / tickMs) + 1) * tickMs - now, turn)
  }

  function remove(deadline: Link): void {
    const { previous, next } = deadline
    if (!previous || !next) return
    previous.next = next
    next.previous = previous
    deadline.previous = null
    deadline.next = null
    held--
  }

  return {
    add(deadline) {
      const head = slotOf(Math.ceil(deadline.at / tickMs))
      deadline.previous = head
      deadline.next = head.next
      if (head.next) head.next.previous = deadline
      head.next = deadline
      held++
      if (turning) return
      const now = clock.monotonic()
      seen = Math.floor(now / tickMs)
      turnNext(now)
    },
    remove,
    all: () => slots.flatMap(within),
  }
}

function emptyRing(): Link {
  const head: Link = { previous: null, next: null }
  head.previous = head
  head.next = head
  return head
}
