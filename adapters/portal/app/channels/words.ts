import type { NotificationChannelAnswer, NotificationChannelTestAnswer } from '@countersign/client'

type Kind = NotificationChannelAnswer['kind']

/** Chat tools by name. */
export const kindWords: Readonly<Record<Kind, string>> = {
  slack: 'Slack',
  teams: 'Microsoft Teams',
}

/** The host of a channel's address, of which the rest is its secret. */
export function hostOf(webhookUrl: string): string {
  return URL.canParse(webhookUrl) ? new URL(webhookUrl).host : webhookUrl
}

/** How a test went. */
export function testWords({
  outcome,
  responseStatus,
  error,
}: NotificationChannelTestAnswer): string {
  const answered = responseStatus === null ? 'no answer' : `status ${responseStatus}`
  return outcome === 'delivered'
    ? `The test message arrived: ${answered}.`
    : `The test message failed: ${answered}${error ? `, ${error}` : ''}.`
}
