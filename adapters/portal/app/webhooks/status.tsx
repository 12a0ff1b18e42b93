import type { WebhookAnswer } from '@countersign/client'

/** Whether a webhook receives, in words with their colour. */
export function Status({ webhook }: { readonly webhook: WebhookAnswer }) {
  if (webhook.status === 'receiving') return <span class="good">receiving</span>
  return (
    <span class="bad">
      {webhook.statusReason === 'endpoint_gone' ? 'off: the address is gone' : 'turned off'}
    </span>
  )
}
