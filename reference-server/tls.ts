import { readFileSync } from 'node:fs'
import { createSecureContext } from 'node:tls'
import type { Logger } from 'pino'
import { type Config, following } from './config.ts'

/** PEM. */
export interface Tls {
  readonly key: Buffer
  readonly cert: Buffer
}

/** The key and the certificate of both APIs, read again as the files change. */
export interface TlsFiles {
  /** Null: plain HTTP. */
  readonly current: Tls | null
  /** Hands each new pair to a listener, from the next reload on. */
  follow(apply: (tls: Tls) => void): void
  /** Reads the files now; a pair that can't be used is logged, and the old one stays. */
  reload(): void
  close(): void
}

/** Tools that renew certificates replace the files, and don't know whom to tell. */
const checkEveryMs = 60_000

export function openTlsFiles({ tls }: Config, logger: Logger): TlsFiles {
  if (tls === null) return { current: null, follow: () => {}, reload: () => {}, close: () => {} }
  const { keyFile, certFile } = tls
  const followers: ((tls: Tls) => void)[] = []
  const key = following('COUNTERSIGN_TLS_KEY_FILE', () => readFileSync(keyFile))
  const cert = following('COUNTERSIGN_TLS_CERT_FILE', () => readFileSync(certFile))
  following('COUNTERSIGN_TLS_CERT_FILE', () => createSecureContext({ key, cert }))
  let current: Tls = { key, cert }

  function reload(): void {
    try {
      const next = { key: readFileSync(keyFile), cert: readFileSync(certFile) }
      if (next.key.equals(current.key) && next.cert.equals(current.cert)) return
      // Throws for a pair that doesn't fit, such as one that is half replaced.
      createSecureContext(next)
      for (const apply of followers) apply(next)
      current = next
      logger.info({ certFile }, 'serving the new certificate to new connections')
    } catch (error) {
      logger.error(
        { keyFile, certFile, error: (error as Error).message },
        'the new certificate cannot be used; the old one stays',
      )
    }
  }

  const timer = setInterval(reload, checkEveryMs).unref()
  return {
    get current() {
      return current
    },
    follow: (apply) => void followers.push(apply),
    reload,
    close: () => clearInterval(timer),
  }
}
