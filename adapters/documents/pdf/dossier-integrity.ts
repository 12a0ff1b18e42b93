import type { AnchorView } from '@countersign/core'
import { type PrintedEvidence, readTimeStamp } from '@countersign/core/evidence'
import type { Content } from 'pdfmake/interfaces.js'
import { factsUnder, tableUnder, titled } from './keep.ts'
import { chapter, facts, prose, section, timeOf } from './parts.ts'

/** What seals the session, and how a person checks it. */
export function integrityOf(document: PrintedEvidence, { newPage = true } = {}): Content[] {
  const { integrity, erasure } = document
  const { merkle, anchor } = integrity
  return [
    chapter('Integrity, and how to verify it', { newPage }),
    prose(
      'This document is a picture of the evidence JSON of the same session. The JSON is what is signed, anew with each export; this page says what its seal is made of.',
    ),
    ...(integrity.leafHash === null || merkle === null
      ? [
          titled(
            section('Seal'),
            prose('The session is not sealed yet: only the signature speaks for it.'),
          ),
        ]
      : [
          factsUnder(
            section('Seal'),
            [
              ['Sealed revision', integrity.revision],
              [
                'Leaf is',
                integrity.leafSource === 'submitted'
                  ? 'the session as it was submitted'
                  : 'the service’s record of the session',
              ],
              ['Leaf hash', integrity.leafHash],
              ['Batch', merkle.batchId],
              ['Place in the tree', `leaf ${merkle.leafIndex + 1} of ${merkle.treeSize}`],
              [
                'Path',
                merkle.inclusionPath.length === 0
                  ? 'none: it is the only leaf'
                  : merkle.inclusionPath.join('\n'),
              ],
              ['Merkle root', merkle.merkleRoot],
            ],
            { mono: true },
          ),
        ]),
    ...anchorOf(anchor),
    ...(integrity.earlier.length === 0
      ? []
      : tableUnder(
          section('Seals of earlier revisions'),
          [
            { title: 'Revision', width: 50, align: 'right' },
            { title: 'Leaf hash', width: 436, mono: true },
          ],
          integrity.earlier.map(({ revision, leafHash }) => [revision, leafHash]),
        )),
    ...(erasure.erasedSubjects.length === 0
      ? []
      : [
          titled(
            section('Erasure'),
            prose(
              'The keys of these data subjects were destroyed, and with them their content. Digests remain: they bind the content that was and tell nothing of it.',
            ),
          ),
          facts([
            ['Subjects', erasure.erasedSubjects.join('\n')],
            ['Unreadable payloads', erasure.payloadsUnreadable],
          ]),
        ]),
    ...howTo(),
  ]
}

function anchorOf(anchor: PrintedEvidence['integrity']['anchor']): Content[] {
  if (anchor === null || anchor.status === 'pending')
    return [titled(section('Anchor'), prose('The Merkle root is not anchored yet.'))]
  return [
    factsUnder(
      section('Anchor'),
      [
        [
          'Ledger',
          anchor.ledger === 'local'
            ? `local signed checkpoint ${anchor.sequence ?? '–'}, not on a public chain`
            : anchor.ledger,
        ],
        ['Anchored', timeOf(anchor.anchoredAt)],
        ['Commitment', anchor.commitment],
        ['Nonce', anchor.nonce ?? 'destroyed'],
        ['Entry hash', anchor.entryHash],
        ['Previous entry', anchor.previousHash],
        ['Key', anchor.keyId],
        ['Time stamp', stampOf(anchor)],
      ],
      { mono: true },
    ),
  ]
}

/** When an authority stamped the entry. */
function stampOf({ timeStamp }: Pick<AnchorView, 'timeStamp'>): string {
  const stamp = timeStamp === null ? null : readTimeStamp(Buffer.from(timeStamp, 'base64'))
  if (stamp === null) return 'none'
  return `${timeOf(new Date(stamp.stampedAt).toISOString())}, by an authority (RFC 3161) whose answer is in the JSON`
}

function howTo(): Content[] {
  return [
    titled(
      section('To verify'),
      prose('With a computer that need not be online, and the evidence JSON:'),
    ),
    {
      text: 'npx countersign-verify --keys keys.json evidence.json',
      font: 'Mono',
      fontSize: 8,
      margin: [12, 0, 0, 6],
    },
    prose(
      'keys.json are the issuer’s published keys, at /.well-known/evidence-keys/ and the tenant id. By hand:',
    ),
    {
      ol: [
        'Remove the member "signatures" of the JSON and write the rest as canonical JSON (RFC 8785). Check the Ed25519 signature over its UTF-8 bytes by the key that its "keyId" names, the thumbprint (RFC 7638) of a published one.',
        'Write "integrity.leafInput" as canonical JSON. SHA-256 of a byte 0 and these bytes is the leaf hash.',
        'In the record, each "digest" of a payload is the SHA-256 of the canonical JSON of [nonce, content], with the nonce that stands beside the content.',
        'A review case has a leaf of its own: write its "integrity.leafInput" in the same way. The digest of what was shown is the SHA-256 of the canonical JSON of "presentation"; those of comment and response are over [nonce, text].',
        'From the leaf, join the path’s hashes: SHA-256 of a byte 1, the left and the right hash (RFC 9162). The last is the Merkle root.',
        'SHA-256 of "countersign-anchor-v1", the root and the nonce is the anchored commitment. The ledger’s entries are chained by their hashes and signed one by one.',
      ],
      style: 'prose',
    },
  ]
}
