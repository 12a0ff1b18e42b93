import type { Store } from '@countersign/core/ports'

/** A store that acts once, right behind the first answer with rows of a collection: what was read is then old. */
export function actingBetween(
  store: Store,
  collection: string,
  act: () => Promise<unknown>,
): { readonly store: Store; readonly acted: () => boolean } {
  let acted = false
  return {
    acted: () => acted,
    store: {
      ...store,
      async read(tenant, reads) {
        const found = await store.read(tenant, reads)
        if (!acted && reads.some((read) => 'list' in read && read.list === collection)) {
          acted = true
          await act()
        }
        return found
      },
    },
  }
}
