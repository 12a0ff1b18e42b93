import type { Random } from '../../base/ports/random.ts'

/** Prefixes of ids. */
export type IdPrefix =
  | 'evt'
  | 'wh'
  | 'rc'
  | 'app'
  | 'ten'
  | 'mem'
  | 'key'
  | 'req'
  | 'cb'
  | 'dlv'
  | 'att'
  | 'bat'
  | 'bun'
  | 'flag'
  | 'rev'
  | 'ann'
  | 'red'
  | 'rule'
  | 'exp'
  | 'hold'
  | 'ers'
  | 'ch'
  | 'inv'
  | 'mail'
  | 'prg'
  | 'aut'

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'

/** `prefix_` and 26 characters: 48 bits of time (ms), then 80 random bits, in Crockford's base 32, so ids sort by time. */
export function newId(prefix: IdPrefix, now: number, random: Random): string {
  let text = ''
  const bytes = random.bytes(10)
  let bits = 0
  let held = 0
  for (const byte of bytes) {
    held = (held << 8) | byte
    bits += 8
    while (bits >= 5) {
      bits -= 5
      text += alphabet.charAt((held >>> bits) & 31)
    }
    held &= (1 << bits) - 1
  }
  return `${leastIdAt(prefix, now)}${text}`
}

/** What no id that was made at a time (ms) or later sorts before. */
export function leastIdAt(prefix: IdPrefix, at: number): string {
  let text = ''
  let time = at
  for (let i = 0; i < 10; i++) {
    text = alphabet.charAt(time % 32) + text
    time = Math.floor(time / 32)
  }
  return `${prefix}_${text}`
}
