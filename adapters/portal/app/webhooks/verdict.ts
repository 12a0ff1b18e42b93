import {
  CountersignError,
  legacyKey,
  loadVerifyKey,
  portablePrimitives,
  verify,
  verifyLegacy,
} from '@countersign/core/signing'

/** Whether a signature holds, in words. */
export interface Verdict {
  readonly ok: boolean
  readonly words: string
}

/**
 * Judges what was sent by a key. When it was sent does not matter here: it is held against the time that was signed.
 * The text stands for the bytes, which the service only sends as UTF-8.
 */
export function verdictOn({
  family,
  headers,
  body,
  key,
}: {
  readonly family: 'standard' | 'legacy'
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** A `whpk_` or `whsec_` key; of the legacy family any text. Empty where the webhook has no public key. */
  readonly key: string
}): Verdict {
  if (key === '')
    return { ok: false, words: 'This webhook signs with a secret: enter it to verify.' }
  const bytes = new TextEncoder().encode(body)
  try {
    const found =
      family === 'legacy'
        ? verifyLegacy({ headers, body: bytes, keys: [legacyKey(key, portablePrimitives)] })
        : verify({
            headers,
            body: bytes,
            keys: [loadVerifyKey(key, portablePrimitives)],
            now: Number(timestampIn(headers)) * 1000 || 0,
          })
    if (found.ok) return { ok: true, words: 'The signature holds.' }
    return { ok: false, words: `The signature does not hold: ${found.detail}.` }
  } catch (error) {
    if (!(error instanceof CountersignError)) throw error
    return { ok: false, words: `This is no key to verify with: ${error.message}.` }
  }
}

function timestampIn(headers: Readonly<Record<string, string>>): string | undefined {
  return Object.entries(headers).find(([name]) => name.toLowerCase() === 'webhook-timestamp')?.[1]
}
