import { bytesToHex } from '@noble/hashes/utils.js'
import { rootOfInclusion } from '../../base/merkle/inclusion.ts'
import { anchorHashOf, commitmentOf, firstPreviousHash } from '../../proof/commitment.ts'
import { anchorSignedText, without } from '../../proof/signed-text.ts'
import type { Findings } from './finding.ts'
import type { EvidenceKeys } from './keys.ts'
import { hashOf, type Json, objectAt, textAt } from './read.ts'
import { bytesOrNull, checkSignature } from './signature.ts'

/** Checks that a leaf's path leads to the Merkle root. Yields the root, null where it does not. */
export function checkInclusion(
  merkle: Json,
  leafHash: string | null,
  about: string,
  findings: Findings,
): Uint8Array | null {
  const leaf = hashOf(leafHash)
  const root = hashOf(merkle.merkleRoot)
  const path = Array.isArray(merkle.inclusionPath) ? merkle.inclusionPath.map(hashOf) : [null]
  const { leafIndex, treeSize } = merkle
  if (
    leaf === null ||
    root === null ||
    !path.every((hash) => hash !== null) ||
    typeof leafIndex !== 'number' ||
    typeof treeSize !== 'number'
  ) {
    findings.add('failed', 'inclusion', about, 'The inclusion proof is malformed.')
    return null
  }
  const computed = rootOfInclusion({ leafHash: leaf, leafIndex, treeSize, inclusionPath: path })
  if (computed === null || bytesToHex(computed) !== bytesToHex(root)) {
    const led = computed === null ? 'to no root' : `to ${bytesToHex(computed)}`
    findings.add(
      'failed',
      'inclusion',
      about,
      `From the leaf, the path leads ${led}, not to the Merkle root ${bytesToHex(root)}.`,
    )
    return null
  }
  findings.add(
    'verified',
    'inclusion',
    about,
    `The leaf is number ${leafIndex + 1} of ${treeSize} under Merkle root ${bytesToHex(root)}.`,
  )
  return root
}

/** Members that stand beside an entry where an anchor is shown. */
const besideEntry = ['entryHash', 'nonce', 'status']

/** Checks an anchor as a proof shows it: commitment, hash and signature of its entry. */
export function checkAnchor(
  anchor: unknown,
  root: Uint8Array,
  about: string,
  keys: EvidenceKeys,
  findings: Findings,
): void {
  const shown = objectAt({ anchor }, 'anchor')
  if (shown === null || shown.status === 'pending' || shown.status === 'submitted') {
    findings.add('noted', 'anchor', about, 'The Merkle root is not anchored yet.')
    return
  }
  const nonce = hashOf(shown.nonce)
  const commitment = textAt(shown, 'commitment')
  if (shown.nonce === null)
    findings.add(
      'noted',
      'commitment',
      about,
      'The nonce was destroyed, so the anchor can no longer be linked to the Merkle root.',
    )
  else if (nonce === null)
    findings.add('failed', 'commitment', about, 'The nonce of the anchor is malformed.')
  else if (commitmentOf(root, nonce) !== commitment)
    findings.add(
      'failed',
      'commitment',
      about,
      'The anchored commitment is not that of this Merkle root and nonce.',
    )
  else
    findings.add(
      'verified',
      'commitment',
      about,
      `The anchored commitment ${commitment} is that of the Merkle root.`,
    )
  checkEntry(shown, about, keys, findings)
}

/** Checks hash and signature of an anchor's entry; yields the entry's hash, null where it has none. */
export function checkEntry(
  shown: Json,
  about: string,
  keys: EvidenceKeys,
  findings: Findings,
): string | null {
  const entry = without(shown, besideEntry)
  const hash = bytesOrNull(() => anchorHashOf(entry))
  if (hash === null) {
    findings.add('failed', 'anchor', about, 'The ledger entry has no canonical form.')
    return null
  }
  const told = shown.entryHash
  if (told !== undefined && told !== null && told !== hash)
    findings.add(
      'failed',
      'anchor',
      about,
      `The ledger entry hashes to ${hash}, not to its entryHash ${String(told)}.`,
    )
  if (entry.ledger !== 'local') {
    findings.add(
      'unchecked',
      'anchor',
      about,
      `The anchor is in the ledger "${String(entry.ledger)}", which must be asked itself.`,
    )
    return hash
  }
  const before = findings.all.length
  const text = anchorSignedText(entry)
  checkSignature(text, textAt(entry, 'keyId'), textAt(entry, 'signature'), about, keys, findings)
  if (findings.all[before]?.result === 'verified')
    findings.add(
      'verified',
      'anchor',
      about,
      `Local signed checkpoint ${String(entry.sequence)} of ${String(entry.anchoredAt)}.`,
    )
  return hash
}

/** Checks what stands beside an entry in a ledger, which its signature does not cover. */
function checkBesideEntry(entry: Json, name: string, findings: Findings): void {
  const { ledger, status = 'recorded', nonce = null } = entry
  if (ledger === 'local' && status !== 'recorded')
    findings.add(
      'failed',
      'anchor',
      name,
      `Its status is ${String(status)}; signed checkpoints are recorded.`,
    )
  if (nonce !== null)
    findings.add(
      'unchecked',
      'commitment',
      name,
      'It has a nonce, which is not signed, and no Merkle root to check it with.',
    )
}

/** Checks that entries of a ledger follow one another without a gap, each naming the hash of the one before. */
export function checkLedger(
  entries: readonly Json[],
  keys: EvidenceKeys,
  findings: Findings,
): void {
  const about = 'anchor ledger'
  if (entries.length === 0) {
    findings.add('unchecked', 'chain', about, 'The ledger is empty: there is nothing to check.')
    return
  }
  const inOrder = entries.toSorted((a, b) => Number(a.sequence) - Number(b.sequence))
  let previous: { readonly sequence: number; readonly hash: string } | null = null
  for (const entry of inOrder) {
    const sequence = entry.sequence
    const name = `ledger entry ${String(sequence)}`
    if (typeof sequence !== 'number' || !Number.isSafeInteger(sequence) || sequence < 1) {
      findings.add('failed', 'chain', name, 'Expected a sequence number from 1.')
      return
    }
    const hash = checkEntry(entry, name, keys, findings)
    if (hash === null) return
    checkBesideEntry(entry, name, findings)
    const told = entry.previousHash
    if (previous === null) {
      if (sequence > 1)
        findings.add(
          'noted',
          'chain',
          name,
          `The ledger begins here; ${sequence - 1} earlier entries are not in this file.`,
        )
      else if (told !== firstPreviousHash)
        findings.add('failed', 'chain', name, 'The first entry must name 64 zeros as previousHash.')
    } else if (sequence !== previous.sequence + 1)
      findings.add(
        'failed',
        'chain',
        name,
        `It follows entry ${previous.sequence}: entries between are missing or doubled.`,
      )
    else if (told !== previous.hash)
      findings.add(
        'failed',
        'chain',
        name,
        `Its previousHash is not the hash of entry ${previous.sequence}.`,
      )
    previous = { sequence, hash }
  }
  if (!findings.all.some(({ check, result }) => check === 'chain' && result === 'failed'))
    findings.add('verified', 'chain', about, `${inOrder.length} entries form one chain.`)
}
