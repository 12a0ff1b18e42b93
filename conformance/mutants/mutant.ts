import type { Store } from '@countersign/core/ports'
import type { Task } from '../simulator/campaign.ts'
import type { Property } from '../simulator/properties.ts'
import type { ReceiverRules } from '../simulator/receivers.ts'
import type { Parts } from './modules.ts'

/** A system with one thing broken, and the property that must notice. */
export interface Mutant {
  readonly name: string
  readonly property: Property
  /** What its plans are of; cases unless given. */
  readonly of?: Task['of']
  /** Exports of the core's modules that other functions take the place of. */
  readonly parts?: Parts
  /** A broken store, under the eyes of the checks. */
  readonly store?: (store: Store) => Store
  /** A broken way from the processes to the store. */
  readonly port?: (store: Store) => Store
  readonly receiver?: ReceiverRules
}
