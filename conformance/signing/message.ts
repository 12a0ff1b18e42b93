import { type VerifyInput, verify } from '@countersign/core/signing'
import { standardWebhooks } from './vectors.ts'

/** The message of the known answers, and the moment at which it was signed. */
export const { id, timestamp } = standardWebhooks
export const body: Uint8Array = new TextEncoder().encode(standardWebhooks.body)
export const now: number = timestamp * 1000

export interface Fields {
  readonly id: string
  readonly timestamp: string
  readonly signatures: string
}

/** Its headers under `v1`, with some of them replaced. */
export function headersOf(fields: Partial<Fields>): {
  readonly 'webhook-id': string
  readonly 'webhook-timestamp': string
  readonly 'webhook-signature': string
} {
  return {
    'webhook-id': fields.id ?? id,
    'webhook-timestamp': fields.timestamp ?? String(timestamp),
    'webhook-signature': fields.signatures ?? standardWebhooks.mac,
  }
}

/** The code of the refusal, or ok. */
export function codeOf(input: VerifyInput): string {
  const verdict = verify(input)
  return verdict.ok ? 'ok' : verdict.code
}
