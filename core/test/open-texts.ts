import { collections } from '@countersign/core'
import type { Collection, Sealer, Store } from '@countersign/core/ports'
import { plainSealer } from '@countersign/core/testing'
import { withOpenTexts } from '../kernel/sealing/sealed-texts.ts'

/** A store of the service's collections as the service sees it, with the texts of its rows in clear. */
export function openTexts(store: Store, sealer: Sealer = plainSealer()): Store {
  const all = collections as readonly unknown[] as readonly Collection[]
  return withOpenTexts(store, { collections: all, sealer })
}
