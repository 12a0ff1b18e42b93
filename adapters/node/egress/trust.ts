import { X509Certificate } from 'node:crypto'
import { createSecureContext, rootCertificates, type SecureContext } from 'node:tls'

/**
 * The certificates that are trusted: those of Node and, if given, another authority. Throws for one that is no
 * certificate; all of them together are parsed (50 ms) by the first connection, for a start can do without.
 */
export function trust(ca: string | Uint8Array | undefined): () => SecureContext {
  const authority = ca === undefined ? null : Buffer.from(ca)
  if (authority) checkCertificate(authority)
  let context: SecureContext | null = null
  return () => {
    context ??= createSecureContext({
      minVersion: 'TLSv1.2',
      ...(authority && { ca: [...rootCertificates, authority] }),
    })
    return context
  }
}

/** Node silently ignores an authority that it cannot parse. */
function checkCertificate(pem: Buffer): void {
  try {
    new X509Certificate(pem)
  } catch (cause) {
    throw new TypeError('expected the certificate of an authority in PEM', { cause })
  }
}
