import { bytesToHex } from '@noble/hashes/utils.js'
import { rootOfInclusion } from '../../base/merkle/inclusion.ts'
import { anchorHashOf, commitmentOf, firstPreviousHash } from '../../proof/commitment.ts'
import { anchorSignedText, canonicalBytes, without } from '../../proof/signed-text.ts'
import type { Report } from './finding.ts'
import { besideEntry, placeIn } from './known.ts'
import { bytesOrNull, hashOf, type Json, objectAt, textAt, textOf } from './read.ts'
import { checkSignature } from './signature.ts'
import { checkStamp } from './stamp.ts'
import type { SealTimes } from './times.ts'
import { checkKnownEntries } from './witness.ts'

/** Checks that a leaf's path leads to the Merkle root. Yields the root, null where it does not. */
export function checkInclusion(
  merkle: Json,
  leafHash: string | null,
  report: Report,
): Uint8Array | null {
  const leaf = hashOf(leafHash)
  const root = hashOf(merkle.merkleRoot)
  const path = Array.isArray(merkle.inclusionPath) ? merkle.inclusionPath.map(hashOf) : [null]
  const { leafIndex, treeSize } = merkle
  if (
    (textAt(merkle, 'batchId') ?? '') === '' ||
    leaf === null ||
    root === null ||
    !path.every((hash) => hash !== null) ||
    typeof leafIndex !== 'number' ||
    typeof treeSize !== 'number'
  ) {
    report.failed('inclusion', 'The inclusion proof is malformed.')
    return null
  }
  const computed = rootOfInclusion({ leafHash: leaf, leafIndex, treeSize, inclusionPath: path })
  if (computed === null || bytesToHex(computed) !== bytesToHex(root)) {
    const led = computed === null ? 'to no root' : `to ${bytesToHex(computed)}`
    report.failed(
      'inclusion',
      `From the leaf, the path leads ${led}, not to the Merkle root ${bytesToHex(root)}.`,
    )
    return null
  }
  report.verified(
    'inclusion',
    `The leaf is number ${leafIndex + 1} of ${treeSize} under Merkle root ${bytesToHex(root)}.`,
  )
  return root
}

/**
 * Checks an anchor as a proof shows it: commitment, hash and signature of its entry. Yields the hash of an entry whose
 * commitment is that of the root, else null.
 */
export function checkAnchor(
  anchor: unknown,
  root: Uint8Array,
  report: Report,
  times: SealTimes | null,
): string | null {
  const shown = objectAt({ anchor }, 'anchor')
  if (shown === null && (anchor ?? null) !== null) {
    report.failed('anchor', `Expected its anchor as an object, got ${textOf(anchor)}.`)
    return null
  }
  if (shown === null || shown.status === 'pending' || shown.status === 'submitted') {
    report.noted('anchor', 'The Merkle root is not anchored yet.')
    return null
  }
  const nonce = hashOf(shown.nonce)
  const commitment = textAt(shown, 'commitment')
  if (shown.nonce === null)
    report.noted(
      'commitment',
      'The nonce was destroyed, so the anchor can no longer be linked to the Merkle root.',
    )
  else if (nonce === null) report.failed('commitment', 'The nonce of the anchor is malformed.')
  else if (commitmentOf(root, nonce) !== commitment)
    report.failed(
      'commitment',
      'The anchored commitment is not that of this Merkle root and nonce.',
    )
  else
    report.verified(
      'commitment',
      `The anchored commitment ${commitment} is that of the Merkle root.`,
    )
  const hash = checkEntry(shown, report, times)
  return nonce !== null && commitmentOf(root, nonce) === commitment ? hash : null
}

/** Checks hash and signature of an anchor's entry; yields the entry's hash, null where it has none. */
export function checkEntry(
  shown: Json,
  report: Report,
  times: SealTimes | null = null,
): string | null {
  const entry = without(shown, besideEntry)
  const text = bytesOrNull(() => canonicalBytes(entry))
  const hash = text && anchorHashOf(entry)
  if (text === null || hash === null) {
    report.failed('anchor', 'The ledger entry has no canonical form.')
    return null
  }
  const named = shown.entryHash
  // Another ledger's entry may have none of its own.
  const isNone = named === undefined || (named === null && entry.ledger !== 'local')
  if (!isNone && named !== hash)
    report.failed(
      'anchor',
      `The ledger entry hashes to ${hash}, not to its entryHash ${textOf(named)}.`,
    )
  checkStamp(shown, { entry: text, hash }, report, times)
  if (entry.ledger !== 'local') {
    report.unchecked(
      'anchor',
      `The anchor is in the ledger "${textOf(entry.ledger)}", which must be asked itself.`,
    )
    return hash
  }
  const before = report.all.length
  checkSignature(
    anchorSignedText(entry),
    textAt(entry, 'keyId'),
    textAt(entry, 'signature'),
    report,
  )
  if (report.all[before]?.result === 'verified')
    report.verified(
      'anchor',
      `Local signed checkpoint ${textOf(entry.sequence)} of ${textOf(entry.anchoredAt)}.`,
    )
  return hash
}

/** By what entries are sorted: those without a number stand behind all others. */
function placeOf({ sequence }: Json): number {
  return typeof sequence === 'number' ? sequence : Number.MAX_VALUE
}

/** Checks the members beside those of an entry, which its signature does not cover. */
function checkBesideEntry(entry: Json, report: Report): void {
  const { ledger, status = 'recorded', nonce = null } = entry
  if (ledger === 'local' && status !== 'recorded')
    report.failed('anchor', `Its status is ${textOf(status)}; signed checkpoints are recorded.`)
  if (nonce !== null)
    report.unchecked(
      'commitment',
      'It has a nonce, which is not signed, and no Merkle root to check it with.',
    )
}

/** Checks that entries of a ledger follow one another without a gap, each naming the hash of the one before. */
export function checkLedger(entries: readonly Json[], report: Report, isPart: boolean): void {
  if (entries.length === 0) {
    report.unchecked('chain', 'The ledger is empty: there is nothing to check.')
    return
  }
  const inOrder = entries.toSorted((one, other) => placeOf(one) - placeOf(other))
  let previous: { readonly sequence: number; readonly hash: string } | null = null
  const known: Parameters<typeof checkKnownEntries>[0][number][] = []
  for (const entry of inOrder) {
    const sequence = entry.sequence
    const each = report.on(`ledger entry ${textOf(sequence)}`)
    if (typeof sequence !== 'number' || !Number.isSafeInteger(sequence) || sequence < 1) {
      each.failed('chain', 'Expected a sequence number from 1.')
      return
    }
    const hash = checkEntry(entry, each)
    if (hash === null) return
    checkBesideEntry(entry, each)
    const before = entry.previousHash
    if (previous === null) {
      if (sequence > 1)
        each.noted(
          'chain',
          `The ledger begins here; ${sequence - 1} earlier entries are not in this file.`,
        )
      else if (before !== firstPreviousHash)
        each.failed('chain', 'The first entry must name 64 zeros as previousHash.')
    } else if (sequence !== previous.sequence + 1)
      each.failed(
        'chain',
        `It follows entry ${previous.sequence}: entries between are missing or doubled.`,
      )
    else if (before !== previous.hash)
      each.failed('chain', `Its previousHash is not the hash of entry ${previous.sequence}.`)
    previous = { sequence, hash }
    known.push({ place: placeIn.ledger(entry), number: sequence, hash })
  }
  checkKnownEntries(known, report, isPart)
  if (!report.all.some(({ check, result }) => check === 'chain' && result === 'failed'))
    report.verified('chain', `${inOrder.length} entries form one chain.`)
}
