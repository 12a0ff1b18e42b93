import type { Store } from '@countersign/core/ports'
import type { Held } from '../../products.ts'
import type { StoreModel } from '../model.ts'

/** The store under test; `reopen` replaces it. */
export interface Real {
  readonly held: Held<Store>
  readonly reopen: ((store: Store) => Promise<Store>) | undefined
}

/** The model, likewise replaced where a command finds out which of several orders happened. */
export interface Modelled {
  model: StoreModel
}

/** One step of a history; fast-check's asyncModelRun takes it as it is. */
export interface StoreCommand {
  check(modelled: Modelled): boolean
  run(modelled: Modelled, real: Real): Promise<void>
  toString(): string
}
