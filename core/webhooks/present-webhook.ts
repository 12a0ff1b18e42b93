import type { IssuerKeyRing } from '../keys/records.ts'
import { coming, signing } from '../keys/ring.ts'
import { isoTime, isoTimeOrNull } from '../ledger/iso-time.ts'
import { previousAt } from '../sealing/shared-secret.ts'
import { formatPublicKey } from '../signing/key-text.ts'
import type { Webhook } from './records.ts'
import type { WebhookView } from './view.ts'

/** A webhook as it is returned; `secret` only in the answer that made or rotated it. */
export function webhookView(
  webhook: Webhook,
  ring: IssuerKeyRing | null,
  now: number,
  secret?: string,
): WebhookView {
  const { verification } = webhook
  return {
    id: webhook.webhookId,
    url: webhook.url,
    eventTypes: webhook.eventTypes,
    description: webhook.description,
    status: webhook.status,
    statusReason: webhook.statusReason,
    turnedOffAt: isoTimeOrNull(webhook.turnedOffAt),
    signing: {
      ...signingKey(webhook, ring, now),
      hasSecret: webhook.secret !== null,
      previousSecretValidUntil: isoTimeOrNull(previousAt(webhook, now)?.validUntil ?? null),
      ...(secret === undefined ? {} : { secret }),
    },
    verification: {
      state: verification.state,
      requestedAt: isoTime(verification.requestedAt),
      verifiedAt: isoTimeOrNull(verification.verifiedAt),
    },
    createdAt: isoTime(webhook.createdAt),
    updatedAt: isoTime(webhook.updatedAt),
  }
}

function signingKey(
  webhook: Webhook,
  ring: IssuerKeyRing | null,
  now: number,
): Pick<
  WebhookView['signing'],
  'method' | 'keyVersion' | 'publicKey' | 'nextPublicKey' | 'nextSignsFrom'
> {
  const { method } = webhook
  if (method === 'shared_secret')
    return {
      method,
      keyVersion: webhook.keyVersion,
      publicKey: null,
      nextPublicKey: null,
      nextSignsFrom: null,
    }
  const newest = ring && signing(ring, now)[0]
  if (!newest) throw new Error(`tenant ${webhook.tenantId} has no issuer key`)
  const next = coming(ring, now)
  return {
    method,
    keyVersion: newest.version,
    publicKey: formatPublicKey(newest.publicKey),
    nextPublicKey: next && formatPublicKey(next.publicKey),
    nextSignsFrom: next && isoTime(next.signsFrom),
  }
}
