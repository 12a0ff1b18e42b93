import type { Service } from '@countersign/core'
import type { Refusal, Result } from '@countersign/core/ledger'
import type { SeededRandom } from '@countersign/core/testing'
import type { Machine } from '../machine.ts'
import type { World } from '../world.ts'

/** What a client knows after asking: `unknown` when the process died, broke or took too long. */
export type Heard<T> =
  | { readonly kind: 'ok'; readonly value: T }
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  | { readonly kind: 'unknown' }

export interface Client {
  /** Asks some running machine, and another when nothing was heard. */
  ask<T>(
    draw: SeededRandom,
    label: string,
    call: (service: Service) => Promise<Result<T>>,
  ): Promise<Heard<T>>
  /** Calls that wait for an answer. */
  readonly waiting: number
  wait(ms: number): Promise<void>
}

const patienceMs = 150_000
const tries = 4

export function createClient(world: World, machines: readonly Machine[]): Client {
  const { time } = world
  let waiting = 0
  const wait = (ms: number) => new Promise<void>((done) => time.after(ms, done))

  function mayThrow(): boolean {
    const { storeError, storeErrorAfter } = world.plan.rates
    return storeError > 0 || storeErrorAfter > 0
  }

  function askOnce<T>(
    machine: Machine,
    label: string,
    call: (service: Service) => Promise<Result<T>>,
  ): Promise<Heard<T>> {
    const process = machine.running
    if (!process) return Promise.resolve({ kind: 'unknown' })
    return new Promise<Heard<T>>((resolve) => {
      const hear = (heard: Heard<T>) => {
        forget()
        cancel()
        resolve(heard)
      }
      const forget = process.onEnd(() => hear({ kind: 'unknown' }))
      const cancel = time.after(patienceMs, () => hear({ kind: 'unknown' }))
      call(process.service).then(
        (result) => {
          if (!process.alive) return
          hear(
            result.ok
              ? { kind: 'ok', value: result.value }
              : { kind: 'refused', refusal: result.refusal },
          )
        },
        (error: unknown) => {
          if (!process.alive) return
          if (!mayThrow()) world.broken('nothing throws', `${label}: ${String(error)}`)
          hear({ kind: 'unknown' })
        },
      )
    })
  }

  return {
    get waiting() {
      return waiting
    },
    wait,
    async ask(draw, label, call) {
      waiting++
      for (let turn = 0; turn < tries; turn++) {
        const up = machines.filter(({ running }) => running !== null)
        const machine = up[draw.below(Math.max(1, up.length))]
        const heard = machine ? await askOnce(machine, label, call) : null
        if (heard && heard.kind !== 'unknown') {
          waiting--
          const said = heard.kind === 'ok' ? 'ok' : heard.refusal.code
          world.note(`client hears ${said} to ${label}`)
          return heard
        }
        await wait(500 + draw.below(5_000))
      }
      waiting--
      world.note(`client gives up on ${label}`)
      return { kind: 'unknown' }
    },
  }
}
