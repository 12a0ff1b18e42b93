import type { ErasureCertificate, SessionCertificate } from '@countersign/core/evidence'
import type { Content } from 'pdfmake/interfaces.js'
import { factsUnder, listUnder } from './keep.ts'
import type { Sheet } from './page.ts'
import { colors, facts, pageWidth, prose, section, timeOf } from './parts.ts'
import { textOf } from './text.ts'

function certificate(title: string, statement: string): Content[] {
  return [
    {
      canvas: [{ type: 'rect', x: 0, y: 0, w: 60, h: 5, color: colors.accent }],
      margin: [0, 20, 0, 14],
    },
    { text: title, style: 'title', outline: true, outlineText: title },
    textOf(statement, { width: pageWidth, size: 12, margin: [0, 10, 0, 18] }),
  ]
}

function signaturesOf(signatures: SessionCertificate['signatures']): Content[] {
  const each = signatures.map(({ keyId, sig }) =>
    facts(
      [
        ['Key', keyId],
        ['Ed25519', sig],
      ],
      { mono: true },
    ),
  )
  return listUnder(section('Signature of the issuer'), each)
}

/** The printed form of a proof that a session was sealed and anchored. */
export function sessionCertificate(document: SessionCertificate): Sheet {
  const { proof, organizationName, issuedAt, statement } = document
  const { anchor } = proof
  return {
    title: `Audit certificate of session ${proof.sessionId}`,
    subject: statement,
    author: organizationName,
    date: issuedAt,
    head: `${organizationName} · ${proof.sessionId}`,
    content: [
      ...certificate('Blockchain audit certificate', statement),
      facts([
        ['Organization', organizationName],
        ['Application', proof.applicationId],
        ['Session', proof.sessionId],
        ['Revision', proof.revision],
        ['Issued', timeOf(issuedAt)],
      ]),
      factsUnder(
        section('Proof'),
        [
          ['Leaf hash', proof.leafHash],
          ['Batch', proof.batchId],
          ['Place in the tree', `leaf ${proof.leafIndex + 1} of ${proof.treeSize}`],
          [
            'Path',
            proof.inclusionPath.length === 0
              ? 'none: it is the only leaf'
              : proof.inclusionPath.join('\n'),
          ],
          ['Merkle root', proof.merkleRoot],
          ['Commitment', anchor.commitment],
          ['Nonce', anchor.nonce],
          ['Ledger', anchor.ledger],
          ['Sequence', anchor.sequence],
          ['Anchored', timeOf(anchor.anchoredAt)],
          ['Entry hash', anchor.entryHash],
          ['Previous entry', anchor.previousHash],
        ],
        { mono: true },
      ),
      factsUnder(section('Definitions'), [
        ['Leaf', document.leafDefinition],
        ['Tree', 'RFC 9162: a node is the SHA-256 of a byte 1, its left and its right child'],
        ['Commitment', document.commitmentDefinition],
      ]),
      ...signaturesOf(document.signatures),
      prose(
        'To verify: countersign-verify with the JSON form of this certificate and the issuer’s published keys. By hand: join the leaf with the path’s hashes up to the Merkle root, compute the commitment, and check the signature over the canonical JSON (RFC 8785) without signatures.',
      ),
    ],
  }
}

/** The printed form of a statement that a subject's content was made unreadable. */
export function erasureCertificate(document: ErasureCertificate): Sheet {
  const { organizationName, dataSubjectId, completedAt, counts } = document
  return {
    title: `Certificate of erasure ${document.erasureRequestId}`,
    subject: `Erasure of the data of ${dataSubjectId}`,
    author: organizationName,
    date: completedAt,
    head: `${organizationName} · ${document.erasureRequestId}`,
    content: [
      ...certificate(
        'Certificate of erasure',
        `The content that ${organizationName} held of the data subject below was made unreadable by destroying its keys.`,
      ),
      facts([
        ['Organization', organizationName],
        ['Request', document.erasureRequestId],
        ['Data subject (pseudonym)', dataSubjectId],
        ['Applications', document.applicationIds.join('\n')],
        ['Requested', timeOf(document.requestedAt)],
        ['Completed', timeOf(completedAt)],
        ['Method', document.method],
        ...Object.entries(counts).map(([name, count]) => [`Erased: ${name}`, count] as const),
      ]),
      ...listUnder(
        section('What remains'),
        document.retained.length === 0
          ? [prose('Nothing was named.')]
          : document.retained.map((item) =>
              textOf(`• ${item}`, { width: pageWidth, margin: [0, 0, 0, 3] }),
            ),
      ),
      ...signaturesOf(document.signatures),
      prose(
        'To verify: countersign-verify with the JSON form of this certificate and the issuer’s published keys.',
      ),
    ],
  }
}
