import { signedText } from '../../proof/signed-text.ts'
import { decodeBase64 } from '../../proof/signing/encoding.ts'
import type { Findings } from './finding.ts'
import type { EvidenceKeys } from './keys.ts'
import { type Json, objectsAt, textAt } from './read.ts'

/** Checks every signature of a document; each must verify, and there must be one. */
export function checkSignatures(
  document: Json,
  about: string,
  keys: EvidenceKeys,
  findings: Findings,
): void {
  const signatures = objectsAt(document, 'signatures')
  if (signatures === null || signatures.length === 0) {
    findings.add('failed', 'signature', about, 'It carries no signature.')
    return
  }
  const text = bytesOrNull(() => signedText(document))
  if (text === null) {
    findings.add(
      'failed',
      'signature',
      about,
      'It has no canonical form (RFC 8785), so nobody can have signed it.',
    )
    return
  }
  for (const signature of signatures) {
    if (signature.alg !== 'Ed25519')
      findings.add(
        'failed',
        'signature',
        about,
        'Its signature names another algorithm than Ed25519.',
      )
    else
      checkSignature(
        text,
        textAt(signature, 'keyId'),
        textAt(signature, 'sig'),
        about,
        keys,
        findings,
      )
  }
}

/** Checks one signature (padded base64) over these bytes by the key of this id. */
export function checkSignature(
  text: Uint8Array,
  keyId: string | null,
  sig: string | null,
  about: string,
  keys: EvidenceKeys,
  findings: Findings,
): void {
  const bytes = sig === null ? null : decodeBase64(sig)
  if (keyId === null || bytes === null) {
    findings.add(
      'failed',
      'signature',
      about,
      'Its signature is malformed: expected a key id and padded base64.',
    )
    return
  }
  const verify = keys.get(keyId)
  if (verify === undefined)
    findings.add(
      'unchecked',
      'signature',
      about,
      `It says that key ${keyId} signed it; that key is not at hand.`,
    )
  else if (verify('', text, bytes))
    findings.add('verified', 'signature', about, `Key ${keyId} signed exactly this.`)
  else
    findings.add(
      'failed',
      'signature',
      about,
      `Key ${keyId} did not sign this: it was changed after signing, or another key signed it.`,
    )
}

/** What `make` yields; null where the value has no canonical form. */
export function bytesOrNull<T>(make: () => T): T | null {
  try {
    return make()
  } catch {
    return null
  }
}
