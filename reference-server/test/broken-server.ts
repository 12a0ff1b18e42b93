import type { Spoiler } from './relay.ts'

/** A server with a fault, made of a sound one: `api` spoils what its callers see, `deliveries` what it sends. */
export interface BrokenServer {
  readonly name: string
  /** The check that must find it. */
  readonly killedBy: string
  readonly api?: Spoiler
  readonly deliveries?: Spoiler
}
