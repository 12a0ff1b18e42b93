import type { RequestListener } from 'node:http'
import type { Clock, Inbox } from '@countersign/core/ports'
import type { Head } from './disk.ts'
import { createListener } from './listener.ts'
import type { RunningReceiver } from './plain-receiver.ts'
import type { ReceiverKeys } from './steps.ts'

/** The part of a receiver of the kit that is used; the kit is given, not imported. */
export interface KitReceiver {
  start(): void
  stop(): Promise<void>
}

/** What a handler of the kit is given, as far as these receivers look at it. */
export interface KitTurn {
  readonly event: { readonly id: string }
  readonly position: 'head' | 'history' | 'unordered'
}

/** The options of the kit's `createReceiver` that are used. */
export interface KitOptions {
  readonly keys: readonly string[]
  readonly legacySecrets: readonly string[]
  readonly inbox: Inbox
  readonly clock: Clock
  readonly holdMs: number
  readonly pollMs: number
  readonly onEvent: (turn: KitTurn) => Promise<void>
}

/** Runs a receiver of the kit over HTTP, with all that a probe can offer; `host` binds it to a framework. */
export async function startKitReceiver<R extends KitReceiver>(
  given: ReceiverKeys,
  kit: {
    readonly inbox: Inbox
    readonly createReceiver: (options: KitOptions) => R
    readonly host: (receiver: R) => RequestListener
  },
): Promise<RunningReceiver> {
  const listener = await createListener()
  const effects = new Map<string, number>()
  let clock: number | null = null
  let delayMs = 0
  let failing = false
  let stop = async () => {}

  async function start(): Promise<void> {
    let alive = true
    const acted = new Set<string>()
    const receiver = kit.createReceiver({
      keys: given.verifyKeys,
      legacySecrets: [given.legacySecret],
      inbox: mortal(kit.inbox, {
        isAlive: () => alive,
        isFailing: () => failing,
      }),
      clock: {
        now: () => clock ?? Date.now(),
        monotonic: () => performance.now(),
        after(ms, call) {
          const timer = setTimeout(call, ms)
          return () => clearTimeout(timer)
        },
      },
      // What a killed life held is free again soon.
      holdMs: 1_000,
      pollMs: 50,
      async onEvent({ event, position }) {
        if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs))
        if (!alive || position === 'history') return
        // After a crash a turn may come again, and the business logic knows its own id; in one life it must not.
        const again = effects.has(event.id) && !acted.has(event.id)
        acted.add(event.id)
        if (!again) effects.set(event.id, (effects.get(event.id) ?? 0) + 1)
      },
    })
    receiver.start()
    await listener.listen(kit.host(receiver))
    stop = async () => {
      alive = false
      await listener.kill()
      await receiver.stop()
    }
  }

  await start()
  return {
    url: listener.url,
    probe: {
      async read({ ids, reviewCaseIds }) {
        const has = await kit.inbox.has(ids)
        const heads: (Head | null)[] = []
        for (const id of reviewCaseIds) heads.push(await kit.inbox.head(id))
        const asked = new Set(ids)
        return {
          stored: ids.flatMap((id, at) => (has[at] ? [{ id }] : [])),
          effects: [...effects].flatMap(([id, count]) => (asked.has(id) ? [{ id, count }] : [])),
          heads: heads.flatMap((head) => head ?? []),
        }
      },
      async restart() {
        await stop()
        await start()
      },
      async setClock(now) {
        clock = now
      },
      async setDelay(ms) {
        delayMs = ms
      },
      async setStoreFailure(on) {
        failing = on
      },
    },
    close: () => stop(),
  }
}

/** An inbox as one process sees it: dead, it writes nothing more, however its promises end. */
function mortal(
  inbox: Inbox,
  { isAlive, isFailing }: { isAlive: () => boolean; isFailing: () => boolean },
): Inbox {
  const living = <A extends readonly unknown[], T>(call: (...args: A) => Promise<T>) => {
    return async (...args: A): Promise<T> => {
      if (!isAlive()) throw new Error('the process is dead')
      return call(...args)
    }
  }
  return {
    store: living(async (entry) => {
      if (isFailing()) throw new Error('no space left on device')
      return inbox.store(entry)
    }),
    head: living((id) => inbox.head(id)),
    take: living((query) => inbox.take(query)),
    hold: living((turns, until) => inbox.hold(turns, until)),
    handled: living((turn, at) => inbox.handled(turn, at)),
    failed: living((turn, retryAt, reason) => inbox.failed(turn, retryAt, reason)),
    has: living((ids) => inbox.has(ids)),
    close: async () => {},
  }
}
