import type { DeliveryAnswer } from '@countersign/client'
import { statusWords } from './delivery-words.ts'

/** How far a delivery is, in words with their colour. */
export function StatusWord({ status }: { readonly status: DeliveryAnswer['status'] }) {
  const tone = { delivered: 'good', dead_lettered: 'bad', retry_scheduled: 'warned' }
  return <span class={tone[status as keyof typeof tone]}>{statusWords[status] ?? status}</span>
}
