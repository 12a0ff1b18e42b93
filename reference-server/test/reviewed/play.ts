import type { Reviews, RunContext } from '@countersign/agents'
import type { Client } from '@countersign/client'

/** What the tool `transfer` is called with. */
export interface Payment {
  readonly to: string
  readonly amount: number
}

/** A call that the model makes. */
export interface Scripted {
  readonly callId: string
  readonly input: Payment
}

/** What of an agent outlives its process. */
export interface Disk {
  load(): string | null
  save(text: string): void
}

/** An agent that makes calls of the tool `transfer`, and then says that it is done. */
export interface Play<D extends Disk = Disk> {
  /** Of the application, as its reviews have it. */
  readonly client: Client
  readonly reviews: Reviews
  readonly sessionId: string
  readonly calls: readonly Scripted[]
  readonly disk: D
  pay(input: Payment, context: RunContext): Promise<string>
  /** What acts changes after an interrupt was answered. */
  readonly alter?: (input: Payment) => Payment
}

/** A way into a framework, as an agent that is played. */
export interface Entry<D extends Disk = Disk> {
  /** Runs the agent to its end, from the beginning or from what its disk has; resolves to all that the model heard. */
  run(play: Play<D>): Promise<string>
  /** Asks for one call of a step after the other. */
  readonly stepwise?: true
  /** Calls have no ids: they are known by their content. */
  readonly byContent?: true
  /** Two processes that make a call at once may have one case of it, such as a task. */
  readonly sharesCases?: true
  /** No policy says whether to ask. */
  readonly asksAlways?: true
  /** Denies while the service is away, and waits for no one. */
  readonly deniesAway?: true
}

/** What outlives an agent that is abandoned within this process. */
export function memoryDisk(): Disk {
  let kept: string | null = null
  return {
    load: () => kept,
    save: (text) => {
      kept = text
    },
  }
}
