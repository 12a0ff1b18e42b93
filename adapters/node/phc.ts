/** A scrypt hash with its parameters and salt. */
export interface ScryptHash {
  readonly logN: number
  readonly r: number
  readonly p: number
  readonly salt: Uint8Array
  readonly hash: Uint8Array
}

const form =
  /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{22,86})$/

/** The PHC string: `$scrypt$ln=17,r=8,p=1$salt$hash`, base64 without padding. */
export function formatPhc({ logN, r, p, salt, hash }: ScryptHash): string {
  return `$scrypt$ln=${logN},r=${r},p=${p}$${base64(salt)}$${base64(hash)}`
}

/** Parses a PHC string. Throws for any other text and for a cost that would exhaust the machine: such a store is corrupt. */
export function parsePhc(text: string): ScryptHash {
  const [, logN, r, p, salt, hash] = form.exec(text) ?? []
  if (!logN || !r || !p || !salt || !hash)
    throw new Error('expected a stored password hash of the form $scrypt$ln=…,r=…,p=…$salt$hash')
  const parsed = {
    logN: Number(logN),
    r: Number(r),
    p: Number(p),
    salt: Buffer.from(salt, 'base64'),
    hash: Buffer.from(hash, 'base64'),
  }
  if (parsed.logN < 1 || parsed.r < 1 || parsed.p < 1 || 2 ** parsed.logN * parsed.r > 2 ** 20)
    throw new Error(`the cost ln=${logN},r=${r},p=${p} of a stored password hash is out of bounds`)
  return parsed
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64').replace(/=+$/, '')
}
