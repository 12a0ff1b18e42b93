import type { KeyActs } from '../parts/keys.ts'
import { stepThroughRows } from '../queue/row-keys.ts'

/** Keys of a list whose links have `data-row`. */
export const rowKeys: KeyActs = {
  j: { does: 'next row', run: () => stepThroughRows(1) },
  k: { does: 'row before', run: () => stepThroughRows(-1) },
}
