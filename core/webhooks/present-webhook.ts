import { showAll } from '../kernel/members.ts'
import { previousAt } from '../kernel/sealing/shared-secret.ts'
import type { IssuerKeyRing } from '../keys/records.ts'
import { coming, signing } from '../keys/ring.ts'
import { formatPublicKey } from '../proof/signing/key-text.ts'
import { shownWebhook, type Webhook, type WebhookView } from './records.ts'

/** A webhook as it is returned; `secret` only in the answer that made or rotated it. */
export function webhookView(
  webhook: Webhook,
  ring: IssuerKeyRing | null,
  now: number,
  secret?: string,
): WebhookView {
  return showAll(shownWebhook, {
    ...webhook,
    id: webhook.webhookId,
    signing: {
      method: webhook.method,
      ...keysOf(webhook, ring, now),
      hasSecret: webhook.secret !== null,
      previousSecretValidUntil: previousAt(webhook, now)?.validUntil ?? null,
      ...(secret !== undefined && { secret }),
    },
  })
}

function keysOf(
  { method, keyVersion, tenantId }: Webhook,
  ring: IssuerKeyRing | null,
  now: number,
) {
  if (method === 'shared_secret')
    return { keyVersion, publicKey: null, nextPublicKey: null, nextSignsFrom: null }
  const newest = ring && signing(ring, now)[0]
  if (!newest) throw new Error(`tenant ${tenantId} has no issuer key`)
  const next = coming(ring, now)
  return {
    keyVersion: newest.version,
    publicKey: formatPublicKey(newest.publicKey),
    nextPublicKey: next && formatPublicKey(next.publicKey),
    nextSignsFrom: next?.signsFrom ?? null,
  }
}
