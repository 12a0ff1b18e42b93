import type { Clock } from '@countersign/core/ports'

/** The last failure of an inbox. */
export interface InboxFailure {
  /** Ms since the epoch. */
  readonly at: number
  readonly detail: string
}

/** Remembers whether the last call of the inbox failed. */
export interface InboxHealth {
  watch<T>(call: Promise<T>): Promise<T>
  failure(): InboxFailure | null
}

export function createInboxHealth(clock: Clock): InboxHealth {
  let failure: InboxFailure | null = null
  return {
    async watch(call) {
      try {
        const result = await call
        failure = null
        return result
      } catch (error) {
        failure = { at: clock.now(), detail: String(error) }
        throw error
      }
    },
    failure: () => failure,
  }
}
