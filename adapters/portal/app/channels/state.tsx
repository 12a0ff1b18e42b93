import type { NotificationChannelAnswer } from '@countersign/client'

/** Whether a channel gets messages, and how the last one fared, in words with their colour. */
export function State({ channel }: { readonly channel: NotificationChannelAnswer }) {
  if (channel.state === 'turned_off') return <span class="bad">off: the address is gone</span>
  if (!channel.enabled) return <span class="warned">turned off</span>
  return channel.lastError === null ? (
    <span class="good">on</span>
  ) : (
    <span class="warned">on, the last message failed</span>
  )
}
