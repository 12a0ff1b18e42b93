import { signedText } from '../../proof/signed-text.ts'
import { decodeBase64 } from '../../proof/signing/encoding.ts'
import type { Report } from './finding.ts'
import { bytesOrNull, type Json, objectsAt, textAt } from './read.ts'

/** Checks every signature of a document; each must verify, and there must be one. */
export function checkSignatures(document: Json, report: Report): void {
  const signatures = objectsAt(document, 'signatures')
  if (signatures === null || signatures.length === 0) {
    report.failed('signature', 'It carries no signature.')
    return
  }
  const text = bytesOrNull(() => signedText(document))
  if (text === null) {
    report.failed('signature', 'It has no canonical form (RFC 8785), so nobody can have signed it.')
    return
  }
  const keyIds = new Set(signatures.map(({ keyId }) => keyId))
  if (keyIds.size !== signatures.length)
    report.failed('signature', 'It carries two signatures by one key.')
  for (const signature of signatures) {
    // No signature covers what stands beside it.
    if (Object.keys(signature).toSorted().join() !== 'alg,keyId,sig')
      report.failed('signature', 'Its signature has other members than keyId, alg and sig.')
    else if (signature.alg !== 'Ed25519')
      report.failed('signature', 'Its signature names another algorithm than Ed25519.')
    else checkSignature(text, textAt(signature, 'keyId'), textAt(signature, 'sig'), report)
  }
}

/** Checks one signature (padded base64) over these bytes by the key of this id. */
export function checkSignature(
  text: Uint8Array,
  keyId: string | null,
  sig: string | null,
  report: Report,
): void {
  const bytes = sig === null ? null : decodeBase64(sig)
  if (keyId === null || bytes === null) {
    report.failed('signature', 'Its signature is malformed: expected a key id and padded base64.')
    return
  }
  const verify = report.keys.get(keyId)
  if (verify === undefined)
    report.unchecked('signature', `It says that key ${keyId} signed it; that key is not at hand.`)
  else if (verify('', text, bytes))
    report.verified('signature', `Key ${keyId} signed exactly this.`)
  else
    report.failed(
      'signature',
      `Key ${keyId} did not sign this: it was changed after signing, or another key signed it.`,
    )
}
