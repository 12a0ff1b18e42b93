import { createHash, createPrivateKey, X509Certificate } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { isIP } from 'node:net'
import { join } from 'node:path'
import { isLoopbackName, type KeyAndCert, makeAuthority, makeServerCert } from './certificate.ts'
import { createPrivate, readIfThere, replacePrivate } from './files.ts'

export type { KeyAndCert } from './certificate.ts'

/** A certificate authority of this machine, for https between its own processes. */
export interface LocalCa {
  /** The authority's certificate in PEM: what a client on this machine trusts. */
  readonly caFile: string
  /** A server's key and certificate for `localhost`, names below it, 127.0.0.0/8 and ::1; throws at any other name. */
  certFor(names: readonly string[]): Promise<KeyAndCert>
}

const authorityName = 'Countersign local authority'

const day = 24 * 60 * 60 * 1000

/** Validity of a certificate in days, and how many days before its end it is renewed. */
const authorityDays = { life: 3650, renewal: 100 }
const serverDays = { life: 90, renewal: 30 }
/** Certificates are backdated by this much, to tolerate a clock that is set back. */
const backdated = day

/**
 * Loads the authority from `dir`, or creates it; processes that start together share one. `now` is wall time in ms.
 * Private keys in `dir` are readable by their owner only.
 */
export async function ensureLocalCa(
  dir: string,
  { now }: { readonly now: number },
): Promise<LocalCa> {
  await mkdir(dir, { recursive: true, mode: 0o700 })
  const authority = await currentAuthority(dir, now)
  const caFile = join(dir, 'ca.crt')
  if ((await readIfThere(caFile)) !== authority.cert) await replacePrivate(caFile, authority.cert)
  return {
    caFile,
    async certFor(names) {
      checkNames(names)
      const path = join(dir, `server-${fingerprint(names)}.pem`)
      const text = await readIfThere(path)
      if (text !== null) {
        const kept = parse(path, text)
        if (isLive(kept, now, serverDays) && vouches(authority, kept, names)) return pairOf(kept)
      }
      const issuer = { name: authorityName, key: createPrivateKey(authority.key) }
      const made = makeServerCert(names, issuer, lifeFrom(now, serverDays))
      await replacePrivate(path, made.key + made.cert)
      return made
    },
  }
}

/** One file per authority, so that a new one never overwrites another process's. */
async function currentAuthority(dir: string, now: number): Promise<Parsed> {
  for (let generation = 1; ; generation++) {
    const path = join(dir, `authority-${generation}.pem`)
    let text = await readIfThere(path)
    if (text === null) {
      const made = makeAuthority(authorityName, lifeFrom(now, authorityDays))
      await createPrivate(path, made.key + made.cert)
      text = await readIfThere(path)
    }
    if (text === null) throw new Error(`${path} expected to be there, but something removed it`)
    const authority = parse(path, text)
    if (isLive(authority, now, authorityDays)) return authority
  }
}

interface Parsed extends KeyAndCert {
  readonly x509: X509Certificate
}

/** Parses a key file: the private key, then its certificate. */
function parse(path: string, text: string): Parsed {
  const blocks = text.match(/-----BEGIN [A-Z ]+-----\n[^-]+-----END [A-Z ]+-----\n/g) ?? []
  const [key, cert] = blocks
  const remedy = 'delete it, and a new one is made at the next start'
  if (key === undefined || cert === undefined || blocks.length > 2)
    throw new Error(
      `${path} expected a private key and a certificate in PEM, got ${blocks.length} blocks: ${remedy}`,
    )
  try {
    const x509 = new X509Certificate(cert)
    if (x509.checkPrivateKey(createPrivateKey(key))) return { key, cert, x509 }
  } catch (cause) {
    throw new Error(`${path} expected a private key and a certificate: ${remedy}`, { cause })
  }
  throw new Error(
    `${path} expected a certificate of its private key, got that of another: ${remedy}`,
  )
}

const pairOf = ({ key, cert }: KeyAndCert): KeyAndCert => ({ key, cert })

const lifeFrom = (now: number, days: { readonly life: number }) => ({
  from: now - backdated,
  until: now + days.life * day,
})

const isLive = ({ x509 }: Parsed, now: number, days: { readonly renewal: number }) =>
  Date.parse(x509.validFrom) <= now && now < Date.parse(x509.validTo) - days.renewal * day

const vouches = (authority: Parsed, { x509 }: Parsed, names: readonly string[]) =>
  x509.verify(authority.x509.publicKey) &&
  names.every((name) => (isIP(name) ? x509.checkIP(name) : x509.checkHost(name)) !== undefined)

function checkNames(names: readonly string[]): void {
  if (names.length === 0) throw new TypeError('certFor expected at least one name, got none')
  const other = names.find((name) => !isLoopbackName(name))
  if (other !== undefined)
    throw new TypeError(
      `certFor expected localhost, a name below it, 127.0.0.0/8 or ::1, got '${other}'`,
    )
}

/** File name derived from the names of the certificate. */
const fingerprint = (names: readonly string[]) =>
  createHash('sha256').update(names.join(' ')).digest('hex').slice(0, 16)
