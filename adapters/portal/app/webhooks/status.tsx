import type { SummaryAnswer, WebhookAnswer } from '@countersign/client'
import { Troubles } from './troubles.tsx'

/** Whether a webhook receives and what of it fails, in words with their colour. */
export function Status({
  webhook,
  summary,
}: {
  readonly webhook: WebhookAnswer
  readonly summary: SummaryAnswer | null
}) {
  return (
    <>
      <OnOff webhook={webhook} />
      <Troubles webhook={webhook} of={summary?.webhooks} />
    </>
  )
}

function OnOff({ webhook: { status, statusReason } }: { readonly webhook: WebhookAnswer }) {
  if (status === 'receiving') return <span class="good">receiving</span>
  return (
    <span class="bad">
      {statusReason === 'endpoint_gone' ? 'off: the address is gone' : 'turned off'}
    </span>
  )
}
