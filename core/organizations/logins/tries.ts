import { ok, type RefusalCode, type Result, refuse } from '../../kernel/ledger/refusal.ts'
import { addressKey } from '../access/address-key.ts'
import type { LoginCaller } from '../access/caller.ts'
import type { AccessDeps } from '../access/deps.ts'
import type { ThrottledTries } from '../access/records.ts'
import { createDevices, type Devices } from './devices.ts'
import type { LoginKeys, LoginOutcome } from './login-throttle.ts'
import { createStoredThrottle } from './stored-throttle.ts'

/** Tries of callers, throttled by their failures. */
export interface Tries {
  readonly devices: Devices
  /** Refuses with `too_many_attempts` a caller who may not try now. */
  admit(caller: LoginCaller): Promise<Result<null, 'too_many_attempts'>>
  /** Counts a try that could not be read as a failed one. */
  reject(caller: LoginCaller): Promise<void>
  /**
   * Runs a try, which counts as a failed one where it is refused with `failure`, and as none with another code: against
   * `keys`; unless given, against the caller's device, or their address. Refuses with `too_many_attempts`. `decided` is
   * called with what came of a try that was made.
   */
  count<T, Code extends RefusalCode>(
    caller: LoginCaller,
    given: {
      readonly keys?: LoginKeys
      readonly failure: RefusalCode
      readonly decided?: (outcome: LoginOutcome) => void
    },
    run: () => Promise<Result<T, Code>>,
  ): Promise<Result<T, Code | 'too_many_attempts'>>
  /** Stores the failures that are not stored yet, and none after them; waits for at most `withinMs`. */
  drain(withinMs: number): Promise<void>
}

/** Tries with a throttle of their own. */
export function createTries(ports: AccessDeps, kind: ThrottledTries): Tries {
  const { clock, observer } = ports
  const stored = createStoredThrottle(ports, kind)
  const devices = createDevices(ports)

  /** Throttle keys of a caller whose e-mail is unknown: the device's, or the address's. */
  async function keysOf({ address, device }: LoginCaller): Promise<LoginKeys> {
    const known = await devices.recognize(device)
    return known ? { device: known.deviceId } : { email: null, address: addressKey(address) }
  }

  function tooMany(retryAfter: number): ReturnType<typeof refuse<'too_many_attempts'>> {
    observer.event('login', { outcome: 'throttled' })
    const detail = `too many failed attempts, try in ${retryAfter} s`
    return refuse('too_many_attempts', detail, { retryAfter })
  }

  return {
    devices,
    admit: async (caller) => {
      const keys = await keysOf(caller)
      const throttle = await stored.opened()
      const wait = throttle.wait(keys, clock.monotonic())
      return wait > 0 ? tooMany(wait) : ok(null)
    },
    reject: async (caller) => {
      const keys = await keysOf(caller)
      const throttle = await stored.opened()
      const now = clock.monotonic()
      const tried = throttle.begin(keys, now)
      if (tried.kind === 'try') tried.end('failed', now)
      observer.event('login', { outcome: 'malformed' })
    },
    count: async (caller, { keys, failure, decided }, run) => {
      const counted = keys ?? (await keysOf(caller))
      const throttle = await stored.opened()
      const tried = throttle.begin(counted, clock.monotonic())
      if (tried.kind === 'wait') return tooMany(tried.retryAfter)
      let outcome: LoginOutcome = 'undecided'
      try {
        const done = await run()
        if (done.ok) outcome = 'succeeded'
        else if (done.refusal.code === failure) outcome = 'failed'
        return done
      } finally {
        tried.end(outcome, clock.monotonic())
        decided?.(outcome)
      }
    },
    drain: stored.drain,
  }
}
