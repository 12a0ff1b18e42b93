import { createService, type Service } from '@countersign/core'
import type { BlobStore, Clock, Random, Store, Transport } from '@countersign/core/ports'
import type { Primitives } from '@countersign/core/signing'
import {
  plainCipher,
  plainPasswords,
  plainSealer,
  plainSessionTokens,
  type SeededRandom,
  scriptedEgress,
} from '@countersign/core/testing'
import { gatedBlobs, gatedStore } from './gated-store.ts'
import { epoch, type World } from './world.ts'

/** One run of the service on a machine, from its start to its crash. */
export interface Process {
  readonly name: string
  readonly alive: boolean
  readonly service: Service
  readonly clock: Clock
  /** Calls when it ends; the answer takes that back. */
  onEnd(call: () => void): () => void
}

/** A place where processes run one after another; its wall clock is its own. */
export interface Machine {
  readonly running: Process | null
  boot(): void
  /** Kills what runs; it starts again after `restartMs`, or never for null. */
  crash(restartMs: number | null): void
  /** Drains what runs, ends it, and starts again after `restartMs`. */
  drain(restartMs: number): void
  jump(by: number): void
  setWall(offset: number): void
}

export interface MachinePorts {
  readonly world: World
  readonly random: SeededRandom
  readonly primitives: Primitives
  readonly storeOf: (process: string) => Store
  /** Shared by all, as the store is. */
  readonly blobs: BlobStore
  readonly transportOf: (process: Process) => Transport
  readonly observe: (
    process: string,
    name: string,
    fields: Readonly<Record<string, unknown>>,
  ) => void
}

/** Secrets of the simulation are sealed alike everywhere, so that checks can open them. */
export const sealer: ReturnType<typeof plainSealer> = plainSealer('simulator')
export const ingestUrl = 'https://ingest.test'

const hourMs = 3_600_000
/** Half of what an exchange may take, so that some are cut off. */
const drainMs = 5_000

export function createMachine(index: number, ports: MachinePorts): Machine {
  const { world } = ports
  const { time, plan } = world
  let offset = 0
  let starts = 0
  let running: (Process & { end(): void }) | null = null

  function start(): Process & { end(): void } {
    const name = `m${index}.${++starts}`
    const bornAt = time.now()
    const ends = new Set<() => void>()
    let alive = true
    const clock: Clock = {
      now: () => Math.floor(epoch + time.now() + offset),
      monotonic: () => time.now() - bornAt,
      after: (ms, call) =>
        time.after(ms, () => {
          if (alive) call()
        }),
    }
    const gate = {
      name,
      alive: () => alive,
      crash: () => crash(world.phase === 'rest' ? 100 : world.chance.below(20_000)),
    }
    const random: Random = ports.random.fork()
    const process = {
      name,
      get alive() {
        return alive
      },
      clock,
      onEnd(call: () => void) {
        ends.add(call)
        return () => {
          ends.delete(call)
        }
      },
      end() {
        alive = false
        for (const call of ends) call()
      },
    }
    const { slots } = plan
    const pollMs = world.phase === 'rest' ? 12 * hourMs : plan.pollMs
    const service = createService({
      ingestUrl,
      ports: {
        store: gatedStore(ports.storeOf(name), gate, world),
        clock,
        random,
        primitives: ports.primitives,
        transport: { post: (exchange) => ports.transportOf(whole).post(exchange) },
        egress: scriptedEgress(),
        sealer,
        cipher: plainCipher(),
        blobs: gatedBlobs(ports.blobs, gate, world),
        passwords: plainPasswords(),
        tokens: plainSessionTokens(),
        observer: { event: (what, fields) => ports.observe(name, what, fields) },
      },
      dispatcher: {
        owner: name,
        slots: slots * 4,
        slotsPerTenant: slots * 3,
        slotsPerEndpoint: slots,
        slotsForSuspects: slots,
        pollMs,
      },
      runner: { pollMs },
      deletionGraceMs: plan.graceMs,
      // What looks at old rows every hour would be most of all that happens in days.
      retention: { everyMs: Math.max(hourMs, pollMs) },
    })
    const whole = Object.defineProperty(process, 'service', { value: service }) as Process & {
      end(): void
    }
    return whole
  }

  function boot(): void {
    if (running) return
    running = start()
    world.note(`${running.name} starts`)
    running.service.start()
  }

  function crash(restartMs: number | null): void {
    const ended = running
    running = null
    ended?.end()
    if (restartMs !== null) time.after(restartMs, boot)
  }

  return {
    get running() {
      return running
    },
    boot,
    crash(restartMs) {
      if (running) world.note(`${running.name} is killed`)
      crash(restartMs)
    },
    drain(restartMs) {
      const ending = running
      if (!ending) return
      world.note(`${ending.name} drains`)
      ending.service.drain(drainMs).then(
        () => {
          if (running === ending) crash(restartMs)
        },
        (error: unknown) => world.broken('nothing throws', `a drain: ${String(error)}`),
      )
    },
    jump(by) {
      offset += by
      world.note(`m${index} wall clock jumps by ${by} ms`)
    },
    setWall(to) {
      offset = to
    },
  }
}
