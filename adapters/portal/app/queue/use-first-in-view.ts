import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'

/** More rows than a common window shows at once. */
const rowsInView = 20

/** Of rows that came at once, those that a window shows, for the first paint; after it all of them. */
export function useFirstInView<Row>(rows: readonly Row[]): readonly Row[] {
  const isPainted = useSignal(false)
  const hasRows = rows.length > 0
  useEffect(() => {
    if (hasRows) isPainted.value = true
  }, [hasRows])
  return isPainted.value ? rows : rows.slice(0, rowsInView)
}
