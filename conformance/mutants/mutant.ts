import type { Store } from '@countersign/core/ports'
import type { Property } from '../simulator/properties.ts'
import type { ReceiverRules } from '../simulator/receivers.ts'

/** One place of the core's compiled code, which must be there exactly once, and what takes its place. */
export interface Patch {
  /** Below `core/dist`. */
  readonly file: string
  readonly find: string
  readonly put: string
}

/** A system with one thing broken, and the property that must notice. */
export interface Mutant {
  readonly name: string
  readonly property: Property
  readonly patches?: readonly Patch[]
  /** A broken store, under the eyes of the checks. */
  readonly store?: (store: Store) => Store
  /** A broken way from the processes to the store. */
  readonly port?: (store: Store) => Store
  readonly receiver?: ReceiverRules
}
