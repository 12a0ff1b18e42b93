import type { Random } from '../base/ports/random.ts'
import type { Sealer } from '../base/ports/secrets.ts'
import { formatSharedSecret } from '../proof/signing/key-text.ts'
import type { SealSecret } from './outcome-callback.ts'
import { callbackSecretContext } from './records.ts'

const utf8 = new TextEncoder()

/** A new `whsec_` secret of an application's callback, and what seals it as a version. */
export function newSecret(
  { random, sealer }: { readonly random: Random; readonly sealer: Sealer },
  tenantId: string,
  applicationId: string,
): { readonly secret: string; readonly seal: SealSecret } {
  const secret = formatSharedSecret(random.bytes(32))
  const seal: SealSecret = (version) => {
    const context = callbackSecretContext(tenantId, applicationId, version)
    return { version, sealed: sealer.seal(utf8.encode(secret), context), validUntil: null }
  }
  return { secret, seal }
}
