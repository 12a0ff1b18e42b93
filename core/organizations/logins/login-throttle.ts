import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'

/** Failures without a delay. */
export const freeFailures = 5
const longestDelayMs = 15 * 60_000
/** Failures of a key expire after this time. */
const forgottenAfterMs = 60 * 60_000

/** State of one e-mail, address or device. */
export interface Failures {
  readonly count: number
  readonly lastAt: number
  /** Attempts whose password is being checked at this moment. */
  readonly running: number
}

const noFailures: Failures = { count: 0, lastAt: 0, running: 0 }

/** Ms after the n-th failure in a row in which no try is made: 0 up to the fourth, then 1 s, 2 s, 4 s … 15 minutes. */
export function delayAfter(count: number): number {
  if (count < freeFailures) return 0
  return Math.min(longestDelayMs, 1000 * 2 ** Math.min(count - freeFailures, 20))
}

/**
 * Ms until the next try may start, 0 for now. Running attempts count as failures until they end, so that a
 * hundred concurrent ones get no more tries than a hundred in a row.
 */
export function waitFor(failures: Failures, now: number): number {
  const wait = failures.lastAt + delayAfter(failures.count) - now
  if (failures.count > 0 && wait > 0) return wait
  const room = Math.max(1, freeFailures - failures.count)
  return failures.running < room ? 0 : 1000
}

export function started(failures: Failures): Failures {
  return { ...failures, running: failures.running + 1 }
}

export type LoginOutcome = 'failed' | 'succeeded' | 'undecided'

/** `forgives` is true for an e-mail and for a device: a success wipes its failures; an address keeps its own, for it may try its own account in between. */
export function ended(
  failures: Failures,
  outcome: LoginOutcome,
  now: number,
  forgives: boolean,
): Failures {
  const running = Math.max(0, failures.running - 1)
  if (outcome === 'failed') return { count: failures.count + 1, lastAt: now, running }
  return outcome === 'succeeded' && forgives ? { ...noFailures, running } : { ...failures, running }
}

function isForgotten(failures: Failures, now: number): boolean {
  return failures.running === 0 && now - failures.lastAt >= forgottenAfterMs
}

/** Whose failures a try counts against. */
export type LoginKeys =
  /** A device that this e-mail has logged in from before. */
  | { readonly device: string }
  /** Anyone else; the e-mail is null where none could be read. */
  | { readonly email: string | null; readonly address: string }

export type LoginTry =
  /** Whole seconds until a try may be made. */
  | { readonly kind: 'wait'; readonly retryAfter: number }
  /** `end` is to be called once, with what became of it. */
  | { readonly kind: 'try'; end(outcome: LoginOutcome, now: number): void }

/** The failures of a key without its running attempts, which end with the process. */
export type CountedFailures = Omit<Failures, 'running'>

export interface LoginThrottle {
  /** Whole seconds until these may try, 0 for now. */
  wait(keys: LoginKeys, now: number): number
  begin(keys: LoginKeys, now: number): LoginTry
  /** The failures of a key; null where there are none. */
  failuresOf(key: string): CountedFailures | null
  /** Takes failures that were counted earlier, in the order of their `lastAt`. */
  restore(failures: Iterable<readonly [key: string, CountedFailures]>): void
}

/** Keys of e-mails and addresses, and of devices, whose failures are remembered. */
export interface ThrottleCapacity {
  readonly strangers: number
  readonly devices: number
}

/**
 * Counts failures by key: `email`, `address` or `device`, and the hex SHA-256 of it. Devices have a table of their own,
 * so that strangers and known devices neither delay nor evict each other. `changed` is called with a key whose failures
 * are others now, or gone.
 */
export function createLoginThrottle(
  capacity: ThrottleCapacity,
  changed: (key: string) => void = () => {},
): LoginThrottle {
  const tables = {
    strangers: createTable(capacity.strangers, changed),
    devices: createTable(capacity.devices, changed),
  }
  const tableOf = (key: string) => (key.startsWith('device ') ? tables.devices : tables.strangers)

  function placesOf(keys: LoginKeys): { readonly table: Table; readonly names: readonly Name[] } {
    if ('device' in keys)
      return {
        table: tables.devices,
        names: [{ key: keyOf('device', keys.device), forgives: true }],
      }
    const address = { key: keyOf('address', keys.address), forgives: false }
    if (keys.email === null) return { table: tables.strangers, names: [address] }
    const email = { key: keyOf('email', keys.email), forgives: true }
    return { table: tables.strangers, names: [email, address] }
  }

  function wait(keys: LoginKeys, now: number): number {
    const { table, names } = placesOf(keys)
    return Math.ceil(Math.max(...names.map(({ key }) => waitFor(table.read(key, now), now))) / 1000)
  }

  return {
    wait,
    begin(keys, now) {
      const retryAfter = wait(keys, now)
      if (retryAfter > 0) return { kind: 'wait', retryAfter }
      const { table, names } = placesOf(keys)
      for (const { key } of names) table.keep(key, started(table.read(key, now)))
      return {
        kind: 'try',
        end(outcome, at) {
          for (const { key, forgives } of names)
            table.keep(key, ended(table.held(key), outcome, at, forgives))
        },
      }
    },
    failuresOf(key) {
      const { count, lastAt } = tableOf(key).held(key)
      return count === 0 ? null : { count, lastAt }
    },
    restore(failures) {
      for (const [key, { count, lastAt }] of failures) {
        tableOf(key).restore(key, { count, lastAt })
      }
    },
  }
}

function keyOf(kind: 'email' | 'address' | 'device', name: string): string {
  return `${kind} ${bytesToHex(sha256(utf8ToBytes(name)))}`
}

interface Name {
  readonly key: string
  readonly forgives: boolean
}

interface Table {
  /** The failures of a key, none where they are old enough. */
  read(key: string, now: number): Failures
  held(key: string): Failures
  keep(key: string, failures: Failures): void
  restore(key: string, failures: CountedFailures): void
}

/** Failures of at most `capacity` keys, beside those with a running try; the longest quiet ones go first. */
function createTable(capacity: number, changed: (key: string) => void): Table {
  // Insertion order is the order of the last failure: a changed entry is taken out and put back.
  const entries = new Map<string, Failures>()
  const held = (key: string) => entries.get(key) ?? noFailures

  function place(key: string, failures: Failures): void {
    entries.delete(key)
    if (failures.count === 0 && failures.running === 0) return
    entries.set(key, failures)
    for (const [oldest, { running }] of entries) {
      if (entries.size <= capacity) return
      if (running > 0) continue
      entries.delete(oldest)
      changed(oldest)
    }
  }

  return {
    held,
    read(key, now) {
      const failures = held(key)
      return isForgotten(failures, now) ? noFailures : failures
    },
    keep(key, failures) {
      const was = held(key)
      if (was.count !== failures.count || was.lastAt !== failures.lastAt) changed(key)
      place(key, failures)
    },
    restore(key, failures) {
      place(key, { ...failures, running: held(key).running })
    },
  }
}
