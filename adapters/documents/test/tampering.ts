import { canonicalBytes } from '@countersign/core/evidence'
import type { SeededRandom } from '@countersign/core/testing'
import { issuer, packOf, stranger, zipOf } from './packs.ts'

type Files = Map<string, Uint8Array>
type Attack = (files: Files, random: SeededRandom) => Promise<Uint8Array> | null

const seal = ['manifest.json', 'manifest.sig', 'public-key.json']

function pick<T>(random: SeededRandom, all: readonly T[]): T {
  return all[random.below(all.length)] as T
}

/** What an attacker without the issuer's key can do to a pack. */
export const attacks: Readonly<Record<string, Attack>> = {
  'flip a byte': (files, random) => {
    const [path, bytes] = pick(random, [...files])
    if (bytes.length === 0) return null
    const changed = Uint8Array.from(bytes)
    const at = random.below(changed.length)
    changed[at] = (changed[at] ?? 0) ^ (1 << random.below(8))
    return zipOf(files.set(path, changed))
  },
  'cut or lengthen a member': (files, random) => {
    const [path, bytes] = pick(random, [...files])
    const at = random.below(bytes.length + 1)
    const added = random.chance(0.5)
      ? random.bytes(1)
      : pick(random, [' ', '\n', '\t']).charCodeAt(0)
    const changed = random.chance(0.5)
      ? Uint8Array.from([
          ...bytes.subarray(0, at),
          ...(typeof added === 'number' ? [added] : added),
          ...bytes.subarray(at),
        ])
      : bytes.slice(0, random.below(bytes.length))
    // An empty member can't be cut.
    if (changed.length === bytes.length) return null
    return zipOf(files.set(path, changed))
  },
  'swap two members': (files, random) => {
    const [one, first] = pick(random, [...files])
    const [other, second] = pick(random, [...files])
    if (Buffer.compare(first, second) === 0) return null
    return zipOf(files.set(one, second).set(other, first))
  },
  'drop a member': (files, random) => {
    files.delete(pick(random, [...files.keys()]))
    return zipOf(files)
  },
  'add a member': (files, random) =>
    zipOf(files.set(`applications/app_sample/${random.below(1e6)}.json`, random.bytes(9))),
  'rename a member': (files, random) => {
    const [path, bytes] = pick(random, [...files])
    files.delete(path)
    return zipOf(files.set(`${path}-2`, bytes))
  },
  'change a document and the manifest': (files, random) => {
    const [path, text] = textIn(files, random)
    const at = random.below(text.length)
    const hash = /[0-9a-f]{64}/.exec(text.slice(at)) ?? /[0-9a-f]{64}/.exec(text)
    const changed = hash
      ? text.replace(
          hash[0],
          hash[0].replace(/.$/, (last) => (last === '0' ? '1' : '0')),
        )
      : text.replace(/[0-9]/, (digit) => String((Number(digit) + 1) % 10))
    return sealedBy(stranger, files.set(path, Buffer.from(changed)))
  },
  'seal with another key': (files) => sealedBy(stranger, files),
  "name the issuer's key over another's signature": (files) => {
    const manifest = files.get('manifest.json') ?? new Uint8Array()
    files.set(
      'manifest.sig',
      Buffer.from(Buffer.from(stranger.sign('', manifest)).toString('base64')),
    )
    return zipOf(files.set('public-key.json', canonicalBytes(issuer.jwk)))
  },
}

/** A document of a pack, or a list. */
function textIn(files: Files, random: SeededRandom): readonly [string, string] {
  const paths = [...files.keys()].filter(
    (path) => /\.(?:jsonl?|csv)$/.test(path) && !seal.includes(path),
  )
  const path = pick(random, paths)
  return [path, Buffer.from(files.get(path) ?? []).toString('utf8')]
}

function sealedBy(signer: typeof issuer, files: Files): Promise<Uint8Array> {
  for (const path of [...seal, 'README.txt']) files.delete(path)
  return packOf(files, signer)
}
